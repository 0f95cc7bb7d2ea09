"""C++ programs taken apart with tree-sitter and run with counters in them; tree-sitter is imported when one is."""
