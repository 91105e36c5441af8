"""Translations of the program: the sentences that it says, their Qt Linguist files, and the compiled ones."""
