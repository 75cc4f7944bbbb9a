"""Chapter 07: strides beside the row."""
