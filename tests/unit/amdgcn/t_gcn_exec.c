/* Exec masks of the AMD generator. Each lane of a random body must store the same values as when it
 * runs alone, whichever arms are branched over. With one of the rules disabled, some body must
 * fail. */
#include "gcn_wave.h"

extern const struct unit units_gcn_exec[];
extern const unsigned n_units_gcn_exec;

enum { USUAL = 3000 };

static void
agree(struct unit_ctx *t, const struct gcn_way *way)
{
	gcn_wave_all_agree(t, way, USUAL);
	UNIT_CHECK(t,
		   gcn_met.straight && gcn_met.apart && gcn_met.taken && gcn_met.skips &&
			   gcn_met.loop_skips && gcn_met.tails,
		   "bodies without the tested cases: %llu straight, %llu divergent, %llu from "
		   "saves, %llu skips, %llu of loops, %llu tails",
		   (unsigned long long)gcn_met.straight, (unsigned long long)gcn_met.apart,
		   (unsigned long long)gcn_met.taken, (unsigned long long)gcn_met.skips,
		   (unsigned long long)gcn_met.loop_skips, (unsigned long long)gcn_met.tails);
}

static const struct gcn_way alone = { .any_skips = true, .lanes = BODY_LANES };

static void
agrees(struct unit_ctx *t)
{
	agree(t, &alone);
}

/* Checks exec masks on the registers of the plan. */
static void
together(struct unit_ctx *t)
{
	static const struct gcn_way way = { .by_plan = true,
					    .any_skips = true,
					    .lanes = BODY_LANES };

	agree(t, &way);
}

static void
without(struct unit_ctx *t)
{
	static const struct gcn_left_out rows[] = {
		{ "an s_andn2 of saves", FAULT_TAKE },
		{ "xor after else", FAULT_XOR },
		{ "care with straight jumps", FAULT_STRAIGHT },
		{ "a skip of loops", FAULT_LOOP_SKIP },
		{ "restoring", FAULT_RESTORE },
	};

	gcn_wave_without(t, &alone, rows, QD_COUNT(rows));
}

const struct unit units_gcn_exec[] = {
	{ "gcn_exec.agrees", agrees },
	{ "gcn_exec.together", together },
	{ "gcn_exec.without", without },
};
const unsigned n_units_gcn_exec = QD_COUNT(units_gcn_exec);
