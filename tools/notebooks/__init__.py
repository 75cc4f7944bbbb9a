"""The notebook pipeline: execute chapters in place, show again what needs no run, check the result.

python -m tools.notebooks execute [01 02 chapters/03_….ipynb]
python -m tools.notebooks refresh [...]
python -m tools.notebooks check   [...]
"""
