"""Plots, pages and words: results turned into pictures, reports and sentences, with or without a window."""
