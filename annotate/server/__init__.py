"""The app's server: whose requests it answers, and what it answers beside Streamlit."""
