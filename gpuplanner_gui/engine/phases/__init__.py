"""What a change of accelerator gains in each phase of a model's life: training, prefill, decoding at a batch."""
