"""What axe-core finds wrong with an article for readers who do not see or point as others do."""

from __future__ import annotations

import json

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

SERIOUS = ("serious", "critical")

# Findings in what other packages generate: rule -> part of the selector, and where it comes from.
KNOWN = {
    # The template of sphinxcontrib-bibtex 2.7.0 puts an anchor among a list's entries.
    "aria-required-children": ".citation-list",
    # myst-parser 3.0.1 writes the check box of a task list without a label.
    "label": ".task-list-item-checkbox",
}


def serious_findings(page: Page, *, contrast: bool) -> list[str]:
    """Return what axe finds serious or critical in the article, leaving out `KNOWN`.

    With `contrast`, only the rule on the contrast of text is checked; without it, all others.
    That rule looks at every word of a page and takes most of the time.
    """
    if page.locator("article.bd-article").count() == 0:
        return []
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(Axe().axe_script)
    # Without `preload: false`, axe would load style sheets again, from addresses it gets wrong.
    options: dict[str, object] = {"resultTypes": ["violations"], "preload": False}
    if contrast:
        options["runOnly"] = ["color-contrast"]
    else:
        options["rules"] = {"color-contrast": {"enabled": False}}
    found = page.evaluate(f"axe.run('article.bd-article', {json.dumps(options)})")
    return [
        f"{violation['id']}: {selector}"
        for violation in found["violations"]
        if violation["impact"] in SERIOUS
        for selector in (str(node["target"]) for node in violation["nodes"])
        if KNOWN.get(violation["id"], "none of them") not in selector
    ]
