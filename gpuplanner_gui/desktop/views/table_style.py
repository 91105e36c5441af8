"""What the tables share beside the style sheet."""

ROW_HEIGHT = 24
