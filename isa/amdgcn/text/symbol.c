/* Prints and parses symbolic immediates: wait counters, messages, hardware registers, delays.
 * Names and numbers are those of LLVM 22. */
#include "call.h"
#include "table.h"
#include "text.h"
#include "token.h"

const char gcn_param_name[3][4] = { "p10", "p20", "p0" };

/* Removes and returns the text before the first of these characters, without trailing blanks. */
static struct token
before(struct token *k, const char *any)
{
	struct token first = token_until(k, any);

	while (token_strip(&first, " "))
		;
	return first;
}

/* -- Fields by name: vmcnt(0) lgkmcnt(0) ------------------------------------------- */

static const char *const instid[16] = {
	"NO_DEP", "VALU_DEP_1", "VALU_DEP_2", "VALU_DEP_3", "VALU_DEP_4", "TRANS32_DEP_1",
	"TRANS32_DEP_2", "TRANS32_DEP_3", "FMA_ACCUM_CYCLE_1", "SALU_CYCLE_1", "SALU_CYCLE_2",
	"SALU_CYCLE_3" };
static const char *const instskip[16] = { "SAME", "NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4" };

/* Parts of immediates, in the order of the text. The upper width2 bits are at lo2. */
static const struct part {
	const char *name;
	uint8_t bank, lo, width, lo2, width2;
	uint32_t has;
	const char *const *names; /* names of values; NULL: numbers */
} parts[] = {
	{ "vmcnt", BANK_WAITCNT, 0, 4, 14, 2, GFX9 | GFX10, NULL },
	{ "vmcnt", BANK_WAITCNT, 10, 6, 0, 0, GFX11 | GFX12, NULL },
	{ "expcnt", BANK_WAITCNT, 4, 3, 0, 0, GFX9 | GFX10, NULL },
	{ "expcnt", BANK_WAITCNT, 0, 3, 0, 0, GFX11 | GFX12, NULL },
	{ "lgkmcnt", BANK_WAITCNT, 8, 4, 0, 0, GFX9, NULL },
	{ "lgkmcnt", BANK_WAITCNT, 8, 6, 0, 0, GFX10, NULL },
	{ "lgkmcnt", BANK_WAITCNT, 4, 6, 0, 0, GFX11 | GFX12, NULL },
	{ "depctr_hold_cnt", BANK_DEPCTR, 7, 1, 0, 0, C1030 | GFX11 | GFX12, NULL },
	{ "depctr_sa_sdst", BANK_DEPCTR, 0, 1, 0, 0, ALL, NULL },
	{ "depctr_va_vdst", BANK_DEPCTR, 12, 4, 0, 0, ALL, NULL },
	{ "depctr_va_sdst", BANK_DEPCTR, 9, 3, 0, 0, ALL, NULL },
	{ "depctr_va_ssrc", BANK_DEPCTR, 8, 1, 0, 0, ALL, NULL },
	{ "depctr_va_vcc", BANK_DEPCTR, 1, 1, 0, 0, ALL, NULL },
	{ "depctr_vm_vsrc", BANK_DEPCTR, 2, 3, 0, 0, ALL, NULL },
	{ "instid0", BANK_DELAY, 0, 4, 0, 0, ALL, instid },
	{ "instskip", BANK_DELAY, 4, 3, 0, 0, ALL, instskip },
	{ "instid1", BANK_DELAY, 7, 4, 0, 0, ALL, instid },
};

static uint32_t
ones(unsigned width)
{
	return (1u << width) - 1;
}

static uint32_t
part_get(const struct part *p, uint32_t v)
{
	return (v >> p->lo & ones(p->width)) | (v >> p->lo2 & ones(p->width2)) << p->width;
}

static uint32_t
part_put(const struct part *p, uint32_t part)
{
	return (part & ones(p->width)) << p->lo | part >> p->width << p->lo2;
}

static bool
part_of(const struct gcn_target *t, unsigned bank, const struct part *p)
{
	return p->bank == bank && (p->has & t->class_bit);
}

/* Returns the immediate that waits for nothing: the maximum of each counter, 0 for delays. */
static uint32_t
idle(const struct gcn_target *t, unsigned bank)
{
	uint32_t v = 0;

	for (const struct part *p = parts; p < parts + QD_COUNT(parts); p++) {
		if (part_of(t, bank, p) && !p->names)
			v |= part_put(p, ones(p->width + p->width2));
	}
	return v;
}

static void
add_parts(const struct gcn_target *t, struct gcn_text *x, unsigned bank, uint32_t v)
{
	uint32_t none = idle(t, bank);
	const char *sep = "";
	bool all;

	if (bank == BANK_DEPCTR && (v & ~none)) {
		gcn_add(x, "0x%x", v);
		return;
	}
	all = (v & none) == none && bank != BANK_DELAY;
	for (const struct part *p = parts; p < parts + QD_COUNT(parts); p++) {
		uint32_t part = part_get(p, v);
		if (!part_of(t, bank, p) || (part == part_get(p, none) && !all))
			continue;
		gcn_add(x, "%s%s(", sep, p->name);
		if (p->names)
			gcn_add(x, "%s)", p->names[part] ? p->names[part] : "?");
		else
			gcn_add(x, "%u)", part);
		sep = bank == BANK_DELAY ? " | " : " ";
	}
	if (!*sep)
		gcn_add(x, "0");
}

/* -- For code generators ------------------------------------------------------------ */

/* Returns the immediate with the three parts that the target has, in the order of the table.
 * Values are limited to the maximum of their part. */
static uint16_t
put_parts(const struct gcn_target *t, unsigned bank, const unsigned value[3])
{
	const unsigned *end = value + 3;
	uint32_t v = 0;

	for (const struct part *p = parts; value < end && p < parts + QD_COUNT(parts); p++) {
		if (part_of(t, bank, p)) {
			uint32_t top = ones(p->width + p->width2);
			v |= part_put(p, *value < top ? *value : top);
			value++;
		}
	}
	return (uint16_t)v;
}

uint16_t
gcn_delay_simm(const struct gcn_target *t, unsigned first, unsigned skip, unsigned second)
{
	return put_parts(t, BANK_DELAY, (const unsigned[]){ first, skip, second });
}

static bool
part_value(const struct part *p, struct token k, uint32_t *v)
{
	if (!p->names)
		return token_number(k, v) && *v <= ones(p->width + p->width2);
	for (*v = 0; *v < 16; ++*v) {
		if (p->names[*v] && token_is(k, p->names[*v]))
			return true;
	}
	return false;
}

/* Parses parts by name. A wait counter may repeat, and the last value applies; other parts may
 * not. Parts of a delay are separated by bars. */
static bool
parse_parts(const struct gcn_target *t, unsigned bank, struct token k, uint32_t *v)
{
	uint32_t seen = 0, bit;

	*v = idle(t, bank);
	for (token_skip_all(&k, " "); k.len;) {
		struct token name = before(&k, "("), inner;
		const struct part *p = parts;
		uint32_t part;
		if (!token_skip(&k, "("))
			return false;
		inner = before(&k, ")");
		while (p < parts + QD_COUNT(parts) && !(part_of(t, bank, p) && token_is(name, p->name)))
			p++;
		if (p == parts + QD_COUNT(parts) || !k.len || !part_value(p, inner, &part))
			return false;
		bit = UINT32_C(1) << (p - parts);
		if (bank != BANK_WAITCNT && (seen & bit))
			return false;
		seen |= bit;
		token_drop(&k, 1);
		token_skip_all(&k, " ");
		if (bank == BANK_DELAY && k.len && *k.at != '|')
			return false;
		if (k.len && strchr(bank == BANK_DELAY ? "|" : "&,", *k.at)) {
			token_drop(&k, 1);
			token_skip_all(&k, " ");
			if (!k.len)
				return false;
		}
		*v = (*v & ~part_put(p, ones(p->width + p->width2))) | part_put(p, part);
	}
	return true;
}

/* -- Hardware registers: hwreg(HW_REG_MODE, 0, 4) ------------------------------------ */

static const struct {
	uint8_t n;
	const char *name;
	uint32_t has;
} hwreg[] = {
#define HWREG(n, name, has) { n, #name, has },
#include "hwreg.def"
};

static void
add_hwreg(const struct gcn_target *t, struct gcn_text *x, uint32_t v)
{
	unsigned offset = v >> 6 & 31, size = (v >> 11) + 1, i = 0;

	while (i < QD_COUNT(hwreg) && !(hwreg[i].n == (v & 63) && (hwreg[i].has & t->class_bit)))
		i++;
	gcn_add(x, "hwreg(");
	if (i < QD_COUNT(hwreg))
		gcn_add(x, "%s", hwreg[i].name);
	else
		gcn_add(x, "%u", v & 63);
	if (offset || size != 32)
		gcn_add(x, ", %u, %u", offset, size);
	gcn_add(x, ")");
}

/* Splits up to three words that are separated by commas and end in a parenthesis; returns the
 * number of words, or 0. */
static unsigned
arguments(struct token k, struct token out[3])
{
	unsigned n = 0;

	while (n < 3) {
		token_skip_all(&k, " ");
		out[n] = before(&k, ",)");
		if (!k.len || !out[n].len)
			return 0;
		n++;
		if (*k.at == ')')
			return k.len == 1 ? n : 0;
		token_drop(&k, 1);
	}
	return 0;
}

static bool
parse_hwreg(const struct gcn_target *t, struct token k, uint32_t *v)
{
	struct token a[3];
	uint32_t id, offset = 0, size = 32, i = 0;
	unsigned n = arguments(k, a);

	if (!n)
		return false;
	while (i < QD_COUNT(hwreg) && !((hwreg[i].has & t->class_bit) && token_is(a[0], hwreg[i].name)))
		i++;
	if (i < QD_COUNT(hwreg))
		id = hwreg[i].n;
	else if (!token_number(a[0], &id))
		return false;
	if (n == 2 || (n == 3 && (!token_number(a[1], &offset) || !token_number(a[2], &size))))
		return false;
	*v = id | offset << 6 | (size - 1) << 11;
	return id < 64 && offset < 32 && size - 1 < 32;
}

/* -- Messages: sendmsg(MSG_GS, GS_OP_CUT, 0) ------------------------------------------- */

enum { OLD = GFX9 | GFX10, NEW = GFX11 | GFX12 };
static const struct message {
	uint8_t id, op;
	uint32_t has;
	const char *name, *op_name; /* op_name: of the operation, or NULL */
} messages[] = {
	{ 1, 0, OLD | NEW, "MSG_INTERRUPT", NULL },
	{ 2, 1, OLD, "MSG_GS", "GS_OP_CUT" },
	{ 2, 2, OLD, "MSG_GS", "GS_OP_EMIT" },
	{ 2, 3, OLD, "MSG_GS", "GS_OP_EMIT_CUT" },
	{ 3, 0, OLD, "MSG_GS_DONE", "GS_OP_NOP" },
	{ 3, 1, OLD, "MSG_GS_DONE", "GS_OP_CUT" },
	{ 3, 2, OLD, "MSG_GS_DONE", "GS_OP_EMIT" },
	{ 3, 3, OLD, "MSG_GS_DONE", "GS_OP_EMIT_CUT" },
	{ 4, 0, OLD, "MSG_SAVEWAVE", NULL },
	{ 5, 0, OLD | GFX11, "MSG_STALL_WAVE_GEN", NULL },
	{ 6, 0, OLD | GFX11, "MSG_HALT_WAVES", NULL },
	{ 7, 0, OLD, "MSG_ORDERED_PS_DONE", NULL },
	{ 8, 0, OLD, "MSG_EARLY_PRIM_DEALLOC", NULL },
	{ 9, 0, OLD | NEW, "MSG_GS_ALLOC_REQ", NULL },
	{ 10, 0, OLD, "MSG_GET_DOORBELL", NULL },
	{ 11, 0, GFX10, "MSG_GET_DDID", NULL },
	{ 15, 1, OLD, "MSG_SYSMSG", "SYSMSG_OP_ECC_ERR_INTERRUPT" },
	{ 15, 2, OLD, "MSG_SYSMSG", "SYSMSG_OP_REG_RD" },
	{ 15, 4, OLD, "MSG_SYSMSG", "SYSMSG_OP_TTRACE_PC" },
	{ 2, 0, NEW, "MSG_HS_TESSFACTOR", NULL },
	{ 3, 0, NEW, "MSG_DEALLOC_VGPRS", NULL },
	{ 128, 0, NEW, "MSG_RTN_GET_DOORBELL", NULL },
	{ 129, 0, NEW, "MSG_RTN_GET_DDID", NULL },
	{ 130, 0, NEW, "MSG_RTN_GET_TMA", NULL },
	{ 131, 0, NEW, "MSG_RTN_GET_REALTIME", NULL },
	{ 132, 0, NEW, "MSG_RTN_SAVE_WAVE", NULL },
	{ 133, 0, NEW, "MSG_RTN_GET_TBA", NULL },
	{ 134, 0, NEW, "MSG_RTN_GET_TBA_TO_PC", NULL },
	{ 135, 0, GFX12, "MSG_RTN_GET_SE_AID_ID", NULL },
	{ 136, 0, GFX125, "MSG_RTN_GET_CLUSTER_BARRIER_STATE", NULL },
	{ 10, 0, GFX125, "MSG_SAVEWAVE_HAS_TDM", NULL },
};

/* Returns whether the message has a stream: those to the geometry shader's stage that emit or
 * cut. */
static bool
has_stream(const struct message *m)
{
	return m->op && m->id < 4;
}

static void
add_message(const struct gcn_target *t, struct gcn_text *x, uint32_t v)
{
	bool old = t->gen < GCN_G11;
	uint32_t id = v & (old ? 15 : 255), op = old ? v >> 4 & 7 : 0, stream = old ? v >> 8 & 3 : 0;

	for (const struct message *m = messages; m < messages + QD_COUNT(messages); m++) {
		if (!(m->has & t->class_bit) || m->id != id || m->op != op ||
		    (stream && !has_stream(m)))
			continue;
		gcn_add(x, "sendmsg(%s", m->name);
		if (m->op_name)
			gcn_add(x, ", %s", m->op_name);
		if (has_stream(m))
			gcn_add(x, ", %u", stream);
		gcn_add(x, ")");
		return;
	}
	if (v & ~(old ? 0x37fu : 0xffu))
		gcn_add(x, "%u", v);
	else
		gcn_add(x, "sendmsg(%u, %u, %u)", id, op, stream);
}

static bool
parse_message(const struct gcn_target *t, struct token k, uint32_t *v)
{
	struct token a[3];
	unsigned n = arguments(k, a);
	uint32_t id, op = 0, stream = 0;
	bool old = t->gen < GCN_G11;

	for (const struct message *m = messages; n && m < messages + QD_COUNT(messages); m++) {
		if (!(m->has & t->class_bit) || !token_is(a[0], m->name) ||
		    (m->op_name ? n < 2 || !token_is(a[1], m->op_name) : n > 1) ||
		    (n == 3 && (!has_stream(m) || !token_number(a[2], &stream) || stream > 3)))
			continue;
		*v = m->id | (uint32_t)m->op << 4 | stream << 8;
		return true;
	}
	if (!n || !token_number(a[0], &id) || (n > 1 && !token_number(a[1], &op)) ||
	    (n > 2 && !token_number(a[2], &stream)))
		return false;
	*v = id | op << 4 | stream << 8;
	return id <= (old ? 15u : 255u) && op <= (old ? 7u : 0u) && stream <= (old ? 3u : 0u);
}

/* -- Bits by name: gpr_idx(SRC0,DST) and versions ---------------------------------------- */

static const char *const gpr_idx[4] = { "SRC0", "SRC1", "SRC2", "DST" };

static void
add_gpr_idx(struct gcn_text *x, uint32_t v)
{
	const char *sep = "";

	if (v > 15) {
		gcn_add(x, "0x%x", v);
		return;
	}
	gcn_add(x, "gpr_idx(");
	for (unsigned i = 0; i < 4; i++) {
		if (v >> i & 1) {
			gcn_add(x, "%s%s", sep, gpr_idx[i]);
			sep = ",";
		}
	}
	gcn_add(x, ")");
}

static bool
parse_gpr_idx(struct token k, uint32_t *v)
{
	for (*v = 0; k.len && *k.at != ')';) {
		struct token name = before(&k, ",)");
		unsigned i = 0;
		while (i < 4 && !token_is(name, gpr_idx[i]))
			i++;
		if (i == 4 || (*v >> i & 1))
			return false;
		*v |= 1u << i;
		if (k.len > 1 && token_skip(&k, ","))
			token_skip_all(&k, " ");
	}
	return k.len == 1;
}

static const struct {
	uint16_t value, mask;
	const char *name;
} versions[] = {
	{ 0, 0xff, "UC_VERSION_GFX7" },
	{ 4, 0xff, "UC_VERSION_GFX10" },
	{ 6, 0xff, "UC_VERSION_GFX11" },
	{ 9, 0xff, "UC_VERSION_GFX12" },
	{ 0x2000, 0x2000, "UC_VERSION_W64_BIT" },
	{ 0x4000, 0x4000, "UC_VERSION_W32_BIT" },
	{ 0x8000, 0x8000, "UC_VERSION_MDP_BIT" },
};

/* Puts parentheses around each sum except the outermost: ((a|b)|c)|d. */
static void
add_version(struct gcn_text *x, uint32_t v)
{
	unsigned bits = (v >> 13 & 1) + (v >> 14 & 1) + (v >> 15 & 1);
	bool named = false;

	if (v & 0x1f00) {
		gcn_add(x, "0x%x", v);
		return;
	}
	for (unsigned i = 1; i < bits; i++)
		gcn_add(x, "(");
	for (unsigned i = 0; i < QD_COUNT(versions); i++) {
		bool bit = versions[i].mask != 0xff;
		if (i && bit && versions[i - 1].mask == 0xff && !named)
			gcn_add(x, "%u", v & 0xff);
		if ((v & versions[i].mask) != versions[i].value)
			continue;
		gcn_add(x, "%s%s%s", bit ? "|" : "", versions[i].name, bit && --bits ? ")" : "");
		named = true;
	}
}

/* Returns whether single bars separate the names and parentheses are balanced. */
static bool
are_joined(struct token k)
{
	bool wants = true; /* expects a name or an opening parenthesis */
	int depth = 0;

	for (size_t i = 0; i < k.len; i++) {
		char c = k.at[i];
		if (c == ' ')
			continue;
		if ((c == '(' || c == '|') && wants != (c == '('))
			return false;
		depth += (c == '(') - (c == ')');
		if (depth < 0 || (c == ')' && wants))
			return false;
		if (c != '(' && c != ')')
			wants = c == '|';
	}
	return !wants && !depth;
}

static bool
parse_version(struct token k, uint32_t *v)
{
	uint32_t one;

	*v = 0;
	if (!are_joined(k))
		return false;
	for (token_skip_all(&k, " ("); k.len; token_skip_all(&k, " |()")) {
		struct token name = before(&k, "|)");
		unsigned i = 0;
		while (i < QD_COUNT(versions) && !token_is(name, versions[i].name))
			i++;
		if (i < QD_COUNT(versions))
			*v |= versions[i].value;
		else if (token_number(name, &one) && one < 0x10000)
			*v |= one;
		else
			return false;
	}
	return true;
}

/* -- All symbols ------------------------------------------------------------------------- */

void
gcn_symbol_add(const struct gcn_target *t, unsigned bank, uint32_t v, struct gcn_text *x)
{
	switch (bank) {
	case BANK_WAITCNT:
	case BANK_DELAY:
	case BANK_DEPCTR:
		add_parts(t, x, bank, v);
		break;
	case BANK_SENDMSG:
	case BANK_MSGRTN:
		add_message(t, x, v);
		break;
	case BANK_GPRIDX:
		add_gpr_idx(x, v);
		break;
	case BANK_VERSION:
		add_version(x, v);
		break;
	default:
		add_hwreg(t, x, v);
		break;
	}
}

bool
gcn_symbol_parse(const struct gcn_target *t, unsigned bank, struct token k, uint32_t *v)
{
	if (token_number(k, v))
		return *v < 0x10000;
	switch (bank) {
	case BANK_WAITCNT:
	case BANK_DELAY:
	case BANK_DEPCTR:
		return k.len && parse_parts(t, bank, k, v);
	case BANK_SENDMSG:
	case BANK_MSGRTN:
		return token_skip(&k, "sendmsg(") && parse_message(t, k, v);
	case BANK_GPRIDX:
		return token_skip(&k, "gpr_idx(") && parse_gpr_idx(k, v);
	case BANK_VERSION:
		return k.len && parse_version(k, v);
	default:
		return token_skip(&k, "hwreg(") && parse_hwreg(t, k, v);
	}
}
