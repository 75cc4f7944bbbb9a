"""Chapter 01: a source turned round, for an encoder that reads in one direction."""
