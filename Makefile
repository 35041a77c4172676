# make            the application, out/BOOTX64.EFI
# make image      out/baresweep.img, ready for dd
# make unit       host tests under ASan and UBSan (unit-nvme: one room)
# make lint       warnings of two compilers, format, static analysis, include arrows, I/O path
# make bench-cost instructions per I/O, gated
# make fuzz-NAME SECONDS=60

OUT  := out
ROOMS := base drivers drivers/nvme drivers/ahci drivers/mfi result checks sweep report screen

# Each room sees only what it may use: the compiler keeps the arrows.
INC_base         := base
INC_drivers      := base drivers
INC_drivers/nvme := base drivers drivers/nvme
INC_drivers/ahci := base drivers drivers/ahci
INC_drivers/mfi  := base drivers drivers/mfi
INC_result       := base result
INC_checks       := base drivers result checks
INC_sweep        := base drivers result sweep
INC_report       := base result report
INC_screen       := base result screen
INC_efi          := base drivers result checks sweep report screen efi
INC_tests        := base drivers drivers/nvme drivers/ahci drivers/mfi result checks sweep report screen \
                    tests/unit tests/models tests/models/nvme tests/models/ahci tests/models/mfi \
                    tests/platform/model tests/platform/qtest tests/fakes
# Models spell the specification in raw numbers: they cannot see a driver's header.
INC_models       := base tests/models

WARN := -std=gnu11 -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla \
        -Wframe-larger-than=1024 -Werror
# SSE2 is what x86-64 has; AVX never (processors started by firmware lack OSXSAVE).
EFI_FLAGS  := -O2 -g -ffreestanding -fpic -fshort-wchar -fno-stack-protector -fno-strict-aliasing \
              -mno-red-zone -maccumulate-outgoing-args -fcf-protection=none -fno-asynchronous-unwind-tables
HOST_FLAGS := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
FUZZ_FLAGS := -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all

room = $(patsubst %/,%,$(dir $(1)))
incs = $(addprefix -I,$(INC_$(if $(filter tests/models%,$(1)),models,$(if $(filter tests%,$(1)),tests,$(1)))))

# The application's own objects; the portable ones also link into host programs (bench, shipping tests).
$(OUT)/efi/%.o: %.c
	@mkdir -p $(@D)
	gcc $(WARN) $(EFI_FLAGS) $(call incs,$(call room,$<)) -MMD -MP -c -o $@ $<
$(OUT)/host/%.o: %.c
	@mkdir -p $(@D)
	gcc $(WARN) $(HOST_FLAGS) $(call incs,$(call room,$<)) -MMD -MP -c -o $@ $<
$(OUT)/fuzz/%.o: %.c
	@mkdir -p $(@D)
	clang $(WARN) $(FUZZ_FLAGS) $(call incs,$(call room,$<)) -MMD -MP -c -o $@ $<

src = $(wildcard $(addsuffix /*.c,$(1)))
# base/mem.c stands in for the C library, which host programs have.
host_src = $(filter-out base/mem.c,$(call src,$(1)))
objs = $(patsubst %.c,$(OUT)/$(1)/%.o,$(2))

# ---- host tests: one program per room, so that one broken room does not hide the others ----
UNIT_base    := base
UNIT_result  := base result
UNIT_drivers := base drivers drivers/nvme drivers/ahci drivers/mfi tests/platform/model
UNIT_nvme    := base drivers drivers/nvme tests/platform/model tests/models/nvme
UNIT_ahci    := base drivers drivers/ahci tests/platform/model tests/models/ahci
UNIT_mfi     := base drivers drivers/mfi tests/platform/model tests/models/mfi
UNIT_sweep   := base drivers result sweep tests/platform/model tests/fakes
UNIT_report  := base result report
UNIT_screen  := base result screen
UNITS := base result drivers nvme ahci mfi sweep report screen

# drivers/drivers.c names every driver: only programs that link all of them can have it.
define unit_program
UNIT_SRC_$(1) := $(filter-out $(if $(filter drivers/nvme,$(UNIT_$(1))),$(if $(filter drivers/mfi,$(UNIT_$(1))),,drivers/drivers.c),drivers/drivers.c),\
  $(call host_src,$(UNIT_$(1)) tests/unit/$(1)))
$(OUT)/unit-$(1): $(call objs,host,$$(UNIT_SRC_$(1)) tests/unit/test_main.c)
	gcc $(HOST_FLAGS) -o $$@ $$^
unit-$(1): $(OUT)/unit-$(1)
	$$< $$(TEST)
.PHONY: unit-$(1)
endef
$(foreach u,$(UNITS),$(eval $(call unit_program,$(u))))
unit: $(addprefix unit-,$(UNITS))
.PHONY: unit

-include $(shell find $(OUT) -name '*.d' 2>/dev/null)
