/* The bring-up steps and their execution. */
#include <stdio.h>
#include <stdlib.h>

#include "bringup.h"
#include "bringup_kernel.h"

#ifndef INJECT
#define INJECT false /* true: fault injection, an expected value of one kernel is wrong */
#endif

typedef enum bringup_state state;

/* -- Without a kernel ------------------------------------------------------------------- */

static state
opens(struct bringup *l)
{
	const struct kgd_physical *p = &l->physical;

	if (!bringup_open(l))
		return BRINGUP_FAILED;
	return bringup_say(l, BRINGUP_OK,
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
holds(struct bringup *l, const char *kind, const struct bringup_memory *m)
{
	volatile uint32_t *w = m->host;
	uint32_t n = (uint32_t)(m->size / 4);

	for (uint32_t i = 0; i < n; i++)
		w[i] = i * 0x9e3779b9u;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t got = w[i];
		if (got == i * 0x9e3779b9u)
			continue;
		bringup_say(l, BRINGUP_FAILED, "%s: the host reads 0x%x at byte %u, but wrote 0x%x",
			    kind, got, 4 * i, i * 0x9e3779b9u);
		return false;
	}
	memset(m->host, 0, m->size);
	return true;
}

static state
memory(struct bringup *l)
{
	enum { SIZE = 65536 };
	struct bringup_memory vram = { 0 };
	bool seen = bringup_memory(l, &vram, KGD_DOMAIN_VRAM, KGD_BO_SEEN, SIZE) &&
		    holds(l, "VRAM", &vram);

	bringup_memory_free(l, &vram);
	if (!seen || !bringup_memory(l, &l->stream, KGD_DOMAIN_GTT, 0, BRINGUP_STREAM_SIZE) ||
	    !bringup_memory(l, &l->code, KGD_DOMAIN_GTT, 0, SIZE) ||
	    !bringup_memory(l, &l->data, KGD_DOMAIN_GTT, 0, BRINGUP_DATA_SIZE) ||
	    !holds(l, "GTT", &l->stream) || !holds(l, "GTT", &l->code) ||
	    !holds(l, "GTT", &l->data))
		return BRINGUP_FAILED;
	struct amdgpu_bo *bos[] = { l->stream.bo, l->code.bo, l->data.bo };
	int r = l->drm->amdgpu_bo_list_create(l->handle, QD_COUNT(bos), bos, NULL, &l->list);
	if (r)
		return bringup_call_failed(l, "amdgpu_bo_list_create", r);
	return bringup_say(l, BRINGUP_OK, "the host reads back its writes, in VRAM and GTT");
}

/* Submits what is in the slot and waits for it. */
static bool
run(struct bringup *l, unsigned slot, struct pm4 *p)
{
	return bringup_submit(l, slot, p) && bringup_wait(l, slot);
}

static state
idle(struct bringup *l)
{
	static const uint32_t nothing[7];
	struct qd_error e;
	struct pm4 p;

	bringup_begin(l, BRINGUP_IDLE, &p, &e);
	pm4_packet(&p, PM4_PKT_NOP, nothing, QD_COUNT(nothing));
	if (!run(l, BRINGUP_IDLE, &p))
		return BRINGUP_FAILED;
	if (l->seq[BRINGUP_IDLE] == 0)
		return bringup_say(l, BRINGUP_FAILED, "the submission has the number 0");
	return bringup_say(l, BRINGUP_OK, "fence %llu", (unsigned long long)l->seq[BRINGUP_IDLE]);
}

static bool
same(struct bringup *l, unsigned slot, uint32_t i, uint32_t want)
{
	uint32_t got = bringup_out(l, slot)[i];

	if (got == want)
		return true;
	bringup_say(l, BRINGUP_FAILED, "word %u is 0x%x, and should be 0x%x", i, got, want);
	l->shown = l->last;
	return false;
}

static uint64_t
out_addr(const struct bringup *l, unsigned slot)
{
	return l->data.addr + slot * BRINGUP_OUT_SIZE;
}

static state
writes(struct bringup *l)
{
	static const uint32_t words[] = { 0x600d0001, 0x600d0002, 0x600d0003 };
	struct qd_error e;
	struct pm4 p;

	memset(bringup_out(l, 0), 0, BRINGUP_OUT_SIZE);
	bringup_begin(l, BRINGUP_WRITE, &p, &e);
	pm4_write(&p, out_addr(l, 0), words, QD_COUNT(words));
	if (!run(l, BRINGUP_WRITE, &p))
		return BRINGUP_FAILED;
	for (uint32_t i = 0; i < QD_COUNT(words) + 1; i++)
		if (!same(l, 0, i, i < QD_COUNT(words) ? words[i] : 0))
			return BRINGUP_FAILED;
	return bringup_say(l, BRINGUP_OK, "the packet processor writes memory");
}

static state
caches(struct bringup *l)
{
	struct qd_error e;
	struct pm4 p;

	bringup_begin(l, BRINGUP_CACHES, &p, &e);
	pm4_cache(&p, PM4_CACHE_START);
	return run(l, BRINGUP_CACHES, &p) ? bringup_say(l, BRINGUP_OK, "all caches emptied")
					 : BRINGUP_FAILED;
}

/* -- With a kernel ---------------------------------------------------------------------- */

enum { CODE_SLOT = BRINGUP_CODE_MAX, WAVE_DEFAULT = 0 };

/* Writes a kernel to its slot of the code memory. */
static bool
put_kernel(struct bringup *l, unsigned at, enum bringup_kernel which, uint32_t wave,
	   struct pm4_kernel *k)
{
	const struct gcn_target *t = gcn_target_find(l->gpu->name, wave);
	uint64_t addr = l->code.addr + at * CODE_SLOT;
	struct bringup_code c;
	struct qd_error e;

	if (t && bringup_code(t, which, &c, &e) == QD_OK &&
	    pm4_kernel_read(l->gpu, (const uint8_t *)c.words, addr, k, &e) == QD_OK) {
		memcpy((char *)l->code.host + at * CODE_SLOT, c.words, c.size);
		return true;
	}
	bringup_say(l, BRINGUP_FAILED, "its kernel cannot be assembled: %.400s",
		    t ? e.text : "no instructions are known");
	return false;
}

static uint64_t
args_addr(const struct bringup *l, unsigned slot)
{
	return l->data.addr + BRINGUP_ARGS_AT + slot * BRINGUP_ARGS_SIZE;
}

/* Writes the arguments of a slot: the addresses of out and in. */
static void
put_args(struct bringup *l, unsigned slot, uint64_t out, uint64_t in)
{
	uint64_t args[] = { out, in };

	memcpy((char *)l->data.host + (args_addr(l, slot) - l->data.addr), args, sizeof args);
}

static void
put_dispatch(struct bringup *l, struct pm4 *p, enum bringup_kernel which,
	     const struct pm4_kernel *k, uint64_t args)
{
	const struct bringup_shape *s = bringup_shape(which);
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
is_injected(enum bringup_kernel which)
{
	const char *s = INJECT ? getenv("QD_TEST_MUTATION") : NULL;

	return s && atoi(s) == (int)which;
}

static bool
as_wanted(struct bringup *l, unsigned slot, enum bringup_kernel which, const uint32_t *in,
	  uint32_t wave)
{
	const struct bringup_shape *s = bringup_shape(which);
	uint32_t other = is_injected(which);

	for (uint32_t i = 0; i < BRINGUP_OUT_SIZE / 4; i++)
		if (!same(l, slot, i, i < s->n_out ? bringup_want(s, i, in, wave) ^ other : 0))
			return false;
	return true;
}

/* Appends to the text the number of blocks of 64 lanes that stored nothing: the device did not run
 * them. */
static void
report_blocks(struct bringup *l, unsigned slot, enum bringup_kernel which, uint32_t wave)
{
	enum { LANES = 64 };
	const struct bringup_shape *s = bringup_shape(which);
	uint32_t n = s->n_out / LANES, whole = 0, none = 0;
	size_t len = strlen(l->text);

	for (uint32_t b = 0; b < n; b++) {
		uint32_t right = 0, empty = 0;
		for (uint32_t i = b * LANES; i < (b + 1) * LANES; i++) {
			right += bringup_out(l, slot)[i] == bringup_want(s, i, bringup_in(l), wave);
			empty += bringup_out(l, slot)[i] == 0;
		}
		whole += right == LANES;
		none += empty == LANES && right != LANES;
	}
	if (none)
		snprintf(l->text + len, sizeof l->text - len,
			 "; of %u blocks %u stored the expected values and %u nothing", n, whole,
			 none);
}

/* Prepares everything but the stream. */
static bool
prepare(struct bringup *l, unsigned slot, enum bringup_kernel which, uint32_t wave,
	struct pm4_kernel *k)
{
	memset(bringup_out(l, slot), 0, BRINGUP_OUT_SIZE);
	for (uint32_t i = 0; i < BRINGUP_MOST_OUT; i++)
		bringup_in(l)[i] = i * 0x9e3779b9u;
	put_args(l, slot, out_addr(l, slot), l->data.addr + BRINGUP_IN_AT);
	return put_kernel(l, slot, which, wave, k);
}

static bool
submit_kernel(struct bringup *l, unsigned slot, enum bringup_kernel which,
	      const struct pm4_kernel *k)
{
	struct qd_error e;
	struct pm4 p;

	bringup_begin(l, slot, &p, &e);
	pm4_cache(&p, PM4_CACHE_START);
	put_dispatch(l, &p, which, k, args_addr(l, slot));
	pm4_drain(&p);
	return bringup_submit(l, slot, &p);
}

static bool
run_kernel(struct bringup *l, enum bringup_kernel which, uint32_t wave)
{
	struct pm4_kernel k;

	if (!prepare(l, 0, which, wave, &k) || !submit_kernel(l, 0, which, &k) ||
	    !bringup_wait(l, 0))
		return false;
	if (as_wanted(l, 0, which, bringup_in(l), k.wave))
		return true;
	if (which == BRINGUP_IDS || which == BRINGUP_IDS3)
		report_blocks(l, 0, which, k.wave);
	return false;
}

/* Runs two dependent kernels: in -> out of slot 0 -> out of slot 1. */
static state
chain(struct bringup *l)
{
	struct pm4_kernel k;
	struct qd_error e;
	struct pm4 p;

	memset(l->data.host, 0, BRINGUP_IN_AT);
	for (uint32_t i = 0; i < BRINGUP_MOST_OUT; i++)
		bringup_in(l)[i] = i * 0x9e3779b9u;
	if (!put_kernel(l, 0, BRINGUP_STEP, WAVE_DEFAULT, &k))
		return BRINGUP_FAILED;
	put_args(l, 0, out_addr(l, 0), l->data.addr + BRINGUP_IN_AT);
	put_args(l, 1, out_addr(l, 1), out_addr(l, 0));
	struct pm4_use made = { out_addr(l, 0), BRINGUP_OUT_SIZE, true, false };
	struct pm4_use used = { out_addr(l, 0), BRINGUP_OUT_SIZE, false, false };
	bringup_begin(l, 0, &p, &e);
	pm4_cache(&p, PM4_CACHE_START);
	put_dispatch(l, &p, BRINGUP_STEP, &k, args_addr(l, 0));
	pm4_barrier(&p, &made, 1, &used, 1);
	put_dispatch(l, &p, BRINGUP_STEP, &k, args_addr(l, 1));
	pm4_drain(&p);
	if (!run(l, 0, &p))
		return BRINGUP_FAILED;
	for (unsigned slot = 0; slot < 2; slot++)
		if (!as_wanted(l, slot, BRINGUP_STEP, slot ? bringup_out(l, 0) : bringup_in(l),
			       k.wave))
			return BRINGUP_FAILED;
	return bringup_say(
		l, BRINGUP_OK,
		"the second of two dispatches in a stream reads the stores of the first");
}

static state
recode(struct bringup *l)
{
	return run_kernel(l, BRINGUP_CONSTANT, WAVE_DEFAULT) &&
			       run_kernel(l, BRINGUP_CONSTANT2, WAVE_DEFAULT)
		       ? bringup_say(l, BRINGUP_OK, "other code at the same address runs")
		       : BRINGUP_FAILED;
}

/* Submits several streams before waiting for the first, and waits for the last one first. */
static state
flight(struct bringup *l)
{
	static const enum bringup_kernel which[BRINGUP_SLOTS] = { BRINGUP_CONSTANT, BRINGUP_IDS,
								BRINGUP_CONSTANT2, BRINGUP_STEP };
	struct pm4_kernel k[BRINGUP_SLOTS];

	for (unsigned i = 0; i < BRINGUP_SLOTS; i++)
		if (!prepare(l, i, which[i], WAVE_DEFAULT, &k[i]))
			return BRINGUP_FAILED;
	for (unsigned i = 0; i < BRINGUP_SLOTS; i++)
		if (!submit_kernel(l, i, which[i], &k[i]))
			return BRINGUP_FAILED;
	for (unsigned i = BRINGUP_SLOTS; i-- > 0;)
		if (!bringup_wait(l, i))
			return BRINGUP_FAILED;
	for (unsigned i = 0; i < BRINGUP_SLOTS; i++)
		if (!as_wanted(l, i, which[i], bringup_in(l), k[i].wave))
			return BRINGUP_FAILED;
	return bringup_say(l, BRINGUP_OK, "%d submissions at a time", BRINGUP_SLOTS);
}

static state
waves(struct bringup *l)
{
	for (uint32_t wave = 32; wave <= 64; wave *= 2)
		if ((l->gpu->sizes & wave) && !run_kernel(l, BRINGUP_LANE, wave))
			return BRINGUP_FAILED;
	return bringup_say(l, BRINGUP_OK, "waves of %s lanes",
			  l->gpu->sizes == 64 ? "64" : "32 and of 64");
}

/* Tests the copy engine, which has its own packets: linear copies, and zeros as padding. */
static state
copies(struct bringup *l)
{
	enum { LINEAR_COPY = 1, WORDS = 16, BYTES = 1024 };
	uint64_t from = l->data.addr + BRINGUP_IN_AT, to = out_addr(l, 0);
	const uint32_t packet[] = {
		LINEAR_COPY,  BYTES - 1,	   0, (uint32_t)from, (uint32_t)(from >> 32),
		(uint32_t)to, (uint32_t)(to >> 32)
	};
	struct kgd_engine engine = { 0 };

	if (l->drm->amdgpu_query_hw_ip_info(l->handle, BRINGUP_SDMA, 0, &engine) || !engine.rings)
		return bringup_say(
			l, BRINGUP_NONE,
			"the kernel driver provides no copy engine; qd does not need one");
	memset(bringup_out(l, 0), 0, BRINGUP_OUT_SIZE);
	uint32_t *words = bringup_words(l, BRINGUP_COPIES);
	memset(words, 0, WORDS * 4);
	memcpy(words, packet, sizeof packet);
	l->engine = BRINGUP_SDMA;
	if (!bringup_submit_words(l, BRINGUP_COPIES, WORDS) || !bringup_wait(l, BRINGUP_COPIES))
		return BRINGUP_FAILED;
	for (uint32_t i = 0; i < BRINGUP_OUT_SIZE / 4; i++)
		if (!same(l, 0, i, i < BYTES / 4 ? bringup_in(l)[i] : 0))
			return BRINGUP_FAILED;
	return bringup_say(l, BRINGUP_OK, "the copy engine copies %d bytes", BYTES);
}

/* -- Execution of the steps ------------------------------------------------------------- */

static const struct step {
	const char *name, *what;
	state (*run)(
		struct bringup *l); /* NULL: run only the kernel; text describes it */
	enum bringup_kernel kernel;
	const char *text;
} steps[] = {
	{ "open", "the node opens, and the kernel identifies the device", opens, BRINGUP_N_KERNEL,
	  NULL },
	{ "memory", "memory that the host writes and reads", memory, BRINGUP_N_KERNEL, NULL },
	{ "idle", "an empty stream completes", idle, BRINGUP_N_KERNEL, NULL },
	{ "write", "a packet writes memory", writes, BRINGUP_N_KERNEL, NULL },
	{ "caches", "a packet invalidates the caches", caches, BRINGUP_N_KERNEL, NULL },
	{ "end", "a kernel that only ends", NULL, BRINGUP_END, "a wave begins and ends" },
	{ "constant", "a kernel reads its arguments and stores", NULL, BRINGUP_CONSTANT,
	  "one lane reads its arguments and stores a word" },
	{ "ids", "lanes and blocks in one dimension", NULL, BRINGUP_IDS, "200 blocks of 64 lanes" },
	{ "ids3", "lanes and blocks in three dimensions", NULL, BRINGUP_IDS3,
	  "5 x 7 x 6 blocks of 4 x 2 x 8 lanes" },
	{ "shared", "shared memory and a barrier", NULL, BRINGUP_SHARED,
	  "768 bytes through a barrier" },
	{ "chain", "dispatches that depend on each other", chain, BRINGUP_N_KERNEL, NULL },
	{ "recode", "code that is replaced", recode, BRINGUP_N_KERNEL, NULL },
	{ "atomics", "atomics on one word", NULL, BRINGUP_ATOMIC, "1024 lanes add to one word" },
	{ "registers", "all vector registers", NULL, BRINGUP_REGISTERS, "256 vector registers" },
	{ "flight", "several submissions in flight", flight, BRINGUP_N_KERNEL, NULL },
	{ "waves", "each size of waves", waves, BRINGUP_N_KERNEL, NULL },
	{ "copies", "the copy engine", copies, BRINGUP_N_KERNEL, NULL },
};

static state
run_step(struct bringup *l, const struct step *s)
{
	if (s->run)
		return s->run(l);
	return run_kernel(l, s->kernel, WAVE_DEFAULT) ? bringup_say(l, BRINGUP_OK, "%s", s->text)
						      : BRINGUP_FAILED;
}

bool
bringup_step(unsigned i, const char **name, const char **what)
{
	if (i >= QD_COUNT(steps))
		return false;
	*name = steps[i].name;
	*what = steps[i].what;
	return true;
}

/* Prints the last words submitted to the device, as text; those of the copy engine as numbers. */
static void
report_stream(struct bringup *l, const struct bringup_listener *ears)
{
	size_t at = (size_t)l->shown * BRINGUP_SLOT_WORDS;
	const uint32_t *w = bringup_words(l, (unsigned)l->shown);
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
report_state(struct bringup *l, const struct bringup_listener *ears)
{
	uint64_t flags = 0;
	char line[200];

	if (l->ctx && l->drm->amdgpu_cs_query_reset_state2 &&
	    l->drm->amdgpu_cs_query_reset_state2(l->ctx, &flags) == 0) {
		snprintf(line, sizeof line, "the context: %s%s%s%s",
			 flags & KGD_RESET ? "reset" : "not reset",
			 flags & KGD_RESET_GUILTY ? ", by its own submission" : "",
			 flags & KGD_RESET_VRAM_LOST ? ", VRAM contents are lost" : "",
			 flags & ~(uint64_t)(KGD_RESET | KGD_RESET_GUILTY | KGD_RESET_VRAM_LOST)
				 ? ", more"
				 : "");
		ears->detail(ears->user, line);
	}
	ears->detail(ears->user, "the kernel's messages: dmesg | grep amdgpu");
}

static bool
climb(struct bringup *l, const struct bringup_listener *ears)
{
	for (unsigned i = 0; i < QD_COUNT(steps); i++) {
		l->shown = -1;
		l->text[0] = '\0';
		ears->begins(ears->user, i, steps[i].name);
		state st = run_step(l, &steps[i]);
		ears->ended(ears->user, i, st, l->text);
		if (st != BRINGUP_FAILED)
			continue;
		if (l->shown >= 0)
			report_stream(l, ears);
		report_state(l, ears);
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
bringup_run_steps(const char *selector, const struct bringup_listener *ears, bool *failed,
	     struct qd_error *err)
{
	struct bringup l = { .fd = -1, .shown = -1 };
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
	bringup_close(&l);
	return QD_OK;
}
