"""What a model consists of: parameters, operations of a pass, bytes of weights and cache, number formats."""
