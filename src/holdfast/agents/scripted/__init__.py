"""An ACP agent without a model: the tour for people, and a puppet for tests.

Lines of a message that begin with `!` are directives (`directives.py`), executed in order. A message without any gets
the tour, if it is the first of its session or asks for it, and else one sentence that says what this is.
"""
