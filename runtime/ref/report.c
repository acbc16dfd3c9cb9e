/* Findings and remarks as text. A finding is a violation of the contract; the next
 * synchronization returns the first one. A remark is about something defined but probably not
 * intended. Both are logged after the launch, because the log must not be called under a lock. */
#include <math.h>
#include <stdio.h>

#include "diag.h"
#include "interp.h"

static void QD_PRINTF(2, 0)
put_v(struct text *t, const char *fmt, va_list ap)
{
	size_t room = sizeof t->s - t->len;
	int n = vsnprintf(t->s + t->len, room, fmt, ap);

	if (n > 0)
		t->len += (size_t)n < room ? (size_t)n : room - 1;
}

void
interp_put(struct text *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_v(t, fmt, ap);
	va_end(ap);
}

bool
interp_counts(const struct wave *w, uint32_t lane)
{
	return wave_index(w, lane) < w->run->launch->grid_n;
}

void
interp_put_place(struct text *t, const struct run *r, uint32_t ins)
{
	const struct qd_kernel *k = r->image->kernel;
	uint32_t pos = r->ir->pos[ins];
	struct diag_c c = diag_place(k, pos);
	struct line_place place = ir_place(k, pos);

	if (c.file)
		interp_put(t, "%s:%u: ", c.file, c.line);
	if (k->from_text)
		interp_put(t, "%s:%u:%u: ", place.file, place.line, place.col);
	else if (pos && pos < k->n_calls && k->calls[pos])
		interp_put(t, "call %u, %s: ", pos, k->calls[pos]);
	else if (pos)
		interp_put(t, "call %u: ", pos);
}

/* Appends a whole entry or nothing: its log level, the text, NUL. */
static bool
keep(struct ref_stream *s, qd_log_level level, const char *text, size_t len)
{
	char *to = buf_extend(&s->report, len + 2);

	if (!to)
		return false;
	*to = (char)level;
	memcpy(to + 1, text, len + 1);
	return true;
}

/* Begins a message with its position and kind; returns false if it exceeds the limits. */
static bool
begin(struct text *t, struct wave *w, enum report what, uint32_t ins)
{
	struct run *r = w->run;
	struct ref_stream *s = r->stream;
	bool finding = what == REPORT_FINDING;

	t->len = 0;
	s->findings.n += finding;
	if (!(finding && s->findings.n == 1) && !r->stopped &&
	    (r->n_site[ins] >= SITE_LIMIT || r->n_kept >= REPORT_LIMIT)) {
		r->n_dropped++;
		return false;
	}
	r->n_site[ins]++;
	r->n_kept++;
	interp_put_place(t, r, ins);
	interp_put(t, "%s: ", finding ? "finding" : "remark");
	return true;
}

void
interp_put_thread(struct text *t, const struct wave *w, uint32_t lane)
{
	interp_put(t, " (kernel %s, block %u, thread %u)", w->run->image->kernel->name, w->block,
	    wave_thread(w, lane));
}

static void
finish(struct text *t, struct wave *w, enum report what, uint32_t ins)
{
	struct ref_stream *s = w->run->stream;
	const struct qd_kernel *k = w->run->image->kernel;
	bool finding = what == REPORT_FINDING;
	uint32_t pos = w->run->ir->pos[ins];
	struct line_place place = ir_place(k, pos);

	if (finding && s->findings.n == 1) {
		s->findings.first.code = QD_E_FINDING;
		s->findings.first.line = k->from_text ? place.line : diag_place(k, pos).line;
		s->findings.first.col = k->from_text ? place.col : 0;
		memcpy(s->findings.first.text, t->s, t->len + 1);
	}
	if (!keep(s, finding ? QD_LOG_ERROR : QD_LOG_WARNING, t->s, t->len))
		w->run->n_dropped++;
}

void
interp_report(struct wave *w, enum report what, uint32_t ins, uint32_t lane, const char *fmt, ...)
{
	struct text t;
	va_list ap;

	if (!begin(&t, w, what, ins))
		return;
	va_start(ap, fmt);
	put_v(&t, fmt, ap);
	va_end(ap);
	interp_put_thread(&t, w, lane);
	finish(&t, w, what, ins);
}

const char *
interp_name(const struct ins *i)
{
	const char *dot = strrchr(op_info[i->op].text, '.');

	return dot ? dot + 1 : op_info[i->op].text;
}

void
interp_report_undefined(struct wave *w, uint32_t ins, uint32_t lane, const char *what,
			uint32_t origin)
{
	const struct ir *ir = w->run->ir;
	uint32_t fetch = origin / ORIGIN_INS;
	struct text t;

	if (!begin(&t, w, REPORT_FINDING, ins))
		return;
	interp_put(&t, "%s is undefined in lane %u: %s fetched it from ", what, lane,
		   interp_name(&ir->ins[fetch]));
	if (op_info[ir->ins[fetch].op].scope == SCOPE_BLOCK)
		interp_put(&t, "a thread that was ");
	else
		interp_put(&t, "lane %u, which was ", origin % ORIGIN_PADDING);
	interp_put(&t, origin & ORIGIN_PADDING ? "a padding thread"
		       : op_sig((enum op)ir->ins[fetch].op)->members >= 0
			       ? "inactive or not a member"
			       : "inactive");
	interp_put(&t, "; if the lane is inactive, use another value: select(c, fetched, other)");
	interp_put_thread(&t, w, lane);
	if (ir->pos[fetch] && ir->pos[fetch] != ir->pos[ins]) {
		interp_put(&t, "\nnote: ");
		interp_put_place(&t, w->run, fetch);
		interp_put(&t, "it was fetched here");
	}
	finish(&t, w, REPORT_FINDING, ins);
}

void
interp_check_divisor(struct wave *w, uint32_t ins, uint32_t n, const uint64_t *divisor,
		     const uint8_t *who)
{
	for (uint32_t c = 0; c < n; c++) {
		uint32_t lane = who ? who[c] : c;

		if (QD_UNLIKELY(!divisor[c]) && mask_has(&w->active, lane))
			interp_report(w, REPORT_REMARK, ins, lane, "integer division by zero");
	}
}

void
interp_check_domain(struct wave *w, uint32_t ins, uint32_t n, const uint64_t *a, const uint64_t *b,
		    const uint8_t *who)
{
	const struct ir *ir = w->run->ir;
	const struct ins *i = &ir->ins[ins];

	for (uint32_t c = 0; c < n && !w->run->n_site[ins]; c++) {
		uint32_t lane = who ? who[c] : c;

		if (QD_LIKELY(ir_eval_agrees((enum op)i->op, i->type, a[c], b ? b[c] : 0)) ||
		    !mask_has(&w->active, lane) || !interp_counts(w, lane))
			continue;
		double x = i->type == QD_TYPE_F32 ? (double)f32_of(a[c]) : f64_of(a[c]), y = 0;

		if (b)
			y = i->type == QD_TYPE_F32 ? (double)f32_of(b[c]) : f64_of(b[c]);
		x = x != x ? fabs(x) : x; /* print a NaN without its sign */
		y = y != y ? fabs(y) : y;
		const char *name = op_info[i->op].text, *where = op_info[i->op].where;

		if (b)
			interp_report(w, REPORT_REMARK, ins, lane,
				      "devices differ in %s(%.9g, %.9g): they agree %s", name, x, y, where);
		else
			interp_report(w, REPORT_REMARK, ins, lane, "devices differ in %s(%.9g): they agree %s",
				      name, x, where);
	}
}

void
interp_report_flush(struct qd_context *ctx, const struct buf *report, uint32_t n_dropped,
		    const char *kernel)
{
	const char *p = buf_data(report), *end = p + report->len;

	while (p < end) {
		ctx_log(ctx, (qd_log_level)*p, "ref", "%s", p + 1);
		p += 1 + strlen(p + 1) + 1;
	}
	if (n_dropped)
		ctx_log(ctx, QD_LOG_WARNING, "ref",
			"kernel %s: %u more findings and remarks are not shown", kernel, n_dropped);
}
