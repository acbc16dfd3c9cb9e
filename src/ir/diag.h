/* Diagnostics: every message about a kernel is a row of diag.def. */
#ifndef QD_IR_DIAG_H
#define QD_IR_DIAG_H

#include <stdio.h>

#include "ir.h"

enum diag {
#define DIAG(code, status, fmt) DIAG_##code,
#include "diag.def"
#undef DIAG
	N_DIAG
};

struct diag_info {
	const char *code; /* "E0210" */
	qd_status status;
	const char *fmt;
};
extern const struct diag_info diag_info[N_DIAG];

/* A position in the caller's C text; file NULL: unknown (no qd_at). */
struct diag_c {
	const char *file;
	uint32_t line;
};
/* Returns the C position of a builder call. */
struct diag_c diag_place(const struct qd_kernel *k, uint32_t call);

/* Position of a diagnostic. source NULL: a kernel built from C; pos is the number of the call. */
struct diag_at {
	const char *file, *source;
	const struct line_map *lines; /* of source; NULL: its lines are those of the file */
	size_t source_len;
	uint32_t pos;
	uint32_t width; /* columns to underline; 0: the token at pos */
	struct diag_c c, note_c; /* C positions of pos and of a note's pos */
};

/* A secondary position, "note: ..." with its own line; and a help line. */
struct diag_note {
	uint32_t pos;
	uint32_t width;
	const char *text; /* NULL: none */
	const char *help; /* NULL: none */
};

/* Formats file:line:col: error: text [code], the source line and a caret; without source, "call N,
 * qd_name: text [code]". Fills err, logs it, and returns the row's status. */
QD_COLD qd_status diag_report(struct qd_context *ctx, struct qd_error *err, struct diag_at at,
			      const char *call, const struct diag_note *note, enum diag d, ...);
qd_status diag_vreport(struct qd_context *ctx, struct qd_error *err, struct diag_at at,
		       const char *call, const struct diag_note *note, enum diag d, va_list ap);
/* Returns the note, or if it has no help and a builder call has one, a copy in *own with that
 * help. */
QD_COLD const struct diag_note *diag_call_note(const struct diag_note *note, enum diag d,
					       struct diag_note *own);
/* Reports an error at an instruction of a kernel. */
QD_COLD qd_status diag_ins(const struct qd_kernel *k, const struct ir *ir, uint32_t ins,
			   struct qd_error *err, const struct diag_note *note, enum diag d, ...);
/* Copies the text's name of the primitive at pos, such as "subgroup.reduce_all_add"; false if pos
 * is not at a primitive. */
QD_COLD bool diag_word(const struct qd_kernel *k, uint32_t pos, char *out, size_t size);
/* Reports an error at pos, an attribute of a kernel; 0: no position. */
QD_COLD qd_status diag_kernel(const struct qd_kernel *k, uint32_t pos, struct qd_error *err,
			      enum diag d, ...);
/* Logs a warning (codes W...). call: as for diag_report. */
QD_COLD void diag_warn(struct qd_context *ctx, struct diag_at at, const char *call, enum diag d, ...);
void diag_vwarn(struct qd_context *ctx, struct diag_at at, const char *call, enum diag d, va_list ap);

#endif
