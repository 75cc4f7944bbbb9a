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


# Marks some visible texts of each kind, besides those that are marked already, and returns how many
# are: axe looks at each text of a page in turn, and thousands have one colour on one background.
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
    if (element.shadowRoot) element.setAttribute("data-text-of-a-kind", "");  // all of a figure
    const text = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    if (!text || !element.checkVisibility({ visibilityProperty: true })) continue;
    const name = kind(element);
    seen.set(name, (seen.get(name) ?? 0) + 1);
    if (seen.get(name) <= OF_A_KIND) element.setAttribute("data-text-of-a-kind", "");
  }
  return document.querySelectorAll("[data-text-of-a-kind]").length;
}"""
UNMARK_TEXTS = """() => document.querySelectorAll("[data-text-of-a-kind]")
  .forEach(element => element.removeAttribute("data-text-of-a-kind"))"""

# Words of code that are not marked lose their colour, which is all that a rule could say of them:
# half of a chapter's elements are such words, and axe finds out of each where it lies.
JOIN_CODE = """() => {
  for (const word of document.querySelectorAll("pre span:not([data-text-of-a-kind])"))
    if (word.childElementCount === 0 && word.getAttributeNames().join() === "class")
      word.replaceWith(word.textContent);
}"""

# The rule on contrast looks at the marked texts, and at what lies in them, alone.
MARKED = "[data-text-of-a-kind]"
LOOK_AT_MARKED = f"""axe.configure({{
  rules: [{{ id: "color-contrast", selector: "{MARKED}, {MARKED} *" }}]
}})"""


def serious_findings(page: Page, *, contrast: bool) -> list[str]:
    """Return what axe finds serious or critical in the article, leaving out `KNOWN`.

    With `contrast`, only the rule on the contrast of text is checked, on three texts of each kind;
    without it, all others.
    """
    if page.locator("article.bd-article").count() == 0:
        return []
    if not contrast:
        return _run(page, {"rules": {"color-contrast": {"enabled": False}}})
    page.evaluate(UNMARK_TEXTS)
    return _run(page, CONTRAST) if page.evaluate(MARK_TEXTS) else []


def findings_in_both_modes(page: Page) -> dict[str, list[str]]:
    """Return what `serious_findings` does, with contrast in light and in dark and without it.

    It takes half the time, and changes the code that the page shows.
    """
    if page.locator("article.bd-article").count() == 0:
        return {}
    page.evaluate(UNMARK_TEXTS)
    for mode in ("dark", "light"):
        set_mode(page, mode)
        page.evaluate(MARK_TEXTS)
    page.evaluate(JOIN_CODE)
    found = _run(page, {})
    light = [each for each in found if each.startswith("color-contrast:")]
    set_mode(page, "dark")
    dark = _run(page, CONTRAST)
    return {"any mode": [each for each in found if each not in light], "light": light, "dark": dark}


def set_mode(page: Page, mode: str) -> None:
    """Switch the theme between light and dark as its button does."""
    page.evaluate("mode => { document.documentElement.dataset.theme = mode }", mode)


CONTRAST = {"runOnly": ["color-contrast"]}


def _run(page: Page, options: dict[str, object]) -> list[str]:
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(Axe().axe_script)
        page.evaluate(LOOK_AT_MARKED)
    # Without `preload: false`, axe would load style sheets again, from addresses it gets wrong.
    options = {"resultTypes": ["violations"], "preload": False, **options}
    found = page.evaluate(f"axe.run('article.bd-article', {json.dumps(options)})")
    return [
        f"{violation['id']}: {selector}"
        for violation in found["violations"]
        if violation["impact"] in SERIOUS
        for selector in (str(node["target"]) for node in violation["nodes"])
        if KNOWN.get(violation["id"], "none of them") not in selector
    ]
