"""Benchmarks of the package against its peers; not installed with it."""
