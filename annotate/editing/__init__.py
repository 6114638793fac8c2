"""What an annotator edits: examples as JSON, what editors are told, validation, guidelines."""
