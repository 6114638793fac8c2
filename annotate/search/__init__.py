"""What a project's people have annotated, looked through and changed in many places at once."""
