"""The app's server: checks of requests, and routes besides Streamlit's."""
