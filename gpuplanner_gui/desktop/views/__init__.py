"""What a plan looks like: pages of plots, the table of candidates, the catalogue browser, the explanation of a number.

A view draws what it is given and says what the planner wants; it reaches into no store and computes nothing.
Import views from their modules (each imports pyqtgraph when it is first built, so the window can be on screen before):

==================  ============================  ==========================================================
module              widget                        what it shows
==================  ============================  ==========================================================
`verdict`           `VerdictBar`                  the answer in two lines, and the state of the calculation
`overview`          `OverviewPage`                four plots: load, roofline, memory, cost (or the training ones)
`memory`            `MemoryPage`                  memory per device, and what it would hold: batch, context, model
`roofline`          `RooflinePage`                operations of each phase under the ceilings, shares of time, crossover
`load`              `LoadPage`                    latency against load: first token, each token, whole request
`training`          `TrainingPage`                step time, run time against devices
`cost`              `CostPage`                    cost of the best candidates, what it pays for, rent or buy
`findings`          `FindingsPage`                what the planner should know, with remedies that can be applied
`side_by_side`      `SideBySidePage`              one fleet or two: strategies, timeline, what is paid for and used
`uncertainty`       `UncertaintyPage`             probabilities, bands, what moves a result, rivals
`compare`           `ComparePage`                 scenarios beside each other, ranked by the planner's weights
`phases`            `PhasesPage`                  two accelerators in training, prefill and decoding, published pairs
`calibrate`         `CalibratePage`               own measurements: sets, cases before and after, what to measure next
`candidates`        `CandidatesView`              ranked candidates with reasons; tabs if both workloads exist
`explain_panel`     `ExplainPanel`                why a number is what it is, down to its sources
`catalog_browser`   `CatalogBrowser`              accelerators, nodes, links, offers, models with their sources
==================  ============================  ==========================================================

Every view of results (all but `CatalogBrowser` and `ExplainPanel`) derives from `result_view.ResultView`, a QWidget:

- `set_state(state, message="")`: `context.PlanState`: EMPTY (nothing to show, `message` says what to do), COMPUTING
  (an old result stays), OUTDATED (dimmed), FAILED (`message` says why; an old result stays dimmed), CURRENT.
- `show_results(context)`: a `context.Context`; sets the state to CURRENT. A hidden view draws when it becomes visible.
- `candidate_selected(str workload, int index)`: a candidate was picked; `index` counts in the plan's table, whatever
  the order on screen; `workload` is "serving" or "training".
- `scenario_selected(str name)`: a curve or bar of another scenario was clicked.
- `value_edited(str path, object value)`: a value of the scenario was dragged or typed;
  `path` as in `domain.field.Problem`, from the scenario down: `serving.classes[0].slos[0].limit_s`.
- `explain_requested(str workload, int candidate, str quantity)`: `quantity` is a column of the table.
- `page_title()`: what to write on the view's tab.

`context.Context(project, scenario, plan, catalog, selected, load_curve, rooflines, rivals)` is frozen; `selected` maps
"serving" / "training" to an index of the plan's table (absent or -1: the best one), `rooflines` maps the same
words to a `Roofline` (both optional: views say that they wait for them), `rivals` to others that are shown beside it,
`load_curve` is a `LoadCurve` or None.
Stages arrive one after another: call `show_results` again with a fuller context (`dataclasses.replace`).

`ExplainPanel.show_explanation(value: ExplainedValue)`, `.show_message(text)`;

`CatalogBrowser.show_catalog(catalog)`; signals `use_only_requested(str accelerator_id)`, `model_chosen(str model_id)`.

Themes: views take light or dark from their QPalette and follow its changes. `drawing.palette` holds the colours.
"""
