# The two commands of the README are `make demo` and `make test`; the rest is for daily work.
.PHONY: all z3 external build demo test lint bench
Z3_WHEEL := z3-solver==5.4.0.0
Z3_LIB := third-party/z3/lib/libz3.so.5.4
VENV := third-party/external/venv

all: build

# Z3 comes as the shared library inside the PyPI wheel; unpacking needs no virtual environment.
$(Z3_LIB):
	rm -rf third-party/z3 && mkdir -p third-party/z3/lib third-party/z3/wheel
	python3 -m pip download --quiet --no-deps --only-binary :all: --dest third-party/z3/wheel '$(Z3_WHEEL)'
	python3 -m zipfile -e third-party/z3/wheel/*.whl third-party/z3/unpacked
	mv third-party/z3/unpacked/z3/lib/libz3.so.5.4 third-party/z3/lib/libz3.so.5.4.tmp
	ln -sf libz3.so.5.4 third-party/z3/lib/libz3.so
	rm -rf third-party/z3/unpacked third-party/z3/wheel
	mv third-party/z3/lib/libz3.so.5.4.tmp $(Z3_LIB)

z3: $(Z3_LIB)

# BenchExec, Snakemake and Matplotlib in a private virtual environment; pip itself stays outside, so that ensurepip is not needed.
$(VENV)/requirements.txt: pipelines/requirements.txt
	python3 -m venv --clear --without-pip $(VENV)
	python3 -m pip --python $(VENV)/bin/python install --quiet -r pipelines/requirements.txt
	cp pipelines/requirements.txt $@

external: $(VENV)/requirements.txt

build: z3
	cargo build --release --workspace

demo: build
	sh pipelines/demo/run.sh

# Nothing may be skipped but for want of the tasks.
test: build external
	rm -f target/skipped.txt
	INSTA_UPDATE=no cargo test --release --workspace
	@if grep -v '^skipped: tasks are missing' target/skipped.txt 2>/dev/null; then echo 'tests were skipped'; exit 1; fi
	@sed -n 's/^Runner: /runner of the smoke benchmark: /p' target/bench/smoke/SETUP.md

# Runs a set of tasks with BenchExec, or where that is refused with our own runner; tables and plots in target/bench/SET.
SET ?= smoke
bench: build external
	$(VENV)/bin/python benchmarks/bench.py --set $(SET) $(BENCH_FLAGS)

lint: z3
	cargo clippy --workspace --all-targets -- -D warnings
