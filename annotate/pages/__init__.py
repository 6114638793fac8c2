"""Pages of the app. They only draw; decisions are made in the other folders of `annotate`, without Streamlit."""
