"""Chapter 01: translation with attention."""
