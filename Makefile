# OpenRecipes: `make run` sets everything up and serves; `make test` runs every test.
#
#   make                build/release/openrecipes
#   make run            install what is missing, build, import catalog/ and recipes/, serve
#   make test           install what the tests need, run them all
#   make lint fmt       check, or mend, the code's style
#   make san            the tests under AddressSanitizer + UBSan, and under ThreadSanitizer
#   make fuzz           look for inputs that crash, FUZZ_SECONDS=600 for each target, FUZZ_JOBS at once
#   make fuzz-afl       the same by AFL++, over `openrecipes check -`
#   make soak           ten minutes of mixed traffic while imports and verifications run
#   make faults         everything killed, disturbed and denied, hundreds of times
#   make replicas       three replicas behind nginx, one killed under load
#   make image          the image of docker/, built and tried without Docker (as root)
#   make bench          each kind of work beside other servers, see bench/README.md
#   make bench-verify   how long verifying takes, beside what its requests need
#   make install        PREFIX=/usr/local DESTDIR=
#   make deps           install the Debian packages for building and testing
#   make schema examples   write schema/recipe.schema.yaml and api/openapi/examples.json anew
#
# VARIANT picks the kind of build: release, debug, asan, tsan, clang, fuzz, afl. Each has its own
# build/<variant>/. CFLAGS, CPPFLAGS, LDFLAGS and LDLIBS add to the flags below. V=1 shows
# every command.

VARIANT ?= release
PREFIX ?= /usr/local
DB ?= var/openrecipes.db
LISTEN ?= 127.0.0.1:8080

VERSION := $(shell cat VERSION)
BUILD_ID := $(shell tools/build_id.sh)

CC_release := gcc
CC_debug := gcc
CC_asan := gcc
CC_tsan := gcc
CC_clang := clang
CC_fuzz := clang
CC_afl := afl-clang-fast
CC := $(CC_$(VARIANT))
ifeq ($(CC),)
$(error VARIANT=$(VARIANT) is none of release, debug, asan, tsan, clang, fuzz, afl)
endif

HARDEN := -O2 -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fPIE
OPT_release := $(HARDEN)
OPT_clang := $(HARDEN)
OPT_debug := -Og -fPIE
OPT_asan := -O1 -fPIE -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
OPT_fuzz := -O1 -fPIE -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined \
	-fno-sanitize-recover=all
# Without AddressSanitizer, whose start takes longer than a recipe: libFuzzer has it.
OPT_afl := $(HARDEN) -fsanitize=undefined -fno-sanitize-recover=all
OPT_tsan := -O1 -fPIE -fno-omit-frame-pointer -fsanitize=thread

WARN := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wold-style-definition -Wpointer-arith -Wcast-qual -Wwrite-strings \
	-Wundef -Wvla -Wformat=2 -Wimplicit-fallthrough -Wnull-dereference -Wdouble-promotion
ALL_CPPFLAGS = -D_GNU_SOURCE -I. -I$(OUT)/gen $(CPPFLAGS)
ALL_CFLAGS = -std=c17 -g $(OPT_$(VARIANT)) $(WARN) $(WERROR) $(CFLAGS)
ALL_LDFLAGS = $(OPT_$(VARIANT)) -pie -Wl,-z,relro,-z,now $(LDFLAGS)
ALL_LDLIBS = -lmicrohttpd -lgnutls -lsqlite3 -ljansson -lyaml -lcurl -lz -lnettle -lpthread -lm $(LDLIBS)

# A make that was not told how many jobs to run gives its sub-makes one for each processor.
PARALLEL_MAKE = $(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))

OUT := build/$(VARIANT)
LAYERS := base core db importers server api cli
SOURCES := $(wildcard $(LAYERS:%=%/*.c))
OBJECTS := $(SOURCES:%.c=$(OUT)/%.o) $(OUT)/gen/embedded.o
LIBRARY := $(OUT)/libopenrecipes.a
BINARY := $(OUT)/openrecipes

# Files that the binary carries inside it.
EMBEDDED := $(sort $(wildcard migrations/*.sql catalog/*.yaml catalog/models/*.yaml api/openapi/* \
	web/*))

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:

# Expands to what shows a command as two words, or all of it with V=1.
show = $(if $(V),,@echo '  $(1)' && )

all: $(BINARY)

# The Makefile has the flags, so a change of it makes everything anew.
$(OUT)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call show,CC $@)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

$(OUT)/gen/%.o: $(OUT)/gen/%.c Makefile
	$(call show,CC $@)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

$(OUT)/embed: tools/embed.c
	@mkdir -p $(@D)
	$(call show,CC $@)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) $(ALL_LDFLAGS) $< -o $@

# The list of names is part of the rule's inputs: a file that is removed must leave the binary too.
$(OUT)/gen/embedded.c: $(OUT)/embed $(EMBEDDED) $(OUT)/gen/embedded.list
	$(call show,EMBED $@)$(OUT)/embed $(EMBEDDED) > $@

$(OUT)/gen/embedded.list: FORCE
	@mkdir -p $(@D)
	@echo '$(EMBEDDED)' | cmp -s - $@ || echo '$(EMBEDDED)' > $@

# The version is compiled into one file only, so that a new commit rebuilds just that one.
$(OUT)/gen/generated_version.h: FORCE
	@mkdir -p $(@D)
	@printf '#define OPENRECIPES_VERSION "%s"\n#define OPENRECIPES_BUILD "%s"\n' '$(VERSION)' \
		'$(BUILD_ID)' > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(OUT)/base/version.o: $(OUT)/gen/generated_version.h

# Everything but main, so that tests link the same objects as the binary.
$(LIBRARY): $(filter-out $(OUT)/cli/main.o,$(OBJECTS))
	@rm -f $@
	$(call show,AR $@)ar rcs $@ $^

$(BINARY): $(OUT)/cli/main.o $(LIBRARY)
	$(call show,LD $@)$(CC) $(ALL_LDFLAGS) $^ $(ALL_LDLIBS) -o $@

include tests/tests.mk
include bench/bench.mk
include tools/lint.mk

run: deps-run
	+@$(PARALLEL_MAKE) all
	@mkdir -p $(dir $(DB))
	@$(BINARY) import --db $(DB) --prune catalog recipes
	@$(BINARY) serve --db $(DB) --listen $(LISTEN) --greet

# What `make run` needs is checked by asking dpkg, which takes milliseconds.
deps-run:
	@tools/deps.sh build
deps-test:
	@tools/deps.sh build test
deps-fuzz:
	@tools/deps.sh build test fuzz
deps:
	@tools/deps.sh build test lint

# Documents that the program makes; tests fail when they are not its own any more.
schema: all
	$(BINARY) schema > schema/recipe.schema.yaml
examples: all $(OUT)/tests/manual/loopback_hub
	OPENRECIPES_BIN=$(BINARY) PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 \
		tests/contract/test_openapi.py --write-examples
	@$(MAKE) --no-print-directory all

install: all
	install -D -m 755 $(BINARY) $(DESTDIR)$(PREFIX)/bin/openrecipes
	install -d $(DESTDIR)$(PREFIX)/share/openrecipes
	cp -R catalog recipes schema $(DESTDIR)$(PREFIX)/share/openrecipes/

clean:
	rm -rf build

FORCE:

.PHONY: all run deps deps-run deps-test deps-fuzz schema examples install clean FORCE

-include $(OBJECTS:.o=.d) $(OUT)/cli/main.d
