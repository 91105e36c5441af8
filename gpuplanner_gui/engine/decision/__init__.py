"""The decision itself: one fleet or two, rent or buy, how sure, and which scenario, from plans of real candidates."""
