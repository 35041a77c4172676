#ifndef EFI_NET_STATE_H
#define EFI_NET_STATE_H
#include "conf.h"
#include "journal.h"

/* What a server remembers of this machine from run to run (`state` of the configuration): for machines that
 * have no stick.  One text of named parts (net/state_text.h). */

/* Fetches it.  A server that has none, or does not answer, means that nothing is known; it is said. */
void net_state_fetch(const struct conf *conf, const struct machine_info *machine);
/* One part of it; NULL: there is none. */
const char *net_state_part(const char *name, size_t *len);
/* The part's text from now on; len 0 removes it.  Kept in memory until net_state_put.  False: too large, or
 * there is no memory or no server; what was kept before stays. */
bool net_state_keep(const char *name, const char *text, size_t len);
/* Whether the server answered at the start: what is kept will be there at the next one. */
bool net_state_answers(void);
/* Sends what was kept by now and goes on keeping it.  A server that does not take it is not asked again for
 * five minutes; the first time is said on serial. */
void net_state_send(void);
/* Sends it at once and reads it back.  OK: the server has it, byte by byte; else `why`. */
int net_state_send_sure(struct text *why);
/* What the server gave at the start was a whole text, or it has none of this machine yet: a part that is not
 * in it was never kept. */
bool net_state_is_whole(void);
/* Sends the text when something was kept.  False, with words on serial and in `problem`: the server did not
 * take it. */
bool net_state_put(struct text *problem);

#endif
