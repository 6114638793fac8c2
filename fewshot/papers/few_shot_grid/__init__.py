"""Few-shot transfer by sampler, k and language (Lauscher et al. 2020, section 4, Tables 4 and 5, Figures 1 to 3)."""
