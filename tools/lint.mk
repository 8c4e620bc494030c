# `make lint` checks what a machine can, `make fmt` mends the layout.

C_FILES = $(wildcard $(LAYERS:%=%/*.[ch]) tools/*.c bench/*.[ch] tests/*/*.[ch])
HEADERS = $(wildcard $(LAYERS:%=%/*.h) tests/*/*.h)
SCRIPTS = $(wildcard tools/*.sh tests/*.sh bench/*.sh docker/*.sh .ci/run)

# The checks of the builds are warnings there and errors here.
LINT_MAKE = $(PARALLEL_MAKE) WERROR=-Werror

fmt:
	clang-format -i $(C_FILES)

lint: deps
	clang-format --dry-run -Werror $(C_FILES)
	shellcheck $(SCRIPTS)
	tools/lint_test.sh
	tools/lint_layers.sh
	tools/lint_style.sh
	+@$(LINT_MAKE) VARIANT=release OUT=build/lint-gcc all tests-build
	+@$(LINT_MAKE) VARIANT=clang OUT=build/lint-clang all tests-build
	tools/lint_state.sh $(SOURCES:%.c=build/lint-gcc/%.o)
	+@$(PARALLEL_MAKE) OUT=build/lint-gcc lint-headers lint-cppcheck lint-tidy

# Each header is compiled alone.
lint-headers: $(HEADERS:%=$(OUT)/alone/%)

$(OUT)/alone/%: % $(OUT)/gen/generated_version.h
	@mkdir -p $(@D)
	@gcc $(ALL_CPPFLAGS) -std=c17 -Wall -Wextra -Werror -fsyntax-only -x c $<
	@touch $@

# Each file of the program that changed is looked at again; a changed header is taken to change them
# all. Tests are left to the compilers and the sanitizers: they do on purpose what the checks warn of.
lint-tidy: $(patsubst %.c,$(OUT)/tidy/%,$(SOURCES))

$(OUT)/tidy/%: %.c .clang-tidy $(wildcard $(LAYERS:%=%/*.h)) $(OUT)/gen/generated_version.h
	@mkdir -p $(@D)
	$(call show,TIDY $<)clang-tidy --quiet --warnings-as-errors='*' $< -- $(ALL_CPPFLAGS) -std=c17 \
		2>$@.log || { cat $@.log; exit 1; }
	@touch $@

# Without its portability group, which asks for readdir_r, and glibc asks not to use that.
lint-cppcheck:
	$(call show,CPPCHECK)cppcheck --quiet --std=c11 --enable=warning,performance \
		--error-exitcode=1 --cppcheck-build-dir=$(shell mkdir -p $(OUT)/cppcheck; echo $(OUT)/cppcheck) \
		--library=posix -D_GNU_SOURCE -I. -I$(OUT)/gen $(SOURCES)

.PHONY: fmt lint lint-headers lint-tidy lint-cppcheck
