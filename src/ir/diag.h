/* Diagnostics: every message about a kernel, one row each in diag.def. */
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

/* A place in the caller's C text; file NULL: nobody said (qd_at). */
struct diag_c {
	const char *file;
	uint32_t line;
};
/* That of a kernel's call. */
struct diag_c diag_place(const struct qd_kernel *k, uint32_t call);

/* Where a diagnostic points.  text NULL: a kernel built from C, pos is the
 * number of the call and op its name. */
struct diag_at {
	const char *file, *source;
	size_t source_len;
	uint32_t pos;
	uint32_t width; /* columns to underline; 0: the token at pos */
	struct diag_c c, note_c; /* of pos, and of a note's */
};

/* A second place: "note: ..." with its own line; and a help line. */
struct diag_note {
	uint32_t pos;
	uint32_t width;
	const char *text; /* NULL: none */
	const char *help; /* NULL: none */
};

/* Formats file:line:col: error: text [code], the source line and a caret; or,
 * without source, "call N, qd_name: text [code]".  Fills err, logs it, returns
 * the row's status. */
QD_COLD qd_status diag_report(struct qd_context *ctx, struct qd_error *err, struct diag_at at,
			      const char *call, const struct diag_note *note, enum diag d, ...);
qd_status diag_vreport(struct qd_context *ctx, struct qd_error *err, struct diag_at at,
		       const char *call, const struct diag_note *note, enum diag d, va_list ap);
/* The note, or one made in *own, with what the caller of the builder can do where it says
 * nothing of it. */
QD_COLD const struct diag_note *diag_call_note(const struct diag_note *note, enum diag d,
					       struct diag_note *own);
/* The same for an instruction of a kernel. */
QD_COLD qd_status diag_ins(const struct qd_kernel *k, const struct ir *ir, uint32_t ins,
			   struct qd_error *err, const struct diag_note *note, enum diag d, ...);
/* What the text calls the primitive at pos, "subgroup.reduce_all_add"; false where it
 * names none there. */
QD_COLD bool diag_word(const struct qd_kernel *k, uint32_t pos, char *out, size_t size);
/* The same for an attribute of a kernel, that stands at pos; 0: it says nothing of it. */
QD_COLD qd_status diag_kernel(const struct qd_kernel *k, uint32_t pos, struct qd_error *err,
			      enum diag d, ...);
/* "warning:" rows (codes W...): logged only.  call: as for diag_report. */
QD_COLD void diag_warn(struct qd_context *ctx, struct diag_at at, const char *call, enum diag d, ...);
void diag_vwarn(struct qd_context *ctx, struct diag_at at, const char *call, enum diag d, va_list ap);

#endif
