/* Lookup in the rules of explain.def. */
#include "explain.h"

#include <fnmatch.h>

#define RULE(n, h, e, l, o, w) { #n, h, e, l, o, w, false, false },
#define RULE_BOTH(n, h, e, l, o, w) { #n, h, e, l, o, w, true, false },
#define RULE_WIDE(n, h, e, b, w) { #n, h, e, "?*", "", w, b, true },
const struct rule rules[] = {
#include "explain.def"
};
const unsigned n_rules = sizeof rules / sizeof *rules;
_Static_assert(sizeof rules / sizeof *rules <= MAX_RULES, "raise MAX_RULES");

static uint32_t
value_of(const struct gcn_layout *l, const uint32_t *w, unsigned field)
{
	uint32_t v = 0;

	for (unsigned i = 0; i < l->n_fields; i++) {
		const struct gcn_bits *b = &l->bits[i];
		if (b->field == field)
			v |= (w[b->lo / 32] >> b->lo % 32 & ((1u << b->width) - 1)) << b->from;
	}
	return v;
}

/* Returns whether a source has the number of a literal of 64 bits, although it has fewer bits, the
 * format takes no such literal, or the other source of SOP2 and SOPC has the number of a literal of
 * 32 bits. */
static bool
has_narrow_literal(const struct gcn_target *t, const struct gcn_layout *l, const uint32_t *w)
{
	static const uint8_t source[] = { GCN_F_SSRC0, GCN_F_SSRC1, GCN_F_SRC0, GCN_F_SRC1,
					  GCN_F_SRC2, GCN_F_Y_SRC0, GCN_F_SCALE0, GCN_F_SCALE1 };
	unsigned row = gcn_row_find(t, l->format, value_of(l, w, GCN_F_OP));

	for (size_t i = 0; row != GCN_N_ROW && i < sizeof source; i++) {
		const struct gcn_shape *s = &gcn_shapes[gcn_rows[row].shape];
		if (value_of(l, w, source[i]) != GCN_LITERAL64)
			continue;
		if (i < 2 && value_of(l, w, source[!i]) == GCN_LITERAL)
			return true;
		if (gcn_is_vop3(l->format) || gcn_is_dual(l->format))
			return true;
		for (unsigned k = 0; k < s->n_op; k++) {
			unsigned type = gcn_kinds[s->op[k].kind].type;
			if (s->op[k].field == source[i] && type != T_B64 && type != T_F64)
				return true;
		}
	}
	return false;
}

static bool
any_narrow_literal(const struct gcn_target *t, const uint32_t *w)
{
	for (size_t i = 0; i < gcn_n_layouts; i++) {
		const struct gcn_layout *l = &gcn_layouts[i];
		if (l->format < GCN_N_FORMAT && (l->gens >> t->gen & 1) &&
		    (w[0] & l->mask) == l->match && (!l->mask2 || (w[2] & l->mask2) == l->match2) &&
		    has_narrow_literal(t, l, w))
			return true;
	}
	return false;
}

unsigned
explain(const struct gcn_target *t, const char *encoding, const uint32_t *w, const char *llvm,
	const char *ours)
{
	unsigned i;

	for (i = 0; i < n_rules; i++) {
		if ((rules[i].has & t->class_bit) && !fnmatch(rules[i].encoding, encoding, FNM_EXTMATCH) &&
		    !fnmatch(rules[i].llvm, llvm, FNM_EXTMATCH) &&
		    !fnmatch(rules[i].ours, ours, FNM_EXTMATCH) &&
		    (!rules[i].wide || any_narrow_literal(t, w)))
			break;
	}
	return i;
}
