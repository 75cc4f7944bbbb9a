"""Chapter 05: the encoder-decoder."""
