"""Chapter 01b: which words the scores and spans read."""
