#include <string.h>
#include "err.h"
#include "model_pci.h"
#include "pci/pci.h"
#include "platform_model.h"
#include "test.h"

static struct model_pci dev;
static struct pci_fn *fn;
static struct pci_facts f;

static void add(void)
{
    model_reset_world();
    fn = model_add_device(&model_pci_ops, &dev, &dev.host);
}

/* An x8 Gen2 RAID card. */
static void card(void)
{
    model_pci_init(&dev, 0x1000, 0x0079, 0x010400);
    model_pci_add_power(&dev, 0);
    model_pci_add_pcie(&dev, 0, 2, 8);
    model_pci_add_aer(&dev);
    add();
}

static void look(void)
{
    pci_facts_read(fn, &f);
    EQ(dev.writes, 0);
    EQ(model_violations, 0);
}

TEST(a_function_without_a_list_has_no_capability)
{
    model_pci_init(&dev, 0x8086, 0x2922, 0x010601);
    add();
    EQ(pci_capability(fn, 0x10), 0);
    look();
    CHECK(f.answers && !f.has_pcie && !f.has_power && !f.has_aer);
}

TEST(capabilities_are_found_behind_others)
{
    card();
    EQ(pci_capability(fn, 0x01), 0x60);
    EQ(pci_capability(fn, 0x10), 0x80);
    EQ(pci_capability(fn, 0x05), 0);
    EQ(pci_extended_capability(fn, 0x0003), 0x100);
    EQ(pci_extended_capability(fn, 0x0001), 0x140);
    EQ(pci_extended_capability(fn, 0x0019), 0);
}

TEST(a_list_that_leads_in_a_circle_ends)
{
    card();
    dev.config[0x81] = 0x60;
    EQ(pci_capability(fn, 0x05), 0);
    model_pci_set(&dev, 0x140, 0x10010001 | 0x100u << 20);
    EQ(pci_extended_capability(fn, 0x0019), 0);
    dev.config[0x34] = 0x04; /* into the header */
    EQ(pci_capability(fn, 0x10), 0);
}

TEST(a_function_that_is_gone_says_nothing)
{
    card();
    model_unplug(fn);
    pci_facts_read(fn, &f);
    CHECK(!f.answers && !f.has_pcie);
    EQ(pci_capability(fn, 0x10), 0);
    EQ(pci_extended_capability(fn, 1), 0);
    EQ(pci_wake(fn), 0);
}

TEST(the_registers_of_a_card_become_values)
{
    card();
    model_pci_link_now(&dev, 1, 4);
    model_pci_or16(&dev, dev.pcie + 0x10, 0x0003); /* ASPM L0s and L1 */
    model_pci_or16(&dev, dev.pcie + 0x12, 0xc800); /* training, LBMS, LABS */
    model_pci_set(&dev, dev.pcie + 4, 0x00008002 | 25u << 18 | 0u << 26);
    model_pci_set(&dev, dev.aer + 0x10, 0x41);
    model_pci_set(&dev, dev.aer + 4, 0x10);
    model_pci_set(&dev, dev.aer + 0x28, 0x80000001);
    dev.config[dev.pcie + 0x0a] = 0x0d;
    model_pci_set(&dev, dev.pm + 4, 0x8103);
    look();
    EQ(f.link.speed_possible, 2);
    EQ(f.link.width_possible, 8);
    EQ(f.link.speed, 1);
    EQ(f.link.width, 4);
    EQ(f.link.speed_target, 2);
    EQ(f.link.aspm, 3);
    CHECK(f.link.training && f.link.bandwidth_managed && f.link.bandwidth_autonomous && !f.link.active);
    EQ(f.payload_possible_bytes, 512);
    EQ(f.payload_bytes, 256);
    EQ(f.read_request_bytes, 512);
    EQ(f.captured_limit_mw, 25000);
    EQ(f.device_status, 0x0d);
    CHECK(f.has_aer);
    EQ(f.correctable, 0x41);
    EQ(f.uncorrectable, 0x10);
    EQ(f.header_log[3], 0x80000001);
    EQ(f.d_state, 3);
    CHECK(f.pme_enabled && f.pme_status);
    CHECK(!f.slot.implemented && !f.is_bridge);
}

TEST(the_registers_of_a_port_become_values)
{
    model_pci_init(&dev, 0x8086, 0x3420, 0x060400);
    model_pci_bridge(&dev, 3, 9);
    model_pci_add_pcie(&dev, 4, 5, 32);
    model_pci_set(&dev, dev.pcie + 0x14, 0x1fffu << 19 | 2u << 15 | 250u << 7);
    model_pci_or16(&dev, dev.pcie + 0x1a, 0x0042);
    model_pci_or16(&dev, dev.pcie + 0x0e, 0x0010);
    model_pci_or16(&dev, dev.pcie + 0x12, 0x2000);
    add();
    look();
    CHECK(f.is_bridge);
    EQ(f.secondary_bus, 3);
    EQ(f.subordinate_bus, 9);
    EQ(f.link.width_possible, 32);
    EQ(f.link.speed_possible, 5);
    CHECK(f.link.tells_active && f.link.active);
    CHECK(f.slot.implemented && f.slot.present && f.slot.power_fault);
    EQ(f.slot.number, 0x1fff);
    EQ(f.slot.limit_mw, 2500);
}

TEST(slot_limits_above_239_watts_are_codes)
{
    static const struct {
        uint32_t value, mw;
    } row[] = { { 239, 239000 }, { 0xf0, 250000 }, { 0xf1, 275000 }, { 0xf2, 300000 }, { 0xff, 300000 } };

    for (unsigned i = 0; i < sizeof row / sizeof row[0]; i++) {
        model_pci_init(&dev, 0x8086, 0x3420, 0x060400);
        model_pci_add_pcie(&dev, 4, 1, 1);
        model_pci_set(&dev, dev.pcie + 0x14, row[i].value << 7);
        add();
        look();
        EQ(f.slot.limit_mw, row[i].mw);
    }
}

TEST(what_is_built_into_the_root_complex_has_no_link)
{
    model_pci_init(&dev, 0x1000, 0x0079, 0x010400);
    model_pci_add_pcie(&dev, 9, 1, 1);
    add();
    look();
    CHECK(f.has_pcie);
    EQ(f.link.width_possible, 0);
    EQ(f.link.speed, 0);
}

TEST(reserved_payload_codes_are_unknown_sizes)
{
    card();
    model_pci_set(&dev, dev.pcie + 8, 7 << 5 | 7 << 12);
    look();
    EQ(f.payload_bytes, 0);
    EQ(f.read_request_bytes, 0);
}

/* ---- waking ---- */

TEST(an_awake_function_is_not_written_to)
{
    card();
    EQ(pci_wake(fn), 0);
    EQ(dev.writes, 0);
}

TEST(a_sleeping_function_is_brought_to_d0_with_its_header_as_before)
{
    card();
    model_pci_set(&dev, dev.pm + 4, 0x810b); /* D3, PME status and enable */
    dev.loses_header = true;
    EQ(pci_wake(fn), 3);
    EQ(model_pci_get(&dev, dev.pm + 4), 0x8108);
    EQ(dev.config[0x0c], 0x10);
    EQ(dev.config[0x3c], 0x0b);
    CHECK(model_clock_ns >= 10000000);
    EQ(model_violations, 0);
}

TEST(a_function_that_stays_asleep_is_given_up_after_100_ms)
{
    card();
    model_quiet = true;
    model_pci_set(&dev, dev.pm + 4, 2);
    dev.stays_asleep = true;
    EQ(pci_wake(fn), E_TIMEOUT);
    CHECK(model_clock_ns >= 100000000 && model_clock_ns < 200000000);
    model_quiet = false;
}

/* ---- watching ---- */

static struct pci_watch w;

TEST(errors_from_before_are_cleared_and_not_counted)
{
    card();
    dev.config[dev.pcie + 0x0a] = 0x0f;
    model_pci_set(&dev, dev.aer + 4, 0x100000);
    model_pci_set(&dev, dev.aer + 0x10, 0x2001);
    pci_watch_begin(&w, fn, NULL, true);
    EQ(dev.clears, 3);
    pci_watch_sample(&w, true);
    EQ(w.device_status, 0);
    EQ(w.uncorrectable, 0);
    EQ(w.correctable_samples, 0);
    EQ(dev.clears, 3);
    EQ(model_violations, 0);
}

TEST(without_leave_nothing_is_cleared_and_only_new_bits_count)
{
    card();
    dev.config[dev.pcie + 0x0a] = 0x01;
    model_pci_set(&dev, dev.aer + 0x10, 0x01);
    pci_watch_begin(&w, fn, NULL, false);
    pci_watch_sample(&w, true);
    EQ(w.correctable_samples, 0);
    model_pci_set(&dev, dev.aer + 0x10, 0x41);
    dev.config[dev.pcie + 0x0a] = 0x03;
    pci_watch_sample(&w, true);
    pci_watch_sample(&w, true);
    EQ(w.correctable, 0x40);
    EQ(w.correctable_samples, 1);
    EQ(w.device_status, 0x02);
    EQ(dev.writes, 0);
}

TEST(an_error_in_each_sample_counts_each_time)
{
    card();
    pci_watch_begin(&w, fn, NULL, true);
    for (unsigned i = 0; i < 5; i++) {
        model_pci_set(&dev, dev.aer + 0x10, 0x80000001);
        pci_watch_sample(&w, true);
    }
    EQ(w.correctable_samples, 5);
    EQ(w.correctable, 0x80000001);
    EQ(w.samples, 5);
}

TEST(the_header_of_the_first_uncorrectable_error_is_kept)
{
    card();
    pci_watch_begin(&w, fn, NULL, true);
    model_pci_set(&dev, dev.aer + 4, 0x10);
    model_pci_set(&dev, dev.aer + 0x1c, 0x44332211);
    pci_watch_sample(&w, true);
    model_pci_set(&dev, dev.aer + 4, 0x4000);
    model_pci_set(&dev, dev.aer + 0x1c, 0x99999999);
    pci_watch_sample(&w, true);
    EQ(w.uncorrectable, 0x4010);
    EQ(w.header_log[0], 0x44332211);
}

TEST(the_least_and_most_of_a_link_under_load_are_kept)
{
    card();
    pci_watch_begin(&w, fn, NULL, true);
    model_pci_link_now(&dev, 1, 1);
    pci_watch_sample(&w, false);
    EQ(w.samples, 0);
    EQ(w.speed_most, 0);
    model_pci_link_now(&dev, 2, 4);
    pci_watch_sample(&w, true);
    model_pci_link_now(&dev, 1, 8);
    pci_watch_sample(&w, true);
    model_pci_link_now(&dev, 0, 0);
    pci_watch_sample(&w, true);
    EQ(w.samples, 3);
    EQ(w.speed_least, 1);
    EQ(w.speed_most, 2);
    EQ(w.width_least, 4);
    EQ(w.width_most, 8);
}

TEST(a_power_fault_counts_only_when_it_is_new)
{
    for (unsigned before = 0; before < 2; before++) {
        model_pci_init(&dev, 0x8086, 0x3420, 0x060400);
        model_pci_add_pcie(&dev, 4, 1, 1);
        dev.config[dev.pcie + 0x1a] = before ? 2 : 0;
        add();
        pci_watch_begin(&w, fn, NULL, true);
        dev.config[dev.pcie + 0x1a] = 2;
        pci_watch_sample(&w, true);
        EQ(w.power_fault, !before);
    }
}

TEST(a_device_that_vanishes_is_gone_and_counts_no_errors)
{
    card();
    pci_watch_begin(&w, fn, NULL, true);
    model_unplug(fn);
    pci_watch_sample(&w, true);
    pci_watch_sample(&w, true);
    CHECK(w.gone);
    EQ(w.correctable_samples, 0);
    EQ(w.uncorrectable, 0);
    EQ(w.samples, 0);
}

TEST(a_function_without_pci_express_is_not_watched)
{
    model_pci_init(&dev, 0x8086, 0x2922, 0x010601);
    add();
    pci_watch_begin(&w, fn, NULL, true);
    pci_watch_sample(&w, true);
    EQ(w.samples, 0);
    CHECK(!w.gone);
}
