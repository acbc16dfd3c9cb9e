/* Immediates that have names: wait counters, messages, hardware registers,
 * delays.  Names and numbers are those that LLVM 22 prints. */
#include "table.h"
#include "text.h"

const char gcn_param_name[3][4] = { "p10", "p20", "p0" };

static void
add_waitcnt(const struct gcn_target *t, struct gcn_text *x, uint32_t v)
{
	unsigned vm, exp, lgkm, vm_max = 63, lgkm_max = t->gen >= G10 ? 63 : 15;
	bool all;

	if (t->gen >= G11) {
		exp = v & 7, lgkm = v >> 4 & 63, vm = v >> 10 & 63;
	} else {
		exp = v >> 4 & 7, vm = (v & 15) | (v >> 10 & 0x30);
		lgkm = v >> 8 & lgkm_max;
	}
	all = vm == vm_max && exp == 7 && lgkm == lgkm_max;
	const char *sep = "";
	if (vm != vm_max || all) {
		gcn_add(x, "vmcnt(%u)", vm);
		sep = " ";
	}
	if (exp != 7 || all) {
		gcn_add(x, "%sexpcnt(%u)", sep, exp);
		sep = " ";
	}
	if (lgkm != lgkm_max || all)
		gcn_add(x, "%slgkmcnt(%u)", sep, lgkm);
}

static void
add_delay(struct gcn_text *x, uint32_t v)
{
	static const char *const id[16] = {
		"NO_DEP", "VALU_DEP_1", "VALU_DEP_2", "VALU_DEP_3", "VALU_DEP_4",
		"TRANS32_DEP_1", "TRANS32_DEP_2", "TRANS32_DEP_3", "FMA_ACCUM_CYCLE_1",
		"SALU_CYCLE_1", "SALU_CYCLE_2", "SALU_CYCLE_3" };
	static const char *const skip[8] = { "SAME", "NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4" };
	unsigned a = v & 15, s = v >> 4 & 7, b = v >> 7 & 15;
	const char *sep = "";

	if (a) {
		gcn_add(x, "instid0(%s)", id[a] ? id[a] : "/* invalid instid value */");
		sep = " | ";
	}
	if (s) {
		gcn_add(x, "%sinstskip(%s)", sep, skip[s] ? skip[s] : "/* invalid instskip value */");
		sep = " | ";
	}
	if (b) {
		gcn_add(x, "%sinstid1(%s)", sep, id[b] ? id[b] : "/* invalid instid value */");
		sep = " | ";
	}
	if (!*sep)
		gcn_add(x, "0");
}

static void
add_hwreg(const struct gcn_target *t, struct gcn_text *x, uint32_t v)
{
	static const struct {
		uint8_t n;
		const char *name;
		uint32_t has;
	} names[] = {
#define HWREG(n, name, has) { n, #name, has },
#include "hwreg.def"
	};
	unsigned offset = v >> 6 & 31, size = (v >> 11) + 1;
	bool found = false;

	gcn_add(x, "hwreg(");
	for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++) {
		if (names[i].n == (v & 63) && (names[i].has & t->class_bit)) {
			gcn_add(x, "%s", names[i].name);
			found = true;
		}
	}
	if (!found)
		gcn_add(x, "%u", v & 63);
	if (offset || size != 32)
		gcn_add(x, ", %u, %u", offset, size);
	gcn_add(x, ")");
}

/* Fields of s_waitcnt_depctr and s_wait_alu in the order of the text. */
static void
add_depctr(const struct gcn_target *t, struct gcn_text *x, uint32_t v)
{
	static const struct {
		const char *name;
		uint8_t lo, width;
	} field[] = { { "hold_cnt", 7, 1 }, { "sa_sdst", 0, 1 }, { "va_vdst", 12, 4 },
		      { "va_sdst", 9, 3 },  { "va_ssrc", 8, 1 }, { "va_vcc", 1, 1 },
		      { "vm_vsrc", 2, 3 } };
	bool hold = t->class_bit != C1010 && t->class_bit != C1011;
	uint32_t used = hold ? 0xff9f : 0xff1f;
	bool all = v == used;
	const char *sep = "";

	if (v & ~used) {
		gcn_add(x, "0x%x", v);
		return;
	}
	for (size_t i = !hold; i < sizeof field / sizeof *field; i++) {
		uint32_t max = (1u << field[i].width) - 1, part = v >> field[i].lo & max;
		if (part == max && !all)
			continue;
		gcn_add(x, "%sdepctr_%s(%u)", sep, field[i].name, part);
		sep = " ";
	}
}

static void
add_message_11(struct gcn_text *x, const struct gcn_target *t, uint32_t v)
{
	static const char *const low[10] = { NULL, "MSG_INTERRUPT", "MSG_HS_TESSFACTOR",
					     "MSG_DEALLOC_VGPRS", NULL, "MSG_STALL_WAVE_GEN",
					     "MSG_HALT_WAVES", NULL, NULL, "MSG_GS_ALLOC_REQ" };
	static const char *const back[8] = { "GET_DOORBELL", "GET_DDID", "GET_TMA", "GET_REALTIME",
					     "SAVE_WAVE", "GET_TBA", "GET_TBA_TO_PC", "GET_SE_AID_ID" };

	uint32_t id = v & 255;

	if (id < 10 && low[id] && !(t->gen >= G12 && (id == 5 || id == 6)))
		gcn_add(x, "sendmsg(%s)", low[id]);
	else if (id >= 128 && id < (t->gen >= G12 ? 136u : 135u))
		gcn_add(x, "sendmsg(MSG_RTN_%s)", back[id - 128]);
	else if (v > 255)
		gcn_add(x, "%u", v);
	else
		gcn_add(x, "sendmsg(%u, 0, 0)", v);
}

static void
add_message(struct gcn_text *x, const struct gcn_target *t, uint32_t v)
{
	static const char *const name[12] = { NULL, "MSG_INTERRUPT", "MSG_GS", "MSG_GS_DONE",
					      "MSG_SAVEWAVE", "MSG_STALL_WAVE_GEN", "MSG_HALT_WAVES",
					      "MSG_ORDERED_PS_DONE", "MSG_EARLY_PRIM_DEALLOC",
					      "MSG_GS_ALLOC_REQ", "MSG_GET_DOORBELL", "MSG_GET_DDID" };
	static const char *const gs[4] = { "GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT" };
	static const char *const sys[5] = { NULL, "SYSMSG_OP_ECC_ERR_INTERRUPT", "SYSMSG_OP_REG_RD", NULL,
					    "SYSMSG_OP_TTRACE_PC" };
	uint32_t id = v & 15, op = v >> 4 & 7, stream = v >> 8 & 3;

	if (id == 3 && !op && !stream)
		gcn_add(x, "sendmsg(MSG_GS_DONE, GS_OP_NOP)");
	else if ((id == 2 || id == 3) && op && op < 4)
		gcn_add(x, "sendmsg(%s, %s, %u)", name[id], gs[op], stream);
	else if (id == 15 && op < 5 && sys[op] && !stream)
		gcn_add(x, "sendmsg(MSG_SYSMSG, %s)", sys[op]);
	else if (id < 12 && name[id] && id != 2 && id != 3 && !op && !stream &&
		 !(id == 11 && t->gen < G10))
		gcn_add(x, "sendmsg(%s)", name[id]);
	else if (v & ~0x37fu)
		gcn_add(x, "%u", v);
	else
		gcn_add(x, "sendmsg(%u, %u, %u)", id, op, stream);
}

static void
add_gpr_idx(struct gcn_text *x, uint32_t v)
{
	static const char *const name[] = { "SRC0", "SRC1", "SRC2", "DST" };
	const char *sep = "";

	if (v > 15) {
		gcn_add(x, "0x%x", v);
		return;
	}
	gcn_add(x, "gpr_idx(");
	for (unsigned i = 0; i < 4; i++) {
		if (v >> i & 1) {
			gcn_add(x, "%s%s", sep, name[i]);
			sep = ",";
		}
	}
	gcn_add(x, ")");
}

size_t
gcn_symbol_text(const struct gcn_target *t, unsigned bank, uint32_t v, char *text, size_t cap)
{
	struct gcn_text x = { text, cap, 0 };

	text[0] = '\0';
	switch (bank) {
	case BANK_WAITCNT:
		add_waitcnt(t, &x, v);
		break;
	case BANK_DELAY:
		add_delay(&x, v);
		break;
	case BANK_DEPCTR:
		add_depctr(t, &x, v);
		break;
	case BANK_SENDMSG:
	case BANK_MSGRTN:
		if (t->gen >= G11)
			add_message_11(&x, t, v);
		else
			add_message(&x, t, v);
		break;
	case BANK_GPRIDX:
		add_gpr_idx(&x, v);
		break;
	default:
		add_hwreg(t, &x, v);
		break;
	}
	return x.len;
}
