"""The web side: HTTP in, the page and its answers out. It holds no truth; restarting it is always safe."""
