"""Pages of the app: what is shown. What is decided stands beside, in `annotate`, without Streamlit."""
