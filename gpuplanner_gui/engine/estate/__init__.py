"""Many workloads on shared hardware over the years: a mixed-integer program, its solution and an independent check."""
