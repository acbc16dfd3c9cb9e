#include <stdio.h>

#include "descriptor.h"
#include "bringup_kernel.h"

/* -- Words that depend on the generation ---------------------------------------------- */

enum { G9, G10, G11, G12, N_DIALECT };

/* Replacements of $name in assembler text. Registers of a kernel: s[0:1] the address of the
 * arguments, s13 to s15 the block index, v0 the lane in the block. With thirteen user registers
 * every target has sixteen, as two targets require. See LLVM's AMDGPU usage guide, "Initial Kernel
 * Execution State". */
static const struct word {
	const char *name, *text[N_DIALECT];
} words[] = {
	{ "load2", { "s_load_dwordx2", "s_load_dwordx2", "s_load_b64", "s_load_b64" } },
	{ "load4", { "s_load_dwordx4", "s_load_dwordx4", "s_load_b128", "s_load_b128" } },
	{ "fetch",
	  { "global_load_dword", "global_load_dword", "global_load_b32", "global_load_b32" } },
	{ "store",
	  { "global_store_dword", "global_store_dword", "global_store_b32", "global_store_b32" } },
	{ "atomic_add",
	  { "global_atomic_add", "global_atomic_add", "global_atomic_add_u32",
	    "global_atomic_add_u32" } },
	{ "add", { "v_add_u32_e32", "v_add_nc_u32_e32", "v_add_nc_u32_e32", "v_add_nc_u32_e32" } },
	{ "sub", { "v_sub_u32_e32", "v_sub_nc_u32_e32", "v_sub_nc_u32_e32", "v_sub_nc_u32_e32" } },
	{ "shared_put", { "ds_write_b32", "ds_write_b32", "ds_store_b32", "ds_store_b32" } },
	{ "shared_get", { "ds_read_b32", "ds_read_b32", "ds_load_b32", "ds_load_b32" } },
	{ "wait_args",
	  { "s_waitcnt lgkmcnt(0)", "s_waitcnt lgkmcnt(0)", "s_waitcnt lgkmcnt(0)",
	    "s_wait_kmcnt 0x0" } },
	{ "wait_fetch",
	  { "s_waitcnt vmcnt(0)", "s_waitcnt vmcnt(0)", "s_waitcnt vmcnt(0)",
	    "s_wait_loadcnt 0x0" } },
	{ "wait_shared",
	  { "s_waitcnt lgkmcnt(0)", "s_waitcnt lgkmcnt(0)", "s_waitcnt lgkmcnt(0)",
	    "s_wait_dscnt 0x0" } },
	{ "barrier",
	  { "s_barrier", "s_barrier", "s_barrier", "s_barrier_signal -1\ns_barrier_wait -1" } },
	{ "block",
	  { "", "", "",
	    "s_mov_b32 s13, ttmp9\ns_and_b32 s14, ttmp7, 0xffff\ns_lshr_b32 s15, ttmp7, 16" } },
};
#define PACKED "v_bfe_u32 v2, v0, 20, 10\nv_bfe_u32 v1, v0, 10, 10\nv_and_b32_e32 v0, 0x3ff, v0"

/* -- The kernels -------------------------------------------------------------------------- */

enum { GOOD = 0x600dcafe, OTHER = 0x600dbeef };

static uint32_t
want_ids(uint32_t i, const uint32_t *in, uint32_t wave)
{
	(void)in, (void)wave;
	return i / 64 << 16 | i % 64;
}

static uint32_t
want_ids3(uint32_t i, const uint32_t *in, uint32_t wave)
{
	uint32_t block = i / 64, lane = i % 64;

	(void)in, (void)wave;
	return block % 5 | block / 5 % 7 << 4 | block / 35 << 8 | lane % 4 << 12 |
	       lane / 4 % 2 << 16 | lane / 8 << 20;
}

static uint32_t
want_shared(uint32_t i, const uint32_t *in, uint32_t wave)
{
	(void)in, (void)wave;
	return 3 * (191 - i);
}

static uint32_t
want_step(uint32_t i, const uint32_t *in, uint32_t wave)
{
	(void)wave;
	return in[i] + 7;
}

static uint32_t
want_registers(uint32_t i, const uint32_t *in, uint32_t wave)
{
	(void)in, (void)wave;
	return 5 * i + 1;
}

static uint32_t
want_lane(uint32_t i, const uint32_t *in, uint32_t wave)
{
	(void)in;
	return i % wave;
}

/* $lanes: x, y, z of the lane in v0, v1, v2. */
static const struct kernel {
	const char *text;
	uint32_t registers; /* vector registers */
	uint32_t shared;    /* bytes */
	struct bringup_shape shape;
} kernels[BRINGUP_N_KERNEL] = {
	[BRINGUP_END] = { "s_endpgm\n", 1, 0, { { 1, 1, 1 }, { 64, 1, 1 }, 0, NULL, 0 } },
#define CONSTANT(value)                                                                            \
	"$load2 s[4:5], s[0:1], 0x0\n"                                                             \
	"v_mov_b32_e32 v1, 0\n"                                                                    \
	"v_mov_b32_e32 v2, " value "\n"                                                            \
	"$wait_args\n"                                                                             \
	"$store v1, v2, s[4:5]\n"                                                                  \
	"s_endpgm\n"
	[BRINGUP_CONSTANT] = { CONSTANT("0x600dcafe"),
			      3,
			      0,
			      { { 1, 1, 1 }, { 1, 1, 1 }, 1, NULL, GOOD } },
	[BRINGUP_CONSTANT2] = { CONSTANT("0x600dbeef"),
			       3,
			       0,
			       { { 1, 1, 1 }, { 1, 1, 1 }, 1, NULL, OTHER } },
	/* Far more blocks than the dies of any device: MI300 has eight. */
	[BRINGUP_IDS] = { "$load2 s[4:5], s[0:1], 0x0\n"
			 "$lanes\n"
			 "$block\n"
			 "s_lshl_b32 s6, s13, 6\n"
			 "s_lshl_b32 s7, s13, 16\n"
			 "$add v1, s6, v0\n"
			 "v_or_b32_e32 v2, s7, v0\n"
			 "v_lshlrev_b32_e32 v1, 2, v1\n"
			 "$wait_args\n"
			 "$store v1, v2, s[4:5]\n"
			 "s_endpgm\n",
			 3,
			 0,
			 { { 200, 1, 1 }, { 64, 1, 1 }, 200 * 64, want_ids, 0 } },
	/* i = 64 * ((z * 7 + y) * 5 + x of the block) + 4 * (2 * z + y) + x of the lane */
	[BRINGUP_IDS3] = { "$load2 s[4:5], s[0:1], 0x0\n"
			  "$lanes\n"
			  "$block\n"
			  "s_mul_i32 s6, s15, 7\n"
			  "s_add_u32 s6, s6, s14\n"
			  "s_mul_i32 s6, s6, 5\n"
			  "s_add_u32 s6, s6, s13\n"
			  "s_lshl_b32 s6, s6, 6\n"
			  "s_lshl_b32 s7, s14, 4\n"
			  "s_or_b32 s7, s7, s13\n"
			  "s_lshl_b32 s8, s15, 8\n"
			  "s_or_b32 s7, s7, s8\n"
			  "v_lshlrev_b32_e32 v3, 1, v2\n"
			  "$add v3, v3, v1\n"
			  "v_lshlrev_b32_e32 v3, 2, v3\n"
			  "$add v3, v3, v0\n"
			  "$add v3, s6, v3\n"
			  "v_lshlrev_b32_e32 v3, 2, v3\n"
			  "v_lshlrev_b32_e32 v0, 12, v0\n"
			  "v_lshlrev_b32_e32 v1, 16, v1\n"
			  "v_lshlrev_b32_e32 v2, 20, v2\n"
			  "v_or_b32_e32 v0, v0, v1\n"
			  "v_or_b32_e32 v0, v0, v2\n"
			  "v_or_b32_e32 v0, s7, v0\n"
			  "$wait_args\n"
			  "$store v3, v0, s[4:5]\n"
			  "s_endpgm\n",
			  4,
			  0,
			  { { 5, 7, 6 }, { 4, 2, 8 }, 210 * 64, want_ids3, 0 } },
	[BRINGUP_SHARED] = { "$load2 s[4:5], s[0:1], 0x0\n"
			    "$lanes\n"
			    "v_lshlrev_b32_e32 v1, 2, v0\n"
			    "$add v2, v0, v0\n"
			    "$add v2, v2, v0\n"
			    "$shared_put v1, v2\n"
			    "$sub v3, 0x2fc, v1\n"
			    "$wait_shared\n"
			    "$barrier\n"
			    "$shared_get v2, v3\n"
			    "$wait_args\n"
			    "$wait_shared\n"
			    "$store v1, v2, s[4:5]\n"
			    "s_endpgm\n",
			    4,
			    768,
			    { { 1, 1, 1 }, { 192, 1, 1 }, 192, want_shared, 0 } },
	[BRINGUP_STEP] = { "$load4 s[4:7], s[0:1], 0x0\n"
			  "$lanes\n"
			  "$block\n"
			  "s_lshl_b32 s8, s13, 6\n"
			  "$add v1, s8, v0\n"
			  "v_lshlrev_b32_e32 v1, 2, v1\n"
			  "$wait_args\n"
			  "$fetch v2, v1, s[6:7]\n"
			  "$wait_fetch\n"
			  "$add v2, 7, v2\n"
			  "$store v1, v2, s[4:5]\n"
			  "s_endpgm\n",
			  3,
			  0,
			  { { 4, 1, 1 }, { 64, 1, 1 }, 256, want_step, 0 } },
	[BRINGUP_ATOMIC] = { "$load2 s[4:5], s[0:1], 0x0\n"
			    "v_mov_b32_e32 v1, 0\n"
			    "v_mov_b32_e32 v2, 1\n"
			    "$wait_args\n"
			    "$atomic_add v1, v2, s[4:5]\n"
			    "s_endpgm\n",
			    3,
			    0,
			    { { 16, 1, 1 }, { 64, 1, 1 }, 1, NULL, 16 * 64 } },
	[BRINGUP_REGISTERS] = { "$load2 s[4:5], s[0:1], 0x0\n"
			       "$lanes\n"
			       "v_lshlrev_b32_e32 v1, 2, v0\n"
			       "$add v255, v1, v0\n"
			       "v_mov_b32_e32 v2, 0\n"
			       "$add v254, 1, v255\n"
			       "$wait_args\n"
			       "$store v1, v254, s[4:5]\n"
			       "s_endpgm\n",
			       256,
			       0,
			       { { 1, 1, 1 }, { 64, 1, 1 }, 64, want_registers, 0 } },
	[BRINGUP_LANE] = { "$load2 s[4:5], s[0:1], 0x0\n"
			  "$lanes\n"
			  "v_lshlrev_b32_e32 v1, 2, v0\n"
			  "v_mbcnt_lo_u32_b32 v2, -1, 0\n"
			  "v_mbcnt_hi_u32_b32 v2, -1, v2\n"
			  "$wait_args\n"
			  "$store v1, v2, s[4:5]\n"
			  "s_endpgm\n",
			  3,
			  0,
			  { { 1, 1, 1 }, { 128, 1, 1 }, 128, want_lane, 0 } },
};

uint32_t
bringup_want(const struct bringup_shape *s, uint32_t i, const uint32_t *in, uint32_t wave)
{
	return s->want ? s->want(i, in, wave) : s->word;
}

const struct bringup_shape *
bringup_shape(enum bringup_kernel which)
{
	return &kernels[which].shape;
}

/* -- Text to code --------------------------------------------------------------------------- */

enum { TEXT_MAX = 2048, CODE_AT = 256, AHEAD = 1024, VERSION = 5 };
enum { USER_REGISTERS = 13, SCALAR_REGISTERS = 32, ARGS_SIZE = 16 };

static int
dialect_of(const struct gcn_target *t)
{
	return t->gen >= GCN_G12 ? G12 : t->gen == GCN_G11 ? G11 : t->gen == GCN_G10 ? G10 : G9;
}

static bool
packed(const struct gcn_target *t)
{
	return t->gen >= GCN_G90A && t->gen != GCN_G10;
}

/* Returns the replacement of a name; NULL: unknown. */
static const char *
word_of(const struct gcn_target *t, const char *name, size_t len)
{
	if (len == strlen("lanes") && memcmp(name, "lanes", len) == 0)
		return packed(t) ? PACKED : "";
	for (size_t i = 0; i < QD_COUNT(words); i++)
		if (strlen(words[i].name) == len && memcmp(words[i].name, name, len) == 0)
			return words[i].text[dialect_of(t)];
	return NULL;
}

static qd_status
expand(const struct gcn_target *t, const char *text, char *out, size_t *n, struct qd_error *err)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz_0123456789";

	for (*n = 0; *text;) {
		const char *from = text;
		size_t len = 1, skip = 1;

		if (*text == '$') {
			skip = 1 + strspn(text + 1, letters);
			from = word_of(t, text + 1, skip - 1);
			if (!from)
				return qd_fail(err, QD_E_INVALID, "'%.*s' is not a placeholder",
					       (int)skip, text);
			len = strlen(from);
		}
		if (*n + len > TEXT_MAX)
			return qd_fail(err, QD_E_LIMIT, "the text has more than %d bytes",
				       TEXT_MAX);
		memcpy(out + *n, from, len);
		*n += len;
		text += skip;
	}
	return QD_OK;
}

static void
describe(const struct gcn_target *t, const struct kernel *k, uint8_t *d)
{
	const struct {
		enum gcn_descriptor_id id;
		uint32_t value;
	} rows[] = {
		{ GCN_D_next_free_vgpr, k->registers },
		{ GCN_D_accum_offset, (k->registers + 3) / 4 * 4 },
		{ GCN_D_next_free_sgpr, SCALAR_REGISTERS },
		{ GCN_D_float_denorm_mode_32, 3 },
		{ GCN_D_float_denorm_mode_16_64, 3 },
		{ GCN_D_dx10_clamp, 1 },
		{ GCN_D_memory_ordered, 1 },
		{ GCN_D_forward_progress, 1 },
		{ GCN_D_user_sgpr_count, USER_REGISTERS },
		{ GCN_D_user_sgpr_kernarg_segment_ptr, 1 },
		{ GCN_D_system_sgpr_workgroup_id_x, 1 },
		{ GCN_D_system_sgpr_workgroup_id_y, 1 },
		{ GCN_D_system_sgpr_workgroup_id_z, 1 },
		{ GCN_D_system_vgpr_workitem_id, 2 },
		{ GCN_D_wavefront_size32, t->wave == 32 },
		{ GCN_D_group_segment_fixed_size, k->shared },
		{ GCN_D_kernarg_size, ARGS_SIZE },
	};

	/* Fields that the target lacks remain 0. */
	for (size_t i = 0; i < QD_COUNT(rows); i++)
		gcn_descriptor_put(t, VERSION, d, rows[i].id, rows[i].value);
	gcn_descriptor_entry(d, CODE_AT);
}

qd_status
bringup_code(const struct gcn_target *t, enum bringup_kernel which, struct bringup_code *out,
	    struct qd_error *err)
{
	const struct kernel *k = &kernels[which];
	size_t n = 0, len, end;
	char text[TEXT_MAX];

	memset(out, 0, sizeof *out);
	QD_TRY(expand(t, k->text, text, &len, err));
	QD_TRY(gcn_assemble(t, text, len, out->words + CODE_AT / 4,
			    (BRINGUP_CODE_MAX - CODE_AT - AHEAD) / 4, &n, err));
	end = CODE_AT / 4 + n;
	for (size_t i = 0; i < AHEAD / 4; i++)
		out->words[end + i] = gcn_filler(t);
	out->size = (end + AHEAD / 4) * 4;
	describe(t, k, (uint8_t *)out->words);
	return QD_OK;
}
