"""Chapter 07: fixed attention whose heads read the same summaries, or each its own."""
