"""Encoders that an analysis pretrains and probes: plan, scale, corpora, the papers' figures beside ours."""
