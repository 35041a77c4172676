#include "watchdog.h"
#include "firmware.h"

enum { WATCHDOG_S = 600, WATCHDOG_CODE = 0x1ba5e };

void watchdog_arm(bool attended)
{
    boot->SetWatchdogTimer(attended ? 0 : WATCHDOG_S, WATCHDOG_CODE, 0, NULL);
}

void watchdog_off(void) { boot->SetWatchdogTimer(0, 0, 0, NULL); }
