"""Chapter 08: the same under other settings."""
