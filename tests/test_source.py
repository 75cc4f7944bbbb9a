import functools
import textwrap

import pytest

from bottomup import masks
from bottomup.source import show_source


def twice(function):
    @functools.wraps(function)
    def call(*args):
        return 2 * function(*args)

    return call


@twice
def documented(x):
    """Return x.

    With an example.
    """
    # A reason.
    y = x + 1  # [batch]

    return y


class Module:
    """A class."""

    size: int = 1

    def forward(self, x):
        """Return x."""

        return x

    def not_yet(self):
        """Say why."""


def shown(text: str) -> str:
    return textwrap.dedent(text).strip("\n")


def test_a_docstring_is_left_out_and_comments_and_decorators_stay():
    expected = """
        @twice
        def documented(x):
            # A reason.
            y = x + 1  # [batch]

            return y
        """
    source = show_source(documented)
    assert source.code == repr(source) == shown(expected)
    assert source._repr_markdown_() == f"```python\n{source.code}\n```"


def test_a_class_is_shown_with_its_methods_and_a_method_by_itself():
    expected = '''
        class Module:
            size: int = 1

            def forward(self, x):
                return x

            def not_yet(self):
                """Say why."""
        '''
    assert show_source(Module).code == shown(expected)
    assert show_source(Module.forward).code == "def forward(self, x):\n    return x"


def test_a_checked_function_is_shown_and_not_what_checks_it():
    code = show_source(masks.masked_softmax).code
    assert code.startswith("@checked\n@in_float32\ndef masked_softmax(")
    assert "return" in code and '"""' not in code


@pytest.mark.parametrize("value", [3, len, "masked_softmax"])
def test_what_has_no_source_is_refused(value):
    with pytest.raises(TypeError):
        show_source(value)
