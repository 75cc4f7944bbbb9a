"""Chapter 03: heads, hops and pruning."""
