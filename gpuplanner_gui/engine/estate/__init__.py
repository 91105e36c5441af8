"""Many workloads on shared hardware over the years: the mixed-integer program, its solution and an independent check."""
