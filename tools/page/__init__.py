"""Answers in the page: what the site needs to check an exercise without an installation.

`build` packs the course's engine, its exercises and the page's small torch for CPython in
WebAssembly (Pyodide). `agree` and `mutants` compare what is said there with what torch says.
"""
