"""Chapter 04: sparse autoencoders on toy models."""
