"""Fit stacks to the published inference results and write the catalogue.

python -m tools.fit_inference
"""

from __future__ import annotations

import numpy as np

from tools.fit_inference.fit import bands_of, design_of, fitted_effects, left_out, memory_residuals, write_stacks
from tools.fit_inference.problem import inference_problem
from tools.fit_serving.tables import measured_cases
from tools.repository import shipped_context


def main() -> None:
    """Effects from all groups; bands from groups left out."""
    context = shipped_context()
    cases, _ = measured_cases("inference", context.catalog, context.calibration)
    problem = inference_problem(cases, context)
    design, usual = design_of(problem.traits, problem.is_of_samples), context.calibration.stacks.usual
    whole = fitted_effects(problem, design, usual, np.ones(len(problem.cases), bool))
    residuals = [row.residual for row in left_out(problem, design, usual)]
    write_stacks(design, whole, bands_of([*residuals, *memory_residuals(cases, context)]))
    size = np.abs(np.expm1([-one.log for one in residuals]))
    print(f"Fitted {len(cases)} results; median error of groups left out {np.median(size):.1%}.")


if __name__ == "__main__":
    main()
