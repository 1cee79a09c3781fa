"""A transaction that its producer has left open: what another process needs to end it."""

from typing import NamedTuple


class OpenTransaction(NamedTuple):
    """Who wrote it, and in which epoch; `Producer.detach_transaction` gives it, `Admin.end_transactions` takes it."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
