"""The built-in agent: any model behind OpenAI's API, as an ACP agent in a process of its own."""
