"""Chapter 07: what is exact about sparse attention."""
