"""Chapter 01: what a reversed sequence asks of attention."""
