#ifndef CHECKS_CHECKS_H
#define CHECKS_CHECKS_H

/* Every check of this room: which sign leads to which finding.  Title and advice of a finding stand once, in
 * result/finding.c; docs/checks.md is made from both. */
struct check {
    const char *row;  /* "S3": S and P as fact sheet pin-check numbers them, others are ours */
    const char *code; /* of finding_kinds */
    const char *sign, *meaning;
};
extern const struct check checks[];
extern const unsigned check_count;

#endif
