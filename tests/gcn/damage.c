/* Damages the text of an instruction: splits it into mnemonic, operands and modifiers, changes one
 * of them, and joins them again. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "damage.h"

enum { MAX_PARTS = 24, PART = 96 };

const char *const damage_name[N_DAMAGE] = {
	"none",
#define DAMAGE(name) #name,
#include "damage.def"
};

struct parts {
	char name[PART];
	unsigned n_ops, n_mods;
	char op[MAX_PARTS][PART], mod[MAX_PARTS][PART];
};

static const char *const registers[] = {
	"v0", "v5", "v127", "v128", "v255", "v256", "v[2:3]", "v[3:4]", "v[4:7]", "v[254:255]", "v[255:256]",
	"v[0:2]", "v[0:7]", "v5.l", "v5.h", "v127.h", "v128.l", "v200.h", "a0", "a255", "a[2:3]", "a[0:3]",
	"s0", "s4", "s5", "s101", "s102", "s104", "s105", "s106", "s[4:5]", "s[5:6]", "s[4:7]", "s[8:15]",
	"s[100:103]", "s[104:105]", "vcc", "vcc_lo", "vcc_hi", "exec", "exec_lo", "exec_hi", "m0", "null", "off",
	"scc", "src_scc", "src_vccz", "src_execz", "src_shared_base", "src_private_limit",
	"src_pops_exiting_wave_id", "shared_base", "vccz", "execz", "src_lds_direct", "lds_direct", "ttmp4",
	"ttmp[4:5]", "ttmp[4:7]", "ttmp15", "ttmp16", "flat_scratch", "flat_scratch_lo", "xnack_mask",
	"xnack_mask_lo", "attr0.x", "attr33.w", "attr3", "p10", "tba", "tma_lo", "src_flat_scratch_base_lo",
};
static const char *const constants[] = {
	"0", "1", "-1", "16", "64", "65", "-16", "-17", "127", "128", "255", "256", "1023", "4095", "4096",
	"65535", "65536", "-32768", "-32769", "0x0", "0x1", "0x40", "0x41", "0xff", "0x100", "0xfff",
	"0x1000", "0x3800", "0x3c00", "0xbc00", "0x3118", "0x3f80", "0x7fff", "0x8000", "0xffff", "0x10000",
	"0x12345", "0xfffff", "0x100000", "0x1fffff", "0x200000", "-0x100000", "-0x100001", "0x7fffff",
	"0x800000", "-0x800000", "0xffffff", "0x12345678", "0x3f800000", "0xbf800000", "0x3e22f983", "0x3c003c00",
	"0x7fffffff", "0x80000000", "0xffffffff", "0xfffffff0", "0xffffffc0", "-0x80000000", "-0x80000001",
	"0x100000000", "0xdeadbeef00", "0x3ff0000000000000", "0x3fe0000000000000", "0xffffffffffffffff",
	"0xfffffffffffffff0", "0x1234567800000000", "0x10000000000000000", "4294967295", "4294967296",
	"-2147483648", "-2147483649", "0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0", "0.0", "-0.0",
	"0.15915494", "0.15915494309189532", "0.1", "1.5", "-1.5", "3.25", ".5", "5.", "1e0", "1.0e5",
	"1e-3", "65504.0", "65536.0", "1.0e40", "1e400", "1e-50", "0x1p3", "0x1.8p0", "lit(0x5)", "lit(5)",
	"lit(1.5)", "lit(0x12345678)", "lit64(0x5)", "1.0f", "inf", "nan", "017", "08", "0b101", "-0x1", "-0x10", "+1",
};
static const char *const modifiers[] = {
	"clamp", "mul:2", "mul:4", "div:2", "mul:1", "mul:3", "div:4", "omod:1", "noclamp", "op_sel:[0,0]", "op_sel:[1,0]", "op_sel:[0,1]",
	"op_sel:[0,0,1]", "op_sel:[1,0,0]", "op_sel:[0,0,0,1]", "op_sel_hi:[1,1]", "op_sel_hi:[0,0]",
	"op_sel_hi:[1,0,1]", "op_sel_hi:[0]", "neg_lo:[1,0]", "neg_lo:[0,0,1]", "neg_hi:[1,0]", "neg_hi:[1,1,0]",
	"neg_lo:[0,1,0]", "quad_perm:[0,1,2,3]", "quad_perm:[3,3,3,4]", "row_shl:1", "row_shl:0", "row_shl:15",
	"row_shl:16", "row_shr:3", "row_ror:12", "wave_shl:1", "wave_shl:2", "wave_ror:1", "row_mirror",
	"row_half_mirror", "row_bcast:15", "row_bcast:31", "row_bcast:1", "row_share:3", "row_xmask:7",
	"row_newbcast:3", "row_mask:0xf", "row_mask:0x0", "row_mask:3", "row_mask:0x10", "bank_mask:0xf",
	"bank_mask:0x5", "bound_ctrl:0", "bound_ctrl:1", "bound_ctrl:2", "bound_ctrl", "fi:0", "fi:1", "fi:2",
	"dpp8:[7,6,5,4,3,2,1,0]", "dpp8:[0,0,0,0,0,0,0,0]", "dpp8:[0,1,2,3,4,5,6,8]", "dst_sel:DWORD",
	"dst_sel:BYTE_0", "dst_sel:WORD_1", "dst_sel:BYTE_4", "dst_unused:UNUSED_PAD", "dst_unused:UNUSED_SEXT",
	"dst_unused:UNUSED_PRESERVE", "src0_sel:DWORD", "src0_sel:BYTE_3", "src0_sel:WORD_0", "src1_sel:DWORD",
	"src1_sel:BYTE_2", "offset:0", "offset:1", "offset:16", "offset:-1", "offset:4095", "offset:4096",
	"offset:65535", "offset:65536", "offset:2047", "offset:2048", "offset:-2048", "offset:-4096",
	"offset:0x10", "offset:0x7fffff", "offset:0x800000", "offset0:1", "offset0:255", "offset0:256",
	"offset1:3", "offset1:0", "offset:swizzle(SWAP,1)", "offset:swizzle(SWAP,0)", "offset:swizzle(SWAP,3)",
	"offset:swizzle(REVERSE,3)", "offset:swizzle(REVERSE,8)", "offset:swizzle(BROADCAST,1,0)",
	"offset:swizzle(BROADCAST,8,7)", "offset:swizzle(BROADCAST,8,8)", "offset:swizzle(QUAD_PERM,0,1,2,3)",
	"offset:swizzle(QUAD_PERM,0,1,2,4)", "offset:swizzle(BITMASK_PERM,\"01pip\")",
	"offset:swizzle(BITMASK_PERM,\"01pi\")", "offset:swizzle(BITMASK_PERM,\"01pix\")",
	"offset:swizzle(FFT,31)", "offset:swizzle(FFT,32)", "offset:swizzle(ROTATE,1,5)", "offset:swizzle(ROTATE,2,5)",
	"gds", "glc", "slc", "dlc", "scc", "nv", "sc0", "sc1", "nt", "noglc", "nonv", "nogds", "nogl", "lds", "tfe",
	"offen", "idxen", "nooffen", "notfe", "addr64", "lwe", "unorm", "da", "r128", "a16", "d16", "dmask:0xf",
	"th:TH_LOAD_NT", "th:TH_LOAD_RT", "th:TH_LOAD_HT", "th:TH_LOAD_BYPASS", "th:TH_LOAD_LU", "th:TH_STORE_NT",
	"th:TH_STORE_RT", "th:TH_STORE_WB", "th:TH_STORE_RT_WB", "th:TH_STORE_BYPASS", "th:TH_ATOMIC_RETURN",
	"th:TH_ATOMIC_RT", "th:TH_ATOMIC_NT", "th:TH_ATOMIC_CASCADE_RT", "th:TH_ATOMIC_CASCADE_NT", "th:TH_DEFAULT",
	"th:1", "th:0x7", "th:8", "th:TH_BYPASS", "scope:SCOPE_CU", "scope:SCOPE_SE", "scope:SCOPE_DEV",
	"scope:SCOPE_SYS", "scope:3", "scope:4", "scale_offset", "format:1", "format:22", "format:127", "format:128",
	"format:[BUF_DATA_FORMAT_32]", "format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_FLOAT]",
	"format:[BUF_NUM_FORMAT_FLOAT,BUF_DATA_FORMAT_32]", "format:[BUF_NUM_FORMAT_FLOAT]",
	"format:[BUF_FMT_32_FLOAT]", "format:[BUF_FMT_8_UNORM]", "format:[BUF_FMT_32_FLOAT,BUF_FMT_32_FLOAT]",
	"format:BUF_FMT_32_FLOAT", "dfmt:4", "nfmt:7", "dfmt:4, nfmt:7", "cbsz:1", "cbsz:7", "cbsz:8", "abid:3",
	"abid:16", "blgp:1", "blgp:7", "blgp:8", "neg:[1,0,0]", "neg:[1,1]", "index_key:0", "index_key:1",
	"index_key:3", "index_key:4", "byte_sel:1", "byte_sel:3", "byte_sel:4", "bitop3:0", "bitop3:5",
	"bitop3:0xff", "bitop3:256", "wait_exp:0", "wait_exp:7", "wait_exp:8", "wait_vdst:15", "wait_va_vdst:3",
	"wait_vm_vsrc:1", "high", "matrix_a_reuse",
};
#define PICK(d, list) ((list)[dice_below(d, sizeof (list) / sizeof *(list))])

/* -- Splitting and joining ------------------------------------------------------- */

static bool
add(char list[MAX_PARTS][PART], unsigned *n, const char *at, size_t len)
{
	while (len && at[len - 1] == ' ')
		len--;
	if (*n == MAX_PARTS || len >= PART)
		return false;
	memcpy(list[*n], at, len);
	list[(*n)++][len] = '\0';
	return true;
}

/* Returns the end of a word: the first of the characters `any` outside brackets. */
static const char *
end_of(const char *p, const char *any)
{
	for (int depth = 0; *p; p++) {
		if (*p == '(' || *p == '[')
			depth++;
		else if ((*p == ')' || *p == ']') && depth)
			depth--;
		else if (!depth && strchr(any, *p))
			break;
	}
	return p;
}

static bool
apart(const char *text, struct parts *x)
{
	const char *p = text + strcspn(text, " "), *e;
	size_t len = (size_t)(p - text);

	memset(x, 0, sizeof *x);
	if (len >= PART)
		return false;
	memcpy(x->name, text, len);
	while (*p == ' ')
		p++;
	while (*p) {
		e = end_of(p, ",");
		if (!*e)
			break;
		if (!add(x->op, &x->n_ops, p, (size_t)(e - p)))
			return false;
		for (p = e + 1; *p == ' '; p++)
			;
	}
	if (*p) {
		/* the second half of a dual instruction stays with its operand */
		e = strstr(p, " :: ") ? p + strlen(p) : end_of(p, " ");
		if (!add(x->op, &x->n_ops, p, (size_t)(e - p)))
			return false;
		for (p = e; *p; p = e) {
			while (*p == ' ')
				p++;
			e = end_of(p, " ");
			if (*p && !add(x->mod, &x->n_mods, p, (size_t)(e - p)))
				return false;
		}
	}
	return true;
}

static void
together(const struct parts *x, char out[DAMAGE_TEXT])
{
	size_t n = (size_t)snprintf(out, DAMAGE_TEXT, "%s", x->name);

	for (unsigned i = 0; i < x->n_ops && n < DAMAGE_TEXT; i++)
		n += (size_t)snprintf(out + n, DAMAGE_TEXT - n, i ? ", %s" : " %s", x->op[i]);
	for (unsigned i = 0; i < x->n_mods && n < DAMAGE_TEXT; i++)
		n += (size_t)snprintf(out + n, DAMAGE_TEXT - n, " %s", x->mod[i]);
}

static void
put(char part[PART], const char *text)
{
	char copy[PART];

	snprintf(copy, PART, "%s", text);
	memcpy(part, copy, PART);
}

/* -- Parts ----------------------------------------------------------------------- */

static void
insert(char list[MAX_PARTS][PART], unsigned *n, unsigned at, const char *text)
{
	char copy[PART];

	snprintf(copy, PART, "%s", text);
	memmove(list[at + 1], list[at], (*n - at) * (size_t)PART);
	memcpy(list[at], copy, PART);
	++*n;
}

static void
take_out(char list[MAX_PARTS][PART], unsigned *n, unsigned at)
{
	memmove(list[at], list[at + 1], (*n - at - 1) * (size_t)PART);
	--*n;
}

static void
misspell(struct dice *d, char *text)
{
	size_t len = strlen(text), at = dice_below(d, (uint32_t)len);

	switch (dice_below(d, 3)) {
	case 0:
		memmove(text + at, text + at + 1, len - at);
		break;
	case 1:
		text[at] = (char)('a' + dice_below(d, 26));
		break;
	default:
		if (at + 1 < len) {
			char c = text[at];
			text[at] = text[at + 1];
			text[at + 1] = c;
		}
		break;
	}
}

/* A numbered register as an operand: its file, first and last number. */
struct reg {
	char file[8], half[4];
	unsigned first, last;
	bool range;
};

static bool
read_register(const char *op, struct reg *r)
{
	int n = 0;

	memset(r, 0, sizeof *r);
	if (sscanf(op, "%7[a-z][%u:%u]%n", r->file, &r->first, &r->last, &n) == 3 && !op[n]) {
		r->range = true;
	} else {
		n = 0;
		if (sscanf(op, "%7[a-z]%u%n", r->file, &r->first, &n) != 2 || !n)
			return false;
		snprintf(r->half, sizeof r->half, "%s", op[n] == '.' ? op + n : "");
		if (op[n] && op[n] != '.')
			return false;
		r->last = r->first;
	}
	return !strcmp(r->file, "v") || !strcmp(r->file, "s") || !strcmp(r->file, "a") ||
	       !strcmp(r->file, "ttmp");
}

static void
write_register(const struct reg *r, char out[PART])
{
	if (r->last == r->first && !r->range)
		snprintf(out, PART, "%s%u%s", r->file, r->first, r->half);
	else
		snprintf(out, PART, "%s[%u:%u]%s", r->file, r->first, r->last, r->half);
}

static bool
damage_register(struct dice *d, enum damage kind, char op[PART])
{
	static const char *const file[] = { "v", "s", "a", "ttmp" };
	static const unsigned first[] = { 0, 1, 2, 3, 4, 100, 101, 102, 104, 105, 106, 127, 128, 252, 254,
					  255, 256, 257, 4000 };
	static const uint8_t width[] = { 1, 1, 2, 2, 3, 4, 5, 6, 8, 16, 32, 0 };
	struct reg r;

	if (!read_register(op, &r))
		return false;
	switch (kind) {
	case DAMAGE_register_file:
		snprintf(r.file, sizeof r.file, "%s", PICK(d, file));
		r.half[0] = '\0';
		break;
	case DAMAGE_register_width:
		r.last = r.first + PICK(d, width) - 1;
		r.range = r.last != r.first;
		break;
	case DAMAGE_register_number:
		r.last -= r.first;
		r.first = PICK(d, first);
		r.last += r.first;
		break;
	case DAMAGE_register_half:
		snprintf(r.half, sizeof r.half, "%s", r.half[0] ? dice_below(d, 2) ? "" : r.half[1] == 'l' ? ".h" : ".l"
					       : dice_below(d, 2) ? ".l" : ".h");
		break;
	default:
		if (r.last == r.first) {
			switch (dice_below(d, 3)) {
			case 0:
				snprintf(op, PART, "%s[%u]%s", r.file, r.first, r.half);
				return true;
			case 1:
				snprintf(op, PART, "%s[%u:%u]%s", r.file, r.first, r.first, r.half);
				return true;
			default:
				snprintf(op, PART, "[%s%u]", r.file, r.first);
				return true;
			}
		}
		op[0] = '\0';
		if (r.last - r.first > 4) {
			snprintf(op, PART, "%s[%u: %u]", r.file, r.first, r.last);
			return true;
		}
		for (unsigned i = r.first; i <= r.last; i++)
			snprintf(op + strlen(op), PART - strlen(op), "%s%s%u", i == r.first ? "[" : ",", r.file, i);
		strcat(op, "]");
		return true;
	}
	write_register(&r, op);
	return true;
}

/* Returns a random number in the text, with its length in *len, or NULL. */
static char *
find_number(struct dice *d, char *text, size_t *len)
{
	char *found[64];
	size_t length[64];
	unsigned n = 0, i;

	for (char *p = text + strcspn(text, " "); *p && n < 64;) {
		size_t k = strspn(p, "0123456789");
		if (k == 1 && *p == '0' && p[1] == 'x')
			k = 2 + strspn(p + 2, "0123456789abcdef");
		if (k) {
			found[n] = p;
			length[n++] = k;
		}
		p += k ? k : 1;
	}
	if (!n)
		return NULL;
	i = dice_below(d, n);
	*len = length[i];
	return found[i];
}

static void
replace(char *text, char *at, size_t len, const char *with)
{
	char rest[DAMAGE_TEXT];

	snprintf(rest, sizeof rest, "%s", at + len);
	snprintf(at, DAMAGE_TEXT - (size_t)(at - text), "%s%s", with, rest);
}

static bool
damage_number(struct dice *d, enum damage kind, char out[DAMAGE_TEXT])
{
	static const unsigned edge[] = { 0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 255, 256, 4095, 4096, 65535, 65536 };
	static const int by[] = { -1, 1, 2, 16, -16 };
	size_t len = 0;
	char *at = find_number(d, out, &len), with[40];
	unsigned long v;
	bool hex;

	if (!at)
		return false;
	v = strtoul(at, NULL, 0);
	hex = len > 2 && at[1] == 'x';
	switch (kind) {
	case DAMAGE_number_moved:
		snprintf(with, sizeof with, hex ? "0x%lx" : "%ld", v + (unsigned long)(long)PICK(d, by));
		break;
	case DAMAGE_number_edge:
		snprintf(with, sizeof with, "%s%u", dice_below(d, 4) ? "" : "-", PICK(d, edge));
		break;
	default:
		switch (dice_below(d, 4)) {
		case 0:
			snprintf(with, sizeof with, hex ? "%lu" : "0x%lx", v);
			break;
		case 1:
			snprintf(with, sizeof with, "0%lu", v);
			break;
		case 2:
			snprintf(with, sizeof with, "0X%lX", v);
			break;
		default:
			snprintf(with, sizeof with, "%lu.0", v);
			break;
		}
		break;
	}
	replace(out, at, len, with);
	return true;
}

static bool
damage_list(struct dice *d, bool longer, struct parts *x)
{
	for (unsigned i = 0; i < x->n_mods; i++) {
		char *open = strchr(x->mod[i], '['), *close, *comma;
		if (!open || !(close = strchr(open, ']')))
			continue;
		comma = strrchr(open, ',');
		if (longer && strlen(x->mod[i]) + 3 < PART)
			memcpy(close, dice_below(d, 2) ? ",0]" : ",1]", 4);
		else if (!longer && comma)
			memcpy(comma, "]", 2);
		else
			continue;
		return true;
	}
	return false;
}

static bool
wrap(struct dice *d, char op[PART])
{
	static const char *const form[] = { "-%s", "|%s|", "-|%s|", "abs(%s)", "neg(%s)", "sext(%s)", "-sext(%s)",
					    "neg(abs(%s))", "neg(|%s|)", "lit(%s)", "- %s", "| %s |", "--%s", "|-%s|", "(%s)", "sext(-%s)" };
	const char *f, *hole;
	char copy[PART];

	snprintf(copy, sizeof copy, "%.*s", PART - 32, op);
	f = PICK(d, form);
	hole = strstr(f, "%s");
	snprintf(op, PART, "%.*s%.64s%.8s", (int)(hole - f), f, copy, hole + 2);
	return true;
}

static bool
damage_name_of(struct dice *d, enum damage kind, struct parts *x, const struct parts *y)
{
	static const char *const suffix[] = { "_e32", "_e64", "_dpp", "_sdwa", "_e64_dpp" };

	switch (kind) {
	case DAMAGE_name_suffix:
		for (size_t i = 0; i < sizeof suffix / sizeof *suffix; i++) {
			size_t n = strlen(x->name), k = strlen(suffix[i]);
			if (n > k && !strcmp(x->name + n - k, suffix[i]))
				x->name[n - k] = '\0';
		}
		if (dice_below(d, 3))
			snprintf(x->name + strlen(x->name), PART - strlen(x->name), "%s", PICK(d, suffix));
		return true;
	case DAMAGE_name_foreign:
		put(x->name, y->name);
		return true;
	default:
		misspell(d, x->name);
		return true;
	}
}

static bool
damage_operand(struct dice *d, enum damage kind, struct parts *x, const struct parts *y)
{
	unsigned i, k;

	if (!x->n_ops || x->n_ops + 1 >= MAX_PARTS)
		return false;
	i = dice_below(d, x->n_ops);
	switch (kind) {
	case DAMAGE_operand_dropped:
		take_out(x->op, &x->n_ops, i);
		return true;
	case DAMAGE_operand_doubled:
		insert(x->op, &x->n_ops, i, x->op[i]);
		return true;
	case DAMAGE_operands_swapped: {
		char t[PART];
		k = dice_below(d, x->n_ops);
		memcpy(t, x->op[i], PART);
		memcpy(x->op[i], x->op[k], PART);
		memcpy(x->op[k], t, PART);
		return i != k;
	}
	case DAMAGE_operand_other:
		put(x->op[i], dice_below(d, 2) ? PICK(d, registers) : PICK(d, constants));
		return true;
	case DAMAGE_operand_foreign:
		if (!y->n_ops)
			return false;
		put(x->op[i], y->op[dice_below(d, y->n_ops)]);
		return true;
	case DAMAGE_operand_wrapped:
		return wrap(d, x->op[i]);
	case DAMAGE_literal_other:
		for (k = 0; k < x->n_ops; k++) {
			if (strchr("0123456789-.", x->op[(i + k) % x->n_ops][0])) {
				put(x->op[(i + k) % x->n_ops], PICK(d, constants));
				return true;
			}
		}
		put(x->op[i], PICK(d, constants));
		return true;
	case DAMAGE_literal_second:
		put(x->op[i], PICK(d, constants));
		put(x->op[dice_below(d, x->n_ops)], PICK(d, constants));
		return true;
	default:
		for (k = 0; k < x->n_ops; k++) {
			if (damage_register(d, kind, x->op[(i + k) % x->n_ops]))
				return true;
		}
		return false;
	}
}

static bool
damage_modifier(struct dice *d, enum damage kind, struct parts *x, const struct parts *y)
{
	unsigned i;

	if (x->n_mods + 1 >= MAX_PARTS)
		return false;
	if (kind == DAMAGE_modifier_other) {
		insert(x->mod, &x->n_mods, dice_below(d, x->n_mods + 1), PICK(d, modifiers));
		return true;
	}
	if (kind == DAMAGE_modifier_foreign) {
		if (!y->n_mods)
			return false;
		insert(x->mod, &x->n_mods, dice_below(d, x->n_mods + 1), y->mod[dice_below(d, y->n_mods)]);
		return true;
	}
	if (!x->n_mods)
		return false;
	i = dice_below(d, x->n_mods);
	switch (kind) {
	case DAMAGE_modifier_dropped:
		take_out(x->mod, &x->n_mods, i);
		return true;
	case DAMAGE_modifier_repeated:
		insert(x->mod, &x->n_mods, dice_below(d, x->n_mods + 1), x->mod[i]);
		return true;
	case DAMAGE_modifier_moved:
		insert(x->mod, &x->n_mods, dice_below(d, x->n_mods + 1), x->mod[i]);
		take_out(x->mod, &x->n_mods, dice_below(d, x->n_mods));
		return true;
	default:
		misspell(d, x->mod[i]);
		return true;
	}
}

/* -- The text as a string ---------------------------------------------------------- */

/* Returns a random character of the text that is in `any`, or NULL. */
static char *
find_of(struct dice *d, char *text, const char *any)
{
	char *found[DAMAGE_TEXT];
	unsigned n = 0;

	for (char *p = text; *p; p++) {
		if (strchr(any, *p))
			found[n++] = p;
	}
	return n ? found[dice_below(d, n)] : NULL;
}

static bool
damage_string(struct dice *d, enum damage kind, char out[DAMAGE_TEXT])
{
	static const char odd[] = "([{}])|:;,-.\t\"'xX0123456789~/*\\%#@!&+=<>abvs_ ";
	static const char *const trailing[] = { " &", " |", ",", " ,", " :", " -", " &&", " 0", " v0", " ;x", " //x", " ::" };
	size_t len = strlen(out);
	char *at = out + dice_below(d, (uint32_t)len), with[3] = "";

	switch (kind) {
	case DAMAGE_comma_missing:
		if (!(at = find_of(d, out, ",")))
			return false;
		replace(out, at, 1, "");
		return true;
	case DAMAGE_comma_extra:
		if (!(at = find_of(d, out, ", ")))
			return false;
		replace(out, at, 0, ",");
		return true;
	case DAMAGE_blank_added:
		if (!(at = find_of(d, out, ",:[]()|-. ")))
			return false;
		replace(out, at + dice_below(d, 2), 0, dice_below(d, 4) ? " " : "\t");
		return true;
	case DAMAGE_blank_missing:
		if (!(at = find_of(d, out, " ")))
			return false;
		replace(out, at, 1, "");
		return true;
	case DAMAGE_letter_case:
		if (!(at = find_of(d, out, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")))
			return false;
		if (dice_below(d, 2)) {
			*at ^= 32;
			return true;
		}
		for (; *at && *at != ' ' && *at != ','; at++)
			*at = (char)(*at >= 'a' && *at <= 'z' ? *at - 32 : *at);
		return true;
	case DAMAGE_sign_trailing:
		replace(out, out + len, 0, PICK(d, trailing));
		return true;
	case DAMAGE_character_added:
		with[0] = odd[dice_below(d, sizeof odd - 1)];
		replace(out, at, 0, with);
		return true;
	case DAMAGE_character_lost:
		replace(out, at, 1, "");
		return true;
	case DAMAGE_character_changed:
		*at = odd[dice_below(d, sizeof odd - 1)];
		return true;
	default:
		if (!(at = find_of(d, out, "[](){}")))
			return false;
		with[0] = "[](){}"[dice_below(d, 6)];
		replace(out, at, 1, dice_below(d, 2) ? "" : with);
		return true;
	}
}

bool
damage_text(struct dice *d, enum damage kind, const char *text, const char *other,
	    char out[DAMAGE_TEXT])
{
	struct parts x, y;
	bool done;

	snprintf(out, DAMAGE_TEXT, "%s", text);
	if (kind >= DAMAGE_comma_missing)
		return damage_string(d, kind, out);
	if (kind == DAMAGE_number_moved || kind == DAMAGE_number_edge || kind == DAMAGE_number_spelling)
		return damage_number(d, kind, out);
	if (!apart(text, &x) || !apart(other, &y))
		return false;
	switch (kind) {
	case DAMAGE_name_suffix:
	case DAMAGE_name_foreign:
	case DAMAGE_name_misspelt:
		done = damage_name_of(d, kind, &x, &y);
		break;
	case DAMAGE_list_longer:
	case DAMAGE_list_shorter:
		done = damage_list(d, kind == DAMAGE_list_longer, &x);
		break;
	case DAMAGE_modifier_dropped:
	case DAMAGE_modifier_repeated:
	case DAMAGE_modifier_moved:
	case DAMAGE_modifier_misspelt:
	case DAMAGE_modifier_foreign:
	case DAMAGE_modifier_other:
		done = damage_modifier(d, kind, &x, &y);
		break;
	default:
		done = damage_operand(d, kind, &x, &y);
		break;
	}
	together(&x, out);
	return done;
}
