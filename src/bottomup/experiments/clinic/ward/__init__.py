"""Chapter 11: the beds, whose diseases are sealed."""
