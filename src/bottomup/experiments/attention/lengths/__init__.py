"""Chapter 01: what a translator makes of sentences longer than those it was trained on."""
