"""Fits everything again, in the order that the parts need one another."""

from __future__ import annotations

from tools.fit_kernels import catalogue, collectives, elementwise, fit, transfer
from tools.fit_kernels.operations import OPERATIONS
from tools.fit_kernels.special_operations import MODULE_OPERATIONS


def main() -> None:
    blocks = [operation.output for operation in MODULE_OPERATIONS]
    fit.main([operation.name for operation in OPERATIONS if not operation.output])
    elementwise.main()
    collectives.main()
    catalogue.main()
    fit.main(blocks)
    catalogue.main()
    transfer.main()
    catalogue.main()


if __name__ == "__main__":
    main()
