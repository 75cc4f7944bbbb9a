"""Chapter 06: caches, searches and BLEU."""
