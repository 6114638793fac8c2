"""What several formats need: blocks of lines, XML, layouts of JSON, parts of a file, glosses."""
