/* Formats diagnostics: position, message, code, the source line and a caret. */
#include "diag.h"
#include "ir.h"

enum { QD_E_OK = QD_OK }; /* status of warnings */

const struct diag_info diag_info[N_DIAG] = {
#define DIAG(code, status, fmt) { #code, QD_E_##status, fmt },
#include "diag.def"
#undef DIAG
};

enum { TEXT_MAX = sizeof((struct qd_error *)0)->text };

struct text {
	char s[TEXT_MAX];
	size_t len;
};

static void
put_v(struct text *t, const char *fmt, va_list ap)
{
	size_t room = sizeof t->s - t->len;
	int n = vsnprintf(t->s + t->len, room, fmt, ap);

	if (n > 0)
		t->len += (size_t)n < room ? (size_t)n : room - 1;
}

static void QD_PRINTF(2, 3) put(struct text *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_v(t, fmt, ap);
	va_end(ap);
}

static bool
is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '.';
}

/* Returns the columns of the token at s: a word with its dots, else one character. */
static uint32_t
token_width(const char *s, const char *end)
{
	const char *p = s;

	while (p < end && is_word(*p))
		p++;
	return p > s ? (uint32_t)(p - s) : 1;
}

/* Returns the bytes of a character that may be printed unchanged: printable ASCII or UTF-8. Returns
 * 0 for control characters, which a terminal would interpret. */
static uint32_t
printable(const char *s, const char *end)
{
	const uint8_t *p = (const uint8_t *)s;
	uint32_t n = *p < 0x80 ? 1 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : 4;

	if (n == 1)
		return *p >= ' ' && *p < 0x7f;
	if (*p < 0xc2 || *p > 0xf4 || end - s < n || (*p == 0xc2 && p[1] < 0xa0))
		return 0;
	for (uint32_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

static void
put_line(struct text *t, const char *s, const char *end)
{
	while (s < end) {
		uint32_t n = printable(s, end);

		if (n)
			put(t, "%.*s", (int)n, s);
		else
			put(t, "%c", *s == '\t' || *s == '\r' ? ' ' : '?');
		s += n ? n : 1;
	}
}

/* Returns the line of the position, and its end; NULL if the text has no such line. */
static const char *
find_line(const char *source, size_t len, uint32_t pos, const char **eol)
{
	const char *p = source, *end = source + len;

	for (uint32_t i = 1; i < POS_LINE(pos) && p; i++) {
		p = memchr(p, '\n', (size_t)(end - p));
		p = p ? p + 1 : NULL;
	}
	if (!p)
		return NULL;
	*eol = memchr(p, '\n', (size_t)(end - p));
	*eol = *eol ? *eol : end;
	return POS_COL(pos) && POS_COL(pos) <= (size_t)(*eol - p) + 1 ? p : NULL;
}

bool
diag_word(const struct qd_kernel *k, uint32_t pos, char *out, size_t size)
{
	const char *eol, *p = NULL;
	uint32_t n;

	if (k->from_text && k->source)
		p = find_line(k->source->text, k->source->len, pos, &eol);
	if (!p)
		return false;
	p += POS_COL(pos) - 1;
	n = token_width(p, eol);
	snprintf(out, size, "%.*s", (int)n, p);
	return memchr(p, '.', n) != NULL;
}

/* Moves *from and *eol to a window of a long line around at, which begins and ends between
 * characters. */
static void
cut_line(const char **from, const char **eol, const char *at)
{
	enum { SHOWN = 160, WINDOW = 120, BEFORE = 60, CONTINUATION = 3 };
	const char *line = *from, *end = *eol;

	if (end - line <= SHOWN)
		return;
	if (at - line > BEFORE)
		*from = at - BEFORE;
	for (int i = 0; i < CONTINUATION && *from > line && (**from & 0xc0) == 0x80; i++)
		--*from;
	if (end - *from > WINDOW)
		*eol = *from + WINDOW;
	for (int i = 0; i < CONTINUATION && *eol < end && (**eol & 0xc0) == 0x80; i++)
		++*eol;
}

/* Appends " 3 | the line" and the caret below it. "..." replaces the rest of a long line. */
static void
put_source(struct text *t, const struct diag_at *at, uint32_t pos, uint32_t width)
{
	const char *eol, *p = find_line(at->source, at->source_len, pos, &eol);
	const char *from = p, *to, *caret;

	if (!p)
		return;
	/* such a column is the least that the position may mean */
	if (POS_LINE(pos) > MAX_NARROW && POS_COL(pos) == MAX_NARROW)
		return;
	caret = p + POS_COL(pos) - 1;
	to = eol;
	cut_line(&from, &to, caret);
	put(t, "\n%5u | %s", POS_LINE(pos), from > p ? "..." : "");
	put_line(t, from, to);
	put(t, "%s\n      | %*s^", to < eol ? "..." : "", (int)(caret - from) + (from > p ? 3 : 0), "");
	if (!width)
		width = token_width(caret, eol);
	for (uint32_t i = 1; i < width && caret + i < to; i++)
		put(t, "~");
}

static void
put_place(struct text *t, const struct diag_at *at, uint32_t pos)
{
	put(t, "%s:%u:%u: ", at->file ? at->file : "-", POS_LINE(pos), POS_COL(pos));
}

struct diag_c
diag_place(const struct qd_kernel *k, uint32_t call)
{
	uint32_t lo = 0, hi = k->n_places; /* finds the last whose call is not above this one */

	if (k->from_text)
		return (struct diag_c){ .file = NULL };
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (k->places[mid].call <= call)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || !call)
		return (struct diag_c){ .file = NULL };
	return (struct diag_c){ k->files[k->places[lo - 1].file], k->places[lo - 1].line };
}

static void
put_diag(struct text *t, const struct diag_at *at, const char *call, const char *severity,
	 const struct diag_note *note, enum diag d, va_list ap)
{
	if (at->source) {
		put_place(t, at, at->pos);
		put(t, "%s: ", severity);
	} else if (call && at->pos) {
		if (at->c.file)
			put(t, "%s:%u: ", at->c.file, at->c.line);
		put(t, "call %u, %s: ", at->pos, call);
	} else if (call) {
		put(t, "%s: ", call);
	}
	put_v(t, diag_info[d].fmt, ap);
	put(t, " [%s]", diag_info[d].code);
	if (at->source)
		put_source(t, at, at->pos, at->width);
	if (note && note->text) {
		put(t, "\n");
		if (at->source && note->pos) {
			put_place(t, at, note->pos);
			put(t, "note: %s", note->text);
			put_source(t, at, note->pos, note->width);
		} else if (note->pos) {
			if (at->note_c.file)
				put(t, "%s:%u: ", at->note_c.file, at->note_c.line);
			put(t, "note: call %u: %s", note->pos, note->text);
		} else {
			put(t, "note: %s", note->text);
		}
	}
	if (note && note->help)
		put(t, "\nhelp: %s", note->help);
}

static qd_status
report(struct qd_context *ctx, struct qd_error *err, const struct diag_at *at, const char *call,
       const struct diag_note *note, enum diag d, va_list ap)
{
	struct text t = { .len = 0 };
	bool lines = at->source != NULL;

	if (err == QD_IGNORE_ERROR)
		return diag_info[d].status;
	put_diag(&t, at, call, "error", note, d, ap);
	if (ctx)
		ctx_log(ctx, QD_LOG_ERROR, "diag", "%s", t.s);
	return qd_fail_text(err, diag_info[d].status, lines ? POS_LINE(at->pos) : at->c.line,
			    lines ? POS_COL(at->pos) : 0, t.s, t.len);
}

qd_status
diag_report(struct qd_context *ctx, struct qd_error *err, struct diag_at at, const char *call,
	    const struct diag_note *note, enum diag d, ...)
{
	va_list ap;
	qd_status st;

	va_start(ap, d);
	st = report(ctx, err, &at, call, note, d, ap);
	va_end(ap);
	return st;
}

qd_status
diag_vreport(struct qd_context *ctx, struct qd_error *err, struct diag_at at, const char *call,
	     const struct diag_note *note, enum diag d, va_list ap)
{
	return report(ctx, err, &at, call, note, d, ap);
}

static const char *const call_helps[N_DIAG] = {
#define HELP(code, help) [DIAG_##code] = help,
#include "call_help.def"
#undef HELP
};

const struct diag_note *
diag_call_note(const struct diag_note *note, enum diag d, struct diag_note *own)
{
	if ((note && note->help) || !call_helps[d])
		return note;
	*own = note ? *note : (struct diag_note){ .pos = 0 };
	own->help = call_helps[d];
	return own;
}

/* Reports at pos of a kernel. ins is the instruction there, or 0. */
static QD_COLD qd_status
at_kernel(const struct qd_kernel *k, uint32_t pos, uint32_t ins, struct qd_error *err,
	  const struct diag_note *note, enum diag d, va_list ap)
{
	struct diag_at at = { .file = k->file, .pos = pos };
	struct diag_note own;
	char call[96];

	if (k->from_text) {
		at.source = k->source ? k->source->text : "";
		at.source_len = k->source ? k->source->len : 0;
	}
	if (pos && pos < k->n_calls && k->calls[pos]) {
		snprintf(call, sizeof call, "%s", k->calls[pos]);
		at.c = diag_place(k, pos);
		at.note_c = diag_place(k, note ? note->pos : 0);
		note = diag_call_note(note, d, &own);
	} else {
		/* From printed IR: no call has a name, so the message names the instruction. */
		at.pos = k->from_text ? pos : 0;
		if (ins)
			snprintf(call, sizeof call, "kernel '%.64s', %%%u", k->name, ins);
		else
			snprintf(call, sizeof call, "kernel '%.64s'", k->name);
	}
	return report(k->ctx, err, &at, call, note, d, ap);
}

qd_status
diag_ins(const struct qd_kernel *k, const struct ir *ir, uint32_t ins, struct qd_error *err,
	 const struct diag_note *note, enum diag d, ...)
{
	uint32_t pos = ins && ins < ir->n ? ir->pos[ins] : 0;
	va_list ap;
	qd_status st;

	va_start(ap, d);
	st = at_kernel(k, pos, ins, err, note, d, ap);
	va_end(ap);
	return st;
}

qd_status
diag_kernel(const struct qd_kernel *k, uint32_t pos, struct qd_error *err, enum diag d, ...)
{
	va_list ap;
	qd_status st;

	va_start(ap, d);
	st = at_kernel(k, pos, 0, err, NULL, d, ap);
	va_end(ap);
	return st;
}

void
diag_vwarn(struct qd_context *ctx, struct diag_at at, const char *call, enum diag d, va_list ap)
{
	struct text t = { .len = 0 };

	put_diag(&t, &at, call, "warning", NULL, d, ap);
	ctx_log(ctx, QD_LOG_WARNING, "diag", "%s", t.s);
}

void
diag_warn(struct qd_context *ctx, struct diag_at at, const char *call, enum diag d, ...)
{
	va_list ap;

	va_start(ap, d);
	diag_vwarn(ctx, at, call, d, ap);
	va_end(ap);
}
