# pipescan's tasks; `make help` lists them.

GO       ?= go
FUZZTIME ?= 5s
BENCH    ?= .
# The pinned versions of the linters, run from the module cache without touching go.mod.
STATICCHECK = $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOFUMPT     = $(GO) run mvdan.cc/gofumpt@v0.12.0
# Packages in which goroutines meet.
CONCURRENT = $(patsubst %,./%,$(wildcard pipeline stages fileio store cluster internal/stagetest)) .

.PHONY: help demo servers test test-full race invariants fuzz lint build bench

help: ## list the tasks
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

demo: ## make a table of ten million rows, scan it, show plans and rates; no server needed
	$(GO) build -tags nosql -o bin/pipescan ./cmd/pipescan
	bin/pipescan demo

servers: ## fetch the PostgreSQL servers of 13 to 18 that the tests start
	$(GO) run ./internal/pgtest/cmd/fetchservers

test: servers ## every test, against real servers
	$(GO) test -p 2 -timeout 25m ./...

test-full: servers ## every test, and the generated queries against all six versions
	PIPESCAN_TEST_FULL=1 $(GO) test -p 2 -timeout 60m ./...

race: ## the concurrent packages under the race detector
	$(GO) test -race -p 2 -timeout 20m $(CONCURRENT)

invariants: ## every package but tests with the costly checks switched on
	$(GO) test -tags invariants -p 2 -timeout 20m $$($(GO) list ./... | grep -v /tests)

fuzz: ## every fuzz target, FUZZTIME (5s) each
	FUZZTIME=$(FUZZTIME) GO=$(GO) scripts/fuzz

lint: ## vet, staticcheck, gofumpt, and the house rules
	$(GO) vet ./...
	$(STATICCHECK) ./...
	@out=$$($(GOFUMPT) -l .) && test -z "$$out" || { echo "not gofumpt'd:"; echo "$$out"; exit 1; }
	$(GO) test -run 'Floors|Documented|GoStatements|NothingSkipped' ./tests/

build: ## the variants that must work: without cgo (another SQL parser), and for arm64
	CGO_ENABLED=0 $(GO) build ./...
	CGO_ENABLED=0 $(GO) test ./sqlfront/
	CGO_ENABLED=0 GOARCH=arm64 $(GO) build ./...
	CGO_ENABLED=0 GOARCH=arm64 $(GO) vet ./...

bench: ## the benchmarks
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem ./...
