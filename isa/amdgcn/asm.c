/* The text that print.c writes back to fields: the same tables the other way
 * round.  Registers and constants are found by printing each and comparing, so
 * that there is one list of names; tests and an assembler escape use this, no
 * compile does. */
#include "modifier.h"

#include <stdio.h>
#include <stdlib.h>

struct parser {
	const struct gcn_target *t;
	const char *at;
	struct gcn_insn *out;
	const char *why;
	unsigned vaddr; /* registers that the text gives for BANK_VADDR */
};

/* Up to a comma or blank outside brackets. */
static struct token
next_token(struct parser *p)
{
	struct token k;
	int depth = 0;

	while (*p->at == ' ')
		p->at++;
	k.at = p->at;
	for (; *p->at; p->at++) {
		char c = *p->at;
		if (c == '(' || c == '[')
			depth++;
		else if (c == ')' || c == ']')
			depth--;
		else if (!depth && (c == ',' || c == ' '))
			break;
	}
	k.len = (size_t)(p->at - k.at);
	return k;
}

static bool
vector(struct token k, unsigned n, uint32_t *v, int *half)
{
	struct token first;
	uint32_t last, base = token_starts(k, "a") ? GCN_ACC : 256;

	*half = -1;
	if (!token_skip(&k, base == GCN_ACC ? "a" : "v"))
		return false;
	if (token_skip(&k, "[")) {
		first = k;
		first.len = 0;
		while (first.len < k.len && k.at[first.len] != ':')
			first.len++;
		if (first.len + 2 > k.len || k.at[k.len - 1] != ']' || !token_number(first, v))
			return false;
		k.at += first.len + 1;
		k.len -= first.len + 2;
		return token_number(k, &last) && last == *v + n - 1 && (*v += base) < base + 256;
	}
	if (k.len > 2 && k.at[k.len - 2] == '.') {
		*half = k.at[k.len - 1] == 'h';
		k.len -= 2;
	}
	return n == 1 && token_number(k, v) && (*v += base) < base + 256;
}

/* A register or constant; a literal goes to its field. */
static bool
value(struct parser *p, struct token k, const struct gcn_view *o, uint32_t *v, int *half)
{
	char name[40];

	if (vector(k, o->kind.n, v, half))
		return true;
	for (*v = 0; *v < 256; ++*v) {
		int n = gcn_scalar_name(p->t, *v, o->kind.n, o->kind.type, name);
		if (n > 0 && token_is(k, name))
			return true;
	}
	*v = GCN_LITERAL;
	if (token_starts(k, "lit(") && k.at[k.len - 1] == ')') {
		token_skip(&k, "lit(");
		k.len--;
	}
	return token_number(k, &p->out->field[F_LIT]);
}

static void
set_bit(struct gcn_insn *in, unsigned field, unsigned bit, bool on)
{
	if (on)
		in->field[field] |= 1u << bit;
}

static bool
parse_smem_offset(struct parser *p, struct token k)
{
	uint32_t *f = p->out->field, mask = p->t->gen >= G12 ? 0xffffff : 0x1fffff, v;
	char name[40];
	bool reg = false;

	if (p->t->gen >= G10)
		f[F_SOFFSET] = p->t->gen >= G11 ? 124 : 125;
	for (v = 0; v < 128 && !reg; v++) {
		if (gcn_scalar_name(p->t, v, 1, T_NONE, name) > 0 && token_is(k, name)) {
			reg = true;
			f[F_SOFFSET] = v;
			f[F_SOE] = p->t->gen < G10;
		}
	}
	if (!reg) {
		f[F_IMM] = p->t->gen < G10;
		if (!token_number(k, &v))
			return false;
		f[F_OFFSET] = v & mask;
		return v == f[F_OFFSET] || (v | mask) == 0xffffffff;
	}
	while (*p->at == ' ')
		p->at++;
	if (!strncmp(p->at, "offset:", 7)) {
		k = next_token(p);
		token_skip(&k, "offset:");
		f[F_IMM] = p->t->gen < G10;
		if (!token_number(k, &v))
			return false;
		f[F_OFFSET] = v & mask;
	} else if (p->t->gen < G10) {
		f[F_SOE] = 0;
		f[F_OFFSET] = f[F_SOFFSET];
		f[F_SOFFSET] = 0;
	}
	return true;
}

/* Operands before this one that share its bit must lie in the same file. */
static bool
same_file(struct parser *p, const struct gcn_view *o, uint32_t v)
{
	unsigned format = gcn_rows[p->out->row].format, bit, its_bit;
	enum gcn_field acc = gcn_acc_bit(format, o->field, &bit);
	struct gcn_view u;

	for (unsigned i = 0; gcn_operand_view(p->t, p->out, i, &u) && u.field != o->field; i++) {
		if ((u.kind.bank == BANK_AV || u.kind.bank == BANK_AVC) && u.v >= 256 && v >= 256 &&
		    gcn_acc_bit(format, u.field, &its_bit) == acc && its_bit == bit &&
		    (u.v >= GCN_ACC) != (v >= GCN_ACC))
			return false;
	}
	return true;
}

/* One source or destination register, with its modifiers. */
static bool
parse_register(struct parser *p, const struct gcn_view *o, struct token k)
{
	struct gcn_insn *in = p->out;
	const struct gcn_row *r = &gcn_rows[in->row];
	bool neg = false, abs = false, sext = false, close = false;
	unsigned bit;
	uint32_t v;
	int half;

	if (o->src >= 0) {
		if (token_skip(&k, "neg("))
			neg = close = true;
		else if (k.len > 1 && k.at[0] == '-' && (k.at[1] < '0' || k.at[1] > '9'))
			neg = token_skip(&k, "-");
		abs = token_skip(&k, "|");
		sext = token_skip(&k, "sext(");
		k.len -= (size_t)(abs + sext + close);
	}
	if (!value(p, k, o, &v, &half))
		return false;
	if (o->kind.bank == BANK_AV || o->kind.bank == BANK_AVC) {
		enum gcn_field acc = gcn_acc_bit(r->format, o->field, &bit);
		if (!same_file(p, o, v))
			return false;
		set_bit(in, acc, bit, v >= GCN_ACC);
	} else if (v >= 256 && (v >= GCN_ACC) != (o->kind.bank == BANK_A || o->kind.bank == BANK_AC)) {
		return false;
	}
	if (v >= GCN_ACC)
		v -= GCN_ACC - 256;
	if (o->kind.bank == BANK_VL || o->kind.bank == BANK_VSL)
		v |= half == 1 ? 128 : 0;
	else if (half >= 0 && o->kind.bank != BANK_VH && o->kind.bank != BANK_VSH)
		return false;
	else if (half == 1)
		set_bit(in, F_OPSEL, o->src < 0 ? 3 : (unsigned)o->src, true);
	if (o->src >= 0 && gcn_has_source_modifiers(r)) {
		set_bit(in, F_NEG, (unsigned)o->src, neg);
		if (abs)
			set_bit(in, F_ABS, (unsigned)o->src, true);
	} else if (gcn_is_vop3(r->format)) {
		if (neg || abs)
			return false;
	} else if (o->src >= 0) {
		in->field[o->src ? F_X_NEG1 : F_X_NEG0] = neg;
		in->field[o->src ? F_X_ABS1 : F_X_ABS0] = abs;
		in->field[o->src ? F_SEXT1 : F_SEXT0] = sext;
	}
	if (in->form == FORM_SDWA && o->src >= 0)
		in->field[o->src ? F_S1 : F_S0] = v < 256;
	if (in->form && o->src == 0) {
		in->field[F_X_SRC0] = v & 255;
	} else if (o->field == F_SDST && (r->mods & M_VOP3B)) {
		in->field[F_ABS] |= v & 7;
		in->field[F_OPSEL] |= v >> 3;
	} else if (o->field == F_SBASE) {
		in->field[F_SBASE] = v / 2;
	} else if (o->field == F_SRSRC) {
		in->field[F_SRSRC] = v / 4;
	} else if (gcn_is_source(o->field)) {
		in->field[o->field] = v;
	} else if (o->field == F_Y_VDST) {
		in->field[F_Y_VDST] = (v & 255) >> 1;
		return ((v ^ in->field[F_VDST]) & 1) && v >= 256;
	} else {
		in->field[o->field] = v & 255;
	}
	return true;
}

/* The vector part of an address as the text has it; what the scalar part allows
 * is seen when that is read as well. */
static bool
parse_vaddr(struct parser *p, struct token k)
{
	struct gcn_insn *in = p->out;
	uint32_t v = 0;
	int half;

	p->vaddr = 0;
	if (!token_is(k, "off")) {
		p->vaddr = vector(k, 2, &v, &half) ? 2 : 1;
		if ((p->vaddr == 1 && !vector(k, 1, &v, &half)) || half >= 0 || v >= GCN_ACC)
			return false;
	}
	in->field[F_ADDR] = v & 255;
	in->field[F_SVE] = p->vaddr && gcn_rows[in->row].format == SCRATCH && gcn_has_sve(p->t);
	return true;
}

static bool
parse_saddr(struct parser *p, struct token k, struct gcn_kind kind)
{
	struct gcn_insn *in = p->out;
	struct gcn_view o = { .kind = kind };
	int half;

	in->field[F_SADDR] = gcn_no_saddr(p->t, gcn_rows[in->row].format, !p->vaddr);
	return token_is(k, "off") || (value(p, k, &o, &in->field[F_SADDR], &half) &&
				      in->field[F_SADDR] < 128);
}

/* Modifiers before the operands: they say how many of those there are.  Whether
 * a cascading atomic returns is not in its name but in that number. */
static void
peek_modifiers(struct parser *p)
{
	const struct gcn_row *r = &gcn_rows[p->out->row];
	const char *at = p->at;
	unsigned n = 1;

	while (*p->at) {
		struct token k = next_token(p);
		if (k.len) {
			(void)gcn_modifier_parse(p->t, p->out, k);
		} else if (*p->at) {
			n++;
			p->at++;
		}
	}
	if (p->t->gen >= G12 && (r->mods & M_ATOMIC) && p->out->field[F_TH] > 3)
		p->out->field[F_TH] |= n == gcn_shapes[r->shape].n_op;
	p->at = at;
}

static bool
parse_attribute(struct token k, uint32_t *v)
{
	static const char name[] = "xyzw";
	const char *channel = k.len > 2 ? memchr(name, k.at[k.len - 1], 4) : NULL;

	if (!channel || k.at[k.len - 2] != '.' || !token_skip(&k, "attr"))
		return false;
	k.len -= 2;
	if (!token_number(k, v) || *v > 63)
		return false;
	*v = *v << 2 | (uint32_t)(channel - name);
	return true;
}

static bool
parse_param(struct token k, uint32_t *v)
{
	for (*v = 0; *v < 3; ++*v) {
		if (token_is(k, gcn_param_name[*v]))
			return true;
	}
	return false;
}

static bool
parse_operand(struct parser *p, unsigned i)
{
	struct gcn_insn *in = p->out;
	struct gcn_view o;
	struct token k;
	uint32_t v;
	int half;

	const struct gcn_row *r = &gcn_rows[in->row];
	struct gcn_kind kind;

	gcn_operand_view(p->t, in, i, &o);
	if (gcn_is_flat(r->format)) {
		kind = gcn_kinds[gcn_shapes[r->shape].op[i + gcn_memory_hidden(p->t, in)].kind];
		if (kind.bank == BANK_VADDR)
			return parse_vaddr(p, next_token(p));
		if (kind.bank == BANK_SADDR)
			return parse_saddr(p, next_token(p), kind);
	}
	if (o.kind.bank == BANK_WAITCNT || o.kind.bank == BANK_DELAY || o.kind.bank == BANK_DEPCTR) {
		k.at = p->at;
		k.len = strlen(k.at);
		p->at += k.len;
		while (k.len && *k.at == ' ')
			token_skip(&k, " ");
		return gcn_symbol_parse(p->t, o.kind.bank, k, &in->field[F_SIMM]);
	}
	k = next_token(p);
	switch (o.kind.bank) {
	case BANK_OFF:
		return token_is(k, "off");
	case BANK_ENDPGM:
		return !k.len || token_number(k, &in->field[F_SIMM]);
	case BANK_HEX16:
	case BANK_DEC16:
	case BANK_BRANCH:
		return token_number(k, &in->field[o.field]) && in->field[o.field] < 0x10000;
	case BANK_OFFSET24:
		if (!token_number(k, &v) || v + 0x800000 > 0xffffff)
			return false;
		in->field[F_OFFSET] = v & 0xffffff;
		return true;
	case BANK_LIT32:
	case BANK_LIT16:
		return token_number(k, &in->field[F_LIT]);
	case BANK_SENDMSG:
	case BANK_MSGRTN:
	case BANK_GPRIDX:
	case BANK_HWREG:
	case BANK_VERSION:
		return gcn_symbol_parse(p->t, o.kind.bank, k, &in->field[o.field]);
	case BANK_ATTR:
		if (!parse_attribute(k, &v))
			return false;
		in->field[o.field] = o.field == F_SRC0 ? v >> 2 | (v & 3) << 6 : v;
		return true;
	case BANK_PARAM:
		return parse_param(k, &in->field[o.field]);
	case BANK_SMEMOFF:
		return parse_smem_offset(p, k);
	case BANK_VCC:
		if (!value(p, k, &o, &v, &half))
			return false;
		if (in->form == FORM_SDWA && v != 106 && i == 0) {
			in->field[F_SD] = 1;
			in->field[F_X_SDST] = v;
			return v < 128;
		}
		return v == 106;
	case BANK_EXEC:
	case BANK_M0:
		return value(p, k, &o, &v, &half) && v == o.v;
	default:
		return parse_register(p, &o, k);
	}
}

/* ":: name" of the second half of a dual instruction. */
static bool
parse_second(struct parser *p)
{
	struct token k = next_token(p);

	if (!token_is(k, "::"))
		return false;
	k = next_token(p);
	for (unsigned op = 0; op < 32; op++) {
		unsigned row = gcn_row_find(p->t, VOPD, op);
		if (row != GCN_N_ROW && token_is(k, gcn_rows[row].name)) {
			p->out->field[F_OPY] = op;
			return true;
		}
	}
	return false;
}

static bool
parse_rest(struct parser *p)
{
	const struct gcn_row *r = &gcn_rows[p->out->row];
	struct gcn_view o;
	struct token k;

	if (gcn_is_flat(r->format))
		p->out->field[F_SADDR] = gcn_no_saddr(p->t, r->format, false);
	if (r->format == MTBUF)
		p->out->field[F_FORMAT] = GCN_BUF_FORMAT;
	if (gcn_is_vmem(r->format))
		peek_modifiers(p);
	for (unsigned i = 0; gcn_operand_view(p->t, p->out, i, &o); i++) {
		if (o.field == F_Y_VDST) {
			if (!parse_second(p)) {
				p->why = "no second half of a dual instruction";
				return false;
			}
		} else if (i && *p->at == ',') {
			p->at++;
		} else if (i) {
			p->why = "an operand is missing";
			return false;
		}
		if (!parse_operand(p, i)) {
			p->why = "operand not understood";
			return false;
		}
	}
	for (k = next_token(p); k.len; k = next_token(p)) {
		if (!gcn_modifier_parse(p->t, p->out, k)) {
			p->why = "modifier not understood";
			return false;
		}
	}
	for (unsigned i = 0; gcn_operand_view(p->t, p->out, i, &o); i++) {
		if (o.field == F_ADDR && gcn_is_flat(r->format) && r->format != FLAT &&
		    p->vaddr != (o.kind.bank == BANK_OFF ? 0 : o.kind.n)) {
			p->why = "no such address on this target";
			return false;
		}
	}
	if (*p->at)
		p->why = "more operands than the instruction has";
	return !*p->at;
}

/* Whether the row, in some form, has this name. */
static bool
row_named(const struct gcn_target *t, const struct gcn_row *r, struct token k, bool dpp,
	  bool dpp8, unsigned *form)
{
	size_t len = strlen(r->name);
	bool e32 = len > 4 && !strcmp(r->name + len - 4, "_e32");
	bool e64 = len > 4 && !strcmp(r->name + len - 4, "_e64");
	size_t base = e32 ? len - 4 : len;

	*form = FORM_BASE;
	if (token_is(k, r->name) && !dpp)
		return true;
	if (!gcn_has_forms(r->format) || k.len < base || memcmp(k.at, r->name, base))
		return false;
	k.at += base;
	k.len -= base;
	if (token_is(k, "_sdwa") && !gcn_is_vop3(r->format)) {
		*form = FORM_SDWA;
		return true;
	}
	*form = dpp8 ? FORM_DPP8 : FORM_DPP16;
	if (gcn_is_vop3(r->format))
		return dpp && token_is(k, e64 ? "_dpp" : "_e64_dpp");
	return dpp && token_is(k, r->format == VOPC && t->gen >= G11 ? "" : "_dpp");
}

/* A modifier that tells the width of operands before it. */
static uint32_t
number_after(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? (uint32_t)strtoul(at + strlen(name), NULL, 10) & 7 : 0;
}

qd_status
gcn_parse(const struct gcn_target *t, const char *text, struct gcn_insn *out, struct qd_error *err)
{
	struct parser p = { .t = t, .at = text, .out = out, .why = "no such instruction" };
	struct token name = next_token(&p);
	const char *rest = p.at, *why;
	bool dpp8 = strstr(rest, "dpp8:["), dpp = dpp8 || strstr(rest, "row_mask:");
	unsigned form;

	for (unsigned i = 0; i < GCN_N_ROW && name.len > 4; i++) {
		const struct gcn_row *r = &gcn_rows[i];
		/* No name is shorter; most rows end here. */
		if (memcmp(r->name, name.at, 4) || !(r->has & t->class_bit) ||
		    r->op[t->gen] == GCN_NA || !row_named(t, r, name, dpp, dpp8, &form))
			continue;
		struct gcn_views ops;
		memset(out, 0, sizeof *out);
		out->row = (uint16_t)i;
		out->form = (uint8_t)form;
		out->field[F_OP] = r->op[t->gen];
		if (form)
			out->field[F_SRC0] = form == FORM_DPP16 ? 250 : form == FORM_SDWA ? 249 : 233;
		/* op_sel_hi, where nothing is written, as the assembler of the reference has it */
		if (r->format == VOP3P && !(r->mods & (M_MIXSEL | M_MATRIX)))
			gcn_set_op_sel_hi(out, 7);
		if (r->mods & M_MATRIX) {
			out->field[F_CBSZ] = number_after(rest, " cbsz:");
			out->field[F_BLGP] = number_after(rest, " blgp:");
		}
		p.at = rest;
		if (!parse_rest(&p))
			continue;
		gcn_operand_views(t, out, &ops);
		why = gcn_insn_check(t, out, &ops);
		if (!why) {
			uint32_t w[GCN_MAX_WORDS];
			int n;
			QD_TRY(gcn_words(t, out, w, &n, err));
			out->n_words = (uint8_t)n;
			return QD_OK;
		}
		p.why = why;
	}
	return qd_fail(err, QD_E_SYNTAX, "%.*s: %s on %s", (int)name.len, name.at, p.why, t->name);
}
