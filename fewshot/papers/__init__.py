"""What it takes to repeat the analyses of the papers: a file a study, a folder (`study`, `page`) for a long one."""
