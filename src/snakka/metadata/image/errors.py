"""The one defect that replaying can meet."""


class InconsistentRecord(Exception):  # noqa: N818 - it names the record, as StorageFailure names the disk
    """A metadata record that does not fit the state before it: the log is damaged, or a decision was wrong."""
