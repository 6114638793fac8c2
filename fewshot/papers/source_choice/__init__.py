"""Which language to learn from: sources ranked for a target language, and how well that works."""
