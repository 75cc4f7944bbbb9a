"""Chapter 10b: how far each way to tell positions carries beyond the trained length."""
