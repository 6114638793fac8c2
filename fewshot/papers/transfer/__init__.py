"""What zero-shot scores go with, and what they will be elsewhere (Lauscher et al. 2020, 3.3 and appendix A)."""
