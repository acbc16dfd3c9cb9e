/* The argument block, and loads and stores through the addresses in it.
 *
 * The block is a struct with a member for each word that the kernel uses, and one for each buffer
 * address. The address is a pointer to a block with a runtime array, and is loaded once, at the
 * head of the function. Pointers are never converted from integers, so devices without 64-bit
 * integers need nothing else. No pointer is stored in a variable of the function, so none needs an
 * aliasing decoration.
 *
 * Exception: with launch facts, an element's address is the base, as an integer, plus a byte offset
 * of 32 bits. A compiler of RADV then uses a scalar base and one vector register. The offset does not
 * wrap: the guard has compared the element's index with the length, and the buffer is below 4 GiB. */
#include "emit.h"
#include "vector.h"

/* -- Types ------------------------------------------------------------------- */

enum spv_type
spv_value_type(qd_type t)
{
	static const uint8_t of[] = {
		[QD_TYPE_NONE] = T_VOID, [QD_TYPE_BOOL] = T_BOOL, [QD_TYPE_I32] = T_U32,
		[QD_TYPE_U32] = T_U32,	 [QD_TYPE_I64] = T_U64,	  [QD_TYPE_U64] = T_U64,
		[QD_TYPE_F32] = T_F32,	 [QD_TYPE_F64] = T_F64,
	};
	assert(t < QD_COUNT(of));
	return (enum spv_type)of[t];
}

enum spv_type
spv_variable_type(qd_type t)
{
	switch (spv_value_type(t)) {
	case T_BOOL: return T_VAR_BOOL;
	case T_U64: return T_VAR_U64;
	case T_F32: return T_VAR_F32;
	case T_F64: return T_VAR_F64;
	default: return T_VAR_U32;
	}
}

/* The groups of types in module.h list the elements in the same order. */
_Static_assert(T_F64 - T_U8 == 5 && T_MEM_F64 - T_MEM_U8 == 5 && T_BASE_F64 - T_BASE_U8 == 5 &&
		       T_SHARED_F64 - T_SHARED_U32 == T_F64 - T_U32,
	       "the types of module.h keep one order");

static struct access
access_of(qd_type element, uint32_t attr)
{
	if (attr & (ATTR_LO | ATTR_HI))
		return (struct access){ T_U32, 4, VIEW_HALF, attr & ATTR_HI ? 1 : 0 };
	switch (element) {
	case QD_TYPE_I8:
	case QD_TYPE_U8: return (struct access){ T_U8, 1, VIEW_ELEMENT, 0 };
	case QD_TYPE_I16:
	case QD_TYPE_U16:
	case QD_TYPE_F16:
	case QD_TYPE_BF16: return (struct access){ T_U16, 2, VIEW_ELEMENT, 0 };
	default: {
		enum spv_type t = spv_value_type(element);
		return (struct access){ t, type_info[element].size, VIEW_ELEMENT, 0 };
	}
	}
}

/* Returns the access to elements of memory x, as bits if an atomic needs the bits of floats. */
static struct access
access_to(const struct emitter *e, uint32_t x, uint32_t attr)
{
	struct access a = access_of(e->mems[x].type, attr);

	if (e->bits[x] && a.element >= T_F32)
		a.element = a.element == T_F32 ? T_U32 : T_U64;
	return a;
}

/* -- Arguments ------------------------------------------------------------------ */

/* Returns log2 of the bytes of an element of memory x. */
static uint32_t
element_shift(const struct emitter *e, uint32_t x)
{
	return qd_log2(type_info[e->mems[x].type].size);
}

/* Returns whether index v is a constant below 2^31. An index is signed, so a 32-bit index reaches
 * only half of the range. */
static bool
is_small(const struct emitter *e, uint32_t v)
{
	return e->ir->ins[v].op == OP_CONST && e->ir->ins[v].a < 0x80000000u;
}

/* Returns whether launch facts shorten an access to a buffer: its index is below the buffer's length, and
 * its byte offset is not the index itself. */
static bool
has_fact_form(const struct emitter *e, const struct ins *ins)
{
	return ins->x < e->k->n_params && !e->k->assume_in_bounds && e->machine->caps & CAP_I64 &&
	       !is_small(e, ins->a) && element_shift(e, ins->x);
}

bool
spv_facts_differ(const struct emitter *e)
{
	for (uint32_t x = 0; x < e->k->n_params; x++)
		if (e->address[x])
			return true;
	return false;
}

void
spv_want_memory(struct emitter *e, const struct ins *ins)
{
	switch (op_sig((enum op)ins->op)->x) {
	case X_PARAM: {
		const struct param *p = &e->k->params[ins->x];
		uint32_t *word = &e->word[p->offset / 4];
		if (!(ins->attr & ATTR_HI))
			word[0] = 1;
		if (ins->attr & ATTR_HI || (type_is_64(p->type) && !(ins->attr & ATTR_LO)))
			word[1] = 1;
		break;
	}
	case X_BUFFER: e->word[e->k->params[ins->x].offset / 4 + 2] = 1; break;
	case X_MEMORY: {
		assert(ins->x < e->in->body->n_mems);
		struct access a = access_of(e->mems[ins->x].type, ins->attr);
		if (ins->attr & ATTR_BITS)
			e->bits[ins->x] = true;
		e->base[ins->x * N_VIEW + a.view] = 1;
		if (has_fact_form(e, ins) || spv_has_vector_form(e, ins))
			e->address[ins->x] = 1;
		break;
	}
	default:
		if (ins->op != OP_ARGWORD)
			break;
		assert(ins->x < e->in->body->args_size / 4);
		e->word[ins->x] = 1;
	}
}

/* Returns the view of the pointer in the block, for a parameter that needs any. The other view is a
 * bitcast of this pointer. */
static enum view
member_view(const uint32_t *base)
{
	return base[VIEW_ELEMENT] ? VIEW_ELEMENT : VIEW_HALF;
}

static enum spv_type
base_type(const struct emitter *e, uint32_t param, enum view view)
{
	enum spv_type group = e->mems[param].access == QD_ACCESS_IN ? T_IN_BASE_U8 : T_BASE_U8;

	if (view == VIEW_HALF)
		return group + (T_BASE_UVEC2 - T_BASE_U8);
	return group + (access_to(e, param, 0).element - T_U8);
}

/* The groups of pointers to bases have the order of the bases. */
_Static_assert(T_PUSH_IN_BASE_UVEC2 - T_PUSH_BASE_U8 == T_IN_BASE_UVEC2 - T_BASE_U8 &&
		       T_MEM_IN_BASE_UVEC2 - T_MEM_BASE_U8 == T_IN_BASE_UVEC2 - T_BASE_U8,
	       "the types of module.h keep one order");

struct member {
	uint32_t *id;	    /* receives the id of the value */
	enum spv_type type; /* T_U32, or one of T_BASE_* and T_IN_BASE_* */
};

/* Lists the members in order of offset. */
static uint32_t
list_members(struct emitter *e, struct member *member, uint32_t *types, uint32_t *offsets)
{
	uint32_t n = 0, next = 0, n_words = e->in->body->args_size / 4, report = e->in->body->report;

	for (uint32_t i = 0; i < n_words; i++) {
		if (next < e->k->n_params && e->k->params[next].offset == 4 * i) {
			uint32_t *base = &e->base[next * N_VIEW];
			if (base[VIEW_ELEMENT] || base[VIEW_HALF]) {
				enum view view = member_view(base);
				member[n] = (struct member){ &base[view], base_type(e, next, view) };
				offsets[n++] = 4 * i;
			}
			next++;
		}
		if (report != NO_MEMORY && report_args_at(e->k) == 4 * i && e->base[report * N_VIEW]) {
			member[n] = (struct member){ &e->base[report * N_VIEW],
						     base_type(e, report, VIEW_ELEMENT) };
			offsets[n++] = 4 * i;
		}
		if (e->word[i]) {
			member[n] = (struct member){ &e->word[i], T_U32 };
			offsets[n++] = 4 * i;
		}
	}
	for (uint32_t i = 0; i < n; i++)
		types[i] = module_type(&e->m, member[i].type);
	return n;
}

/* Declares the push constants: n members, and the address of the tables at offset `at` if there are any. Returns
 * the variable. types and offsets have room for one more. */
static uint32_t
push_constants(struct emitter *e, uint32_t *types, uint32_t *offsets, uint32_t n, uint32_t at)
{
	struct module *m = &e->m;
	uint32_t push = SPV_StorageClass_PushConstant, block, var;

	types[n] = e->tables_type;
	offsets[n] = at;
	block = module_block(m, types, offsets, n + (e->tables_type != 0));
	var = module_global(m, module_pointer(m, push, block), push);
	if (e->tables_type)
		spv_load_tables(e, var, n);
	return var;
}

/* Returns a pointer to the block, which is the push constant or at the address in it. */
static uint32_t
argument_block(struct emitter *e, uint32_t *types, uint32_t *offsets, uint32_t n)
{
	struct module *m = &e->m;
	uint32_t pointer[2], zero[2] = { 0 }, push = SPV_StorageClass_PushConstant;

	if (!spv_args_by_address(e))
		return push_constants(e, types, offsets, n, e->in->body->args_size);
	pointer[0] = module_pointer(m, SPV_StorageClass_PhysicalStorageBuffer, module_block(m, types, offsets, n));
	uint32_t var = push_constants(e, pointer, zero, 1, 8);
	uint32_t to = module_pointer(m, push, pointer[0]), at = module_id(m), block = module_id(m);
	PUT(&m->body, AccessChain, to, at, var, module_u32(m, 0));
	PUT(&m->body, Load, pointer[0], block, at);
	return block;
}

/* Converts the bases to which byte offsets are added. */
static void
emit_addresses(struct emitter *e)
{
	uint32_t type = e->machine->facts && spv_facts_differ(e) ? module_type(&e->m, T_U64) : 0;

	for (uint32_t x = 0; type && x < e->k->n_params && module_room(&e->m); x++) {
		const uint32_t *base = &e->base[x * N_VIEW];
		if (!e->address[x])
			continue;
		e->address[x] = module_id(&e->m);
		PUT(&e->m.body, ConvertPtrToU, type, e->address[x], base[member_view(base)]);
	}
}

qd_status
spv_emit_arguments(struct emitter *e, struct qd_error *err)
{
	struct module *m = &e->m;
	uint32_t n = e->in->body->args_size / 4;
	bool by_address = spv_args_by_address(e);
	struct member *member = arena_alloc(e->in->mem, n * sizeof *member);
	uint32_t *types = arena_alloc(e->in->mem, 2 * (n + 1) * sizeof *types);

	if (!member || !types)
		return spv_no_memory(err);
	uint32_t *offsets = types + n + 1;
	n = list_members(e, member, types, offsets);
	uint32_t block = argument_block(e, types, offsets, n);

	for (uint32_t i = 0; i < n; i++) {
		if (!module_room(m))
			return spv_no_memory(err);
		enum spv_type t = member[i].type;
		uint32_t size = t == T_U32 ? 4 : 8, ptr = module_id(m);
		uint32_t id = *member[i].id = module_id(m);
		enum spv_type to = by_address ? T_MEM_U32 : T_PUSH_U32;
		if (t != T_U32)
			to = t - T_BASE_U8 + (by_address ? T_MEM_BASE_U8 : T_PUSH_BASE_U8);
		uint32_t type = module_type(m, to);
		PUT(&m->body, AccessChain, type, ptr, block, module_u32(m, i));
		if (by_address)
			PUT(&m->body, Load, types[i], id, ptr, SPV_MemoryAccess_Aligned, size);
		else
			PUT(&m->body, Load, types[i], id, ptr);
	}
	for (uint32_t i = 0; i < e->k->n_params; i++) {
		uint32_t *base = &e->base[i * N_VIEW];
		if (!base[VIEW_ELEMENT] || !base[VIEW_HALF])
			continue;
		if (!module_room(m))
			return spv_no_memory(err);
		uint32_t type = module_type(m, base_type(e, i, VIEW_HALF));
		base[VIEW_HALF] = module_id(m);
		PUT(&m->body, Bitcast, type, base[VIEW_HALF], base[VIEW_ELEMENT]);
	}
	emit_addresses(e);
	return QD_OK;
}

qd_status
spv_emit_param(struct emitter *e, uint32_t i, struct qd_error *err)
{
	const struct ins *ins = &e->ir->ins[i];
	const struct param *p = &e->k->params[ins->x];
	const uint32_t *word = &e->word[p->offset / 4];
	uint32_t from = word[0];

	(void)err;
	if (ins->op == OP_LEN) {
		e->id[i] = word[2];
	} else if (ins->attr & (ATTR_LO | ATTR_HI)) {
		e->id[i] = word[ins->attr & ATTR_HI ? 1 : 0];
	} else if (spv_value_type(ins->type) == T_U32) {
		e->id[i] = from;
	} else {
		if (type_is_64(ins->type)) {
			from = module_id(&e->m);
			PUT(&e->m.body, CompositeConstruct, module_type(&e->m, T_UVEC2), from,
			    word[0], word[1]);
		}
		uint32_t type = type_id(e, ins->type);
		PUT(&e->m.body, Bitcast, type, e->id[i] = module_id(&e->m), from);
	}
	return QD_OK;
}

/* -- Shared arrays ------------------------------------------------------------------- */

/* A pointer to a shared array cannot be cast. If any access needs halves, all accesses use pairs of
 * words, and both views have the array's id. */
void
spv_declare_shared(struct emitter *e)
{
	for (uint32_t i = e->k->n_params; i < e->in->body->n_mems; i++) {
		const struct memory *mem = &e->mems[i];
		uint32_t *base = &e->base[i * N_VIEW];
		if (mem->space != SPACE_SHARED || (!base[VIEW_ELEMENT] && !base[VIEW_HALF]))
			continue;
		bool words = base[VIEW_HALF] != 0;
		base[VIEW_ELEMENT] = module_shared(&e->m, words ? T_UVEC2 : access_to(e, i, 0).element, mem->len);
		base[VIEW_HALF] = words ? base[VIEW_ELEMENT] : 0;
	}
}

/* -- Loads and stores --------------------------------------------------------------- */

struct access
spv_access(const struct emitter *e, const struct ins *ins)
{
	const struct memory *mem = &e->mems[ins->x];
	struct access a = access_to(e, ins->x, ins->attr);

	if (mem->space != SPACE_GLOBAL && a.view == VIEW_ELEMENT &&
	    e->base[ins->x * N_VIEW + VIEW_HALF])
		a.element = T_UVEC2;
	return a;
}

uint32_t
spv_chosen(struct emitter *e, enum spv_type t, uint32_t condition, uint32_t a, uint32_t b)
{
	uint32_t type = module_type(&e->m, t), id = module_id(&e->m);

	PUT(&e->m.body, Select, type, id, e->id[condition], a, b);
	return id;
}

/* Converts a u32 to a u64. id: of the u32. */
static uint32_t
widened(struct emitter *e, uint32_t id)
{
	uint32_t type = module_type(&e->m, T_U64), wide = module_id(&e->m);

	PUT(&e->m.body, UConvert, type, wide, id);
	return wide;
}

/* Shifts a u32 left. id: of the u32. */
static uint32_t
shifted(struct emitter *e, uint32_t id, uint32_t shift)
{
	if (!shift)
		return id;
	uint32_t type = module_type(&e->m, T_U32), count = module_u32(&e->m, shift), to = module_id(&e->m);
	PUT(&e->m.body, ShiftLeftLogical, type, to, id, count);
	return to;
}

/* Returns the id of a u32 plus a constant. */
static uint32_t
plus(struct emitter *e, uint32_t id, uint32_t constant)
{
	if (!constant)
		return id;
	uint32_t type = module_type(&e->m, T_U32), by = module_u32(&e->m, constant), sum = module_id(&e->m);
	PUT(&e->m.body, IAdd, type, sum, id, by);
	return sum;
}

/* Returns the index of element ins->a, shifted left, as a u64. It is converted once per block,
 * unless it depends on a condition. */
static uint32_t
widened_index(struct emitter *e, const struct ins *ins, uint32_t shift, uint32_t condition)
{
	struct wide *w = &e->wide[ins->a % N_WIDE];

	if (condition)
		return widened(e, shifted(e, spv_chosen(e, T_U32, condition, e->id[ins->a], module_u32(&e->m, 0)), shift));
	if (w->value != ins->a || w->shift != shift || w->label != e->label)
		*w = (struct wide){ .value = ins->a, .shift = shift, .label = e->label,
				    .id = widened(e, shifted(e, e->id[ins->a], shift)) };
	return w->id;
}

uint32_t
spv_byte_offset(struct emitter *e, const struct ins *ins, uint32_t add, uint32_t condition)
{
	const uint32_t shift = element_shift(e, ins->x);
	uint32_t index = plus(e, e->id[ins->a], add);

	if (!add)
		return widened_index(e, ins, shift, condition);
	if (condition)
		index = spv_chosen(e, T_U32, condition, index, module_u32(&e->m, 0));
	return widened(e, shifted(e, index, shift));
}

/* Returns a pointer to the block that begins at element ins->a. */
static uint32_t
block_at(struct emitter *e, const struct ins *ins, const struct access *a, uint32_t condition)
{
	struct module *m = &e->m;
	uint32_t offset = widened_index(e, ins, element_shift(e, ins->x), condition);
	uint32_t wide = module_type(m, T_U64), sum = module_id(m);
	uint32_t type = module_type(m, base_type(e, ins->x, a->view)), at = module_id(m);

	PUT(&m->body, IAdd, wide, sum, e->address[ins->x], offset);
	PUT(&m->body, ConvertUToPtr, type, at, sum);
	return at;
}

uint32_t
spv_element(struct emitter *e, const struct ins *ins, const struct access *a, uint32_t condition)
{
	struct module *m = &e->m;
	bool facts = e->machine->facts && has_fact_form(e, ins);
	bool shared = e->mems[ins->x].space == SPACE_SHARED, table = e->mems[ins->x].space == SPACE_TABLE;
	const uint32_t near = vector_near(ins);
	uint32_t path[7], n = 0, type, at = facts ? 0 : plus(e, e->id[ins->a], near), base = e->base[ins->x * N_VIEW + a->view];

	if (shared && a->element == T_UVEC2)
		type = module_type(m, T_SHARED_UVEC2);
	else if (shared)
		type = module_type(m, T_SHARED_U32 + (a->element - T_U32));
	else
		type = module_type(m, T_MEM_U8 + (a->element - T_U8));
	if (facts) {
		base = block_at(e, ins, a, condition);
		at = module_u32(m, near);
		if (near && condition)
			at = spv_chosen(e, T_U32, condition, at, module_u32(m, 0));
	} else if (near && e->machine->caps & CAP_I64 && !shared) {
		if (condition)
			at = spv_chosen(e, T_U32, condition, at, module_u32(m, 0));
		at = widened(e, at);
	} else if (e->machine->caps & CAP_I64 && !shared && !is_small(e, ins->a)) {
		at = widened_index(e, ins, 0, condition);
	} else if (condition) {
		at = spv_chosen(e, T_U32, condition, at, module_u32(m, 0));
	}
	path[n++] = type;
	path[n++] = module_id(m);
	path[n++] = table ? e->tables : base;
	if (table) /* its member of the block */
		path[n++] = base;
	else if (!shared) /* the block's only member */
		path[n++] = module_u32(m, 0);
	path[n++] = at;
	if (a->view == VIEW_HALF)
		path[n++] = module_u32(m, a->half);
	put_words(&m->body, SPV_AccessChain, path, n);
	return path[1];
}

/* `in` buffers are not written while the kernel runs. Other memory is not private, as other threads
 * access it. */
uint32_t
spv_access_words(const struct memory *mem, uint32_t align, uint32_t *words)
{
	words[0] = mem->access == QD_ACCESS_IN ? 0 : SPV_MemoryAccess_NonPrivatePointer;
	if (mem->space == SPACE_SHARED)
		return 1;
	words[0] |= SPV_MemoryAccess_Aligned;
	words[1] = align;
	return 2;
}

uint32_t
spv_open_predicate(struct emitter *e, uint32_t condition)
{
	uint32_t then = module_id(&e->m), after = module_id(&e->m);

	PUT(&e->m.body, SelectionMerge, after, SPV_SelectionControl_None);
	PUT(&e->m.body, BranchConditional, e->id[condition], then, after);
	PUT(&e->m.body, Label, then);
	e->label = then;
	return after;
}

void
spv_close_predicate(struct emitter *e, uint32_t after)
{
	PUT(&e->m.body, Branch, after);
	PUT(&e->m.body, Label, after);
	e->label = after;
}

/* Emits a conversion, or nothing if the types are the same. */
static uint32_t
change(struct emitter *e, uint32_t op, enum spv_type from, enum spv_type to, uint32_t v)
{
	if (from == to)
		return v;
	uint32_t type = module_type(&e->m, to), id = module_id(&e->m);
	PUT_OP(&e->m.body, (enum spv_op)op, type, id, v);
	return id;
}

/* The load is unconditional: if its condition is false, it reads the first element, which every
 * memory has. Thus no branch precedes a cross-lane operation. */
qd_status
spv_emit_load(struct emitter *e, uint32_t i, struct qd_error *err)
{
	struct module *m = &e->m;
	const struct ins *ins = &e->ir->ins[i];
	const struct memory *mem = &e->mems[ins->x];
	struct access a = spv_access(e, ins);
	enum spv_type to = spv_value_type(ins->type);

	if (e->id[i] || spv_load_vector(e, i))
		return QD_OK;
	if (a.align < 4 && to != T_U32)
		return spv_illegal(e, i, "small elements are loaded as 32-bit integers", err);
	uint32_t ptr = spv_element(e, ins, &a, ins->c), raw = module_id(m);
	uint32_t load[5] = { module_type(m, a.element), raw, ptr };
	put_words(&m->body, SPV_Load, load, 3 + spv_access_words(mem, a.align, load + 3));
	uint32_t op = a.align >= 4 ? SPV_Bitcast :
		      type_info[mem->type].is_signed ? SPV_SConvert : SPV_UConvert;
	uint32_t v = change(e, op, a.element, to, raw);
	if (ins->c) {
		uint32_t other = ins->b ? e->id[ins->b] : module_const(m, to, 0);

		v = spv_chosen(e, to, ins->c, v, other);
	}
	e->id[i] = v;
	return QD_OK;
}

qd_status
spv_emit_store(struct emitter *e, uint32_t i, struct qd_error *err)
{
	const struct ins *ins = &e->ir->ins[i];
	struct access a = spv_access(e, ins);
	enum spv_type from = spv_value_type(e->ir->ins[ins->b].type);
	uint32_t after = 0;

	if (i <= e->stored || spv_store_vector(e, i))
		return QD_OK;
	if (a.align < 4 && from != T_U32)
		return spv_illegal(e, i, "small elements are stored from 32-bit integers", err);
	if (ins->c)
		after = spv_open_predicate(e, ins->c);
	uint32_t ptr = spv_element(e, ins, &a, 0);
	uint32_t v = change(e, a.align >= 4 ? SPV_Bitcast : SPV_UConvert, from, a.element,
			    e->id[ins->b]);
	uint32_t store[4] = { ptr, v };
	put_words(&e->m.body, SPV_Store, store,
		  2 + spv_access_words(&e->mems[ins->x], a.align, store + 2));
	if (after)
		spv_close_predicate(e, after);
	return QD_OK;
}
