"""Chapter 02: self-attention."""
