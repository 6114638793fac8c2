"""Zero-shot transfer: source models scored on other languages, and predictions of scores (Lauscher et al. 2020)."""
