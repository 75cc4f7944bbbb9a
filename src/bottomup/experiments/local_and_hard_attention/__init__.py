"""Chapter 01b: scores, spans, feeding, hard attention."""
