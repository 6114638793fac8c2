"""What zero-shot scores go with (Lauscher et al. 2020, section 3.3)."""
