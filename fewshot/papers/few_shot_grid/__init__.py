"""Few-shot transfer by sampler, k and language (Lauscher et al. 2020, section 4)."""
