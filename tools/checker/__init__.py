"""The rules of tools/check. Each module has RULES: name -> function from a Tree to its findings."""
