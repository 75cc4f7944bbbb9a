"""Chapter 10: what BERT and XLNet gain by what they read, and what they do not."""
