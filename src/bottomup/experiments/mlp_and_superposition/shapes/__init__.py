"""Chapter 04: the shapes of a few equal features in two and three dimensions."""
