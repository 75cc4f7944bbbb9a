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


# Marks some visible texts of each kind, and returns how many: axe looks at each text of a page in
# turn, and thousands have one colour on one background.
MARK_TEXTS = """() => {
  const OF_A_KIND = 3;
  const seen = new Map();
  const kind = element => {
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(element);
    const behind = [];
    for (let each = element; each; each = each.parentElement) {
      const { backgroundColor, backgroundImage, opacity } = getComputedStyle(each);
      behind.push(backgroundColor, backgroundImage, opacity);
    }
    const seenThrough = ["rgba(0, 0, 0, 0)", "none", "1"];
    const shown = behind.filter(value => !seenThrough.includes(value));
    return [element.tagName, color, fontSize, fontWeight, textShadow, ...shown].join(" ");
  };
  for (const element of document.querySelectorAll("article.bd-article, article.bd-article *")) {
    element.toggleAttribute("data-text-of-a-kind", element.shadowRoot !== null);  // all of a figure
    const text = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    if (!text || !element.checkVisibility({ visibilityProperty: true })) continue;
    const name = kind(element);
    seen.set(name, (seen.get(name) ?? 0) + 1);
    if (seen.get(name) <= OF_A_KIND) element.setAttribute("data-text-of-a-kind", "");
  }
  return document.querySelectorAll("[data-text-of-a-kind]").length;
}"""


def serious_findings(page: Page, *, contrast: bool) -> list[str]:
    """Return what axe finds serious or critical in the article, leaving out `KNOWN`.

    With `contrast`, only the rule on the contrast of text is checked, on three texts of each kind;
    without it, all others.
    """
    if page.locator("article.bd-article").count() == 0:
        return []
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(Axe().axe_script)
    # Without `preload: false`, axe would load style sheets again, from addresses it gets wrong.
    options: dict[str, object] = {"resultTypes": ["violations"], "preload": False}
    where = "article.bd-article"
    if contrast:
        options["runOnly"] = ["color-contrast"]
        where = "[data-text-of-a-kind]"
        if page.evaluate(MARK_TEXTS) == 0:
            return []
    else:
        options["rules"] = {"color-contrast": {"enabled": False}}
    found = page.evaluate(f"axe.run('{where}', {json.dumps(options)})")
    return [
        f"{violation['id']}: {selector}"
        for violation in found["violations"]
        if violation["impact"] in SERIOUS
        for selector in (str(node["target"]) for node in violation["nodes"])
        if KNOWN.get(violation["id"], "none of them") not in selector
    ]
