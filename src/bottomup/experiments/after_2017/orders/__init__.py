"""Chapter 10: XLNet predicts in any order, and what is gained by asking twice."""
