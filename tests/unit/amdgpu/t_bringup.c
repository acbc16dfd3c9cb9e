/* Kernels of the bring-up steps. Each runs for each target on the wave emulator, which reports
 * hazards and missing waits. */
#include <stdlib.h>

#include "amd.h"
#include "descriptor.h"
#include "bringup_kernel.h"
#include "unit.h"

enum { ENTRY = 256, OUT_AT = 0x10000, IN_AT = 0x20000 };

struct run {
	uint32_t out[BRINGUP_MOST_OUT], in[BRINGUP_MOST_OUT];
};

static qd_status
run_code(struct pool *pool, const struct gcn_target *t, const struct bringup_code *c,
	 const struct bringup_shape *s, struct run *r, uint64_t seed, struct qd_error *err)
{
	struct amd_range ranges[] = {
		{ OUT_AT, sizeof r->out, r->out, false },
		{ IN_AT, sizeof r->in, r->in, true },
	};
	uint64_t args[] = { OUT_AT, IN_AT };
	struct amd_start start;
	struct amd_code *code;
	struct arena mem;

	QD_TRY(amd_start_read(t, (const uint8_t *)c->words, &start, err));
	QD_TRY(amd_code_create(pool, t, c->words + ENTRY / 4, c->size / 4 - ENTRY / 4, &code, err));
	arena_init(&mem, pool);
	qd_status st = amd_run(&mem,
			       &(struct amd_launch){
				       .code = code,
				       .start = &start,
				       .code_addr = 0x100000,
				       .grid = { s->blocks[0], s->blocks[1], s->blocks[2] },
				       .block = { s->block[0], s->block[1], s->block[2] },
				       .kernarg = args,
				       .kernarg_size = sizeof args,
				       .ranges = ranges,
				       .n_ranges = QD_COUNT(ranges),
				       .max_steps = 10000,
				       .seed = seed,
			       },
			       err);
	arena_fini(&mem);
	amd_code_free(code);
	return st;
}

static void
check_kernel(struct unit_ctx *t, struct pool *pool, const struct gcn_target *g, unsigned which,
	     struct run *r)
{
	const struct bringup_shape *s = bringup_shape((enum bringup_kernel)which);
	struct bringup_code c;
	struct qd_error e = { .text = "" };
	uint32_t at = 0;

	UNIT_CHECK(t, bringup_code(g, (enum bringup_kernel)which, &c, &e) == QD_OK,
		   "%s, kernel %u: %s, line %u", g->name, which, e.text, e.line);
	if (e.text[0])
		return;
	for (uint64_t seed = 1; seed <= 3; seed++) {
		memset(r->out, 0, sizeof r->out);
		for (uint32_t i = 0; i < BRINGUP_MOST_OUT; i++)
			r->in[i] = i * 0x9e3779b9u;
		qd_status st = run_code(pool, g, &c, s, r, seed, &e);
		UNIT_CHECK(t, st == QD_OK, "%s w%u, kernel %u: %s", g->name, g->wave, which, e.text);
		for (at = 0; st == QD_OK && at < s->n_out; at++)
			if (r->out[at] != bringup_want(s, at, r->in, g->wave))
				break;
		UNIT_CHECK(t, st != QD_OK || at == s->n_out,
			   "%s w%u, kernel %u: word %u is 0x%x, not 0x%x", g->name, g->wave, which,
			   at, r->out[at], bringup_want(s, at, r->in, g->wave));
		for (; at < BRINGUP_MOST_OUT && st == QD_OK; at++)
			if (r->out[at])
				break;
		UNIT_CHECK(t, st != QD_OK || at == BRINGUP_MOST_OUT,
			   "%s w%u, kernel %u: word %u is written", g->name, g->wave, which, at);
	}
}

static void
kernels(struct unit_ctx *t)
{
	struct run *r = malloc(sizeof *r);
	const struct gcn_target *g;
	struct pool pool;

	pool_init(&pool, &pool_malloc);
	for (size_t i = 0; r && (g = gcn_target_at(i)); i++) {
		for (unsigned k = 0; k < BRINGUP_N_KERNEL; k++) {
			check_kernel(t, &pool, g, k, r);
			if (g->other_wave)
				check_kernel(t, &pool, gcn_target_find(g->name, g->other_wave), k, r);
		}
	}
	pool_fini(&pool);
	free(r);
}

const struct unit units_bringup[] = {
	{ "bringup.kernels", kernels },
};
const unsigned n_units_bringup = QD_COUNT(units_bringup);
