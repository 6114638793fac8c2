"""What lies on an annotator's desk: examples as JSON, what editors are told, validation, guidelines."""
