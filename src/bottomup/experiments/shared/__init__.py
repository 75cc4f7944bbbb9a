"""What the experiments of several chapters use: data, training and readings of translators."""
