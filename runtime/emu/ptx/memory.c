/* Loads and stores. Other host threads may access global memory, so each access to it is
 * atomic. */
#include "exec.h"

/* -- Addresses ---------------------------------------------------------------------------- */

static const char *
space_name(enum space space)
{
	switch (space) {
	case SPACE_SHARED: return "shared memory";
	case SPACE_LOCAL: return "local memory";
	case SPACE_PARAM: return "parameters";
	default: return "memory";
	}
}

static uint8_t *
outside(struct run *r, struct warp *w, const struct insn *i, uint32_t lane, enum space space,
	uint64_t addr, uint32_t size)
{
	find_lane(r, w, i, lane, "%u bytes at 0x%llx are outside the launch's %s", size,
		  (unsigned long long)addr, space_name(space));
	return NULL;
}

static bool
in_ranges(struct run *r, uint64_t addr, uint32_t size, bool write)
{
	const struct ptx_range *ranges = r->l->ranges;
	uint32_t lo = 0, hi = r->l->n_ranges;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (ranges[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || addr - ranges[lo - 1].addr >= ranges[lo - 1].size ||
	    size > ranges[lo - 1].size - (addr - ranges[lo - 1].addr))
		return false;
	r->last[write] = ranges[lo - 1];
	return true;
}

static inline bool
in_last(const struct ptx_range *last, uint64_t addr, uint32_t size)
{
	return addr - last->addr < last->size && last->size - (addr - last->addr) >= size;
}

uint8_t *
mem_at(struct run *r, struct warp *w, const struct insn *i, uint32_t lane, enum space space,
       uint64_t addr, uint32_t size, bool write, bool *own)
{
	*own = true;
	if (QD_UNLIKELY(addr & (size - 1))) {
		find_lane(r, w, i, lane, "address 0x%llx is misaligned: expected a multiple of %u",
			  (unsigned long long)addr, size);
		return NULL;
	}
	if (space == SPACE_GENERIC) {
		uint64_t window = addr & WINDOW_MASK;

		if (window == SHARED_WINDOW) {
			space = SPACE_SHARED;
			addr -= SHARED_WINDOW;
		} else if (window == LOCAL_WINDOW) {
			space = SPACE_LOCAL;
			addr -= LOCAL_WINDOW;
		}
	}
	switch (space) {
	case SPACE_SHARED: {
		uint64_t fixed = r->f->entry.shared_size;

		if (addr < fixed && size <= fixed - addr)
			return w->block->shared + addr;
		addr -= DYNAMIC_SHARED;
		if (addr < r->l->dynamic_shared && size <= r->l->dynamic_shared - addr)
			return w->block->shared + r->dynamic_at + addr;
		return outside(r, w, i, lane, space, addr + DYNAMIC_SHARED, size);
	}
	case SPACE_LOCAL:
		if (addr >= r->f->local_size || size > r->f->local_size - addr)
			return outside(r, w, i, lane, space, addr, size);
		return w->local + (size_t)lane * r->local_stride + addr;
	case SPACE_PARAM:
		if (write || addr >= r->f->entry.params_size ||
		    size > r->f->entry.params_size - addr)
			return outside(r, w, i, lane, space, addr, size);
		return (uint8_t *)(uintptr_t)r->l->params + addr;
	default: break;
	}
	*own = false;
	if (!in_last(&r->last[write], addr, size) && !in_ranges(r, addr, size, write)) {
		const struct gvar *g = r->m->vars;

		while (g && !(addr - g->addr < g->size && g->size - (addr - g->addr) >= size))
			g = g->next;
		if (!g || (write && g->is_const))
			return outside(r, w, i, lane, space, addr, size);
	}
	return (uint8_t *)(uintptr_t)addr;
}

uint64_t
mem_get(const uint8_t *p, uint32_t size, bool own)
{
	uint64_t v = 0;

	if (own) {
		switch (size) {
		case 1: return *p;
		case 2: memcpy(&v, p, 2); return v;
		case 4: memcpy(&v, p, 4); return v;
		default: memcpy(&v, p, 8); return v;
		}
	}
	switch (size) {
	case 1: return QD_SHARED_LOAD(uint8_t, p);
	case 2: return QD_SHARED_LOAD(uint16_t, p);
	case 4: return QD_SHARED_LOAD(uint32_t, p);
	default: return QD_SHARED_LOAD(uint64_t, p);
	}
}

void
mem_put(uint8_t *p, uint32_t size, uint64_t v, bool own)
{
	if (own) {
		switch (size) {
		case 1: memcpy(p, &v, 1); return;
		case 2: memcpy(p, &v, 2); return;
		case 4: memcpy(p, &v, 4); return;
		default: memcpy(p, &v, 8); return;
		}
	}
	switch (size) {
	case 1: QD_SHARED_STORE(uint8_t, p, (uint8_t)v); break;
	case 2: QD_SHARED_STORE(uint16_t, p, (uint16_t)v); break;
	case 4: QD_SHARED_STORE(uint32_t, p, (uint32_t)v); break;
	default: QD_SHARED_STORE(uint64_t, p, v); break;
	}
}

uint64_t
lane_address(const struct run *r, const struct warp *w, const struct insn *i, struct opnd o,
	     uint32_t lane)
{
	const void *a = src_at(r, w, o);

	if (i->flags & F_UNIFORM)
		return (uint64_t)i->imm;
	if (i->flags & F_ADDR32)
		return (uint32_t)(((const uint32_t *)a)[lane] + (uint32_t)i->imm);
	return ((const uint64_t *)a)[lane] + (uint64_t)i->imm;
}

/* -- Fast paths --------------------------------------------------------------------------- */

/* Finds the host addresses of all lanes of act if they are in the last used range, or in static
 * shared memory. Returns false otherwise; the general path then checks each lane. */
static bool
places(struct run *r, const struct warp *w, const struct insn *i, struct opnd o, uint32_t act,
       uint32_t size, bool write, uint8_t *p[32])
{
	const void *a = src_at(r, w, o);
	uint64_t base, room, at = (uint64_t)i->imm, bad = 0;
	uintptr_t to; /* an integer, since x may be out of range */

	if (i->space == SPACE_GLOBAL || i->space == SPACE_GENERIC) {
		uint64_t x = i->flags & (F_UNIFORM | F_ADDR32)
				     ? 0
				     : ((const uint64_t *)a)[qd_lowest_bit(act)] + at;

		if (!in_last(&r->last[write], x, size) && !in_ranges(r, x, size, write))
			return false;
		base = r->last[write].addr;
		room = r->last[write].size;
		to = (uintptr_t)base;
	} else if (i->space == SPACE_SHARED) {
		base = 0;
		room = r->f->entry.shared_size;
		to = (uintptr_t)w->block->shared;
	} else {
		return false;
	}
	if (room < size || i->flags & F_UNIFORM)
		return false;
	if (i->flags & F_ADDR32) {
		EACH_LANE(l, act)
		{
			uint64_t x = (uint32_t)(((const uint32_t *)a)[l] + (uint32_t)at);

			bad |= (x & (size - 1)) | (x - base > room - size);
			p[l] = (uint8_t *)(to + (uintptr_t)(x - base));
		}
	} else {
		EACH_LANE(l, act)
		{
			uint64_t x = ((const uint64_t *)a)[l] + at;

			bad |= (x & (size - 1)) | (x - base > room - size);
			p[l] = (uint8_t *)(to + (uintptr_t)(x - base));
		}
	}
	return !bad;
}

static bool
ld_fast(struct run *r, struct warp *w, const struct insn *i, uint32_t act, uint32_t size)
{
	bool own = i->space == SPACE_SHARED;
	void *d = dst_at(w, i->o[0]);
	uint8_t *p[32];
	uint64_t nothing = 0;

	if (!places(r, w, i, i->o[1], act, size, false, p))
		return false;
	if (size == 4 && i->d_size == 4) {
		EACH_LANE(l, act)
		((uint32_t *)d)[l] = (uint32_t)mem_get(p[l], 4, own);
	} else if (size == 8) {
		EACH_LANE(l, act)
		((uint64_t *)d)[l] = mem_get(p[l], 8, own);
	} else {
		return false;
	}
	if (own) {
		EACH_LANE(l, act)
		nothing |= (uint64_t)mem_holds_nothing(p[l] + r->unwritten_shared, size) << l;
	}
	poison_set(w, i->o[0], act, nothing);
	return true;
}

static bool
st_fast(struct run *r, struct warp *w, const struct insn *i, uint32_t act, uint32_t size)
{
	const void *v = src_at(r, w, i->o[1]);
	bool own = i->space == SPACE_SHARED;
	uint8_t *p[32];

	if (!places(r, w, i, i->o[0], act, size, true, p))
		return false;
	if (size == 4 && i->s_size == 4) {
		EACH_LANE(l, act)
		mem_put(p[l], 4, ((const uint32_t *)v)[l], own);
	} else if (size == 8) {
		EACH_LANE(l, act)
		mem_put(p[l], 8, ((const uint64_t *)v)[l], own);
	} else {
		return false;
	}
	if (own) {
		EACH_LANE(l, act)
		memset(p[l] + r->unwritten_shared, 0, size);
	}
	return true;
}

/* -- Instructions ------------------------------------------------------------------------- */

static inline uint64_t
widen(uint64_t v, unsigned type)
{
	switch (type) {
	case T_s8: return (uint64_t)(int8_t)v;
	case T_s16: return (uint64_t)(int16_t)v;
	case T_s32: return (uint64_t)(int32_t)v;
	default: return v;
	}
}

static bool
ld_uniform(struct run *r, struct warp *w, const struct insn *i, uint32_t act, uint32_t size)
{
	unsigned type = i->form->type[0];
	bool own;
	const uint8_t *p = mem_at(r, w, i, qd_lowest_bit(act), (enum space)i->space,
				  (uint64_t)i->imm, size * i->n_vec, false, &own);

	if (!p)
		return false;
	for (unsigned k = 0; k < i->n_vec; k++) {
		uint64_t v = widen(mem_get(p + k * size, size, own), type);

		if (i->o[k].slot == NO_SLOT)
			continue;
		void *d = dst_at(w, i->o[k]);

		EACH_LANE(l, act)
		lane_put(d, i->d_size, l, v);
		poison_set(w, i->o[k], act, 0);
	}
	return true;
}

bool
exec_ld(struct run *r, struct warp *w, const struct insn *i, uint32_t act)
{
	unsigned type = i->form->type[0], n = i->n_vec;
	uint32_t size = ptx_type[type].size;
	struct opnd a = i->o[i->n_dst];
	uint64_t v[4][32], nothing[4] = { 0 };

	if (i->flags & F_UNIFORM && (i->space == SPACE_PARAM || i->space == SPACE_CONST))
		return ld_uniform(r, w, i, act, size);
	if (!CHECK_POISON(r, w, i, a, act, "the address"))
		return false;
	if (n == 1 && i->o[0].slot != NO_SLOT && ld_fast(r, w, i, act, size))
		return true;
	EACH_LANE(l, act)
	{
		bool own;
		const uint8_t *p = mem_at(r, w, i, l, (enum space)i->space,
					  lane_address(r, w, i, a, l), size * n, false, &own);

		if (!p)
			return false;
		const uint8_t *unwritten = own ? mem_unwritten(r, w, p) : NULL;
		for (unsigned k = 0; k < n; k++) {
			v[k][l] = mem_get(p + k * size, size, own);
			if (unwritten)
				nothing[k] |= (uint64_t)mem_holds_nothing(unwritten + k * size, size) << l;
		}
	}
	/* Results are written last, because one may be the address register. */
	for (unsigned k = 0; k < n; k++) {
		if (i->o[k].slot == NO_SLOT)
			continue;
		void *d = dst_at(w, i->o[k]);

		if (i->d_size == 4 && ptx_type[type].kind != 's') {
			EACH_LANE(l, act)
			((uint32_t *)d)[l] = (uint32_t)v[k][l];
		} else {
			EACH_LANE(l, act)
			lane_put(d, i->d_size, l, widen(v[k][l], type));
		}
		poison_set(w, i->o[k], act, nothing[k]);
	}
	return true;
}

bool
exec_st(struct run *r, struct warp *w, const struct insn *i, uint32_t act)
{
	uint32_t size = ptx_type[i->form->type[0]].size;
	unsigned n = i->n_vec;

	if (!CHECK_POISON(r, w, i, i->o[0], act, "the address"))
		return false;
	for (unsigned k = 0; k < n; k++)
		if (!CHECK_POISON(r, w, i, i->o[1 + k], act, "the stored value"))
			return false;
	if (n == 1 && st_fast(r, w, i, act, size))
		return true;
	EACH_LANE(l, act)
	{
		bool own;
		uint8_t *p = mem_at(r, w, i, l, (enum space)i->space,
				    lane_address(r, w, i, i->o[0], l), size * n, true, &own);

		if (!p)
			return false;
		for (unsigned k = 0; k < n; k++)
			mem_put(p + k * size, size,
				lane_value(src_at(r, w, i->o[1 + k]), i->s_size, l), own);
		uint8_t *unwritten = own ? mem_unwritten(r, w, p) : NULL;
		if (unwritten)
			memset(unwritten, 0, size * n);
	}
	return true;
}
