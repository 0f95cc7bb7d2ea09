"""The report of an audit: a module per part, each of which makes a section of a document from what the file holds."""
