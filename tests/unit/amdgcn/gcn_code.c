/* Parses assembler text into linked blocks. */
#include "gcn_code.h"

bool
gcn_code_read(struct unit_ctx *t, struct gcn_code *c, const struct gcn_target *target,
	      const char *text)
{
	struct qd_error err = { 0 };
	size_t n = gcn_text_words(t, target, text, c->words, CODE_CAP);
	qd_status status;

	if (!n)
		return false;
	c->flow = (struct cfg){ .line = c->line, .line_cap = CODE_CAP };
	status = gcn_flow_read(&c->flow, target, c->words, n, NULL, 0, &err);
	UNIT_CHECK(t, !status, "%s: %s", text, err.text);
	if (status || c->flow.n_block > CODE_CAP || c->flow.n_edge > 4 * CODE_CAP)
		return false;
	c->flow.block = c->block;
	c->flow.edge = c->edge;
	gcn_flow_link(&c->flow);
	return true;
}

void
gcn_see(void *seen, const struct gcn_hazard *h)
{
	struct gcn_seen *s = seen;

	s->n++;
	s->h = *h;
}

bool
gcn_code_look(struct unit_ctx *t, struct gcn_code *c, const struct gcn_target *target,
	      const char *text, struct gcn_seen *s)
{
	*s = (struct gcn_seen){ 0 };
	if (!gcn_code_read(t, c, target, text))
		return false;
	gcn_hazards(&c->flow, c->hazard, c->hazard_block, 0, gcn_see, s);
	return true;
}
