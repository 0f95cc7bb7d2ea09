"""CoRE: problems with equivalent implementations, tests and probes: material, prompts and the builder."""
