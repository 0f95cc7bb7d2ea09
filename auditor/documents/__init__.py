"""A document as values, its plots, and the writers that lay both out: HTML, Markdown, LaTeX, SVG, characters."""
