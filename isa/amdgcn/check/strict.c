/* Rejects words that the hardware decodes but no assembler emits: too many scalar reads,
 * registers missing on the target, modifiers without a meaning. Each rule is a row of a
 * table. gcn_encode checks the rules; gcn_words does not. Source: the assembler of LLVM
 * 22, tested with words that its disassembler accepts. */
#include "strict.h"

#include "call.h"

/* Operand numbers that have a name in the disassembler on every target but are registers
 * on some targets only. */
static const struct {
	uint32_t targets;
	uint8_t first, last;
} unsupported[] = {
	{ GFX9, 125, 125 }, /* null */
	{ GFX11 | GFX12, 239, 239 }, { GFX11 | GFX12, 251, 252 },
	{ ALL & ~GFX125, 230, 231 },
};

bool
gcn_register_unsupported(const struct strict *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		uint32_t v = s->op[i].v;
		if (v < 124 || v > 252)
			continue;
		for (size_t k = 0; k < QD_COUNT(unsupported); k++) {
			if (v >= unsupported[k].first && v <= unsupported[k].last &&
			    (unsupported[k].targets & s->t->class_bit))
				return gcn_is_scalar_bank(s->op[i].kind.bank);
		}
	}
	return false;
}

/* Returns true for a read-only value in place of a register. */
static bool
not_a_register(const struct strict *s)
{
	const struct gcn_view *o = &s->op[s->n - 1];

	return s->n && o->kind.bank == BANK_SD &&
	       ((o->v >= 235 && (o->kind.n > 1 || o->v < 239)) || (o->v == 230 && o->kind.n > 1));
}

static bool
wait_counter_base(const struct strict *s)
{
	switch (s->in->row) {
	case GCN_s_waitcnt_vscnt:
	case GCN_s_waitcnt_vmcnt:
	case GCN_s_waitcnt_expcnt:
	case GCN_s_waitcnt_lgkmcnt:
		return s->op[0].v != gcn_null_of(s->t);
	default:
		return false;
	}
}

static bool
gpr_idx_wide(const struct strict *s)
{
	return s->n && s->op[s->n - 1].kind.bank == BANK_GPRIDX && s->op[s->n - 1].v > 15;
}

/* Returns true if the barrier is neither a number nor in m0. */
static bool
barrier_elsewhere(const struct strict *s)
{
	const struct gcn_view *o = &s->op[s->n - 1];

	switch (s->in->row) {
	case GCN_s_barrier_signal:
	case GCN_s_barrier_signal_isfirst:
	case GCN_s_barrier_init:
	case GCN_s_barrier_join:
	case GCN_s_get_barrier_state:
	case GCN_s_wakeup_barrier:
		return o->v != 125 && (o->v < 128 || o->v > 208);
	default:
		return false;
	}
}

static bool
literal_target(const struct strict *s)
{
	return s->in->row == GCN_s_cbranch_g_fork;
}

static const struct rule scalar_rules[] = {
	{ SALU, ALL, SCALAR, HARDWARE, gcn_register_unsupported,
	  "the target has no such register" },
	{ F(SOP1), ALL, SCALAR, ASSEMBLER, not_a_register, "expected a scalar register" },
	{ F(SOP1) | F(SOP2) | F(SOPC), GFX11 | GFX12, LITERAL, ASSEMBLER, gcn_half_literal_too_wide,
	  "the literal has more than 16 bits" },
	{ F(SOP2), GFX9, LITERAL, HARDWARE, literal_target, "the instruction takes no literal" },
	{ F(SOPK), GFX11 | GFX12, ANY, HARDWARE, wait_counter_base,
	  "the counter's register must be null" },
	{ F(SOPC) | F(SOPP), GFX9, ANY, ASSEMBLER, gpr_idx_wide, "gpr_idx must be below 16" },
	{ F(SOP1), GFX12, ANY, HARDWARE, barrier_elsewhere,
	  "the barrier must be m0 or a constant" },
};
static const struct rules gcn_scalar_rules = {
	SALU, QD_COUNT(scalar_rules), scalar_rules
};
static const struct rules *const families[] = { &gcn_vector_rules, &gcn_scalar_rules,
						&gcn_memory_rules };

const char *
gcn_strict_rule(size_t i, bool *of_hardware)
{
	for (unsigned k = 0; k < QD_COUNT(families); i -= families[k]->n, k++) {
		if (i >= families[k]->n)
			continue;
		*of_hardware = families[k]->rule[i].whose == HARDWARE;
		return families[k]->rule[i].why;
	}
	return NULL;
}

const char *
gcn_strict_check(const struct gcn_target *t, const struct gcn_insn *in, const struct gcn_views *ops)
{
	struct strict s = { t, in, &gcn_rows[in->row], ops->n, ops->op };
	const bool met[] = { true, ops->scalar, ops->literal, ops->scalar || ops->literal,
			     in->form == GCN_FORM_DPP16 };
	uint32_t format = 1u << s.row->format;
	unsigned k = 0;

	while (k < QD_COUNT(families) && !(families[k]->formats & format))
		k++;
	if (k == QD_COUNT(families))
		return NULL;
	for (const struct rule *r = families[k]->rule; r < families[k]->rule + families[k]->n; r++) {
		if ((r->formats & format) && met[r->need] && (r->targets & t->class_bit) &&
		    r->broken(&s))
			return r->why;
	}
	return NULL;
}

qd_status
gcn_encode(const struct gcn_target *t, const struct gcn_insn *in, uint32_t out[GCN_MAX_WORDS],
	   int *n_words, struct qd_error *err)
{
	struct gcn_views ops;

	QD_TRY(gcn_row_check(in, err));
	gcn_operand_views(t, in, &ops);
	const char *why = gcn_insn_check(t, in, &ops);
	why = why ? why : gcn_strict_check(t, in, &ops);
	why = why ? why : gcn_put_words(t, in, &ops, out, n_words);
	return QD_UNLIKELY(why != NULL) ? gcn_not_encodable(t, in, why, err) : QD_OK;
}

qd_status
gcn_words_check(const struct gcn_target *t, const uint32_t *words, size_t n, struct qd_error *err)
{
	for (size_t at = 0; at < n;) {
		uint32_t again[GCN_MAX_WORDS];
		struct gcn_insn in;
		struct qd_error why = { 0 };
		int len = gcn_decode(t, words + at, n - at, &in), same;

		if (!len)
			return qd_fail(err, QD_E_TARGET, "word %zu: 0x%08x is not an instruction on %s", at,
				       words[at], t->name);
		if (gcn_encode(t, &in, again, &same, &why))
			return qd_fail(err, QD_E_TARGET, "word %zu: %s", at, why.text);
		if (same != len || memcmp(again, words + at, (size_t)len * sizeof *again))
			return qd_fail(err, QD_E_TARGET, "word %zu: bits of %s have no meaning on %s", at,
				       gcn_row_name(&gcn_rows[in.row]), t->name);
		at += (size_t)len;
	}
	return QD_OK;
}
