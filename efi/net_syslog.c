#include "net_syslog.h"
#include "names.h"
#include "net_link.h"
#include "net_udp.h"
#include "serial.h"

enum { FACILITY_LOCAL0 = 16, FAILURES_MAX = 2 };
static struct uri place;
static char host[64];
static bool on;
static unsigned failures;

void net_syslog_start(const struct conf *conf, const struct machine_info *machine)
{
    char words[160];
    struct text why = text_over(words, sizeof words), name = text_over(host, sizeof host);

    if (!conf->syslog[0] || uri_parse_syslog(conf->syslog, str_len(conf->syslog), &place, &why) != OK ||
        net_link_up() != OK || !net_link_place(&place) || net_link_reach(place.ip) != OK)
        return;
    if (!name_is_filler(machine->serial))
        name_word(machine->serial, &name);
    else if (net_link.has_mac)
        name_mac(net_link.mac, &name);
    on = true;
    net_syslog(SYSLOG_NOTICE, "%s %s starts on %s %s", machine->product, machine->version, machine->vendor,
               machine->model);
}

static int send_line(const char *line, size_t len)
{
    struct net_udp socket;
    char words[120];
    struct text why = text_over(words, sizeof words);
    int rc = net_udp_open(&socket, place.ip, &why);

    if (rc != OK)
        return rc;
    rc = net_udp_send(&socket, place.port, line, len);
    net_udp_close(&socket);
    return rc;
}

void net_syslog(enum syslog_severity severity, const char *fmt, ...)
{
    char line[400];
    struct text t = text_over(line, sizeof line);
    va_list ap;

    if (!on)
        return;
    text_fmt(&t, "<%u>1 - %s baresweep - - - ", FACILITY_LOCAL0 * 8 + severity, host[0] ? host : "-");
    va_start(ap, fmt);
    text_vfmt(&t, fmt, ap);
    va_end(ap);
    failures = send_line(line, t.len) == OK ? 0 : failures + 1;
    if (failures == FAILURES_MAX) {
        on = false;
        serial_say("syslog: the server cannot be reached; no more lines are sent");
    }
}
