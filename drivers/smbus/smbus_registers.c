#include "smbus_internal.h"

/* Transactions of the register block that Intel's i801 took over from the PIIX4 (fact sheet pin-check 2.2).
 */

bool registers_are_busy(const struct smbus_host *h) { return host_in(h, HST_STS) & STS_BUSY; }

void registers_save(struct smbus_host *h)
{
    h->saved.control = host_in(h, HST_CNT);
    h->saved.command = host_in(h, HST_CMD);
    h->saved.address = host_in(h, HST_ADD);
    h->saved.data = host_in(h, HST_D0);
}

void registers_restore(struct smbus_host *h)
{
    host_out(h, HST_STS, STS_RESULTS);
    host_out(h, HST_CNT, h->saved.control & (uint8_t) ~(CNT_START | CNT_KILL));
    host_out(h, HST_CMD, h->saved.command);
    host_out(h, HST_ADD, h->saved.address);
    host_out(h, HST_D0, h->saved.data);
}

bool registers_kill(struct smbus_host *h)
{
    h->e->kills++;
    host_out(h, HST_CNT, CNT_KILL);
    plat_stall_us(1000);
    host_out(h, HST_CNT, 0);
    host_out(h, HST_STS, STS_RESULTS);
    uint64_t end_ns = plat_now_ns() + KILL_LIMIT_MS * NS_PER_MS;
    while (registers_are_busy(h)) {
        if (plat_now_ns() > end_ns)
            return false;
        plat_stall_us(100);
    }
    host_out(h, HST_STS, STS_RESULTS);
    return true;
}

/* DEV_ERR means no acknowledge, or a device that held the clock too long: only time tells them apart. */
static enum smbus_answer answer_of(uint8_t status, uint64_t took_ns)
{
    if (status & STS_BUS_ERR)
        return ANSWER_COLLISION;
    if (status & (STS_DEV_ERR | STS_FAILED))
        return took_ns >= LATE_MS * NS_PER_MS ? ANSWER_LATE : ANSWER_NONE;
    return ANSWER_DATA;
}

enum smbus_answer registers_read_byte(struct smbus_host *h, uint8_t address, uint8_t command, uint8_t *value)
{
    enum { ENDED = STS_INTR | STS_DEV_ERR | STS_BUS_ERR | STS_FAILED };
    uint8_t status;

    host_out(h, HST_STS, STS_RESULTS);
    host_out(h, HST_ADD, (uint8_t)(address << 1 | 1));
    host_out(h, HST_CMD, command);
    host_out(h, HST_CNT, CNT_BYTE_DATA);
    host_out(h, HST_CNT, CNT_BYTE_DATA | CNT_START);
    uint64_t started_ns = plat_now_ns(), now_ns = started_ns;
    /* Over when busy has gone AND a result is there: busy may rise late, and the data register keeps the byte
     * of the transfer before. */
    for (;;) {
        status = host_in(h, HST_STS);
        now_ns = plat_now_ns();
        if (!(status & STS_BUSY) && (status & ENDED))
            break;
        if (now_ns - started_ns > READ_LIMIT_MS * NS_PER_MS) {
            h->e->wedged |= !registers_kill(h);
            return ANSWER_TIMED_OUT;
        }
        plat_relax();
    }
    *value = host_in(h, HST_D0);
    host_out(h, HST_STS, STS_RESULTS);
    return answer_of(status, now_ns - started_ns);
}
