"""How the report looks, on a screen and on paper."""

STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.5 Inter, "Segoe UI", system-ui, sans-serif; font-variant-numeric: tabular-nums; color: #1C2126;
  background: #F5F6F7; margin: 0; }
main { max-width: 1040px; margin: 0 auto; padding: 32px 24px 64px; background: #FFFFFF; }
h1 { font-size: 26px; margin: 0 0 4px; } h2 { font-size: 20px; margin: 40px 0 8px; padding-top: 16px;
  border-top: 1px solid #D5DADF; } h3 { font-size: 16px; margin: 24px 0 8px; }
h4 { font-size: 13px; margin: 12px 0 4px; color: #5F6B76; } .verdict h4 { margin-top: 0; }
nav { columns: 3; font-size: 13px; margin: 16px 0; } nav ul { list-style: none; padding: 0; margin: 0; }
nav .level2 { font-weight: 600; } nav .level3 { padding-left: 12px; } a { color: #1F5FA8; text-decoration: none; }
pre { background: #F5F6F7; padding: 8px 12px; overflow-x: auto; font-size: 12px; line-height: 1.4; }
.strong { font-weight: 600; }
p { margin: 4px 0; } .quiet, .default { color: #5F6B76; } .default { font-size: 12px; }
.verdict { border-left: 4px solid #5F6B76; padding: 8px 16px; margin: 12px 0; background: #F5F6F7; }
.verdict.good { border-color: #1B7F4B; } .verdict.warning { border-color: #9A6700; }
.verdict.bad { border-color: #B3261E; }
figure { margin: 12px 0; } img { max-width: 100%; height: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13px; margin: 8px 0; }
th, td { text-align: left; padding: 4px 8px; border-bottom: 1px solid #E7EAED; vertical-align: top; }
th { color: #5F6B76; font-weight: 600; border-bottom-color: #D5DADF; }
.number { text-align: right; white-space: nowrap; }
ul.details { list-style: none; padding-left: 16px; margin: 2px 0; font-size: 13px; }
ul.details .field { color: #5F6B76; }
summary { cursor: pointer; font-weight: 600; margin: 8px 0; } code { font-size: 12px; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
@media print { nav { display: none; } .new-page { break-before: page; } .scroll { overflow: visible; }
  pre { white-space: pre-wrap; }
  body { background: #FFFFFF; } main { padding: 0; } figure, tr, .verdict { break-inside: avoid; }
  details > * { display: block; } }
"""
