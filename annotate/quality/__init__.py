"""Quality of annotation: agreement, gold, adjudication, comments and consistency."""
