/* Sections, types, constants and the head of a module. */
#include "module.h"

/* -- Types ----------------------------------------------------------------- */

/* Declaration of a type. Bit i of `types`: operand i is an enum spv_type. */
struct type_row {
	uint16_t op;
	uint8_t n, types;
	uint16_t operands[2];
	uint8_t stride; /* of an array; BLOCK: a struct with one member at offset 0; IN_BLOCK: one
			 * that is not written */
	uint16_t caps;	/* required capabilities: bit per enum spv_cap */
};
enum { BLOCK = 255, IN_BLOCK = 254 };

/* 8- and 16-bit integers are only loaded, stored and widened, which needs only the storage
 * capabilities. But without Int8 and Int16 the validator rejects pointers to them in push
 * constants, and pointers converted from integers. */

/* clang-format off */
#define OPERANDS(...)	    (sizeof((int[]){ __VA_ARGS__ }) / sizeof(int)), 0, { __VA_ARGS__ }, 0
#define SCALAR(op, ...)	    { SPV_Type##op, OPERANDS(__VA_ARGS__), 0 }
#define SCALAR_CAP(op, caps, ...) { SPV_Type##op, OPERANDS(__VA_ARGS__), caps }
#define POINTER(storage, t) { SPV_TypePointer, 2, 2, { SPV_StorageClass_##storage, t }, 0, 0 }
#define ARRAY(t, size)	    { SPV_TypeRuntimeArray, 1, 1, { t }, size, 0 }
#define STRUCT(t, kind)	    { SPV_TypeStruct, 1, 1, { t }, kind, 0 }
#define VIEW(t)                                                                                    \
	[T_BLOCK_##t] = STRUCT(T_ARRAY_##t, BLOCK), [T_IN_BLOCK_##t] = STRUCT(T_ARRAY_##t, IN_BLOCK), \
	[T_BASE_##t] = POINTER(PhysicalStorageBuffer, T_BLOCK_##t),                                \
	[T_IN_BASE_##t] = POINTER(PhysicalStorageBuffer, T_IN_BLOCK_##t),                          \
	[T_PUSH_BASE_##t] = POINTER(PushConstant, T_BASE_##t),                                     \
	[T_PUSH_IN_BASE_##t] = POINTER(PushConstant, T_IN_BASE_##t),                               \
	[T_MEM_BASE_##t] = POINTER(PhysicalStorageBuffer, T_BASE_##t),                             \
	[T_MEM_IN_BASE_##t] = POINTER(PhysicalStorageBuffer, T_IN_BASE_##t)
#define VECTOR(n)	    { SPV_TypeVector, 2, 1, { T_U32, n }, 0, 0 }

static const struct type_row type_rows[N_SPV_TYPE] = {
	[T_VOID] = { SPV_TypeVoid, 0, 0, { 0 }, 0, 0 },
	[T_BOOL] = { SPV_TypeBool, 0, 0, { 0 }, 0, 0 },
	[T_U8]	= SCALAR_CAP(Int, 1 << CAPABILITY_STORE8 | 1 << CAPABILITY_INT8, 8, 0),
	[T_U16] = SCALAR_CAP(Int, 1 << CAPABILITY_STORE16 | 1 << CAPABILITY_INT16, 16, 0),
	[T_U32] = SCALAR(Int, 32, 0),
	[T_U64] = SCALAR_CAP(Int, 1 << CAPABILITY_INT64, 64, 0),
	[T_F32] = SCALAR(Float, 32),
	[T_F64] = SCALAR_CAP(Float, 1 << CAPABILITY_FLOAT64, 64),
	[T_UVEC2] = VECTOR(2), [T_UVEC3] = VECTOR(3), [T_UVEC4] = VECTOR(4),
	[T_FVEC2] = { SPV_TypeVector, 2, 1, { T_F32, 2 }, 0, 0 },
	[T_PAIR] = { SPV_TypeStruct, 2, 3, { T_U32, T_U32 }, 0, 0 },
	[T_MAIN] = { SPV_TypeFunction, 1, 1, { T_VOID }, 0, 0 },
	[T_VAR_BOOL] = POINTER(Function, T_BOOL),
	[T_VAR_U32] = POINTER(Function, T_U32), [T_VAR_U64] = POINTER(Function, T_U64),
	[T_VAR_F32] = POINTER(Function, T_F32), [T_VAR_F64] = POINTER(Function, T_F64),
	[T_IN_U32] = POINTER(Input, T_U32), [T_IN_UVEC3] = POINTER(Input, T_UVEC3),
	[T_MEM_U8]  = POINTER(PhysicalStorageBuffer, T_U8),
	[T_MEM_U16] = POINTER(PhysicalStorageBuffer, T_U16),
	[T_MEM_U32] = POINTER(PhysicalStorageBuffer, T_U32),
	[T_MEM_U64] = POINTER(PhysicalStorageBuffer, T_U64),
	[T_MEM_F32] = POINTER(PhysicalStorageBuffer, T_F32),
	[T_MEM_F64] = POINTER(PhysicalStorageBuffer, T_F64),
	[T_MEM_UVEC2] = POINTER(PhysicalStorageBuffer, T_UVEC2),
	[T_MEM_UVEC4] = POINTER(PhysicalStorageBuffer, T_UVEC4),
	[T_ARRAY_U8]  = ARRAY(T_U8, 1),	 [T_ARRAY_U16] = ARRAY(T_U16, 2),
	[T_ARRAY_U32] = ARRAY(T_U32, 4), [T_ARRAY_U64] = ARRAY(T_U64, 8),
	[T_ARRAY_F32] = ARRAY(T_F32, 4), [T_ARRAY_F64] = ARRAY(T_F64, 8),
	[T_ARRAY_UVEC2] = ARRAY(T_UVEC2, 8),
	VIEW(U8), VIEW(U16), VIEW(U32), VIEW(U64), VIEW(F32), VIEW(F64), VIEW(UVEC2),
	[T_PUSH_U32] = POINTER(PushConstant, T_U32),
	[T_SHARED_U32] = POINTER(Workgroup, T_U32), [T_SHARED_U64] = POINTER(Workgroup, T_U64),
	[T_SHARED_F32] = POINTER(Workgroup, T_F32), [T_SHARED_F64] = POINTER(Workgroup, T_F64),
	[T_SHARED_UVEC2] = POINTER(Workgroup, T_UVEC2),
};
/* clang-format on */

uint32_t
module_make_type(struct module *m, enum spv_type t)
{
	const struct type_row *row = &type_rows[t];
	uint32_t operands[3], n = 1;

	for (uint32_t i = 0; i < row->n; i++) {
		uint32_t x = row->operands[i];
		if (row->types >> i & 1)
			x = module_type(m, (enum spv_type)x);
		operands[n++] = x;
	}
	uint32_t id = operands[0] = m->type[t] = module_id(m);
	put_words(&m->decl, (enum spv_op)row->op, operands, n);
	if (row->stride >= IN_BLOCK) {
		PUT(&m->anno, MemberDecorate, id, 0, SPV_Decoration_Offset, 0);
		if (row->stride == IN_BLOCK)
			PUT(&m->anno, MemberDecorate, id, 0, SPV_Decoration_NonWritable);
		PUT(&m->anno, Decorate, id, SPV_Decoration_Block);
	} else if (row->stride) {
		PUT(&m->anno, Decorate, id, SPV_Decoration_ArrayStride, row->stride);
	}
	m->caps |= row->caps;
	return id;
}

/* -- Constants ----------------------------------------------------------------- */

uint32_t
module_const(struct module *m, enum spv_type t, uint64_t bits)
{
	uint32_t lo = (uint32_t)bits, hi = (uint32_t)(bits >> 32);
	uint32_t slot = ((lo ^ hi * 0x85ebca6bu) + (uint32_t)t) * 0x9e3779b1u;

	for (slot ^= slot >> 15;; slot++) {
		struct spv_const *c = &m->consts[slot & m->const_mask];
		if (c->id) {
			if (c->lo == lo && c->hi == hi && c->type == (uint32_t)t)
				return c->id;
			continue;
		}
		uint32_t type = module_type(m, t);
		*c = (struct spv_const){ (uint32_t)t, lo, hi, module_id(m) };
		if (t == T_BOOL)
			PUT_OP(&m->decl, lo ? SPV_ConstantTrue : SPV_ConstantFalse, type, c->id);
		else if (t == T_U64 || t == T_F64)
			PUT(&m->decl, Constant, type, c->id, lo, hi);
		else
			PUT(&m->decl, Constant, type, c->id, lo);
		return c->id;
	}
}

/* -- Globals --------------------------------------------------------------------- */

uint32_t
module_block(struct module *m, const uint32_t *types, const uint32_t *offsets, uint32_t n)
{
	uint32_t id = module_id(m);

	assert((size_t)(m->decl.end - m->decl.at) > n + 1);
	*m->decl.at++ = (n + 2) << 16 | SPV_TypeStruct;
	*m->decl.at++ = id;
	for (uint32_t i = 0; i < n; i++) {
		*m->decl.at++ = types[i];
		PUT(&m->anno, MemberDecorate, id, i, SPV_Decoration_Offset, offsets[i]);
	}
	PUT(&m->anno, Decorate, id, SPV_Decoration_Block);
	return id;
}

uint32_t
module_pointer(struct module *m, uint32_t storage, uint32_t type)
{
	uint32_t id = module_id(m);

	PUT(&m->decl, TypePointer, id, storage, type);
	return id;
}

uint32_t
module_global(struct module *m, uint32_t pointer, uint32_t storage)
{
	uint32_t id = module_id(m);

	PUT(&m->decl, Variable, pointer, id, storage);
	assert(m->interface.at < m->interface.end);
	*m->interface.at++ = id;
	return id;
}

uint32_t
module_shared(struct module *m, enum spv_type element, uint32_t len)
{
	uint32_t type = module_type(m, element), n = module_u32(m, len), array = module_id(m);

	PUT(&m->decl, TypeArray, array, type, n);
	return module_global(m, module_pointer(m, SPV_StorageClass_Workgroup, array),
			     SPV_StorageClass_Workgroup);
}

uint32_t
module_array(struct module *m, enum spv_type element, uint32_t len, uint32_t stride)
{
	uint32_t type = module_type(m, element), n = module_u32(m, len), array = module_id(m);

	PUT(&m->decl, TypeArray, array, type, n);
	PUT(&m->anno, Decorate, array, SPV_Decoration_ArrayStride, stride);
	return array;
}

uint32_t
module_builtin(struct module *m, enum spv_type pointer, uint32_t builtin)
{
	uint32_t id = module_global(m, module_type(m, pointer), SPV_StorageClass_Input);

	PUT(&m->anno, Decorate, id, SPV_Decoration_BuiltIn, builtin);
	return id;
}

uint32_t
module_glsl(struct module *m)
{
	if (!m->glsl)
		m->glsl = module_id(m);
	return m->glsl;
}

/* -- Sections --------------------------------------------------------------------- */

/* The module's own constants and globals, in addition to those counted; the words of all types and
 * globals, at most; ARRAY_WORDS: of a shared array or a table. */
enum {
	OWN_CONST = 32,
	OWN_GLOBAL = 8,
	TYPE_WORDS = 5 * N_SPV_TYPE + 4 * OWN_GLOBAL + 64,
	TYPE_ANNO = 8 * N_SPV_TYPE + 4 * OWN_GLOBAL + 64,
	ARRAY_WORDS = 4 + 4 + 5 + 3,
	ARRAY_ANNO = 4 + 5 + 4
};

static bool
words_init(struct words *w, struct arena *mem, size_t n)
{
	w->base = w->at = arena_alloc(mem, n * sizeof *w->base);
	w->end = w->base ? w->base + n : NULL;
	return w->base != NULL;
}

bool
module_init(struct module *m, struct arena *mem, struct buf *code, const struct module_size *size)
{
	memset(m, 0, sizeof *m);
	m->code = code;
	m->bound = 1;
	m->caps = 1u << CAPABILITY_SHADER | 1u << CAPABILITY_MEMORY_MODEL |
		  1u << CAPABILITY_ADDRESSES;

	uint32_t n = size->n_consts + size->n_members + 2 * size->n_arrays + OWN_CONST, slots = 64;
	while (slots < 2 * n)
		slots *= 2;
	m->const_mask = slots - 1;
	m->consts = arena_zalloc(mem, slots * sizeof *m->consts);
	size_t anno = TYPE_ANNO + 3 * (size_t)size->n_floats + 5 * (size_t)size->n_members +
		      ARRAY_ANNO * (size_t)size->n_arrays;
	size_t decl = TYPE_WORDS + 5 * (size_t)n + size->n_members +
		      ARRAY_WORDS * (size_t)size->n_arrays;
	if (!m->consts || !words_init(&m->anno, mem, anno) || !words_init(&m->decl, mem, decl) ||
	    !words_init(&m->interface, mem, OWN_GLOBAL + (size_t)size->n_arrays))
		return false;
	code->len = 0;
	return module_grow(m);
}

bool
module_grow(struct module *m)
{
	size_t used = (size_t)(m->body.at - m->body.base) * sizeof *m->body.at;

	m->code->len = used;
	if (!buf_extend(m->code, used + 4096 * sizeof *m->body.at))
		return false;
	m->body.base = (uint32_t *)(void *)buf_data(m->code);
	m->body.at = m->body.base + used / sizeof *m->body.at;
	m->body.end = m->body.base + m->code->len / sizeof *m->body.at;
	return true;
}

static const struct {
	uint16_t capability;
	uint32_t need;
} cap_rows[N_SPV_CAP] = {
	[CAPABILITY_SHADER] = { SPV_Capability_Shader, 0 },
	[CAPABILITY_MEMORY_MODEL] = { SPV_Capability_VulkanMemoryModel, 0 },
	[CAPABILITY_ADDRESSES] = { SPV_Capability_PhysicalStorageBufferAddresses, 0 },
	[CAPABILITY_INT64] = { SPV_Capability_Int64, SPV_NEED_I64 },
	[CAPABILITY_ATOMIC64] = { SPV_Capability_Int64Atomics, SPV_NEED_ATOMIC64 | SPV_NEED_SHARED64 },
	[CAPABILITY_FLOAT64] = { SPV_Capability_Float64, SPV_NEED_F64 },
	[CAPABILITY_INT8] = { SPV_Capability_Int8, SPV_NEED_I8 },
	[CAPABILITY_INT16] = { SPV_Capability_Int16, SPV_NEED_I16 },
	[CAPABILITY_STORE8] = { SPV_Capability_StorageBuffer8BitAccess, SPV_NEED_STORE8 },
	[CAPABILITY_STORE16] = { SPV_Capability_StorageBuffer16BitAccess, SPV_NEED_STORE16 },
	[CAPABILITY_SUBGROUP] = { SPV_Capability_GroupNonUniform, SPV_NEED_SUBGROUP },
	[CAPABILITY_SHUFFLE] = { SPV_Capability_GroupNonUniformShuffle, SPV_NEED_SHUFFLE },
	[CAPABILITY_BALLOT] = { SPV_Capability_GroupNonUniformBallot, SPV_NEED_BALLOT },
	[CAPABILITY_ARITHMETIC] = { SPV_Capability_GroupNonUniformArithmetic,
				    SPV_NEED_ARITHMETIC },
	[CAPABILITY_CLUSTERED] = { SPV_Capability_GroupNonUniformClustered, SPV_NEED_CLUSTERED },
	[CAPABILITY_ZEROS] = { SPV_Capability_SignedZeroInfNanPreserve, 0 },
	[CAPABILITY_DENORM] = { SPV_Capability_DenormPreserve, 0 },
	[CAPABILITY_RTE] = { SPV_Capability_RoundingModeRTE, 0 },
	/* every device of Vulkan 1.3 has them */
	[CAPABILITY_DOT] = { SPV_Capability_DotProduct, 0 },
	[CAPABILITY_DOT_BYTES] = { SPV_Capability_DotProductInput4x8BitPacked, 0 },
};

/* Float modes apply if the module uses the type. The mode of width 0 applies if it has cross-lane
 * operations. */
/* clang-format off */
static const struct mode_row {
	uint16_t mode, width;
	enum spv_type type;
	enum spv_cap cap;
	uint32_t need;
} mode_rows[N_SPV_MODE] = {
	[MODE_ZEROS32] = { SPV_ExecutionMode_SignedZeroInfNanPreserve, 32, T_F32, CAPABILITY_ZEROS,
			   SPV_NEED_ZEROS32 },
	[MODE_ZEROS64] = { SPV_ExecutionMode_SignedZeroInfNanPreserve, 64, T_F64, CAPABILITY_ZEROS,
			   SPV_NEED_ZEROS64 },
	[MODE_DENORM32] = { SPV_ExecutionMode_DenormPreserve, 32, T_F32, CAPABILITY_DENORM,
			    SPV_NEED_DENORM32 },
	[MODE_DENORM64] = { SPV_ExecutionMode_DenormPreserve, 64, T_F64, CAPABILITY_DENORM,
			    SPV_NEED_DENORM64 },
	[MODE_RTE32] = { SPV_ExecutionMode_RoundingModeRTE, 32, T_F32, CAPABILITY_RTE,
			 SPV_NEED_RTE32 },
	[MODE_RTE64] = { SPV_ExecutionMode_RoundingModeRTE, 64, T_F64, CAPABILITY_RTE,
			 SPV_NEED_RTE64 },
	/* T_FVEC2: the operand or result of the conversions */
	[MODE_ZEROS16] = { SPV_ExecutionMode_SignedZeroInfNanPreserve, 16, T_FVEC2, CAPABILITY_ZEROS,
			   SPV_NEED_HALF },
	[MODE_DENORM16] = { SPV_ExecutionMode_DenormPreserve, 16, T_FVEC2, CAPABILITY_DENORM,
			    SPV_NEED_HALF },
	[MODE_RTE16] = { SPV_ExecutionMode_RoundingModeRTE, 16, T_FVEC2, CAPABILITY_RTE,
			 SPV_NEED_HALF },
	/* has no capability of its own */
	[MODE_UNIFORM_FLOW] = { SPV_ExecutionMode_SubgroupUniformControlFlowKHR, 0, T_VOID,
				CAPABILITY_SUBGROUP, SPV_NEED_UNIFORM_FLOW },
};
/* clang-format on */
static const char uniform_flow[] = "SPV_KHR_subgroup_uniform_control_flow";
static const char integer_dot[] = "SPV_KHR_integer_dot_product";

enum {
	CAPS_CROSS = 1 << CAPABILITY_SHUFFLE | 1 << CAPABILITY_BALLOT |
		     1 << CAPABILITY_ARITHMETIC | 1 << CAPABILITY_CLUSTERED
};

void
module_set_modes(struct module *m, uint32_t have)
{
	for (uint32_t i = 0; i < N_SPV_MODE; i++) {
		const struct mode_row *row = &mode_rows[i];
		bool used = row->width ? m->type[row->type] != 0 : (m->caps & CAPS_CROSS) != 0;
		if (!(have >> i & 1) || !used)
			continue;
		m->modes |= 1u << i;
		module_cap(m, row->cap);
	}
}

uint64_t
module_needs(const struct module *m)
{
	uint64_t needs = 0;

	for (uint32_t i = 0; i < N_SPV_CAP; i++) {
		if (m->caps >> i & 1)
			needs |= cap_rows[i].need;
	}
	for (uint32_t i = 0; i < N_SPV_MODE; i++) {
		if (m->modes >> i & 1)
			needs |= mode_rows[i].need;
	}
	return needs;
}

/* Words of the longest name of an extension, and of a head without its interface. */
enum {
	EXTENSION = (sizeof uniform_flow + 3) / 4,
	HEAD_WORDS = SPV_HEADER_WORDS + 2 * N_SPV_CAP + 2 * (1 + EXTENSION) + 6 + 3 + 5 + 6 +
		     4 * N_SPV_MODE
};

/* Writes the name of an extension, an instruction set or an entry point. */
static void
put_name(uint32_t *words, size_t n, const char *name)
{
	memset(words, 0, n * sizeof *words);
	memcpy(words, name, strlen(name));
}

/* Writes the header, capabilities, extensions, imports and memory model. */
static void
put_needs(const struct module *m, struct words *head)
{
	uint32_t text[EXTENSION];

	*head->at++ = SPV_MAGIC;
	*head->at++ = SPV_VERSION;
	*head->at++ = 0;
	*head->at++ = m->bound;
	*head->at++ = 0;
	for (uint32_t i = 0; i < N_SPV_CAP; i++) {
		if (m->caps >> i & 1)
			PUT(head, Capability, cap_rows[i].capability);
	}
	if (m->modes >> MODE_UNIFORM_FLOW & 1) {
		put_name(text, EXTENSION, uniform_flow);
		put_words(head, SPV_Extension, text, EXTENSION);
	}
	if (m->caps >> CAPABILITY_DOT & 1) {
		put_name(text, EXTENSION, integer_dot);
		put_words(head, SPV_Extension, text, (sizeof integer_dot + 3) / 4);
	}
	if (m->glsl) {
		put_name(text, 4, "GLSL.std.450");
		PUT(head, ExtInstImport, m->glsl, text[0], text[1], text[2], text[3]);
	}
	PUT(head, MemoryModel, SPV_AddressingModel_PhysicalStorageBuffer64,
	    SPV_MemoryModel_Vulkan);
}

static void
put_entry(const struct module *m, struct words *head, uint32_t entry, uint32_t local_size)
{
	size_t n_interface = (size_t)(m->interface.at - m->interface.base);
	uint32_t *point = head->at, text[2];

	put_name(text, 2, MODULE_ENTRY);
	PUT(head, EntryPoint, SPV_ExecutionModel_GLCompute, entry, text[0], text[1]);
	memcpy(head->at, m->interface.base, n_interface * sizeof *head->at);
	head->at += n_interface;
	*point = (uint32_t)(head->at - point) << 16 | SPV_EntryPoint;
	PUT(head, ExecutionMode, entry, SPV_ExecutionMode_LocalSize, local_size, 1, 1);
	for (uint32_t i = 0; i < N_SPV_MODE; i++) {
		const struct mode_row *row = &mode_rows[i];

		if (m->modes >> i & 1)
			put_words(head, SPV_ExecutionMode,
				  (const uint32_t[]){ entry, row->mode, row->width },
				  row->width ? 3 : 2);
	}
}

/* Returns the words of the text of the tables: two digits for each byte, and a NUL. */
static size_t
text_words(const struct module *m)
{
	return m->tables_size ? m->tables_size / 2 + 1 : 0;
}

/* Writes the bytes of the tables as a string of hexadecimal digits. */
static void
put_tables(struct module *m, struct words *head)
{
	size_t n = text_words(m);
	char *text;

	if (!n)
		return;
	*head->at++ = (uint32_t)(2 + n) << 16 | SPV_String;
	*head->at++ = module_id(m);
	m->tables_at = (uint32_t)(head->at - head->base);
	text = (char *)head->at;
	head->at[n - 1] = 0;
	for (uint32_t i = 0; i < m->tables_size; i++) {
		text[2 * i] = "0123456789abcdef"[m->tables[i] >> 4];
		text[2 * i + 1] = "0123456789abcdef"[m->tables[i] & 15];
	}
	head->at += n;
	head->base[SPV_HEADER_WORDS - 2] = m->bound;
}

bool
module_finish(struct module *m, struct arena *mem, uint32_t entry, uint32_t local_size)
{
	struct words head;

	if (!words_init(&head, mem,
			HEAD_WORDS + 2 + text_words(m) + (size_t)(m->interface.at - m->interface.base)))
		return false;
	put_needs(m, &head);
	put_entry(m, &head, entry, local_size);
	put_tables(m, &head);

	size_t n_head = (size_t)(head.at - head.base), n_anno = (size_t)(m->anno.at - m->anno.base);
	size_t n_decl = (size_t)(m->decl.at - m->decl.base);
	size_t n_body = (size_t)(m->body.at - m->body.base);
	size_t before = n_head + n_anno + n_decl;

	m->code->len = n_body * sizeof *head.at;
	if (!buf_extend(m->code, before * sizeof *head.at))
		return false;
	uint32_t *out = (uint32_t *)(void *)buf_data(m->code);
	memmove(out + before, out, n_body * sizeof *out);
	memcpy(out, head.base, n_head * sizeof *out);
	memcpy(out + n_head, m->anno.base, n_anno * sizeof *out);
	memcpy(out + n_head + n_anno, m->decl.base, n_decl * sizeof *out);
	return true;
}
