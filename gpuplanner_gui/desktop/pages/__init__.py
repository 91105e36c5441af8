"""What a plan looks like: pages of plots, the table of candidates, the catalogue browser, the explanation of a number.

A view draws what it is given and says what the planner wants; it reaches into no store and computes nothing.
`place_bar` lists the pages; each module imports pyqtgraph when its page is first built, so that the window can be
on screen before. Every view of results derives from `result_view.ResultView`, whose signals say what may be asked:

- `set_state(state, message)`: empty (`message` says what to do), computing (an old result stays), outdated (dimmed),
  failed (`message` says why), current.
- `show_results(results)`: draws now, or when the view becomes visible. Stages arrive one after another: it is called
  again with fuller results.
- Signals that carry a candidate: its workload, "serving" or "training", and its index in the plan's table, whatever
  the order on screen. Paths of values are as in `domain.field.Problem`: `serving.classes[0].slos[0].limit_s`.

Views take light or dark from their QPalette and follow its changes. `drawing.palette` holds the colours.
"""
