/* Helpers of the unit tests: failure records, pseudo-random numbers, a failing allocator. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>

void
unit_fail(struct unit_ctx *t, const char *file, int line, const char *fmt, ...)
{
	va_list ap;
	char what[512];
	const char *slash = strrchr(file, '/');

	t->n_failed++;
	va_start(ap, fmt);
	vsnprintf(what, sizeof what, fmt, ap);
	va_end(ap);
	size_t room = sizeof t->text - t->text_len;
	int n = snprintf(t->text + t->text_len, room, "%s:%d: %s\n", slash ? slash + 1 : file, line,
			 what);
	if (n > 0 && (size_t)n < room)
		t->text_len += (size_t)n;
	else
		t->text[t->text_len] = '\0'; /* drop the truncated line */
}

void
unit_skip(struct unit_ctx *t, const char *why)
{
	t->skipped = true;
	snprintf(t->text, sizeof t->text, "%s", why);
}

bool
unit_run(const struct unit *u, struct unit_ctx *t)
{
	memset(t, 0, sizeof *t);
	u->fn(t);
	return t->n_failed == 0;
}

/* Returns the next number of splitmix64. */
uint64_t
unit_random(struct unit_rng *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* -- Allocator ------------------------------------------------------------------ */

struct unit_block {
	struct unit_block *prev, *next;
	size_t size;
	size_t pad; /* aligns the data after this header to 16 bytes */
};

static void *
counted_alloc(void *user, size_t size)
{
	struct unit_alloc *a = user;
	struct unit_block *b = NULL;

	pthread_mutex_lock(&a->lock);
	size_t call = ++a->n_calls;
	bool again = call == a->fail_at + 1 && size == a->failed_size &&
		     a->n_frees != a->failed_frees;
	bool fail = a->fail_at &&
		    (call == a->fail_at || again || (a->fail_on && call > a->fail_at));
	if (call == a->fail_at) {
		a->failed_size = size;
		a->failed_frees = a->n_frees;
	}
	if (!fail)
		b = malloc(sizeof *b + size);
	if (b) {
		*b = (struct unit_block){ .next = a->out, .size = size };
		if (a->out)
			a->out->prev = b;
		a->out = b;
		a->n_out++;
		a->bytes_out += size;
		if (a->most_out < a->bytes_out)
			a->most_out = a->bytes_out;
		memset(b + 1, 0xa5, size);
	}
	pthread_mutex_unlock(&a->lock);
	return b ? b + 1 : NULL;
}

static void
counted_free(void *user, void *p, size_t size)
{
	struct unit_alloc *a = user;
	struct unit_block *b = (struct unit_block *)p - 1;

	pthread_mutex_lock(&a->lock);
	if (b->size != size)
		a->wrong_size = true;
	if (b->prev)
		b->prev->next = b->next;
	else
		a->out = b->next;
	if (b->next)
		b->next->prev = b->prev;
	a->n_frees++;
	a->n_out--;
	a->bytes_out -= b->size;
	pthread_mutex_unlock(&a->lock);
	free(b);
}

void
unit_alloc_init(struct unit_alloc *a)
{
	memset(a, 0, sizeof *a);
	pthread_mutex_init(&a->lock, NULL);
}

void
unit_alloc_fini(struct unit_alloc *a)
{
	while (a->out) {
		struct unit_block *next = a->out->next;
		free(a->out);
		a->out = next;
	}
	pthread_mutex_destroy(&a->lock);
}

struct qd_allocator
unit_alloc_hooks(struct unit_alloc *a)
{
	return (struct qd_allocator){ counted_alloc, counted_free, a };
}

bool
unit_rig_open(struct unit_ctx *t, struct unit_rig *r)
{
	memset(r, 0, sizeof *r);
	unit_alloc_init(&r->mem);
	struct qd_context_desc desc = { .version = QD_VERSION,
					.allocator = unit_alloc_hooks(&r->mem) };
	bool good = qd_context_create(&desc, &r->ctx, &r->e) == QD_OK;
	UNIT_CHECK(t, good, "%s", r->e.text);
	return good;
}

void
unit_rig_close(struct unit_ctx *t, struct unit_rig *r)
{
	qd_context_free(r->ctx);
	UNIT_CHECK(t, r->mem.n_out == 0 && !r->mem.wrong_size, "%zu blocks are lost", r->mem.n_out);
	unit_alloc_fini(&r->mem);
}

qd_status
unit_event(struct qd_device *dev, struct qd_stream *s, struct qd_event **out, struct qd_error *err)
{
	QD_TRY(qd_event_create(dev, out, err));
	qd_status st = qd_event_record(s, *out, err);
	if (st == QD_OK)
		return QD_OK;
	qd_event_free(*out);
	*out = NULL;
	return st;
}

/* Writes the image to a fatbin in memory. */
static qd_status
save(struct unit_things *o, struct qd_error *err)
{
	QD_TRY(qd_image_save(o->image, NULL, 0, &o->saved_size, err));
	o->saved = malloc(o->saved_size);
	if (!o->saved)
		return QD_E_NOMEM;
	QD_TRY(qd_image_save(o->image, o->saved, o->saved_size, &o->saved_size, err));
	return qd_fatbin_open(o->ctx, o->saved, o->saved_size, NULL, &o->fatbin, err);
}

qd_status
unit_things_make(struct unit_things *o, const struct qd_context_desc *desc, const char *text,
		 const char *kernel, const char *target, const struct qd_tmpl *tmpl, uint32_t n_tmpl,
		 struct qd_error *err)
{
	memset(o, 0, sizeof *o);
	QD_TRY(qd_context_create(desc, &o->ctx, err));
	QD_TRY(qd_module_parse(o->ctx, text, strlen(text), "t.qdk", &o->module, err));
	QD_TRY(qd_module_kernel(o->module, kernel, NULL, 0, &o->kernel, err));
	QD_TRY(qd_compile(o->ctx, o->kernel, target, tmpl, n_tmpl, &o->image, err));
	QD_TRY(save(o, err));
	QD_TRY(qd_device_open(o->ctx, "ref:8", &o->dev, err));
	QD_TRY(qd_function_get(o->dev, o->kernel, tmpl, n_tmpl, &o->fn, err));
	QD_TRY(qd_stream_create(o->dev, &o->stream, err));
	QD_TRY(qd_buffer_create(o->dev, 64, 0, &o->buf, err));
	return unit_event(o->dev, o->stream, &o->event, err);
}

void
unit_things_free(struct unit_things *o)
{
	qd_event_free(o->event);
	qd_buffer_free(o->buf);
	qd_function_free(o->fn);
	qd_stream_free(o->stream);
	qd_device_close(o->dev);
	qd_image_free(o->image);
	qd_fatbin_free(o->fatbin);
	free(o->saved);
	qd_kernel_free(o->kernel);
	qd_module_free(o->module);
	qd_context_free(o->ctx);
}
