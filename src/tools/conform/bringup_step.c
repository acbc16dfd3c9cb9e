/* The bring-up steps and their execution. */
#include <stdio.h>
#include <stdlib.h>

#include "bringup.h"
#include "bringup_kernel.h"

#ifndef INJECT
#define INJECT                                                                                      \
	false /* true: fault injection, an expected value of one kernel is wrong */
#endif

typedef enum ladder_state state;

/* -- Without a kernel ------------------------------------------------------------------- */

static state
opens(struct ladder *l)
{
	const struct kgd_physical *p = &l->physical;

	if (!ladder_open(l))
		return LADDER_FAILED;
	return ladder_say(l, LADDER_OK,
			  "%s: graphics core %u.%u.%u, family %u revision 0x%x, %u compute units "
			  "in %u engines, "
			  "VRAM %llu MiB (%s), GTT %llu MiB, rings 0x%x, %s",
			  l->gpu->name, l->compute.ip_version >> 16,
			  l->compute.ip_version >> 8 & 0xff, l->compute.ip_version & 0xff,
			  l->info.family, l->info.external_rev, p->n_cu, p->n_engine,
			  (unsigned long long)(p->vram >> 20), p->apu ? "the host's" : "its own",
			  (unsigned long long)(p->gtt >> 20), l->compute.rings, p->info.driver);
}

/* Tests that the host reads back what it has written. */
static bool
holds(struct ladder *l, const char *kind, const struct ladder_memory *m)
{
	volatile uint32_t *w = m->host;
	uint32_t n = (uint32_t)(m->size / 4);

	for (uint32_t i = 0; i < n; i++)
		w[i] = i * 0x9e3779b9u;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t got = w[i];
		if (got == i * 0x9e3779b9u)
			continue;
		ladder_say(l, LADDER_FAILED, "%s: the host reads 0x%x at byte %u, and wrote 0x%x",
			   kind, got, 4 * i, i * 0x9e3779b9u);
		return false;
	}
	memset(m->host, 0, m->size);
	return true;
}

static state
memory(struct ladder *l)
{
	enum { SIZE = 65536 };
	struct ladder_memory vram = { 0 };
	bool seen = ladder_memory(l, &vram, KGD_DOMAIN_VRAM, KGD_BO_SEEN, SIZE) &&
		    holds(l, "VRAM", &vram);

	ladder_memory_free(l, &vram);
	if (!seen || !ladder_memory(l, &l->stream, KGD_DOMAIN_GTT, 0, LADDER_STREAM_SIZE) ||
	    !ladder_memory(l, &l->code, KGD_DOMAIN_GTT, 0, SIZE) ||
	    !ladder_memory(l, &l->data, KGD_DOMAIN_GTT, 0, LADDER_DATA_SIZE) ||
	    !holds(l, "GTT", &l->stream) || !holds(l, "GTT", &l->code) ||
	    !holds(l, "GTT", &l->data))
		return LADDER_FAILED;
	struct amdgpu_bo *bos[] = { l->stream.bo, l->code.bo, l->data.bo };
	int r = l->drm->amdgpu_bo_list_create(l->handle, QD_COUNT(bos), bos, NULL, &l->list);
	if (r)
		return ladder_call_failed(l, "amdgpu_bo_list_create", r);
	return ladder_say(l, LADDER_OK, "the host reads what it wrote, in VRAM and GTT");
}

/* Submits what is in the slot and waits for it. */
static bool
run(struct ladder *l, unsigned slot, struct pm4 *p)
{
	return ladder_submit(l, slot, p) && ladder_wait(l, slot);
}

static state
idle(struct ladder *l)
{
	static const uint32_t nothing[7];
	struct qd_error e;
	struct pm4 p;

	ladder_begin(l, LADDER_IDLE, &p, &e);
	pm4_packet(&p, PM4_PKT_NOP, nothing, QD_COUNT(nothing));
	if (!run(l, LADDER_IDLE, &p))
		return LADDER_FAILED;
	if (l->seq[LADDER_IDLE] == 0)
		return ladder_say(l, LADDER_FAILED, "the submission has the number 0");
	return ladder_say(l, LADDER_OK, "fence %llu", (unsigned long long)l->seq[LADDER_IDLE]);
}

static bool
same(struct ladder *l, unsigned slot, uint32_t i, uint32_t want)
{
	uint32_t got = ladder_out(l, slot)[i];

	if (got == want)
		return true;
	ladder_say(l, LADDER_FAILED, "word %u is 0x%x, and should be 0x%x", i, got, want);
	l->shown = l->last;
	return false;
}

static uint64_t
out_addr(const struct ladder *l, unsigned slot)
{
	return l->data.addr + slot * LADDER_OUT_SIZE;
}

static state
writes(struct ladder *l)
{
	static const uint32_t words[] = { 0x600d0001, 0x600d0002, 0x600d0003 };
	struct qd_error e;
	struct pm4 p;

	memset(ladder_out(l, 0), 0, LADDER_OUT_SIZE);
	ladder_begin(l, LADDER_WRITE, &p, &e);
	pm4_write(&p, out_addr(l, 0), words, QD_COUNT(words));
	if (!run(l, LADDER_WRITE, &p))
		return LADDER_FAILED;
	for (uint32_t i = 0; i < QD_COUNT(words) + 1; i++)
		if (!same(l, 0, i, i < QD_COUNT(words) ? words[i] : 0))
			return LADDER_FAILED;
	return ladder_say(l, LADDER_OK, "the packet processor writes memory");
}

static state
caches(struct ladder *l)
{
	struct qd_error e;
	struct pm4 p;

	ladder_begin(l, LADDER_CACHES, &p, &e);
	pm4_cache(&p, PM4_CACHE_START);
	return run(l, LADDER_CACHES, &p) ? ladder_say(l, LADDER_OK, "all caches emptied")
					 : LADDER_FAILED;
}

/* -- With a kernel ---------------------------------------------------------------------- */

enum { CODE_SLOT = LADDER_CODE_MAX, WAVE_DEFAULT = 0 };

/* Writes a kernel to its slot of the code memory. */
static bool
put_kernel(struct ladder *l, unsigned at, enum ladder_kernel which, uint32_t wave,
	   struct pm4_kernel *k)
{
	const struct gcn_target *t = gcn_target_find(l->gpu->name, wave);
	uint64_t addr = l->code.addr + at * CODE_SLOT;
	struct ladder_code c;
	struct qd_error e;

	if (t && ladder_code(t, which, &c, &e) == QD_OK &&
	    pm4_kernel_read(l->gpu, (const uint8_t *)c.words, addr, k, &e) == QD_OK) {
		memcpy((char *)l->code.host + at * CODE_SLOT, c.words, c.size);
		return true;
	}
	ladder_say(l, LADDER_FAILED, "its kernel cannot be made: %.400s",
		   t ? e.text : "no instructions are known");
	return false;
}

static uint64_t
args_addr(const struct ladder *l, unsigned slot)
{
	return l->data.addr + LADDER_ARGS_AT + slot * LADDER_ARGS_SIZE;
}

/* Writes the arguments of a slot: the addresses of out and in. */
static void
put_args(struct ladder *l, unsigned slot, uint64_t out, uint64_t in)
{
	uint64_t args[] = { out, in };

	memcpy((char *)l->data.host + (args_addr(l, slot) - l->data.addr), args, sizeof args);
}

static void
put_dispatch(struct ladder *l, struct pm4 *p, enum ladder_kernel which, const struct pm4_kernel *k,
	     uint64_t args)
{
	const struct ladder_shape *s = ladder_shape(which);
	struct pm4_dispatch d = {
		.kernel = k,
		.blocks = { s->blocks[0], s->blocks[1], s->blocks[2] },
		.block = { s->block[0], s->block[1], s->block[2] },
		.kernarg = args,
	};

	pm4_all_units(d.cu_mask, l->physical.n_engine);
	pm4_dispatch(p, l->gpu, &d);
}

static bool
is_injected(enum ladder_kernel which)
{
	const char *s = INJECT ? getenv("QD_TEST_MUTATION") : NULL;

	return s && atoi(s) == (int)which;
}

static bool
as_wanted(struct ladder *l, unsigned slot, enum ladder_kernel which, const uint32_t *in,
	  uint32_t wave)
{
	const struct ladder_shape *s = ladder_shape(which);
	uint32_t other = is_injected(which);

	for (uint32_t i = 0; i < LADDER_OUT_SIZE / 4; i++)
		if (!same(l, slot, i, i < s->n_out ? ladder_want(s, i, in, wave) ^ other : 0))
			return false;
	return true;
}

/* Appends to the text the number of blocks of 64 lanes that stored nothing: the device did not run
 * them. */
static void
tell_blocks(struct ladder *l, unsigned slot, enum ladder_kernel which, uint32_t wave)
{
	enum { LANES = 64 };
	const struct ladder_shape *s = ladder_shape(which);
	uint32_t n = s->n_out / LANES, whole = 0, none = 0;
	size_t len = strlen(l->text);

	for (uint32_t b = 0; b < n; b++) {
		uint32_t right = 0, empty = 0;
		for (uint32_t i = b * LANES; i < (b + 1) * LANES; i++) {
			right += ladder_out(l, slot)[i] == ladder_want(s, i, ladder_in(l), wave);
			empty += ladder_out(l, slot)[i] == 0;
		}
		whole += right == LANES;
		none += empty == LANES && right != LANES;
	}
	if (none)
		snprintf(l->text + len, sizeof l->text - len,
			 "; of %u blocks %u stored what they should and %u nothing", n, whole, none);
}

/* Prepares everything but the stream. */
static bool
prepare(struct ladder *l, unsigned slot, enum ladder_kernel which, uint32_t wave,
	struct pm4_kernel *k)
{
	memset(ladder_out(l, slot), 0, LADDER_OUT_SIZE);
	for (uint32_t i = 0; i < LADDER_MOST_OUT; i++)
		ladder_in(l)[i] = i * 0x9e3779b9u;
	put_args(l, slot, out_addr(l, slot), l->data.addr + LADDER_IN_AT);
	return put_kernel(l, slot, which, wave, k);
}

static bool
submit_kernel(struct ladder *l, unsigned slot, enum ladder_kernel which, const struct pm4_kernel *k)
{
	struct qd_error e;
	struct pm4 p;

	ladder_begin(l, slot, &p, &e);
	pm4_cache(&p, PM4_CACHE_START);
	put_dispatch(l, &p, which, k, args_addr(l, slot));
	pm4_drain(&p);
	return ladder_submit(l, slot, &p);
}

static bool
run_kernel(struct ladder *l, enum ladder_kernel which, uint32_t wave)
{
	struct pm4_kernel k;

	if (!prepare(l, 0, which, wave, &k) || !submit_kernel(l, 0, which, &k) || !ladder_wait(l, 0))
		return false;
	if (as_wanted(l, 0, which, ladder_in(l), k.wave))
		return true;
	if (which == LADDER_IDS || which == LADDER_IDS3)
		tell_blocks(l, 0, which, k.wave);
	return false;
}

/* Runs two dependent kernels: in -> out of slot 0 -> out of slot 1. */
static state
chain(struct ladder *l)
{
	struct pm4_kernel k;
	struct qd_error e;
	struct pm4 p;

	memset(l->data.host, 0, LADDER_IN_AT);
	for (uint32_t i = 0; i < LADDER_MOST_OUT; i++)
		ladder_in(l)[i] = i * 0x9e3779b9u;
	if (!put_kernel(l, 0, LADDER_STEP, WAVE_DEFAULT, &k))
		return LADDER_FAILED;
	put_args(l, 0, out_addr(l, 0), l->data.addr + LADDER_IN_AT);
	put_args(l, 1, out_addr(l, 1), out_addr(l, 0));
	struct pm4_use made = { out_addr(l, 0), LADDER_OUT_SIZE, true, false };
	struct pm4_use used = { out_addr(l, 0), LADDER_OUT_SIZE, false, false };
	ladder_begin(l, 0, &p, &e);
	pm4_cache(&p, PM4_CACHE_START);
	put_dispatch(l, &p, LADDER_STEP, &k, args_addr(l, 0));
	pm4_barrier(&p, &made, 1, &used, 1);
	put_dispatch(l, &p, LADDER_STEP, &k, args_addr(l, 1));
	pm4_drain(&p);
	if (!run(l, 0, &p))
		return LADDER_FAILED;
	for (unsigned slot = 0; slot < 2; slot++)
		if (!as_wanted(l, slot, LADDER_STEP, slot ? ladder_out(l, 0) : ladder_in(l),
			       k.wave))
			return LADDER_FAILED;
	return ladder_say(l, LADDER_OK,
			  "the second of two dispatches in a stream reads what the first stored");
}

static state
recode(struct ladder *l)
{
	return run_kernel(l, LADDER_CONSTANT, WAVE_DEFAULT) &&
			       run_kernel(l, LADDER_CONSTANT2, WAVE_DEFAULT)
		       ? ladder_say(l, LADDER_OK, "other code at the same address runs")
		       : LADDER_FAILED;
}

/* Submits several streams before waiting for the first, and waits for the last one first. */
static state
flight(struct ladder *l)
{
	static const enum ladder_kernel which[LADDER_SLOTS] = { LADDER_CONSTANT, LADDER_IDS,
								LADDER_CONSTANT2, LADDER_STEP };
	struct pm4_kernel k[LADDER_SLOTS];

	for (unsigned i = 0; i < LADDER_SLOTS; i++)
		if (!prepare(l, i, which[i], WAVE_DEFAULT, &k[i]))
			return LADDER_FAILED;
	for (unsigned i = 0; i < LADDER_SLOTS; i++)
		if (!submit_kernel(l, i, which[i], &k[i]))
			return LADDER_FAILED;
	for (unsigned i = LADDER_SLOTS; i-- > 0;)
		if (!ladder_wait(l, i))
			return LADDER_FAILED;
	for (unsigned i = 0; i < LADDER_SLOTS; i++)
		if (!as_wanted(l, i, which[i], ladder_in(l), k[i].wave))
			return LADDER_FAILED;
	return ladder_say(l, LADDER_OK, "%d submissions at a time", LADDER_SLOTS);
}

static state
waves(struct ladder *l)
{
	for (uint32_t wave = 32; wave <= 64; wave *= 2)
		if ((l->gpu->sizes & wave) && !run_kernel(l, LADDER_LANE, wave))
			return LADDER_FAILED;
	return ladder_say(l, LADDER_OK, "waves of %s lanes",
			  l->gpu->sizes == 64 ? "64" : "32 and of 64");
}

/* Tests the copy engine, which has its own packets: linear copies, and zeros as padding. */
static state
copies(struct ladder *l)
{
	enum { LINEAR_COPY = 1, WORDS = 16, BYTES = 1024 };
	uint64_t from = l->data.addr + LADDER_IN_AT, to = out_addr(l, 0);
	const uint32_t packet[] = {
		LINEAR_COPY,  BYTES - 1,	   0, (uint32_t)from, (uint32_t)(from >> 32),
		(uint32_t)to, (uint32_t)(to >> 32)
	};
	struct kgd_engine engine = { 0 };

	if (l->drm->amdgpu_query_hw_ip_info(l->handle, LADDER_SDMA, 0, &engine) || !engine.rings)
		return ladder_say(l, LADDER_NONE, "the kernel lends no copy engine; qd uses none");
	memset(ladder_out(l, 0), 0, LADDER_OUT_SIZE);
	uint32_t *words = ladder_words(l, LADDER_COPIES);
	memset(words, 0, WORDS * 4);
	memcpy(words, packet, sizeof packet);
	l->engine = LADDER_SDMA;
	if (!ladder_submit_words(l, LADDER_COPIES, WORDS) || !ladder_wait(l, LADDER_COPIES))
		return LADDER_FAILED;
	for (uint32_t i = 0; i < LADDER_OUT_SIZE / 4; i++)
		if (!same(l, 0, i, i < BYTES / 4 ? ladder_in(l)[i] : 0))
			return LADDER_FAILED;
	return ladder_say(l, LADDER_OK, "the copy engine copies %d bytes", BYTES);
}

/* -- Execution of the steps ------------------------------------------------------------- */

static const struct step {
	const char *name, *what;
	state (*run)(
		struct ladder *l); /* NULL: run only the kernel; text describes it */
	enum ladder_kernel kernel;
	const char *text;
} steps[] = {
	{ "open", "the node opens, and the kernel says what the device is", opens, LADDER_N_KERNEL,
	  NULL },
	{ "memory", "memory that the host writes and reads", memory, LADDER_N_KERNEL, NULL },
	{ "idle", "a stream that does nothing comes to its end", idle, LADDER_N_KERNEL, NULL },
	{ "write", "a packet writes memory", writes, LADDER_N_KERNEL, NULL },
	{ "caches", "a packet empties caches", caches, LADDER_N_KERNEL, NULL },
	{ "end", "a kernel that only ends", NULL, LADDER_END, "a wave begins and ends" },
	{ "constant", "a kernel reads its arguments and stores", NULL, LADDER_CONSTANT,
	  "one lane reads its arguments and stores a word" },
	{ "ids", "lanes and blocks in one dimension", NULL, LADDER_IDS, "200 blocks of 64 lanes" },
	{ "ids3", "lanes and blocks in three dimensions", NULL, LADDER_IDS3,
	  "5 x 7 x 6 blocks of 4 x 2 x 8 lanes" },
	{ "shared", "shared memory and a barrier", NULL, LADDER_SHARED,
	  "768 bytes through a barrier" },
	{ "chain", "dispatches that depend on each other", chain, LADDER_N_KERNEL, NULL },
	{ "recode", "code that is replaced", recode, LADDER_N_KERNEL, NULL },
	{ "atomics", "atomics on one word", NULL, LADDER_ATOMIC, "1024 lanes add to one word" },
	{ "registers", "all vector registers", NULL, LADDER_REGISTERS, "256 vector registers" },
	{ "flight", "several submissions in flight", flight, LADDER_N_KERNEL, NULL },
	{ "waves", "each size of waves", waves, LADDER_N_KERNEL, NULL },
	{ "copies", "the copy engine", copies, LADDER_N_KERNEL, NULL },
};

static state
run_step(struct ladder *l, const struct step *s)
{
	if (s->run)
		return s->run(l);
	return run_kernel(l, s->kernel, WAVE_DEFAULT) ? ladder_say(l, LADDER_OK, "%s", s->text)
						      : LADDER_FAILED;
}

bool
ladder_step(unsigned i, const char **name, const char **what)
{
	if (i >= QD_COUNT(steps))
		return false;
	*name = steps[i].name;
	*what = steps[i].what;
	return true;
}

/* Prints the last words submitted to the device, as text; those of the copy engine as numbers. */
static void
tell_stream(struct ladder *l, const struct ladder_ears *ears)
{
	size_t at = (size_t)l->shown * LADDER_SLOT_WORDS;
	const uint32_t *w = ladder_words(l, (unsigned)l->shown);
	uint32_t n = l->n_words[l->shown];
	struct pool pool;
	struct buf text;
	char line[160];

	snprintf(line, sizeof line, "the stream, %u words at 0x%llx:", n,
		 (unsigned long long)(l->stream.addr + 4 * at));
	ears->detail(ears->user, line);
	pool_init(&pool, &pool_malloc);
	buf_init(&text, &pool);
	if (l->engine == KGD_IP_COMPUTE)
		pm4_dis(l->gpu->gen, w, n, &text, QD_IGNORE_ERROR);
	else
		for (uint32_t i = 0; i < n; i++)
			buf_printf(&text, "%04x: %08x\n", 4 * i, w[i]);
	buf_put(&text, "", 1);
	if (!text.nomem)
		for (char *s = strtok(buf_data(&text), "\n"); s; s = strtok(NULL, "\n"))
			ears->detail(ears->user, s);
	buf_fini(&text);
	pool_fini(&pool);
}

static void
tell_state(struct ladder *l, const struct ladder_ears *ears)
{
	uint64_t flags = 0;
	char line[200];

	if (l->ctx && l->drm->amdgpu_cs_query_reset_state2 &&
	    l->drm->amdgpu_cs_query_reset_state2(l->ctx, &flags) == 0) {
		snprintf(line, sizeof line, "the context: %s%s%s%s",
			 flags & KGD_RESET ? "reset" : "not reset",
			 flags & KGD_RESET_GUILTY ? ", by its own submission" : "",
			 flags & KGD_RESET_VRAM_LOST ? ", what was in VRAM is lost" : "",
			 flags & ~(uint64_t)(KGD_RESET | KGD_RESET_GUILTY | KGD_RESET_VRAM_LOST)
				 ? ", more"
				 : "");
		ears->detail(ears->user, line);
	}
	ears->detail(ears->user, "the kernel's own words: dmesg | grep amdgpu");
}

static bool
climb(struct ladder *l, const struct ladder_ears *ears)
{
	for (unsigned i = 0; i < QD_COUNT(steps); i++) {
		l->shown = -1;
		l->text[0] = '\0';
		ears->begins(ears->user, i, steps[i].name);
		state st = run_step(l, &steps[i]);
		ears->ended(ears->user, i, st, l->text);
		if (st != LADDER_FAILED)
			continue;
		if (l->shown >= 0)
			tell_stream(l, ears);
		tell_state(l, ears);
		return false;
	}
	return true;
}

/* Copies the part of the selector between the driver's name and the subgroup size. */
static void
which_of(const char *selector, char *out, size_t cap)
{
	const char *from = strchr(selector, ':');
	const char *end = from ? strrchr(selector, ':') : NULL;
	size_t len = 0;

	if (from && end[1] == 'w' && strspn(end + 2, "0123456789") == strlen(end + 2) && end[2])
		len = end > from ? (size_t)(end - from - 1) : 0;
	else if (from)
		len = strlen(from + 1);
	snprintf(out, cap, "%.*s", (int)len, from ? from + 1 : "");
}

qd_status
ladder_climb(const char *selector, const struct ladder_ears *ears, bool *failed,
	     struct qd_error *err)
{
	struct ladder l = { .fd = -1, .shown = -1 };
	struct kgd_physical *all;
	uint32_t n = 0, chosen = 0;
	char which[64];

	QD_TRY(kgd_library_get(&l.drm, err));
	all = calloc(KGD_MAX_PHYSICAL, sizeof *all);
	if (!all)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	which_of(selector, which, sizeof which);
	qd_status st = kgd_physical_list(l.drm, all, &n, err);
	if (st == QD_OK)
		st = kgd_choose(all, n, which, &chosen, err);
	if (st == QD_OK) {
		l.physical = all[chosen];
		l.gpu = l.physical.gpu;
	}
	free(all);
	if (st)
		return st;
	*failed = !climb(&l, ears);
	ladder_close(&l);
	return QD_OK;
}
