"""Zero-shot transfer: source scores and drops (Lauscher et al. 2020, section 3.2, Table 1)."""
