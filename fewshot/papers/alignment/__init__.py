"""Alignment of translations and transfer (Muller et al. 2021, sections 2.2, 4.2, 4.3, A.2)."""
