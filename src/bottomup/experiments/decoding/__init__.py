"""Chapter 06: Multi30k."""
