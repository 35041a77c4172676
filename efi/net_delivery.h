#ifndef EFI_NET_DELIVERY_H
#define EFI_NET_DELIVERY_H
#include "conf.h"
#include "journal.h"

/* Results find home: the journal in parts while the run goes on, what is made from it at the end.
 *
 * Places are tried in the order of the configuration, and a place that fails is left for the next one, which
 * then gets everything from the beginning: each place alone holds a whole result or says where it ended.
 * Nothing here changes a verdict.  All of it calls firmware: only between steps and in holds. */

/* Files are called after the machine and the run.  Nothing is sent yet. */
void net_delivery_start(const struct conf *conf, const struct machine_info *machine, const char *run_name);
bool net_delivery_wanted(void);
/* What is new of the journal, once a minute or when much has gathered; at most about half a minute. */
void net_delivery_checkpoint(const char *journal, size_t len);
/* The same at once, so that what fails is in the journal before its last line is written. */
void net_delivery_before_end(const char *journal, size_t len);
/* The rest of the journal and the reports.  False: no place has all of it.  `where` receives, for people, the
 * place that has it or each place's reason. */
bool net_delivery_finish(const char *journal, size_t len, struct text *where);

#endif
