"""Incremental fetch sessions: ids, epochs, eviction, and which partitions are visited."""

import pytest

from snakka.protocol.error_codes import ErrorCode
from snakka.protocol.errors import ApiError
from snakka.replication.state import fetch_sessions
from snakka.replication.state.fetch_sessions import EVICTION_MS, MAX_EPOCH, FetchSessionCache, next_epoch


def make_cache(slots: int = 2):
    removed = []
    return FetchSessionCache(lambda: slots, removed.append), removed


def open_session(cache, session_id: int, now_ms: int = 0, privileged: bool = False):
    return cache.open(now_ms, session_id, privileged, [(("t", 0), "p0"), (("t", 1), "p1")], False)


def test_epochs_count_up_and_wrap_to_one() -> None:
    assert next_epoch(1) == 2
    assert next_epoch(MAX_EPOCH) == 1
    assert next_epoch(-1) == -1


def test_a_session_goes_on_only_with_the_epoch_it_expects() -> None:
    cache, _ = make_cache()
    open_session(cache, 7)
    assert cache.resume(7, 1, 10, False).epoch == 2
    with pytest.raises(ApiError) as wrong:
        cache.resume(7, 1, 20, False)
    assert wrong.value.code == ErrorCode.INVALID_FETCH_SESSION_EPOCH
    with pytest.raises(ApiError) as unknown:
        cache.resume(8, 1, 20, False)
    assert unknown.value.code == ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    with pytest.raises(ApiError) as mixed:
        cache.resume(7, 2, 20, True)
    assert mixed.value.code == ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR


def test_a_full_cache_refuses_until_its_oldest_is_stale() -> None:
    cache, removed = make_cache()
    open_session(cache, 1, now_ms=0)
    open_session(cache, 2, now_ms=0)
    assert open_session(cache, 3, now_ms=EVICTION_MS) is None
    cache.resume(1, 1, EVICTION_MS, False)
    third = open_session(cache, 3, now_ms=EVICTION_MS + 1)
    assert third is not None
    assert [session.id for session in removed] == [2]
    assert cache.evictions == 1


def test_a_follower_may_push_out_a_consumer_but_not_the_other_way_round() -> None:
    cache, removed = make_cache(slots=1)
    open_session(cache, 1, privileged=True)
    assert open_session(cache, 2, now_ms=10 * EVICTION_MS) is None
    cache.close(1)
    open_session(cache, 3)
    assert open_session(cache, 4, privileged=True) is not None
    assert [session.id for session in removed] == [1, 3]


def test_no_slots_means_no_sessions() -> None:
    cache, _ = make_cache(slots=0)
    assert open_session(cache, 1, privileged=True) is None


def test_only_dirty_partitions_are_visited_and_the_served_ones_go_to_the_back() -> None:
    cache, _ = make_cache()
    session = open_session(cache, 1)
    assert list(session.dirty) == [("t", 0), ("t", 1)]
    session.served(("t", 0), "p0")
    assert list(session.dirty) == [("t", 1), ("t", 0)]
    session.settled(("t", 1))
    session.settled(("t", 0))
    assert not session.dirty
    session.mark_dirty(("t", 1))
    session.mark_dirty(("other", 0))
    assert list(session.dirty) == [("t", 1)]
    assert session.forget(("t", 1)) == "p1"
    assert not session.dirty
    assert cache.cached_partitions == 1


def test_sessions_remember_a_bounded_number_of_partitions(monkeypatch) -> None:
    monkeypatch.setattr(fetch_sessions, "MOST_PARTITIONS", 5)
    cache, removed = make_cache(slots=10)
    assert open_session(cache, 1, now_ms=0) is not None
    second = open_session(cache, 2, now_ms=1)
    assert second is not None
    assert open_session(cache, 3, now_ms=2) is None
    second.remember(("t", 2), "p2")
    cache.check_growth(second)
    second.remember(("t", 3), "p3")
    with pytest.raises(ApiError) as too_large:
        cache.check_growth(second)
    assert too_large.value.code == ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert removed == [second]
    # The stale one goes for a new one.
    assert open_session(cache, 4, now_ms=3) is not None
    assert open_session(cache, 5, now_ms=EVICTION_MS + 1) is not None
    assert len(cache) == 2
