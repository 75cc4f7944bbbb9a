"""Chapter 10: what a memory of the segment before is worth."""
