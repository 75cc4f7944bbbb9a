"""Chapter 02b: what three precursors gain by attention inside one sentence."""
