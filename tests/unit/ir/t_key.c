/* Keys: comparison after a hash collision, and the targets that a context keeps. */
#include "unit.h"

#include <stdio.h>

#include "device.h"

/* Builds a sum over tiles of 2^L lanes; number distinguishes the kernels. */
static struct qd_kernel *
make_kernel(struct unit_ctx *t, struct unit_rig *r, uint32_t number)
{
	struct qd_builder *b;
	struct qd_kernel *k = NULL;
	if (qd_builder_create(r->ctx, "sum", &b, &r->e)) {
		UNIT_CHECK(t, false, "%s", r->e.text);
		return NULL;
	}
	uint32_t log2_size = qd_template(b, "L", 0, 5);
	struct qd_array d = qd_param_buffer(b, "d", QD_TYPE_U32, QD_ACCESS_INOUT);
	struct qd_val i = qd_grid(b, qd_len(b, d));
	struct qd_val v = qd_mul(b, qd_load(b, d, i), qd_u32(b, number));
	qd_store(b, d, i, qd_subgroup_reduce_add_tiled(b, v, log2_size));
	UNIT_CHECK(t, qd_builder_finish(b, &k, &r->e) == QD_OK, "%s", r->e.text);
	return k;
}

/* -- Hash collisions ------------------------------------------------------------------ */

static struct jit_key
make_key(struct unit_ctx *t, struct unit_rig *r, const struct qd_kernel *k,
	 const struct jit_target *target, int value)
{
	const struct qd_tmpl tmpl = { "L", value, QD_TYPE_NONE };
	struct jit_key key;
	qd_status st = jit_key_init(&key, k, target, &tmpl, 1, &r->e);
	UNIT_CHECK(t, st == QD_OK, "%s", r->e.text);
	return key;
}

/* Returns true if this is the kernel's own image, not that of another one with the same hash. */
static bool
is_of(const struct qd_image *img, const struct qd_kernel *k, const char *target, int value)
{
	return img && jit_same_kernel(img->kernel, k, true) && img->tmpl[0] == value &&
	       strcmp(qd_image_target(img), target) == 0;
}

/* Fails if two keys with the same hash get one image although kernel, target or template value
 * differ. */
static void
collisions(struct unit_ctx *t)
{
	static const char *const names[] = { "ref:w32", "ref:w64", "spirv:w32", "spirv:w64" };
	struct jit_target *target[QD_COUNT(names)];
	struct qd_kernel *k[3];
	struct qd_image *img[3 * QD_COUNT(names)], *again;
	struct qd_cache_stats s;
	struct unit_rig r;
	uint32_t n = 0;
	if (!unit_rig_open(t, &r))
		return;
	for (uint32_t i = 0; i < QD_COUNT(names); i++) {
		const struct jit_target *kept = NULL;
		UNIT_CHECK(t, !jit_target_named(r.ctx, names[i], &kept, &r.e), "%s", r.e.text);
		target[i] = (struct jit_target *)(uintptr_t)kept;
		target[i]->hash = 17;
	}
	/* Two different kernels, and a copy of the first whose value 4 hashes as 3. */
	k[0] = make_kernel(t, &r, 1);
	k[1] = make_kernel(t, &r, 2);
	k[2] = make_kernel(t, &r, 1);
	k[1]->hash = k[0]->hash;
	k[2]->hash.lo = k[0]->hash.lo ^ 3 ^ 4;
	for (int round = 0; round < 2; round++) {
		n = 0;
		for (uint32_t j = 0; j < QD_COUNT(names); j++) {
			for (int i = 0; i < 3; i++, n++) {
				int value = i == 2 ? 4 : 3;
				struct jit_key key = make_key(t, &r, k[i], target[j], value);
				struct jit_key first = make_key(t, &r, k[0], target[0], 3);
				UNIT_CHECK(t, key.hash == first.hash, "no collision");
				qd_status st = jit_get_key(r.ctx, &key, &again, &r.e);
				UNIT_CHECK(t, st == QD_OK, "%s", r.e.text);
				if (round == 0)
					img[n] = again;
				UNIT_CHECK(t,
					   again == img[n] && is_of(again, k[i], names[j], value),
					   "%s, kernel %d: another's image", names[j], i);
				if (round)
					qd_image_free(again);
			}
		}
	}
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t j = 0; j < i; j++)
			UNIT_CHECK(t, img[i] != img[j], "images %u and %u are one", i, j);
	}
	qd_cache_stats(r.ctx, &s);
	UNIT_CHECK(t, s.misses == n && s.hits == n, "%llu misses", (unsigned long long)s.misses);
	for (uint32_t i = 0; i < n; i++)
		qd_image_free(img[i]);
	for (int i = 0; i < 3; i++)
		qd_kernel_free(k[i]);
	unit_rig_close(t, &r);
}

/* Does the same for the device's table of functions, with 40 kernels of one hash. Then one kernel
 * gets wrong hashes; it must get its own function or a new one. */
static void
function_collisions(struct unit_ctx *t)
{
	enum { N = 40 };
	static const struct qd_tmpl tmpl[] = { { "L", 3, QD_TYPE_NONE } };
	struct qd_kernel *k[N];
	struct qd_function *fn[N], *again;
	struct qd_device *dev = NULL;
	struct qd_cache_stats s;
	struct unit_rig r;
	if (!unit_rig_open(t, &r))
		return;
	UNIT_CHECK(t, !qd_device_open(r.ctx, "ref:32", &dev, &r.e), "%s", r.e.text);
	for (int i = 0; i < N && dev; i++) {
		k[i] = make_kernel(t, &r, (uint32_t)i + 1);
		k[i]->hash = k[0]->hash;
		UNIT_CHECK(t, !qd_function_get(dev, k[i], tmpl, 1, &fn[i], &r.e), "%s", r.e.text);
	}
	for (int i = 0; i < N && dev; i++) {
		qd_function_get(dev, k[i], tmpl, 1, &again, &r.e);
		UNIT_CHECK(t, again == fn[i] && again->image->kernel == k[i],
			   "kernel %d has the function of another kernel", i);
	}
	qd_cache_stats(r.ctx, &s);
	UNIT_CHECK(t, s.misses == N && s.hits == N, "%llu misses, %llu hits",
		   (unsigned long long)s.misses, (unsigned long long)s.hits);
	for (uint32_t i = 0; i < 64 && dev; i++) {
		k[3]->hash.lo ^= UINT64_C(1) << i;
		qd_function_get(dev, k[3], tmpl, 1, &again, &r.e);
		UNIT_CHECK(t, jit_same_kernel(again->image->kernel, k[3], true),
			   "bit %u: another's function", i);
	}
	for (int i = 0; i < N && dev; i++)
		qd_kernel_free(k[i]);
	qd_device_close(dev);
	qd_cache_stats(r.ctx, &s);
	UNIT_CHECK(t, s.hits == N, "%llu hits when the device is closed",
		   (unsigned long long)s.hits);
	unit_rig_close(t, &r);
}

/* -- Targets ---------------------------------------------------------------------------- */

/* Fails if equal targets are duplicated, different targets merged, or a known text returns another
 * target. */
static void
kept_targets(struct unit_ctx *t)
{
	static const char *const options[] = { "",	    ":-i64",	  ":-f64",     ":-f64:-i64",
					       ":-i8",	    ":-i16",	  ":-i8:-i16", ":-i16:-i8",
					       ":-i8:-f64", ":+hidezero", ":-i64:-f64",
					       ":b1023",    ":a256",	  ":s65536" };
	const struct jit_target *a = NULL, *b = NULL;
	struct target target = { .isa = NULL };
	struct unit_rig r;
	char text[64];
	if (!unit_rig_open(t, &r))
		return;
	for (int round = 0; round < 2; round++) {
		/* More texts than the context remembers. */
		for (uint32_t i = 0; i < 6 * QD_COUNT(options); i++) {
			snprintf(text, sizeof text, "spirv:w%u%s", 4u << i % 6, options[i / 6]);
			bool good = !jit_target_named(r.ctx, text, &a, &r.e) &&
				    !isa_target(text, &target, &r.e) &&
				    !jit_target(r.ctx, &target, &b, &r.e);
			UNIT_CHECK(t, good, "%s", r.e.text);
			UNIT_CHECK(t, good && a == b && strcmp(a->t.m.name, target.m.name) == 0,
				   "%s is another target", text);
		}
	}
	qd_status st = jit_target_named(r.ctx, "spirv:w7", &a, &r.e);
	UNIT_CHECK(t, st != QD_OK, "an invalid target");
	unit_rig_close(t, &r);
}

/* Lets each allocation fail that a new target needs. Fails if a target is then kept without the one
 * with or without launch facts. */
static void
pairs_of_targets(struct unit_ctx *t)
{
	const struct jit_target *a = NULL;
	uint32_t failed = 0;
	struct unit_rig r;
	char text[64];
	if (!unit_rig_open(t, &r))
		return;
	for (uint32_t i = 0; i < 16; i++) {
		snprintf(text, sizeof text, "spirv:w8:s%u%s", 4096 + 16 * i, i % 2 ? "" : ":facts");
		r.mem.fail_at = r.mem.n_calls + 1 + i / 2;
		qd_status st = jit_target_named(r.ctx, text, &a, &r.e);
		r.mem.fail_at = 0;
		UNIT_CHECK(t, st == QD_OK || st == QD_E_NOMEM, "%s: %s", text, r.e.text);
		failed += st != QD_OK;
		bool good = !jit_target_named(r.ctx, text, &a, &r.e) && a->other && a->other->other == a;
		UNIT_CHECK(t, good && a->t.m.facts != a->other->t.m.facts, "%s has no other one", text);
	}
	UNIT_CHECK(t, failed > 1, "%u allocations failed", failed);
	unit_rig_close(t, &r);
}

enum { N_THREAD = 8 };

static const char *const texts[] = { "ref:w8", "spirv:w8", "spirv:w16:-i64" };

struct namer {
	pthread_barrier_t *start;
	struct qd_context *ctx;
	const struct jit_target *target[QD_COUNT(texts)];
};

static void *
name_targets(void *user)
{
	struct namer *n = user;
	struct qd_error e;
	pthread_barrier_wait(n->start);
	for (uint32_t i = 0; i < QD_COUNT(texts); i++)
		jit_target_named(n->ctx, texts[i], &n->target[i], &e);
	return NULL;
}

/* Fails if threads that name a new target at the same time get different ones. */
static void
threads_name_targets(struct unit_ctx *t)
{
	for (int round = 0; round < 40; round++) {
		struct namer n[N_THREAD];
		pthread_t thread[N_THREAD];
		pthread_barrier_t start;
		struct unit_rig r;
		if (!unit_rig_open(t, &r))
			return;
		pthread_barrier_init(&start, NULL, N_THREAD);
		for (int i = 0; i < N_THREAD; i++) {
			n[i] = (struct namer){ .start = &start, .ctx = r.ctx };
			pthread_create(&thread[i], NULL, name_targets, &n[i]);
		}
		for (int i = 0; i < N_THREAD; i++)
			pthread_join(thread[i], NULL);
		pthread_barrier_destroy(&start);
		for (int i = 0; i < N_THREAD; i++)
			UNIT_CHECK(t,
				   n[i].target[0] && n[i].target[1] && n[i].target[2] &&
					   memcmp(n[i].target, n[0].target, sizeof n[i].target) ==
						   0,
				   "thread %d has other targets", i);
		unit_rig_close(t, &r);
	}
}

/* Checks that messages about missing features name the device, not its internal target. */
static void
device_in_messages(struct unit_ctx *t)
{
	static const char *const want[] = {
		"call 2, qd_block: block of 2048 threads, but ref:8 runs 1024 at most; use a smaller block [E0503]",
		"call 3, qd_subgroup_shuffle: lane 40 is outside 0..7: ref:8 has 8 lanes [E0213]",
		"call 3, qd_subgroup_reduce_add_tiled: log2_size 6 needs 64 lanes but ref:8 has 8 "
		"[E0210]\nnote: call 2: L = 6 comes from this template range (instantiated for "
		"ref:8)",
	};

	for (unsigned i = 0; i < QD_COUNT(want); i++) {
		struct qd_context_desc desc = { .version = QD_VERSION };
		struct qd_tmpl tmpl = { "L", 6, 0 };
		struct qd_device *dev = NULL;
		struct qd_kernel *k = NULL;
		struct qd_function *fn;
		struct qd_context *ctx = NULL;
		struct qd_builder *b = NULL;
		struct qd_error e;
		struct qd_val v;

		UNIT_CHECK(t, !qd_context_create(&desc, &ctx, &e) &&
				      !qd_device_open(ctx, "ref:8", &dev, &e) &&
				      !qd_builder_create(ctx, "k", &b, &e),
			   "%s", e.text);
		v = qd_block_thread_idx(b);
		if (i == 0)
			qd_block(b, 2048, 1, 1);
		else if (i == 1)
			qd_subgroup_shuffle(b, v, qd_i32(b, 40));
		else
			qd_subgroup_reduce_add_tiled(b, v, qd_template(b, "L", 0, 6));
		UNIT_CHECK(t, !qd_builder_finish(b, &k, &e), "%s", e.text);
		UNIT_CHECK(t, k && qd_function_get(dev, k, &tmpl, i == 2, &fn, &e) &&
				      strcmp(e.text, want[i]) == 0,
			   "%s", e.text);
		qd_kernel_free(k);
		qd_device_close(dev);
		qd_context_free(ctx);
	}
}

const struct unit units_key[] = {
	{ "key.device_in_messages", device_in_messages },
	{ "key.collisions", collisions },
	{ "key.function_collisions", function_collisions },
	{ "key.kept_targets", kept_targets },
	{ "key.pairs_of_targets", pairs_of_targets },
	{ "key.threads_name_targets", threads_name_targets },
};
const unsigned n_units_key = QD_COUNT(units_key);
