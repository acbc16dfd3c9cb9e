/* Compares two implementations of wait states and dependencies: the wave emulator, which counts
 * them along a path, and qd-dis --hazards, which searches backwards over all paths. The code is
 * random short functions (hazard_code.h), on every path with at most four visits of a block. Both
 * must report the same rules at the same instructions.
 *
 *   gcn_states [--mutate] [-v] [-n FUNCTIONS] [-s SEED] [TARGET...] */
#include "amd.h"
#include "effect.h"
#include "hazard_code.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_FOUND = 400, MAX_WAY = 1000, MAX_VISITS = 4, N_RULE = 64, PER_KIND = 60 };

static const char *const targets[] = { "gfx906",     "gfx90a",	   "gfx942",  "gfx950",
				       "gfx1010",    "gfx1010:64", "gfx1030", "gfx1100",
				       "gfx1100:64", "gfx1150:64", "gfx1200", "gfx1200:64" };

struct both {
	struct hz *z;
	const struct hz_code *code;
	struct amd_code *amd;
	uint32_t at[HZ_MAX_INSN + 1];
	struct mark {
		int later;
		const char *rule;
		bool by_hazard, by_way;
	} mark[MAX_FOUND];
	unsigned n_mark;
	uint32_t way[MAX_WAY];
	unsigned visits[HZ_MAX_BLOCK];
	struct pool *pool;
	bool failed;
	/* drops the emulator's first report, and every repetition of it */
	bool inject;
	struct amd_breach injected;
};
static struct seen {
	const char *rule;
	unsigned long n, only_hazard, only_way;
} seen[N_RULE];
static bool verbose;

static struct mark *
mark_of(struct both *b, int later, const char *rule)
{
	for (unsigned k = 0; k < b->n_mark; k++)
		if (b->mark[k].later == later && !strcmp(b->mark[k].rule, rule))
			return &b->mark[k];
	if (b->n_mark == MAX_FOUND)
		abort();
	b->mark[b->n_mark] = (struct mark){ .later = later, .rule = rule };
	return &b->mark[b->n_mark++];
}

static void
breached(void *user, const struct amd_breach *br)
{
	struct both *b = user;

	if (b->inject && !b->injected.rule)
		b->injected = *br;
	if (b->inject && br->later == b->injected.later && br->rule == b->injected.rule)
		return;
	for (int k = 0; k < b->code->n_insn; k++)
		if (b->at[k] == br->later)
			mark_of(b, k, br->rule)->by_way = true;
}

/* Walks every path from this block. */
static void
walk(struct both *b, int block, size_t n)
{
	const struct hz_block *bl = &b->code->block[block];
	const struct hz_insn *last = NULL;

	if (b->visits[block] == MAX_VISITS)
		return;
	b->visits[block]++;
	for (int k = bl->first; k < bl->first + bl->n && n < MAX_WAY; k++, n++) {
		last = &b->code->insn[k];
		b->way[n] = b->at[k];
	}
	if (last && last->branch)
		walk(b, last->to, n);
	if (block + 1 == b->code->n_block)
		b->failed |=
			amd_states_along(b->pool, b->amd, b->way, n, breached, b, NULL) != QD_OK;
	else if (!last || last->branch != HZ_BRANCH)
		walk(b, block + 1, n);
	b->visits[block]--;
}

/* Excludes rules about repeated loads: an emulated wave never repeats them. */
static bool
is_compared(const char *rule)
{
	return !strstr(rule, "_row_");
}

static void
by_hazards(struct both *b)
{
	static struct hz_found found[MAX_FOUND];
	int n = hz_check(b->z, b->code, found, MAX_FOUND);

	b->failed |= n < 0 || n > MAX_FOUND;
	for (int k = 0; k < n && k < MAX_FOUND; k++)
		if (is_compared(found[k].rule))
			mark_of(b, found[k].later, found[k].rule)->by_hazard = true;
}

static void
by_ways(struct both *b)
{
	static uint32_t words[HZ_MAX_INSN * HZ_WORDS];
	const struct hz_code *c = b->code;
	uint32_t n = 0;

	for (int k = 0; k < c->n_insn; k++) {
		b->at[k] = n;
		memcpy(words + n, c->insn[k].word, sizeof(uint32_t) * (size_t)c->insn[k].n_words);
		n += (uint32_t)c->insn[k].n_words;
	}
	for (int k = 0; k < c->n_insn; k++)
		if (c->insn[k].branch)
			words[b->at[k]] =
				(words[b->at[k]] & 0xffff0000) |
				(uint16_t)(b->at[c->block[c->insn[k].to].first] - b->at[k] - 1);
	if (amd_code_create(b->pool, hz_target(b->z), words, n, &b->amd, NULL) != QD_OK) {
		b->failed = true;
		return;
	}
	walk(b, 0, 0);
	amd_code_free(b->amd);
}

static struct seen *
seen_of(const char *rule)
{
	struct seen *s = seen;

	while (s < seen + N_RULE - 1 && s->rule && strcmp(s->rule, rule))
		s++;
	s->rule = rule;
	return s;
}

static void
print_code(const struct both *b, int later)
{
	char text[HZ_TEXT];

	for (int k = 0; k < b->code->n_insn; k++) {
		for (int j = 1; j < b->code->n_block; j++)
			if (b->code->block[j].first == k)
				printf("  block %d:\n", j);
		hz_text(b->z, &b->code->insn[k], text);
		printf("%s %3d %s", k == later ? "->" : "  ", k, text);
		printf(b->code->insn[k].branch ? " to block %d\n" : "\n", b->code->insn[k].to);
	}
}

/* Returns the number of differences in one function. */
static unsigned
compare(struct both *b, uint64_t seed, bool print)
{
	unsigned n = 0;

	by_hazards(b);
	by_ways(b);
	for (unsigned k = 0; k < b->n_mark; k++) {
		const struct mark *m = &b->mark[k];
		struct seen *s = seen_of(m->rule);
		s->n += m->by_hazard && m->by_way;
		s->only_hazard += !m->by_way;
		s->only_way += !m->by_hazard;
		if (m->by_way && m->by_hazard)
			continue;
		if (!n++ && print) {
			printf("%s:%d, seed %llu: %s at %d is reported by %s alone\n", hz_cpu(b->z),
			       hz_wave(b->z), (unsigned long long)seed, m->rule, m->later,
			       m->by_way ? "the way" : "the hazards");
			print_code(b, m->later);
		}
	}
	return n;
}

/* Excludes instructions that the emulator does not support. */
static void
refuse_unknown(struct hz *z)
{
	for (int k = 0; k < hz_n_pool(z); k++) {
		struct hz_insn in;
		struct gcn_insn insn;
		struct gcn_effect fx;
		hz_pool(z, k, &in);
		if (!gcn_decode(hz_target(z), in.word, HZ_WORDS, &insn) || !amd_knows(hz_target(z), insn.row)) {
			hz_refuse(z, k);
			continue;
		}
		gcn_effect_of(hz_target(z), &insn, &fx);
		if ((fx.flags & (E(LDS_DMA) | E(GDS))) ||
		    (fx.class == CL_VALU && insn.field[GCN_F_SRC0] == 254))
			hz_refuse(z, k);
	}
}

int
main(int argc, char **argv)
{
	unsigned long n_functions = 150, seed = 1, n_code = 0, n_differ = 0, n_agree = 0,
		      n_rules = 0;
	struct pool pool;
	static struct hz_code code;
	const char *const *name = targets;
	size_t n_name = QD_COUNT(targets);
	bool inject = false, failed = false;
	int i = 1;

	for (; i < argc && argv[i][0] == '-'; i++) {
		if (!strcmp(argv[i], "--mutate"))
			inject = true;
		else if (!strcmp(argv[i], "-v"))
			verbose = true;
		else if (i + 1 < argc && !strcmp(argv[i], "-n"))
			n_functions = strtoul(argv[++i], NULL, 10);
		else if (i + 1 < argc && !strcmp(argv[i], "-s"))
			seed = strtoul(argv[++i], NULL, 10);
		else
			return fprintf(stderr, "gcn_states: %s: see the head of gcn/states.c\n",
				       argv[i]),
			       2;
	}
	if (i < argc) {
		name = (const char *const *)argv + i;
		n_name = (size_t)(argc - i);
	}
	pool_init(&pool, &pool_malloc);
	for (size_t k = 0; k < n_name; k++) {
		struct hz *z = hz_open(name[k], seed, PER_KIND);
		if (!z)
			return fprintf(stderr, "gcn_states: unknown target %s\n", name[k]), 2;
		refuse_unknown(z);
		for (unsigned long f = 0; f < n_functions; f++, n_code++) {
			static struct both b;
			b = (struct both){ .z = z, .code = &code, .pool = &pool, .inject = inject };
			hz_function(z, seed * 1000003 + f, &code);
			n_differ += compare(&b, seed * 1000003 + f, n_differ < 3);
			inject &= !b.injected.rule;
			failed |= b.failed;
		}
		hz_close(z);
	}
	for (unsigned k = 0; k < N_RULE && seen[k].rule; k++) {
		n_agree += seen[k].n;
		n_rules += seen[k].n > 0;
		if (verbose)
			printf("%-20s %7lu by both, %lu by hazards only, %lu by the path only\n",
			       seen[k].rule, seen[k].n, seen[k].only_hazard, seen[k].only_way);
	}
	printf("seed %lu: %lu functions, %lu instructions break a rule of %lu, %lu are checked "
	       "differently\n",
	       seed, n_code, n_agree, n_rules, n_differ);
	pool_fini(&pool);
	return failed || n_differ || !n_agree;
}
