"""What the script that answers exercises in the page says, in the language of the build."""

from bottomup.i18n import _


def for_script() -> dict[str, str]:
    """Return the words by the names that the script has for them."""
    return {
        # buttons
        "open": _("Answer here"),
        "check": _("Check"),
        "hint": _("Hint"),
        "reset": _("Reset"),
        "solution": _("Solution"),
        "tests": _("Our tests"),
        "stop": _("Stop"),
        "undo": _("Undo"),
        "again": _("Try again"),
        # before the first check
        "size": _("Runs in this page. The first check loads {size} MB; then no network is needed."),
        "serve": _(
            "To answer in the page, run {command} in the folder of this site and open {address}."
        ),
        # the editor
        "answer": _("Your answer"),
        "test": _("Your test"),
        "keys": _(
            "Tab indents. Escape, then Tab, leaves the editor. Control or Command with Enter "
            "checks."
        ),
        # while a check runs
        "waiting": _("Waiting for the check before this one"),
        "loading": _("Loading Python: {percent} %"),
        "starting": _("Starting Python"),
        "running": _("Checking"),
        # afterwards
        "printed": _("Printed"),
        "stopped": _("Stopped"),
        "silent": _(
            "There was no answer for {seconds} seconds, and the check was ended. Does every loop "
            "end?"
        ),
        "byReader": _("You stopped the check. Nothing was found out about your answer."),
        "failed": _("The check could not run: {reason}."),
        "noWorker": _("what it needs did not load"),
        "hintOf": _("Hint {number} of {count}"),
        "stubBack": _("The stub is back."),
        "writeBody": _("Write the body, then press Check."),
        "writeTest": _(
            "Write the test, then press Check: call the function that it gets, assert what must "
            "hold."
        ),
        "lacks": _("The page’s small torch has no {names}. Check this answer in the notebook."),
        "noModule": _("This page cannot import {names}. Check this answer in the notebook."),
        "solved": _("Solved"),
        "caught": _("Best test: {caught} mistakes caught"),
        "counted": _("{solved} of {count} exercises solved in this browser"),
        "smallTorch": _("Checked by the page’s small torch."),
    }
