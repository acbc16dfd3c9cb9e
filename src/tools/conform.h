/* What the files of qd-conform share. */
#ifndef QD_TOOLS_CONFORM_H
#define QD_TOOLS_CONFORM_H

#include <stdio.h>

#include "tool.h"

/* -- conform_report.c: what people read ---------------------------------------------------- */

/* A file that has all of it too, line by line as it comes; NULL: none. */
void report_open(const char *path);
/* Nothing of it to stdout, where JSON goes. */
void report_silence(void);
void report_print(const char *fmt, ...) QD_PRINTF(1, 2);
/* What the standard error is told, to the file alone: why there is no device. */
void report_error(const struct qd_error *e);
/* Exits where the file could not be written. */
void report_close(void);

/* -- conform_ladder.c: what comes before the cases on a device of AMD's
 * ---------------------------- */

bool ladder_wanted(const char *selector);
/* False: a step failed.  json: NULL, or what gets an array of the steps. */
bool ladder_run(const char *selector, FILE *json);
void ladder_list(void);

#endif
