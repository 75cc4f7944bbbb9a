"""Chapter 03: what the number of hops and Lin's penalty do to what is named."""
