"""tools/mutate: small faults in our own sources, and whether the tests notice them."""
