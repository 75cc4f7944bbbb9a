"""Chapter 09: which part does what, in a network that repeats and in the translator."""
