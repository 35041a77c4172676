"""Our own MegaRAID model in each of its eight generations, all in one machine: found, named, each with a virtual drive of
two members and, where the card passes drives through, a JBOD drive; swept, handed back, and no violation.  Six of the
eight have no device in QEMU.  There was no card."""
import machine
from model_devices import boot_models
from newer_qemu import version
from scenario import QUICK_CONF, check, check_data, equal

tier, budget_s, timing = "full", 150, False
# In PCI order: what the journal calls the controller, and its product.
CARDS = {"xscale": ("PERC 5 (MegaRAID SAS, IOP333)", "PERC 5/i Integrated"),
         "1078": ("MegaRAID SAS 1078 (PERC 6)", "LSI MegaRAID SAS 8708EM2"),
         "2108": ("MegaRAID SAS 2108 (PERC H700, H800)", "LSI MegaRAID SAS 9260-8i"),
         "skinny": ("MegaRAID SAS 2004/2008 (PERC H310, 9240)", "PERC H310 Mini"),
         "thunderbolt": ("MegaRAID SAS 2208 (PERC H710, H810)", "PERC H710 Mini"),
         "invader": ("MegaRAID SAS 3108 (PERC H730, H830)", "PERC H730 Mini"),
         "ventura": ("MegaRAID SAS 34xx/35xx (PERC H740P, H745, H345, H840)", "PERC H740P Mini"),
         "aero": ("MegaRAID SAS 3908/3916 (PERC H750, H755)", "PERC H755 Adapter")}
FUSION = ("thunderbolt", "invader", "ventura", "aero")
SIZE = 64 << 20


def run(folder):
    models, images = {}, {}
    for i, name in enumerate(CARDS):
        disks = ["vd0"] if name == "xscale" else ["vd0", "pd9"]
        for disk in disks:
            path = folder / f"{name}-{disk}.img"
            images[f"megaraid{i}.{disk}"] = machine.stamped_disk(path, SIZE, 1 << 20, seed=len(images) + 1)
        options = [f"generation={name}", "latency_ns=300us", "ooo_step_ns=50us", "virtual=0", f"image={images[f'megaraid{i}.vd0']}",
                   "physical=online:4:0", "physical=online:5:1"]
        if "pd9" in disks:
            options += ["physical=jbod:9:2", f"image={images[f'megaraid{i}.pd9']}"]
        models[name] = ("mfi", options)
    r = boot_models(folder, models, QUICK_CONF + "after = poweroff\n", powers_off=True, timeout_s=300)
    equal(r.code, 0, "exit code")
    equal(sorted(r.journal.tested()), sorted(images), "disks with results")
    for disk, path in images.items():
        check_data(r, disk, path, 512)
    verdicts = r.journal.verdicts()
    equal({disk: verdicts[disk] for disk in images}, dict.fromkeys(images, "PASS"), "verdicts")
    check(not r.journal.all("io_error"), "errors")
    for i, name in enumerate(CARDS):
        named(r, f"megaraid{i}", name)
        account(name, r.models[name])
    return f"QEMU {version()}"


def named(r, controller, name):
    what, product = CARDS[name]
    c = r.journal.one("controller", name=controller)
    equal((c["what"], c["driver"], c["why_not"]), (what, "megaraid", ""), f"{name}: what it is")
    check(c["model"].startswith(product), f"{name}: its product: {c['model']}")
    check(len(r.journal.all("raid_drive", controller=controller)) == (2 if name == "xscale" else 3), f"{name}: its drives")
    equal(r.journal.one("virtual_drive", disk=f"{controller}.vd0")["state"], "optimal", f"{name}: its virtual drive")


def account(name, seen):
    """What the card has seen: read as its generation wants it, nothing written, left READY."""
    equal((seen["inits"], seen["hand_backs"], seen["operational"]), (1, 1, 0), f"{name}: brought up and handed back")
    equal((seen["writes"], seen["refused_writes"], seen["media_errors"]), (0, 0, 0), f"{name}: writes and errors")
    check(seen["max_in_flight"] >= 8, f"{name}: at most {seen['max_in_flight']} in flight")
    equal(seen["ld_requests"] > 0, name in FUSION, f"{name}: read by requests of the fusion kind")
