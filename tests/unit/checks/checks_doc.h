#ifndef TESTS_CHECKS_DOC_H
#define TESTS_CHECKS_DOC_H
#include "text.h"

/* docs/checks.md, made from the tables that the program itself judges by. */
void checks_doc(struct text *t);

#endif
