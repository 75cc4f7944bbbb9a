"""Run with ``python -m bottomup.experiments``."""

from bottomup.experiments.engine.command import main

if __name__ == "__main__":
    raise SystemExit(main())
