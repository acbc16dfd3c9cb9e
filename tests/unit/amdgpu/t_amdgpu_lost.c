/* The amdgpu driver on the fake when work fails: the errors, which call reports them, and what
 * works afterwards. */
#include "t_amdgpu.h"

#include <stdio.h>
#include <time.h>

#include "stream.h"

enum { WORDS = 64 };

static uint32_t
count_text(const char *log, const char *part)
{
	uint32_t n = 0;
	for (; (log = strstr(log, part)); log++)
		n++;
	return n;
}

/* Checks a kernel that hangs. The first call that notices reports the error and the kernel. Later
 * calls report a lost device, and the log repeats nothing. A new device works. */
void
t_amdgpu_lost(struct unit_ctx *t)
{
	struct fake_rig r;
	uint32_t got[WORDS];
	if (!amdgpu_rig_open(t, &r, "gpu=gfx1100"))
		return;
	struct qd_buffer *buf = fake_rig_buffer(t, &r, sizeof got);
	struct qd_stream *other = NULL;
	RIG_GOOD(t, &r, qd_stream_create(r.dev, &other, &r.e));
	RIG_GOOD(t, &r, fake_rig_inc(r.stream, r.fn, buf, WORDS, &r.e));
	RIG_GOOD(t, &r, qd_stream_sync(r.stream, &r.e));
	amdgpu_fake()->set("gpu=gfx1100 job=1:62:guilty,reset");
	RIG_GOOD(t, &r, fake_rig_inc(r.stream, r.fn, buf, WORDS, &r.e));
	qd_status st = qd_stream_sync(r.stream, &r.e);
	UNIT_CHECK(t, st == QD_E_DEVICE_LOST && strncmp(r.e.text, "amdgpu:0 (", 10) == 0 &&
			      strstr(r.e.text, "amdgpu_cs_query_fence_status failed: ETIME (-62): a kernel hung") &&
			      strstr(r.e.text, "in flight: 'inc'") &&
			      strstr(r.e.text, "see: dmesg | grep amdgpu"),
		   "%s: %s", qd_status_name(st), r.e.text);
	for (int i = 0; i < 2; i++) {
		st = i ? fake_rig_inc(other, r.fn, buf, 1, &r.e) : qd_stream_sync(r.stream, &r.e);
		UNIT_CHECK(t, st == QD_E_DEVICE_LOST &&
				      strstr(r.e.text, "the device was lost when amdgpu_cs_query_fence_status "
						       "(ETIME, -62: a kernel hung") &&
				      strstr(r.e.text, "; in flight: 'inc') failed; close it and open it again"),
			   "%s: %s", qd_status_name(st), r.e.text);
	}
	qd_buffer_free(buf);
	qd_stream_free(other);
	fake_rig_shut(&r);
	UNIT_CHECK(t, count_text(r.log, "-62") <= 1, "reported more than once:\n%s", r.log);

	RIG_GOOD(t, &r, qd_device_open(r.ctx, "amdgpu", &r.dev, &r.e));
	RIG_GOOD(t, &r, qd_stream_create(r.dev, &r.stream, &r.e));
	RIG_GOOD(t, &r, qd_function_get(r.dev, r.inc, NULL, 0, &r.fn, &r.e));
	buf = fake_rig_buffer(t, &r, sizeof got);
	RIG_GOOD(t, &r, fake_rig_inc(r.stream, r.fn, buf, WORDS, &r.e));
	RIG_GOOD(t, &r, qd_buffer_download(r.stream, buf, 0, got, sizeof got, &r.e));
	UNIT_CHECK(t, fake_rig_count_other(got, WORDS, 1) == 0, "got[0] is %u", got[0]);
	qd_buffer_free(buf);
	fake_rig_end(t, &r);
}

/* Checks each error code of a job, reported first by a sync or by a download. */
void
t_amdgpu_lost_codes(struct unit_ctx *t)
{
	static const struct {
		const char *job, *text;
	} rows[] = {
		{ "1:61:guilty", "ENODATA (-61): a kernel hung or accessed unmapped memory" },
		{ "1:62:guilty", "ETIME (-62): a kernel hung, or ran longer" },
		{ "1:125:innocent", "ECANCELED (-125): the work was canceled" },
		{ "1:133:guilty,reset,vram", "EHWPOISON (-133): the device's memory has an uncorrectable error" },
		{ "1:16:guilty", "EBUSY (-16): the device is being reset" },
		{ "1:19:guilty", "ENODEV (-19): the device was unplugged" },
	};
	for (size_t i = 0; i < 2 * QD_COUNT(rows); i++) {
		struct fake_rig r;
		char config[96];
		uint32_t got[WORDS];
		const char *text = rows[i / 2].text;
		if (!amdgpu_rig_open(t, &r, "gpu=gfx906"))
			return;
		struct qd_buffer *buf = fake_rig_buffer(t, &r, sizeof got);
		RIG_GOOD(t, &r, fake_rig_inc(r.stream, r.fn, buf, WORDS, &r.e));
		RIG_GOOD(t, &r, qd_stream_sync(r.stream, &r.e));
		snprintf(config, sizeof config, "gpu=gfx906 job=%s", rows[i / 2].job);
		amdgpu_fake()->set(config);
		qd_status st = fake_rig_inc(r.stream, r.fn, buf, WORDS, &r.e);
		if (st == QD_OK)
			st = i % 2 ? qd_buffer_download(r.stream, buf, 0, got, sizeof got, &r.e)
				   : qd_stream_sync(r.stream, &r.e);
		UNIT_CHECK(t, st == QD_E_DEVICE_LOST && strstr(r.e.text, text), "%s: %s: %s", rows[i / 2].job,
			   qd_status_name(st), r.e.text);
		qd_buffer_free(buf);
		fake_rig_end(t, &r);
	}
}

/* Checks that a batch is reported as lost if the batch before it was aborted, even if its own fence
 * has no error. */
void
t_amdgpu_lost_between(struct unit_ctx *t)
{
	struct fake_rig r;
	uint32_t got[WORDS];
	if (!amdgpu_rig_open(t, &r, "gpu=gfx1100"))
		return;
	struct qd_buffer *buf = fake_rig_buffer(t, &r, sizeof got);
	RIG_GOOD(t, &r, fake_rig_inc(r.stream, r.fn, buf, WORDS, &r.e));
	RIG_GOOD(t, &r, qd_stream_sync(r.stream, &r.e));
	amdgpu_fake()->set("gpu=gfx1100 job=1:61:soft");
	/* The first is submitted immediately, the second by the sync. */
	qd_status st = QD_OK;
	for (int i = 0; i < 2 && st == QD_OK; i++)
		st = fake_rig_inc(r.stream, r.fn, buf, WORDS, &r.e);
	if (st == QD_OK)
		st = qd_stream_sync(r.stream, &r.e);
	UNIT_CHECK(t, st == QD_E_DEVICE_LOST && strstr(r.e.text, "ENODATA (-61): a kernel hung"), "%s: %s",
		   qd_status_name(st), st ? r.e.text : "");
	qd_buffer_free(buf);
	fake_rig_end(t, &r);
}

/* Checks that a quote in a kernel's name does not end the list of names. */
void
t_amdgpu_lost_names(struct unit_ctx *t)
{
	struct fake_rig r;
	char text[KGD_NAMES];
	if (!amdgpu_rig_open(t, &r, "gpu=gfx1100"))
		return;
	struct kgd_timeline *line = (struct kgd_timeline *)r.stream->timeline;
	char *names = line->names[(line->last + 1) % MAX_BATCH];
	for (uint32_t i = 0; i < KGD_NAMES - 1; i++)
		names[i] = i % 4 ? 'z' : '\'';
	memcpy(names, "'it''", sizeof "'it''");
	line->last++;
	kgd_names_in_flight((struct kgd_device *)r.dev, text, sizeof text);
	line->last--;
	memset(names, 0, KGD_NAMES);
	UNIT_CHECK(t, strncmp(text, "'it'", 4) == 0 && !strchr(text, 'z'), "%s", text);
	fake_rig_end(t, &r);
}

/* Checks that a submission that the kernel rejects after a hang reports a lost device. */
void
t_amdgpu_lost_submit(struct unit_ctx *t)
{
	static const struct {
		int code;
		const char *text;
	} rows[] = { { 61, "amdgpu_cs_submit (ENODATA, -61: " },
		     { 62, "amdgpu_cs_submit (ETIME, -62: " },
		     { 125, "amdgpu_cs_submit (ECANCELED, -125: " } };
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		struct fake_rig r;
		char config[64];
		if (!amdgpu_rig_open(t, &r, "gpu=gfx1100"))
			return;
		struct qd_buffer *buf = fake_rig_buffer(t, &r, 4 * WORDS);
		RIG_GOOD(t, &r, fake_rig_inc(r.stream, r.fn, buf, WORDS, &r.e));
		RIG_GOOD(t, &r, qd_stream_sync(r.stream, &r.e));
		snprintf(config, sizeof config, "gpu=gfx1100 fail=amdgpu_cs_submit:0:%d", rows[i].code);
		amdgpu_fake()->set(config);
		/* The launch may be deferred, so that only the sync reports the error. */
		qd_status st = fake_rig_inc(r.stream, r.fn, buf, WORDS, &r.e);
		st = st == QD_OK ? qd_stream_sync(r.stream, &r.e) : st;
		UNIT_CHECK(t, st == QD_E_DEVICE_LOST && strstr(r.e.text, rows[i].text), "%d: %s: %s",
			   rows[i].code, qd_status_name(st), st ? r.e.text : "");
		qd_buffer_free(buf);
		fake_rig_end(t, &r);
	}
}

static const struct kgd_symbols *quick;
static _Atomic uint64_t slow_now;

static uint64_t
slow_clock(void)
{
	return atomic_load(&slow_now);
}

static int
slow_answer(struct kgd_fence *f, uint64_t ns, uint64_t flags, uint32_t *expired)
{
	atomic_fetch_add(&slow_now, 100000000);
	return quick->amdgpu_cs_query_fence_status(f, ns, flags, expired);
}

/* Returns the number of batches for n launches. */
static uint32_t
long_batches(struct unit_ctx *t, struct fake_rig *r, struct qd_buffer *buf, uint32_t n)
{
	uint64_t value = r->stream->submitted;
	for (uint32_t i = 0; i < n; i++)
		RIG_GOOD(t, r, fake_rig_inc(r->stream, r->fn, buf, WORDS, &r->e));
	RIG_GOOD(t, r, qd_stream_sync(r->stream, &r->e));
	return (uint32_t)(r->stream->submitted - value);
}

/* Checks the size of batches. The kernel driver aborts work that takes seconds, so few long
 * launches share a batch, but many short ones do. Each query of the device takes 100 ms. */
void
t_amdgpu_long(struct unit_ctx *t)
{
	enum { N = 12, SHORT = 4 * MAX_COMMANDS };
	struct fake_rig r;
	uint32_t got[WORDS];
	if (!amdgpu_rig_open(t, &r, "gpu=gfx1100 delays=0"))
		return;
	struct kgd_device *dev = (struct kgd_device *)r.dev;
	struct qd_buffer *buf = fake_rig_buffer(t, &r, sizeof got);
	watchdog_hooks.clock = slow_clock;
	quick = dev->drm;
	struct kgd_symbols s = *quick;
	s.amdgpu_cs_query_fence_status = slow_answer;
	dev->drm = &s;
	long_batches(t, &r, buf, 1);
	uint32_t n = long_batches(t, &r, buf, N);
	UNIT_CHECK(t, n >= N / 2, "%d long launches in %u batches", N, n);
	dev->drm = quick;
	long_batches(t, &r, buf, 1);
	n = long_batches(t, &r, buf, SHORT);
	UNIT_CHECK(t, n <= SHORT / MAX_COMMANDS + 2, "%d short launches in %u batches", SHORT, n);
	RIG_GOOD(t, &r, qd_buffer_download(r.stream, buf, 0, got, sizeof got, &r.e));
	UNIT_CHECK(t, fake_rig_count_other(got, WORDS, 1 + N + 1 + SHORT) == 0, "got[0] is %u", got[0]);
	watchdog_hooks.clock = NULL;
	qd_buffer_free(buf);
	fake_rig_end(t, &r);
}

static uint64_t reset_flags;

static int
no_answer(struct kgd_fence *f, uint64_t ns, uint64_t flags, uint32_t *expired)
{
	(void)f, (void)ns, (void)flags;
	*expired = 0;
	return 0;
}

static int
report_reset(struct amdgpu_context *ctx, uint64_t *flags)
{
	(void)ctx;
	*flags = reset_flags;
	return 0;
}

/* Checks a fence that never signals, in a context with a known reset state. A reset caused by
 * another context alone does not lose this one. */
void
t_amdgpu_lost_quietly(struct unit_ctx *t)
{
	static const struct {
		uint64_t flags;
		qd_status st;
		const char *text;
	} rows[] = {
		{ 0, QD_OK, "" },
		{ 5, QD_E_DEVICE_LOST, "the device was reset, because this stream's work hung\n" },
		{ 1, QD_OK, "" }, /* of another ring */
		{ 3, QD_E_DEVICE_LOST, "for another reason, and its memory is lost\n" },
		{ 7, QD_E_DEVICE_LOST, "because this stream's work hung, and its memory is lost\n" },
	};
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		struct fake_rig r;
		struct qd_event *e = NULL;
		bool passed = true;
		if (!amdgpu_rig_open(t, &r, "gpu=gfx1100"))
			return;
		struct kgd_device *dev = (struct kgd_device *)r.dev;
		const struct kgd_symbols *real = dev->drm;
		struct kgd_symbols s = *real;
		s.amdgpu_cs_query_fence_status = no_answer;
		s.amdgpu_cs_query_reset_state2 = report_reset;
		reset_flags = rows[i].flags;
		struct qd_buffer *buf = fake_rig_buffer(t, &r, 4 * WORDS);
		RIG_GOOD(t, &r, fake_rig_inc(r.stream, r.fn, buf, WORDS, &r.e));
		RIG_GOOD(t, &r, unit_event(r.dev, r.stream, &e, &r.e));
		dev->drm = &s;
		qd_status st = qd_event_sync(e, 200000, &passed, &r.e);
		UNIT_CHECK(t, st == rows[i].st && !passed && (!st || strstr(r.e.text, rows[i].text)), "%u: %s: %s",
			   (unsigned)rows[i].flags, qd_status_name(st), st ? r.e.text : "");
		dev->drm = real;
		if (st)
			UNIT_CHECK(t, qd_stream_sync(r.stream, &r.e) == QD_E_DEVICE_LOST &&
					      strstr(r.e.text, "the device was lost when "
							       "amdgpu_cs_query_fence_status (the device was reset, "),
				   "%s", r.e.text);
		qd_event_free(e);
		qd_buffer_free(buf);
		fake_rig_end(t, &r);
	}
}
