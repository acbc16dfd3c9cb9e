/* A test of one diagnostic: its cause, and its exact text, line and column. t_diag.c runs the cases
 * and fails for every row of diag.def without one. */
#ifndef DIAG_CASE_H
#define DIAG_CASE_H

#include "diag.h"

struct diag_case {
	enum diag d;
	/* Exactly one of: .qdk text, printed IR, builder calls, or a function. */
	const char *qdk, *ir;
	void (*build)(struct qd_builder *b);
	qd_status (*custom)(struct qd_context *ctx, struct qd_error *err);
	struct qd_limits limits; /* of the context */
	size_t n_spaces; /* number of spaces appended to qdk */
	/* For .qdk: the kernel (NULL: the first) and its template values. */
	const char *kernel;
	struct qd_tmpl choose[3];
	uint32_t n_choose;
	/* If not NULL, the kernel is compiled for this target. */
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
