/* Parses operands as print.c writes them: registers, constants, addresses, symbols. After
 * setting a field, the parser views the operand with gcn_operand_view to verify that the field
 * denotes the register in the text. */
#include "constant.h"
#include "modifier.h"
#include "parse.h"

void
gcn_skip_blanks(struct parser *p)
{
	while (*p->at == ' ' || *p->at == '\t')
		p->at++;
}

struct token
gcn_next_token(struct parser *p)
{
	struct token k;
	int depth = 0;

	gcn_skip_blanks(p);
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

/* Parses "7", "[4:7]" or "[4]", which follows a register file's name; the count must be n. */
static bool
range(struct token k, unsigned n, uint32_t *first)
{
	struct token part;
	uint32_t last;

	if (!token_skip(&k, "["))
		return n == 1 && token_plain(k, first);
	if (!token_strip(&k, "]"))
		return false;
	part = token_until(&k, ":");
	if (!token_plain(part, first))
		return false;
	if (!k.len)
		return n == 1;
	token_drop(&k, 1);
	return token_plain(k, &last) && last >= *first && last - *first == n - 1;
}

/* Parses a vector register, numbered as in views; *half is 0 for .l, 1 for .h, else -1. */
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
	if (!range(k, n, v) || *v > 255 || (*half >= 0 && base == GCN_ACC))
		return false;
	*v += base;
	return true;
}

static bool
scalar(const struct gcn_target *t, struct token k, unsigned n, uint32_t *v)
{
	struct token rest = k;

	if (token_skip(&rest, "s") && range(rest, n, v))
		return *v < t->n_sgpr && *v + n <= 106;
	rest = k;
	if (token_skip(&rest, "ttmp") && range(rest, n, v)) {
		*v += 108;
		return *v + n <= 124;
	}
	return k.len && gcn_scalar_find(t, k.at, k.len, n, v);
}

/* Sets the literal; returns false if the instruction already has a different one. */
static bool
set_literal(struct parser *p, const uint32_t word[2])
{
	uint32_t *f = p->out->field;

	if (p->has_literal && (f[GCN_F_LIT] != word[0] || f[GCN_F_LIT_HI] != word[1]))
		return false;
	p->has_literal = true;
	f[GCN_F_LIT] = word[0];
	f[GCN_F_LIT_HI] = word[1];
	return true;
}

/* Parses a register or a constant; sets the literal if the constant needs one. */
static bool
value(struct parser *p, struct token k, const struct gcn_view *o, uint32_t *v, int *half)
{
	const struct gcn_row *r = &gcn_rows[p->out->row];
	bool wide = p->t->gen == GCN_G125 && !gcn_is_vop3(r->format);
	struct number n;
	uint32_t word[2] = { 0, 0 };

	*half = -1;
	if (!k.len)
		return false;
	if (!token_is_numeric(*k.at) &&
	    (vector(k, o->kind.n, v, half) || scalar(p->t, k, o->kind.n, v)))
		return true;
	if (!gcn_number_read(k, &n))
		return false;
	*v = gcn_number_code(&n, gcn_number_type(p->t, r, o->kind.type), wide, word);
	return *v == GCN_LITERAL || *v == GCN_LITERAL64 ? set_literal(p, word) : *v != 0;
}

static void
set_bit(struct gcn_insn *in, unsigned field, unsigned bit, bool on)
{
	if (on)
		in->field[field] |= 1u << bit;
}

/* Parses an immediate offset, a signed number of 21 bits, or 24 on gfx12. */
static bool
parse_smem_number(struct parser *p, struct token k)
{
	int64_t top = p->t->gen >= GCN_G12 ? 0x800000 : 0x100000, v;

	p->out->field[GCN_F_IMM] = p->t->gen < GCN_G10;
	if (!token_between(k, -top, top - 1, &v))
		return false;
	p->out->field[GCN_F_OFFSET] = (uint32_t)(v & (2 * top - 1));
	return true;
}

static bool
parse_smem_offset(struct parser *p, struct token k)
{
	uint32_t *f = p->out->field, v;

	if (p->t->gen >= GCN_G10)
		f[GCN_F_SOFFSET] = gcn_null_of(p->t);
	if (!scalar(p->t, k, 1, &v))
		return parse_smem_number(p, k);
	if (v > 127)
		return false; /* not a register */
	f[GCN_F_SOFFSET] = v;
	f[GCN_F_SOE] = p->t->gen < GCN_G10;
	gcn_skip_blanks(p);
	if (!strncmp(p->at, "offset:", 7)) {
		k = gcn_next_token(p);
		token_skip(&k, "offset:");
		return parse_smem_number(p, k);
	}
	if (p->t->gen < GCN_G10) {
		f[GCN_F_SOE] = 0;
		f[GCN_F_OFFSET] = f[GCN_F_SOFFSET];
		f[GCN_F_SOFFSET] = 0;
	}
	return true;
}

/* Returns whether all earlier operands with the same GCN_F_ACC bit use the same register file. */
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

/* Removes the source modifiers neg(x), -x, |x| and sext(x). */
static bool
signs(struct token *k, bool *neg, bool *abs, bool *sext)
{
	bool close = token_skip(k, "neg(");

	*neg = close || (k->len > 1 && !token_is_numeric(k->at[1]) && token_skip(k, "-"));
	*abs = token_skip(k, "|");
	*sext = token_skip(k, "sext(");
	return (!*sext || token_strip(k, ")")) && (!*abs || token_strip(k, "|")) &&
	       (!close || token_strip(k, ")"));
}

/* Checks .l and .h: either all 16-bit registers of the instruction have them, or none has; an
 * operand of 32 bits has none. */
static bool
fits_half(struct parser *p, const struct gcn_view *o, uint32_t v, int half)
{
	if (v < 256)
		return true;
	switch (o->kind.bank) {
	case BANK_VL:
	case BANK_VSL:
		if (v & 128)
			return false;
		break;
	case BANK_VH:
	case BANK_VSH:
		break;
	default:
		return half < 0;
	}
	if (half < 0 && (gcn_row_mods(&gcn_rows[p->out->row]) & M_HALVES))
		return false;
	p->halves |= half < 0 ? 1 : 2;
	p->half_places |= 1u << (o->src < 0 ? 3 : o->src);
	return p->halves != 3;
}

/* Returns whether the first source must be a vector register even in SDWA: v_movrels. */
static bool
only_vectors(const struct gcn_row *r)
{
	const struct gcn_shape *s = &gcn_shapes[r->shape];

	for (unsigned i = 0; i < s->n_op; i++) {
		if (s->op[i].field == GCN_F_SRC0)
			return gcn_kinds[s->op[i].kind].bank == BANK_V;
	}
	return false;
}

/* Parses a source or destination register with its modifiers. */
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
	if (!fits_half(p, o, v, half))
		return false;
	if (v >= GCN_ACC)
		v -= GCN_ACC - 256;
	if (half == 1 && (o->kind.bank == BANK_VL || o->kind.bank == BANK_VSL)) {
		v |= 128;
		want = v;
	} else if (half == 1) {
		set_bit(in, GCN_F_OPSEL, o->src < 0 ? 3 : (unsigned)o->src, true);
	}
	if (o->src >= 0 && r->format == GCN_VOPD3) {
		if (sext || abs)
			return false;
		set_bit(in, gcn_is_second(o->field) ? GCN_F_Y_NEG : GCN_F_NEG, (unsigned)o->src, neg);
	} else if (o->src >= 0 && gcn_has_source_modifiers(r)) {
		/* a lane mask uses the bits of abs; interpolation has only neg, from gfx11 on */
		if (sext || ((neg || abs) && (gcn_row_mods(r) & M_BITOP3)) ||
		    (abs && ((gcn_row_mods(r) & M_VOP3B) || r->format == GCN_VINTERP)) ||
		    (neg && r->format == GCN_VINTERP && p->t->gen < GCN_G11))
			return false;
		set_bit(in, GCN_F_NEG, (unsigned)o->src, neg);
		set_bit(in, GCN_F_ABS, (unsigned)o->src, abs);
	} else if (in->form == GCN_FORM_BASE || in->form == GCN_FORM_DPP8 ||
		   gcn_is_vop3(r->format)) {
		if (neg || abs || sext)
			return false;
	} else if (o->src >= 0) {
		/* the hardware ignores neg and abs of integers */
		if ((neg || abs) && (gcn_row_mods(r) & (o->src ? M_INT1 : M_INT0)))
			return false;
		if (sext && (in->form != GCN_FORM_SDWA || (gcn_row_mods(r) & M_WHOLE)))
			return false;
		in->field[o->src ? GCN_F_X_NEG1 : GCN_F_X_NEG0] = neg;
		in->field[o->src ? GCN_F_X_ABS1 : GCN_F_X_ABS0] = abs;
		in->field[o->src ? GCN_F_SEXT1 : GCN_F_SEXT0] = sext;
	}
	if (in->form == GCN_FORM_SDWA && o->src == 0 && v < 256 && only_vectors(r))
		return false;
	if (in->form == GCN_FORM_SDWA && o->src >= 0)
		in->field[o->src ? GCN_F_S1 : GCN_F_S0] = v < 256;
	if (in->form && o->src == 0) {
		in->field[GCN_F_X_SRC0] = v & 255;
	} else if (o->field == GCN_F_SDST && (gcn_row_mods(r) & M_VOP3B)) {
		in->field[GCN_F_ABS] |= v & 7;
		in->field[GCN_F_OPSEL] |= v >> 3 & 15;
	} else if (o->field == GCN_F_SBASE) {
		in->field[GCN_F_SBASE] = v / 2;
	} else if (o->field == GCN_F_SRSRC) {
		in->field[GCN_F_SRSRC] = v / 4;
	} else if (gcn_is_source(o->field)) {
		in->field[o->field] = v;
	} else if (o->field == GCN_F_Y_VDST && r->format == GCN_VOPD) {
		in->field[GCN_F_Y_VDST] = (v & 255) >> 1;
	} else {
		in->field[o->field] = v & 255;
	}
	return gcn_operand_view(p->t, in, i, &again) && again.v == want;
}

/* Parses the vector part of an address. Its width is checked after the scalar part is parsed. */
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
	in->field[GCN_F_ADDR] = v & 255;
	in->field[GCN_F_SVE] =
		p->vaddr && gcn_rows[in->row].format == GCN_SCRATCH && gcn_has_sve(p->t);
	return true;
}

static bool
parse_saddr(struct parser *p, struct token k, struct gcn_kind kind)
{
	struct gcn_insn *in = p->out;
	struct gcn_view o = { .kind = kind };
	unsigned format = gcn_rows[in->row].format;
	uint32_t none = gcn_no_saddr(p->t, format, !p->vaddr), v;
	int half;

	in->field[GCN_F_SADDR] = none;
	if (token_is(k, "off"))
		return true;
	/* The text may not name the number that means no address, except null of scratch. */
	if (!value(p, k, &o, &v, &half) || v >= 127 || (v == none && format != GCN_SCRATCH))
		return false;
	in->field[GCN_F_SADDR] = v;
	return true;
}

/* The name of a cascading atomic's hint does not contain the return bit; the number of operands
 * determines it. */
void
gcn_peek_modifiers(struct parser *p)
{
	const struct gcn_row *r = &gcn_rows[p->out->row];
	const char *at = p->at;
	unsigned n = 1, n_vector = 0;

	while (*p->at) {
		struct token k = gcn_next_token(p);
		n_vector += k.len > 1 && k.at[0] == 'v' && (k.at[1] == '[' || token_is_numeric(k.at[1]));
		if (k.len) {
			(void)gcn_modifier_parse(p->t, p->out, k, NULL);
		} else if (*p->at) {
			n++;
			p->at++;
		}
	}
	if (p->t->gen >= GCN_G12 && gcn_is_flat(r->format) && (gcn_row_mods(r) & M_ATOMIC) &&
	    p->out->field[GCN_F_TH] > 3)
		p->out->field[GCN_F_TH] |= (r->format == GCN_FLAT ? n_vector : n) == gcn_shapes[r->shape].n_op;
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
	if (!token_plain(k, v) || *v > 63)
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

/* Parses a branch target: a number, or a label that the caller resolves. */
static bool
parse_branch(struct parser *p, struct token k)
{
	int64_t v;

	if (token_between(k, INT16_MIN, UINT16_MAX, &v)) {
		p->out->field[GCN_F_SIMM] = (uint32_t)(v & 0xffff);
		return true;
	}
	p->label = k;
	return token_is_word(k);
}

/* Parses the format of a typed buffer instruction in an older syntax, before the last operand
 * with an optional comma: dfmt and nfmt on gfx9, format on later generations. */
static bool
parse_format_before(struct parser *p)
{
	static const struct {
		const char *name;
		uint8_t lo, width;
	} part[] = { { "dfmt:", 0, 4 }, { "nfmt:", 4, 3 }, { "format:", 0, 7 } };
	unsigned first = p->t->gen < GCN_G10 ? 0 : 2, last = p->t->gen < GCN_G10 ? 1 : 2, seen = 0;
	uint32_t *f = &p->out->field[GCN_F_FORMAT], v;

	for (;;) {
		const char *at = p->at;
		struct token k = gcn_next_token(p);
		unsigned i = first;
		while (i <= last && !token_skip(&k, part[i].name))
			i++;
		if (i > last) {
			p->at = at;
			return true;
		}
		if ((seen >> i & 1) || !token_number(k, &v) || v >> part[i].width)
			return false;
		seen |= 1u << i;
		p->has_format = true;
		*f = (*f & ~(((1u << part[i].width) - 1) << part[i].lo)) | v << part[i].lo;
		gcn_skip_blanks(p);
		p->at += *p->at == ',';
	}
}

bool
gcn_operand_parse(struct parser *p, unsigned i, struct gcn_view o)
{
	struct gcn_insn *in = p->out;
	struct token k;
	uint32_t v;
	int half;

	const struct gcn_row *r = &gcn_rows[in->row];
	struct gcn_kind kind;
	uint32_t word[2] = { 0, 0 };
	struct number n;
	int64_t whole;

	if (o.field == GCN_F_SADDR && r->format == GCN_FLAT)
		return parse_saddr(p, gcn_next_token(p), o.kind);
	if (gcn_is_flat(r->format)) {
		kind = gcn_kinds[gcn_shapes[r->shape].op[i + gcn_memory_hidden(p->t, in)].kind];
		if (kind.bank == BANK_VADDR)
			return parse_vaddr(p, gcn_next_token(p));
		if (o.field == GCN_F_ADDR && p->t->gen == GCN_G125) {
			if (!parse_vaddr(p, gcn_next_token(p)))
				return false;
			/* a scalar part follows */
			in->field[GCN_F_SADDR] = p->vaddr == 1 ? 0 : gcn_no_saddr(p->t, GCN_FLAT, false);
			return p->vaddr != 0;
		}
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
		return gcn_symbol_parse(p->t, o.kind.bank, k, &in->field[GCN_F_SIMM]);
	}
	if (o.field == GCN_F_SOFFSET && r->format == GCN_MTBUF && !parse_format_before(p))
		return false;
	k = gcn_next_token(p);
	switch (o.kind.bank) {
	case BANK_OFF:
		return token_is(k, "off");
	case BANK_ENDPGM:
		return !k.len || token_number(k, &in->field[GCN_F_SIMM]);
	case BANK_BRANCH:
		return parse_branch(p, k);
	case BANK_HEX16:
	case BANK_DEC16:
		if (!token_between(k, o.kind.flags & R_UNSIGNED ? 0 : INT16_MIN, UINT16_MAX, &whole))
			return false;
		in->field[o.field] = (uint32_t)(whole & 0xffff);
		return true;
	case BANK_OFFSET24:
		if (!token_between(k, -0x800000, 0x7fffff, &whole))
			return false;
		in->field[GCN_F_OFFSET] = (uint32_t)(whole & 0xffffff);
		return true;
	case BANK_LIT64:
	case BANK_LIT32:
	case BANK_LIT16:
		return gcn_number_read(k, &n) && !n.literal &&
		       !(n.is_real && r->format == GCN_SOPK) &&
		       gcn_number_word(&n, o.kind.bank == BANK_LIT16   ? 16 :
					   o.kind.bank == BANK_LIT64 ? 64 : 32, word) &&
		       set_literal(p, word);
	case BANK_SENDMSG:
	case BANK_MSGRTN:
	case BANK_GPRIDX:
	case BANK_HWREG:
	case BANK_VERSION:
		return gcn_symbol_parse(p->t, o.kind.bank, k, &in->field[o.field]);
	case BANK_ATTR:
		if (!parse_attribute(k, &v))
			return false;
		in->field[o.field] = o.field == GCN_F_SRC0 ? v >> 2 | (v & 3) << 6 : v;
		return true;
	case BANK_PARAM:
		return parse_param(k, &in->field[o.field]);
	case BANK_SMEMOFF:
		return parse_smem_offset(p, k);
	case BANK_VCC:
		if (!value(p, k, &o, &v, &half))
			return false;
		if (in->form == GCN_FORM_SDWA && v != 106 && i == 0) {
			in->field[GCN_F_SD] = 1;
			in->field[GCN_F_X_SDST] = v;
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

