"""Chapter 08: the same after more steps."""
