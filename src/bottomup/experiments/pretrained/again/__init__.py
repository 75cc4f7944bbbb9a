"""Asked after the first record: people whom everybody knows, and another mean."""
