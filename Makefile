# A short front for CMake. Each target does all of its own set-up, packages
# included, on a fresh Debian 12 machine (as root, or with sudo).

JOBS ?= $(shell nproc)
# Slots of the tests that run at once: one that computes takes four, one that waits takes one (tools/costs).
TESTS ?= $(shell expr 4 \* $(JOBS))

.PHONY: help setup build demo mutants proof proof-strict test test-quick test-dev test-tsan test-full coverage fresh-machine bench bench-elastic bench-flips bench-k8s bench-postgres fuzz install install-postgres
.PHONY: bench-python image push wheel deb site release test-release lab lab-down test-k8s test-k8s-full format clean
.NOTPARALLEL:

help:
	@echo "make demo      build, then train and predict on real data with the stock sqlite3"
	@echo "make test      build, then all tests (release preset; some 10 minutes on 2 cores)"
	@echo "make test-quick  unit and golden tests and a job of each door (release preset; under 3 minutes on 2 cores)"
	@echo "make proof     all that must pass before a change lands, and what each part took (root rights; 35 minutes)"
	@echo "make build     build/release/totrain and build/release/totrain.so (ship/totrain: without the tests' fault points)"
	@echo "make test-dev  the same tests under AddressSanitizer and UBSan"
	@echo "make test-tsan the same tests under ThreadSanitizer"
	@echo "make test-full what is too long for every commit: many seeds, long fuzzing"
	@echo "make mutants   small wrong changes, one at a time, and which no test sees (MUTANTS='--count 20 --only parser/')"
	@echo "make coverage  branches that the tests take in parser, planner, jobspec, inputs, scoring; 90 % or it fails"
	@echo "make fresh-machine  the README's commands on a minimal Debian made for it (root rights, debootstrap)"
	@echo "make bench     quality against scikit-learn, XGBoost and LightGBM; speed against limits and peers (SPEED=--quick)"
	@echo "make bench-elastic  experiments with workers that come, go, die and freeze (ELASTIC='--scale .2')"
	@echo "make bench-flips  one inverted bit in a running job, a thousand times, and what came of it (FLIPS='--runs 100')"
	@echo "make bench-k8s  the same with pods, on the lab (K8S='--quick X5')"
	@echo "make fuzz      every fuzzer for FUZZ_SECONDS (30) each"
	@echo "make image     build/totrain-image.tar: the program as a container image, for any engine or cluster"
	@echo "make push      that image into a registry (IMAGE=registry.example/totrain:1; the login of docker login)"
	@echo "make wheel     dist/totrain-*.whl: the package for Python, for pip install (tools of it come from PyPI)"
	@echo "make deb       dist/totrain*.deb: packages for Debian 12, of the program, SQLite's extension and PostgreSQL's"
	@echo "make site      build/site/index.html: the documents with search, pictures and a page for each model (tools come from PyPI)"
	@echo "make release   dist/: both, the source, a bill of materials, checksums; built twice, the bits must be the same"
	@echo "make test-release  installs what is in dist/ on a minimal Debian made for it, tries it and removes it"
	@echo "make lab       a Kubernetes cluster on this machine (root rights, Go 1.24; NODES=2); docs/kubernetes.md"
	@echo "make lab-down  ends it completely"
	@echo "make test-k8s  the tests on the lab, which is started where it is not up (test-k8s-full: more rounds)"
	@echo "make bench-postgres  the part of it inside of PostgreSQL (SPEED='--quick train')"
	@echo "make bench-python  the package for Python: its import, DataFrames, what a notebook sees (PYTHON='--runs 9 frame')"
	@echo "make install   into PREFIX (/usr/local)"
	@echo "make install-postgres  the extension into the PostgreSQL of pg_config, the program into PREFIX"
	@echo "make format    clang-format over all sources"

setup:
	@tools/install-packages

build: setup
	@cmake --preset release > /dev/null
	@cmake --build --preset release -j $(JOBS)

demo: build
	@tools/demo build/release

test: build
	@tests/own-folder ctest --preset release -j $(TESTS)

test-quick: build
	@tests/own-folder ctest --preset release -j $(TESTS) -L '^(unit|golden|quick)$$'

proof:
	@.ci/run

proof-strict: # a test or a part over its budget fails
	@.ci/run --strict

test-dev: setup
	@cmake --preset dev > /dev/null
	@cmake --build --preset dev -j $(JOBS)
	@tests/own-folder ctest --preset dev -j $(TESTS)

test-tsan: setup
	@cmake --preset tsan > /dev/null
	@cmake --build --preset tsan -j $(JOBS)
	@tests/own-folder ctest --preset tsan -j $(TESTS)

test-full: proof-strict test-tsan
	@TOTRAIN_EVERY_ALLOCATION=1 build/release/tests/test_memory_of_statements
	@build/release/tests/sim --seeds 1..20000
	@build/dev/tests/sim --seeds 1..2000
	@build/dev/tests/sim_shards --seeds 1..1000
	@build/dev/tests/sim_score --seeds 1..1000
	@build/dev/tests/sim_lanes --seeds 1..90
	@build/dev/tests/sim_servers --seeds 1..1000
	@build/release/tests/sim --rows 100000000 --batch 2500000 --seeds 18..23
	@TOTRAIN_BUILD=build/release tests/own-folder /usr/bin/python3 -B tests/faults/test_failing_calls.py --all --every 8 --once
	@TOTRAIN_BUILD=build/release tests/own-folder /usr/bin/python3 -B tests/faults/test_power_cut.py --random 200
	@TOTRAIN_BUILD=build/release TOTRAIN_MOMENTS=100 tests/own-folder /usr/bin/python3 -B tests/postgres/test_interrupts.py
	@TOTRAIN_BUILD=$(CURDIR)/build/release TOTRAIN_WRITTEN_ROWS=10000 tests/own-folder /usr/bin/python3 -B tests/postgres/test_written_formulas.py
	@TOTRAIN_BUILD=$(CURDIR)/build/release TOTRAIN_WRITTEN_ROWS=10000 tests/own-folder /usr/bin/python3 -B tests/sqlite/test_written_formulas.py
	@TOTRAIN_BUILD=$(CURDIR)/build/release TOTRAIN_HOSTILE_WORDS=10000 tests/own-folder /usr/bin/python3 -B tests/sqlite/test_hostile_words.py
	@TOTRAIN_BUILD=$(CURDIR)/build/release TOTRAIN_MOMENTS=100 tests/own-folder /usr/bin/python3 -B tests/sqlite/test_interrupts.py
	@TOTRAIN_BUILD=build/release TOTRAIN_RACE_TURNS=10000 tests/own-folder /usr/bin/python3 -B tests/postgres/test_races.py
	@TOTRAIN_BUILD=$(CURDIR)/build/release TOTRAIN_QUALITY_RUNS=20 tests/own-folder /usr/bin/python3 -B tests/sqlite/test_servers.py Quality
	@tests/own-folder python3 -B tests/quality/asynchronous.py build/release/tests/job_roles examples/data/iris.csv
	@TOTRAIN_BUILD=$(CURDIR)/build/release tests/own-folder /usr/bin/python3 -B tests/oracles/test_oracles.py --count 3000 --seed 1 --slow
	@tests/own-folder tests/postgres/run_versions build/release
	@tests/postgres/run_jdbc build/release
	@tests/sqlite/run_tensorboard build/release
	@tests/sqlite/run_onnx build/release
	@tests/python/run_jupyterlab build/release
	@tests/console/run_axe build/release
	@TOTRAIN_BUILD=$(CURDIR)/build/release TOTRAIN_EVERY_EXAMPLE=1 tests/own-folder /usr/bin/python3 -B tests/sqlite/test_model_examples.py
	@$(MAKE) release test-release
	@$(MAKE) mutants
	@$(MAKE) fuzz FUZZ_SECONDS=600

# Hours: each is built, and the tests that reach it are run until one fails.
MUTANTS ?= --count 300 --seed 1
mutants: setup
	@tools/mutants --jobs $(JOBS) $(MUTANTS)

coverage: setup
	@cmake --preset coverage > /dev/null
	@tools/coverage build/coverage

fresh-machine:
	@tools/fresh-machine

FUZZ_SECONDS ?= 30
FUZZ_RUNS ?= # none: as many as there is time for, each time others
fuzz: setup
	@cmake --preset fuzz > /dev/null
	@cmake --build --preset fuzz --target fuzzers -j $(JOBS)
	@tools/run-fuzzers build/fuzz $(FUZZ_SECONDS) $(FUZZ_RUNS)

bench: build
	@bench/quality/run build/release; quality=$$?; \
	bench/quality/run build/release --defaults; defaults=$$?; \
	bench/quality/run build/release --trees; trees=$$?; \
	bench/quality/run build/release --precision; precision=$$?; \
	bench/quality/run build/release --draws; draws=$$?; \
	bench/quality/run build/release --forecasts; forecasts=$$?; \
	bench/quality/run build/release --forecast-speed; \
	bench/speed/run build/release $(SPEED); speed=$$?; \
	/usr/bin/python3 -B bench/console/console.py build/release; \
	/usr/bin/python3 -B bench/postgres/postgres.py build/release $(filter --quick,$(SPEED)) && exit $$((quality | defaults | trees | precision | draws | forecasts | speed))

bench-elastic: build
	@python3 -B bench/elastic/elastic.py build/release $(ELASTIC)
	@build/release/bench/elastic_master

bench-flips: build
	@/usr/bin/python3 -B bench/flips/flips.py build/release $(FLIPS)

image: build
	@tools/image build/release build/totrain-image.tar

push: image
	@tools/push build/totrain-image.tar $(or $(IMAGE),$(error IMAGE=REGISTRY/REPOSITORY:TAG is missing))

NODES ?= 2
wheel: build
	@tools/wheel build/release dist

deb: setup
	@tools/deb build dist

site: build
	@tools/site/build build/release build/site

release: build
	@tools/release build/release dist --twice

test-release:
	@tools/fresh-machine --release dist

lab:
	@tests/k8s/lab/lab up --nodes $(NODES)

lab-down:
	@tests/k8s/lab/lab down
	@[ ! -e build/lab-2/lock ] || TOTRAIN_LAB=build/lab-2 tests/k8s/lab/lab down

test-k8s: build
	@tools/test-k8s build/release

test-k8s-full: build
	@tools/test-k8s --full build/release

bench-k8s: build
	@/usr/bin/python3 -B bench/k8s/k8s.py build/release $(K8S)

bench-postgres: build
	@/usr/bin/python3 -B bench/postgres/postgres.py build/release $(SPEED)

bench-python: build
	@bench/python/run build/release $(PYTHON)

PREFIX ?= /usr/local
install: build
	install -D -m 755 build/release/ship/totrain $(DESTDIR)$(PREFIX)/bin/totrain
	install -D -m 644 build/release/totrain.so $(DESTDIR)$(PREFIX)/lib/totrain/totrain.so
	install -D -m 755 build/release/ship/totrain $(DESTDIR)$(PREFIX)/lib/totrain/totrain
	install -D -m 644 docs/totrain.1 $(DESTDIR)$(PREFIX)/share/man/man1/totrain.1
	install -D -m 644 cli/bash-completion/totrain $(DESTDIR)$(PREFIX)/share/bash-completion/completions/totrain
	install -D -m 644 cli/zsh-completion/_totrain $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_totrain
	install -D -m 644 cli/fish-completion/totrain.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/totrain.fish

install-postgres: setup
	@cmake --preset release -DCMAKE_INSTALL_PREFIX=$(PREFIX) > /dev/null
	@cmake --build --preset release -j $(JOBS)
	@tools/install-postgres build/release $(PREFIX)

format:
	@git ls-files '*.c' '*.h' | xargs clang-format-14 -i

clean:
	@[ ! -e build/lab/lock ] || tests/k8s/lab/lab down
	@[ ! -e build/lab-2/lock ] || TOTRAIN_LAB=build/lab-2 tests/k8s/lab/lab down
	rm -rf build
