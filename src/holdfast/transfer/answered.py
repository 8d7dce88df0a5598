"""What became of an ask, in a sentence for whoever was not there: what was said, by whom, from where, when."""

from datetime import UTC, datetime

from holdfast.core.items import Approval, Question

CHOICES = {
    "once": "Allowed once",
    "session": "Allowed for the session",
    "always": "Always allowed",
    "deny": "Denied",
}


def spelled(time: int) -> str:
    """A time as people write it, in UTC: a file has no place of its own."""
    return datetime.fromtimestamp(time / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def answered(ask: Approval | Question) -> str:
    match ask.state:
        case "open":
            return "Not answered yet"
        case "expired":
            return f"Not answered: {ask.expired_because or 'the run ended first'}"
        case "undelivered":
            return f"{_given(ask)}; the run ended before it heard"
        case _:
            return _given(ask)


def _given(ask: Approval | Question) -> str:
    what = "Answered" if isinstance(ask, Question) or ask.choice is None else CHOICES[ask.choice]
    reason = f": {ask.reason}" if isinstance(ask, Approval) and ask.reason else ""
    return f"{what} by {_who(ask)}, {spelled(ask.answered_at)}{reason}"


def _who(ask: Approval | Question) -> str:
    if isinstance(ask, Approval) and ask.by == "rule":
        return f"a rule ({ask.rule})" if ask.rule else "a rule"
    if isinstance(ask, Approval) and ask.by == "agent":
        return "the agent's own rules"
    return f"a person on {ask.answered_from}" if ask.answered_from else "a person"
