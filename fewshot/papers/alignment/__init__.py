"""Do encoders align translations, and does transfer follow? (Muller et al. 2021, sections 2.2, 4.2, 4.3, A.2)."""
