/* Buffers, shared arrays, atomics.
 *
 * A buffer's descriptor contains the element size, and the hardware checks indices: a load out of
 * range returns 0, a store out of range does nothing. A conditional access therefore uses an index
 * that is out of range. A load with another value for its inactive lanes is followed by a select. Shared arrays have no such
 * check, so conditional accesses to them deactivate lanes. Conditional atomics do the same. */
#include "vector.h"
#include "word.h"

/* -- Tables ----------------------------------------------------------------------------------- */

static const struct element {
	uint16_t load, store, ds_load, ds_store;
} elements[N_TYPE] = {
#define ELEMENT(type, load, store, ds_load, ds_store)                                              \
	[QD_TYPE_##type] = { GCN_OP_buffer_load_##load, GCN_OP_buffer_store_##store,               \
			     GCN_OP_ds_read_##ds_load, GCN_OP_ds_write_##ds_store }
	ELEMENT(I8, sbyte, byte, i8, b8),	 ELEMENT(U8, ubyte, byte, u8, b8),
	ELEMENT(I16, sshort, short, i16, b16),	 ELEMENT(U16, ushort, short, u16, b16),
	ELEMENT(F16, ushort, short, u16, b16),	 ELEMENT(BF16, ushort, short, u16, b16),
	ELEMENT(I32, dword, dword, b32, b32),	 ELEMENT(U32, dword, dword, b32, b32),
	ELEMENT(F32, dword, dword, b32, b32),	 ELEMENT(I64, dwordx2, dwordx2, b64, b64),
	ELEMENT(U64, dwordx2, dwordx2, b64, b64), ELEMENT(F64, dwordx2, dwordx2, b64, b64),
};

/* Operations that change an element: signed and unsigned, of 32 and of 64 bits. */
enum { OF_I32, OF_U32, OF_I64, OF_U64, N_OF };
static const struct change {
	uint16_t buffer[N_OF], ds[N_OF], ds_rtn[N_OF];
} changes[N_ATOMIC] = {
#define DS(op, rtn, i, u) { GCN_OP_ds_##op##rtn##i##32, GCN_OP_ds_##op##rtn##u##32,                   \
			    GCN_OP_ds_##op##rtn##i##64, GCN_OP_ds_##op##rtn##u##64 }
#define CHANGE(op, i, u, ds, di, du)                                                               \
	[ATOMIC_ROW(OP_ATOMIC_##op)] = { { GCN_OP_buffer_atomic_##i, GCN_OP_buffer_atomic_##u,                  \
			       GCN_OP_buffer_atomic_##i##_x2, GCN_OP_buffer_atomic_##u##_x2 },      \
			     DS(ds, _, di, du), DS(ds, _rtn_, di, du) }
	CHANGE(ADD, add, add, add, u, u),    CHANGE(SUB, sub, sub, sub, u, u),
	CHANGE(MIN, smin, umin, min, i, u),  CHANGE(MAX, smax, umax, max, i, u),
	CHANGE(AND, and, and, and, b, b),    CHANGE(OR, or, or, or, b, b),
	CHANGE(XOR, xor, xor, xor, b, b),
	[ATOMIC_ROW(OP_ATOMIC_EXCHANGE)] = { { GCN_OP_buffer_atomic_swap, GCN_OP_buffer_atomic_swap,
				   GCN_OP_buffer_atomic_swap_x2, GCN_OP_buffer_atomic_swap_x2 },
				 DS(wrxchg, _rtn_, b, b), DS(wrxchg, _rtn_, b, b) },
	/* In LDS the signed column is for gfx10 and earlier, the unsigned column for gfx11 and
	 * later. */
	[ATOMIC_ROW(OP_ATOMIC_CAS)] = { { GCN_OP_buffer_atomic_cmpswap, GCN_OP_buffer_atomic_cmpswap,
			      GCN_OP_buffer_atomic_cmpswap_x2, GCN_OP_buffer_atomic_cmpswap_x2 },
			    { GCN_OP_ds_cmpst_b32, GCN_OP_ds_cmpstore_b32, GCN_OP_ds_cmpst_b64,
			      GCN_OP_ds_cmpstore_b64 },
			    { GCN_OP_ds_cmpst_rtn_b32, GCN_OP_ds_cmpstore_rtn_b32, GCN_OP_ds_cmpst_rtn_b64,
			      GCN_OP_ds_cmpstore_rtn_b64 } },
};

/* Returns the column. Floats are only moved, as bits. */
static uint32_t
of(qd_type t, bool is_u)
{
	return (type_info[t].size == 8 ? 2u : 0u) + is_u;
}

bool
gen_has_atomic(enum op op, qd_type t)
{
	if (op == OP_ATOMIC_LOAD || op == OP_ATOMIC_STORE || op == OP_ATOMIC_EXCHANGE || op == OP_ATOMIC_CAS)
		return type_is(t, TM_NUM);
	return ATOMIC_ROW(op) < N_ATOMIC && changes[ATOMIC_ROW(op)].buffer[0] && type_is(t, TM_INT);
}

/* -- Caches --------------------------------------------------------------------------------------- */

enum access { A_LOAD, A_STORE, A_CHANGE };

/* Returns the cache policy of an atomic access by scope (LLVM's AMDGPU usage guide, "Memory Model"
 * of each generation): the access must bypass caches that the scope does not share.
 * tests/gcn/memory_model.py compares these policies and the code below with LLVM's. */
static uint32_t
policy(const struct emit *e, enum access a, enum mem_scope scope)
{
	bool wide = scope == MEM_DEVICE || scope == MEM_SYSTEM;

	switch (e->gcn->gen) {
	case GCN_G94: /* SC0 and SC1 encode the scope; SC0 of a change requests the old value */
		if (a == A_CHANGE)
			return scope == MEM_SYSTEM ? GCN_SCC : 0;
		return (wide ? GCN_SCC : 0) | (scope == MEM_SYSTEM || scope == MEM_BLOCK ? GCN_GLC : 0);
	case GCN_G10: return wide && a == A_LOAD ? GCN_GLC | GCN_DLC : 0;
	case GCN_G12: return GCN_SCOPE * (scope == MEM_SYSTEM ? 3u : wide ? 2u : 0u);
	default: return wide && a == A_LOAD ? GCN_GLC : 0;
	}
}

/* -- Addresses ------------------------------------------------------------------------------------ */

static bool
is_shared(const struct emit *e, const struct ins *s)
{
	return e->body->mems[s->x].space == SPACE_SHARED;
}

/* Returns the byte offset, from element s->a, of the word that is moved. */
static uint32_t
word_offset(const struct emit *e, const struct ins *s)
{
	return (s->attr & ATTR_HI ? 4 : 0) + vector_near(s) * type_info[e->body->mems[s->x].type].size;
}

struct ds_address {
	uint32_t reg, offset;
};

/* Returns the address of element `s->a` of a shared array. The sum of register and offset wraps at
 * 2^32, as an index does (LLVM's ds-sub-offset.ll relies on it). */
static struct ds_address
shared_address(struct emit *e, const struct ins *s)
{
	enum { FAR = 65536 };
	uint32_t shift = qd_log2(type_info[e->body->mems[s->x].type].size), reg;
	uint32_t offset = e->base[s->x] + word_offset(e, s), v = s->a;
	uint64_t index;

	if (gen_is_fused(e, v)) {
		const struct ins *add = gen_ins(e, v);
		uint32_t constant = gen_ins(e, add->b)->op == OP_CONST ? add->b : add->a;
		v = constant == add->b ? add->a : add->b;
		offset += (uint32_t)const_bits(gen_ins(e, constant)) << shift;
	}
	if (gen_known(e, v, &index)) {
		uint64_t at = offset + (index << shift);
		bool near = at < FAR;
		if (near)
			return (struct ds_address){ 256 + gen_zero(e), (uint32_t)at };
		reg = gen_temp_v(e, 1);
		put_mov_v(e, reg, gen_const((uint32_t)at));
		return (struct ds_address){ 256 + reg, 0 };
	}
	struct src a = gen_src(e, v);
	if (!shift && src_is_v(a) && offset < FAR)
		return (struct ds_address){ a.n, offset };
	if (offset < FAR)
		return (struct ds_address){ 256 + gen_scaled(e, v, shift), offset };
	reg = gen_temp_v(e, 1);
	put_v3(e, GCN_OP_v_lshl_add_u32, reg, a, gen_const(shift), gen_const(offset));
	return (struct ds_address){ 256 + reg, 0 };
}

QD_INLINE void
put_buffer_by(struct emit *e, enum gcn_op op, uint32_t data, uint32_t n_read, uint32_t n_written, uint32_t index,
	      const struct ins *s, uint32_t how)
{
	uint32_t rsrc = gen_descriptor(e, s->x);

	gen_memory_reads(e, false);
	gen_row_of_memory(e, data, n_read, n_written, index);
	word_put(gen_out(e), GCN_MUBUF, gen_row(e, op), GCN_MUBUF,
		 (struct gcn_fields){ .VDST = data - 256, .ADDR = index - 256, .SRSRC = rsrc / 4,
				      .SOFFSET = e->gcn->gen >= GCN_G12 ? gcn_null_of(e->gcn) : SRC_ZERO,
				      .OFFSET = word_offset(e, s), .IDXEN = true,
				      GCN_POLICY(e->gcn->gen, how) });
}

/* Accesses without a cache policy, which are the most common, and with one. */
static void
put_buffer(struct emit *e, enum gcn_op op, uint32_t data, uint32_t n_read, uint32_t n_written, uint32_t index,
	   const struct ins *s)
{
	put_buffer_by(e, op, data, n_read, n_written, index, s, 0);
}

static void
put_buffer_how(struct emit *e, enum gcn_op op, uint32_t data, uint32_t n_read, uint32_t n_written,
	       uint32_t index, const struct ins *s, uint32_t how)
{
	put_buffer_by(e, op, data, n_read, n_written, index, s, how);
}

/* Returns the index, which is out of range in lanes where cond is false. */
static uint32_t
guarded_index(struct emit *e, const struct ins *s, uint32_t cond)
{
	struct src index = gen_src(e, s->a), m;
	uint32_t reg;

	if (!cond)
		return gen_vector(e, index).n;
	m = gen_mask(e, cond);
	if (m.n == SRC_ONES)
		return gen_vector(e, index).n;
	index = gen_vector(e, index);
	reg = gen_temp_v(e, 1);
	put_choose(e, reg, src_of(SRC_ONES), index, m);
	return 256 + reg;
}

/* Deactivates the lanes where cond is false. Returns the saved exec for switch_on, or REG_NONE. */
static uint32_t
switch_off(struct emit *e, uint32_t cond)
{
	uint32_t save;

	if (!cond)
		return REG_NONE;
	struct src m = gen_mask(e, cond);
	save = gen_temp_s(e, e->mask_words);
	put_saveexec(e, save, m);
	return save;
}

static void
switch_on(struct emit *e, uint32_t save)
{
	if (save != REG_NONE)
		put_mask1(e, GCN_OP_s_mov_b32, GCN_OP_s_mov_b64, SRC_EXEC, src_of(save));
}

/* -- Loads and stores ------------------------------------------------------------------------------- */

/* Finds the vector that contains access i and may be emitted there. Buffers need an alignment of 4 bytes only. */
static bool
find_vector(const struct emit *e, uint32_t i, struct vector *v)
{
	return gen_ins(e, i)->attr & ATTR_NEAR && !e->spilled && vector_find(e->body, i, v) && v->size >= 4;
}

/* Returns the instructions that move an element or a word of it. */
static const struct element *
element_of(const struct emit *e, const struct ins *s)
{
	return &elements[s->attr & (ATTR_LO | ATTR_HI) ? QD_TYPE_U32 : e->body->mems[s->x].type];
}

static void
load_shared(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	uint32_t n = type_info[s->type].size / 4;
	struct ds_address a = shared_address(e, s);
	uint32_t dst = gen_result(e, i, AT_V, n, !s->c && n == 1);

	for (uint32_t w = 0; s->c && w < n; w++)
		put_mov_v(e, dst + w, s->b ? gen_word(e, s->b, w) : src_of(SRC_ZERO));
	uint32_t save = switch_off(e, s->c);
	gen_memory_reads(e, true);
	gcn_ds(gen_out(e), gen_row(e, (enum gcn_op)element_of(e, s)->ds_load), 256 + dst, a.reg, GCN_OFF,
	       GCN_OFF, (uint16_t)a.offset);
	gen_issued(e, CNT_DS, 256 + dst, n);
	switch_on(e, save);
}

/* Loads the elements of a vector to consecutive registers. */
static bool
load_vector(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	struct ins first = *s;
	struct vector v;
	uint32_t n, dst;

	if (!find_vector(e, i, &v) || (s->b && s->c))
		return false;
	for (uint32_t k = 0; k < v.n; k++)
		if (e->loc[v.of[k]].at != AT_NONE || e->plan[v.of[k]].flags & (GEN_INTO | GEN_HALF | GEN_FUSE))
			return false;
	n = v.n * v.size / 4;
	first.attr = (uint16_t)(ATTR_NEAR | v.first << ATTR_NEAR_AT);
	if (!gen_has_room_v(e, n))
		return false;
	dst = gen_take_v(e, n);
	if (is_shared(e, s)) {
		struct ds_address a = shared_address(e, &first);

		for (uint32_t w = 0; s->c && w < n; w++)
			put_mov_v(e, dst + w, src_of(SRC_ZERO));
		uint32_t save = switch_off(e, s->c);
		gen_memory_reads(e, true);
		gcn_ds(gen_out(e), gen_row(e, n == 4 ? GCN_OP_ds_read_b128 : GCN_OP_ds_read_b64), 256 + dst, a.reg, GCN_OFF, GCN_OFF,
		       (uint16_t)a.offset);
		gen_issued(e, CNT_DS, 256 + dst, n);
		switch_on(e, save);
	} else {
		uint32_t index = guarded_index(e, s, s->c);

		put_buffer(e, n == 4 ? GCN_OP_buffer_load_dwordx4 : GCN_OP_buffer_load_dwordx2, 256 + dst, 0, n, index, &first);
		gen_issued(e, CNT_LOAD, 256 + dst, n);
	}
	for (uint32_t k = 0; k < v.n; k++)
		gen_assign_v(e, v.of[k], dst + k * v.size / 4, v.size / 4);
	return true;
}

void
gen_emit_load(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	uint32_t n = type_info[s->type].size / 4, dst, index;
	bool selects = s->b && s->c;

	if (e->loc[i].at != AT_NONE) /* with an earlier one */
		return;
	if (is_shared(e, s)) {
		if (!load_vector(e, i) && !gen_emit_pair(e, i))
			load_shared(e, i);
		return;
	}
	if ((gen_is_uniform(e, i) && gen_emit_uniform(e, i)) || load_vector(e, i))
		return;
	/* Without a value to select, lanes that must not load use an index that is out of range. */
	index = guarded_index(e, s, selects ? 0 : s->c);
	dst = gen_result(e, i, AT_V, n, !selects && n == 1);
	put_buffer(e, (enum gcn_op)element_of(e, s)->load, 256 + dst, 0, n, index, s);
	gen_issued(e, CNT_LOAD, 256 + dst, n);
	if (!selects)
		return;
	struct src m = gen_mask(e, s->c);
	gen_wait_reg(e, 256 + dst, n);
	for (uint32_t w = 0; w < n; w++)
		put_choose(e, dst + w, gen_word(e, s->b, w), src_of(256 + dst + w), m);
}

/* Returns word w of a stored value, which may be a fused PAIR. */
static struct src
stored_word(struct emit *e, uint32_t v, uint32_t w)
{
	const struct ins *s = gen_ins(e, v);

	return gen_is_fused(e, v) ? gen_src(e, w ? s->b : s->a) : gen_word(e, v, w);
}

/* Returns consecutive registers that hold the words. */
static uint32_t
gathered(struct emit *e, const struct src *word, uint32_t n)
{
	uint32_t reg, w = 1;

	while (w < n && word[w].n == word[0].n + w)
		w++;
	if (w == n && src_is_v(word[0]) && word[0].n % 2 == 0)
		return word[0].n;
	reg = gen_temp_v(e, n);
	for (w = 0; w < n; w += 2)
		put_mov_pair(e, reg + w, word[w], word[w + 1]);
	return 256 + reg;
}

static bool
store_vector(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	struct ins first = *s;
	struct src word[4];
	struct vector v;
	uint32_t n, data;

	if (!find_vector(e, i, &v) || !gen_has_room_v(e, 4))
		return false;
	n = v.n * v.size / 4;
	first.attr = (uint16_t)(ATTR_NEAR | v.first << ATTR_NEAR_AT);
	for (uint32_t w = 0; w < n; w++)
		word[w] = stored_word(e, gen_ins(e, v.of[4 * w / v.size])->b, v.size == 8 ? w % 2 : 0);
	data = gathered(e, word, n);
	if (is_shared(e, s)) {
		struct ds_address a = shared_address(e, &first);
		uint32_t save = switch_off(e, s->c);

		gen_memory_reads(e, true);
		gcn_ds(gen_out(e), gen_row(e, n == 4 ? GCN_OP_ds_write_b128 : GCN_OP_ds_write_b64), GCN_OFF, a.reg, data, GCN_OFF,
		       (uint16_t)a.offset);
		gen_issued(e, CNT_DS, 0, 0);
		switch_on(e, save);
	} else {
		uint32_t index = guarded_index(e, s, s->c);

		put_buffer(e, n == 4 ? GCN_OP_buffer_store_dwordx4 : GCN_OP_buffer_store_dwordx2, data, n, 0, index, &first);
		gen_issued(e, CNT_STORE, 0, 0);
		gen_wide_store_made(e, n);
	}
	for (uint32_t k = 0; k < v.n; k++)
		e->stored = v.of[k] > e->stored ? v.of[k] : e->stored;
	return true;
}

void
gen_emit_store(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	uint32_t size = type_info[e->body->mems[s->x].type].size, data, save, index;
	uint32_t n = size < 8 || s->attr & (ATTR_LO | ATTR_HI) ? 1 : 2;
	struct src v[2];

	if (i <= e->stored || store_vector(e, i))
		return;
	for (uint32_t w = 0; w < n; w++)
		v[w] = stored_word(e, s->b, w);
	if (n == 2 && !(src_is_v(v[0]) && v[1].n == v[0].n + 1u && v[0].n % 2 == 0)) {
		uint32_t pair = gen_temp_v(e, 2);
		put_mov_pair(e, pair, v[0], v[1]);
		data = 256 + pair;
	} else {
		data = gen_vector(e, v[0]).n;
	}
	if (is_shared(e, s)) {
		struct ds_address a = shared_address(e, s);
		save = switch_off(e, s->c);
		gen_memory_reads(e, true);
	gcn_ds(gen_out(e), gen_row(e, (enum gcn_op)element_of(e, s)->ds_store), GCN_OFF, a.reg, data,
		       GCN_OFF, (uint16_t)a.offset);
		gen_issued(e, CNT_DS, 0, 0);
		switch_on(e, save);
		return;
	}
	index = guarded_index(e, s, s->c);
	put_buffer(e, (enum gcn_op)element_of(e, s)->store, data, n, 0, index, s);
	gen_issued(e, CNT_STORE, 0, 0);
}

/* -- Atomics ---------------------------------------------------------------------------------------- */

/* Copies v to n vector registers from reg on. */
static void
put_value(struct emit *e, uint32_t reg, uint32_t n, uint32_t v)
{
	for (uint32_t w = 0; w < n; w++)
		put_mov_v(e, reg + w, gen_word(e, v, w));
}

static uint32_t
vector_value(struct emit *e, uint32_t v, uint32_t n)
{
	struct src s = gen_word(e, v, 0);
	uint32_t reg;

	if (n == 1)
		return gen_vector(e, s).n;
	gen_word(e, v, 1);
	if (src_is_v(s))
		return s.n;
	reg = gen_temp_v(e, n);
	put_value(e, reg, n, v);
	return 256 + reg;
}

/* Emits a read-modify-write of LDS. rtn: dst receives the old value. */
static void
change_shared(struct emit *e, const struct ins *s, uint32_t dst, bool rtn, struct ds_address a)
{
	const struct change *c = &changes[ATOMIC_ROW(s->op)];
	qd_type t = (qd_type)e->body->mems[s->x].type;
	bool is_u = !type_info[t].is_signed || type_info[t].is_float, cas = s->op == OP_ATOMIC_CAS;
	uint32_t n = type_info[t].size / 4, b = vector_value(e, s->b, n), new = GCN_OFF;

	if (cas) {
		new = vector_value(e, s->c, n);
		/* On gfx11 and later the new value is the first operand. */
		is_u = e->gcn->gen >= GCN_G11;
		if (is_u) {
			uint32_t swap = b;
			b = new;
			new = swap;
		}
	}
	rtn |= s->op == OP_ATOMIC_EXCHANGE;
	enum gcn_op op = (enum gcn_op)(rtn ? c->ds_rtn[of(t, is_u)] : c->ds[of(t, is_u)]);
	gen_memory_reads(e, true);
	gcn_ds(gen_out(e), gen_row(e, op), rtn ? 256 + dst : GCN_OFF, a.reg, b, new, (uint16_t)a.offset);
	gen_issued(e, CNT_DS, rtn ? 256 + dst : 0, rtn ? n : 0);
}

static void
change_buffer(struct emit *e, const struct ins *s, uint32_t dst, bool rtn, uint32_t index)
{
	qd_type t = (qd_type)e->body->mems[s->x].type;
	bool is_u = !type_info[t].is_signed || type_info[t].is_float, cas = s->op == OP_ATOMIC_CAS;
	uint32_t n = type_info[t].size / 4, how = policy(e, A_CHANGE, ir_scope(s)) | (rtn ? (uint32_t)GCN_RETURN : 0u);
	uint32_t data = cas ? gen_temp_v(e, 2 * n) : rtn ? dst : gen_temp_v(e, n);

	/* The new value is the first operand; the old value replaces it. */
	put_value(e, data, n, cas ? s->c : s->b);
	if (cas)
		put_value(e, data + n, n, s->b);
	put_buffer_how(e, (enum gcn_op)changes[ATOMIC_ROW(s->op)].buffer[of(t, is_u)], 256 + data, cas ? 2 * n : n, rtn ? n : 0, index, s, how);
	gen_issued(e, rtn ? CNT_LOAD : CNT_STORE, rtn ? 256 + data : 0, rtn ? n : 0);
	gen_wide_store_made(e, cas ? 2 * n : n);
	if (cas && rtn) {
		gen_wait_reg(e, 256 + data, n);
		for (uint32_t w = 0; w < n; w++)
			put_mov_v(e, dst + w, src_of(256 + data + w));
	}
}

static void
load_atomic(struct emit *e, const struct ins *s, uint32_t dst, struct ds_address a, uint32_t index)
{
	uint32_t n = type_info[e->body->mems[s->x].type].size / 4;

	if (is_shared(e, s)) {
		gen_memory_reads(e, true);
	gcn_ds(gen_out(e), gen_row(e, (enum gcn_op)element_of(e, s)->ds_load), 256 + dst, a.reg, GCN_OFF,
		       GCN_OFF, (uint16_t)a.offset);
		gen_issued(e, CNT_DS, 256 + dst, n);
	} else {
		put_buffer_how(e, (enum gcn_op)element_of(e, s)->load, 256 + dst, 0, n, index, s,
			   policy(e, A_LOAD, ir_scope(s)));
		gen_issued(e, CNT_LOAD, 256 + dst, n);
	}
}

static void
store_atomic(struct emit *e, const struct ins *s, struct ds_address a, uint32_t index)
{
	uint32_t n = type_info[e->body->mems[s->x].type].size / 4, data = vector_value(e, s->b, n);

	if (is_shared(e, s)) {
		gen_memory_reads(e, true);
	gcn_ds(gen_out(e), gen_row(e, (enum gcn_op)element_of(e, s)->ds_store), GCN_OFF, a.reg, data,
		       GCN_OFF, (uint16_t)a.offset);
		gen_issued(e, CNT_DS, 0, 0);
	} else {
		put_buffer_how(e, (enum gcn_op)element_of(e, s)->store, data, n, 0, index, s,
			   policy(e, A_STORE, ir_scope(s)));
		gen_issued(e, CNT_STORE, 0, 0);
	}
}

void
gen_emit_atomic(struct emit *e, uint32_t i)
{
	const struct ins *s = gen_ins(e, i);
	const struct sig_info *sig = op_sig((enum op)s->op);
	uint32_t where = s->arg[sig->where], dst = 0, index = 0, save;
	bool gives = sig->n_results && (e->body->uses[i] || s->op == OP_ATOMIC_LOAD);
	uint32_t n = type_info[e->body->mems[s->x].type].size / 4;
	struct ds_address a = { 0, 0 };

	if (!gen_has_atomic((enum op)s->op, (qd_type)e->body->mems[s->x].type)) {
		gen_illegal(e, i, "the target has no such instruction");
		return;
	}
	if (gives || s->op == OP_ATOMIC_EXCHANGE)
		dst = gen_result(e, i, AT_V, n, false);
	for (uint32_t w = 0; where && gives && w < n; w++)
		put_mov_v(e, dst + w, src_of(SRC_ZERO));
	save = switch_off(e, where);
	if (is_shared(e, s))
		a = shared_address(e, s);
	else
		index = gen_vector(e, gen_src(e, s->a)).n;
	if (s->op == OP_ATOMIC_LOAD)
		load_atomic(e, s, dst, a, index);
	else if (s->op == OP_ATOMIC_STORE)
		store_atomic(e, s, a, index);
	else if (is_shared(e, s))
		change_shared(e, s, dst, gives, a);
	else
		change_buffer(e, s, dst, gives, index);
	switch_on(e, save);
}
