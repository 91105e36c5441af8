"""How many replicas: for the peak, failures and a day; cold starts, readiness, the cheapest that meets targets."""
