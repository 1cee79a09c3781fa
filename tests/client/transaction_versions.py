"""Clients that play by the rules of transaction.version 1: brokers serve both, whatever they prefer."""

import pytest

from snakka.client.admin.transactions import TransactionAdmin
from snakka.client.producer.transaction_calls import LAST_EXPLICIT_END, TransactionCalls


def play_by_version_1(monkeypatch: pytest.MonkeyPatch) -> None:
    async def one(calls: TransactionCalls, deadline: float) -> int:
        return 1

    async def explicit(admin: TransactionAdmin, transactional_id: str, deadline: float) -> int:
        return LAST_EXPLICIT_END

    monkeypatch.setattr(TransactionCalls, "version", one)
    monkeypatch.setattr(TransactionAdmin, "_newest_end", explicit)
