import sys

from tools.notebooks.paths import ROOT

sys.path.insert(0, str(ROOT / "book" / "_ext"))  # where the book's own directives live
