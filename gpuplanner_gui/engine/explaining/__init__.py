"""Why a number is what it is: formulas registered with their inputs, and candidates replayed through them."""
