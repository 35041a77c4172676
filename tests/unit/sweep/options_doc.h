#ifndef TESTS_SWEEP_OPTIONS_DOC_H
#define TESTS_SWEEP_OPTIONS_DOC_H
#include "text.h"

/* docs/jobs.md and docs/conf.md, made from the option tables that the program itself reads by. */
void options_doc_jobs(struct text *out);
void options_doc_conf(struct text *out);

#endif
