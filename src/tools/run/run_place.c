/* Opens the device, fills the buffers, launches the kernel and reads the results. */
#include <stdlib.h>

#include "run.h"

static void
open_device(struct session *s, const char *selector, struct place *p)
{
	struct qd_error e;
	qd_status st = qd_device_open(s->ctx, selector, &p->dev, &e);
	if (st) {
		int code = tool_report(&e);
		if (st == QD_E_INVALID)
			tool_quit(EXIT_USAGE);
		if (code != EXIT_ENVIRONMENT && st != QD_E_NOT_FOUND)
			tool_quit(code);
		if (!strstr(e.text, "ref:32"))
			tool_message("note", "-d ref:32 runs on any machine; qd-info lists devices");
		tool_quit(EXIT_ENVIRONMENT);
	}
}

void
place_open(struct session *s, const char *selector, struct place *p)
{
	struct qd_error e;
	struct qd_tmpl tmpl[MAX_TMPL];
	uint32_t n = 0;
	for (uint32_t i = 0; s->kernel && i < s->req->tmpl.n; i++) {
		/* The parser has resolved the others. */
		const struct qd_tmpl *t = &s->req->tmpl.v[i];
		if (kernel_find_tmpl(s->kernel, t->name) < s->kernel->n_tmpls)
			tmpl[n++] = *t;
	}
	open_device(s, s->image ? run_object_device(s) : selector, p);
	uint64_t start = clock_ns();
	if ((s->image ? qd_function_load(p->dev, s->image, &p->fn, &e) :
			qd_function_get(p->dev, s->kernel, tmpl, n, &p->fn, &e)) ||
	    qd_stream_create(p->dev, &p->stream, &e))
		tool_fail(&e);
	if (p == &s->place)
		s->get_ns = clock_ns() - start;
	if (qd_device_info(p->dev, &p->info, &e) || qd_function_info(p->fn, &p->fn_info, &e))
		tool_fail(&e);
}

static void
upload(struct session *s, struct place *p, uint32_t i)
{
	struct qd_error e;
	const struct value *v = &s->value[i];
	if (qd_buffer_upload(p->stream, p->buffer[i], 0, v->first, bytes_of(v), &e))
		tool_fail(&e);
}

void
place_fill(struct session *s, struct place *p)
{
	struct qd_error e;
	for (uint32_t i = 0; i < s->n_params; i++) {
		struct value *v = &s->value[i];
		if (!v->info.is_buffer)
			continue;
		if (!v->first)
			v->first = fill_make(v->info.name, v->info.type, &v->fill);
		if (qd_buffer_create(p->dev, bytes_of(v), 0, &p->buffer[i], &e))
			tool_fail(&e);
		upload(s, p, i);
	}
	if (qd_stream_sync(p->stream, &e))
		tool_fail(&e);
}

void
place_refill(struct session *s, struct place *p)
{
	struct qd_error e;
	for (uint32_t i = 0; i < s->n_params; i++) {
		if (is_output(&s->value[i]))
			upload(s, p, i);
	}
	if (qd_stream_sync(p->stream, &e))
		tool_fail(&e);
}

/* Records a finding, which does not end the program: the results are still printed. */
static bool
note_result(struct session *s, qd_status st, const struct qd_error *e)
{
	if (st == QD_OK)
		return true;
	if (st != QD_E_FINDING)
		tool_fail(e);
	s->code = tool_report(e);
	s->finding = *e;
	return false;
}

bool
place_launch(struct session *s, struct place *p)
{
	struct qd_error e = { 0 };
	struct qd_arg args[MAX_PARAM];
	for (uint32_t i = 0; i < s->n_params; i++) {
		const struct value *v = &s->value[i];
		if (v->info.is_buffer)
			args[i] = qd_arg_buffer(p->buffer[i]);
		else if (v->info.type == QD_TYPE_NONE)
			args[i] = qd_arg_bytes(v->raw ? v->raw : (const void *)&v->bits, v->info.size);
		else
			args[i] = (struct qd_arg){ .type = v->info.type, .bits = v->bits };
	}
	if (s->req->timeout_ms)
		tool_limit_start("the launch", s->req->timeout_ms);
	bool good = note_result(
		s, qd_launch(p->stream, p->fn, s->req->grid, args, s->n_params, &e), &e);
	good &= note_result(s, qd_stream_sync(p->stream, &e), &e);
	tool_limit_end();
	return good;
}

void
place_read(struct session *s, struct place *p, uint32_t i, void *memory)
{
	struct qd_error e;
	if (qd_buffer_download(p->stream, p->buffer[i], 0, memory, bytes_of(&s->value[i]), &e))
		tool_fail(&e);
}

void
place_close(struct place *p)
{
	for (uint32_t i = 0; i < MAX_PARAM; i++)
		qd_buffer_free(p->buffer[i]);
	qd_function_free(p->fn);
	qd_stream_free(p->stream);
	qd_device_close(p->dev);
	*p = (struct place){ .dev = NULL };
}
