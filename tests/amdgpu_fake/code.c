/* Code that waves run: found from its entry point and decoded once. It is decoded again if the
 * instruction cache was invalidated and memory has changed. */
#include <stdlib.h>

#include "effect.h"
#include "fake.h"

enum {
	MOST_WORDS = 1 << 18,
	FAR_WORDS = 1 << 14,
	STEP = 16 /* a cache line */,
	MOST_KEPT = 200000,
	NEAR_DESCRIPTOR = 1 << 16,
	DESCRIPTOR = 64,
	ENTRY_AT = 16
};

static void
code_free(struct code *c)
{
	amd_code_free(c->code);
	free(c->words);
	free(c);
}

void
codes_free(struct exec *x)
{
	for (unsigned i = 0; i < QD_COUNT(x->codes); i++) {
		for (struct code *c = x->codes[i], *next; c; c = next) {
			next = c->next;
			code_free(c);
		}
		x->codes[i] = NULL;
	}
	x->code_words = 0;
}

/* -- Extent --------------------------------------------------------------------------------- */

struct extent {
	uint32_t *words;
	uint32_t n, furthest; /* words; word after the last branch target */
	uint32_t at;	      /* next word to scan */
	bool far;	      /* it contains an indirect branch */
};

/* Returns the end of the code that branches can reach, in words, or 0 if more words are needed.
 * Only that much is fetched, since other code may follow and may be written at any time. */
static uint32_t
scan(const struct gcn_target *t, struct extent *e)
{
	struct gcn_insn in;
	struct gcn_effect fx;
	for (uint32_t at = e->at; at < e->n; e->at = at) {
		int len = gcn_decode(t, e->words + at, e->n - at, &in);
		if (!len && e->n - at < GCN_MAX_WORDS)
			return 0;
		uint32_t next = at + (len ? (uint32_t)len : 1);
		if (len)
			gcn_effect_of(t, &in, &fx);
		if (len && fx.class == CL_BRANCH && (fx.flags & E(INDIRECT)))
			e->far = true;
		if (len && fx.class == CL_BRANCH && !(fx.flags & E(INDIRECT))) {
			int64_t to = (int64_t)next + (int16_t)in.field[GCN_F_SIMM];
			if (to > (int64_t)e->furthest)
				e->furthest = (uint32_t)to;
		}
		bool ends = !len || fx.class == CL_END ||
			    (fx.class == CL_BRANCH && !(fx.flags & (E(COND) | E(LINK))));
		at = next;
		if (ends && next > e->furthest) {
			e->at = at;
			return next;
		}
	}
	return 0;
}

/* Fetches words from va on until the end is found. */
static bool
fetch_all(struct exec *x, uint64_t va, const struct gcn_target *t, struct extent *e, uint32_t *end)
{
	uint64_t most = mem_code_size(x, va) / 4;
	most = most < MOST_WORDS ? most : MOST_WORDS;
	*e = (struct extent){ 0 };
	*end = 0;
	if (!most)
		return mem_at(x, va, 4, FETCH) != NULL;
	for (uint32_t n = 0; !*end && n < most;) {
		uint32_t more = (uint32_t)(most - n < STEP ? most - n : STEP);
		uint32_t *words = realloc(e->words, 4 * ((size_t)n + more));
		if (!words)
			abort();
		e->words = words;
		uint64_t at = va + 4 * (uint64_t)n;
		/* Words after the kernel's known extent may belong to other code. */
		if (e->far ? !mem_peek(x, at, words + n, 4 * (uint64_t)more)
			   : !mem_read(x, at, words + n, 4 * (uint64_t)more, FETCH))
			return false;
		e->n = n += more;
		*end = scan(t, e);
		if (e->far && n < FAR_WORDS)
			*end = 0; /* it may call functions that follow it */
	}
	if (!*end && !e->far)
		return exec_wrong(x, CHECK_code_fetch,
				  "the code at 0x%llx continues to the end of the mapping",
				  (unsigned long long)va);
	if (!*end || e->far)
		*end = e->n;
	return true;
}

/* Prepends the words before the kernel to its own, since it may call functions there. Returns their
 * number. */
static uint32_t
fetch_before(struct exec *x, uint64_t va, struct extent *e, uint32_t end)
{
	const struct map *m = vm_find(x->vm, va);
	uint64_t n = (va - m->va) / 4;
	n = n < FAR_WORDS ? n : FAR_WORDS;
	uint32_t *words = malloc(4 * (size_t)(n + end));
	if (!words)
		abort();
	if (!mem_peek(x, va - 4 * n, words, 4 * n)) {
		free(words);
		return 0;
	}
	memcpy(words + n, e->words, 4 * (size_t)end);
	free(e->words);
	e->words = words;
	return (uint32_t)n;
}

/* -- Surroundings --------------------------------------------------------------------------- */

/* Returns the bytes after the last instruction that hardware prefetches, by AMD's compiler
 * guides. */
static uint32_t
tail_of(enum gen g)
{
	static const uint16_t bytes[N_GEN] = {
		[G906] = 256, [G908] = 256, [G90A] = 1024, [G94] = 1024,
		[G101] = 192, [G103] = 192, [G11] = 384,   [G12] = 384
	};
	return bytes[g];
}

/* Finds a kernel descriptor before the code whose entry point is this code. It is the only record
 * of the registers, LDS and wave size that the kernel was compiled for. */
static uint64_t
find_descriptor(struct exec *x, uint64_t va)
{
	const struct map *m = vm_find(x->vm, va);
	uint64_t first = m->va, at = va & ~(uint64_t)(DESCRIPTOR - 1);
	uint8_t d[DESCRIPTOR];
	first = at - first > NEAR_DESCRIPTOR ? at - NEAR_DESCRIPTOR : first;
	while (at >= first + DESCRIPTOR) {
		uint64_t to, zero;
		at -= DESCRIPTOR;
		if (!mem_peek(x, at, d, sizeof d))
			return 0;
		memcpy(&to, d + ENTRY_AT, 8);
		memcpy(&zero, d + 24, 8);
		if (at + to == va && !zero)
			return at;
	}
	return 0;
}

/* -- Code cache ---------------------------------------------------------------------------- */

static struct code **
slot(struct exec *x, uint64_t va, const struct gcn_target *t)
{
	struct code **at = &x->codes[(va >> 8) % QD_COUNT(x->codes)];
	while (*at && ((*at)->va != va || (*at)->target != t))
		at = &(*at)->next;
	return at;
}

static struct code *
code_new(struct exec *x, uint64_t va, const struct gcn_target *t)
{
	struct qd_error err;
	struct extent e;
	uint32_t end;
	struct code *c;
	if (!fetch_all(x, va, t, &e, &end)) {
		free(e.words);
		return NULL;
	}
	c = calloc(1, sizeof *c);
	if (!c)
		abort();
	uint32_t before = e.far ? fetch_before(x, va, &e, end) : 0;
	*c = (struct code){
		.va = va,
		.n_words = before + end,
		.before = before,
		.words = e.words,
		.target = t,
		.insns = x->insns,
		.far = e.far,
	};
	c->entry_end = va + 4 * (uint64_t)end;
	if (amd_code_create(&pool, t, c->words, c->n_words, &c->code, &err) != QD_OK)
		abort();
	if (!e.far && mem_code_size(x, c->entry_end) < tail_of(gen_of(x->d)))
		exec_wrong(x, CHECK_code_tail, "%llu bytes after 0x%llx; %u are fetched",
			   (unsigned long long)mem_code_size(x, c->entry_end),
			   (unsigned long long)c->entry_end, tail_of(gen_of(x->d)));
	c->descriptor = find_descriptor(x, va);
	x->code_words += c->n_words;
	return c;
}

static bool
is_same(struct exec *x, const struct code *c, bool *there)
{
	uint32_t words[256];
	/* If other code may be included, only the first words are known to belong to the kernel. */
	*there = !c->far || mem_read(x, c->va, words, 4 * STEP, FETCH);
	for (uint32_t i = 0, n; *there && i < c->n_words; i += n) {
		uint64_t at = c->va - 4 * (uint64_t)c->before + 4 * (uint64_t)i;
		n = c->n_words - i < QD_COUNT(words) ? c->n_words - i : (uint32_t)QD_COUNT(words);
		*there = c->far ? mem_peek(x, at, words, 4 * (uint64_t)n)
				: mem_read(x, at, words, 4 * (uint64_t)n, FETCH);
		if (!*there || memcmp(words, c->words + i, 4 * (size_t)n) != 0)
			return false;
	}
	return *there;
}

struct code *
code_at(struct exec *x, uint64_t va, const struct gcn_target *t)
{
	struct code **at = slot(x, va, t), *c = *at;
	bool there;
	if (c && is_same(x, c, &there)) {
		c->insns = x->insns;
		return c;
	}
	if (c && !there)
		return NULL;
	if (c && c->insns == x->insns) {
		exec_wrong(x, CHECK_code_old, "the code at 0x%llx", (unsigned long long)va);
		return c;
	}
	if (c) {
		*at = c->next;
		x->code_words -= c->n_words;
		code_free(c);
	}
	if (x->code_words > MOST_KEPT)
		codes_free(x);
	c = code_new(x, va, t);
	if (c) {
		at = &x->codes[(va >> 8) % QD_COUNT(x->codes)];
		c->next = *at;
		*at = c;
	}
	return c;
}
