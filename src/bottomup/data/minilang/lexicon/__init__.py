"""The words, and how they are used."""
