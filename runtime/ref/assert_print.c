/* Assert and print. A failed assert is a finding; the thread continues. The lines of print are
 * kept until the launch ends, like findings. They are then logged in an order that does not depend
 * on the schedule. */
#include <stdlib.h>

#include "interp.h"

void
interp_assert(struct wave *w, uint32_t at)
{
	const struct ins *i = &w->run->ir->ins[at];
	struct mask fails = mask_less(w->active, wave_where(w, i->a));

	interp_use(w, at, i->a, w->active, "the condition");
	fails = mask_less(fails, wave_undefined(w, i->a)); /* already reported */
	for (uint32_t l = 0; l < w->n_threads; l++)
		if (QD_UNLIKELY(mask_has(&fails, l)))
			interp_report(w, REPORT_FINDING, at, l, "assert fails in lane %u: %.*s", l,
				      DEBUG_TEXT, w->run->image->kernel->texts[i->x]);
}

/* -- Lines --------------------------------------------------------------------------- */

static void
put_value(struct text *t, qd_type type, uint64_t bits)
{
	char number[32];

	switch (type) {
	case QD_TYPE_BOOL: interp_put(t, " %s", bits ? "true" : "false"); return;
	case QD_TYPE_I32: interp_put(t, " %d", (int)(int32_t)(uint32_t)bits); return;
	case QD_TYPE_I64: interp_put(t, " %lld", (long long)bits); return;
	case QD_TYPE_F32: text_float(number, bits, 8, 23); break;
	case QD_TYPE_F64: text_float(number, bits, 11, 52); break;
	default: interp_put(t, " %llu", (unsigned long long)bits); return;
	}
	interp_put(t, " %s", number);
}

static void
put_line(struct text *t, const struct wave *w, uint32_t at, uint32_t lane)
{
	const struct ir *ir = w->run->ir;
	const struct ins *i = &ir->ins[at];

	t->len = 0;
	interp_put_place(t, w->run, at);
	interp_put(t, "print: %.*s", DEBUG_TEXT, w->run->image->kernel->texts[i->x]);
	for (uint32_t list = i->a; list; list = ir->ins[list].b) {
		uint32_t v = ir->ins[list].a;

		if (w->any_undefined && interp_origin(w, v, lane))
			interp_put(t, " undefined");
		else
			put_value(t, (qd_type)ir->ins[v].type, wave_row(w, v)[lane]);
	}
	interp_put_thread(t, w, lane);
}

/* Keeps the whole line or, if memory runs out, nothing of it. */
static bool
keep(struct ref_stream *s, const struct wave *w, uint32_t lane, const struct text *t)
{
	struct line line = { w->block, wave_thread(w, lane), (uint32_t)s->words.len };
	struct line *to = buf_extend(&s->lines, sizeof line);
	char *text = to ? buf_extend(&s->words, t->len + 1) : NULL;

	if (to && !text)
		s->lines.len -= sizeof line;
	if (!text)
		return false;
	*to = line;
	memcpy(text, t->s, t->len + 1);
	return true;
}

void
interp_print(struct wave *w, uint32_t at)
{
	struct run *r = w->run;
	const struct qd_context *ctx = r->stream->q.dev->ctx;
	struct text t;

	if (!ctx->log || ctx->log_max < QD_LOG_INFO)
		return;
	for (uint32_t l = 0; l < w->n_threads; l++) {
		if (!mask_has(&w->active, l))
			continue;
		if (r->n_lines == PRINT_LIMIT) {
			r->n_lines_dropped++;
			continue;
		}
		put_line(&t, w, at, l);
		if (keep(r->stream, w, l, &t))
			r->n_lines++;
		else
			r->n_lines_dropped++;
	}
}

static int
by_thread(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

void
interp_print_flush(struct qd_context *ctx, struct buf *lines, const struct buf *words,
		  uint32_t n_dropped, const char *kernel)
{
	struct line *line = (struct line *)(void *)buf_data(lines);
	size_t n = lines->len / sizeof *line;

	if (n)
		qsort(line, n, sizeof *line, by_thread);
	for (size_t i = 0; i < n; i++)
		ctx_log(ctx, QD_LOG_INFO, "print", "%s", buf_data(words) + line[i].at);
	if (n_dropped)
		ctx_log(ctx, QD_LOG_INFO, "print",
			"print: kernel %s: %u more lines are not shown", kernel, n_dropped);
}
