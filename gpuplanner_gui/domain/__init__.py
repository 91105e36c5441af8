"""The planner's vocabulary: models, workloads, hardware, prices, scenarios, results. Imports nothing else of ours."""
