"""Published serving and inference results predicted: closed loops, batches, full engines, pools, samples, memory."""
