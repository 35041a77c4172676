#ifndef EFI_WATCHDOG_H
#define EFI_WATCHDOG_H
#include <stdbool.h>

/* Unattended, a machine that hangs in our hands is reset by the firmware after ten minutes. */
void watchdog_arm(bool attended); /* also again, before each piece of work */
void watchdog_off(void);

#endif
