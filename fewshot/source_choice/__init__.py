"""Which language to learn from: sources ranked for a target language without training on them."""
