/* AMD code on the device "emu": images as a back end generates them, from a descriptor and
 * hand-written code, with launches, streams and findings. t_emu_gcn.c tests instructions. */
#include <stdio.h>
#include <stdlib.h>

#include "amd.h"
#include "descriptor.h"
#include "device.h"
#include "emu.h"
#include "function.h"
#include "unit.h"

extern const struct unit units_emu_amd[];
extern const unsigned n_units_emu_amd;

/* -- Back end with a few kernels by name ------------------------------------------------ */

enum { CODE_AT = 256, DESCRIPTOR_VERSION = 5, ALL_SUBNORMALS = 3 };

#define RDNA_HEAD                                                                                  \
	"s_load_b128 s[4:7], s[0:1], 0x0\n s_load_b128 s[8:11], s[0:1], 0x10\n"                    \
	"s_load_b32 s3, s[0:1], 0x24\n s_waitcnt lgkmcnt(0)\n s_pack_ll_b32_b16 s5, s5, 4\n"       \
	"s_mov_b32 s7, 0x11027000\n s_pack_ll_b32_b16 s9, s9, 4\n s_mov_b32 s11, 0x11027000\n"     \
	"s_add_i32 s2, s2, s3\n v_lshl_add_u32 v1, s2, 6, v0\n"
#define RDNA_LOAD "buffer_load_b32 v2, v1, s[4:7], 0 idxen\n"
#define RDNA_STORE "buffer_store_b32 v2, v1, s[8:11], 0 idxen\n"

static const struct text {
	const char *kernel, *code;
	bool gcn; /* waves of 64, gfx9 */
	bool empty; /* no code after the descriptor */
} texts[] = {
	{ "copy", RDNA_HEAD RDNA_LOAD "s_waitcnt vmcnt(0)\n" RDNA_STORE "s_endpgm\n", false, false },
	{ "copy",
	  "s_load_dwordx4 s[4:7], s[0:1], 0x0\n s_load_dwordx4 s[8:11], s[0:1], 0x10\n"
	  "s_load_dword s3, s[0:1], 0x24\n s_waitcnt lgkmcnt(0)\n s_pack_ll_b32_b16 s5, s5, 4\n"
	  "s_mov_b32 s7, 0x27000\n s_pack_ll_b32_b16 s9, s9, 4\n s_mov_b32 s11, 0x27000\n"
	  "s_add_i32 s2, s2, s3\n v_lshl_add_u32 v1, s2, 6, v0\n"
	  "buffer_load_dword v2, v1, s[4:7], 0 idxen\n s_waitcnt vmcnt(0)\n"
	  "buffer_store_dword v2, v1, s[8:11], 0 idxen\n s_endpgm\n",
	  true, false },
	{ "scale", /* 2 x + 5, with 5 as a literal of the instruction */
	  RDNA_HEAD RDNA_LOAD "v_mov_b32_e32 v3, 2.0\n s_waitcnt vmcnt(0)\n v_cvt_f32_u32_e32 v2, v2\n"
		    "v_fmaak_f32 v2, v2, v3, 0x40a00000\n v_cvt_u32_f32_e32 v2, v2\n" RDNA_STORE "s_endpgm\n",
	  false, false },
	{ "unwaited", RDNA_HEAD RDNA_LOAD RDNA_STORE "s_endpgm\n", false, false },
	{ "reversed",
	  RDNA_HEAD "v_mov_b32_e32 v2, 1\n buffer_store_b32 v2, v1, s[4:7], 0 idxen\n s_endpgm\n", false,
	  false },
	{ "arguments",
	  "v_mov_b32_e32 v1, 0\n global_store_b32 v1, v1, s[0:1]\n s_endpgm\n", false, false },
	{ "outside",
	  RDNA_HEAD "s_load_b64 s[12:13], s[0:1], 0x10\n v_mov_b32_e32 v2, 0x20000\n"
		    "s_waitcnt lgkmcnt(0)\n global_store_b32 v2, v2, s[12:13]\n s_endpgm\n",
	  false, false },
	{ "forever", "s_branch 0xffff\n s_endpgm\n", false, false },
	{ "count",
	  "s_load_b64 s[4:5], s[0:1], 0x10\n v_mov_b32_e32 v1, 0\n v_mov_b32_e32 v2, 1\n"
	  "s_waitcnt lgkmcnt(0)\n global_atomic_add_u32 v1, v2, s[4:5]\n s_endpgm\n",
	  false, false },
	{ "work",
	  RDNA_HEAD RDNA_LOAD "s_waitcnt vmcnt(0)\n"
		    "v_add_nc_u32_e32 v2, 7, v2\n v_mul_lo_u32 v3, v2, v1\n v_xor_b32_e32 v2, v2, v3\n"
		    "v_lshrrev_b32_e32 v3, 3, v2\n v_add_nc_u32_e32 v2, v2, v3\n v_and_b32_e32 v3, 31, v0\n"
		    "v_cmp_gt_u32_e32 vcc_lo, 16, v3\n v_cndmask_b32_e32 v2, v2, v3, vcc_lo\n"
		    "v_add_nc_u32_e32 v2, v2, v1\n v_lshlrev_b32_e32 v3, 2, v2\n v_sub_nc_u32_e32 v2, v3, v2\n"
		    "v_max_u32_e32 v2, v2, v3\n v_add_nc_u32_e32 v2, v2, v1\n v_or_b32_e32 v2, v2, v3\n"
		    "v_min_u32_e32 v2, v2, v3\n" RDNA_STORE "s_endpgm\n",
	  false, false },
	{ "halves", /* gfx12 */
	  "s_load_b64 s[4:5], s[0:1], 0x10\n v_lshlrev_b32_e32 v1, 2, v0\n v_mov_b32_e32 v2, 0x9abc1234\n"
	  "v_mov_b32_e32 v3, 0\n v_and_b16 v3.l, 0x7fff, v2.h\n v_mov_b16_e32 v3.h, v2.l\n"
	  "s_wait_kmcnt 0x0\n global_store_b32 v1, v3, s[4:5]\n s_endpgm\n",
	  false, false },
	{ "op_sel", /* v_and_b16 v3, v2, v2, with a bit of a third source */
	  "v_mov_b32_e32 v2, 1\n .long 0xd7622003\n .long 0x00020502\n s_endpgm\n", false, false },
	{ "op_sel",
	  "v_mov_b32_e32 v2, 1\n v_mad_u32_u16 v3, v2, v2, v2 op_sel:[0,0,1,0]\n s_endpgm\n", true, false },
	{ "trap", "s_trap 2\n s_endpgm\n", false, false },
	{ "trap", "s_trap 2\n s_endpgm\n", true, false },
	{ "nothing", "s_endpgm\n", false, true },
};

static const struct gcn_target *
waves_of(const struct target *t)
{
	char name[sizeof t->m.name];

	snprintf(name, sizeof name, "%.*s", (int)strcspn(t->m.name, ":"), t->m.name);
	return gcn_target_find(name, t->m.lanes);
}

static const struct text *
text_of(const struct gcn_target *g, const char *kernel)
{
	for (size_t i = 0; i < QD_COUNT(texts); i++)
		if (texts[i].gcn == (g->gen < GCN_G10) && !strcmp(texts[i].kernel, kernel))
			return &texts[i];
	return NULL;
}

static bool
fill_descriptor(const struct gcn_target *g, uint8_t d[AMD_DESCRIPTOR_SIZE])
{
	static const struct {
		enum gcn_descriptor_id id;
		uint32_t value;
	} fields[] = {
		{ GCN_D_next_free_vgpr, 8 },
		{ GCN_D_user_sgpr_kernarg_segment_ptr, 1 },
		{ GCN_D_user_sgpr_count, 2 },
		{ GCN_D_system_sgpr_workgroup_id_x, 1 },
		{ GCN_D_float_denorm_mode_32, ALL_SUBNORMALS },
		{ GCN_D_float_denorm_mode_16_64, ALL_SUBNORMALS },
	};
	bool ok = true;

	for (size_t i = 0; i < QD_COUNT(fields); i++)
		ok &= gcn_descriptor_put(g, DESCRIPTOR_VERSION, d, fields[i].id, fields[i].value);
	if (g->gen >= GCN_G10)
		ok &= gcn_descriptor_put(g, DESCRIPTOR_VERSION, d, GCN_D_wavefront_size32, g->wave == 32);
	gcn_descriptor_entry(d, CODE_AT);
	return ok;
}

/* Attributes all code to the last statement of the kernel. */
static void
put_marks(const struct isa_in *in)
{
	struct isa_mark m = { .at = CODE_AT };

	for (uint32_t i = 1; i < in->body->ir.n; i++)
		m.pos = in->body->ir.pos[i] > m.pos ? in->body->ir.pos[i] : m.pos;
	buf_put(in->marks, &m, sizeof m);
}

static qd_status
emit(const struct isa_in *in, struct buf *code, struct isa_meta *meta, struct qd_error *err)
{
	const struct gcn_target *g = waves_of(in->target);
	const struct text *t = text_of(g, in->k->name);
	uint8_t head[CODE_AT] = { 0 };
	uint32_t words[128];
	size_t n = 0;

	if (!t || !fill_descriptor(g, head))
		return qd_fail(err, QD_E_INTERNAL, "no code for %s", in->k->name);
	QD_TRY(gcn_assemble(g, t->code, strlen(t->code), words, QD_COUNT(words), &n, err));
	buf_put(code, head, sizeof head);
	if (!t->empty)
		buf_put(code, words, n * sizeof *words);
	if (in->marks && strcmp(t->kernel, "forever"))
		put_marks(in);
	meta->wave_size = g->wave;
	meta->registers = 8;
	return QD_OK;
}

static bool
native(const struct machine *m, const struct query *q)
{
	(void)m, (void)q;
	return true;
}

static const struct isa isa_test = { .name = "gfx", .number = 1000, .version = 1, .emit = emit };

static bool
make_target(const char *name, uint32_t lanes, struct target *t)
{
	struct qd_error e;

	if (isa_target("ref:w32", t, &e))
		return false;
	t->isa = &isa_test;
	t->m.subgroup_size = t->m.lanes = lanes;
	t->m.log2_size = t->m.log2_lanes = qd_log2(lanes);
	t->m.native = native;
	snprintf(t->m.name, sizeof t->m.name, "%s:w%u", name, lanes);
	return true;
}

static qd_status
open_here(struct qd_context *ctx, const struct selector *sel, struct qd_device **out,
	  struct qd_error *err)
{
	const struct gcn_target *g = gcn_target_find(sel->which, 0);
	uint32_t lanes = sel->size ? sel->size : g->wave;
	struct target t;

	if (!make_target(sel->which, lanes, &t))
		return QD_E_INTERNAL;
	return emu_open(ctx, &emu_amd, &t, sel->which, out, err);
}

/* -- A device with streams ------------------------------------------------------------------ */

static const char module_text[] =
	"kernel copy(src: in u32[], dst: u32[]) block(64) { for i in grid(src.len) { dst[i] = src[i]; } }\n"
	"kernel scale(src: in u32[], dst: u32[]) block(64) { for i in grid(src.len) { dst[i] = src[i]; } }\n"
	"kernel unwaited(src: in u32[], dst: u32[]) block(64) {\n"
	"  for i in grid(src.len) { dst[i] = src[i]; } }\n"
	"kernel reversed(src: in u32[], dst: u32[]) block(64) {\n  dst[0] = src[0]; }\n"
	"kernel arguments(src: in u32[], dst: u32[]) block(64) {\n  dst[0] = src[0]; }\n"
	"kernel outside(src: in u32[], dst: u32[]) block(64) {\n  dst[0] = src[0]; }\n"
	"kernel forever(src: in u32[], dst: u32[]) block(64) { dst[0] = src[0]; }\n"
	"kernel count(src: in u32[], dst: u32[]) block(64) { dst[0] = src[0]; }\n"
	"kernel work(src: in u32[], dst: u32[]) block(64) { dst[0] = src[0]; }\n"
	"kernel halves(src: in u32[], dst: u32[]) block(64) { dst[0] = src[0]; }\n"
	"kernel op_sel(src: in u32[], dst: u32[]) block(64) { dst[0] = src[0]; }\n"
	"kernel trap(src: in u32[], dst: u32[]) block(64) { dst[0] = src[0]; }\n"
	"kernel nothing(src: in u32[], dst: u32[]) block(64) { dst[0] = src[0]; }\n";

enum { N = 1000 };

struct rig {
	struct unit_ctx *t;
	struct unit_alloc mem;
	struct qd_context *ctx;
	struct driver driver;
	struct qd_device *dev;
	struct qd_module *module;
	struct qd_stream *stream;
	struct qd_buffer *src, *dst;
	struct qd_error e;
};

static bool
rig_open(struct rig *r, struct unit_ctx *t, const char *name, uint32_t lanes)
{
	struct selector sel = { .driver = "emu", .size = lanes };
	uint32_t words[N];
	qd_status st;

	*r = (struct rig){ .t = t, .driver = driver_emu };
	unit_alloc_init(&r->mem);
	struct qd_context_desc desc = { .version = QD_VERSION, .allocator = unit_alloc_hooks(&r->mem) };
	r->driver.open = open_here;
	snprintf(sel.which, sizeof sel.which, "%s", name);
	for (uint32_t i = 0; i < N; i++)
		words[i] = i * 3 + 1;
	st = qd_context_create(&desc, &r->ctx, &r->e);
	st = st ? st : device_open_with(r->ctx, &r->driver, &sel, &r->dev, &r->e);
	st = st ? st : qd_module_parse(r->ctx, module_text, strlen(module_text), "t.qdk", &r->module, &r->e);
	st = st ? st : qd_stream_create(r->dev, &r->stream, &r->e);
	st = st ? st : qd_buffer_create(r->dev, N * 4, 0, &r->src, &r->e);
	st = st ? st : qd_buffer_create(r->dev, N * 4, 0, &r->dst, &r->e);
	st = st ? st : qd_buffer_upload(r->stream, r->src, 0, words, sizeof words, &r->e);
	UNIT_CHECK(t, !st, "%s", r->e.text);
	return !st;
}

static void
rig_close(struct rig *r)
{
	qd_buffer_free(r->src);
	qd_buffer_free(r->dst);
	qd_stream_free(r->stream);
	qd_module_free(r->module);
	qd_device_close(r->dev);
	qd_context_free(r->ctx);
	UNIT_CHECK(r->t, !r->mem.n_out, "%zu blocks are not freed", r->mem.n_out);
	unit_alloc_fini(&r->mem);
}

static qd_status
get(struct rig *r, const char *name, struct qd_function **fn, struct qd_error *e)
{
	struct qd_kernel *k = NULL;
	qd_status st = qd_module_kernel(r->module, name, NULL, 0, &k, e);

	*fn = NULL;
	st = st ? st : qd_function_get(r->dev, k, NULL, 0, fn, e);
	qd_kernel_free(k);
	return st;
}

static qd_status
launch(struct rig *r, struct qd_stream *s, struct qd_function *fn, uint32_t n_blocks, struct qd_error *e)
{
	struct qd_arg args[2] = { qd_arg_buffer(r->src), qd_arg_buffer(r->dst) };

	return qd_launch(s, fn, n_blocks, args, 2, e);
}

static qd_status
launch_one(struct rig *r, const char *name, uint32_t n_blocks)
{
	struct qd_function *fn;
	qd_status st = get(r, name, &fn, &r->e);

	st = st ? st : launch(r, r->stream, fn, n_blocks, &r->e);
	st = st ? st : qd_stream_sync(r->stream, &r->e);
	qd_function_free(fn);
	return st;
}

/* -- Tests ------------------------------------------------------------------------------------ */

/* Checks a guarded copy with an incomplete last block, with waves of both sizes. */
static void
copies(struct unit_ctx *t)
{
	static const struct {
		const char *name, *kernel;
		uint32_t lanes, factor, more;
	} rows[] = { { "gfx1100", "copy", 32, 1, 0 }, { "gfx1100", "copy", 64, 1, 0 },
		     { "gfx906", "copy", 64, 1, 0 }, { "gfx1100", "scale", 32, 2, 5 } };
	static uint32_t got[N];
	struct rig r;

	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		uint32_t n_wrong = 0;
		if (rig_open(&r, t, rows[i].name, rows[i].lanes)) {
			UNIT_CHECK(t, !launch_one(&r, rows[i].kernel, QD_GRID), "%s w%u: %s", rows[i].name,
				   rows[i].lanes, r.e.text);
			qd_buffer_download(r.stream, r.dst, 0, got, sizeof got, &r.e);
			for (uint32_t k = 0; k < N; k++)
				n_wrong += got[k] != (k * 3 + 1) * rows[i].factor + rows[i].more;
			UNIT_CHECK(t, !n_wrong, "%s w%u: %u words are wrong", rows[i].name, rows[i].lanes,
				   n_wrong);
		}
		rig_close(&r);
	}
}

/* Checks that a finding reports its position as far as known, its offset and the seed. */
static void
findings(struct unit_ctx *t)
{
	static const struct {
		const char *kernel, *begins, *has, *ends;
	} rows[] = {
		{ "unwaited", "t.qdk:4:", ": offset 0x48: buffer_store_b32 v2, v1, s[8:11], 0 idxen: no wait covers v2, in flight from offset 0x40 (seed ",
		  ", in the code of kernel unwaited)" },
		{ "reversed", "t.qdk:6:", "are outside the memory that the launch may write (seed ", " of kernel reversed)" },
		{ "arguments", "t.qdk:8:", "4 bytes at 0x3000000000000 are outside the memory that the launch may write", "arguments)" },
		{ "outside", "t.qdk:10:", "are outside the memory that the launch may write", "outside)" },
		{ "forever", "kernel 'forever': finding: block (0, 0, 0), wave ",
		  ": offset 0x0: s_branch 65535: the wave has executed 500 instructions and has not ended (seed ", ", in its code)" },
	};
	char *old = getenv("QD_EMU_STEPS"), *kept = old ? strdup(old) : NULL;
	struct rig r;

	setenv("QD_EMU_STEPS", "500", 1);
	if (rig_open(&r, t, "gfx1100", 0)) {
		for (size_t i = 0; i < QD_COUNT(rows); i++) {
			qd_status st = launch_one(&r, rows[i].kernel, 1);
			size_t len = strlen(r.e.text), end = strlen(rows[i].ends);
			UNIT_CHECK(t, st == QD_E_FINDING &&
					      !strncmp(r.e.text, rows[i].begins, strlen(rows[i].begins)) &&
					      strstr(r.e.text, rows[i].has) && len > end &&
					      !strcmp(r.e.text + len - end, rows[i].ends),
				   "%s: %d, %s", rows[i].kernel, (int)st, r.e.text);
		}
		UNIT_CHECK(t, !launch_one(&r, "copy", QD_GRID), "%s", r.e.text);
	}
	rig_close(&r);
	if (kept)
		setenv("QD_EMU_STEPS", kept, 1);
	else
		unsetenv("QD_EMU_STEPS");
	free(kept);
}

/* Checks that halves of registers are read and written on gfx12, and that an op_sel without a
 * meaning here, and a trap, are findings. */
static void
halves(struct unit_ctx *t)
{
	static const struct {
		const char *target, *has, *kernel;
	} rows[] = {
		{ "gfx906", "v_mad_u32_u16 v3, v2, v2, v2 op_sel:[0,0,1,0]: this op_sel is not emulated", "op_sel" },
		{ "gfx1200", "v_and_b16 v3, v2, v2: this op_sel is not emulated", "op_sel" },
		{ "gfx906", "s_trap 2: the kernel executed a trap", "trap" },
		{ "gfx1200", "s_trap 2: the kernel executed a trap", "trap" },
	};
	static uint32_t got[N];
	uint32_t n_wrong = 0;
	struct rig r;

	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		if (rig_open(&r, t, rows[i].target, 0)) {
			qd_status st = launch_one(&r, rows[i].kernel, 1);
			UNIT_CHECK(t, st == QD_E_FINDING && strstr(r.e.text, rows[i].has), "%s: %d, %s",
				   rows[i].target, (int)st, r.e.text);
		}
		rig_close(&r);
	}
	if (rig_open(&r, t, "gfx1200", 0)) {
		UNIT_CHECK(t, !launch_one(&r, "halves", 1), "%s", r.e.text);
		qd_buffer_download(r.stream, r.dst, 0, got, sizeof got, &r.e);
		for (uint32_t k = 0; k < 64; k++)
			n_wrong += got[k] != 0x12341abc;
		UNIT_CHECK(t, !n_wrong, "%u words are wrong: %08x", n_wrong, got[0]);
	}
	rig_close(&r);
}

/* Checks that the seed of a finding, set on a device, reproduces it in the first launch. */
static void
seeds(struct unit_ctx *t)
{
	char *old = getenv("QD_EMU_SEED"), *kept = old ? strdup(old) : NULL;
	char seed[24] = "", first[1024];
	struct rig r;

	setenv("QD_EMU_SEED", "40", 1);
	if (rig_open(&r, t, "gfx1100", 0)) {
		launch_one(&r, "copy", QD_GRID);
		launch_one(&r, "copy", QD_GRID);
		launch_one(&r, "unwaited", 8);
		const char *at = strstr(r.e.text, "(seed ");
		snprintf(first, sizeof first, "%s", r.e.text);
		UNIT_CHECK(t, at && sscanf(at, "(seed %20[0-9]", seed) == 1 && !strcmp(seed, "42"), "%s",
			   r.e.text);
	}
	rig_close(&r);
	setenv("QD_EMU_SEED", seed, 1);
	if (rig_open(&r, t, "gfx1100", 0)) {
		launch_one(&r, "unwaited", 8);
		UNIT_CHECK(t, !strcmp(first, r.e.text), "%s\nand with the seed: %s", first, r.e.text);
	}
	rig_close(&r);
	if (kept)
		setenv("QD_EMU_SEED", kept, 1);
	else
		unsetenv("QD_EMU_SEED");
	free(kept);
}

/* Checks the descriptions of devices and functions, and the errors for invalid images. */
static void
described(struct unit_ctx *t)
{
	struct target mine, other;
	struct qd_device_info info;
	struct qd_function_info about;
	struct qd_function *fn;
	struct rig r;

	if (!rig_open(&r, t, "gfx1100", 0)) {
		rig_close(&r);
		return;
	}
	qd_device_info(r.dev, &info, &r.e);
	UNIT_CHECK(t, !strcmp(info.selector, "emu:gfx1100") && !strcmp(info.name, "AMD wave emulator") &&
			      info.subgroup_size == 32 && info.min_subgroup_size == 32 &&
			      info.max_subgroup_size == 64,
		   "%s, %s, %u, %u to %u", info.selector, info.name, info.subgroup_size,
		   info.min_subgroup_size, info.max_subgroup_size);
	UNIT_CHECK(t, !get(&r, "copy", &fn, &r.e) && !qd_function_info(fn, &about, &r.e) &&
			      about.registers == 8 && about.hardware_size == 32 && !about.shared_size,
		   "%s: %u registers, %u lanes", r.e.text, about.registers, about.hardware_size);
	qd_function_free(fn);
	UNIT_CHECK(t, get(&r, "nothing", &fn, &r.e) == QD_E_INVALID &&
			      !strcmp(r.e.text, "kernel 'nothing': the image is not for gfx1100:w32"),
		   "%s", r.e.text);
	rig_close(&r);

	UNIT_CHECK(t, make_target("gfx1100", 32, &mine) && make_target("gfx1100", 64, &other) &&
			      emu_amd.runs(&mine, &other),
		   "the other wave size is refused");
	UNIT_CHECK(t, make_target("gfx110", 32, &other) && !emu_amd.runs(&mine, &other) &&
			      make_target("gfx1101", 32, &other) && !emu_amd.runs(&mine, &other),
		   "another processor's code is taken");
}

/* -- Streams of several threads ---------------------------------------------------------------- */

enum { N_THREADS = 2, N_LAUNCHES = 20, N_BLOCKS = 3 };

struct worker {
	struct rig *r;
	struct qd_function *count;
	struct qd_error e;
	qd_status st;
};

static void *
work(void *p)
{
	struct worker *w = p;
	struct qd_stream *s = NULL;

	w->st = qd_stream_create(w->r->dev, &s, &w->e);
	for (unsigned i = 0; i < N_LAUNCHES && !w->st; i++) {
		w->st = launch(w->r, s, w->count, N_BLOCKS, &w->e);
		w->st = w->st ? w->st : qd_stream_sync(s, &w->e);
	}
	qd_stream_free(s);
	return NULL;
}

/* Checks concurrent launches of several threads that count in one word. */
static void
threads(struct unit_ctx *t)
{
	struct worker w[N_THREADS];
	pthread_t thread[N_THREADS];
	struct qd_function *fn = NULL;
	uint32_t n = 0;
	struct rig r;

	if (rig_open(&r, t, "gfx1100", 0) && !get(&r, "count", &fn, &r.e)) {
		for (unsigned i = 0; i < N_THREADS; i++) {
			w[i] = (struct worker){ .r = &r, .count = fn };
			UNIT_CHECK(t, !pthread_create(&thread[i], NULL, work, &w[i]), "no thread");
		}
		for (unsigned i = 0; i < N_THREADS; i++) {
			pthread_join(thread[i], NULL);
			UNIT_CHECK(t, !w[i].st, "%s", w[i].e.text);
		}
		qd_buffer_download(r.stream, r.dst, 0, &n, sizeof n, &r.e);
	}
	UNIT_CHECK(t, n == N_THREADS * N_LAUNCHES * N_BLOCKS * 64, "counted %u", n);
	qd_function_free(fn);
	rig_close(&r);
}

/* Fails each allocation of a function and its launch once, which must be reported and not leak. */
static void
short_of_memory(struct unit_ctx *t)
{
	size_t n = 0;
	bool failed = true;

	while (failed && n < 500) {
		struct rig r;
		if (!rig_open(&r, t, "gfx1100", 0))
			failed = false;
		r.mem.fail_at = r.mem.n_calls + ++n;
		qd_status st = launch_one(&r, "copy", QD_GRID);
		failed = failed && r.mem.failed_size;
		UNIT_CHECK(t, st == QD_OK || (failed && st == QD_E_NOMEM), "allocation %zu: %d, %s", n, (int)st,
			   r.e.text);
		rig_close(&r);
	}
	UNIT_CHECK(t, n > 5 && n < 500, "%zu allocations", n);
}

/* Checks that launches allocate memory only until the stream has enough. QD_TEST_VERBOSE prints the
 * time of a launch. */
static void
again(struct unit_ctx *t)
{
	const char *many = getenv("QD_TEST_VERBOSE");
	unsigned n = many ? 20000 : 50;
	struct qd_function *fn = NULL;
	uint64_t from, to;
	struct rig r;

	if (rig_open(&r, t, "gfx1100", 0) && !get(&r, "work", &fn, &r.e)) {
		qd_status st = launch(&r, r.stream, fn, 1, &r.e);
		size_t n_calls = r.mem.n_calls;
		from = clock_ns();
		for (unsigned i = 0; i < n && !st; i++)
			st = launch(&r, r.stream, fn, 1, &r.e);
		to = clock_ns();
		st = st ? st : qd_stream_sync(r.stream, &r.e);
		UNIT_CHECK(t, !st && r.mem.n_calls < n_calls + n / 5, "%s; %zu allocations", r.e.text,
			   r.mem.n_calls - n_calls);
		if (many)
			printf("a launch of 64 threads, 29 instructions: %.1f us\n",
			       (double)(to - from) / n / 1000);
	}
	qd_function_free(fn);
	rig_close(&r);
}

const struct unit units_emu_amd[] = {
	{ "emu_amd.copies", copies },
	{ "emu_amd.findings", findings },
	{ "emu_amd.halves", halves },
	{ "emu_amd.seeds", seeds },
	{ "emu_amd.described", described },
	{ "emu_amd.threads", threads },
	{ "emu_amd.short_of_memory", short_of_memory },
	{ "emu_amd.again", again },
};
const unsigned n_units_emu_amd = QD_COUNT(units_emu_amd);
