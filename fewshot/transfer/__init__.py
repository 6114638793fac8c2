"""Zero-shot transfer: scores on other languages, and predicted scores (Lauscher et al. 2020)."""
