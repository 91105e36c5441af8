# Everything a person needs: `make run` opens the example project, `make test` says whether the program is sound.
# Each target does its own set-up in .venv; `make PYTHON=python3.12 …` chooses another interpreter.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
EXAMPLE := resources/examples/70b-chat.gpuplan
EXAMPLE_REPORT := build/plan/70b-chat.html

PIP_INSTALL := $(BIN)/python -m pip --disable-pip-version-check --quiet install
LOCKED := $(PIP_INSTALL) --only-binary :all: --require-hashes --requirement

# Stamps: the virtual environment, and the locks that were installed into it.
MADE := $(VENV)/.made
CAN_RUN := $(VENV)/.can-run
CAN_TEST := $(VENV)/.can-test
CAN_BUILD := $(VENV)/.can-build
CAN_FIT := $(VENV)/.can-fit

# What the program reads of each translation; made from its Linguist file.
TRANSLATED := $(patsubst %.ts,%.qm,$(wildcard resources/translations/*.ts))

.PHONY: run test test-deep lint format bench fidelity screenshots package fit-setup locks clean help
.DEFAULT_GOAL := help

help:
	@echo "make run          open the example project; without a display, write its plan under build/plan/"
	@echo "make test         lint, then all tests"
	@echo "make test-deep    a night of damaged files and killed saves, logs under build/deep/"
	@echo "make lint         ruff and mypy;  make format: let ruff rewrite"
	@echo "make bench        start, edit and sweep benchmarks"
	@echo "make fidelity     compare predictions with published measurements"
	@echo "make screenshots  pictures of every view under build/screenshots/, on sheets build/contact-sheet-*.png"
	@echo "make package      a one-folder build of this platform under build/package/, tried out"
	@echo "make fit-setup    what the scripts under tools/ need"
	@echo "make locks        renew packaging/locks/*.txt from packaging/locks/*.in"
	@echo "make clean        remove what make has made"

run: $(CAN_RUN) $(TRANSLATED)
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ] || [ "$$(uname)" = Darwin ]; then \
		exec $(BIN)/python -m gpuplanner_gui $(EXAMPLE); \
	else \
		mkdir -p $(dir $(EXAMPLE_REPORT)) && \
		exec $(BIN)/gpuplanner report $(EXAMPLE) -o $(EXAMPLE_REPORT) --plots $(dir $(EXAMPLE_REPORT)); \
	fi

# Lint first, so that pytest's closing line is the last.
test: lint $(TRANSLATED)
	@$(BIN)/python -m pytest --numprocesses auto --dist loadfile

# Each stops at nothing and writes its findings beside its log; the last line of each log counts them.
DEEP_READ ?= 1000000
DEEP_PLANS ?= 2000
DEEP_WINDOWS ?= 200
DEEP_KILLS ?= 1000
# Besides what is marked deep: tests that walk more files when they are asked to.
WALKS_OF_DEEP = tests/test_one_money.py tests/drawing/test_example_plots.py tests/test_every_input_counts.py \
	tests/desktop/test_one_verdict_on_pages.py tests/desktop/test_nothing_is_cut.py tests/cli/test_predict.py
test-deep: $(CAN_TEST) $(TRANSLATED)
	@status=0; \
	$(BIN)/python -m tests.fuzz.fuzz --parser project --count $(DEEP_READ) --log build/deep/read.log || status=1; \
	$(BIN)/python -m tests.fuzz.deep --count $(DEEP_PLANS) --log build/deep/plans.log || status=1; \
	$(BIN)/python -m tests.fuzz.window --count $(DEEP_WINDOWS) --log build/deep/window.log || status=1; \
	$(BIN)/python -m tests.durability.kill_saves --kills $(DEEP_KILLS) || status=1; \
	$(BIN)/python -m tests.durability.kill_recovery --kills $(DEEP_KILLS) || status=1; \
	$(BIN)/python -m tests.durability.kill_window --kills $(DEEP_KILLS) || status=1; \
	GPUPLANNER_BUILD_TWICE=1 $(BIN)/python -m pytest --quiet tests/packaging/test_bill.py || status=1; \
	$(BIN)/python -m tests.mutate --log build/deep/mutations.log || status=1; \
	GPUPLANNER_DEEP=1 $(BIN)/python -m pytest --quiet -m deep tests || status=1; \
	GPUPLANNER_DEEP=1 $(BIN)/python -m pytest --quiet -m "not deep" $(WALKS_OF_DEEP) || status=1; \
	exit $$status

lint: $(CAN_TEST)
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

format: $(CAN_TEST)
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(CAN_TEST) $(TRANSLATED)
	@for script in tests/benchmarks/bench_*.py; do $(BIN)/python $$script || exit 1; done

fidelity: $(CAN_TEST) $(CAN_FIT)
	@for report in kernels own_kernels local_fit inference load pools serving training publishers \
		"plan_path --left-out --wide" "plan_path --left-out --wide --users --rows-per-setup 8" regret "regret --plan"; \
		do $(BIN)/python -m tools.fidelity.$$report || exit 1; done

screenshots: $(CAN_TEST) $(TRANSLATED)
	@GPUPLANNER_DEEP=1 $(BIN)/python -m pytest --quiet tests/desktop/test_screenshots.py
	@$(BIN)/python tests/benchmarks/contact_sheet.py

package: $(CAN_BUILD) $(TRANSLATED)
	@$(BIN)/python packaging/build.py

fit-setup: $(CAN_FIT)

# Timings and pictures are made without a screen, so that they compare.
bench screenshots: export QT_QPA_PLATFORM := offscreen

$(MADE): packaging/prepare_machine.py packaging/debian-packages.csv
	@$(PYTHON) packaging/prepare_machine.py
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(CAN_RUN): $(MADE) packaging/locks/run.txt pyproject.toml
	@echo "Installing what the program needs …"
	@$(LOCKED) packaging/locks/run.txt
	@$(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@$(BIN)/python -m compileall -q gpuplanner_gui
	@touch $@

$(CAN_TEST): $(CAN_RUN) packaging/locks/test.txt
	@echo "Installing what lint and tests need …"
	@$(LOCKED) packaging/locks/test.txt
	@touch $@

$(CAN_BUILD): $(CAN_RUN) packaging/locks/build.txt
	@$(PYTHON) packaging/prepare_machine.py --frozen-build
	@echo "Installing what a frozen build needs …"
	@$(LOCKED) packaging/locks/build.txt
	@touch $@

$(CAN_FIT): $(CAN_RUN) packaging/locks/fit.txt
	@$(LOCKED) packaging/locks/fit.txt
	@touch $@

%.qm: %.ts | $(CAN_RUN)
	@$(BIN)/pyside6-lrelease -silent $< -qm $@

locks:
	@packaging/locks/renew

clean:
	rm -rf build dist $(TRANSLATED) $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find gpuplanner_gui tests tools packaging -name __pycache__ -type d -prune -exec rm -rf {} +
