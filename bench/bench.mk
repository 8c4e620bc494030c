# Benchmarks.
#
#   make bench                             every work of bench/run.py beside its peers, an hour or two
#   make bench BENCH='cached uncached'     some of them; more options stand in bench/run.py
#   make bench-verify                      confirming the model of 94 files against a hub on this machine

BENCH_SOURCES := $(wildcard bench/*.c)
BENCH_TOOLS := $(OUT)/bench/raw_epoll $(OUT)/bench/empty_server $(OUT)/bench/import_floor \
	$(OUT)/bench/generate $(OUT)/bench/load
BENCH_DATA ?= var/bench
BENCH ?=

$(OUT)/bench/%: $(OUT)/bench/%.o $(TEST_SUPPORT_OBJECTS) $(LIBRARY)
	$(call show,LD $@)$(CC) $(ALL_LDFLAGS) $^ -lcmocka $(ALL_LDLIBS) -o $@

bench: $(BINARY) $(BENCH_TOOLS) bench/peers/node_modules
	@tools/deps.sh bench
	@mkdir -p $(BENCH_DATA)
	@PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 bench/run.py $(BINARY) $(OUT)/bench $(BENCH_DATA) $(BENCH)

# Peers are what the lock file says; better-sqlite3 is compiled if no binary fits.
bench/peers/node_modules: bench/peers/package-lock.json
	cd bench/peers && npm ci --no-audit --no-fund
	@touch $@

bench-verify: $(OUT)/bench/verify $(BINARY)
	@$(OUT)/bench/verify $(BINARY)

-include $(BENCH_SOURCES:%.c=$(OUT)/%.d)

.PHONY: bench bench-verify
