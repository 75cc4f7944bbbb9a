"""Chapter 01: translation by length after four times the training."""
