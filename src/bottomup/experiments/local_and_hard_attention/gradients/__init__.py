"""Chapter 01b: estimators of the gradient through a choice."""
