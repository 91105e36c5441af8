"""By how much the closed form of load usually differs from its simulation."""

from __future__ import annotations

SHORT_PROMPT_TOKENS = 1000.0
"""Mean prompt up to which the mean-field step time has been seen within `SHORT_ITL_BAND` of a simulation."""

SHORT_ITL_BAND = (-0.033, 0.025)
LONG_ITL_BAND = (-0.14, 0.0)
"""Closed form over simulation less 1, mean ITL at 0.3–0.75 of the capacity; long: prompts of 4,000–8,000 tokens."""

LIGHT_PREFILL_UTILISATION = 0.6
LIGHT_TTFT_BAND = (-0.10, 0.04)
HEAVY_TTFT_BAND = (0.0, 0.63)
"""The same for mean TTFT, below and above a prefill utilisation of 0.6."""

RUN_ERROR = 0.05
"""Relative error of a simulated mean TTFT with 2,000 requests; widens every band."""
