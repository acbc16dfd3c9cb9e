/* Wave emulator on code that clang compiled: every kernel of tests/emu/gcn on every target with
 * several seeds, against plain C. Code with one injected fault must be detected. */
#include "wave_kernels.h"

#include <stdio.h>
#include <stdlib.h>

struct pair {
	struct wave_memory got, want;
};

/* Returns the index of the first word that differs, or WAVE_OUT. */
static uint32_t
differ(const struct pair *p)
{
	uint32_t i = 0;

	while (i < WAVE_OUT && p->got.out.w[i] == p->want.out.w[i])
		i++;
	return i;
}

static qd_status
run_one(struct wave_code *c, const struct wave_kernel *k, struct pair *p, uint64_t seed,
	uint32_t *covered, struct qd_error *e)
{
	wave_fill(&p->got, k, seed * 77);
	p->want = p->got;
	k->want(&p->want, k, c->target->wave);
	e->text[0] = 0;
	return wave_launch(c, k, &p->got, seed, covered, e);
}

static bool
chosen(const char *name, const char *value)
{
	const char *only = getenv(name);

	return !only || strstr(value, only);
}

static void
kernels(struct unit_ctx *t)
{
	uint64_t n_seeds = getenv("QD_TEST_SEEDS") ? strtoull(getenv("QD_TEST_SEEDS"), NULL, 10) : 2;
	bool inject = getenv("QD_TEST_MUTATION") != NULL, report = getenv("QD_TEST_VERBOSE") != NULL;
	struct pair *p = malloc(sizeof *p);
	unsigned n = 0, want = 0;

	for (unsigned i = 0; p && i < wave_n_objects; i++) {
		const struct wave_object *o = &wave_objects[i];
		struct wave_code c;
		if (!chosen("QD_TEST_TARGET", o->target) || !wave_code_read(t, &c, o))
			continue;
		for (unsigned j = 0; j < wave_n_kernels; j++) {
			const struct wave_kernel *k = &wave_kernels[j];
			if (strcmp(k->source, o->source))
				continue;
			for (uint64_t seed = 1; seed <= n_seeds; seed++, n++, want++) {
				struct qd_error e;
				qd_status st = run_one(&c, k, p, seed, NULL, &e);
				if (inject)
					p->got.out.w[7] ^= 16;
				inject = false;
				uint32_t at = differ(p);
				if (report && (st != QD_OK || at != WAVE_OUT))
					printf("%s w%u %s: %s, word %u\n", o->target, c.target->wave,
					       k->name, e.text, at);
				UNIT_CHECK(t, st == QD_OK, "%s w%u, %s, seed %llu: %s", o->target,
					   c.target->wave, k->name, (unsigned long long)seed, e.text);
				UNIT_CHECK(t, st != QD_OK || at == WAVE_OUT,
					   "%s w%u, %s, seed %llu: word %u is 0x%x, not 0x%x", o->target,
					   c.target->wave, k->name, (unsigned long long)seed, at,
					   p->got.out.w[at % WAVE_OUT], p->want.out.w[at % WAVE_OUT]);
				if (st != QD_OK || at != WAVE_OUT)
					break;
			}
		}
		wave_code_free(&c);
	}
	UNIT_CHECK(t, n && n == want, "%u runs", n);
	free(p);
}

/* -- Injected faults ------------------------------------------------------------------------ */

static uint32_t
nop_of(const struct gcn_target *t)
{
	struct gcn_insn in = { .row = GCN_s_nop };
	uint32_t words[GCN_MAX_WORDS] = { 0 };
	struct qd_error e;
	int n;

	return gcn_words(t, &in, words, &n, &e) == QD_OK ? words[0] : 0;
}

static const struct wave_object *
object_of(const char *source, const char *target)
{
	for (unsigned i = 0; i < wave_n_objects; i++)
		if (!strcmp(wave_objects[i].source, source) &&
		    !strcmp(wave_objects[i].target, target) && !wave_objects[i].wave)
			return &wave_objects[i];
	return NULL;
}

static const struct wave_kernel *
kernel_of(const char *name)
{
	for (unsigned i = 0; i < wave_n_kernels; i++)
		if (!strcmp(wave_kernels[i].name, name))
			return &wave_kernels[i];
	return NULL;
}

/* Faults in kernels on gfx1100: the n-th instruction that begins with `was` is replaced by `is`.
 * The finding contains `reported`; if it is NULL, a finding or wrong results are expected. */
/* clang-format off */
static const struct {
	const char *source, *name, *was, *is, *reported;
	unsigned n;
} wrongs[] = {
	{ "basic", "copy", "s_waitcnt vmcnt(0)", "s_nop 0", "no wait covers v2", 1 },
	{ "basic", "copy", "s_waitcnt lgkmcnt(0)", "s_nop 0", "in flight from offset", 1 },
	{ "lane", "row_sum", "v_add_nc_u32_dpp", "v_add_nc_u32_dpp v0, v0, v0 quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf bound_ctrl:1", NULL, 1 },
	{ "shared", "block_sum", "s_barrier", "s_nop 0", NULL, 2 },
	{ "basic", "copy", "global_store_b32", "global_store_b32 v[0:1], v2, off offset:-4", "outside the memory that the launch may write", 1 },
	{ "basic", "copy", "s_and_saveexec_b32", "s_mov_b32 s2, exec_lo", NULL, 1 },
	{ "basic", "collatz", "s_or_b32 exec_lo", "s_nop 0", NULL, 1 },
	{ "basic", "gather", "v_and_b32", "v_mov_b32_e32 v1, v6", "the address is undefined", 1 },
};
/* clang-format on */

/* Returns the offset of the n-th instruction whose text begins with `text`, or UINT32_MAX. */
static uint32_t
place_of(const struct wave_code *c, const struct code_place *k, const char *text, unsigned n,
	 unsigned *n_words)
{
	char line[256];

	for (uint32_t at = k->entry; at < k->end;) {
		struct gcn_insn in;
		int len = gcn_decode(c->target, c->words + at, c->n_words - at, &in);
		*n_words = len ? (unsigned)len : 1;
		if (len)
			gcn_print(c->target, &in, line, sizeof line);
		if (len && !strncmp(line, text, strlen(text)) && !--n)
			return at;
		at += *n_words;
	}
	return UINT32_MAX;
}

static void
wrong(struct unit_ctx *t)
{
	struct pair *p = malloc(sizeof *p);

	for (size_t i = 0; p && i < QD_COUNT(wrongs); i++) {
		const struct wave_kernel *k = kernel_of(wrongs[i].name);
		struct wave_code c;
		struct qd_error e = { 0 };
		bool reported = false;
		uint32_t at, words[GCN_MAX_WORDS];
		unsigned len = 0;
		size_t n = 0;

		if (!wave_code_read(t, &c, object_of(wrongs[i].source, "gfx1100")))
			continue;
		at = place_of(&c, wave_code_find(&c, k->name), wrongs[i].was, wrongs[i].n, &len);
		gcn_assemble(c.target, wrongs[i].is, strlen(wrongs[i].is), words, QD_COUNT(words),
			     &n, &e);
		UNIT_CHECK(t, at != UINT32_MAX && n && n <= len, "%s: no %s, or %s", k->name,
			   wrongs[i].was, e.text);
		for (unsigned w = 0; at != UINT32_MAX && w < len; w++)
			c.words[at + w] = w < n ? words[w] : nop_of(c.target);
		for (uint64_t seed = 1; seed <= 8 && !reported; seed++) {
			qd_status st = run_one(&c, k, p, seed, NULL, &e);
			reported = st == QD_E_FINDING ? !wrongs[i].reported || strstr(e.text, wrongs[i].reported)
						  : !wrongs[i].reported && differ(p) != WAVE_OUT;
			if (st == QD_E_FINDING)
				break;
		}
		UNIT_CHECK(t, reported, "%s, %s: not reported, or: %s", k->name, wrongs[i].was, e.text);
		wave_code_free(&c);
	}
	free(p);
}

/* -- Removed waits ----------------------------------------------------------------------------- */

enum { MORE_SEEDS = 20 }; /* added to few seeds */

struct tally {
	unsigned n, found, differ, idle, stores, silent;
};

static bool
is_wait(const struct gcn_target *t, const uint32_t *word, char text[256])
{
	struct gcn_insn in;

	if (!gcn_decode(t, word, 1, &in))
		return false;
	gcn_print(t, &in, text, 256);
	return !strncmp(text, "s_wait", 6) && !strstr(text, "depctr") && !strstr(text, "alu") &&
	       !strstr(text, "idle") && !strstr(text, "event");
}

static void
drop_wait(struct wave_code *c, const struct wave_kernel *k, struct pair *p, uint32_t at,
	  const uint32_t *covered, const char *text, unsigned n_seeds, struct tally *y)
{
	uint32_t was = c->words[at];
	struct qd_error e;

	y->n++;
	if (!covered[at]) {
		y->idle++; /* nothing was outstanding there in any run */
		return;
	}
	c->words[at] = nop_of(c->target);
	for (uint64_t seed = 1; seed <= n_seeds + MORE_SEEDS; seed++) {
		qd_status st = run_one(c, k, p, seed, NULL, &e);
		if (st == QD_OK && differ(p) == WAVE_OUT)
			continue;
		*(st == QD_OK ? &y->differ : &y->found) += 1;
		c->words[at] = was;
		return;
	}
	c->words[at] = was;
	if (strstr(text, "vscnt") || strstr(text, "storecnt"))
		y->stores++; /* no other wave of the block reads the memory */
	else if (getenv("QD_TEST_VERBOSE"))
		printf("%s, %s: 0x%x: %s: harmless in all runs\n", c->target->name, k->name, at * 4, text);
	y->silent += !strstr(text, "vscnt") && !strstr(text, "storecnt");
}

static void
drop_waits(struct unit_ctx *t, const struct wave_object *o, unsigned n_seeds, struct pair *p,
	   struct tally *y)
{
	struct wave_code c;
	uint32_t *covered;
	char text[256];

	if (!wave_code_read(t, &c, o))
		return;
	covered = calloc(c.n_words, sizeof *covered);
	for (unsigned j = 0; covered && j < wave_n_kernels; j++) {
		const struct wave_kernel *k = &wave_kernels[j];
		const struct code_place *at = wave_code_find(&c, k->name);
		struct qd_error e;
		if (strcmp(k->source, o->source) || !at)
			continue;
		for (uint64_t seed = 1; seed <= n_seeds; seed++)
			run_one(&c, k, p, seed, covered, &e);
		for (uint32_t w = at->entry; w < at->end; w++)
			if (is_wait(c.target, c.words + w, text))
				drop_wait(&c, k, p, w, covered, text, n_seeds, y);
	}
	free(covered);
	wave_code_free(&c);
}

/* Tests one target with few seeds by default; QD_TEST_SEEDS runs all targets. */
static void
waits(struct unit_ctx *t)
{
	const char *seeds = getenv("QD_TEST_SEEDS");
	struct pair *p = malloc(sizeof *p);
	struct tally y = { 0 };

	for (unsigned i = 0; p && i < wave_n_objects; i++)
		if (seeds || (!strcmp(wave_objects[i].target, "gfx1100") && !wave_objects[i].wave))
			drop_waits(t, &wave_objects[i], seeds ? (unsigned)strtoul(seeds, NULL, 10) : 3, p,
				   &y);
	if (getenv("QD_TEST_VERBOSE"))
		printf("%u waits dropped: %u findings, %u wrong results, %u cover nothing, %u "
		       "stores only and %u others harmless in all runs\n",
		       y.n, y.found, y.differ, y.idle, y.stores, y.silent);
	UNIT_CHECK(t, y.n > 50 && y.found > y.n / 2 && y.silent * 10 < y.n,
		   "%u waits: %u findings, %u wrong results, %u silent", y.n, y.found, y.differ, y.silent);
	free(p);
}

/* -- Random instructions ------------------------------------------------------------------------- */

/* Changes some words of the kernel, runs it, and restores them. */
static void
damage(struct unit_ctx *t, struct wave_code *c, const struct wave_kernel *k, struct pair *p,
       struct unit_rng *rng)
{
	const struct code_place *at = wave_code_find(c, k->name);
	uint32_t n = at->end - at->entry, was[8], place[8], changes = 1 + unit_random(rng) % 8;
	struct qd_error e = { 0 };

	for (uint32_t i = 0; i < changes; i++) {
		uint64_t x = unit_random(rng);
		place[i] = at->entry + (uint32_t)(x >> 32) % n;
		was[i] = c->words[place[i]];
		c->words[place[i]] = x & 1   ? (uint32_t)(x >> 8)
				     : x & 2 ? was[i] ^ 1u << (x >> 8) % 32
					     : c->words[at->entry + (uint32_t)(x >> 16) % n];
	}
	qd_status st = run_one(c, k, p, unit_random(rng) % 1000, NULL, &e);
	UNIT_CHECK(t, st == QD_OK || (st == QD_E_FINDING && strstr(e.text, ": offset 0x")),
		   "%s, %s: %d, %s", c->target->name, k->name, (int)st, e.text);
	while (changes--)
		c->words[place[changes]] = was[changes];
}

/* Checks that a run ends for any words, with or without a finding. */
static void
damaged(struct unit_ctx *t)
{
	const char *seeds = getenv("QD_TEST_SEEDS");
	unsigned n = seeds ? 100 * (unsigned)strtoul(seeds, NULL, 10) : 3;
	struct unit_rng rng = { 7 };
	struct pair *p = malloc(sizeof *p);

	for (unsigned i = 0; p && i < wave_n_objects; i++) {
		struct wave_code c;
		if (!wave_code_read(t, &c, &wave_objects[i]))
			continue;
		for (unsigned j = 0; j < wave_n_kernels; j++)
			for (unsigned k = 0; k < n && !strcmp(wave_kernels[j].source, wave_objects[i].source); k++)
				damage(t, &c, &wave_kernels[j], p, &rng);
		wave_code_free(&c);
	}
	free(p);
}

const struct unit units_emu_gcn[] = {
	{ "emu_gcn.kernels", kernels },
	{ "emu_gcn.wrong", wrong },
	{ "emu_gcn.waits", waits },
	{ "emu_gcn.damaged", damaged },
};
const unsigned n_units_emu_gcn = QD_COUNT(units_emu_gcn);
