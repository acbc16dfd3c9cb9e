/* Wait counters: the counter of each event, and the limits in wait instructions. */
#include "counter.h"

#include "table.h"

enum { N_KIND = GCN_SPLIT + 1 };
static const struct gcn_counter counters[N_KIND][GCN_N_EVENT] = {
#define COUNTER(kind, event, of, name, max) [GCN_##kind][EV_##event] = { EV_##of, max, name },
#include "counter.def"
};

static const struct {
	uint16_t row;
	uint8_t gens, counter, lo, width, lo2, width2;
} fields[] = {
#define WAIT(row, gens, counter, lo, width, lo2, width2)                                           \
	{ GCN_##row, gens, EV_##counter, lo, width, lo2, width2 },
#include "counter.def"
};

const struct gcn_counter *
gcn_counter_of(const struct gcn_target *t, unsigned event)
{
	return &counters[t->counters][event];
}

bool
gcn_wait_limits(const struct gcn_target *t, const struct gcn_insn *in, uint8_t limit[GCN_N_EVENT])
{
	uint32_t v = in->field[GCN_F_SIMM];
	bool any = false;

	memset(limit, in->row == GCN_s_wait_idle ? 0 : GCN_NO_WAIT, GCN_N_EVENT);
	if (in->row == GCN_s_wait_idle)
		return true;
	for (size_t i = 0; i < QD_COUNT(fields); i++) {
		unsigned max, value;
		if (fields[i].row != in->row || !(fields[i].gens & 1u << t->gen))
			continue;
		/* a register operand is added to the limit */
		if (gcn_rows[in->row].format == GCN_SOPK &&
		    in->field[GCN_F_SDST] != gcn_null_of(t))
			continue;
		max = (1u << (fields[i].width + fields[i].width2)) - 1;
		value = (v >> fields[i].lo & ((1u << fields[i].width) - 1)) |
			(v >> fields[i].lo2 & ((1u << fields[i].width2) - 1)) << fields[i].width;
		if (value == max)
			continue;
		limit[fields[i].counter] = (uint8_t)value;
		any = true;
	}
	return any;
}
