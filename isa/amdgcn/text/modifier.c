/* Prints and parses the modifiers of modifier.def. */
#include "modifier.h"

#include <assert.h>

enum style {
	FLAG, ONE, BOUND, DEC, DECA, DECS, HEX, NAME, WORD, WORDHI, TH, OPSEL, CTRL, SEL8, SEL1, LIST, LISTALL, SELHI, BYTESEL, BITOP3, TABLE,
	SWIZZLE, BUF_FORMAT
};
enum list { LIST_PART, LIST_UNUSED, LIST_SCOPE, LIST_FMT, LIST_SCALE, LIST_SCALE_FMT, N_LIST };

static const struct modifier {
	uint8_t style, field, lo, width;
	uint16_t arg;
	uint64_t need;
	const char *text;
} modifiers[] = {
#define MOD(fmt, gens, need, style, field, lo, width, arg, text)                                   \
	{ style, GCN_F_##field, lo, width, arg, need, text },
#include "modifier.def"
};
enum { N_MODIFIERS = QD_COUNT(modifiers) };
/* The first column, as masks of formats. */
static const uint32_t formats_with[N_MODIFIERS] = {
#define MOD(fmt, ...) GCN_MODIFIED(fmt),
#include "modifier.def"
};
#include "modifiers.inc"

static const char *const list[N_LIST][8] = {
	[LIST_PART] = { "BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD" },
	[LIST_UNUSED] = { "UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE" },
	[LIST_SCOPE] = { "SCOPE_CU", "SCOPE_SE", "SCOPE_DEV", "SCOPE_SYS" },
	[LIST_FMT] = { "MATRIX_FMT_FP8", "MATRIX_FMT_BF8", "MATRIX_FMT_FP6", "MATRIX_FMT_BF6",
		       "MATRIX_FMT_FP4" },
	[LIST_SCALE] = { "MATRIX_SCALE_ROW0", "MATRIX_SCALE_ROW1" },
	[LIST_SCALE_FMT] = { "MATRIX_SCALE_FMT_E8", "MATRIX_SCALE_FMT_E5M3",
			     "MATRIX_SCALE_FMT_E4M3" },
};
/* Temporal hints of loads and stores. The hint of an atomic consists of the bits return,
 * nontemporal and cascade. */
static const char *const hint[2][8] = {
	{ NULL, "TH_LOAD_NT", "TH_LOAD_HT", "TH_LOAD_LU", "TH_LOAD_NT_RT", "TH_LOAD_RT_NT",
	  "TH_LOAD_NT_HT" },
	{ NULL, "TH_STORE_NT", "TH_STORE_HT", "TH_STORE_WB", "TH_STORE_NT_RT", "TH_STORE_RT_NT",
	  "TH_STORE_NT_HT", "TH_STORE_NT_WB" },
};
static const char *const bypass[2] = { "TH_LOAD_BYPASS", "TH_STORE_BYPASS" };
static const char *const atomic_hint[4] = { NULL, "TH_ATOMIC_RETURN", "TH_ATOMIC_NT",
					    "TH_ATOMIC_NT_RETURN" };
static const char *const cascade[2] = { "TH_ATOMIC_CASCADE_RT", "TH_ATOMIC_CASCADE_NT" };

static const struct {
	uint16_t first, n; /* n > 1: the text has the pattern minus `first` */
	const char *name;
} pattern[] = {
	{ 0x100, 16, "row_shl:" },     { 0x110, 16, "row_shr:" },     { 0x120, 16, "row_ror:" },
	{ 0x130, 1, "wave_shl:1" },    { 0x134, 1, "wave_rol:1" },    { 0x138, 1, "wave_shr:1" },
	{ 0x13c, 1, "wave_ror:1" },    { 0x140, 1, "row_mirror" },    { 0x141, 1, "row_half_mirror" },
	{ 0x142, 1, "row_bcast:15" },  { 0x143, 1, "row_bcast:31" },  { 0x150, 16, "row_share:" },
	{ 0x160, 16, "row_xmask:" },
};

/* Returns the mask of rows 64 * word to 64 * word + 63 that the format or the form has. */
static uint64_t
rows_of(const struct gcn_target *t, const struct gcn_insn *in, unsigned word)
{
	unsigned format = gcn_rows[in->row].format;
	unsigned form = in->form ? gcn_form_format(in->form, format) : format;

	/* SDWA's modifiers select parts of operands, so they need operands. */
	if (in->form == GCN_FORM_SDWA && !gcn_shapes[gcn_rows[in->row].shape].n_op)
		form = format;
	return modifiers_of[t->gen][format][word] | modifiers_of[t->gen][form][word];
}

static bool
applies(const struct gcn_target *t, const struct gcn_insn *in, const struct modifier *m)
{
	const struct gcn_row *r = &gcn_rows[in->row];

	if (m->style == TABLE)
		return gcn_second_row(t, in) && (gcn_row_mods(gcn_second_row(t, in)) & M_BITOP3);
	if (m->need == M_PARTIAL ? (gcn_row_mods(r) & M_WHOLE) != 0 : m->need && !(gcn_row_mods(r) & m->need))
		return false;
	/* A memory instruction without operands writes back or invalidates caches. It has no
	 * offset, and on gfx94 only the policy bits that select a cache. */
	return gcn_shapes[r->shape].n_op || !gcn_is_vmem(r->format) ||
	       (t->gen >= GCN_G12 && m->field != GCN_F_OFFSET) ||
	       (t->gen == GCN_G94 && (m->field == GCN_F_GLC || m->field == GCN_F_SCC));
}

static uint32_t
get(const struct gcn_insn *in, const struct modifier *m)
{
	if (m->style == WORDHI)
		return gcn_op_sel_hi(in);
	return in->field[m->field] >> m->lo & ((1u << m->width) - 1);
}

static bool
set(struct gcn_insn *in, const struct modifier *m, uint32_t v)
{
	if (v >> m->width)
		return false;
	if (m->style == WORDHI) {
		gcn_set_op_sel_hi(in, v);
		return true;
	}
	in->field[m->field] &= ~(((1u << m->width) - 1) << m->lo);
	in->field[m->field] |= v << m->lo;
	return true;
}

/* Returns the number of operands that are sources of a vector instruction. */
static unsigned
n_sources(const struct gcn_target *t, const struct gcn_insn *in)
{
	struct gcn_view o;
	unsigned n = 0;

	for (unsigned i = 0; gcn_operand_view(t, in, i, &o); i++)
		n += o.src >= 0;
	return n;
}

/* Returns the number of op_sel bits for sources in the text. */
static unsigned
n_op_sel(const struct gcn_target *t, const struct gcn_insn *in)
{
	if (gcn_row_mods(&gcn_rows[in->row]) & M_FIBC)
		return 2;
	if (!(gcn_row_mods(&gcn_rows[in->row]) & M_BYTEHIGH) && (gcn_row_mods(&gcn_rows[in->row]) & (M_SEL2 | M_SELTIED)))
		return 3;
	return n_sources(t, in);
}

/* Returns whether the text of op_sel includes the destination's bit. It does not if the
 * destination is exec, or if the destination is a lane mask and the form is DPP. */
static bool
shows_destination(const struct gcn_insn *in)
{
	const struct gcn_row *r = &gcn_rows[in->row];
	bool mask = gcn_shapes[r->shape].op[0].kind == K_M;

	return !(gcn_row_mods(r) & (M_FIBC | M_CMPX)) && !(mask && in->form);
}

/* Appends n numbers of `bits` bits each, the lowest first: "1,0,2". */
static void
add_numbers(struct gcn_text *x, uint32_t v, unsigned n, unsigned bits)
{
	for (unsigned i = 0; i < n; i++) {
		if (i)
			gcn_add_text(x, ",", 1);
		gcn_add_number(x, v >> (i * bits) & ((1u << bits) - 1));
	}
}

static void
print_op_sel(const struct gcn_target *t, const struct gcn_insn *in, uint32_t sel, struct gcn_text *x)
{
	const struct gcn_row *r = &gcn_rows[in->row];
	unsigned n;

	sel &= gcn_sel_bits(t, r) & (gcn_row_mods(r) & (M_FIBC | M_BYTEHIGH) ? 3 : gcn_row_mods(r) & M_BYTESEL ? 8 : 15);
	if (!sel || (gcn_row_mods(r) & M_SELQUIET) || (!(gcn_row_mods(r) & M_SELS3) && !gcn_has_halves(t, in)))
		return;
	n = n_op_sel(t, in);
	gcn_add_string(x, " op_sel:[");
	add_numbers(x, sel, n, 1);
	gcn_add(x, shows_destination(in) ? ",%u]" : "]", sel >> 3 & 1);
}

static bool
parse_op_sel(const struct gcn_target *t, struct gcn_insn *in, struct token k)
{
	unsigned n = n_op_sel(t, in);
	uint32_t v;

	if (!gcn_sel_bits(t, &gcn_rows[in->row]) || (gcn_row_mods(&gcn_rows[in->row]) & M_SELQUIET))
		return false;
	if (!token_skip(&k, "[") || token_list(k, 1, &v) != n + shows_destination(in))
		return false;
	v = (v & ((1u << n) - 1)) | (v >> n & 1) << 3;
	if (in->field[GCN_F_OPSEL] & ~v)
		return false; /* contradicts a register named .h */
	in->field[GCN_F_OPSEL] = v;
	return true;
}

/* Returns the number of the selected byte: the two source bits of op_sel, high bit first, or the
 * two upper bits for the destination. */
static uint32_t
byte_sel(const struct gcn_row *r, uint32_t sel)
{
	return gcn_row_mods(r) & M_SEL0 ? (sel & 1) << 1 | (sel >> 1 & 1) : sel >> 2;
}

static uint32_t
byte_op_sel(const struct gcn_row *r, uint32_t v)
{
	return gcn_row_mods(r) & M_SEL0 ? (v & 1) << 1 | v >> 1 : v << 2;
}

/* Returns the truth table of v_bitop3, which occupies the bits of neg, abs and omod. */
static uint32_t
truth_table(const struct gcn_insn *in)
{
	return in->field[GCN_F_NEG] | in->field[GCN_F_ABS] << 3 | in->field[GCN_F_OMOD] << 6;
}

static void
print_list(const struct gcn_target *t, const struct gcn_insn *in, const struct modifier *m,
	   uint32_t v, struct gcn_text *x)
{
	gcn_add(x, " %s[", m->text);
	add_numbers(x, v, n_sources(t, in), 1);
	gcn_add_string(x, "]");
}

static void
print_pattern(const struct gcn_target *t, uint32_t c, struct gcn_text *x)
{
	if (c <= 0xff) {
		gcn_add_string(x, " quad_perm:[");
		add_numbers(x, c, 4, 2);
		gcn_add_string(x, "]");
		return;
	}
	for (unsigned i = 0; i < QD_COUNT(pattern); i++) {
		const char *name = pattern[i].name;
		if (c < pattern[i].first || c >= pattern[i].first + pattern[i].n)
			continue;
		if (pattern[i].first == 0x150 && t->gen < GCN_G10)
			name = "row_newbcast:";
		gcn_add(x, " %s", name);
		if (pattern[i].n > 1)
			gcn_add(x, "%u", c - pattern[i].first);
		return;
	}
}

static bool
parse_pattern(const struct gcn_target *t, struct token k, uint32_t *c)
{
	uint32_t v = 0;

	if (token_skip(&k, "quad_perm:["))
		return token_list(k, 2, c) == 4;
	for (unsigned i = 0; i < QD_COUNT(pattern); i++) {
		const char *name = pattern[i].name;
		struct token rest = k;
		if (pattern[i].first == 0x150 && t->gen < GCN_G10)
			name = "row_newbcast:";
		if (!token_skip(&rest, name))
			continue;
		if (pattern[i].n > 1 ? !token_number(rest, &v) || v >= pattern[i].n : rest.len > 0)
			continue;
		*c = pattern[i].first + v;
		return true;
	}
	return false;
}

static void
print_hint(const struct gcn_insn *in, const char *prefix, uint32_t v, struct gcn_text *x)
{
	uint64_t mods = gcn_row_mods(&gcn_rows[in->row]);
	uint32_t scope_of = in->field[GCN_F_SCOPE];
	bool store = mods & M_STORE;
	const char *name = hint[store][v];

	if (!v)
		return;
	if (mods & M_ATOMIC) {
		if (v > 3 && scope_of < 2) {
			gcn_add(x, " %sTH_ATOMIC_0x%x", prefix, v);
			return;
		}
		name = v > 3 ? cascade[v >> 1 & 1] : atomic_hint[v];
	} else if (v == 3 && scope_of == 3) {
		name = bypass[store];
	}
	if (name)
		gcn_add(x, " %s%s", prefix, name);
	else
		gcn_add(x, " %s0x%x", prefix, v);
}

static bool
parse_name(const char *const *names, unsigned n, struct token k, uint32_t *v)
{
	for (*v = 0; *v < n; ++*v) {
		if (names[*v] && token_is(k, names[*v]))
			return true;
	}
	return false;
}

static bool
parse_hint(const struct gcn_insn *in, struct token k, uint32_t *v)
{
	uint64_t mods = gcn_row_mods(&gcn_rows[in->row]);
	bool store = mods & M_STORE;

	if (mods & M_ATOMIC) {
		/* the name does not contain the return bit, which keeps its value */
		if (parse_name(cascade, 2, k, v)) {
			*v = 4 | *v << 1 | (in->field[GCN_F_TH] & 1);
			return true;
		}
		/* The strict checker rejects hints without a name and reports the reason. */
		return parse_name(atomic_hint, 4, k, v) ||
		       (token_skip(&k, "TH_ATOMIC_") && token_starts(k, "0x") &&
			token_number(k, v) && *v > 3 && *v < 8);
	}
	*v = 3;
	return token_is(k, bypass[store]) || parse_name(hint[store], 8, k, v) ||
	       (token_number(k, v) && *v < 8);
}

static void
add_name(const struct modifier *m, struct gcn_text *x)
{
	gcn_add_text(x, " ", 1);
	gcn_add_string(x, m->text);
}

static void
add_number(const struct modifier *m, uint32_t v, struct gcn_text *x)
{
	add_name(m, x);
	gcn_add_number(x, v);
}

static void
print_one(const struct gcn_target *t, const struct gcn_insn *in, const struct modifier *m,
	  struct gcn_text *x)
{
	uint32_t v = get(in, m), top;

	switch ((enum style)m->style) {
	case FLAG:
		if (v == m->arg)
			add_name(m, x);
		break;
	case ONE:
	case BOUND:
		if (v == m->arg)
			add_number(m, 1, x);
		break;
	case DEC:
	case DECA:
		if (v || m->style == DECA)
			add_number(m, v, x);
		break;
	case DECS:
		top = 1u << (m->width - 1);
		if (v)
			gcn_add(x, " %s%d", m->text, (int)(v ^ top) - (int)top);
		break;
	case HEX:
		gcn_add(x, " %s0x%x", m->text, v);
		break;
	case TH:
		print_hint(in, m->text, v, x);
		break;
	case WORD:
	case WORDHI:
		if (v && list[m->arg][v])
			gcn_add(x, " %s%s", m->text, list[m->arg][v]);
		else if (v)
			add_number(m, v, x);
		break;
	case OPSEL:
		print_op_sel(t, in, v, x);
		break;
	case BYTESEL:
		if ((v = byte_sel(&gcn_rows[in->row], v)) != 0)
			add_number(m, v, x);
		break;
	case BITOP3:
	case TABLE:
		if ((v = m->style == TABLE ? v : truth_table(in)) != 0)
			gcn_add(x, v <= 10 ? " %s%u" : " %s0x%x", m->text, v);
		break;
	case CTRL:
		print_pattern(t, v, x);
		break;
	case SEL8:
		gcn_add(x, " %s[", m->text);
		add_numbers(x, v, 8, 3);
		gcn_add_string(x, "]");
		break;
	case BUF_FORMAT:
		if (v != GCN_BUF_FORMAT) {
			add_name(m, x);
			gcn_buf_format_print(t, v, x);
		}
		break;
	case SWIZZLE:
		if (v) {
			add_name(m, x);
			gcn_swizzle_print(v, x);
		}
		break;
	case LIST:
	case LISTALL:
		if (v || m->style == LISTALL)
			print_list(t, in, m, v, x);
		break;
	case SELHI:
		top = m->arg ? (1u << n_sources(t, in)) - 1 : 0;
		v = gcn_op_sel_hi(in) & ((1u << n_sources(t, in)) - 1);
		if (v != top)
			print_list(t, in, m, v, x);
		break;
	case NAME:
	case SEL1:
		if (m->style == NAME || n_sources(t, in) > 1)
			gcn_add(x, " %s%s", m->text, list[m->arg][v] ? list[m->arg][v] : "?");
		break;
	}
}

/* Parses the value `k`, which follows the modifier's text. */
static bool
parse_one(const struct gcn_target *t, struct gcn_insn *in, const struct modifier *m, struct token k)
{
	int64_t top, whole;
	uint32_t v = 0;

	switch ((enum style)m->style) {
	case FLAG:
		return !k.len && set(in, m, m->arg);
	case ONE:
	case BOUND:
		if (!token_number(k, &v) || v > 1)
			return false;
		return !(v || (m->style == BOUND && t->gen < GCN_G11)) || set(in, m, m->arg);
	case DEC:
	case DECA:
	case HEX:
		return token_number(k, &v) && set(in, m, v);
	case DECS:
		top = INT64_C(1) << (m->width - 1);
		return token_between(k, -top, top - 1, &whole) &&
		       set(in, m, (uint32_t)(whole & (2 * top - 1)));
	case NAME:
	case SEL1:
		return parse_name(list[m->arg], 8, k, &v) && set(in, m, v);
	case WORD:
	case WORDHI:
		/* The strict checker rejects values without a name. */
		return (parse_name(list[m->arg], 8, k, &v) || (token_number(k, &v) && v < 8 && !list[m->arg][v])) &&
		       set(in, m, v);
	case TH:
		return parse_hint(in, k, &v) && set(in, m, v);
	case BUF_FORMAT:
		return gcn_buf_format_parse(t, k, &v) && set(in, m, v);
	case SWIZZLE:
		return gcn_swizzle_parse(k, &v) && set(in, m, v);
	case OPSEL:
		return parse_op_sel(t, in, k);
	case BYTESEL:
		whole = gcn_row_mods(&gcn_rows[in->row]) & M_SEL0 ? 12 : 3; /* bits for other uses */
		return token_number(k, &v) && v < 4 &&
		       set(in, m, (get(in, m) & (uint32_t)whole) | byte_op_sel(&gcn_rows[in->row], v));
	case BITOP3:
		if (!token_number(k, &v) || v > 255)
			return false;
		in->field[GCN_F_NEG] = v & 7;
		in->field[GCN_F_ABS] = v >> 3 & 7;
		in->field[GCN_F_OMOD] = v >> 6;
		return true;
	case TABLE:
		return token_number(k, &v) && set(in, m, v);
	case CTRL:
		return parse_pattern(t, k, &v) && set(in, m, v);
	case SEL8:
		return token_skip(&k, "[") && token_list(k, 3, &v) == 8 && set(in, m, v);
	case LIST:
	case LISTALL:
		return token_skip(&k, "[") && token_list(k, 1, &v) == n_sources(t, in) && set(in, m, v);
	case SELHI:
		if (!token_skip(&k, "[") || token_list(k, 1, &v) != n_sources(t, in))
			return false;
		/* bits of missing sources are ones */
		gcn_set_op_sel_hi(in, v | (7u << n_sources(t, in) & 7));
		return true;
	}
	return false;
}

void
gcn_modifiers_print(const struct gcn_target *t, const struct gcn_insn *in, struct gcn_text *x)
{
	for (unsigned w = 0; w < N_MODIFIER_WORD; w++) {
		for (uint64_t rest = rows_of(t, in, w); rest; rest &= rest - 1) {
			const struct modifier *m = &modifiers[64 * w + qd_lowest_bit(rest)];
			if (applies(t, in, m))
				print_one(t, in, m, x);
		}
	}
}

static bool
is_policy(const struct modifier *m)
{
	return m->field == GCN_F_GLC || m->field == GCN_F_SLC || m->field == GCN_F_DLC ||
	       m->field == GCN_F_SCC || m->field == GCN_F_TH || m->field == GCN_F_SCOPE ||
	       m->field == GCN_F_NV || m->field == GCN_F_SOE;
}

/* Returns whether row i may follow the modifiers seen so far, and updates *seen. No other
 * modifier may appear between words of the policy. Rows that set the same bits exclude each
 * other. */
static bool
in_order(unsigned i, struct gcn_modifiers_seen *seen)
{
	const struct modifier *m = &modifiers[i];
	uint32_t bit;

	static_assert(N_MODIFIERS < 255, "a row's number in 8 bits");
	seen->pattern |= m->style == CTRL || m->style == SEL8;
	if (is_policy(m)) {
		bit = UINT32_C(1) << (m->field % 32);
		if ((seen->policy & bit) || (seen->policy ? seen->follows_policy : seen->next > i))
			return false;
		seen->policy |= bit;
		seen->next = (uint8_t)(seen->next > i ? seen->next : i + 1);
		return true;
	}
	if (seen->next > i)
		return false;
	while (i + 1 < N_MODIFIERS && modifiers[i + 1].field == m->field && modifiers[i + 1].lo == m->lo &&
	       formats_with[i + 1] == formats_with[i])
		i++;
	seen->next = (uint8_t)(i + 1);
	seen->follows_policy = seen->policy != 0;
	return true;
}

bool
gcn_modifier_parse(const struct gcn_target *t, struct gcn_insn *in, struct token k,
		   struct gcn_modifiers_seen *seen)
{
	for (unsigned w = 0; w < N_MODIFIER_WORD; w++) {
		for (uint64_t left = rows_of(t, in, w); left; left &= left - 1) {
			unsigned i = 64 * w + qd_lowest_bit(left);
			struct token rest = k;
			if (!applies(t, in, &modifiers[i]) || !token_skip(&rest, modifiers[i].text) ||
			    !parse_one(t, in, &modifiers[i], rest))
				continue;
			if (seen && modifiers[i].style == TH) {
				seen->hint = true;
				seen->bypass = token_is(rest, bypass[0]) || token_is(rest, bypass[1]);
			}
			return !seen || in_order(i, seen);
		}
	}
	return false;
}
