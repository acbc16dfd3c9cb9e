/* Findings: violations and unmodeled features, with position and text of the instruction. */
#include "wave.h"

#include <stdio.h>

bool
amd_find(struct run *r, const struct wave *w, const struct insn *i, unsigned lane, const char *fmt,
	 ...)
{
	const uint32_t *at = w->block->index;
	char text[768], insn[128] = "no instruction";
	va_list ap;
	int n;

	if (r->status != QD_OK)
		return false;
	if (r->l->found)
		*r->l->found = i ? i->at : 0;
	if (i && i->decoded)
		gcn_print(r->t, &i->in, insn, sizeof insn);
	n = snprintf(text, sizeof text, "block (%u, %u, %u), wave %u", at[0], at[1], at[2],
		     w->index);
	if (lane != NO_LANE)
		n += snprintf(text + n, sizeof text - (size_t)n, ", lane %u", lane);
	n += snprintf(text + n, sizeof text - (size_t)n, ": offset 0x%x: %s: ", i ? i->at * 4 : 0,
		      insn);
	va_start(ap, fmt);
	vsnprintf(text + n, sizeof text - (size_t)n, fmt, ap);
	va_end(ap);
	r->status = qd_fail_text(r->err, QD_E_FINDING, 0, 0, text, strlen(text));
	return false;
}

/* -- Wait states and dependencies ----------------------------------------------------------- */

struct reporter {
	struct run *r;
	const struct wave *w;
};

static void
report_breach(void *user, const struct insn *i, const struct breach *b)
{
	const struct reporter *t = user;
	const struct state_rule *rule = b->rule;
	char text[128];

	if (!b->earlier) {
		amd_find(t->r, t->w, i, NO_LANE, "%s (%s): the instruction needs %s", rule->what,
			 rule->name, rule->remedy);
		return;
	}
	gcn_print(t->r->t, &b->earlier->in, text, sizeof text);
	if (rule->unit == UNIT_STATES && rule->need != FOREVER)
		amd_find(t->r, t->w, i, NO_LANE,
			 "%u wait state%s needed after offset 0x%x (%s), %u found: %s (%s)",
			 rule->need, rule->need == 1 ? "" : "s", b->earlier->at * 4, text,
			 b->between, rule->what, rule->name);
	else
		amd_find(t->r, t->w, i, NO_LANE, "%s needed after offset 0x%x (%s): %s (%s)",
			 rule->remedy, b->earlier->at * 4, text, rule->what, rule->name);
}

bool
amd_states_check(struct run *r, struct wave *w, const struct insn *i)
{
	struct reporter t = { r, w };

	return !amd_count_pass(w->count, i, report_breach, &t);
}
