"""Chapter 08: the same on captions of photographs, with a translator."""
