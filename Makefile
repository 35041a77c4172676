# make            the application, out/BOOTX64.EFI
# make image      out/baresweep.img, ready for dd; make iso: out/baresweep.iso for virtual media
# make unit       host tests under ASan and UBSan (unit-nvme: one room)
# make lint       warnings of two compilers, format, static analysis, include arrows, I/O path
# make bench-cost instructions per I/O, gated
# make fuzz-NAME SECONDS=60

OUT  := out
ROOMS := base drivers drivers/nvme drivers/ahci drivers/mfi drivers/pci drivers/smbus result checks sweep report screen screen/journal net

# Each room sees only what it may use: the compiler keeps the arrows.
INC_base         := base
INC_drivers      := base drivers
INC_drivers/nvme := base drivers drivers/nvme
INC_drivers/ahci := base drivers drivers/ahci
INC_drivers/mfi  := base drivers drivers/mfi
INC_drivers/pci   := base drivers drivers/pci
INC_drivers/smbus := base drivers drivers/smbus
INC_result       := base result
INC_checks       := base drivers result checks
INC_sweep        := base drivers result sweep
INC_report       := base result report
INC_screen       := base result screen
INC_screen/journal := base result report screen screen/journal
INC_net          := base net
INC_tools        := base result report
INC_rack         := base result report rack
INC_rack/generate := base result report
INC_efi          := base drivers result checks sweep report screen screen/journal net efi
INC_tests        := base drivers drivers/nvme drivers/ahci drivers/mfi result checks sweep report screen screen/journal net \
                    tests/unit tests/models tests/models/nvme tests/models/ahci tests/models/mfi \
                    tests/models/pci tests/models/smbus \
                    tests/platform/model tests/platform/qtest tests/fakes tests/hands rack
# Models spell the specification in raw numbers: they cannot see a driver's header.
INC_models       := base tests/models

WARN := -std=gnu11 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla \
        -Wframe-larger-than=1024 -Werror
# SSE2 is what x86-64 has; AVX never (processors started by firmware lack OSXSAVE).
EFI_FLAGS  := -O2 -g -ffreestanding -ffunction-sections -fdata-sections -fpic -fshort-wchar -fno-stack-protector -fno-strict-aliasing \
              -mno-red-zone -maccumulate-outgoing-args -fcf-protection=none -fno-asynchronous-unwind-tables
# Sanitizers widen frames: the limit is checked where the application's objects are built.
HOST_FLAGS := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer \
              -Wno-frame-larger-than
FUZZ_FLAGS := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -Wno-frame-larger-than

# Objects appear whole, so that two makes in one tree do not disturb each other.
DEPS = -MMD -MP -MF $(@:.o=.d) -MT $@

room = $(patsubst %/,%,$(dir $(1)))
incs = $(addprefix -I,$(INC_$(if $(filter tests/models%,$(1)),models,$(if $(filter tests%,$(1)),tests,$(1)))))

# The application's own objects; the portable ones also link into host programs (bench, shipping tests).
$(OUT)/efi/%.o: %.c
	@mkdir -p $(@D)
	@echo "  efi   $<"; gcc $(WARN) $(EFI_FLAGS) $(call incs,$(call room,$<)) $(DEPS) -c -o $@.$$$$ $< && mv $@.$$$$ $@
$(OUT)/host/%.o: %.c
	@mkdir -p $(@D)
	@echo "  host  $<"; gcc $(WARN) $(HOST_FLAGS) $(call incs,$(call room,$<)) $(DEPS) -c -o $@.$$$$ $< && mv $@.$$$$ $@
$(OUT)/fuzz/%.o: %.c
	@mkdir -p $(@D)
	@echo "  fuzz  $<"; clang $(WARN) $(FUZZ_FLAGS) $(call incs,$(call room,$<)) $(DEPS) -c -o $@.$$$$ $< && mv $@.$$$$ $@

# The presets are taken in by the assembler: no compiler lists them as needed.
$(foreach k,efi host fuzz,$(OUT)/$(k)/sweep/presets.o) $(OUT)/options-doc: $(wildcard boot/presets/*.fio)

src = $(wildcard $(addsuffix /*.c,$(1)))
# base/mem.c stands in for the C library, which host programs have.
host_src = $(filter-out base/mem.c,$(call src,$(1)))
objs = $(patsubst %.c,$(OUT)/$(1)/%.o,$(2))

# ---- the application ----
GNU_EFI  := -DGNU_EFI_USE_MS_ABI -isystem /usr/include/efi -isystem /usr/include/efi/x86_64
CRT0     := /usr/lib/crt0-efi-x86_64.o
APP_SRC  := $(call src,$(ROOMS) efi)
APP_OBJS := $(call objs,efi,$(APP_SRC))
# .dynsym and .dynstr are not needed: the image relocates itself by .dynamic and .rela.
APP_SECTIONS := .text .rodata .sbat .reloc .dynamic .data .rela .bss

all: $(OUT)/BOOTX64.EFI
.DEFAULT_GOAL := all
.PHONY: all

$(OUT)/efi/efi/%.o: EFI_FLAGS += $(GNU_EFI)
# What works between steps: size counts there, time does not (the application's limit is 1 MiB).
COLD := report/ screen/ screen/journal/ net/ checks/ sweep/plan sweep/job sweep/conf sweep/guard sweep/estimate
$(addprefix $(OUT)/efi/,$(addsuffix %.o,$(COLD))): EFI_FLAGS += -Os

# libefi and libgcc are not linked (libgcc's 128-bit helpers use the red zone, which firmware's interrupts
# overwrite); --no-undefined makes any such need an error here.  libgnuefi holds only the self-relocation.
$(OUT)/app.so: $(APP_OBJS) efi/app.lds
	@echo "  link  $@"; ld -nostdlib -znocombreloc -shared -Bsymbolic --no-undefined --fatal-warnings -T efi/app.lds $(CRT0) \
	  $(APP_OBJS) -o $@ /usr/lib/libgnuefi.a
	@! nm $@ | grep -E '__[a-z]*ti[0-9]?$$' || { echo "128-bit helper linked"; exit 1; }
$(OUT)/BOOTX64.EFI: $(OUT)/app.so image/pe-finish
	@objcopy $(addprefix -j ,$(APP_SECTIONS)) --target efi-app-x86_64 --subsystem=10 $< $@
	@image/pe-finish $@

# make sign KEY=key.pem CERT=cert.pem: the application for Secure Boot with a key of your own
SIGNED := $(OUT)/signed/BOOTX64.EFI
sign: $(OUT)/BOOTX64.EFI
	@[ -n "$(KEY)" ] && [ -n "$(CERT)" ] || { echo "make sign KEY=key.pem CERT=cert.pem"; exit 2; }
	@mkdir -p $(dir $(SIGNED))
	@sbsign --key $(KEY) --cert $(CERT) --output $(SIGNED) $< 2>$(SIGNED).log || { cat $(SIGNED).log; exit 1; }
	@rm -f $(SIGNED).log
.PHONY: sign

# make pin ARMING=arming.txt: the application that accepts this one arming file from the network (docs/safety.md)
PINNED := $(OUT)/pinned/BOOTX64.EFI
pin: $(OUT)/BOOTX64.EFI
	@[ -n "$(ARMING)" ] || { echo "make pin ARMING=arming.txt"; exit 2; }
	@image/pin-arming $< $(ARMING) $(PINNED)
.PHONY: pin

iso: $(OUT)/baresweep.iso
$(OUT)/baresweep.iso: $(OUT)/BOOTX64.EFI image/make-iso boot/baresweep.conf
	@image/make-iso $@ $(OUT)/BOOTX64.EFI boot/baresweep.conf
.PHONY: iso

image: $(OUT)/baresweep.img
$(OUT)/baresweep.img: $(OUT)/BOOTX64.EFI image/make-image boot/baresweep.conf
	@image/make-image $@ $(OUT)/BOOTX64.EFI boot/baresweep.conf
.PHONY: image

# ---- host tests: one program per room, so that one broken room does not hide the others ----
UNIT_base    := base
UNIT_result  := base result
UNIT_drivers := base drivers drivers/nvme drivers/ahci drivers/mfi tests/platform/model
UNIT_nvme    := base drivers drivers/nvme result sweep tests/platform/model tests/models tests/models/nvme tests/hands
UNIT_ahci    := base drivers drivers/ahci result sweep tests/platform/model tests/models tests/models/ahci tests/hands
UNIT_mfi     := base drivers drivers/mfi tests/platform/model tests/models tests/models/mfi tests/hands
UNIT_pci     := base drivers drivers/pci tests/platform/model tests/models/pci
UNIT_smbus   := base drivers drivers/smbus tests/platform/model tests/models/smbus
UNIT_checks  := base drivers drivers/pci drivers/smbus result checks tests/platform/model tests/models/pci \
                tests/models/smbus
UNIT_sweep   := base drivers result sweep tests/platform/model tests/fakes
UNIT_report  := base result report
UNIT_screen  := base result report screen screen/journal
UNIT_net     := base net
# Sweep and report together: what a burn-in writes down, the next start reads.
UNIT_burnin  := base drivers result sweep report tests/platform/model tests/fakes
UNITS := base result drivers nvme ahci mfi pci smbus checks sweep burnin report screen net

# drivers/drivers.c names every driver: only programs that link all of them can have it.
room_src = $(filter-out $(if $(and $(filter drivers/nvme,$(1)),$(filter drivers/ahci,$(1)),$(filter drivers/mfi,$(1))),,\
  drivers/drivers.c),$(call host_src,$(1)))

define unit_program
UNIT_SRC_$(1) := $(call room_src,$(UNIT_$(1)) tests/unit/$(1))
$(OUT)/unit-$(1): $$(call objs,host,$$(UNIT_SRC_$(1)) tests/unit/test_main.c)
	@echo "  link  $$@"; gcc $(HOST_FLAGS) -o $$@ $$^
unit-$(1): $(OUT)/unit-$(1)
	$$< $$(TEST)
.PHONY: unit-$(1)
endef
$(foreach u,$(UNITS),$(eval $(call unit_program,$(u))))
unit: $(addprefix unit-,$(UNITS))
.PHONY: unit

# make golden writes tests/golden anew from what the code makes now; look at the difference before you commit it.
golden:
	GOLDEN=write $(MAKE) unit-report unit-screen
.PHONY: golden

# ---- fuzz targets: tests/fuzz/fuzz_NAME.c over these rooms, seeds in tests/fuzz/corpus/NAME/ ----
# make fuzz-NAME SECONDS=60 searches with libFuzzer (what it finds: out/corpus/NAME/, out/crash-NAME-*);
# make replay-NAME runs the stored corpus once under gcc's sanitizers, make replay does so for all.
FUZZ_json := base
FUZZ_ini  := base
FUZZ_net  := base drivers result sweep net tests/platform/model tests/fakes
FUZZ_job  := base drivers result sweep tests/platform/model tests/fakes
FUZZ_checks := base drivers drivers/pci drivers/smbus result checks tests/platform/model
FUZZ_journal := base result report
FUZZ_LEN_journal := 16384
FUZZ_rack := $(if $(wildcard /usr/include/sqlite3.h),base result report rack)
FUZZ_LEN_rack := 16384
FUZZ_LIBS_rack := -lsqlite3
FUZZ_nvme := base drivers drivers/nvme tests/platform/model tests/models tests/models/nvme
FUZZ_ahci := base drivers drivers/ahci tests/platform/model tests/models tests/models/ahci
FUZZ_mfi  := base drivers drivers/mfi tests/platform/model tests/models tests/models/mfi
FUZZ_fusion := $(FUZZ_mfi)
FUZZ_mfi_replies := $(FUZZ_mfi)
FUZZ_mfi_pages := $(FUZZ_mfi)
FUZZES := $(foreach f,$(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c)),$(if $(FUZZ_$(f)),$(f)))
SECONDS := 60

define fuzz_program
FUZZ_SRC_$(1) := $(filter-out rack/main.c,$(call room_src,$(FUZZ_$(1)))) tests/fuzz/fuzz_$(1).c
$(OUT)/fuzz-$(1): $$(call objs,fuzz,$$(FUZZ_SRC_$(1)))
	clang $(subst fuzzer-no-link,fuzzer,$(FUZZ_FLAGS)) -o $$@ $$^ $(FUZZ_LIBS_$(1))
fuzz-$(1): $(OUT)/fuzz-$(1)
	@mkdir -p $(OUT)/corpus/$(1)
	$$< -max_total_time=$$(SECONDS) -timeout=10 -max_len=$$(or $$(FUZZ_LEN_$(1)),4096) -print_final_stats=1 \
	    -artifact_prefix=$(OUT)/crash-$(1)- $(OUT)/corpus/$(1) $$(wildcard tests/fuzz/corpus/$(1))
$(OUT)/replay-$(1): $$(call objs,host,$$(FUZZ_SRC_$(1)) tests/fuzz/replay_main.c)
	@echo "  link  $$@"; gcc $(HOST_FLAGS) -o $$@ $$^ $(FUZZ_LIBS_$(1))
replay-$(1): $(OUT)/replay-$(1)
	$$< $$(or $$(FILES),tests/fuzz/corpus/$(1))
.PHONY: fuzz-$(1) replay-$(1)
endef
$(foreach f,$(FUZZES),$(eval $(call fuzz_program,$(f))))
replay: $(addprefix replay-,$(FUZZES))
.PHONY: replay

# ---- the drivers against QEMU's own devices, from the host ----
QTEST_nvme := base drivers drivers/nvme tests/platform/qtest
QTEST_ahci := base drivers drivers/ahci tests/platform/qtest
QTEST_mfi  := base drivers drivers/mfi tests/platform/qtest
QTESTS := nvme ahci mfi

define qtest_program
$(OUT)/qtest-$(1): $$(call objs,host,$$(call room_src,$(QTEST_$(1)) tests/qtest/$(1)) tests/unit/test_main.c)
	@echo "  link  $$@"; gcc $(HOST_FLAGS) -o $$@ $$^
qtest-$(1): $(OUT)/qtest-$(1)
	$$< $$(TEST)
.PHONY: qtest-$(1)
endef
$(foreach t,$(QTESTS),$(eval $(call qtest_program,$(t))))
qtest: $(addprefix qtest-,$(QTESTS))
.PHONY: qtest

# ---- the models as PCI functions of QEMU, over vfio-user (docs/architecture.md) ----
# make vfio-model: out/vfio-model KIND SOCKET [NAME=VALUE...]
VFIO_SRC := $(call host_src,base tests/models tests/models/nvme tests/models/ahci tests/models/mfi tests/vfio)
$(OUT)/vfio-model: $(call objs,host,$(VFIO_SRC))
	@echo "  link  $@"; gcc $(HOST_FLAGS) -o $@ $^
vfio-model: $(OUT)/vfio-model
programs: $(OUT)/vfio-model
.PHONY: vfio-model

print-%:
	@echo $($*)

# Everything that the checks run, so that no two of them build the same thing at the same time.
programs: $(addprefix $(OUT)/unit-,$(UNITS)) $(addprefix $(OUT)/replay-,$(FUZZES)) \
          $(addprefix $(OUT)/qtest-,$(QTESTS)) $(OUT)/journal-tool $(OUT)/file-crc32c
.PHONY: programs

# ---- host tools ----
$(OUT)/journal-tool: tools/journal.c $(call host_src,base result report) $(wildcard base/*.h result/*.h report/*.h)
	@mkdir -p $(@D)
	@echo "  tool  $@"; gcc $(WARN) -O2 -g $(call incs,tools) -o $@ $(filter %.c,$^)

$(OUT)/file-crc32c: tools/file_crc32c.c base/crc.c base/crc.h
	@mkdir -p $(@D)
	@echo "  tool  $@"; gcc $(WARN) -O2 -g $(call incs,tools) -o $@ $(filter %.c,$^)

# make play JOURNAL=runs/.../journal.ndjson: what a person would have seen, in this terminal.
JOURNAL := tests/golden/report/showcase.journal.ndjson
$(OUT)/play: tools/play.c $(call host_src,base result report screen screen/journal) $(wildcard base/*.h result/*.h report/*.h screen/*.h screen/journal/*.h)
	@mkdir -p $(@D)
	@echo "  tool  $@"; gcc $(WARN) -O2 -g $(call incs,screen/journal) -o $@ $(filter %.c,$^)
play: $(OUT)/play
	@$< $(JOURNAL)
programs: $(OUT)/play
.PHONY: play

# make screenshots: docs/screen-*.png from a booted machine
screenshots: $(OUT)/baresweep.img
	python3 tools/screenshots.py
.PHONY: screenshots

# How a job file is read, and whether fio reads it in the same way.
$(OUT)/job-read: tools/job_read.c sweep/job.c sweep/job_options.c sweep/job_values.c sweep/job_write.c $(call host_src,base) $(wildcard base/*.h sweep/*.h)
	@mkdir -p $(@D)
	@echo "  tool  $@"; gcc $(WARN) -O2 -g $(call incs,tests) -o $@ $(filter %.c,$^)
jobs-fio: $(OUT)/job-read
	python3 tests/jobs/fio_agrees.py
programs: $(OUT)/job-read
.PHONY: jobs-fio

# What the write guard would say of a file's or device's content; tried on what real tools make.
$(OUT)/guard-look: tools/guard_look.c $(wildcard sweep/guard_*.c) $(call host_src,base) $(wildcard base/*.h sweep/*.h)
	@mkdir -p $(@D)
	@echo "  tool  $@"; gcc $(WARN) -O2 -g $(call incs,tests) -o $@ $(filter %.c,$^)
guard-images: $(OUT)/guard-look
	python3 tests/guard/test_images.py $(TEST)
programs: $(OUT)/guard-look
.PHONY: guard-images

# docs/jobs.md and docs/conf.md are the option tables in words; a unit test compares them.
$(OUT)/options-doc: tools/options_doc.c tests/unit/sweep/options_doc.c sweep/job.c sweep/job_options.c sweep/job_values.c sweep/job_write.c sweep/conf.c sweep/presets.c $(call host_src,base) \
                    $(wildcard base/*.h sweep/*.h tests/unit/sweep/*.h)
	@mkdir -p $(@D)
	@echo "  tool  $@"; gcc $(WARN) -O2 -g $(call incs,tests) -Itests/unit/sweep -o $@ $(filter %.c,$^)
# docs/checks.md: the tables of checks, findings, thresholds and cards.
$(OUT)/checks-doc: tools/checks_doc.c tests/unit/checks/checks_doc.c checks/checks.c checks/drive_health.c checks/cards.c \
                   checks/finding_list.c drivers/health.c $(call host_src,base result) $(wildcard base/*.h result/*.h checks/*.h tests/unit/checks/*.h)
	@mkdir -p $(@D)
	@echo "  tool  $@"; gcc $(WARN) -O2 -g $(call incs,tests) -Itests/unit/checks -o $@ $(filter %.c,$^)
docs: $(OUT)/options-doc $(OUT)/checks-doc
	$(OUT)/options-doc jobs >docs/jobs.md
	$(OUT)/options-doc conf >docs/conf.md
	$(OUT)/checks-doc >docs/checks.md
.PHONY: docs

# ---- the rack's host program ----
# make rack: out/baresweep-rack and out/rack-generate, with SQLite; nothing of it is in the application.
RACK_FLAGS := -O2 -g -Wno-frame-larger-than
$(OUT)/rack/%.o: %.c
	@mkdir -p $(@D)
	@echo "  rack  $<"; gcc $(WARN) $(RACK_FLAGS) $(call incs,$(call room,$<)) $(DEPS) -c -o $@.$$$$ $< && mv $@.$$$$ $@
RACK_BASE := $(call host_src,base result report)
$(OUT)/baresweep-rack: $(call objs,rack,$(call src,rack) $(RACK_BASE))
	@echo "  link  $@"; gcc -o $@ $^ -lsqlite3
$(OUT)/rack-generate: $(call objs,rack,rack/generate/main.c $(RACK_BASE))
	@echo "  link  $@"; gcc -o $@ $^
rack: $(OUT)/baresweep-rack $(OUT)/rack-generate
programs: $(OUT)/baresweep-rack $(OUT)/rack-generate
rack-test: rack $(OUT)/journal-tool
	python3 tests/rack/test_rack.py $(TEST)
# The tables are written once, in rack/schema.c; rack-test compares.
rack-schema: $(OUT)/baresweep-rack
	$< schema --clickhouse >rack/clickhouse/schema.sql
# 20 000 machines x 24 drives, scaled down; make bench-rack MACHINES=20000 is the full size.
MACHINES := 200
bench-rack: rack
	bench/bench-rack $(MACHINES)
.PHONY: rack rack-test rack-schema bench-rack

# ---- lint ----
C_FILES := $(shell git ls-files --cached --others --exclude-standard '*.c' '*.h' 2>/dev/null)
PORTABLE_SRC := $(call src,$(ROOMS))
TEST_SRC := $(filter %.c,$(filter tests/% tools/% bench/% rack/%,$(C_FILES)))

# The host tools that print option tables read headers of more rooms than the others.
LINT_TOOLS := -Idrivers -Isweep -Ichecks -Iscreen -Iscreen/journal -Itests/unit/sweep -Itests/unit/checks

lint: lint-format lint-clang lint-cppcheck lint-arrows io-path
lint-format:
	@clang-format --dry-run -Werror $(C_FILES)
$(OUT)/clang/%.ok: %.c
	@mkdir -p $(@D)
	@clang $(WARN) -fsyntax-only -ffreestanding -fshort-wchar -mno-red-zone $(if $(filter efi/%,$<),$(GNU_EFI)) \
	  $(call incs,$(call room,$<)) $(if $(filter tools/%,$<),$(LINT_TOOLS)) -MMD -MP -MF $(@:.ok=.d) -MT $@ $<
	@touch $@
lint-clang: $(patsubst %.c,$(OUT)/clang/%.ok,$(PORTABLE_SRC) $(call src,efi) $(TEST_SRC))
lint-cppcheck:
	@cppcheck -q --std=c11 --platform=unix64 --enable=warning,portability --inline-suppr --error-exitcode=1 \
	  --suppressions-list=tools/cppcheck-suppressions $(addprefix -I,$(INC_efi) drivers/nvme drivers/ahci drivers/mfi) \
	  $(PORTABLE_SRC) $(call src,efi)
# The compiler keeps the arrows between rooms; firmware's header and libc's must not be reached another way.
lint-arrows:
	@! grep -nE 'include <(efi|std(io|lib)|string|unistd)' $(filter-out efi/%,$(PORTABLE_SRC) $(wildcard $(addsuffix /*.h,$(ROOMS))))
	@! grep -nE '^.(ifn?def|if) ' $(PORTABLE_SRC)
.PHONY: lint lint-format lint-clang lint-cppcheck lint-arrows io-path

# The I/O path calls only what platform.h marks [any].  Its roots are the engine's worker and every driver's
# submit, kick, poll and expire; a partial link keeps just what they reach, whose undefined symbols prove it.
IO_PATH_ROOTS := worker_run worker_hold worker_resume engine_stop engine_progress engine_locate_errors \
                 $(foreach f,submit kick poll expire,nvme_$(f) ahci_$(f) mfi_lane_$(f))
$(OUT)/io_path.o: $(call objs,efi,$(call host_src,base drivers drivers/nvme drivers/ahci drivers/mfi result sweep))
	@ld -r --gc-sections $(addprefix -u ,$(IO_PATH_ROOTS)) -o $@ $^
io-path: $(OUT)/io_path.o tools/io-path-allowed
	@tools/check-io-path $(OUT)/io_path.o tools/io-path-allowed drivers/platform.h

# ---- instructions per read: the shipping objects on the model, counted by callgrind ----
BENCH_ROOMS := base drivers drivers/nvme drivers/ahci drivers/mfi result sweep
BENCH_SRC := $(call src,tests/platform/model tests/models tests/models/nvme tests/models/ahci tests/models/mfi) bench/bench_cost.c
INC_bench := $(INC_tests)
$(OUT)/bench/%.o: %.c
	@mkdir -p $(@D)
	gcc $(WARN) -O2 -g $(call incs,$(call room,$<)) $(DEPS) -c -o $@.$$$$ $< && mv $@.$$$$ $@
$(OUT)/bench-cost: $(call objs,efi,$(call room_src,$(BENCH_ROOMS))) $(call objs,bench,$(BENCH_SRC))
	@echo "  link  $@"; gcc -o $@ $^
bench-cost: $(OUT)/bench-cost
	bench/bench-cost $<
.PHONY: bench-cost

# Folders of other things in out/ may have such names, too.
-include $(shell find $(OUT) -path $(OUT)/suite -prune -o -type f -name '*.d' -print 2>/dev/null)
