"""Chapter 04: how features move between fractions of a dimension in training."""
