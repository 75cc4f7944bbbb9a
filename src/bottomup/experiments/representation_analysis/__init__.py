"""Chapter 08: what the layers hold."""
