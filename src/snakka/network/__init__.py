"""Sockets: listeners, connections and their framing."""
