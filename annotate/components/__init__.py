"""Editors in the browser: JavaScript modules and what registers them."""
