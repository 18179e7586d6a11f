"""Search over the memory: words, meaning, and both fused. Seams for embedders and stores are in this package."""
