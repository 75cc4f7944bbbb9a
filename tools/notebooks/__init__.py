"""The notebook pipeline: execute chapters in place, digest what they depend on, check the result.

python -m tools.notebooks execute [01 02 chapters/03_….ipynb]
python -m tools.notebooks refresh [...]
python -m tools.notebooks check   [...]
"""
