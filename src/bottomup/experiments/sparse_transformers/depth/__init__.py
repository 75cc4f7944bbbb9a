"""Chapter 07: deep stacks, trained from a scaled and from an unscaled start."""
