/* Reports of launches from the device (pass/report.h).
 *
 * A stream has a report buffer for each batch in flight. The first launch in a batch that can
 * report clears the buffer. Launches are numbered within the batch; the number is in the argument
 * block and in the records. When the batch has passed, its records become findings. Records of
 * one source position in one launch are one finding, which names the first thread. The next call
 * that waits on the stream returns the first finding, and logs all of them without the stream's
 * lock. */
#include "stream.h"
#include "function.h"

#include <stdio.h>

enum {
	BYTES = 4096, /* size of a report buffer */
	WORDS = BYTES / 4,
	SHOWN = 16 /* maximum of logged findings per batch */
};

struct report_batch {
	uint64_t value; /* the buffer is read when it has passed; 0: being recorded */
	uint32_t n;	/* launches that may report; 0: none */
	struct qd_image *images[MAX_COMMANDS]; /* their images, with references */
};

struct reports {
	struct device_memory memory; /* MAX_BATCH buffers */
	struct device_memory copy;   /* copy for the host; unused if memory.host is set */
	struct report_batch batches[MAX_BATCH];
	uint32_t n_found; /* findings that no call has returned yet */
	struct qd_error first;
	struct buf texts; /* of findings that are not logged yet, each with its NUL */
};

/* -- Before a launch ------------------------------------------------------------------- */

static qd_status
alloc(struct qd_device *dev, enum memory_kind kind, struct device_memory *out, struct qd_error *err)
{
	qd_status st = dev->driver->memory_alloc(dev, kind, MAX_BATCH * BYTES, out, err);

	if (device_retry(dev, st))
		st = dev->driver->memory_alloc(dev, kind, MAX_BATCH * BYTES, out, err);
	return st;
}

static qd_status
create(struct qd_stream *s, struct qd_error *err)
{
	struct qd_device *dev = s->dev;
	struct reports *r = pool_new(&dev->ctx->pool, sizeof *r);
	qd_status st;

	if (!r)
		return qd_fail(err, QD_E_NOMEM, "a report buffer: out of memory");
	buf_init(&r->texts, &dev->ctx->pool);
	st = alloc(dev, MEMORY_DEVICE, &r->memory, err);
	if (st == QD_OK && !r->memory.host && (st = alloc(dev, MEMORY_STAGING, &r->copy, err)))
		dev->driver->memory_free(dev, &r->memory);
	if (st != QD_OK) {
		pool_delete(&dev->ctx->pool, r);
		return st;
	}
	s->reports = r;
	return QD_OK;
}

static void
drop_images(struct report_batch *b)
{
	for (uint32_t i = 0; i < b->n; i++) {
		image_let_go(b->images[i]);
		qd_image_free(b->images[i]);
	}
	b->n = 0;
	b->value = 0;
}

qd_status
report_prepare(struct qd_stream *s, const struct launch *l, struct qd_error *err)
{
	const uint32_t report_at = layout_report_at(l->fn->image->layout);
	char *args = l->args;

	if (!s->reports)
		QD_TRY(create(s, err));
	struct reports *r = s->reports;
	struct report_batch *b = &r->batches[s->at];
	uint64_t at = (uint64_t)s->at * BYTES, addr = r->memory.addr + at, words = WORDS;
	if (!b->n && r->memory.host)
		memset(r->memory.host + at, 0, 4 * (size_t)REPORT_HEAD);
	else if (!b->n)
		s->dev->driver->fill(s->queue, &r->memory, at, 4 * (uint64_t)REPORT_HEAD, 0);
	memcpy(args + report_at, &addr, sizeof addr);
	memcpy(args + report_at + 8, &words, sizeof words);
	memcpy(args + l->tail + 4 * TAIL_LAUNCH, &b->n, sizeof b->n);
	image_hold(image_ref(l->fn->image));
	b->images[b->n++] = l->fn->image;
	return QD_OK;
}

void
report_record(struct qd_stream *s, uint64_t value)
{
	struct reports *r = s->reports;
	uint64_t at = (uint64_t)s->at * BYTES;

	if (!r || !r->batches[s->at].n)
		return;
	r->batches[s->at].value = value;
	if (!r->memory.host)
		s->dev->driver->copy(s->queue, &r->copy, at, &r->memory, at, BYTES);
}

void
report_drop(struct qd_stream *s)
{
	if (s->reports)
		drop_images(&s->reports->batches[s->at]);
}

/* -- After a launch ---------------------------------------------------------------------- */

/* Records of one source position in one launch. */
struct finding {
	const uint32_t *record; /* of the first thread, by block and thread */
	uint32_t n;
};

static bool
same_place(const uint32_t *a, const uint32_t *b)
{
	return a[REPORT_KIND] == b[REPORT_KIND] && a[REPORT_LAUNCH] == b[REPORT_LAUNCH] &&
	       a[REPORT_POS] == b[REPORT_POS];
}

static bool
is_before(const uint32_t *a, const uint32_t *b)
{
	return a[REPORT_BLOCK] != b[REPORT_BLOCK] ? a[REPORT_BLOCK] < b[REPORT_BLOCK]
						  : a[REPORT_THREAD] < b[REPORT_THREAD];
}

/* Returns the number of records. found: an entry for each position, up to SHOWN. */
static uint32_t
read_records(const uint32_t *words, const struct report_batch *b, struct finding found[SHOWN],
	     uint32_t *n_found)
{
	uint32_t used = words[REPORT_USED], at = REPORT_HEAD, n = 0, i;
	uint32_t end = used < WORDS - REPORT_HEAD ? REPORT_HEAD + used : WORDS;

	*n_found = 0;
	while (at + REPORT_VALUES <= end) {
		const uint32_t *record = words + at;
		uint32_t size = REPORT_WORDS_OF(record[REPORT_KIND]);

		/* A record that did not fit has reserved the rest and written nothing. */
		if (size < REPORT_VALUES || size > REPORT_MAX_RECORD || at + size > end ||
		    record[REPORT_LAUNCH] >= b->n)
			break;
		at += size;
		n++;
		for (i = 0; i < *n_found && !same_place(found[i].record, record); i++)
			;
		if (i == SHOWN)
			continue;
		if (i == *n_found)
			found[(*n_found)++] = (struct finding){ .record = record };
		else if (is_before(record, found[i].record))
			found[i].record = record;
		found[i].n++;
	}
	return n;
}

static void
put_kind(struct qd_error *e, size_t *len, const struct qd_device *dev, const uint32_t *record)
{
	int n;

	switch (REPORT_KIND_OF(record[REPORT_KIND])) {
	case REPORT_LOOP_ENDED:
		n = snprintf(e->text + *len, sizeof e->text - *len,
			     "finding: the driver of %s (%s) ended this loop early: it limits all "
			     "loops of a subgroup to %u iterations in total; do less work per "
			     "thread, or use several launches",
			     dev->info.selector, dev->info.name, record[REPORT_VALUES]);
		break;
	default:
		n = snprintf(e->text + *len, sizeof e->text - *len, "finding: report %u",
			     REPORT_KIND_OF(record[REPORT_KIND]));
	}
	*len += n > 0 ? (size_t)n : 0;
}

static void
put_finding(struct qd_stream *s, const struct report_batch *b, const struct finding *f)
{
	struct reports *r = s->reports;
	const uint32_t *record = f->record;
	const struct qd_image *img = b->images[record[REPORT_LAUNCH]];
	struct qd_error e = { .code = QD_E_FINDING };
	size_t len = jit_reported_place(img, record[REPORT_KIND], record[REPORT_POS], &e);

	put_kind(&e, &len, s->dev, record);
	if (len < sizeof e.text)
		snprintf(e.text + len, sizeof e.text - len, " (kernel %s, block %u, thread %u",
			 layout_name(img->layout), record[REPORT_BLOCK],
			 record[REPORT_THREAD]);
	len = strlen(e.text);
	if (f->n > 1)
		snprintf(e.text + len, sizeof e.text - len, ", and %u more", f->n - 1);
	len = strlen(e.text);
	snprintf(e.text + len, sizeof e.text - len, ")");
	if (!r->n_found++)
		r->first = e;
	buf_put(&r->texts, e.text, strlen(e.text) + 1);
}

static void
read_batch(struct qd_stream *s, struct report_batch *b)
{
	struct reports *r = s->reports;
	const char *host = r->memory.host ? r->memory.host : r->copy.host;
	const uint32_t *words = (const uint32_t *)(const void *)(host + (b - r->batches) * BYTES);
	struct finding found[SHOWN];
	uint32_t n_found, n, asked = words[REPORT_ASKED];

	if (QD_LIKELY(!asked))
		return;
	n = read_records(words, b, found, &n_found);
	for (uint32_t i = 0; i < n_found; i++)
		put_finding(s, b, &found[i]);
	if (asked > n) {
		char text[96];
		int len = snprintf(text, sizeof text, "%u more reports did not fit into the buffer",
				   asked - n);
		buf_put(&r->texts, text, (size_t)len + 1);
	}
}

void
report_collect(struct qd_stream *s)
{
	struct reports *r = s->reports;

	/* Oldest batch first: its buffer follows that of the newest. */
	for (uint32_t i = 1; r && i <= MAX_BATCH; i++) {
		struct report_batch *b = &r->batches[(s->at + i) % MAX_BATCH];

		if (!b->value || !timeline_known(s->timeline, b->value))
			continue;
		read_batch(s, b);
		drop_images(b);
	}
}

qd_status
report_ended(struct qd_stream *s, struct qd_error *err)
{
	struct reports *r = s->reports;
	uint32_t n = r ? r->n_found : 0;

	if (!n)
		return QD_OK;
	size_t len = strlen(r->first.text);
	if (n > 1) {
		snprintf(r->first.text + len, sizeof r->first.text - len,
			 "\n%u findings in total; the log contains more of them", n);
		len = strlen(r->first.text);
	}
	r->n_found = 0;
	return qd_fail_text(err, QD_E_FINDING, r->first.line, r->first.col, r->first.text, len);
}

struct buf
report_texts(struct qd_stream *s)
{
	struct buf none = { .len = 0 }, texts;

	if (!s->reports || !s->reports->texts.len)
		return none;
	texts = s->reports->texts;
	buf_init(&s->reports->texts, &s->dev->ctx->pool);
	return texts;
}

void
report_log(struct qd_context *ctx, struct buf *texts)
{
	const char *p = buf_data(texts), *end = p ? p + texts->len : p;

	for (; p < end; p += strlen(p) + 1)
		ctx_log(ctx, QD_LOG_ERROR, "report", "%s", p);
	if (texts->block)
		buf_fini(texts);
}

void
report_free(struct qd_stream *s)
{
	struct qd_device *dev = s->dev;
	struct reports *r = s->reports;

	if (!r)
		return;
	for (uint32_t i = 0; i < MAX_BATCH; i++)
		drop_images(&r->batches[i]);
	if (!r->memory.host)
		dev->driver->memory_free(dev, &r->copy);
	dev->driver->memory_free(dev, &r->memory);
	buf_fini(&r->texts);
	pool_delete(&dev->ctx->pool, r);
}
