# Everything happens in .venv, which the first target that needs it makes. People, hooks and CI call the same targets.
PYTHON ?= python3
SCRIPTS := $(if $(filter Windows_NT,$(OS)),Scripts,bin)
BIN := .venv/$(SCRIPTS)
PY := $(BIN)/python
export PIP_DISABLE_PIP_VERSION_CHECK := 1

RUST := $(shell find src -name '*.rs') Cargo.toml
SOURCES := $(RUST) $(shell find python -name "*.py*" -not -path "*/__pycache__/*") pyproject.toml python/README.md

# Seconds for each target of coverage-guided fuzzing, and the targets.
FUZZ_SECONDS ?= 1200
FUZZ_RUST ?= constructors gram
FUZZ_FLAGS ?=
FUZZ_READERS ?= preflib csv npy
# Flags of the compiler that are not stable yet, on the stable toolchain.
UNSTABLE := RUSTC_BOOTSTRAP=1

.PHONY: help demo test test-rust test-python test-wheel test-oldest test-rust-version test-portable test-arm test-wasm test-threads wheel-release sdist test-release test-sdist publish-check release-check rust-targets fuzz fuzz-rust fuzz-readers faults asan valgrind lint format bench bench-profiles docs wheel install hooks clean

help: ## this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 19

demo: install ## the paper's experiment on simulated people, few times: a table and a report
	rm -rf build/reproduction
	$(BIN)/wkendall reproduce --repeats 15 --out build/reproduction

# The tests of the crate and of the package keep one core busy each.
test: lint ## all tests and lints
	$(MAKE) -j2 --output-sync=line test-rust test-python
	$(MAKE) test-wheel

test-rust: ## the crate, its doc tests and the Rust code of the README
	cargo test

test-python: install ## the package, with the extension module from the wheel
	$(PY) -m pytest

# Random cases for each property, and pairs of rankings for the bounds of normalized kernels.
EXAMPLES ?= 3000
CASES ?= 10000000

fuzz: install ## long runs of the property tests: EXAMPLES=3000 new cases for each property, CASES=10000000 normalized values
	WKENDALL_EXAMPLES=$(EXAMPLES) cargo test --test properties -- --nocapture
	WKENDALL_CASES=$(CASES) WKENDALL_SEED=$$$$ cargo test --test normalized -- --nocapture
	WKENDALL_EXAMPLES=$(EXAMPLES) $(PY) -m pytest -q tests/kernels/test_properties.py

test-wheel: wheel ## the README's first example and the command line with nothing installed but the wheel and what it depends on
	rm -rf build/fresh && $(PYTHON) -m venv build/fresh
	build/fresh/$(SCRIPTS)/python -m pip install -q dist/*.whl
	cd build && fresh/$(SCRIPTS)/python ../tests/first_example.py
	build/fresh/$(SCRIPTS)/wkendall info

# Old libraries warn of what newer ones have changed, and old scikit-learn takes sorted graphs for unsorted ones.
test-oldest: wheel ## the package with the oldest libraries that pyproject.toml allows; PYTHON=python3.11 for the oldest Python
	rm -rf build/oldest && $(PYTHON) -m venv build/oldest
	build/oldest/$(SCRIPTS)/python -m pip install -q "pip>=25.1" packaging
	build/oldest/$(SCRIPTS)/python tests/helpers/releases.py bounds test > build/oldest/bounds.txt
	build/oldest/$(SCRIPTS)/python -m pip install -q -c build/oldest/bounds.txt --find-links dist --group test
	build/oldest/$(SCRIPTS)/python -m pip install -q --force-reinstall --no-deps dist/*.whl # not one of the index
	build/oldest/$(SCRIPTS)/python -m pytest -W ignore::DeprecationWarning -W ignore::sklearn.exceptions.EfficiencyWarning

test-rust-version: ## the crate and the extension module compile with the oldest supported Rust, which rustup installs
	rustup toolchain install $(RUST_VERSION) --profile minimal
	cargo +$(RUST_VERSION) check --locked --all-targets --features python --target-dir target/oldest

test-portable: ## the tests of the crate without vector instructions, as on other processors
	RUSTFLAGS="--cfg wkendall_portable" cargo test --lib --tests --target-dir target/portable

# The tests of the crate and of the core of the package.
ARM_TESTS ?= rust python

test-arm: .venv/builder ## the tests on Arm: directly on an Arm machine, elsewhere under qemu: the crate and the core of the package
	$(PYTHON) tests/arm/run.py $(ARM_TESTS)

test-wasm: ## the crate as WebAssembly, without threads and clock, under node; skipped where node or the target is missing
	$(PYTHON) tests/wasm/run.py

test-threads: wheel ## everything from eight threads at once; with PYTHON=python3.14t the interpreter lock must stay off
	rm -rf build/threads && $(PYTHON) -m venv build/threads
	build/threads/$(SCRIPTS)/python -m pip install -q dist/*.whl pytest pytest-timeout
	build/threads/$(SCRIPTS)/python -m pytest tests/package/test_threads.py

# Wheels for the package index. Zig links against old C libraries; macOS and Windows have their own linkers: ZIG= there.
# Names of functions of the newer kind put similar ones side by side, so that they compress better.
RELEASE := build/release
TARGET ?= $(shell rustc -vV | sed -n 's/^host: //p')
COMPATIBILITY ?= manylinux2014
INTERPRETER ?= $(PYTHON)
ZIG ?= --zig
RUST_VERSION := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)

wheel-release: .venv/builder ## the wheel for the package index, in build/release: TARGET, COMPATIBILITY, INTERPRETER, ZIG
	$(PY) -m pip install -q --group release
	PATH="$(abspath $(BIN)):$$PATH" RUSTFLAGS="-Csymbol-mangling-version=v0" $(BIN)/maturin build --release --locked $(ZIG) --target $(TARGET) \
	--target-dir target/release-wheels --compatibility $(COMPATIBILITY) --compression-level 9 --interpreter $(INTERPRETER) --out $(RELEASE)
	$(PY) tests/helpers/releases.py wheels $(RELEASE)

rust-targets: ## what wheel-release needs to compile for TARGET
	rustup target add $(if $(filter universal2%,$(TARGET)),x86_64-apple-darwin aarch64-apple-darwin,$(TARGET))

sdist: .venv/builder ## the source distribution, in build/release
	$(BIN)/maturin sdist --out $(RELEASE)

publish-check: sdist ## what the package indexes check: metadata, the page of the package, the crate
	$(PY) -m pip install -q --group publish
	$(BIN)/twine check --strict $(RELEASE)/*
	cargo publish --dry-run --locked --allow-dirty

release-check: publish-check ## the version is that of TAG, and the changelog and the citation know it
	$(PY) tests/helpers/releases.py version $(TAG)

test-release: ## all tests of the package with the wheel of build/release that fits this machine
	rm -rf build/fresh && $(PYTHON) -m venv build/fresh
	build/fresh/$(SCRIPTS)/python -m pip install -q "pip>=25.1"
	build/fresh/$(SCRIPTS)/python -m pip install -q --no-index --find-links $(RELEASE) --only-binary wkendall --no-deps wkendall
	build/fresh/$(SCRIPTS)/python -m pip install -q --group test
	build/fresh/$(SCRIPTS)/python -m pytest

test-sdist: ## all tests of the package with a wheel made from the source distribution of build/release
	rm -rf build/fresh && $(PYTHON) -m venv build/fresh
	build/fresh/$(SCRIPTS)/python -m pip install -q "pip>=25.1"
	build/fresh/$(SCRIPTS)/python -m pip install -q --no-deps $(RELEASE)/*.tar.gz
	build/fresh/$(SCRIPTS)/python -m pip install -q --group test
	build/fresh/$(SCRIPTS)/python -m pytest

faults: install ## signals, full disks and kill -9 at hundreds of moments; takes half an hour
	WKENDALL_FAULTS=long $(PY) -m pytest tests/cli/test_signals.py tests/cli/test_faults.py tests/kernels/test_resume.py

# What is found new is kept in build/fuzz, what fails in fuzz/artifacts or, for the readers, in build/fuzz.
fuzz-rust: ## coverage-guided fuzzing of constructors and Gram matrices, FUZZ_SECONDS for each target of FUZZ_RUST
	command -v cargo-fuzz || cargo install --locked cargo-fuzz
	set -e; for target in $(FUZZ_RUST); do mkdir -p build/fuzz/$$target; \
	$(UNSTABLE) cargo fuzz run $(FUZZ_FLAGS) --fuzz-dir fuzz --target-dir target/fuzz $$target build/fuzz/$$target fuzz/corpus/$$target \
	-- -max_total_time=$(FUZZ_SECONDS) -max_len=512 -timeout=20; done

fuzz-readers: install ## the same of PrefLib, CSV and NumPy files, for each target of FUZZ_READERS
	$(PY) -m pip install -q --group fuzz
	set -e; for target in $(FUZZ_READERS); do mkdir -p build/fuzz/$$target; \
	$(PY) fuzz/python/fuzz_$$target.py build/fuzz/$$target fuzz/corpus/$$target -artifact_prefix=build/fuzz/$$target- \
	-max_total_time=$(FUZZ_SECONDS) -max_len=4096 -timeout=60; done

# With a target named, what builds the build is not instrumented. A test asks for more memory than there is. Not each allocation
# fails in turn, but every eighth: the tests of memory would take an hour.
asan: ## the tests of the crate with AddressSanitizer
	ASAN_OPTIONS=allocator_may_return_null=1 WKENDALL_FAULT_STEP=8 $(UNSTABLE) RUSTFLAGS=-Zsanitizer=address cargo test --lib --tests \
	--target $$(rustc -vV | sed -n 's/^host: //p') --target-dir target/asan

# Valgrind says that its CPU has no AVX-512, so that AVX2 is the widest that is used. The tests left out take half an hour.
valgrind: ## the tests of the crate with small sizes under valgrind: AVX2 and portable instructions
	cargo --config "target.'cfg(all())'.runner = 'valgrind --quiet --error-exitcode=9'" test \
	--test levels --test rankings --test incomplete --test kernels --test order \
	-- --nocapture --skip a_million_items --skip random_n_up_to_300 --skip named_weights_on_every

lint: install ## ruff, rustfmt, clippy, mypy, stubtest; warnings are errors
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	cargo fmt --check
	cargo clippy --all-targets -- -D warnings
	cargo clippy --all-targets --features python -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --quiet
	$(BIN)/mypy
	$(PY) -m mypy.stubtest wkendall._core

format: install ## rewrite the code in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	cargo fmt

bench: install ## criterion for the crate, then the package against its peers on one thread and on all
	cargo bench
	test -x build/bench/bin/python || $(PYTHON) -m venv build/bench
	build/bench/bin/python -m pip install -q --upgrade dist/*.whl faiss-cpu numba pandas matplotlib rbo threadpoolctl
	build/bench/bin/python -m pip install -q --force-reinstall --no-deps dist/*.whl # also if it has the same version
	build/bench/bin/python benches/peers.py
	build/bench/bin/python benches/ties.py
	build/bench/bin/python benches/correlations.py
	build/bench/bin/python benches/comparisons.py
	build/bench/bin/python benches/neighbors.py

bench-profiles: ## a program that depends on the crate, with cargo's release profile and with those of the wheels
	$(PYTHON) benches/profiles.py

# The matrices of the examples are small: on one thread they take a third of the time.
docs: install ## the site: guide, executed examples, reference of package and crate, in docs/_build/html
	rm -rf docs/_build/html docs/generated docs/gallery docs/pictures
	OMP_NUM_THREADS=1 $(PY) docs/draw_pictures.py
	RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --target-dir docs/_build/crate
	OMP_NUM_THREADS=1 $(PY) -m sphinx -W --keep-going --quiet -d docs/_build/doctrees docs docs/_build/html
	cp -r docs/_build/crate/doc docs/_build/html/crate
	$(PY) docs/check_site.py docs/_build/html
	@echo "open docs/_build/html/index.html"

wheel: .venv/wheel ## the wheel, in dist

install: .venv/installed ## the wheel in .venv

hooks: install ## lint before every commit
	$(BIN)/pre-commit install

clean: ## remove everything that can be made again
	rm -rf .venv target dist build docs/_build docs/generated docs/gallery docs/pictures .mypy_cache .pytest_cache .ruff_cache examples/gallery/.ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/builder: pyproject.toml
	test -x $(PY) || $(PYTHON) -m venv .venv
	$(PY) -m pip install -q --upgrade "pip>=25.1"
	$(PY) -m pip install -q --group build
	touch $@

.venv/wheel: .venv/builder $(SOURCES) Cargo.lock
	rm -rf dist
	$(BIN)/maturin build --release --locked --quiet --interpreter $(PY) --out dist
	touch $@

.venv/installed: .venv/wheel
	$(PY) -m pip install -q --force-reinstall --no-deps dist/*.whl
	$(PY) -m pip install -q --group dev
	touch $@
