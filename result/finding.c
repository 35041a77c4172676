#include "finding.h"
#include "bits.h"
#include "str.h"

const struct finding_kind finding_kinds[] = {
    /* ---- disks ---- */
    { "io-error", "Some data could not be read",
      "Copy off what is still needed, then replace the drive.  If several drives of one cable, "
      "backplane or card show this at the same time, change the cable and reseat the card first.",
      LIKELY },
    { "io-timeout", "A read was not answered in time",
      "Reseat the drive and its cable, then run again.  If it stays with the drive when it sits in "
      "another bay, replace the drive; if it stays with the bay, replace the cable or the backplane.",
      LIKELY },
    { "io-retries", "Reads succeeded only after being sent again",
      "Look at the cable and the connector first: this is the usual sign of a bad contact.  Run again; "
      "if it comes back, replace the drive before it gets worse.",
      HINT },
    { "slow-request", "A request took as long as a failing drive needs to repair itself",
      "Look at the drive's health values.  A drive that does this again will be dropped by a RAID card, or stop "
      "an operating system for that long: replace it.  If all drives of a card show it, look at the card.",
      LIKELY },
    { "device-fault", "The drive or its controller stopped working as its standard says",
      "Switch the machine off and on and run again.  If it comes back, update the firmware of the "
      "device; if it stays, replace the device.",
      LIKELY },
    { "latency-limit", "Requests took longer than the job file allows",
      "Read the numbers of that job: a drive that is slow once in a while (recovery of weak sectors, "
      "housekeeping, heat) shows in the highest percentiles, one that is too slow for the limit in the median.",
      SURE },
    { "latency-target", "How many requests at once keep the latency that a job file asks for",
      "Nothing to do: this is the answer that the job was run for.", SURE },
    { "cache-switch", "A drive's cache is not as a job asked, or not as it was found",
      "Numbers of that job are NOT-TESTED or of another setting than asked for.  If the cache was not put "
      "back, switch the machine off and on: the setting does not outlive the drive's power.",
      SURE },
    { "verify-reset", "What a job wrote was read back without the reset that it asked for",
      "Nothing to do: all was flushed before it was read back.  That it does not only stand in a cache is shown by "
      "a power cycle and the same job with verify_only.",
      SURE },
    { "disk-not-readable", "A drive is there but could not be tested",
      "Read the reason.  A drive that is locked, asleep for good, formatted with an unusual block size "
      "or still starting is not broken by that alone.",
      SURE },
    { "duplicate-path", "The same drive is reachable twice",
      "Nothing to do: it was tested once, and the second path is named.  If only one path was planned, "
      "look at the cabling.",
      SURE },
    { "no-namespace", "An NVMe drive without any namespace",
      "The drive answers but offers nothing to read.  Create a namespace with the maker's tool or with "
      "nvme-cli, or ask whether it was removed on purpose.",
      SURE },
    { "depth-reduced", "Fewer requests in flight than asked for",
      "Nothing is broken.  Compare the numbers only with others at the same depth; lower the depth in "
      "the job file to make the wish and the measurement agree.",
      SURE },

    /* ---- controllers ---- */
    { "controller-not-driven", "A storage controller that this program has no driver for",
      "The drives behind it were NOT tested.  The reason beside this line says whether a setting of the "
      "firmware setup (AHCI instead of RAID or IDE, VMD off) makes them reachable.",
      SURE },
    { "controller-attach-failed", "A storage controller did not come up",
      "Switch the machine off at the plug for ten seconds and run again.  If it stays: reseat the card, "
      "try another slot, update its firmware.  The drives behind it were NOT tested.",
      LIKELY },
    { "driver-remark", "The driver met something that is worth knowing",
      "Read the line: it names the port or drive and what was left out because of it.", SURE },
    { "firmware-path", "Drives are read through the firmware",
      "These lines say whether a drive can be read, not how fast it is.  Do not compare the numbers "
      "with others.",
      SURE },
    { "shared-boot-path", "The program was started from behind this controller",
      "Its drives were NOT tested, because taking the controller over would take the stick away.  Start "
      "from another port, by network, or from a USB stick to test them.",
      SURE },
    { "no-disk", "No drive to test was found",
      "Check that the drives have power and are seen in the firmware setup.  If they are there, look "
      "above for a controller that is not driven or did not come up.",
      SURE },
    { "expectation-missed", "Something that the configuration expects is missing",
      "Compare the list of drives with what was ordered.  A drive that is missing here is either not "
      "plugged in, has no power, or sits behind a controller that is named above.",
      SURE },

    /* ---- writing ---- */
    { "arming-refused", "The arming file does not count",
      "Nothing was armed by it and no disk was written because of it.  Read the reason, make the batch anew with "
      "baresweep-rack arm, have it approved, and put it where `arm` in baresweep.conf says.",
      SURE },
    { "write-refused", "A disk that was to be written was not",
      "Read the reason: the disk is not touched.  If it holds what is still needed, leave it so; if not, take a new "
      "inventory by a run without writing and arm it for what it holds now.",
      SURE },

    /* ---- machine ---- */
    { "clock-not-invariant", "The processor's clock may change its speed",
      "Times may be wrong by the factor by which the clock changes.  Switch off power saving in the "
      "firmware setup before comparing numbers; in a virtual machine, expect this.",
      LIKELY },
    { "clock-disagrees", "Two clocks of the machine disagree",
      "Do not trust speeds of this run.  Update the firmware; in a virtual machine, give it processors "
      "of its own.",
      LIKELY },
    { "low-memory", "Not enough memory for a job as asked",
      "Lower iodepth or bs in the job file, or run fewer drives side by side.", SURE },

    /* ---- SMBus and the contacts B5, B6 (docs/pins.md) ---- */
    { "smbus-not-visible", "This board does not let a program look at its SMBus",
      "If the machine starts reliably with the card in, there is nothing to do.  If it does not start with the "
      "card and does without, cover the contacts B5 and B6 of the card and try again (docs/pins.md).",
      SURE },
    { "smbus-owned", "The firmware keeps the SMBus to itself",
      "It was not used.  Make one run with the card and one without it: the stick keeps what each run saw, and the "
      "second one compares.",
      SURE },
    { "smbus-clock-held", "The clock line of the SMBus is held low",
      "Switch off at the wall, cover the contacts B5 and B6 of the card that was added last (docs/pins.md), and run "
      "again.  If nothing changes, take the cards out one by one.",
      LIKELY },
    { "smbus-data-held", "The data line of the SMBus is held low",
      "Switch off at the wall for a minute, so that standby power goes too, and run again.  If it comes back, cover "
      "the contacts B5 and B6 of the card that was added last (docs/pins.md).",
      LIKELY },
    { "smbus-left-busy", "A transfer on the SMBus was left hanging",
      "Run again after a cold start.  If it comes back with the card and not without it, cover the contacts B5 and "
      "B6 of the card (docs/pins.md).",
      HINT },
    { "smbus-wedged", "The SMBus controller hangs",
      "Switch off at the wall for a minute and run again.  If it comes back, take out the card that was added last.",
      LIKELY },
    { "smbus-two-answer", "Two devices seem to answer at one address of the SMBus",
      "Compare with a run without the card.  If that one is clean, cover the contacts B5 and B6 of the card "
      "(docs/pins.md); if not, exchange the memory module.",
      LIKELY },
    { "memory-left-out", "Some memory is not used although its module can be read",
      "The firmware passed over a module when it started, typically because a card answered at the same address. "
      "Start once without the card and compare; then cover its contacts B5 and B6 (docs/pins.md).",
      LIKELY },
    { "smbus-foreign", "Something that is no memory module answers among them",
      "Nothing is broken yet.  It will clash with a memory module that is added at that address.  If the machine "
      "does not start after adding memory, cover the contacts B5 and B6 of the card (docs/pins.md).",
      LIKELY },
    { "smbus-disturbed", "Another master or a slow device is on the SMBus",
      "Compare with a run without the card.  If that one is clean and the machine starts badly with the card, cover "
      "its contacts B5 and B6 (docs/pins.md).",
      HINT },
    { "smbus-blank", "Only empty memories answer on the SMBus",
      "Nothing can be said about the contacts B5 and B6.  This is usual in virtual machines.", SURE },
    { "smbus-elsewhere", "The memory modules are not on this SMBus",
      "A clash with them cannot be looked for here, and on such boards normally cannot happen.", SURE },
    { "smbus-partly", "Only some of the memory modules are on this SMBus",
      "The others are behind a switch that is not touched.  Nothing can be said about the contacts B5 and B6.",
      SURE },
    { "smbus-healthy", "The SMBus works with the cards as they are",
      "Nothing to do: no contact of the card needs covering.", SURE },
    { "smbus-only-looked", "The SMBus was looked at and nothing was sent",
      "No sign of trouble was seen.  To have the memory modules read, set smbus = probe in baresweep.conf.",
      HINT },
    { "smbus-unclear", "What was read from the SMBus is not enough for an answer",
      "Run again after a cold start; make one run with the card and one without it to compare.", HINT },
    { "smbus-mod-confirmed", "A trouble of an earlier run is gone with the same cards",
      "If the contacts B5 and B6 were covered in between, that was the cure: leave them covered.", LIKELY },
    { "smbus-comes-with-card", "The state of the SMBus depends on a card",
      "The card that was put in or taken out makes the difference.  If the machine starts badly with it, cover its "
      "contacts B5 and B6 (docs/pins.md).",
      LIKELY },
    { "smbus-comes-and-goes", "The SMBus has a trouble that it did not have before",
      "The cards are the same: look for a bad seat, a module that was exchanged, or a device that answers only at "
      "times.  Run again after a cold start.",
      HINT },

    /* ---- links ---- */
    { "link-full", "The link runs at all that slot and card can do",
      "Nothing to do: the slot gives the card all that it can take.", SURE },
    { "link-unknown", "The card says nothing about its link",
      "Old cards sit behind a bridge of their own.  Nothing can be said about the slot.", SURE },
    { "slot-narrow", "The slot has fewer lanes than the card",
      "Move the card to a slot with more lanes.  Slots are often narrower inside than their plastic; the board's "
      "manual says how each is wired.",
      SURE },
    { "lanes-missing", "The link uses fewer lanes than slot and card have",
      "Reseat the card, clean its contacts, try without a riser.  If contacts were covered, check that the tape "
      "covers B5 and B6 only.  Look for bent pins in the slot.",
      LIKELY },
    { "link-saving", "The link is slower than it could be, on purpose",
      "Look for the speed of the slot (Gen1, Gen2, Auto) and for power saving in the firmware setup.",
      LIKELY },
    { "link-signal", "The link came up slower than slot and card can do",
      "Reseat the card, take out risers and extension cables, try another slot, update the firmware of the board "
      "and of the card.",
      LIKELY },
    { "slot-no-link", "Something sits in a slot and no link came up",
      "Reseat the card; check its extra power plug, its fuse, and that no tape covers other contacts (B8, B10). "
      "Look in the firmware setup whether the slot is switched off or split.",
      LIKELY },
    { "card-narrow", "The card offers less than its design",
      "The card itself came up with fewer lanes or at a lower speed than it was made for: update its firmware, "
      "clean its contacts; it may be damaged, or be a virtual one.",
      LIKELY },
    { "link-corrected", "The link repeated packets while disks were read",
      "No data was wrong.  Reseat the card, take out risers, try another slot: it costs speed and gets worse.",
      LIKELY },
    { "link-errors", "The link had errors that were not repaired",
      "Do not use the card in this slot.  Reseat it, take out risers, try another slot, then another card.",
      LIKELY },
    { "errors-before", "Error bits from before the run",
      "Usual: the search for devices at start sets them.  Only what was added during the run counts.", SURE },
    { "payload-mixed", "Parts of one path disagree about the size of packets",
      "Update the firmware of the board, or set the maximum payload size in its setup to one value.",
      LIKELY },
    { "payload-small", "Packets are smaller than all parts of the path could take",
      "It costs 5 to 8 % of the speed.  Look for the maximum payload size in the firmware setup.", SURE },
    { "not-awake", "A controller was asleep and was woken",
      "Something put it to sleep before us: look for power saving of slots in the firmware setup.", SURE },
    { "wake-request", "A card asks for waking the machine",
      "This explains a machine that switches itself on.  Switch off wake-up by PCI Express in the firmware setup.",
      LIKELY },
    { "slot-power", "The slot does not promise 25 W to a RAID card",
      "Nothing to do while the card works.  If it vanishes under load, try a wider slot.", HINT },
    { "link-limits", "The link is what limits the speed",
      "The disks could be faster than the slot.  Move the card to a wider or faster slot, or spread the disks over "
      "two cards.",
      SURE },
    { "numa-controlled", "Buffers lie in the memory that is next to their controller",
      "Nothing to do: numbers of several runs compare.", SURE },
    { "numa-not-controlled", "How far a controller is from its buffers is not known",
      "Numbers may depend on which processor's memory was used, and on the slot.  Compare only with runs of the same "
      "machine with the cards in the same slots.",
      SURE },

    /* ---- health ---- */
    { "health-good", "What the device says about itself is good",
      "Nothing to do: all values are within limits.", SURE },
    { "health-unknown", "The device says nothing about itself",
      "Look at it with the maker's own tool if its age or wear matters.", SURE },
    { "health-failing", "The drive itself says that it is failing",
      "Copy off what is still needed and replace the drive, however well it measures.", SURE },
    { "health-hot", "The drive is too hot",
      "Look at fans, filters and air flow, then run again: hot drives are slower and die sooner.", SURE },
    { "health-throttled", "The drive slowed itself down because of heat",
      "Its numbers in this run are too low.  Cool it and run again.", SURE },
    { "health-worn", "The drive has used up its endurance or its reserve",
      "Do not use it for anything that writes much; replace it before it turns read-only.", SURE },
    { "health-media", "The drive counts places that it could not read",
      "Run a full read of it.  If the numbers grow from run to run, replace the drive.", LIKELY },
    { "health-cable", "The drive counts errors on its cable",
      "Replace the cable or clean the backplane's contact.  The counter never goes back: only growth matters.",
      LIKELY },
    { "self-test-passed", "The drive's own self-test found nothing wrong",
      "Nothing to do: the drive looked at itself and found no fault.", SURE },
    { "self-test-failed", "The drive's own self-test found a fault",
      "Copy off what is still needed and replace the drive: makers take this as proof.", SURE },
    { "capacity-lie", "The drive is smaller than it says",
      "A forgery, or broken.  Send it back; whatever is written behind its real end is lost.", SURE },
    { "burn-in-error", "The burn-in found an error",
      "Replace the drive, or look at its cable and slot when others of the same path fail, too.", SURE },
    { "burn-in-warm", "The drive rested because it was warm",
      "Nothing is wrong with the drive yet: look at fans and air flow.", SURE },
    { "burn-in-too-hot", "The drive reached its critical temperature",
      "Look at fans, filters and air flow before it is used or tested again.", SURE },
    { "burn-in-crash-loop", "The machine went down again and again at the same place",
      "Look at the power supply, then try this drive alone; remove `runs` from the stick to begin anew.",
      LIKELY },
    { "burn-in-resumed", "The burn-in goes on where it was interrupted",
      "Nothing to do: the burn-in goes on where its last checkpoint was.", SURE },
    { "run-resumed", "The run goes on where it was interrupted",
      "Nothing to do: what was measured before is marked earlier-start.", SURE },
    { "no-resume", "A burn-in on this boot path cannot be resumed",
      "Boot from a stick that can be written when it should survive a power cut.", SURE },
    { "battery-bad", "The battery of the RAID card is missing, weak or hot",
      "Replace it.  Until then the card works without its write cache and is slow at writing.", LIKELY },

    /* ---- drives among their like ---- */
    { "odd-slow", "This drive is slower than the drives of its kind",
      "Run again with the drive in another bay.  If it is slow there too, the drive is the cause: look at its health, "
      "and replace it.  If the bay is slow, look at its cable, backplane and slot.",
      LIKELY },
    { "odd-tail", "This drive now and then stops, more than the drives of its kind",
      "Drives that fail slowly begin like this.  Run again; if it stays, look at its health and temperature, try "
      "another bay, and replace it.",
      LIKELY },

    /* ---- result ---- */
    { "stick-back", "The result medium was away and is back", "Nothing to do: it was brought up to date.",
      SURE },
    { "stick-full", "The result medium is full",
      "Free some space or use a larger stick.  What is missing there was still sent to the screen and "
      "the serial port.",
      SURE },
    { "stick-read-only", "The result medium cannot be written",
      "Look for a write-protect switch on the stick or the card.  Old sticks turn read-only when they "
      "are worn: use another one.",
      SURE },
    { "stick-write-failed", "Writing to the result medium failed in the middle of the run",
      "The result on it ends early, up to the last whole line it is good.  Use another stick, and a "
      "port of the board itself instead of a hub.",
      SURE },
    { "no-result-medium", "There is no place to store the result",
      "Only the screen and the serial port have it: take a photograph.  To have a file, start from a "
      "stick with a FAT partition.",
      SURE },
    { "not-reported", "Part of the result was not stored",
      "The screen and the serial port show more than the file.  Run again with a larger or faster "
      "medium.",
      SURE },

    /* ---- what the disk holds ---- */
    { "data-unreadable", "The head or the tail of a disk cannot be read",
      "An operating system keeps its partition table and boot data there.  Save what can be read, then "
      "replace the drive; on a virtual drive look at its members first.",
      SURE },
    { "data-differs", "The same blocks read differently in small and in large requests",
      "Do not trust this path with data: run again with another cable, slot and memory module to find the "
      "part that alters what passes through it.",
      SURE },
    { "content-changed", "The content of a disk is not what it was before the run",
      "This program wrote nothing.  Look for another writer: a shared disk, a RAID card that rebuilds or "
      "initialises, a second machine on the same enclosure.",
      LIKELY },
    { "handback", "The firmware takes the disk over again",
      "When it does not, restart the machine before anything else is started from this drive.", SURE },

    /* ---- what was asked for ---- */
    { "configuration-error", "A line of the configuration is wrong",
      "The line keeps its default and everything else ran.  Correct the line that is named.", SURE },
    { "job-refused", "A job of the job file was refused",
      "The job did NOT run, the others did.  Correct the option that is named.", SURE },
    { "not-tested", "Something that was planned did not run",
      "The reason stands beside it.  More time (budget) or fewer jobs make the plan fit.", SURE },
    { "run-stopped", "The run was stopped before its end",
      "What was measured until then is good.  Run again for the rest.", SURE },
};
const unsigned finding_kind_count = ARRAY_COUNT(finding_kinds);

const struct finding_kind *finding_kind(const char *code)
{
    for (unsigned i = 0; i < finding_kind_count; i++)
        if (str_equal(finding_kinds[i].code, code))
            return &finding_kinds[i];
    return NULL;
}
