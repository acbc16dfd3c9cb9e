/* SPIR-V back end on IR built by hand: target names, contents of modules, the shape of loops,
 * capabilities. spirv-val checks complete modules elsewhere. */
#include "t_spirv.h"

extern const struct unit units_spirv[];
extern const unsigned n_units_spirv;

/* -- Targets ------------------------------------------------------------------------ */

/* Returns the number of characters that the names begin with alike, from the processor on. */
static size_t
begins_alike(const char *choice, const char *name)
{
	size_t n = 0;

	choice += strncmp(choice, "ptx:", 4) ? 0 : 4;
	while (choice[n] && choice[n] == name[n])
		n++;
	return n;
}

/* Appends the choices of a back end, those that begin like the name first. */
static void
nearest(const struct isa *isa, const char *name, struct buf *want)
{
	const char *comma = "";
	char one[64];

	buf_printf(want, "; targets of %s, nearest first: ", isa->name);
	for (size_t alike = sizeof one; alike-- > 0;)
		for (uint32_t i = 0; isa->choice(i, one, sizeof one); i++)
			if (begins_alike(one, name) == alike) {
				buf_printf(want, "%s%s", comma, one);
				comma = ", ";
			}
}

/* Appends the first and the last choice of each back end. */
static void
ranges(struct buf *want)
{
	const char *comma = "; with options ";
	char first[64], last[64];

	for (uint32_t i = 0; i < isa_count; i++) {
		if (!isa_table[i]->choice)
			continue;
		for (uint32_t k = 0; isa_table[i]->choice(k, k ? last : first, sizeof last); k++)
			;
		buf_printf(want, "%s%s to %s", comma, first, last);
		comma = ", ";
	}
}

/* Checks the messages for names that are not a target. */
static void
typos(struct unit_ctx *t)
{
	static const struct typo {
		const char *name, *meant; /* the end of the message, or the back end whose names follow; NULL: all */
	} rows[] = {
		{ "spir", "; did you mean 'spirv'?" },
		{ "vulkan", "; did you mean 'spirv'?" },
		{ "hip", "; did you mean 'amdgcn'?" },
		{ "b256", NULL }, /* an option of several back ends */
		{ "nonsense", NULL },
		{ "gfx90b", "amdgcn" },
		{ "gfx900", "amdgcn" },
		{ "gfx11", "amdgcn" },
		{ "sm_95", "ptx" },
	};
	struct unit_rig rig;

	if (!unit_rig_open(t, &rig))
		return;
	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		const char *meant = rows[i].meant;
		struct target g;
		struct qd_error err;
		struct buf want;
		buf_init(&want, &rig.ctx->pool);
		buf_printf(&want, "no target is named '%s'; targets: ", rows[i].name);
		for (uint32_t k = 0; k < isa_count; k++)
			buf_printf(&want, "%s%s", k ? ", " : "", isa_table[k]->name);
		if (!meant)
			ranges(&want);
		else if (*meant == ';')
			buf_printf(&want, "%s", meant);
		for (uint32_t k = 0; meant && k < isa_count; k++)
			if (!strcmp(isa_table[k]->name, meant))
				nearest(isa_table[k], rows[i].name, &want);
		buf_put(&want, "", 1);
		UNIT_CHECK(t, isa_target(rows[i].name, &g, &err) == QD_E_NOT_FOUND, "%s", rows[i].name);
		UNIT_CHECK(t, !strcmp(err.text, buf_data(&want)), "%s, not %s", err.text, buf_data(&want));
		buf_fini(&want);
	}
	unit_rig_close(t, &rig);
	UNIT_CHECK(t, qd_target_count() == isa_count && strcmp(qd_target_name(0), isa_table[0]->name) == 0 &&
			   !qd_target_name(isa_count), "the list of targets");
}

static void
target_names(struct unit_ctx *t)
{
	static const char *const names[][2] = {
		{ "spirv", "spirv:w32" },
		{ "spirv:w4", "spirv:w4" },
		{ "spirv:-f64:-i64:w16", "spirv:w16:-i64:-f64" },
		{ "spirv:+hidezero:+i64", "spirv:w32:+hidezero" },
		{ "spirv:w128:+fence5:+u32f32:-i8:-i16", "spirv:w128:-i8:-i16:+u32f32:+fence5" },
		{ "spirv:+clusters:+trunc64", "spirv:w32:+trunc64:+clusters" },
		{ "spirv:+clusters:-clusters", "spirv:w32" },
		{ "spirv:+flow:+rte32:-arith:w8", "spirv:w8:-arith:+rte32:+flow" },
		{ "spirv:facts:w8:+clusters", "spirv:w8:facts:+clusters" },
		{ "gfx1100:facts", "gfx1100" },
		{ "ref", "ref:w32" },
		{ "ref:w64", "ref:w64" },
		{ "amdgcn", "gfx1100" },
		{ "amdgcn:w64", "gfx1100:w64" },
	};
	static const char *const wrong[] = {
		"spirv:",     "spirv:w3",   "spirv:w256", "spirv:w", "spirv:x", "spirv:+",
		"spirv:+i65", "spirv:fact", "spirv:w032", "spirv:w4:",  "ref:-i64", "ref:w2", "ref:", "ref:w4:w8"
	};
	struct target g;
	struct qd_error err;

	for (size_t i = 0; i < QD_COUNT(names); i++) {
		qd_status st = isa_target(names[i][0], &g, &err);
		UNIT_CHECK(t, !st, "%s: %s", names[i][0], err.text);
		UNIT_CHECK(t, !st && strcmp(g.m.name, names[i][1]) == 0, "%s is %s", names[i][0],
			   g.m.name);
		UNIT_CHECK(t, !st && 1u << g.m.log2_size == g.m.subgroup_size, "%s", names[i][0]);
	}
	for (size_t i = 0; i < QD_COUNT(wrong); i++)
		UNIT_CHECK(t, isa_target(wrong[i], &g, &err) == QD_E_INVALID, "%s", wrong[i]);
	isa_target("spirv:+i65", &g, &err);
	UNIT_CHECK(t, strcmp(err.text, "target 'spirv' has no option '+i65'; it takes wN (N one of 4, 8, "
				       "16, 32, 64, 128), hN (lanes of a hardware subgroup), facts (the code relies on launch facts), bN (threads of a block), gN (subgroups of a block), "
				       "sN (bytes of shared memory), aN (bytes of arguments that a launch "
				       "carries, a multiple of 8) and +x or -x with x one of i64, f64, i8, "
				       "i16, atomic64, hidezero, hidesign, u32f32, trunc64, sign32, fence5, rmwload, looplimit, syncfence, shuffle, ballot, arith, "
				       "clusters, zeros32, zeros64, denorm32, denorm64, rte32, rte64, half, flow") == 0,
		   "%s", err.text);
}

/* -- Modules --------------------------------------------------------------------------- */

/* Checks that no scalar, vector, function or pointer type and no constant is declared twice. */
static void
declared_once(struct unit_ctx *t)
{
	for (size_t k = 0; k < N_SPIRV_TYPES; k++) {
		struct spirv_fx f;
		spirv_start(&f, t, "spirv", spirv_types[k]);
		for (uint32_t i = 0; i < 3; i++) {
			spirv_plain_body(&f, spirv_types[k]);
			spirv_push(&f, OP_CONST, spirv_types[k], 7, 0, 0, 0);
			spirv_push(&f, OP_CONST, QD_TYPE_BOOL, 1, 0, 0, 0);
		}
		spirv_must_emit(&f);
		EACH(&f, i) {
			uint32_t op = OPCODE(&f, i), n = f.w[i] >> 16;
			bool type = op >= SPV_TypeVoid && op <= SPV_TypeFunction;
			bool constant = op == SPV_Constant || op == SPV_ConstantTrue;
			if ((!type && !constant) || op == SPV_TypeStruct)
				continue;
			for (uint32_t j = i + n; j < f.n; j += f.w[j] >> 16) {
				uint32_t skip = constant ? 3 : 2; /* ignore the result */
				bool same = f.w[i] == f.w[j] &&
					    (!constant || f.w[i + 1] == f.w[j + 1]) &&
					    memcmp(f.w + i + skip, f.w + j + skip,
						   4 * (n - skip)) == 0;
				UNIT_CHECK(t, !same, "words %u and %u declare the same", i, j);
			}
		}
		spirv_stop(&f);
	}
}

/* Checks that the interface lists every global once, as SPIR-V 1.4 requires. */
static void
interface_complete(struct unit_ctx *t)
{
	struct spirv_fx f;

	spirv_start(&f, t, "spirv", QD_TYPE_F32);
	spirv_plain_body(&f, QD_TYPE_F32);
	spirv_push(&f, OP_LANE, QD_TYPE_U32, 0, 0, 0, 0);
	spirv_push(&f, OP_LANE, QD_TYPE_U32, 0, 0, 0, 0);
	spirv_push(&f, OP_BLOCK_IDX, QD_TYPE_U32, 0, 0, 0, 0);
	spirv_must_emit(&f);
	uint32_t entry = spirv_find(&f, SPV_EntryPoint, 0), n = f.w[entry] >> 16, globals = 0;
	EACH(&f, i) {
		if (OPCODE(&f, i) != SPV_Variable || f.w[i + 3] == SPV_StorageClass_Function)
			continue;
		uint32_t found = 0;
		for (uint32_t j = 5; j < n; j++)
			found += f.w[entry + j] == f.w[i + 2];
		UNIT_CHECK(t, found == 1, "global %%%u stands %u times", f.w[i + 2], found);
		globals++;
	}
	UNIT_CHECK(t, globals == 5 && n == 5 + globals, "%u globals, %u listed", globals, n - 5);
	UNIT_CHECK(t, spirv_count(&f, SPV_EntryPoint) == 1 && spirv_count(&f, SPV_Function) == 1, "one");
	spirv_stop(&f);
}

static void
only_used_capabilities(struct unit_ctx *t)
{
	struct spirv_fx f;

	spirv_start(&f, t, "spirv:-i64", QD_TYPE_F32);
	spirv_plain_body(&f, QD_TYPE_F32);
	spirv_must_emit(&f);
	UNIT_CHECK(t, spirv_count(&f, SPV_Capability) == 4, "%u", spirv_count(&f, SPV_Capability));
	UNIT_CHECK(t, f.meta.needs == SPV_NEED_SUBGROUP, "needs %#llx",
		   (unsigned long long)f.meta.needs);
	uint32_t v = spirv_push(&f, OP_PARAM, QD_TYPE_F32, 0, 0, 0, SCALE);
	spirv_push(&f, OP_LANE_PATTERN, QD_TYPE_F32, v, 1, 0, PATTERN_XOR);
	spirv_must_emit(&f);
	UNIT_CHECK(t, spirv_has_cap(&f, SPV_Capability_GroupNonUniformShuffle), "shuffle");
	UNIT_CHECK(t, spirv_count(&f, SPV_Capability) == 5, "%u", spirv_count(&f, SPV_Capability));
	UNIT_CHECK(t, f.meta.needs == (SPV_NEED_SUBGROUP | SPV_NEED_SHUFFLE), "needs %#llx",
		   (unsigned long long)f.meta.needs);
	spirv_stop(&f);

	spirv_start(&f, t, "spirv", QD_TYPE_I64);
	v = spirv_push(&f, OP_PARAM, QD_TYPE_I64, 0, 0, 0, SCALE);
	spirv_push(&f, OP_REDUCE_MIN, QD_TYPE_I64, v, 0, 0, 0);
	spirv_must_emit(&f);
	UNIT_CHECK(t, f.meta.needs == (SPV_NEED_I64 | SPV_NEED_SUBGROUP | SPV_NEED_ARITHMETIC |
				       SPV_NEED_CROSS64), "needs %#llx",
		   (unsigned long long)f.meta.needs);
	UNIT_CHECK(t, spirv_count(&f, SPV_GroupNonUniformSMin) == 1, "smin");
	spirv_stop(&f);

	spirv_start(&f, t, "spirv:-i64", QD_TYPE_I8);
	spirv_store(&f, spirv_u32(&f, 0), spirv_load(&f, spirv_u32(&f, 1), 0), 0);
	spirv_must_emit(&f);
	UNIT_CHECK(t, f.meta.needs == (SPV_NEED_STORE8 | SPV_NEED_I8), "needs %#llx",
		   (unsigned long long)f.meta.needs);
	UNIT_CHECK(t, spirv_count(&f, SPV_SConvert) == 1 && spirv_count(&f, SPV_UConvert) == 1, "widths");
	spirv_stop(&f);
}

/* Returns the word after the OpLabel of this block. */
static uint32_t
find_block(const struct spirv_fx *f, uint32_t label)
{
	EACH(f, i) {
		if (OPCODE(f, i) == SPV_Label && f->w[i + 1] == label)
			return i + 2;
	}
	return f->n;
}

/* header: merge, branch; test: ..., leave or body; body: ..., next; next: header */
static void
loop_shape(struct unit_ctx *t)
{
	struct spirv_fx f;

	spirv_start(&f, t, "spirv", QD_TYPE_U32);
	spirv_count_loop(&f);
	spirv_must_emit(&f);
	uint32_t at = spirv_find(&f, SPV_LoopMerge, 0), merge = f.w[at + 1], next = f.w[at + 2];
	uint32_t header = f.w[at - 1], leaves = 0;
	UNIT_CHECK(t, at && (f.w[at - 2] & 0xffff) == SPV_Label, "the header does more");
	UNIT_CHECK(t, OPCODE(&f, at + 4) == SPV_Branch, "the header decides something");
	uint32_t test = f.w[at + 5], i = find_block(&f, test);
	while (i < f.n && OPCODE(&f, i) != SPV_BranchConditional)
		i += f.w[i] >> 16;
	UNIT_CHECK(t, i < f.n && f.w[i + 2] == merge, "the test does not leave");
	EACH(&f, j) {
		leaves += OPCODE(&f, j) == SPV_Branch && f.w[j + 1] == merge;
		if (OPCODE(&f, j) == SPV_BranchConditional)
			leaves += (uint32_t)(f.w[j + 2] == merge) + (f.w[j + 3] == merge);
	}
	UNIT_CHECK(t, leaves == 1, "%u ways out", leaves);
	i = find_block(&f, next);
	UNIT_CHECK(t, i < f.n && OPCODE(&f, i) == SPV_Branch && f.w[i + 1] == header,
		   "the continue block does more than branch back");
	spirv_stop(&f);
}

/* Checks that operations that legalize must remove cause an error that names them. */
static void
illegal_ir(struct unit_ctx *t)
{
	static const enum op ops[] = { OP_BREAK, OP_BLOCK, OP_GRID, OP_ELSE, OP_END, OP_ELECT,
				       OP_SHUFFLE_UP, OP_SHUFFLE_XOR, OP_REQUIRE, OP_YIELD,
				       OP_REDUCE, OP_TEMPLATE, OP_REGION };
	struct spirv_fx f;

	for (size_t i = 0; i < QD_COUNT(ops); i++) {
		spirv_start(&f, t, "spirv", QD_TYPE_U32);
		uint32_t v = spirv_push(&f, OP_CONST, QD_TYPE_BOOL, 1, 0, 0, 0);
		spirv_push(&f, ops[i], QD_TYPE_NONE, v, v, 0, 0);
		UNIT_CHECK(t, spirv_emit(&f) == QD_E_INTERNAL, "%s", op_info[ops[i]].text);
		UNIT_CHECK(t, strstr(f.err.text, op_info[ops[i]].text), "%s", f.err.text);
		spirv_stop(&f);
	}
	spirv_start(&f, t, "spirv", QD_TYPE_F32);
	uint32_t v = spirv_push(&f, OP_PARAM, QD_TYPE_F32, 0, 0, 0, SCALE);
	spirv_push(&f, OP_REDUCE_ADD, QD_TYPE_F32, v, 0, 0, 0);
	UNIT_CHECK(t, spirv_emit(&f) == QD_E_INTERNAL, "a float reduction");
	spirv_stop(&f);
}

/* Checks that loops are rejected unless they have exactly one exit, which is conditional and
 * precedes other control flow. Drivers miscompile other loops. */
static void
illegal_loops(struct unit_ctx *t)
{
	enum { TEST, ALWAYS, FAR, OPEN_IF, OPEN_LOOP, CLOSE, STOP };
	static const struct {
		const char *what;
		uint8_t steps[6];
	} rows[] = {
		{ "no test", { CLOSE, STOP } },
		{ "two tests", { TEST, TEST, CLOSE, STOP } },
		{ "a break without a condition", { ALWAYS, CLOSE, STOP } },
		{ "a break out of two", { FAR, CLOSE, STOP } },
		{ "a test in an if", { OPEN_IF, TEST, CLOSE, CLOSE, STOP } },
		{ "an if before the test", { OPEN_IF, CLOSE, TEST, CLOSE, STOP } },
		{ "a loop before the test", { OPEN_LOOP, TEST, CLOSE, TEST, CLOSE, STOP } },
		{ "a break in an if after it", { TEST, OPEN_IF, TEST, CLOSE, CLOSE, STOP } },
		{ "not closed", { TEST, STOP } },
	};

	for (size_t i = 0; i < QD_COUNT(rows); i++) {
		struct spirv_fx f;
		spirv_start(&f, t, "spirv", QD_TYPE_U32);
		uint32_t c = spirv_push(&f, OP_CONST, QD_TYPE_BOOL, 1, 0, 0, 0);
		spirv_push(&f, OP_LOOP, QD_TYPE_NONE, 0, 0, 0, 0);
		for (const uint8_t *s = rows[i].steps; *s != STOP; s++) {
			switch (*s) {
			case OPEN_IF: spirv_push(&f, OP_IF, QD_TYPE_NONE, c, 0, 0, 0); break;
			case OPEN_LOOP: spirv_push(&f, OP_LOOP, QD_TYPE_NONE, 0, 0, 0, 0); break;
			case CLOSE: spirv_push(&f, OP_END, QD_TYPE_NONE, 0, 0, 0, 0); break;
			default:
				spirv_push(&f, OP_BREAK, QD_TYPE_NONE, *s == ALWAYS ? 0 : c,
					   *s == FAR ? 2 : 1, 0, 0);
			}
		}
		UNIT_CHECK(t, spirv_emit(&f) == QD_E_INTERNAL, "%s", rows[i].what);
		spirv_stop(&f);
	}
}

/* Checks that the output is deterministic and independent of the buffer's contents, and that a
 * failed allocation returns a status. */
static void
same_bytes(struct unit_ctx *t)
{
	struct spirv_fx f;

	spirv_start(&f, t, "spirv", QD_TYPE_F32);
	for (int i = 0; i < 400; i++)
		spirv_plain_body(&f, QD_TYPE_F32);
	spirv_must_emit(&f);
	struct hash128 first = hash_bytes(f.w, f.code.len);
	size_t len = f.code.len;
	memset(buf_data(&f.code), 0xa5, len);
	spirv_must_emit(&f);
	struct hash128 second = hash_bytes(f.w, f.code.len);
	UNIT_CHECK(t, len == f.code.len && first.lo == second.lo && first.hi == second.hi, "bytes");

	for (size_t fail = 1; fail < 40; fail++) {
		struct pool pool;
		struct unit_alloc alloc;
		struct arena mem;
		struct buf code;
		unit_alloc_init(&alloc);
		struct qd_allocator hooks = unit_alloc_hooks(&alloc);
		pool_init(&pool, &hooks);
		arena_init(&mem, &pool);
		buf_init(&code, &pool);
		alloc.fail_at = fail;
		alloc.fail_on = true;
		struct isa_in in = { .k = &f.k, .body = &f.body, .target = &f.target, .mem = &mem };
		qd_status st = f.target.isa->emit(&in, &code, &f.meta, &f.err);
		UNIT_CHECK(t, st == (alloc.n_calls < fail ? QD_OK : QD_E_NOMEM),
			   "call %zu: %d", fail, (int)st);
		buf_fini(&code);
		arena_fini(&mem);
		pool_fini(&pool);
		UNIT_CHECK(t, alloc.n_out == 0, "%zu blocks are lost", alloc.n_out);
		bool done = alloc.n_calls < fail;
		unit_alloc_fini(&alloc);
		if (done)
			break;
	}
	spirv_stop(&f);
}

static bool
has_builtin(const struct spirv_fx *f, uint32_t builtin)
{
	EACH(f, i)
		if (OPCODE(f, i) == SPV_Decorate && f->w[i + 2] == SPV_Decoration_BuiltIn &&
		    f->w[i + 3] == builtin)
			return true;
	return false;
}

/* Checks that the thread index is computed from subgroup and lane, and from the lane alone in a
 * block of one subgroup. SPIR-V does not define the lane of a local invocation index. */
static void
thread_place(struct unit_ctx *t)
{
	for (uint32_t dim = 16; dim <= 64; dim *= 2) {
		struct spirv_fx f;
		bool several = dim > 32;

		spirv_start(&f, t, "spirv:w32", QD_TYPE_U32);
		f.k.block[0] = f.k.block_dim = dim;
		spirv_plain_body(&f, QD_TYPE_U32);
		uint32_t id = spirv_push(&f, OP_SUBGROUP_ID, QD_TYPE_U32, 0, 0, 0, 0);
		spirv_store(&f, id, id, 0);
		spirv_must_emit(&f);
		UNIT_CHECK(t, !has_builtin(&f, SPV_BuiltIn_LocalInvocationIndex), "%u: index", dim);
		UNIT_CHECK(t, has_builtin(&f, SPV_BuiltIn_SubgroupLocalInvocationId), "%u: lane", dim);
		UNIT_CHECK(t, has_builtin(&f, SPV_BuiltIn_SubgroupId) == several, "%u: subgroup", dim);
		spirv_stop(&f);
	}
}

const struct unit units_spirv[] = {
	{ "spirv.thread_place", thread_place },
	{ "spirv.target_names", target_names },
	{ "spirv.target_typos", typos },
	{ "spirv.declared_once", declared_once },
	{ "spirv.interface", interface_complete },
	{ "spirv.capabilities", only_used_capabilities },
	{ "spirv.loop_shape", loop_shape },
	{ "spirv.illegal_ir", illegal_ir },
	{ "spirv.illegal_loops", illegal_loops },
	{ "spirv.same_bytes", same_bytes },
};
const unsigned n_units_spirv = QD_COUNT(units_spirv);
