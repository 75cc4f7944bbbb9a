"""The notebook pipeline: execute chapters in place, digest what they depend on, check the result.

python -m tools.notebooks execute [01 02 chapters/03_….ipynb]
python -m tools.notebooks refresh [...]
python -m tools.notebooks digest  [...]
python -m tools.notebooks check   [...]
"""

import sys

# nbformat imports jsonschema, which would compile the grammar of addresses in two seconds, for a
# check that no notebook asks for; None stands for a module that is missing.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
