"""Chapter 10: reading both sides, remembering a segment, predicting in any order."""
