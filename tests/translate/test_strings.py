"""Every message in Python code is found, in the order in which it stands."""

from tools.translate import strings

CODE = '''
"""_("in a docstring")"""
one = _("one")
two = f"<p>{_('two')}</p> {x} {_('three')}"
three = f"{len([_('four')])}", _(
    "five, on "
    "two lines"
).format(_("six"))
_(name), _(), other("seven"), obj._("eight")
# _("nine")
'''


def test_messages_within_strings_are_found_too():
    found = ["one", "two", "three", "four", "five, on two lines", "six"]
    assert strings.marked(CODE) == found


def test_what_a_formatted_string_says_is_a_message():
    found = {message for message, _ in strings._in_code()}
    assert {"Solution", "Run this exercise:"} <= found
    assert "(Jupyter draws it in a notebook that is trusted.)" in found
