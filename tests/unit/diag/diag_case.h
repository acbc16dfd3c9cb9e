/* A test of one diagnostic: its cause, and its exact text, line and column. Cases of .qdk text that
 * need nothing but a target are in tests/diag. t_diag.c runs all cases and fails for every row of
 * diag.def without one. */
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
	struct qd_text texts[3]; /* that qdk imports; name NULL: none */
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

struct diag_text {
	const char *name, *text;
	size_t len;
};
extern const struct diag_text diag_texts[]; /* the files of tests/diag */
extern const unsigned diag_n_texts;

/* A case of these files. The first is the one after { 0 }. */
struct diag_text_case {
	unsigned file;
	const char *head; /* its first line; the text ends at `at` */
	const char *at;
	char target[32], qdk[1024], want[1536];
	bool valid; /* the form is right */
};

/* Reads the next case. Returns false at the end. */
bool diag_text_next(struct diag_text_case *c);

#endif
