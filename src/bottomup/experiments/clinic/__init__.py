"""Chapter 11: Transformers that train and are ill, and the readings that tell of what."""
