"""Constants that everybody shares: lengths of time as money and notes count them, and the quantile of bands."""

from __future__ import annotations

SECONDS_PER_HOUR = 3600.0
SECONDS_PER_DAY = 86_400.0
HOURS_PER_DAY = 24
DAYS_PER_YEAR = 365
HOURS_PER_YEAR = HOURS_PER_DAY * DAYS_PER_YEAR
MONTHS_PER_YEAR = 12
HOURS_PER_MONTH = HOURS_PER_YEAR // MONTHS_PER_YEAR

Z_80 = 1.2815515655446004
"""Half the width of an 80 % band in standard deviations: the standard normal quantile at 0.9."""
