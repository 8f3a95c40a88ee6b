/* glossary.h -- definitions of the words in results, for the terminal, the report and the
 * manual. */
#ifndef ATTEST_REPORT_GLOSSARY_H
#define ATTEST_REPORT_GLOSSARY_H

typedef struct attest_term {
    const char *name;
    const char *text;
    const char *see; /* a command or a document with more, or NULL */
} attest_term;

/* In alphabetical order, ended by a NULL name. */
extern const attest_term attest_glossary[];

/* The term of this name, or NULL. */
const attest_term *attest_glossary_get(const char *name);

#endif
