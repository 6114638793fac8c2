"""Search in the annotations of a project, and bulk changes of what was found."""
