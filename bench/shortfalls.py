"""Why a target may be missed, as the profile tells it: printed beside a miss, so that nobody has to guess twice."""

# The beginning of a row's name, and what was found there.
_REASONS: tuple[tuple[str, str], ...] = ()


def reason_for(what: str) -> str:
    for beginning, reason in _REASONS:
        if what.startswith(beginning):
            return reason
    return (
        "not seen before, so no profile explains it: run it again on a quiet machine, then look with py-spy"
    )
