#ifndef EFI_NET_SYSLOG_H
#define EFI_NET_SYSLOG_H
#include "conf.h"
#include "journal.h"

/* Progress for a log server: one datagram per step and finding (RFC 5424).  Nobody answers them; after two
 * that the firmware could not send, no more are tried. */
enum syslog_severity { SYSLOG_ERROR = 3, SYSLOG_WARNING = 4, SYSLOG_NOTICE = 5, SYSLOG_INFO = 6 };
void net_syslog_start(const struct conf *conf, const struct machine_info *machine);
/* Firmware is called: only between steps and in holds. */
void net_syslog(enum syslog_severity severity, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
