"""Pages of the app, which only draw; the other folders of `annotate` decide."""
