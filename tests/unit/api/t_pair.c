/* Concurrent execution of every pair of calls that the thread-safety table in qd.h allows, on each
 * device of t_stream.c and on the emulators. A call that frees an object is paired with every call
 * that does not take this object as an argument, related or not.
 *
 * A row lists the objects that its call takes and frees; the pairs follow from these lists.
 * A round creates the objects while the stream is busy, starts both threads at the same time, and
 * frees the remaining objects. If a round takes longer than LIMIT_S, the process aborts.
 *
 * QD_TEST_ROUNDS: rounds of each pair (default 1); pairs that have hung before run 100 times as many. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "t_stream.h"

static const char text[] = "kernel one(a: u32[]) block(1) { a[block.idx] = a[block.idx] + 1; }";

enum { WORDS = 16, BYTES = 4 * WORDS, LIMIT_S = 60 };

/* Objects of a round. All rounds share OTHER: a stream with its own buffer and event. */
enum object {
	STREAM = 1 << 0,
	EVENT = 1 << 1, /* recorded in STREAM */
	BUFFER = 1 << 2,
	SLICE = 1 << 3, /* of BUFFER */
	FUNCTION = 1 << 4,
	IMAGE = 1 << 5,
	KERNEL = 1 << 6,
	MODULE = 1 << 7,
	OTHER = 1 << 8
};

struct world {
	struct qd_context *ctx;
	struct qd_device *dev;
	struct qd_stream *stream, *other;
	struct qd_event *event, *other_event;
	struct qd_buffer *buffer, *slice, *other_buffer;
	struct qd_function *function, *other_function;
	struct qd_image *image;
	struct qd_kernel *kernel;
	struct qd_module *module;
};

/* State of one of the two threads. */
struct side {
	struct world *w;
	const struct action *act;
	uint32_t delay; /* iterations before the call, which vary the interleaving */
	uint32_t data[WORDS];
	qd_status st;
	struct qd_error e;
};

/* -- Calls ---------------------------------------------------------------------------------- */

#define CALL(name, expr)                                                                           \
	static qd_status name(struct world *w, struct side *s)                                     \
	{                                                                                          \
		(void)s;                                                                           \
		return (expr);                                                                     \
	}
/* Defines a call that creates an object of this type and frees it. */
#define MAKE(name, type, make, unmake)                                                             \
	static qd_status name(struct world *w, struct side *s)                                     \
	{                                                                                          \
		type *made = NULL;                                                                 \
		qd_status st = (make);                                                             \
		unmake(made);                                                                      \
		return st;                                                                         \
	}

CALL(stream_free_, (qd_stream_free(w->stream), QD_OK))
CALL(event_free_, (qd_event_free(w->event), QD_OK))
CALL(buffer_free_, (qd_buffer_free(w->buffer), QD_OK))
CALL(slice_free_, (qd_buffer_free(w->slice), QD_OK))
CALL(function_free_, (qd_function_free(w->function), QD_OK))
CALL(image_free_, (qd_image_free(w->image), QD_OK))
CALL(kernel_free_, (qd_kernel_free(w->kernel), QD_OK))
CALL(module_free_, (qd_module_free(w->module), QD_OK))

CALL(trim_, qd_context_trim(w->ctx, &s->e))
MAKE(parse_, struct qd_module, qd_module_parse(w->ctx, text, sizeof text - 1, "text", &made, &s->e),
     qd_module_free)
MAKE(module_kernel_, struct qd_kernel, qd_module_kernel(w->module, "one", NULL, 0, &made, &s->e),
     qd_kernel_free)
MAKE(compile_, struct qd_image,
     qd_compile(w->ctx, w->kernel, qd_device_target(w->dev), NULL, 0, &made, &s->e), qd_image_free)
MAKE(get_, struct qd_function, qd_function_get(w->dev, w->kernel, NULL, 0, &made, &s->e),
     qd_function_free)
MAKE(load_, struct qd_function, qd_function_load(w->dev, w->image, &made, &s->e), qd_function_free)

static qd_status
info_(struct world *w, struct side *s)
{
	struct qd_function_info info;
	return qd_function_info(w->function, &info, &s->e);
}

MAKE(buffer_create_, struct qd_buffer, qd_buffer_create(w->dev, BYTES, 0, &made, &s->e),
     qd_buffer_free)
MAKE(buffer_slice_, struct qd_buffer, qd_buffer_slice(w->buffer, 0, 4, &made, &s->e),
     qd_buffer_free)

/* Maps QD_E_UNAVAILABLE to QD_OK, because some devices do not support every call. */
static qd_status
if_available(qd_status st)
{
	return st == QD_E_UNAVAILABLE ? QD_OK : st;
}

static qd_status
map_(struct world *w, struct side *s)
{
	void *p;
	qd_status st = qd_buffer_map(w->buffer, &p, &s->e);
	return if_available(st);
}

MAKE(stream_create_, struct qd_stream, qd_stream_create(w->dev, &made, &s->e), qd_stream_free)
CALL(flush_, qd_stream_flush(w->stream, &s->e))
CALL(sync_, qd_stream_sync(w->stream, &s->e))

static qd_status
sync_for_(struct world *w, struct side *s)
{
	bool done;
	return qd_stream_sync_for(w->stream, 100000, &done, &s->e);
}

static qd_status
query_(struct world *w, struct side *s)
{
	bool done;
	return qd_stream_query(w->stream, &done, &s->e);
}

/* A limit that no launch of these tests reaches. */
CALL(limit_, if_available(qd_stream_limit(w->stream, UINT64_C(1) << 40, &s->e)))
CALL(limit_other_, if_available(qd_stream_limit(w->other, UINT64_C(1) << 40, &s->e)))
CALL(cancel_, if_available(qd_stream_cancel(w->stream, &s->e)))

CALL(upload_, qd_buffer_upload(w->stream, w->buffer, 0, s->data, BYTES, &s->e))
CALL(upload_async_, qd_buffer_upload_async(w->stream, w->buffer, 0, s->data, BYTES, &s->e))
CALL(download_, qd_buffer_download(w->stream, w->buffer, 0, s->data, BYTES, &s->e))
CALL(download_async_, qd_buffer_download_async(w->stream, w->buffer, 0, s->data, BYTES, &s->e))
CALL(copy_, qd_buffer_copy(w->stream, w->buffer, 4, w->slice, 0, 4, &s->e))

static qd_status
fill_(struct world *w, struct side *s)
{
	uint32_t value = 7;
	return qd_buffer_fill(w->stream, w->buffer, 0, BYTES, &value, sizeof value, &s->e);
}

static qd_status
launch(struct qd_stream *stream, struct qd_function *fn, struct qd_buffer *buf, struct qd_error *e)
{
	struct qd_arg arg = qd_arg_buffer(buf);
	return qd_launch(stream, fn, 1, &arg, 1, e);
}
CALL(launch_, launch(w->stream, w->function, w->buffer, &s->e))
CALL(launch_slice_, launch(w->stream, w->function, w->slice, &s->e))

MAKE(event_create_, struct qd_event, qd_event_create(w->dev, &made, &s->e), qd_event_free)
CALL(record_, qd_event_record(w->stream, w->event, &s->e))
CALL(record_other_, qd_event_record(w->other, w->event, &s->e))

/* After a wait the event has passed, even if its stream was freed. */
static qd_status
event_sync_(struct world *w, struct side *s)
{
	bool passed = false;
	qd_status st = qd_event_sync(w->event, QD_FOREVER, &passed, &s->e);
	return st == QD_OK && !passed ? QD_E_BUSY : st;
}

static qd_status
event_sync_for_(struct world *w, struct side *s)
{
	bool passed;
	return qd_event_sync(w->event, 100000, &passed, &s->e);
}

static qd_status
event_query_(struct world *w, struct side *s)
{
	bool passed;
	return qd_event_query(w->event, &passed, &s->e);
}

static qd_status
elapsed_(struct world *w, struct side *s)
{
	uint64_t ns;
	qd_status st = qd_event_elapsed(w->other_event, w->event, &ns, &s->e);
	/* The events may be pending or in either order, and the device may have no clock. */
	return st == QD_E_BUSY || st == QD_E_UNAVAILABLE || st == QD_E_INVALID ? QD_OK : st;
}

CALL(wait_, qd_stream_wait(w->stream, w->event, &s->e))
CALL(wait_other_, qd_stream_wait(w->other, w->event, &s->e))
CALL(other_launch_, launch(w->other, w->other_function, w->other_buffer, &s->e))
CALL(other_function_, launch(w->other, w->function, w->other_buffer, &s->e))
CALL(other_sync_, qd_stream_sync(w->other, &s->e))
CALL(other_download_, qd_buffer_download(w->other, w->other_buffer, 0, s->data, BYTES, &s->e))

static qd_status
run_(struct world *w, struct side *s)
{
	struct qd_arg arg = qd_arg_host(s->data, BYTES);
	return qd_run(w->dev, text, sizeof text - 1, NULL, NULL, NULL, 0, WORDS, &arg, 1, &s->e);
}

static const struct action {
	const char *name;
	qd_status (*call)(struct world *w, struct side *s);
	uint32_t given, frees;
} actions[] = {
	{ "qd_stream_free", stream_free_, 0, STREAM },
	{ "qd_event_free", event_free_, 0, EVENT },
	{ "qd_buffer_free", buffer_free_, 0, BUFFER },
	{ "qd_buffer_free of a slice", slice_free_, 0, SLICE },
	{ "qd_function_free", function_free_, 0, FUNCTION },
	{ "qd_image_free", image_free_, 0, IMAGE },
	{ "qd_kernel_free", kernel_free_, 0, KERNEL },
	{ "qd_module_free", module_free_, 0, MODULE },
	{ "qd_context_trim", trim_, 0, 0 },
	{ "qd_module_parse", parse_, 0, 0 },
	{ "qd_module_kernel", module_kernel_, MODULE, 0 },
	{ "qd_compile", compile_, KERNEL, 0 },
	{ "qd_function_get", get_, KERNEL, 0 },
	{ "qd_function_load", load_, IMAGE, 0 },
	{ "qd_function_info", info_, FUNCTION, 0 },
	{ "qd_buffer_create", buffer_create_, 0, 0 },
	{ "qd_buffer_slice", buffer_slice_, BUFFER, 0 },
	{ "qd_buffer_map", map_, BUFFER, 0 },
	{ "qd_stream_create", stream_create_, 0, 0 },
	{ "qd_stream_flush", flush_, STREAM, 0 },
	{ "qd_stream_sync", sync_, STREAM, 0 },
	{ "qd_stream_sync_for", sync_for_, STREAM, 0 },
	{ "qd_stream_query", query_, STREAM, 0 },
	{ "qd_stream_limit", limit_, STREAM, 0 },
	{ "qd_stream_limit elsewhere", limit_other_, OTHER, 0 },
	{ "qd_stream_cancel", cancel_, STREAM, 0 },
	{ "qd_buffer_upload", upload_, STREAM | BUFFER, 0 },
	{ "qd_buffer_upload_async", upload_async_, STREAM | BUFFER, 0 },
	{ "qd_buffer_download", download_, STREAM | BUFFER, 0 },
	{ "qd_buffer_download_async", download_async_, STREAM | BUFFER, 0 },
	{ "qd_buffer_copy", copy_, STREAM | BUFFER | SLICE, 0 },
	{ "qd_buffer_fill", fill_, STREAM | BUFFER, 0 },
	{ "qd_launch", launch_, STREAM | FUNCTION | BUFFER, 0 },
	{ "qd_launch with a slice", launch_slice_, STREAM | FUNCTION | SLICE, 0 },
	{ "qd_event_create", event_create_, 0, 0 },
	{ "qd_event_record", record_, STREAM | EVENT, 0 },
	{ "qd_event_record elsewhere", record_other_, OTHER | EVENT, 0 },
	{ "qd_event_sync", event_sync_, EVENT, 0 },
	{ "qd_event_sync for a time", event_sync_for_, EVENT, 0 },
	{ "qd_event_query", event_query_, EVENT, 0 },
	{ "qd_event_elapsed", elapsed_, EVENT | OTHER, 0 },
	{ "qd_stream_wait", wait_, STREAM | EVENT, 0 },
	{ "qd_stream_wait elsewhere", wait_other_, OTHER | EVENT, 0 },
	{ "qd_launch elsewhere", other_launch_, OTHER, 0 },
	{ "qd_launch on another device", other_function_, OTHER | FUNCTION, 0 },
	{ "qd_stream_sync elsewhere", other_sync_, OTHER, 0 },
	{ "qd_buffer_download elsewhere", other_download_, OTHER, 0 },
	{ "qd_run", run_, 0, 0 },
};

static bool
allowed(const struct action *a, const struct action *b)
{
	return !(a->frees & (b->given | b->frees)) && !(b->frees & a->given);
}

/* Returns true if the status of a call is valid. If a launch is canceled, calls that wait for its
 * stream return QD_E_CANCELED, except qd_stream_free. */
static bool
returned_well(const struct side *s, const struct side *other)
{
	qd_status (*call)(struct world *, struct side *) = s->act->call;

	if (s->st != QD_E_CANCELED)
		return s->st == QD_OK;
	return other->act->call == cancel_ && (call == sync_ || call == sync_for_ || call == download_);
}

/* -- A round ---------------------------------------------------------------------------------- */

static qd_status
fill_world(struct world *w, struct qd_error *e)
{
	w->stream = NULL, w->event = NULL, w->buffer = w->slice = NULL, w->function = NULL;
	w->image = NULL, w->kernel = NULL, w->module = NULL;
	QD_TRY(qd_module_parse(w->ctx, text, sizeof text - 1, "text", &w->module, e));
	QD_TRY(qd_module_kernel(w->module, "one", NULL, 0, &w->kernel, e));
	QD_TRY(qd_compile(w->ctx, w->kernel, qd_device_target(w->dev), NULL, 0, &w->image, e));
	QD_TRY(qd_function_get(w->dev, w->kernel, NULL, 0, &w->function, e));
	QD_TRY(qd_buffer_create(w->dev, BYTES, 0, &w->buffer, e));
	QD_TRY(qd_buffer_slice(w->buffer, 0, 4, &w->slice, e));
	QD_TRY(qd_stream_create(w->dev, &w->stream, e));
	QD_TRY(qd_event_create(w->dev, &w->event, e));
	QD_TRY(launch(w->stream, w->function, w->buffer, e));
	QD_TRY(launch(w->stream, w->function, w->buffer, e));
	QD_TRY(qd_event_record(w->stream, w->event, e));
	return launch(w->stream, w->function, w->buffer, e);
}

static void
empty_world(struct world *w, uint32_t freed)
{
	if (!(freed & STREAM))
		qd_stream_free(w->stream);
	if (!(freed & EVENT))
		qd_event_free(w->event);
	if (!(freed & SLICE))
		qd_buffer_free(w->slice);
	if (!(freed & BUFFER))
		qd_buffer_free(w->buffer);
	if (!(freed & FUNCTION))
		qd_function_free(w->function);
	if (!(freed & IMAGE))
		qd_image_free(w->image);
	if (!(freed & KERNEL))
		qd_kernel_free(w->kernel);
	if (!(freed & MODULE))
		qd_module_free(w->module);
}

struct rounds {
	pthread_barrier_t begin, end; /* for both threads */
	struct side sides[2];
	bool stop;
	pthread_mutex_t lock; /* protects the members below, which watch() reads */
	pthread_cond_t over;
	uint64_t n;
	const char *names[2];
	bool done;
};

static void
act(struct side *s)
{
	for (volatile uint32_t i = 0; i < s->delay; i++)
		;
	s->st = s->act->call(s->w, s);
}

static void *
second(void *user)
{
	struct rounds *r = user;
	for (;;) {
		pthread_barrier_wait(&r->begin);
		if (r->stop)
			return NULL;
		act(&r->sides[1]);
		pthread_barrier_wait(&r->end);
	}
}

/* Aborts the process if a round takes longer than LIMIT_S. */
static void *
watch(void *user)
{
	struct rounds *r = user;
	uint64_t seen = 0;
	pthread_mutex_lock(&r->lock);
	while (!r->done) {
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += LIMIT_S;
		int over = 0;
		while (!r->done && !over)
			over = pthread_cond_timedwait(&r->over, &r->lock, &until);
		if (!r->done && seen == r->n) {
			fprintf(stderr,
				"t_pair.c: %s and %s have not returned for %d s, round %llu\n",
				r->names[0], r->names[1], LIMIT_S, (unsigned long long)r->n);
			abort();
		}
		seen = r->n;
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

static void
one_round(struct unit_ctx *t, struct rounds *r, struct world *w, const struct action *a,
	  const struct action *b, struct unit_rng *rng)
{
	struct qd_error e;
	pthread_mutex_lock(&r->lock);
	r->n++;
	r->names[0] = a->name;
	r->names[1] = b->name;
	pthread_mutex_unlock(&r->lock);
	qd_status st = fill_world(w, &e);
	UNIT_CHECK(t, st == QD_OK, "a round begins with %s", st ? e.text : "");
	if (st == QD_OK) {
		const struct action *acts[2] = { a, b };
		uint32_t most = 1u << unit_random(rng) % 16; /* delay one of the two */
		bool late = unit_random(rng) % 2;
		for (uint32_t i = 0; i < 2; i++) {
			r->sides[i].w = w;
			r->sides[i].act = acts[i];
			r->sides[i].delay =
				late == (i == 1) ? (uint32_t)unit_random(rng) % most : 0;
			memset(r->sides[i].data, 0, sizeof r->sides[i].data);
		}
		pthread_barrier_wait(&r->begin);
		act(&r->sides[0]);
		pthread_barrier_wait(&r->end);
		for (uint32_t i = 0; i < 2; i++) {
			const struct side *s = &r->sides[i];
			UNIT_CHECK(t, returned_well(s, &r->sides[!i]), "%s during %s: %s: %s", acts[i]->name,
				   acts[!i]->name, qd_status_name(s->st), s->e.text);
		}
	}
	empty_world(w, st == QD_OK ? a->frees | b->frees : 0);
}

static uint32_t
rounds_of_each(void)
{
	const char *s = getenv("QD_TEST_ROUNDS");
	return s && *s ? (uint32_t)strtoul(s, NULL, 10) : 1;
}

static bool
open_world(struct unit_ctx *t, struct world *w, struct stream_rig *r)
{
	memset(w, 0, sizeof *w);
	w->ctx = r->ctx;
	w->dev = r->dev;
	w->other = r->other;
	w->other_function = r->inc;
	w->other_buffer = stream_buffer(t, r, BYTES);
	STREAM_OK(t, r, qd_event_create(r->dev, &w->other_event, &r->e));
	STREAM_OK(t, r, qd_event_record(r->other, w->other_event, &r->e));
	return t->n_failed == 0;
}

/* Runs rounds of these pairs of actions on one device. */
static void
pairs(struct unit_ctx *t, struct stream_rig *rig, const struct action *const (*rows)[2],
      size_t n_rows, uint32_t n)
{
	static struct rounds r;
	struct unit_rng rng = { 1 };
	struct world w;
	pthread_t other, watcher;
	if (!open_world(t, &w, rig))
		return;
	memset(&r, 0, sizeof r);
	pthread_barrier_init(&r.begin, NULL, 2);
	pthread_barrier_init(&r.end, NULL, 2);
	pthread_mutex_init(&r.lock, NULL);
	pthread_cond_init(&r.over, NULL);
	bool made = !pthread_create(&other, NULL, second, &r) &&
		    !pthread_create(&watcher, NULL, watch, &r);
	if (!made)
		abort();
	for (size_t i = 0; i < n_rows; i++) {
		for (uint32_t k = 0; k < n && t->n_failed < 10; k++)
			one_round(t, &r, &w, rows[i][0], rows[i][1], &rng);
	}
	r.stop = true;
	pthread_barrier_wait(&r.begin);
	pthread_join(other, NULL);
	pthread_mutex_lock(&r.lock);
	r.done = true;
	pthread_cond_signal(&r.over);
	pthread_mutex_unlock(&r.lock);
	pthread_join(watcher, NULL);
	pthread_cond_destroy(&r.over);
	pthread_mutex_destroy(&r.lock);
	pthread_barrier_destroy(&r.end);
	pthread_barrier_destroy(&r.begin);
	qd_event_free(w.other_event);
	qd_buffer_free(w.other_buffer);
}

/* -- Tests ---------------------------------------------------------------------------------- */

enum { N = QD_COUNT(actions) };

static void
all_on(struct unit_ctx *t, struct stream_rig *r)
{
	static const struct action *rows[N * (N + 1) / 2][2];
	size_t n = 0;
	for (size_t i = 0; i < N; i++) {
		for (size_t k = i; k < N; k++) {
			if (!allowed(&actions[i], &actions[k]))
				continue;
			rows[n][0] = &actions[i];
			rows[n++][1] = &actions[k];
		}
	}
	pairs(t, r, (const struct action *const(*)[2])rows, n, rounds_of_each());
}

static void
all(struct unit_ctx *t)
{
	stream_on_all(t, all_on);
}

static const struct action *
find(const char *name)
{
	size_t i = 0;
	while (strcmp(actions[i].name, name) != 0)
		i++;
	return &actions[i];
}

/* Calls that access the timeline of a stream while another thread frees the stream. */
static void
stream_free_on(struct unit_ctx *t, struct stream_rig *r)
{
	static const char *const concurrent[] = { "qd_event_sync",	  "qd_event_query",
					      "qd_function_free", "qd_buffer_free",
					      "qd_context_trim",  "qd_stream_wait elsewhere" };
	const struct action *rows[QD_COUNT(concurrent)][2];
	for (size_t i = 0; i < QD_COUNT(concurrent); i++) {
		rows[i][0] = find("qd_stream_free");
		rows[i][1] = find(concurrent[i]);
	}
	pairs(t, r, (const struct action *const(*)[2])rows, QD_COUNT(concurrent),
	      100 * rounds_of_each());
}

static void
stream_free(struct unit_ctx *t)
{
	stream_on_all(t, stream_free_on);
}

/* -- The device is closed --------------------------------------------------------------------- */

static void *
close_it(void *user)
{
	qd_device_close(user);
	return NULL;
}

/* A device that is closed while its objects are in use exists until the last object is freed. */
static void
device_close_on(struct unit_ctx *t, struct stream_rig *r)
{
	pthread_t id;
	uint32_t got[WORDS];
	struct qd_buffer *buf = stream_buffer(t, r, BYTES);
	if (t->n_failed || pthread_create(&id, NULL, close_it, r->dev))
		return;
	r->dev = NULL;
	qd_stream_free(r->other);
	r->other = NULL;
	for (uint32_t i = 0; i < WORDS; i++)
		STREAM_OK(t, r, stream_inc(r, r->stream, buf, WORDS, &r->e));
	STREAM_OK(t, r, qd_buffer_download(r->stream, buf, 0, got, sizeof got, &r->e));
	UNIT_CHECK(t, got[0] == WORDS, "%u launches gave %u", (unsigned)WORDS, got[0]);
	/* Whichever of these three calls is last destroys the device. */
	qd_buffer_free(buf);
	qd_stream_free(r->stream);
	r->stream = NULL;
	pthread_join(id, NULL);
}

static void
device_close(struct unit_ctx *t)
{
	stream_on_all(t, device_close_on);
}

/* Opens and closes devices of a shared context and trims it, to test the list of devices. */
static void *
open_and_close(void *user)
{
	struct qd_context *ctx = user;
	struct qd_error e;
	for (uint32_t i = 0; i < 20 * rounds_of_each(); i++) {
		struct qd_device *dev = NULL;
		if (qd_device_open(ctx, "ref:8", &dev, &e) != QD_OK ||
		    qd_context_trim(ctx, &e) != QD_OK)
			abort();
		qd_device_close(dev);
	}
	return NULL;
}

static void
device_list(struct unit_ctx *t)
{
	enum { THREADS = 4 };
	struct qd_context_desc desc = { .version = QD_VERSION, .cache_mode = QD_CACHE_OFF };
	struct qd_context *ctx;
	struct qd_error e;
	pthread_t id[THREADS];
	qd_status st = qd_context_create(&desc, &ctx, &e);
	UNIT_CHECK(t, st == QD_OK, "%s", st ? e.text : "");
	if (st)
		return;
	for (int i = 0; i < THREADS; i++) {
		if (pthread_create(&id[i], NULL, open_and_close, ctx))
			abort();
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(id[i], NULL);
	qd_context_free(ctx);
}

/* -- Many qd_run ------------------------------------------------------------------------------- */

struct runner {
	struct stream_rig *r;
	uint32_t n, wrong;
	char text[128];
	struct qd_error e;
};

static void *
keep_running(void *user)
{
	struct runner *p = user;
	for (uint32_t i = 0; i < p->n; i++) {
		uint32_t data[WORDS] = { 0 }, add = (i + p->n) % 8 + 1;
		struct qd_arg arg = qd_arg_host(data, sizeof data);
		int len = snprintf(p->text, sizeof p->text,
				   "kernel k(a: u32[]) block(32) { for i in grid(a.len) { a[i] = "
				   "a[i] + %u; } }",
				   add);
		p->wrong += qd_run(p->r->dev, p->text, (size_t)len, NULL, NULL, NULL, 0, QD_GRID,
				   &arg, 1, &p->e) != QD_OK;
		p->wrong += i % 4 == 0 && qd_context_trim(p->r->ctx, &p->e) != QD_OK;
		p->wrong += data[WORDS - 1] != add;
	}
	return NULL;
}

/* Eight threads create and free streams, buffers and functions, while the context keeps only
 * four functions. */
static void
runs_on(struct unit_ctx *t, struct stream_rig *r)
{
	enum { THREADS = 8 };
	struct runner runners[THREADS];
	pthread_t id[THREADS];
	r->ctx->max_functions = 4;
	for (uint32_t i = 0; i < THREADS; i++) {
		runners[i] = (struct runner){ .r = r, .n = 10 * rounds_of_each() };
		if (pthread_create(&id[i], NULL, keep_running, &runners[i]))
			abort();
	}
	for (uint32_t i = 0; i < THREADS; i++) {
		pthread_join(id[i], NULL);
		UNIT_CHECK(t, !runners[i].wrong, "thread %u: %u wrong: %s", i, runners[i].wrong,
			   runners[i].e.text);
	}
}

static void
runs(struct unit_ctx *t)
{
	stream_on_all(t, runs_on);
}

const struct unit units_pair[] = {
	{ "pair.all", all },
	{ "pair.stream_free", stream_free },
	{ "pair.device_close", device_close },
	{ "pair.device_list", device_list },
	{ "pair.runs", runs },
};
const unsigned n_units_pair = QD_COUNT(units_pair);
