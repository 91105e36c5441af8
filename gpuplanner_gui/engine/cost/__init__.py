"""Money: what devices cost to own or to rent, what a unit of work costs, and which mix or fleet is cheapest.

Amounts are in US dollars, per device where nothing else is said; all arguments broadcast. Prices, rates and shares are
numbers that the caller brings: none of them stands in this package.
"""
