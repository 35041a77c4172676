#include <stdio.h>
#include "platform_model.h"
#include "text.h"

/* What of the back end touches no device: I/O ports and the log. */

static uint32_t (*port_read)(void *, uint16_t, unsigned);
static void (*port_write)(void *, uint16_t, unsigned, uint32_t);
static void *port_ctx;
static char last_log[240];
unsigned long model_log_lines;

/* ---- ports ---- */
void model_set_ports(uint32_t (*read)(void *, uint16_t port, unsigned bytes),
                     void (*write)(void *, uint16_t port, unsigned bytes, uint32_t v), void *ctx)
{
    port_read = read;
    port_write = write;
    port_ctx = ctx;
}

static uint32_t read_port(uint16_t port, unsigned bytes)
{
    return port_read ? port_read(port_ctx, port, bytes) : UINT32_MAX;
}

static void write_port(uint16_t port, unsigned bytes, uint32_t v)
{
    if (port_write)
        port_write(port_ctx, port, bytes, v);
}

uint8_t plat_port_read8(uint16_t port) { return (uint8_t)read_port(port, 1); }

uint16_t plat_port_read16(uint16_t port) { return (uint16_t)read_port(port, 2); }

uint32_t plat_port_read32(uint16_t port) { return read_port(port, 4); }

void plat_port_write8(uint16_t port, uint8_t v) { write_port(port, 1, v); }

void plat_port_write16(uint16_t port, uint16_t v) { write_port(port, 2, v); }

void plat_port_write32(uint16_t port, uint32_t v) { write_port(port, 4, v); }

/* ---- words ---- */
void plat_log(enum log_level level, const char *fmt, ...)
{
    static const char *const level_words[] = { "error", "warning", "info", "debug" };
    struct text t = text_over(last_log, sizeof last_log);
    va_list ap;

    va_start(ap, fmt);
    text_vfmt(&t, fmt, ap);
    va_end(ap);
    model_log_lines++;
    if (!model_quiet)
        fprintf(stderr, "%s: %s\n", level_words[level & 3], last_log);
}

const char *model_last_log(void) { return last_log; }

void model_reset_log(void)
{
    model_log_lines = 0;
    last_log[0] = 0;
}
