"""Chapter 08: what a word's nearest copies share of their context."""
