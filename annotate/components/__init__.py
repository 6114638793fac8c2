"""Parts of pages: editors (JavaScript, in editors/), the frame around pages, lists of jobs."""
