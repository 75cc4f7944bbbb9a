"""What torch says of a call with an argument it does not know, or without one that it needs."""

import re
from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter, signature
from typing import Any

from smalltorch.arguments import bad_call
from smalltorch.names import known_names
from smalltorch.refusal import not_here

_UNEXPECTED = re.compile(r"got an unexpected keyword argument '(\w+)'")
_BY_PLACE = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


def told(
    function: Callable[..., Any], error: TypeError, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> BaseException:
    """Return what torch raises where Python could not call a function; another error as it is.

    An argument that torch has, and the function here has not, is refused by its name.
    """
    name = function.__name__
    found = _UNEXPECTED.search(str(error))
    unknown = found[1] if found and found[1] in kwargs else None
    if unknown:
        refuse_known(name, unknown)
    if ".nn" in function.__module__:  # what Python defines in torch too
        return error
    parameters = list(signature(function).parameters.values())[len(args) :]
    needed = [each for each in parameters if each.default is Parameter.empty]
    missing = [each.name for each in needed if each.kind in _BY_PLACE and each.name not in kwargs]
    if not unknown and not missing:
        return error
    if "*" in known_names().get(f"{name}()", ()):
        return bad_call(name, *args, **kwargs)
    if missing:
        plural = "" if len(missing) > 1 else "s"  # the wrong way round, as in torch
        listed = ", ".join(f'"{each}"' for each in missing)
        return TypeError(
            f"{name}() missing {len(missing)} required positional argument{plural}: {listed}"
        )
    return TypeError(f"{name}() got an unexpected keyword argument '{unknown}'")


def refuse_known(name: str, argument: str) -> None:
    """Refuse an argument that is not here if torch's function, or class, has it."""
    if argument in known_names().get(f"{name}()", ()):
        raise not_here(f"{name}({argument}=...)")
