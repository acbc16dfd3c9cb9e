/* Code, decoded once into a list of instructions; branch targets are indices of this list. */
#include "wave.h"

static void
decode_one(struct amd_code *c, struct insn *i, const uint32_t *words, size_t n)
{
	const struct gcn_row *second;
	int len = gcn_decode(c->target, words, n, &i->in);

	i->target = NOWHERE;
	if (!len)
		return;
	i->decoded = true;
	gcn_effect_of(c->target, &i->in, &i->fx);
	amd_states_bits(c->target, &c->rules, &i->in, &i->fx, &i->is);
	while (i->n_view < GCN_MAX_VIEWS &&
	       gcn_operand_view(c->target, &i->in, i->n_view, &i->view[i->n_view]))
		i->n_view++;
	i->sem = amd_sem(i->in.row);
	/* The only message that is modeled gives registers back before the end of the wave. */
	if (i->in.row == GCN_s_sendmsg && i->in.field[GCN_F_SIMM] != MSG_DEALLOC_VGPRS)
		i->sem = NULL;
	second = gcn_second_row(c->target, &i->in);
	if (second) {
		i->row_y = (uint16_t)(second - gcn_rows);
		i->sem_y = amd_sem(i->row_y);
	}
	if (gcn_is_dual(gcn_rows[i->in.row].format) && !i->sem_y)
		i->sem = NULL;
	i->relative = i->fx.flags & (E(REL_SRC) | E(REL_DST));
	if (i->sem && i->sem->unit == U_VALU)
		amd_valu_decode(c->target, i);
}

/* Returns the number of vector registers that a wave needs for the instruction. */
static uint32_t
rows_of(struct insn *i)
{
	uint32_t n = MIN_ROWS, end;

	for (unsigned k = 0; k < i->fx.n_range; k++) {
		const struct gcn_range *u = &i->fx.range[k];
		end = u->first + u->n + (u->file == FILE_A ? 256u : 0);
		if ((u->file == FILE_V || u->file == FILE_A) && end > n)
			n = end;
	}
	for (unsigned k = 0; k < i->n_view; k++) {
		const struct gcn_view *o = &i->view[k];
		end = amd_is_row(o) ? amd_register_of(o) + o->kind.n : 0;
		n = end > n ? end : n;
	}
	if (n <= N_VECTOR)
		return n;
	i->sem = NULL; /* it exceeds the register file */
	return MIN_ROWS;
}

static void
resolve(struct amd_code *c, struct insn *i)
{
	int64_t to = (int64_t)i->next + (int16_t)i->in.field[GCN_F_SIMM];

	if (!i->decoded || i->fx.class != CL_BRANCH || (i->fx.flags & E(INDIRECT)))
		return;
	if (to >= 0 && to < (int64_t)c->n_words)
		i->target = c->place[to];
}

qd_status
amd_code_create(struct pool *pool, const struct gcn_target *t, const uint32_t *words,
		size_t n_words, struct amd_code **out, struct qd_error *err)
{
	struct amd_code *c = pool_new(pool, sizeof *c);

	*out = c;
	if (!c)
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	*c = (struct amd_code){ .pool = pool, .target = t, .n_words = (uint32_t)n_words };
	c->insns = pool_new(pool, (n_words + 1) * sizeof *c->insns);
	c->place = pool_new(pool, (n_words + 1) * sizeof *c->place);
	if (!c->insns || !c->place) {
		amd_code_free(c);
		*out = NULL;
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	}
	amd_states_of(t, &c->rules);
	memset(c->place, 0xff, (n_words + 1) * sizeof *c->place);
	c->n_rows = MIN_ROWS;
	for (uint32_t at = 0; at < n_words;) {
		struct insn *i = &c->insns[c->n_insns];
		decode_one(c, i, words + at, n_words - at);
		c->place[at] = c->n_insns++;
		i->at = at;
		at += i->decoded ? i->in.n_words : 1u;
		i->next = at;
		uint32_t rows = i->decoded ? rows_of(i) : 0;
		c->n_rows = rows > c->n_rows ? rows : c->n_rows;
	}
	c->insns[c->n_insns].at = c->n_words; /* an undecoded instruction at the end */
	for (uint32_t i = 0; i < c->n_insns; i++)
		resolve(c, &c->insns[i]);
	if (!amd_states_of_other_paths(c)) {
		amd_code_free(c);
		*out = NULL;
		return qd_fail(err, QD_E_NOMEM, "out of memory");
	}
	return QD_OK;
}

void
amd_code_free(struct amd_code *c)
{
	if (!c)
		return;
	if (c->insns)
		pool_delete(c->pool, c->insns);
	if (c->place)
		pool_delete(c->pool, c->place);
	pool_delete(c->pool, c);
}

bool
amd_knows(const struct gcn_target *t, unsigned row)
{
	const struct sem *s = amd_sem(row);

	return s && (s->unit != U_SETREG || t->gen == GCN_G10);
}
