"""What a plan's numbers say that a planner should know: findings with their evidence, a remedy, and what it saves.

`findings` weighs a plan from its tables, and with plans made again without each limit; `load_findings` needs the load
curve of the chosen candidate, `price_findings` today's date. Rules stand in one table in `rules`.
"""

from gpuplanner_gui.engine.advisor.evidence_rules import price_findings
from gpuplanner_gui.engine.advisor.rules import RULES, findings, sorted_findings
from gpuplanner_gui.engine.advisor.serving_rules import load_findings

__all__ = ["RULES", "findings", "load_findings", "price_findings", "sorted_findings"]
