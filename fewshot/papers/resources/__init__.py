"""Whether an encoder pays in a language that it has seen little of (Wu & Dredze 2020, sections 4 and 5.1)."""
