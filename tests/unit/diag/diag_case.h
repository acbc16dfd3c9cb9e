/* One case of a diagnostic: what provokes it, and its whole text, line and
 * column.  t_diag.c runs them and fails for every row of diag.def that no case
 * covers. */
#ifndef DIAG_CASE_H
#define DIAG_CASE_H

#include "diag.h"

struct diag_case {
	enum diag d;
	/* One of: .qdk text, printed IR, builder calls, or a call of its own. */
	const char *qdk, *ir;
	void (*build)(struct qd_builder *b);
	qd_status (*custom)(struct qd_context *ctx, struct qd_error *err);
	struct qd_limits limits; /* of the context */
	size_t n_spaces; /* put behind qdk */
	/* For .qdk: the kernel (NULL: the first) and its template values. */
	const char *kernel;
	struct qd_tmpl choose[3];
	uint32_t n_choose;
	/* Then, if given, compiled for a target. */
	const char *target;
	struct qd_tmpl tmpl[3];
	uint32_t n_tmpl;
	uint32_t line, col;
	const char *want;
};

extern const struct diag_case diag_cases_build[], diag_cases_read[], diag_cases_pass[],
	diag_cases_lang[], diag_cases_shared[];
extern const unsigned n_diag_cases_build, n_diag_cases_read, n_diag_cases_pass,
	n_diag_cases_lang, n_diag_cases_shared;

#endif
