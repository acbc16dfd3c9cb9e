/* Assembler text: names that leave out what follows, lines with labels, where
 * errors are said to be, and text made to break the parser. */
#include <stdio.h>
#include <stdlib.h>

#include "table.h"
#include "unit.h"

enum { MAX_WORDS = 64 };

static qd_status
assemble(const char *target, const char *text, uint32_t w[MAX_WORDS], size_t *n, struct qd_error *err)
{
	unsigned wave = strchr(target, ':') ? 64 : 0;
	char name[32];

	snprintf(name, sizeof name, "%.*s", (int)strcspn(target, ":"), target);
	return gcn_assemble(gcn_target_find(name, wave), text, strlen(text), w, MAX_WORDS, n, err);
}

/* One of these is read as something else than LLVM 22's assembler reads it. */
static void
words(struct unit_ctx *t)
{
	/* clang-format off */
	static const struct {
		const char *target, *text;
		size_t n;
		uint32_t w[6];
	} rows[] = {
		{ "gfx906", "v_add_f32 v0, v1, v2", 1, { 0x02000501 } },
		{ "gfx906", "v_add_f32 v0, v1, s2", 2, { 0xd1010000, 0x00000501 } },
		{ "gfx1100", "v_add_f32 v0, v1, s2", 2, { 0xd5030000, 0x00000501 } },
		{ "gfx906", "v_cndmask_b32 v0, v1, v2, s[0:1]", 2, { 0xd1000000, 0x00020501 } },
		{ "gfx906", "v_add3_u32_e64 v0, v1, v2, v3", 2, { 0xd1ff0000, 0x040e0501 } },
		{ "gfx906", "v_mov_b32_sdwa v0, v1", 2, { 0x7e0002f9, 0x00061601 } },
		{ "gfx906", "v_mov_b32 v0, v1 src0_sel:BYTE_0", 2, { 0x7e0002f9, 0x00001601 } },
		{ "gfx906", "v_cmp_eq_f32_sdwa vcc, v1, v2", 2, { 0x7c8404f9, 0x06060001 } },
		{ "gfx906", "v_mov_b32 v0, v1 row_shl:1", 2, { 0x7e0002fa, 0xff010101 } },
		{ "gfx1100", "v_mov_b32_dpp v0, v1 row_shl:1", 2, { 0x7e0002fa, 0xff010101 } },
		{ "gfx906", "s_movk_i32 s0, -5", 1, { 0xb000fffb } },
		{ "gfx906", "s_branch -3", 1, { 0xbf82fffd } },
		{ "gfx1100", "v_add_f32 v0, 3.5, v2", 2, { 0x060004ff, 0x40600000 } },
		{ "gfx906", "v_add_f32 v[0:0], v1, v[2]", 1, { 0x02000501 } },
		{ "gfx906", "s_mov_b32 s[3], s[4:4]", 1, { 0xbe830004 } },
		{ "gfx906", "s_mov_b32 s0, -16; and no more", 1, { 0xbe8000d0 } },
		{ "gfx906", "s_mov_b32 s0, -17", 2, { 0xbe8000ff, 0xffffffef } },
		{ "gfx1100", "v_fma_f64 v[0:1], 1.5, v[2:3], v[4:5]", 3, { 0xd6140000, 0x041204ff, 0x3ff80000 } },
		{ "gfx1100", "s_waitcnt lgkmcnt(0) & vmcnt(3)", 1, { 0xbf890c07 } },
		{ "gfx1100", "s_getreg_b32 s0, hwreg(1, 0, 4)", 1, { 0xb8801801 } },
		{ "gfx1030", "s_sendmsg sendmsg(MSG_GS, GS_OP_EMIT, 1)", 1, { 0xbf900122 } },
		{ "gfx1030", "s_sendmsg 3", 1, { 0xbf900003 } },
		{ "gfx1100", "v_cmp_eq_f32 vcc_lo, v1, v2 row_shl:1", 2, { 0x7c2404fa, 0xff010101 } },
		{ "gfx1100:64", "v_cmp_eq_f32 vcc, v1, s2", 2, { 0xd412006a, 0x00000501 } },
		/* lines */
		{ "gfx1100", "// nothing\n\n  ; at all\n", 0, { 0 } },
		{ "gfx1100", "top: s_nop 0\n\ts_branch top // back\r\n", 2, { 0xbf800000, 0xbfa0fffe } },
		{ "gfx1100", "s_cbranch_scc0 end\ns_nop 1\nend:\n.L2:s_endpgm", 3, { 0xbfa10001, 0xbf800001, 0xbfb00000 } },
		{ "gfx906", "a: b: s_call_b64 s[4:5], b", 1, { 0xba84ffff } },
		{ "gfx906", ".long 0xdeadbeef, 7\n.long -1", 3, { 0xdeadbeef, 7, 0xffffffff } },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint32_t w[MAX_WORDS];
		struct qd_error err = { 0 };
		size_t n = 0;
		qd_status status = assemble(rows[i].target, rows[i].text, w, &n, &err);

		UNIT_CHECK(t, !status && n == rows[i].n, "%s: %s: %s, %zu words", rows[i].target,
			   rows[i].text, err.text, n);
		for (size_t k = 0; !status && k < n && k < rows[i].n; k++)
			UNIT_CHECK(t, w[k] == rows[i].w[k], "%s: %s: word %zu is %08x",
				   rows[i].target, rows[i].text, k, w[k]);
	}
}

/* An error points elsewhere, says another thing, or there is none. */
static void
errors(struct unit_ctx *t)
{
	/* clang-format off */
	static const struct {
		const char *target, *text;
		uint32_t line, col;
		const char *why;
	} rows[] = {
		{ "gfx1100", "s_nop 0\n v_frob_b32 v0, v1", 2, 2, "v_frob_b32: no such instruction on gfx1100" },
		{ "gfx906", "v_dual_mov_b32 v0, v1", 1, 1, "v_dual_mov_b32: no such instruction on gfx906" },
		{ "gfx1100", "v_add_f32 v0, v1, v256", 1, 19, "v_add_f32: operand not understood on gfx1100" },
		{ "gfx1100", "v_add_f32 s5, v1, v2", 1, 11, "v_add_f32: operand not understood on gfx1100" },
		{ "gfx1100", "v_add_f32 v0, v1", 1, 17, "v_add_f32: an operand is missing on gfx1100" },
		{ "gfx1100", "v_add_f32 v0, v1, v2, v3", 1, 21, "v_add_f32: more operands than the instruction has on gfx1100" },
		{ "gfx1100", "v_add_f32 v0, v1, v2 clump", 1, 22, "v_add_f32: modifier not understood on gfx1100" },
		{ "gfx1100", "v_add_f32_e32 v0, -v1, v2", 1, 19, "v_add_f32_e32: operand not understood on gfx1100" },
		{ "gfx1100", "s_mov_b32 s0, 0x123456789", 1, 15, "s_mov_b32: operand not understood on gfx1100" },
		{ "gfx1100", "s_mov_b64 s[1:2], 0", 1, 1, "s_mov_b64: no such scalar register on gfx1100" },
		{ "gfx1100", "s_mov_b64 s[2:5], 0", 1, 11, "s_mov_b64: operand not understood on gfx1100" },
		{ "gfx1100", "s_mov_b32 s0, [((((", 1, 15, "s_mov_b32: operand not understood on gfx1100" },
		{ "gfx1100", "s_mov_b32 s0, s1))))", 1, 15, "s_mov_b32: operand not understood on gfx1100" },
		{ "gfx1100", "  v_fma_f32 v0, s1, s2, s3", 1, 3, "v_fma_f32: more scalar registers and literals than one instruction may read on gfx1100" },
		{ "gfx1100", "v_dual_mov_b32 v0, v1 :: v_dual_mov_b32 v2, v3", 1, 41, "v_dual_mov_b32: operand not understood on gfx1100" },
		{ "gfx1100", "v_dual_mov_b32 v0, v1 : v_dual_mov_b32 v1, v3", 1, 23, "v_dual_mov_b32: no second half of a dual instruction on gfx1100" },
		{ "gfx1100", "s_waitcnt vmcnt(64)", 1, 11, "s_waitcnt: operand not understood on gfx1100" },
		{ "gfx1100", "s_nop 0\ns_branch nowhere", 2, 10, "nowhere: no such label" },
		{ "gfx1100", "x: s_nop 0\nx:", 2, 1, "x: the label is there twice" },
		{ "gfx1100", "9x: s_nop 0", 1, 1, "9x: no name for a label" },
		{ "gfx1100", ".text", 1, 1, ".text: no such directive" },
		{ "gfx1100", ".long 1,, 2", 1, 9, ": a number of 32 bits is wanted" },
		{ "gfx1100", ".long 1 2", 1, 9, "2: a comma is wanted" },
		{ "gfx1100", ".long 0x100000000", 1, 7, "0x100000000: a number of 32 bits is wanted" },
	};
	/* clang-format on */

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		uint32_t w[MAX_WORDS];
		struct qd_error err = { 0 };
		size_t n = 9;
		qd_status status = assemble(rows[i].target, rows[i].text, w, &n, &err);

		UNIT_CHECK(t, status && !n && err.line == rows[i].line && err.col == rows[i].col &&
				      !strcmp(err.text, rows[i].why),
			   "%s: %u:%u: %s", rows[i].text, err.line, err.col, err.text);
	}
}

/* A limit is not kept: the buffer, the length of a statement, the tables. */
static void
limits(struct unit_ctx *t)
{
	static char text[20000];
	uint32_t w[MAX_WORDS + 1] = { [2] = 77 };
	struct qd_error err = { 0 };
	const struct gcn_target *g = gcn_target_find("gfx1100", 0);
	size_t n, len;

	UNIT_CHECK(t, gcn_assemble(g, "s_nop 0\ns_mov_b32 s0, 0x1234", 28, w, 2, &n, &err) == QD_E_LIMIT &&
			      err.line == 2 && w[2] == 77, "%u: %s", err.line, err.text);
	memset(text, 'a', sizeof text);
	UNIT_CHECK(t, gcn_assemble(g, text, sizeof text, w, 2, &n, &err) == QD_E_LIMIT, "%s", err.text);
	memset(text, '(', sizeof text);
	UNIT_CHECK(t, gcn_assemble(g, text, 400, w, 2, &n, &err) == QD_E_SYNTAX, "%s", err.text);
	UNIT_CHECK(t, gcn_assemble(g, "s_nop\0 0", 8, w, 2, &n, &err) == QD_E_SYNTAX && err.col == 6,
		   "%u: %s", err.col, err.text);
	for (len = 0, n = 0; n < 300; n++)
		len += (size_t)snprintf(text + len, sizeof text - len, "l%zu:\n", n);
	UNIT_CHECK(t, gcn_assemble(g, text, len, w, 2, &n, &err) == QD_E_LIMIT && err.line == 257,
		   "%u: %s", err.line, err.text);
}

/* Some text reads or writes outside its buffers, or does not end. */
static void
hostile(struct unit_ctx *t)
{
	static const char *const seed[] = {
		"v_add_f32_e64 v0, -|v1|, neg(0x1234) clamp mul:2 op_sel:[0,1]",
		"v_mov_b32_dpp v0, v1 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf",
		"v_mov_b32_sdwa v0, sext(v1) dst_sel:BYTE_0 dst_unused:UNUSED_PAD src0_sel:WORD_1",
		"s_waitcnt vmcnt(0) expcnt(1) lgkmcnt(2)", "s_getreg_b32 s0, hwreg(HW_REG_MODE, 0, 4)",
		"s_sendmsg sendmsg(MSG_GS, GS_OP_CUT, 0)", "s_delay_alu instid0(VALU_DEP_1) | instskip(NEXT)",
		"v_dual_add_f32 v0, v1, v2 :: v_dual_mov_b32 v3, 0x5", "s_load_b64 s[0:1], s[2:3], s4 offset:0x10",
		"x: s_branch x\n.long 1, 2 // no\n", "ds_swizzle_b32 v0, v1 offset:swizzle(BROADCAST,8,7)",
		"global_load_b32 v0, v1, s[2:3] offset:-4 glc", "s_version (1|UC_VERSION_W64_BIT)",
		"v_mfma_f32_4x4x1f32 a[0:3], v0, v1, a[0:3] cbsz:1 abid:2 blgp:3",
		"v_cmp_class_f32 vcc, -v1, v2", "buffer_load_dword v0, v1, s[4:7], 0 idxen offset:16",
	};
	static const char *const target[] = { "gfx906", "gfx90a", "gfx1030", "gfx1100", "gfx1200" };
	static const char odd[] = "([{}])|:;,-.\t\n\"'xX0123456789~/*\\%\xff ";
	struct unit_rng rng = { 5 };

	for (unsigned i = 0; i < 4000; i++) {
		const char *from = seed[unit_random(&rng) % (sizeof seed / sizeof *seed)];
		size_t len = strlen(from), n;
		char *text = malloc(len + 1); /* as long as it is: a checker sees the end */
		uint32_t w[4];
		struct gcn_insn in;
		const struct gcn_target *g;
		memcpy(text, from, len + 1);
		for (unsigned k = unit_random(&rng) % 4; k-- > 0;) {
			size_t at = unit_random(&rng) % len;
			switch (unit_random(&rng) % 3) {
			case 0:
				text[at] = odd[unit_random(&rng) % (sizeof odd - 1)];
				break;
			case 1:
				memmove(text + at, text + at + 1, len - at);
				text[len - 1] = ' ';
				break;
			default:
				memmove(text + at, text + unit_random(&rng) % (at + 1), len - at);
				break;
			}
		}
		g = gcn_target_find(target[i % 5], 0);
		(void)gcn_assemble(g, text, len, w, 4, &n, NULL);
		UNIT_CHECK(t, n <= 4, "%zu words", n);
		text[len] = '\0';
		(void)gcn_parse(g, text, &in, NULL);
		free(text);
	}
}

const struct unit units_gcn_asm[] = {
	{ "gcn_asm.words", words },
	{ "gcn_asm.errors", errors },
	{ "gcn_asm.limits", limits },
	{ "gcn_asm.hostile", hostile },
};
const unsigned n_units_gcn_asm = sizeof units_gcn_asm / sizeof *units_gcn_asm;
