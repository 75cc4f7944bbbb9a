"""Chapter 07: sparse Transformers on images and text."""
