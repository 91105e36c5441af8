"""`make fidelity`: separate pools on groups that the fit has not seen."""

from tools.fidelity.pools import main

if __name__ == "__main__":
    main()
