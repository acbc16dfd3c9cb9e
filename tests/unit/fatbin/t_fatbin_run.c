/* Functions from fatbins: the compiled code runs, on any thread. */
#include <stdio.h>
#include <stdlib.h>

#include "fatbin_kit.h"

/* Linked fatbin of the whole kit, in its own context. */
struct open_kit {
	struct fat_kit k;
	uint8_t *bytes;
	struct qd_fatbin *f;
};

static void
close_kit(struct unit_ctx *t, struct open_kit *o)
{
	qd_fatbin_free(o->f);
	free(o->bytes);
	fat_close(t, &o->k);
}

static bool
open_kit(struct unit_ctx *t, struct open_kit *o)
{
	struct fatbin_options options = { .codec = fatbin_auto };
	size_t size;

	o->f = NULL;
	if (!fat_open(t, &o->k, false))
		return false;
	o->bytes = fat_linked(t, &o->k, &options, &size);
	if (o->bytes)
		UNIT_CHECK(t, !qd_fatbin_open(o->k.rig.ctx, o->bytes, QD_LINKED, "kit", &o->f, &o->k.rig.e),
			   "%s", o->k.rig.e.text);
	if (!o->f)
		close_kit(t, o);
	return o->f;
}

static const char *const devices[] = { "ref:8", "emu:sm_90", "emu:gfx1100" };

/* -- Functions ---------------------------------------------------------------------------- */

/* Checks that the entry with the given values is loaded, in whatever order they are given. */
static void
functions(struct unit_ctx *t)
{
	static const struct {
		qd_type type;
		int log2_size;
	} rows[] = { { QD_TYPE_F32, 0 }, { QD_TYPE_F32, 2 }, { QD_TYPE_U32, 2 }, { QD_TYPE_NONE, -1 } };
	struct open_kit o;

	if (!open_kit(t, &o))
		return;
	for (size_t d = 0; d < QD_COUNT(devices); d++) {
		struct qd_device *dev = NULL;
		struct qd_error e = { 0 };
		bool open = !qd_device_open(o.k.rig.ctx, devices[d], &dev, &e);
		UNIT_CHECK(t, open, "%s", e.text);
		for (size_t i = 0; open && i < QD_COUNT(rows); i++) {
			bool has = rows[i].log2_size >= 0;
			const struct qd_tmpl as[] = { { "T", 0, rows[i].type },
						      { "L", rows[i].log2_size, QD_TYPE_NONE } },
					     other[] = { as[1], as[0] };
			struct qd_function *fn = NULL, *again = NULL;
			qd_status st = qd_fatbin_function(dev, o.f, has ? "tiles" : "twice", as, has ? 2 : 0,
							  &fn, &e);
			UNIT_CHECK(t, !st, "%s: %s", devices[d], e.text);
			if (st == QD_OK)
				fat_launch(t, dev, fn, rows[i].type, rows[i].log2_size, devices[d]);
			st = qd_fatbin_function(dev, o.f, has ? "tiles" : "twice", other, has ? 2 : 0, &again,
						&e);
			UNIT_CHECK(t, !st && again == fn, "%s, values in another order: %s", devices[d],
				   st ? e.text : "it was loaded twice");
			qd_function_free(again);
			qd_function_free(fn);
		}
		qd_device_close(dev);
	}
	close_kit(t, &o);
}

/* Checks that a wrong name or wrong values are rejected with a list of those available. */
static void
names(struct unit_ctx *t)
{
	static const struct qd_tmpl f32 = { "T", 0, QD_TYPE_F32 }, size = { "L", 2, QD_TYPE_NONE };
	const struct {
		const char *kernel;
		struct qd_tmpl tmpl[2];
		uint32_t n;
		const char *text;
	} rows[] = {
		{ "tilse", { f32, size }, 2, "kit: no kernel is named 'tilse'; did you mean 'tiles'?" },
		{ "Twice", { f32 }, 0, "kit: no kernel is named 'Twice'; did you mean 'twice'?" },
		{ "unlike", { f32 }, 0, "kit: no kernel is named 'unlike'; qd-aot list shows the kernels" },
		{ "", { f32 }, 0, "kit: no kernel is named ''; qd-aot list shows the kernels" },
		{ "tiles", { f32 }, 0, "kit: kernel 'tiles' is not available with no template values; available: *" },
		{ "tiles", { f32 }, 1, "kit: kernel 'tiles' is not available with template values T=f32; available: *" },
		{ "tiles", { f32, { "L", 1, 0 } }, 2,
		  "kit: kernel 'tiles' is not available with template values T=f32;L=1; available: *" },
		{ "tiles", { { "T", QD_TYPE_F32, 0 }, size }, 2,
		  "kit: kernel 'tiles' is not available with template values T=6;L=2; available: *" },
		{ "tiles", { f32, { "L", 0, QD_TYPE_U32 } }, 2,
		  "kit: kernel 'tiles' is not available with template values T=f32;L=u32; available: *" },
		{ "tiles", { { "T", 0, QD_TYPE_F64 }, size }, 2,
		  "kit: kernel 'tiles' is not available with template values T=f64;L=2; available: *" },
		{ "tiles", { f32, { "K", 2, 0 } }, 2,
		  "kit: kernel 'tiles' is not available with template values T=f32;K=2; available: T=f32;L=*, T=*" },
		{ "tiles", { size, size }, 2,
		  "kit: kernel 'tiles' is not available with template values L=2;L=2; available: *" },
		{ "twice", { size }, 1, "kit: kernel 'twice' is not available with template values L=2; available: none" },
	};
	static const char *const variants[] = { "T=f32;L=0", "T=f32;L=2", "T=f32;L=5",
						"T=u32;L=0", "T=u32;L=2", "T=u32;L=5" };
	struct qd_device *dev = NULL;
	struct qd_function *fn;
	struct open_kit o;
	struct qd_error e = { 0 };

	if (!open_kit(t, &o))
		return;
	bool open = !qd_device_open(o.k.rig.ctx, "ref:8", &dev, &e);
	UNIT_CHECK(t, open, "%s", e.text);
	for (size_t i = 0; open && i < QD_COUNT(rows); i++) {
		qd_status st = qd_fatbin_function(dev, o.f, rows[i].kernel, rows[i].tmpl, rows[i].n, &fn, &e);
		const char *star = strchr(rows[i].text, '*');
		size_t len = star ? (size_t)(star - rows[i].text) : strlen(rows[i].text) + 1;
		UNIT_CHECK(t, st == QD_E_NOT_FOUND && !fn && !strncmp(e.text, rows[i].text, len), "%s", e.text);
		for (size_t v = 0; star && v < QD_COUNT(variants); v++)
			UNIT_CHECK(t, strstr(e.text, variants[v]), "%s: %s is not reported", e.text, variants[v]);
	}
	qd_device_close(dev);
	close_kit(t, &o);
}

/* -- Entries one by one ------------------------------------------------------------------------ */

/* Checks that entries of code and of kernels are distinguished, and an index past the end is
 * rejected. */
static void
asked(struct unit_ctx *t)
{
	struct qd_fatbin_entry entry;
	struct qd_kernel *kernel, *again;
	struct qd_image *img, *same;
	struct open_kit o;
	struct qd_error e = { 0 };

	if (!open_kit(t, &o))
		return;
	uint32_t n = qd_fatbin_count(o.f);
	for (uint32_t i = 0; i < n; i++) {
		bool reported = !qd_fatbin_entry(o.f, i, &entry, &e), ir = reported && !strcmp(entry.kind, "ir");
		char want[200];
		UNIT_CHECK(t, reported && entry.size > 100 && entry.subgroup_size && entry.block_dim == 64 &&
				   ir == !strcmp(entry.target, "qdir"),
			   "entry %u: %s", i, e.text);
		qd_status code = qd_fatbin_image(o.f, i, &img, &e);
		snprintf(want, sizeof want, "kit: the entry of kernel '%s' is IR; it has no code",
			 entry.kernel);
		UNIT_CHECK(t, ir ? code == QD_E_INVALID && !img && !strcmp(e.text, want) : code == QD_OK, "%s", e.text);
		qd_status text = qd_fatbin_kernel(o.f, i, &kernel, &e);
		snprintf(want, sizeof want, "kit: the entry of kernel '%s' for %s is code; it has no IR",
			 entry.kernel, entry.target);
		UNIT_CHECK(t, ir ? text == QD_OK : text == QD_E_INVALID && !kernel && !strcmp(e.text, want), "%s", e.text);
		/* A second call returns the same object. */
		UNIT_CHECK(t, ir || (!qd_fatbin_image(o.f, i, &same, &e) && same == img), "two images of entry %u", i);
		UNIT_CHECK(t, !ir || (!qd_fatbin_kernel(o.f, i, &again, &e) && again == kernel), "two kernels of entry %u", i);
		qd_image_free(ir ? NULL : same);
		qd_kernel_free(ir ? again : NULL);
		qd_image_free(img);
		qd_kernel_free(kernel);
	}
	UNIT_CHECK(t,
		   qd_fatbin_entry(o.f, n, &entry, &e) == QD_E_INVALID &&
			   qd_fatbin_image(o.f, n, &img, &e) == QD_E_INVALID &&
			   qd_fatbin_kernel(o.f, n, &kernel, &e) == QD_E_INVALID &&
			   !qd_fatbin_count(NULL),
		   "an entry after the last");
	close_kit(t, &o);
}

/* Checks that an entry that is damaged, or that no driver can load, is skipped in favor of
 * another. */
static void
passed_over(struct unit_ctx *t)
{
	struct fatbin_options options = { .codec = FATBIN_RAW };
	struct fat_kit k;

	if (!fat_open(t, &k, true))
		return;
	uint32_t n = k.n;
	for (int how = 0; how < 3; how++) {
		bool alone = how == 1;
		struct qd_device *dev = NULL;
		struct qd_function *fn = NULL;
		struct qd_fatbin *f = NULL;
		struct qd_error e = { 0 };
		size_t size;
		/* Item 1 is for sm_90; no emulator runs its machine code. */
		struct fatbin_item cubin = k.item[1], first = k.item[0];
		cubin.kind = CODE_CUBIN;
		cubin.code = "none";
		cubin.code_size = 4;
		k.item[alone ? 0 : n] = cubin;
		k.n = alone ? 1 : how ? n : n + 1;
		uint8_t *bytes = fat_linked(t, &k, &options, &size);
		for (uint32_t i = 0; bytes && how == 2 && i < n; i++) { /* damage the best entry */
			struct fatbin_row *r = fat_row(bytes, i);
			uint8_t *at = fat_stored(bytes, r->group);
			if (r->kind == CODE_PTX && memmem(at, r->size, "sm_90", 5))
				at[r->size / 2] ^= 1;
		}
		bool good = bytes && !qd_fatbin_open(k.rig.ctx, bytes, QD_LINKED, "kit", &f, &e) &&
			    !qd_device_open(k.rig.ctx, "emu:sm_90", &dev, &e);
		UNIT_CHECK(t, good, "%s", e.text);
		qd_status st = good ? qd_fatbin_function(dev, f, "twice", NULL, 0, &fn, &e) : QD_E_INTERNAL;
		UNIT_CHECK(t, alone ? st == QD_E_SYNTAX && strstr(e.text, "cubin:sm_90: refused: ") : st == QD_OK, "%s",
			   e.text);
		if (fn)
			fat_launch(t, dev, fn, QD_TYPE_NONE, -1, "after an entry that is rejected");
		qd_function_free(fn);
		qd_device_close(dev);
		qd_fatbin_free(f);
		free(bytes);
		k.item[0] = first;
	}
	k.n = n;
	fat_close(t, &k);
}

/* -- The environment -------------------------------------------------------------------------- */

/* Loads `twice` from a fatbin without the entries for the targets in `without`. `want` is a part of
 * the expected error, or "". */
static void
try_with(struct unit_ctx *t, const char *jit, const char *target, const char *device,
	 const char *without, const char *want)
{
	struct fatbin_options options = { .codec = fatbin_auto };
	struct qd_device *dev = NULL;
	struct qd_function *fn = NULL;
	struct open_kit o = { .f = NULL };
	struct qd_error e = { 0 };
	size_t size;
	uint32_t n = 0, all = 0;

	jit ? setenv("QD_JIT", jit, 1) : unsetenv("QD_JIT");
	target ? setenv("QD_TARGET", target, 1) : unsetenv("QD_TARGET");
	bool good = fat_open(t, &o.k, true);
	unsetenv("QD_JIT");
	unsetenv("QD_TARGET");
	if (!good)
		return;
	all = o.k.n;
	for (uint32_t i = 0; i < all; i++) {
		if (!strstr(without, o.k.item[i].target))
			o.k.item[n++] = o.k.item[i];
	}
	o.k.n = n;
	o.bytes = fat_linked(t, &o.k, &options, &size);
	good = o.bytes && !qd_fatbin_open(o.k.rig.ctx, o.bytes, QD_LINKED, "kit", &o.f, &e) &&
	       !qd_device_open(o.k.rig.ctx, device, &dev, &e);
	UNIT_CHECK(t, good, "%s", e.text);
	qd_status st = good ? qd_fatbin_function(dev, o.f, "twice", NULL, 0, &fn, &e) : QD_OK;
	UNIT_CHECK(t, !good || (*want ? st != QD_OK && strstr(e.text, want) : st == QD_OK),
		   "QD_JIT=%s QD_TARGET=%s on %s: %s", jit ? jit : "", target ? target : "", device,
		   st ? e.text : "loaded");
	if (fn)
		fat_launch(t, dev, fn, QD_TYPE_NONE, -1, device);
	qd_function_free(fn);
	qd_device_close(dev);
	qd_fatbin_free(o.f);
	free(o.bytes);
	o.k.n = all; /* fat_close frees all images */
	fat_close(t, &o.k);
}

/* Checks that QD_JIT and QD_TARGET are obeyed, and that errors name them. */
static void
environment(struct unit_ctx *t)
{
	static const struct {
		const char *jit, *target, *device, *without, *want;
	} rows[] = {
		/* Code for the device needs no compilation; compiling requires permission. */
		{ "0", NULL, "emu:sm_90", "", "" },
		{ "0", NULL, "emu:gfx1100", "", "" },
		{ "0", NULL, "ref:8", "", "" },
		{ "0", NULL, "emu:gfx1030", "", "qdir: QD_JIT=0 forbids compilation" },
		{ "1", NULL, "emu:gfx1030", "", "" },
		{ NULL, NULL, "emu:gfx1030", "", "" },
		{ NULL, NULL, "emu:gfx1030", "qdir", "fix: build the fatbin with '--target gfx1030', or 'qdir'" },
		{ NULL, NULL, "ref:8", "qdir", "fix: build the fatbin with '--target qdir'" },
		/* An entry by target name. It need not be the best, or be spelled as in the
		 * fatbin. */
		{ NULL, "ptx:sm_70", "emu:sm_90", "", "" },
		{ NULL, "ptx", "emu:sm_90", "", "" },
		{ NULL, "qdir", "emu:sm_90", "", "" },
		{ "0", "qdir", "emu:sm_90", "", "qdir: QD_JIT=0 forbids compilation" },
		{ NULL, "gfx1100", "emu:sm_90", "", "gfx1100: it is code of 'amdgcn', and the device takes 'ptx'" },
		{ NULL, "gfx1100", "emu:sm_90", "", "spirv:w32, qdir: QD_TARGET requests 'gfx1100'" },
		{ NULL, "gfx1200", "emu:gfx1100", "", "QD_TARGET requests 'gfx1200'" },
		{ NULL, "sparc", "emu:sm_90", "", "QD_TARGET='sparc' is not a target" },
		{ NULL, "", "emu:sm_90", "", "" },
	};

	for (size_t i = 0; i < QD_COUNT(rows); i++)
		try_with(t, rows[i].jit, rows[i].target, rows[i].device, rows[i].without, rows[i].want);
}

/* -- Threads -------------------------------------------------------------------------------------- */

enum { N_THREAD = 8, ROUNDS = 6 };

struct asker {
	struct open_kit *o;
	struct qd_device **dev;
	pthread_barrier_t *start;
	unsigned number;
	struct unit_ctx t;
};

static void
ask(struct asker *a, unsigned round)
{
	static const int sizes[] = { 0, 2 };
	unsigned at = (a->number / 2 + round) % 3;
	qd_type type = (a->number + round) % 2 ? QD_TYPE_U32 : QD_TYPE_F32;
	int log2_size = sizes[(a->number / 4 + round) % 2];
	const struct qd_tmpl tmpl[] = { { "L", log2_size, QD_TYPE_NONE }, { "T", 0, type } };
	struct qd_function *fn = NULL;
	struct qd_error e = { 0 };
	bool good = !qd_fatbin_function(a->dev[at], a->o->f, "tiles", tmpl, 2, &fn, &e);

	UNIT_CHECK(&a->t, good, "%s", e.text);
	if (good)
		fat_launch(&a->t, a->dev[at], fn, type, log2_size, devices[at]);
	qd_function_free(fn);
}

static void *
ask_all(void *p)
{
	struct asker *a = p;

	pthread_barrier_wait(a->start);
	/* Read all entries, then launch some. */
	struct fat_seen seen = fat_compare(&a->t, &a->o->k, a->o->f, "a thread");
	UNIT_CHECK(&a->t, seen.n_same == a->o->k.n, "%u entries: %s", seen.n_same, seen.e.text);
	for (unsigned i = 0; i < ROUNDS; i++)
		ask(a, i);
	return NULL;
}

/* Checks that threads may read entries of one fatbin concurrently. */
static void
threads(struct unit_ctx *t)
{
	static struct asker a[N_THREAD];
	struct qd_device *dev[QD_COUNT(devices)] = { NULL };
	pthread_t thread[N_THREAD];
	pthread_barrier_t start;
	struct open_kit o;
	bool good = true;

	if (!open_kit(t, &o))
		return;
	for (size_t i = 0; good && i < QD_COUNT(devices); i++)
		good = !qd_device_open(o.k.rig.ctx, devices[i], &dev[i], &o.k.rig.e);
	UNIT_CHECK(t, good, "%s", o.k.rig.e.text);
	if (good) {
		pthread_barrier_init(&start, NULL, N_THREAD);
		for (unsigned i = 0; i < N_THREAD; i++) {
			memset(&a[i], 0, sizeof a[i]);
			a[i] = (struct asker){ .o = &o, .dev = dev, .start = &start, .number = i };
			UNIT_CHECK(t, !pthread_create(&thread[i], NULL, ask_all, &a[i]), "thread %u", i);
		}
		for (unsigned i = 0; i < N_THREAD; i++) {
			pthread_join(thread[i], NULL);
			UNIT_CHECK(t, a[i].t.n_checks > ROUNDS && !a[i].t.n_failed, "thread %u: %s", i, a[i].t.text);
		}
		pthread_barrier_destroy(&start);
	}
	for (size_t i = 0; i < QD_COUNT(devices); i++)
		qd_device_close(dev[i]);
	close_kit(t, &o);
}

const struct unit units_fatbin_run[] = {
	{ "fatbin_run.functions", functions }, { "fatbin_run.names", names },
	{ "fatbin_run.asked", asked },	       { "fatbin_run.passed_over", passed_over },
	{ "fatbin_run.environment", environment }, { "fatbin_run.threads", threads },
};
const unsigned n_units_fatbin_run = QD_COUNT(units_fatbin_run);
