"""Parts of pages: the editors in the browser (JavaScript, in editors/), the frame around pages, lists of jobs."""
