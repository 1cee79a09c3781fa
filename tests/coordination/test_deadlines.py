"""Named deadlines against the simplest model there is: a dict."""

from hypothesis import given
from hypothesis import strategies as st

from snakka.coordination.deadlines import Deadlines

_KEYS = st.sampled_from(["a", "b", ("c", 1), ("c", 2)])
_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("set"), _KEYS, st.integers(0, 50)),
        st.tuples(st.just("cancel"), _KEYS, st.just(0)),
        st.tuples(st.just("take"), st.just("-"), st.integers(0, 50)),
    ),
    max_size=60,
)


@given(_STEPS)
def test_as_a_dict_would(steps):
    deadlines, model = Deadlines(), {}
    for order, (step, key, number) in enumerate(steps):
        if step == "set":
            deadlines.set(key, number)
            model[key] = (number, order)
        elif step == "cancel":
            deadlines.cancel(key)
            model.pop(key, None)
        else:
            due = [(when, order, key) for key, (when, order) in model.items() if when <= number]
            expected = min(due, key=lambda one: one[:2])[2] if due else None
            assert deadlines.take_due(number) == expected
            model.pop(expected, None)
        assert deadlines.earliest() == min((when for when, _ in model.values()), default=None)
        assert len(deadlines) == len(model)
        assert {key: deadlines.due_at(key) for key in model} == {
            key: when for key, (when, _) in model.items()
        }


def test_setting_a_deadline_again_and_again_keeps_it_small():
    deadlines = Deadlines()
    for now in range(100_000):
        deadlines.set("session", now + 10)
    assert len(deadlines._heap) < 1_000
    assert deadlines.take_due(100_008) is None
    assert deadlines.take_due(100_009) == "session"
