/* Operands as print.c writes them, back to fields: registers, constants,
 * addresses, symbols.  What was read is looked at once more through
 * gcn_operand_view, so that no register lands in a field that means another. */
#include "modifier.h"
#include "parse.h"

struct token
gcn_next_token(struct parser *p)
{
	struct token k;
	int depth = 0;

	while (*p->at == ' ' || *p->at == '\t')
		p->at++;
	k.at = p->where = p->at;
	for (; *p->at; p->at++) {
		char c = *p->at;
		if (c == '(' || c == '[')
			depth++;
		else if ((c == ')' || c == ']') && depth)
			depth--;
		else if (!depth && (c == ',' || c == ' ' || c == '\t'))
			break;
	}
	k.len = (size_t)(p->at - k.at);
	return k;
}

/* "7", "[4:7]" or "[4]" behind the letters of a file; the count must be n. */
static bool
range(struct token k, unsigned n, uint32_t *first)
{
	struct token part = k;
	uint32_t last;

	if (!token_skip(&k, "["))
		return n == 1 && token_plain(k, first);
	if (!token_strip(&k, "]"))
		return false;
	part = k;
	part.len = 0;
	while (part.len < k.len && k.at[part.len] != ':')
		part.len++;
	if (!token_plain(part, first))
		return false;
	if (part.len == k.len)
		return n == 1;
	k.at += part.len + 1;
	k.len -= part.len + 1;
	return token_plain(k, &last) && last >= *first && last - *first == n - 1;
}

/* Numbered as in views; half: 0 and 1 as .l and .h say, -1 for neither. */
static bool
vector(struct token k, unsigned n, uint32_t *v, int *half)
{
	uint32_t base = token_starts(k, "a") ? GCN_ACC : 256;

	*half = -1;
	if (!token_skip(&k, base == GCN_ACC ? "a" : "v"))
		return false;
	if (token_strip(&k, ".l"))
		*half = 0;
	else if (token_strip(&k, ".h"))
		*half = 1;
	if (!range(k, n, v) || *v > 255)
		return false;
	*v += base;
	return true;
}

/* By name: what is no register with a number. */
static bool
named_scalar(const struct gcn_target *t, struct token k, unsigned n, unsigned type, uint32_t *v)
{
	static const struct {
		uint8_t first, last;
	} named[] = { { 102, 107 }, { 124, 127 }, { 240, 248 }, { 230, 239 }, { 251, 254 } };
	char name[40];

	for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
		for (*v = named[i].first; *v <= named[i].last; ++*v) {
			if (gcn_scalar_name(t, *v, n, type, name) > 0 && token_is(k, name))
				return true;
		}
	}
	return false;
}

static bool
scalar(const struct gcn_target *t, struct token k, unsigned n, unsigned type, uint32_t *v)
{
	struct token rest = k;

	if (token_skip(&rest, "ttmp") && range(rest, n, v)) {
		*v += 108;
		return *v + n <= 124;
	}
	rest = k;
	if (token_skip(&rest, "s") && range(rest, n, v))
		return *v < t->n_sgpr && *v + n <= 106;
	/* Hexadecimal is never an inline constant but where LLVM prints it so. */
	if (type && !token_has(k, "x") && token_number(k, v) && *v + 16 <= 80) {
		*v = *v > 64 ? 192 - *v : 128 + *v;
		return true;
	}
	return named_scalar(t, k, n, type, v);
}

/* "1.5" and the like as the literal of an operand of its type; of 64 bits only
 * the upper half is in the instruction. */
static bool
float_literal(struct token k, unsigned type, uint32_t *bits)
{
	union { float f; uint32_t u; } single;
	union { double f; uint64_t u; } full;

	bool minus = token_skip(&k, "-");

	if (!token_has(k, ".") && !token_has(k, "e"))
		return false;
	if (type == T_F32 && text_read_f32(k.at, k.len, &single.f) == k.len) {
		*bits = single.u | (uint32_t)minus << 31;
		return true;
	}
	if (type == T_F64 && text_read_f64(k.at, k.len, &full.f) == k.len) {
		*bits = (uint32_t)(full.u >> 32) | (uint32_t)minus << 31;
		return !(uint32_t)full.u;
	}
	return false;
}

/* A register or constant; a literal goes to its field. */
static bool
value(struct parser *p, struct token k, const struct gcn_view *o, uint32_t *v, int *half)
{
	if (vector(k, o->kind.n, v, half) || scalar(p->t, k, o->kind.n, o->kind.type, v))
		return true;
	*v = GCN_LITERAL;
	if (token_skip(&k, "lit(") && !token_strip(&k, ")"))
		return false;
	return token_number(k, &p->out->field[F_LIT]) ||
	       float_literal(k, o->kind.type, &p->out->field[F_LIT]);
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
	bool reg = false;

	if (p->t->gen >= G10)
		f[F_SOFFSET] = p->t->gen >= G11 ? 124 : 125;
	if (scalar(p->t, k, 1, T_NONE, &v)) {
		reg = true;
		f[F_SOFFSET] = v;
		f[F_SOE] = p->t->gen < G10;
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
		k = gcn_next_token(p);
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

/* neg(x), -x, |x|, sext(x): takes them off. */
static bool
signs(struct token *k, bool *neg, bool *abs, bool *sext)
{
	bool close = token_skip(k, "neg(");

	*neg = close || (k->len > 1 && (k->at[1] < '0' || k->at[1] > '9') && token_skip(k, "-"));
	*abs = token_skip(k, "|");
	*sext = token_skip(k, "sext(");
	return (!*sext || token_strip(k, ")")) && (!*abs || token_strip(k, "|")) &&
	       (!close || token_strip(k, ")"));
}

/* One source or destination register, with its modifiers. */
static bool
parse_register(struct parser *p, unsigned i, const struct gcn_view *o, struct token k)
{
	struct gcn_insn *in = p->out;
	const struct gcn_row *r = &gcn_rows[in->row];
	bool neg = false, abs = false, sext = false;
	struct gcn_view again;
	uint32_t v, want;
	unsigned bit;
	int half;

	if ((o->src >= 0 && !signs(&k, &neg, &abs, &sext)) || !value(p, k, o, &v, &half))
		return false;
	want = v;
	if (o->kind.bank == BANK_AV || o->kind.bank == BANK_AVC) {
		enum gcn_field acc = gcn_acc_bit(r->format, o->field, &bit);
		if (!same_file(p, o, v))
			return false;
		set_bit(in, acc, bit, v >= GCN_ACC);
	}
	if (v >= GCN_ACC)
		v -= GCN_ACC - 256;
	if (half >= 0 && (o->kind.bank == BANK_VL || o->kind.bank == BANK_VSL)) {
		if (v & 128)
			return false;
		v |= half == 1 ? 128 : 0;
		want = v;
	} else if (half >= 0 && o->kind.bank != BANK_VH && o->kind.bank != BANK_VSH) {
		return false;
	} else if (half == 1) {
		set_bit(in, F_OPSEL, o->src < 0 ? 3 : (unsigned)o->src, true);
	}
	if (o->src >= 0 && gcn_has_source_modifiers(r)) {
		set_bit(in, F_NEG, (unsigned)o->src, neg);
		if (abs)
			set_bit(in, F_ABS, (unsigned)o->src, true);
	} else if (in->form == FORM_BASE || in->form == FORM_DPP8 || gcn_is_vop3(r->format)) {
		if (neg || abs || sext)
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
		in->field[F_OPSEL] |= v >> 3 & 15;
	} else if (o->field == F_SBASE) {
		in->field[F_SBASE] = v / 2;
	} else if (o->field == F_SRSRC) {
		in->field[F_SRSRC] = v / 4;
	} else if (gcn_is_source(o->field)) {
		in->field[o->field] = v;
	} else if (o->field == F_Y_VDST) {
		in->field[F_Y_VDST] = (v & 255) >> 1;
	} else {
		in->field[o->field] = v & 255;
	}
	return gcn_operand_view(p->t, in, i, &again) && again.v == want;
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
void
gcn_peek_modifiers(struct parser *p)
{
	const struct gcn_row *r = &gcn_rows[p->out->row];
	const char *at = p->at;
	unsigned n = 1;

	while (*p->at) {
		struct token k = gcn_next_token(p);
		if (k.len) {
			(void)gcn_modifier_parse(p->t, p->out, k);
		} else if (*p->at) {
			n++;
			p->at++;
		}
	}
	if (p->t->gen >= G12 && gcn_is_flat(r->format) && (r->mods & M_ATOMIC) &&
	    p->out->field[F_TH] > 3)
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

/* A number, or a word that the caller of the parser knows. */
static bool
parse_branch(struct parser *p, struct token k)
{
	uint32_t v;

	if (token_number(k, &v)) {
		p->out->field[F_SIMM] = v & 0xffff;
		return v + 0x8000 < 0x18000;
	}
	p->label = k;
	return token_is_word(k);
}

bool
gcn_operand_parse(struct parser *p, unsigned i)
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
			return parse_vaddr(p, gcn_next_token(p));
		if (kind.bank == BANK_SADDR)
			return parse_saddr(p, gcn_next_token(p), kind);
	}
	if (o.kind.bank == BANK_WAITCNT || o.kind.bank == BANK_DELAY || o.kind.bank == BANK_DEPCTR) {
		k.at = p->at;
		k.len = strlen(k.at);
		p->at += k.len;
		while (token_skip(&k, " "))
			;
		p->where = k.at;
		return gcn_symbol_parse(p->t, o.kind.bank, k, &in->field[F_SIMM]);
	}
	k = gcn_next_token(p);
	switch (o.kind.bank) {
	case BANK_OFF:
		return token_is(k, "off");
	case BANK_ENDPGM:
		return !k.len || token_number(k, &in->field[F_SIMM]);
	case BANK_BRANCH:
		return parse_branch(p, k);
	case BANK_HEX16:
	case BANK_DEC16:
		if (!token_number(k, &v) || v + 0x8000 >= 0x18000)
			return false;
		in->field[o.field] = v & 0xffff;
		return true;
	case BANK_OFFSET24:
		if (!token_number(k, &v) || v + 0x800000 > 0xffffff)
			return false;
		in->field[F_OFFSET] = v & 0xffffff;
		return true;
	case BANK_LIT32:
	case BANK_LIT16:
		return token_number(k, &in->field[F_LIT]) ||
		       float_literal(k, T_F32, &in->field[F_LIT]);
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
		return parse_register(p, i, &o, k);
	}
}

