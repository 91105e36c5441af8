"""What the tables share: height of a row, and quiet headings as wide of the edge as the cells are."""

ROW_HEIGHT = 24
HEADER_STYLE = """
QHeaderView::section {
    padding: 3px 7px; border: 0; border-bottom: 1px solid palette(mid); background: palette(base); color: palette(text);
}
"""
