"""Background work: one `TaskRunner` for every thread, and what is computed on each."""
