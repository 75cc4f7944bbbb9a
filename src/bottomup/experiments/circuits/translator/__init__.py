"""Chapter 09: patching the translator."""
