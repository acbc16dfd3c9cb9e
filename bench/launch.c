/* bench/launch: compares qd_launch with the bare driver calls that do the same. It times one
 * launch of a tiny kernel and the wait for it, then 100 and 10000 launches with one wait, then
 * the host's time per launch while the device is busy.
 *
 *	launch [--check] [--json] [SELECTOR]		default vulkan
 *
 * Each driver's bare calls are a peer (launch.h): a file and a row of `peers`. --check takes few
 * samples, and fails if a launch of qd or of the peer did not run; QD_TEST_MUTATION=qd or =peer
 * miscounts one. */
#include "launch.h"

#include "qd.h"

#include "bench.h"

enum { SOME = 100, MANY = 10000, ELEMENTS = 64 };

static const struct peer_driver *const peers[] = {
	&peer_cuda,
#ifdef HAVE_VULKAN
	&peer_vulkan,
#endif
};
enum { N_PEERS = sizeof peers / sizeof peers[0] };

struct pair {
	/* qd */
	struct qd_context *ctx;
	struct qd_device *dev;
	struct qd_stream *stream;
	struct qd_function *fn, *busy;
	struct qd_buffer *buf, *busy_buf;
	uint64_t launched, peer_launched;
	struct qd_error err;
	/* peer */
	const struct peer_driver *driver;
	struct peer *peer;
	const char *failed; /* the peer's call that failed, or NULL */
	uint32_t n;	    /* launches in a sample */
	bool json, check;
};

/* -- Launches ---------------------------------------------------------------------------- */

static bool
give_ours(struct pair *p, uint32_t n)
{
	struct qd_arg arg = qd_arg_buffer(p->buf);

	for (uint32_t i = 0; i < n; i++)
		if (qd_launch(p->stream, p->fn, QD_GRID, &arg, 1, &p->err))
			return false;
	p->launched += n;
	return true;
}

static bool
launch_ours(void *user)
{
	struct pair *p = user;

	return give_ours(p, p->n) && qd_stream_sync(p->stream, &p->err) == QD_OK;
}

static bool
launch_peer(void *user)
{
	struct pair *p = user;

	p->peer_launched += p->n;
	return p->driver->launch(p->peer, p->n, &p->failed);
}

/* Keeps the device busy for some milliseconds. */
static bool
occupy(struct pair *p)
{
	struct qd_arg arg = qd_arg_buffer(p->busy_buf);

	return qd_launch(p->stream, p->busy, p->check ? 10 : 1000, &arg, 1, &p->err) == QD_OK;
}

/* -- Comparison -------------------------------------------------------------------------- */

static void
name_pair(struct pair *p, char ours[64], char peer[64], const char *what)
{
	snprintf(ours, 64, "launch/qd/%s", what);
	snprintf(peer, 64, "launch/%s/%s", p->driver->name, what);
}

static bool
both(struct pair *p, uint32_t n, uint32_t samples)
{
	static struct bench r, s;
	char ours[64], peer[64], what[32];

	p->n = n;
	snprintf(what, sizeof what, "%u per sync", n);
	name_pair(p, ours, peer, what);
	if (!bench_run_pair(&r, &s, ours, peer, p->check ? 2 : samples, launch_ours, p, launch_peer,
			    p))
		return false;
	bench_print(&r, p->json);
	bench_print(&s, p->json);
	if (!p->json)
		/* The wake-up time of a CPU driver's threads varies, so the minimum is the
		 * better measure of the calls. */
		printf("%44s %.2f times the bare calls at best, %.2f at the median\n", "",
		       r.us[0] / s.us[0], bench_median(&r) / bench_median(&s));
	return true;
}

/* Measures the host's time for one launch while the device is busy. */
static bool
host_part(struct pair *p)
{
	enum { N = 50, SAMPLES = 200 };
	static struct bench r, s;
	const struct peer_driver *d = p->driver;

	name_pair(p, r.name, s.name, "host part");
	r.n = s.n = p->check ? 2 : SAMPLES;
	r.allocs = s.allocs = -1;
	for (uint32_t i = 0; i < r.n; i++) {
		/* The second launch begins a batch before the measured time, as the peer does. */
		if (!occupy(p) || !give_ours(p, 1))
			return false;
		double t = bench_now_us();
		if (!give_ours(p, N))
			return false;
		r.us[i] = (bench_now_us() - t) / (double)N;
		if (qd_stream_sync(p->stream, &p->err))
			return false;

		/* The peer's device is busy too. */
		if (!occupy(p) || !d->begin(p->peer, &p->failed))
			return false;
		t = bench_now_us();
		if (!d->give(p->peer, N, &p->failed))
			return false;
		s.us[i] = (bench_now_us() - t) / (double)N;
		p->peer_launched += N;
		if (!d->finish(p->peer, &p->failed) || qd_stream_sync(p->stream, &p->err))
			return false;
	}
	r.first = r.us[0];
	s.first = s.us[0];
	qsort(r.us, r.n, sizeof r.us[0], bench_by_value);
	qsort(s.us, s.n, sizeof s.us[0], bench_by_value);
	bench_print(&r, p->json);
	bench_print(&s, p->json);
	if (!p->json)
		printf("%44s %.0f ns beyond the bare calls at best, %.0f at the median\n", "",
		       1e3 * (r.us[0] - s.us[0]), 1e3 * (bench_median(&r) - bench_median(&s)));
	return true;
}

/* Checks that every launch of both sides ran once. */
static bool
all_ran(struct pair *p)
{
	const char *inject = getenv("QD_TEST_MUTATION");
	uint32_t got[ELEMENTS], first;

	p->launched += inject && strcmp(inject, "qd") == 0;
	p->peer_launched += inject && strcmp(inject, "peer") == 0;
	if (qd_buffer_download(p->stream, p->buf, 0, got, sizeof got, &p->err))
		return false;
	for (uint32_t i = 0; i < ELEMENTS; i++) {
		if (got[i] == (uint32_t)p->launched)
			continue;
		fprintf(stderr, "qd: element %u counts %u of %llu launches\n", i, got[i],
			(unsigned long long)p->launched);
		return false;
	}
	if (!p->driver->read)
		return true;
	if (!p->driver->read(p->peer, &first, &p->failed))
		return false;
	if (first != (uint32_t)p->peer_launched)
		fprintf(stderr, "%s: element 0 counts %u of %llu launches\n", p->driver->name,
			first, (unsigned long long)p->peer_launched);
	return first == (uint32_t)p->peer_launched;
}

/* -- The program ---------------------------------------------------------------------------- */

/* Returns the peer for a device's selector, such as "cuda:0", or NULL. */
static const struct peer_driver *
find_peer(const char *selector)
{
	for (uint32_t i = 0; i < N_PEERS; i++)
		if (strncmp(selector, peers[i]->selector, strlen(peers[i]->selector)) == 0)
			return peers[i];
	return NULL;
}

static bool
load(struct pair *p, struct qd_kernel *tiny, struct qd_kernel *busy)
{
	return tiny && busy && !qd_function_get(p->dev, tiny, NULL, 0, &p->fn, &p->err) &&
	       !qd_function_get(p->dev, busy, NULL, 0, &p->busy, &p->err) &&
	       !qd_stream_create(p->dev, &p->stream, &p->err) &&
	       !qd_buffer_create(p->dev, ELEMENTS * sizeof(uint32_t), 0, &p->buf, &p->err) &&
	       !qd_buffer_create(p->dev, ELEMENTS * sizeof(uint32_t), 0, &p->busy_buf, &p->err);
}

static bool
open_peer(struct pair *p, const struct qd_kernel *tiny)
{
	struct qd_device_info info;
	struct qd_function_info f;
	struct peer_kernel k = { .args = { .n = ELEMENTS } };
	struct qd_image *image;

	if (qd_device_info(p->dev, &info, &p->err) || qd_function_info(p->fn, &f, &p->err) ||
	    qd_compile(p->ctx, tiny, qd_device_target(p->dev), NULL, 0, &image, &p->err))
		return false;
	if (!(p->driver = find_peer(info.selector))) {
		fprintf(stderr, "%s: this program has no peer for that driver\n",
			info.selector);
		qd_image_free(image);
		return false;
	}
	k.code = qd_image_data(image, &k.size);
	k.selector = info.selector;
	/* Whole subgroups; the indices of padding threads are out of range. */
	k.block_dim = (f.block_dim + f.hardware_size - 1) / f.hardware_size * f.hardware_size;
	k.args.n_blocks = (ELEMENTS + f.block_dim - 1) / f.block_dim;
	p->peer = p->driver->open(&k, &p->failed);
	qd_image_free(image);
	return p->peer != NULL;
}

static bool
measure(struct pair *p)
{
	return both(p, 1, 1000) && both(p, SOME, 200) && both(p, p->check ? SOME : MANY, 20) &&
	       host_part(p) && all_ran(p);
}

int
main(int argc, char **argv)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	static struct pair p;
	struct qd_kernel *tiny = NULL, *busy = NULL;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--check") != 0)
			continue;
		p.check = true;
		memmove(&argv[i], &argv[i + 1], (size_t)(argc - i) * sizeof *argv);
		argc--;
		break;
	}
	const char *selector = bench_args(argc, argv, "bench-launch [--check] [--json] [SELECTOR]",
					  "vulkan", &p.json);
	bool ok = !qd_context_create(&desc, &p.ctx, &p.err) &&
		  !qd_device_open(p.ctx, selector, &p.dev, &p.err);
	if (ok) {
		tiny = bench_tiny(p.ctx, &p.err);
		busy = bench_long(p.ctx, &p.err);
		ok = load(&p, tiny, busy) && open_peer(&p, tiny) && measure(&p);
	}
	if (!ok && (p.err.code || p.failed))
		fprintf(stderr, "%s\n", p.err.code ? p.err.text : p.failed);
	if (p.peer)
		p.driver->close(p.peer);
	qd_function_free(p.fn);
	qd_function_free(p.busy);
	qd_stream_free(p.stream);
	qd_buffer_free(p.buf);
	qd_buffer_free(p.busy_buf);
	qd_kernel_free(tiny);
	qd_kernel_free(busy);
	qd_device_close(p.dev);
	qd_context_free(p.ctx);
	return ok ? 0 : 1;
}
