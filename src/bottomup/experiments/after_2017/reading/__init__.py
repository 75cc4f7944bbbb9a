"""Chapter 10: BERT reads both sides, and what that is good for."""
