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
    { "device-fault", "The drive or its controller stopped working as its standard says",
      "Switch the machine off and on and run again.  If it comes back, update the firmware of the "
      "device; if it stays, replace the device.",
      LIKELY },
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

    /* ---- result ---- */
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
