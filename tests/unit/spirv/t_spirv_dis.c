/* SPIR-V tables, and the disassembler on known, truncated and random modules. spirv-as reads
 * complete modules back elsewhere. */
#include <stdlib.h>

#include "isa_dis.h"
#include "t_spirv.h"

extern const struct unit units_spirv_dis[];
extern const unsigned n_units_spirv_dis;

/* -- Tables and text ------------------------------------------------------------------- */

static void
tables(struct unit_ctx *t)
{
	for (uint32_t i = 0; i < spv_n_ops; i++) {
		UNIT_CHECK(t, spv_find_op(spv_ops[i].number) == &spv_ops[i], "Op%s", spv_ops[i].name);
		for (const char *p = spv_ops[i].operands; *p; p++) {
			bool known = strchr("TRinshNxoPQB?*", *p) != NULL;
			for (uint32_t k = 0; k < N_SPV_KIND; k++)
				known = known || spv_kinds[k].letter == *p;
			UNIT_CHECK(t, known, "Op%s has operand '%c'", spv_ops[i].name, *p);
		}
	}
	for (uint32_t i = 0; i < spv_n_values; i++) {
		enum spv_kind kind = (enum spv_kind)spv_values[i].kind;
		UNIT_CHECK(t, spv_find_value(kind, spv_values[i].value) == &spv_values[i], "%s",
			   spv_values[i].name);
	}
	UNIT_CHECK(t, !spv_find_op(0xffff) && !spv_find_value(SPV_KIND_Capability, 99999), "absent");
}

static qd_status
dis(struct spirv_fx *f, const void *code, size_t size, struct buf *text)
{
	text->len = 0;
	return isa_dis(&f->target, code, size, NULL, text, &f->err);
}

struct dis_case {
	uint32_t words[8]; /* as many as the first instruction has */
	const char *text;  /* NULL: an error */
};

/* Types that the cases use: 1 u32, 2 i32, 3 f32, 4 f64, 5 f16, 6 i16, 7 u64. */
static const uint32_t preamble[] = {
	SPV_MAGIC, SPV_VERSION, 0, 20, 0,
	4 << 16 | SPV_TypeInt, 1, 32, 0, 4 << 16 | SPV_TypeInt, 2, 32, 1,
	3 << 16 | SPV_TypeFloat, 3, 32, 3 << 16 | SPV_TypeFloat, 4, 64,
	3 << 16 | SPV_TypeFloat, 5, 16, 4 << 16 | SPV_TypeInt, 6, 16, 1,
	4 << 16 | SPV_TypeInt, 7, 64, 0,
};

#define CONSTANT(n, type, ...) { { (n) << 16 | SPV_Constant, type, 9, __VA_ARGS__ },
/* clang-format off */
static const struct dis_case dis_cases[] = {
	CONSTANT(4, 1, 0xffffffff) "          %9 = OpConstant %1 4294967295\n" },
	CONSTANT(4, 2, 0xffffffff) "          %9 = OpConstant %2 -1\n" },
	CONSTANT(4, 2, 0x80000000) "          %9 = OpConstant %2 -2147483648\n" },
	CONSTANT(4, 6, 0xffff8000) "          %9 = OpConstant %6 -32768\n" },
	CONSTANT(4, 6, 0x00018000) "               !0x0004002b !0x00000006 !0x00000009 !0x00018000 ; OpConstant\n" },
	CONSTANT(5, 7, 1, 0x80000000) "          %9 = OpConstant %7 9223372036854775809\n" },
	CONSTANT(4, 3, 0x3dcccccd) "          %9 = OpConstant %3 0.100000001\n" },
	CONSTANT(4, 3, 0x3f800000) "          %9 = OpConstant %3 1\n" },
	CONSTANT(4, 3, 0x80000000) "          %9 = OpConstant %3 -0\n" },
	CONSTANT(4, 3, 0x00000001) "          %9 = OpConstant %3 0x1p-149\n" },
	CONSTANT(4, 3, 0x7f800000) "          %9 = OpConstant %3 0x1p+128\n" },
	CONSTANT(4, 3, 0xffc12345) "          %9 = OpConstant %3 -0x1.82468ap+128\n" },
	CONSTANT(4, 3, 0x501502f9) "          %9 = OpConstant %3 1e+10\n" },
	CONSTANT(5, 4, 0x9999999a, 0x3fb99999) "          %9 = OpConstant %4 0.10000000000000001\n" },
	CONSTANT(5, 4, 1, 0) "          %9 = OpConstant %4 0x1p-1074\n" },
	CONSTANT(4, 5, 0x3c00) "          %9 = OpConstant %5 0x1p+0\n" },
	CONSTANT(4, 5, 0x0001) "          %9 = OpConstant %5 0x1p-24\n" },
	CONSTANT(4, 3, 0, 0) "          %9 = OpConstant %3 0\n" },
	{ { 3 << 16 | SPV_Constant, 3, 9 }, NULL }, /* no value */
	CONSTANT(4, 4, 0) NULL }, /* half a value */
	CONSTANT(4, 19, 5) "               !0x0004002b !0x00000013 !0x00000009 !0x00000005 ; OpConstant\n" },
	CONSTANT(4, 20, 5) NULL }, /* outside the bound */
	{ { 4 << 16 | SPV_Decorate, 9, SPV_Decoration_ArrayStride, 4 }, "               OpDecorate %9 ArrayStride 4\n" },
	{ { 4 << 16 | SPV_Decorate, 9, SPV_Decoration_BuiltIn, SPV_BuiltIn_WorkgroupId }, "               OpDecorate %9 BuiltIn WorkgroupId\n" },
	{ { 3 << 16 | SPV_Decorate, 9, SPV_Decoration_ArrayStride }, NULL },
	{ { 4 << 16 | SPV_Decorate, 9, 999, 4 }, "               !0x00040047 !0x00000009 !0x000003e7 !0x00000004 ; OpDecorate\n" },
	{ { 3 << 16 | 4094, 9, 1 }, "               !0x00030ffe !0x00000009 !0x00000001\n" },
	{ { 5 << 16 | SPV_Store, 9, 8, 0x22, 4 }, "               OpStore %9 %8 Aligned|NonPrivatePointer 4\n" },
	{ { 4 << 16 | SPV_Store, 9, 8, 0x22 }, NULL },
	{ { 4 << 16 | SPV_Name, 9, 0x005c2261, 0 }, "               !0x00040005 !0x00000009 !0x005c2261 !0x00000000 ; OpName\n" },
	{ { 3 << 16 | SPV_Name, 9, 0x005c2261 }, "               OpName %9 \"a\\\"\\\\\"\n" },
	{ { 3 << 16 | SPV_Name, 9, 0x01616161 }, NULL }, /* not terminated */
	{ { 3 << 16 | SPV_Name, 9, 0x01006161 }, "               !0x00030005 !0x00000009 !0x01006161 ; OpName\n" },
	{ { 2 << 16 | SPV_Label, 0 }, NULL },
	{ { 5 << 16 | SPV_Label, 9 }, NULL }, /* past the end */
	{ { 0, 9 }, NULL },
};
/* clang-format on */

static void
texts_of_words(struct unit_ctx *t)
{
	struct spirv_fx f;
	struct buf text;

	spirv_start(&f, t, "spirv", QD_TYPE_F32);
	buf_init(&text, &f.pool);
	for (size_t i = 0; i < QD_COUNT(dis_cases); i++) {
		const struct dis_case *c = &dis_cases[i];
		uint32_t words[QD_COUNT(preamble) + 8], n = c->words[0] >> 16;
		if (!c->text && (n > 4 || n == 0))
			n = 2;
		memcpy(words, preamble, sizeof preamble);
		memcpy(words + QD_COUNT(preamble), c->words, sizeof c->words);
		qd_status st = dis(&f, words, sizeof preamble + 4 * n, &text);
		UNIT_CHECK(t, st == (c->text ? QD_OK : QD_E_INVALID), "case %zu: %d %s", i, (int)st,
			   f.err.text);
		if (st || !c->text)
			continue;
		size_t len = strlen(c->text);
		const char *end = buf_data(&text) + text.len;
		UNIT_CHECK(t, text.len > len && memcmp(end - len, c->text, len) == 0, "case %zu: %.*s",
			   i, (int)text.len, buf_data(&text));
	}
	buf_fini(&text);
	spirv_stop(&f);
}

/* Checks that a module cut at any byte is an error, or the text of the remaining part. */
static void
dis_truncated(struct unit_ctx *t)
{
	struct spirv_fx f;
	struct buf text;

	spirv_start(&f, t, "spirv", QD_TYPE_F32);
	buf_init(&text, &f.pool);
	spirv_plain_body(&f, QD_TYPE_F32);
	spirv_must_emit(&f);
	uint32_t next = SPV_HEADER_WORDS;
	for (size_t size = 0; size <= f.code.len; size++) {
		char *copy = malloc(size ? size : 1); /* exact size, for the sanitizer */
		if (!copy)
			break;
		memcpy(copy, f.w, size);
		while (next < f.n && 4 * (size_t)next < size)
			next += f.w[next] >> 16;
		bool whole = size == 4 * (size_t)next;
		qd_status st = dis(&f, copy, size, &text);
		UNIT_CHECK(t, st == (whole ? QD_OK : QD_E_INVALID), "%zu bytes: %d", size, (int)st);
		free(copy);
	}
	uint32_t swapped[5] = { 0x03022307, 0, 0, 0, 0 };
	UNIT_CHECK(t, dis(&f, swapped, sizeof swapped, &text) == QD_E_INVALID, "byte order");
	UNIT_CHECK(t, f.target.isa->probe(f.w, f.code.len) && !f.target.isa->probe(f.w, 16) &&
			   !f.target.isa->probe(swapped, sizeof swapped), "probe");
	buf_fini(&text);
	spirv_stop(&f);
}

/* Checks random modules, and modules with a few words changed: text or an error. */
static void
dis_noise(struct unit_ctx *t)
{
	struct unit_rng rng = { 1 };
	struct spirv_fx f;
	struct buf text;

	spirv_start(&f, t, "spirv", QD_TYPE_U32);
	buf_init(&text, &f.pool);
	spirv_plain_body(&f, QD_TYPE_U32);
	spirv_count_loop(&f);
	spirv_must_emit(&f);
	uint32_t *words = malloc(f.code.len);
	for (int round = 0; words && round < 4000; round++) {
		uint32_t n = f.n;
		memcpy(words, f.w, f.code.len);
		if (round & 1) {
			for (uint32_t i = 0; i < 1 + unit_random(&rng) % 4; i++) {
				uint32_t bit = (uint32_t)(unit_random(&rng) % 32);
				words[unit_random(&rng) % n] ^= 1u << bit;
			}
		} else {
			n = SPV_HEADER_WORDS + (uint32_t)(unit_random(&rng) % 60);
			for (uint32_t i = SPV_HEADER_WORDS; i < n; i++) {
				uint32_t op = (uint32_t)unit_random(&rng);
				words[i] = op % 3 ? (op >> 8 & 31) : (op >> 8 & 511) | (op >> 20 & 7) << 16;
			}
		}
		qd_status st = dis(&f, words, 4 * (size_t)n, &text);
		UNIT_CHECK(t, st == QD_OK || (st == QD_E_INVALID && f.err.text[0]), "round %d", round);
	}
	free(words);
	buf_fini(&text);
	spirv_stop(&f);
}

const struct unit units_spirv_dis[] = {
	{ "spirv_dis.tables", tables },
	{ "spirv_dis.text", texts_of_words },
	{ "spirv_dis.truncated", dis_truncated },
	{ "spirv_dis.noise", dis_noise },
};
const unsigned n_units_spirv_dis = QD_COUNT(units_spirv_dis);
