"""Chapter 05: sequences longer than any that was trained."""
