"""What the owner of the raft layer has to know about failures."""


class DataDirectoryError(Exception):
    """The files of this node cannot be used as they are; the text says which and why, in one line for an operator."""
