"""Chapter 04: absolute values of more features than there are neurons to compute them."""
