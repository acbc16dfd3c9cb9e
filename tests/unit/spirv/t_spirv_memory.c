/* Memory in SPIR-V modules: types and access of buffers and shared arrays, layout of the
 * arguments. */
#include "t_spirv.h"
#include "t_vulkan.h"

extern const struct unit units_spirv_memory[];
extern const unsigned n_units_spirv_memory;

struct copy {
	uint32_t i, in, x;
};

/* Emits x = src[i] if i < len; dst[i] = x, twice. */
static struct copy
start_copy(struct spirv_fx *f, struct unit_ctx *t)
{
	struct copy k;

	spirv_start(f, t, "spirv", QD_TYPE_F32);
	k.i = spirv_push(f, OP_THREAD_IDX, QD_TYPE_U32, 0, 0, 0, 0);
	uint32_t len = spirv_push(f, OP_LEN, QD_TYPE_U32, 0, 0, 0, SRC);
	k.in = spirv_push(f, OP_LT, QD_TYPE_BOOL, k.i, len, 0, 0);
	k.x = spirv_load(f, k.i, k.in);
	spirv_store(f, k.i, k.x, 0);
	spirv_push(f, OP_LOAD, QD_TYPE_F32, k.i, k.x, k.in, DST);
	spirv_must_emit(f);
	return k;
}

/* Checks that accesses are marked NonPrivate, except to buffers that the kernel does not write. */
static void
access_operands(struct unit_ctx *t)
{
	struct spirv_fx f;

	start_copy(&f, t);
	uint32_t loads = 0;
	EACH(&f, j) {
		uint32_t n = f.w[j] >> 16;
		if (OPCODE(&f, j) == SPV_Load && n == 6) {
			uint32_t want = SPV_MemoryAccess_Aligned |
					(loads++ ? SPV_MemoryAccess_NonPrivatePointer : 0);
			UNIT_CHECK(t, f.w[j + 4] == want && f.w[j + 5] == 4, "load %u", loads);
		} else if (OPCODE(&f, j) == SPV_Store) {
			UNIT_CHECK(t, n == 5 && f.w[j + 3] == (SPV_MemoryAccess_Aligned |
							       SPV_MemoryAccess_NonPrivatePointer),
				   "store");
		}
	}
	/* Each load has a select for its index and one for its value. The only branch is that of
	 * the head. */
	UNIT_CHECK(t, loads == 2 && spirv_count(&f, SPV_Select) == 4, "%u loads", loads);
	UNIT_CHECK(t, spirv_count(&f, SPV_BranchConditional) == 1, "%u branches",
		   spirv_count(&f, SPV_BranchConditional));
	spirv_stop(&f);
}

/* Checks that a guarded load widens the selected index, and that other accesses widen an index once
 * in a block. */
static void
one_widening(struct unit_ctx *t)
{
	struct spirv_fx f;

	struct copy k = start_copy(&f, t);

	/* Two loads, and a store in a block of its own. */
	UNIT_CHECK(t, spirv_count(&f, SPV_UConvert) == 3, "%u", spirv_count(&f, SPV_UConvert));
	spirv_store(&f, k.i, k.x, k.in);
	spirv_load(&f, k.i, k.in);
	spirv_must_emit(&f);
	UNIT_CHECK(t, spirv_count(&f, SPV_UConvert) == 5, "%u", spirv_count(&f, SPV_UConvert));
	spirv_store(&f, k.i, k.x, 0);
	spirv_store(&f, k.i, k.x, 0);
	spirv_load(&f, k.i, 0);
	spirv_must_emit(&f);
	UNIT_CHECK(t, spirv_count(&f, SPV_UConvert) == 6, "%u", spirv_count(&f, SPV_UConvert));
	spirv_stop(&f);
}

/* Checks the halves of 64-bit elements on a machine without 64-bit integers. */
static void
halves(struct unit_ctx *t)
{
	struct spirv_fx f;

	spirv_start(&f, t, "spirv:-i64", QD_TYPE_I64);
	uint32_t i = spirv_push(&f, OP_THREAD_IDX, QD_TYPE_U32, 0, 0, 0, 0);
	for (int half = 0; half < 2; half++) {
		uint32_t attr = half ? ATTR_HI : ATTR_LO;
		uint32_t v = spirv_push_attr(&f, OP_LOAD, QD_TYPE_U32, attr, i, 0, 0, SRC);
		uint32_t p = spirv_push_attr(&f, OP_PARAM, QD_TYPE_U32, attr, 0, 0, 0, SCALE);
		uint32_t s = spirv_push(&f, OP_ADD, QD_TYPE_U32, v, p, 0, 0);
		spirv_push_attr(&f, OP_STORE, QD_TYPE_NONE, attr, i, s, 0, DST);
	}
	spirv_must_emit(&f);
	UNIT_CHECK(t, !spirv_has_cap(&f, SPV_Capability_Int64), "64-bit integers");
	UNIT_CHECK(t, spirv_count(&f, SPV_AccessChain) == 6 + 4, "%u chains",
		   spirv_count(&f, SPV_AccessChain));
	spirv_stop(&f);
}

static void
arguments(struct unit_ctx *t)
{
	static const uint32_t want[] = { 0, 8, 16, 32, 40, 44 }; /* pointer, length, pointer, ... */
	struct spirv_fx f;

	for (int by_address = 0; by_address < 2; by_address++) {
		spirv_start(&f, t, by_address ? "spirv:a48" : "spirv", QD_TYPE_F32);
		f.k.block_dim = 37;
		spirv_plain_body(&f, QD_TYPE_F32);
		spirv_must_emit(&f);
		UNIT_CHECK(t, f.meta.flags == (ISA_FACTS_DIFFER | (by_address ? ISA_ARGS_BY_ADDRESS : 0)), "by address");
		UNIT_CHECK(t, f.meta.local_size == 64, "local size %u", f.meta.local_size);
		uint32_t at = spirv_find(&f, SPV_ExecutionMode, 0), block = 0, n = 0;
		UNIT_CHECK(t, f.w[at + 3] == 64 && f.w[at + 4] == 1 && f.w[at + 5] == 1,
			   "LocalSize");
		EACH(&f, i) {
			if (OPCODE(&f, i) == SPV_MemberDecorate && f.w[i + 2] == 1)
				block = f.w[i + 1];
		}
		EACH(&f, i) {
			if (OPCODE(&f, i) != SPV_MemberDecorate || f.w[i + 1] != block)
				continue;
			UNIT_CHECK(t, n < QD_COUNT(want) && f.w[i + 4] == want[n],
				   "member %u at %u", n, f.w[i + 4]);
			n++;
		}
		UNIT_CHECK(t, n == QD_COUNT(want), "%u members", n);
		spirv_stop(&f);
	}
}

/* Checks that elements of 16-bit floats are loaded and stored as bits. */
static void
float_bits(struct unit_ctx *t)
{
	static const qd_type types[] = { QD_TYPE_F16, QD_TYPE_BF16 };
	struct spirv_fx f;

	for (size_t i = 0; i < QD_COUNT(types); i++) {
		spirv_start(&f, t, "spirv", types[i]);
		uint32_t at = spirv_push(&f, OP_THREAD_IDX, QD_TYPE_U32, 0, 0, 0, 0);
		uint32_t v = spirv_push_attr(&f, OP_LOAD, QD_TYPE_U32, ATTR_BITS, at, 0, 0, SRC);
		spirv_push_attr(&f, OP_STORE, QD_TYPE_NONE, ATTR_BITS, at, v, 0, DST);
		spirv_must_emit(&f);
		UNIT_CHECK(t, f.meta.needs == (SPV_NEED_STORE16 | SPV_NEED_I16 | SPV_NEED_I64 |
					       SPV_NEED_SUBGROUP),
			   "needs %#llx", (unsigned long long)f.meta.needs);
		UNIT_CHECK(t, !spirv_count(&f, SPV_SConvert), "bits have no sign");
		/* a load as a float has no instruction */
		spirv_push(&f, OP_LOAD, QD_TYPE_F32, at, 0, 0, SRC);
		UNIT_CHECK(t, spirv_emit(&f) == QD_E_INTERNAL, "a load that widens");
		spirv_stop(&f);
	}
}

/* Returns the number of globals of a storage class. */
static uint32_t
globals(const struct spirv_fx *f, uint32_t storage)
{
	uint32_t n = 0;

	EACH(f, i)
		n += OPCODE(f, i) == SPV_Variable && f->w[i + 3] == storage;
	return n;
}

/* Builds a shared array of each type: slot[i] = src[i]; dst[i] = slot[i], partly under a
 * condition. */
static void
shared_arrays(struct unit_ctx *t)
{
	for (size_t k = 0; k < N_SPIRV_TYPES; k++) {
		qd_type type = spirv_types[k];
		struct spirv_fx f;
		spirv_start(&f, t, "spirv", type);
		uint32_t slot = spirv_shared(&f, type, 64), other = spirv_shared(&f, type, 3);
		uint32_t unused = spirv_shared(&f, QD_TYPE_U32, 7);
		uint32_t i = spirv_push(&f, OP_THREAD_IDX, QD_TYPE_U32, 0, 0, 0, 0);
		uint32_t len = spirv_push(&f, OP_LEN, QD_TYPE_U32, 0, 0, 0, SRC);
		uint32_t in = spirv_push(&f, OP_LT, QD_TYPE_BOOL, i, len, 0, 0);
		spirv_push(&f, OP_STORE, QD_TYPE_NONE, i, spirv_load(&f, i, in), in, slot);
		spirv_push(&f, OP_STORE, QD_TYPE_NONE, spirv_u32(&f, 2), spirv_load(&f, i, in), 0,
			   other);
		uint32_t v = spirv_push(&f, OP_LOAD, type, i, 0, 0, slot);
		v = spirv_push(&f, OP_LOAD, type, i, v, in, slot);
		spirv_store(&f, i, v, in);
		spirv_must_emit(&f);
		(void)unused;

		UNIT_CHECK(t, globals(&f, SPV_StorageClass_Workgroup) == 2, "%s: %u shared",
			   type_info[type].name, globals(&f, SPV_StorageClass_Workgroup));
		UNIT_CHECK(t, f.meta.shared_size == f.body.shared_size, "%u bytes",
			   f.meta.shared_size);
		/* All accesses are visible to other threads, and none states an alignment. */
		uint32_t loads = 0, stores = 0;
		EACH(&f, j) {
			bool not_private = f.w[j + (f.w[j] >> 16) - 1] ==
					   SPV_MemoryAccess_NonPrivatePointer;
			loads += OPCODE(&f, j) == SPV_Load && f.w[j] >> 16 == 5 && not_private;
			stores += OPCODE(&f, j) == SPV_Store && f.w[j] >> 16 == 4 && not_private;
		}
		UNIT_CHECK(t, loads == 2 && stores == 2, "%u loads, %u stores", loads, stores);
		/* A shared array has no layout decorations. */
		EACH(&f, j) {
			if (OPCODE(&f, j) != SPV_TypeArray)
				continue;
			EACH(&f, d)
				UNIT_CHECK(t, OPCODE(&f, d) != SPV_Decorate ||
						   f.w[d + 1] != f.w[j + 1], "decorated");
		}
		spirv_stop(&f);
	}
}

/* Checks words of a shared 64-bit array, with and without 64-bit integers. If both views are used,
 * the element is composed of its words. */
static void
shared_halves(struct unit_ctx *t)
{
	for (int whole = 0; whole < 2; whole++) {
		struct spirv_fx f;
		spirv_start(&f, t, whole ? "spirv" : "spirv:-i64", QD_TYPE_U64);
		uint32_t slot = spirv_shared(&f, QD_TYPE_U64, 64);
		uint32_t i = spirv_push(&f, OP_THREAD_IDX, QD_TYPE_U32, 0, 0, 0, 0);
		for (int half = 0; half < 2; half++) {
			uint32_t attr = half ? ATTR_HI : ATTR_LO;
			uint32_t v = spirv_push_attr(&f, OP_LOAD, QD_TYPE_U32, attr, i, 0, 0, SRC);
			spirv_push_attr(&f, OP_STORE, QD_TYPE_NONE, attr, i, v, 0, slot);
			v = spirv_push_attr(&f, OP_LOAD, QD_TYPE_U32, attr, i, 0, 0, slot);
			if (!whole)
				spirv_push_attr(&f, OP_STORE, QD_TYPE_NONE, attr, i, v, 0, DST);
		}
		if (whole) {
			uint32_t v = spirv_push(&f, OP_LOAD, QD_TYPE_U64, i, 0, 0, slot);
			spirv_store(&f, i, v, 0);
			spirv_push(&f, OP_STORE, QD_TYPE_NONE, i, v, 0, slot);
		}
		spirv_must_emit(&f);
		UNIT_CHECK(t, spirv_has_cap(&f, SPV_Capability_Int64) == (whole != 0), "Int64");
		UNIT_CHECK(t, globals(&f, SPV_StorageClass_Workgroup) == 1, "one array");
		spirv_stop(&f);
	}
}

/* Checks that the interface lists all shared arrays, and that the head has space for them. */
static void
many_shared(struct unit_ctx *t)
{
	enum { N = 200 };
	static struct memory mems[3 + N];
	struct spirv_fx f;

	spirv_start(&f, t, "spirv", QD_TYPE_U32);
	memcpy(mems, f.mems, 3 * sizeof *mems);
	f.body.mems = mems;
	uint32_t i = spirv_push(&f, OP_THREAD_IDX, QD_TYPE_U32, 0, 0, 0, 0);
	for (uint32_t n = 0; n < N; n++) {
		uint32_t row = f.body.n_mems++;
		mems[row] = (struct memory){ NULL, QD_TYPE_U32, SPACE_SHARED, QD_ACCESS_INOUT, n + 1, 0, NULL };
		spirv_push(&f, OP_STORE, QD_TYPE_NONE, spirv_u32(&f, n), i, 0, row);
	}
	spirv_must_emit(&f);
	uint32_t entry = spirv_find(&f, SPV_EntryPoint, 0), n = (f.w[entry] >> 16) - 5;
	UNIT_CHECK(t, globals(&f, SPV_StorageClass_Workgroup) == N, "shared");
	UNIT_CHECK(t, n == N + globals(&f, SPV_StorageClass_Input) + 1, "%u listed", n);
	spirv_stop(&f);
}

/* -- On a device ------------------------------------------------------------------------ */

enum { THREADS = 64 };

/* Emits dst[i] = src[i] for u64 elements through a shared slot of each thread. It is stored as
 * words, and loaded as a whole on machines with 64-bit integers. */
static void
push_copy(struct spirv_fx *f)
{
	bool whole = f->target.m.caps & CAP_I64;
	uint32_t slot = spirv_shared(f, QD_TYPE_U64, THREADS);
	uint32_t i = spirv_push(f, OP_THREAD_IDX, QD_TYPE_U32, 0, 0, 0, 0);
	uint32_t at = spirv_push(f, OP_XOR, QD_TYPE_U32, i, spirv_u32(f, 21), 0, 0);

	for (uint32_t attr = ATTR_LO; attr <= ATTR_HI; attr += ATTR_HI - ATTR_LO) {
		uint32_t v = spirv_push_attr(f, OP_LOAD, QD_TYPE_U32, attr, i, 0, 0, SRC);
		spirv_push_attr(f, OP_STORE, QD_TYPE_NONE, attr, at, v, 0, slot);
		if (whole)
			continue;
		v = spirv_push_attr(f, OP_LOAD, QD_TYPE_U32, attr, at, 0, 0, slot);
		spirv_push_attr(f, OP_STORE, QD_TYPE_NONE, attr, i, v, 0, DST);
	}
	if (whole)
		spirv_store(f, i, spirv_push(f, OP_LOAD, QD_TYPE_U64, at, 0, 0, slot), 0);
}

static struct qd_kernel *
make_empty(struct vulkan_rig *r)
{
	struct qd_builder *b = NULL;
	struct qd_kernel *k = NULL;

	if (qd_builder_create(r->ctx, "copy", &b, &r->e) != QD_OK)
		return NULL;
	qd_block(b, THREADS, 1, 1);
	qd_param_buffer(b, "src", QD_TYPE_U64, QD_ACCESS_IN);
	qd_param_buffer(b, "dst", QD_TYPE_U64, QD_ACCESS_INOUT);
	qd_param_scalar(b, "scale", QD_TYPE_U64);
	qd_builder_finish(b, &k, &r->e);
	return k;
}

/* Runs code that no kernel produces in place of that of a kernel with the same parameters. */
static void
shared_on_device(struct unit_ctx *t)
{
	struct vulkan_rig r;
	if (!vulkan_rig_open(t, &r, false))
		return;
	struct spirv_fx f;
	struct qd_kernel *k = make_empty(&r);
	struct qd_image *img = NULL;
	UNIT_CHECK(t, k != NULL, "%s", r.e.text);
	VULKAN_OK(t, &r, jit_get(r.ctx, k, &r.dev->target, NULL, 0, &img, &r.e));
	spirv_start(&f, t, r.dev->target.m.name, QD_TYPE_U64);
	f.k.tail = k->tail;
	f.k.args_size = f.body.args_size = k->args_size;
	push_copy(&f);
	spirv_must_emit(&f);
	img->code = (const uint8_t *)f.w;
	img->code_size = f.code.len;
	img->meta = f.meta;
	img->meta.flags = 0; /* it also serves launches with facts */

	uint64_t in[THREADS], out[THREADS] = { 0 };
	for (uint64_t i = 0; i < THREADS; i++)
		in[i] = i * UINT64_C(0x9e3779b97f4a7c15);
	struct qd_function *fn = vulkan_rig_function(t, &r, k);
	struct qd_buffer *src = vulkan_rig_buffer(t, &r, sizeof in);
	struct qd_buffer *dst = vulkan_rig_buffer(t, &r, sizeof out);
	struct qd_arg args[] = { qd_arg_buffer(src), qd_arg_buffer(dst), qd_arg_u64(1) };
	VULKAN_OK(t, &r, qd_buffer_upload(r.stream, src, 0, in, sizeof in, &r.e));
	VULKAN_OK(t, &r, qd_launch(r.stream, fn, 1, args, 3, &r.e));
	VULKAN_OK(t, &r, qd_buffer_download_async(r.stream, dst, 0, out, sizeof out, &r.e));
	VULKAN_OK(t, &r, qd_stream_sync(r.stream, &r.e));
	for (uint32_t i = 0; i < THREADS; i++)
		UNIT_CHECK(t, out[i] == in[i], "%u: %llx, want %llx", i,
			   (unsigned long long)out[i], (unsigned long long)in[i]);
	qd_buffer_free(src);
	qd_buffer_free(dst);
	qd_image_free(img);
	qd_kernel_free(k);
	vulkan_rig_close(t, &r);
	spirv_stop(&f);
}

const struct unit units_spirv_memory[] = {
	{ "spirv_memory.access", access_operands },
	{ "spirv_memory.one_widening", one_widening },
	{ "spirv_memory.halves", halves },
	{ "spirv_memory.arguments", arguments },
	{ "spirv_memory.float_bits", float_bits },
	{ "spirv_memory.shared", shared_arrays },
	{ "spirv_memory.shared_halves", shared_halves },
	{ "spirv_memory.many_shared", many_shared },
	{ "spirv_memory.shared_on_device", shared_on_device },
};
const unsigned n_units_spirv_memory = QD_COUNT(units_spirv_memory);
