"""What a small torch says of what it lacks: that it lacks it, which is no fault of the caller's."""


class NotHere(BaseException):
    """Raised for what the small torch has not. No `except Exception` of an answer's hides it."""


LACKED: list[str] = []  # what was asked for since the list was last cleared


def not_here(what: str) -> NotHere:
    """Return the refusal of something that the real torch has, and note it."""
    LACKED.append(what)
    return NotHere(f"the page's small torch has no {what}: check this one in the notebook")


FUNCTIONS = "LACKED NotHere"
