"""Chapter 06: module and recipe, apart."""
