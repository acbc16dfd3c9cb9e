/* Completion of operations in flight: memory accesses and results. Global memory is host memory
 * that other threads may access. An aligned access of up to 8 bytes is atomic; a longer one is
 * split. */
#include "wave.h"

static enum amd_access
access_of(const struct pending *f, bool writes)
{
	if (f->i->sem->kind == M_KIND_ATOMIC)
		return AMD_ATOMIC;
	if (writes)
		return AMD_STORE;
	return f->broadcast ? AMD_SCALAR_LOAD : AMD_LOAD;
}

/* Returns the host address of n bytes of global memory, or NULL after a finding. */
static uint8_t *
global_bytes(struct run *r, struct wave *w, const struct pending *f, unsigned lane, uint64_t addr,
	     unsigned n, bool writes)
{
	const struct amd_launch *l = r->l;
	const struct amd_range *own[2] = { &r->kernarg, &r->packet_range };

	for (uint32_t k = 0; k < l->n_ranges + 2; k++) {
		const struct amd_range *a = k < 2 ? own[k] : &l->ranges[k - 2];
		if (addr - a->addr >= a->size || a->size - (addr - a->addr) < n)
			continue;
		if (writes && a->read_only)
			continue;
		return (uint8_t *)a->host + (addr - a->addr);
	}
	if (l->memory) {
		uint8_t *at = l->memory->at(l->memory->user, addr, n, access_of(f, writes));
		if (at)
			return at;
	}
	amd_find(r, w, f->i, f->broadcast ? NO_LANE : lane,
		 "%u bytes at 0x%llx are outside the memory that the launch may %s", n,
		 (unsigned long long)addr, writes ? "write" : "read");
	return NULL;
}

/* Returns the host address of n bytes of any memory. *undef: for LDS and scratch, the undefined
 * bits of these bytes. */
static uint8_t *
bytes_at(struct run *r, struct wave *w, const struct pending *f, unsigned lane, uint64_t addr,
	 unsigned n, bool writes, uint8_t **undef)
{
	bool flat = f->i->fx.class == CL_FLAT;

	*undef = NULL;
	if (f->lds || (flat && addr >> 32 == SHARED_HIGH)) {
		addr = f->lds ? addr : (uint32_t)addr;
		if (addr > r->lds_size || r->lds_size - addr < n) {
			amd_find(
				r, w, f->i, lane,
				"%u bytes at LDS address 0x%llx are out of range: LDS has %u bytes",
				n, (unsigned long long)addr, r->lds_size);
			return NULL;
		}
		*undef = w->block->lds_undef + addr;
		return w->block->lds + addr;
	}
	if ((flat || gcn_rows[f->i->in.row].format == GCN_SCRATCH) && addr >> 32 == PRIVATE_HIGH) {
		addr = (uint32_t)addr;
		if (addr > r->scratch_size || r->scratch_size - addr < n) {
			amd_find(r, w, f->i, lane,
				 "%u bytes at scratch address 0x%llx are out of range: scratch has "
				 "%u bytes",
				 n, (unsigned long long)addr, r->scratch_size);
			return NULL;
		}
		*undef = w->scratch + (size_t)r->scratch_size * (MAX_LANES + lane) + addr;
		return w->scratch + (size_t)r->scratch_size * lane + addr;
	}
	return global_bytes(r, w, f, lane, addr, n, writes);
}

/* Returns the largest atomic access at p within n bytes. */
static unsigned
piece(const uint8_t *p, unsigned n)
{
	unsigned size = 8;

	while (size > n || ((uintptr_t)p & (size - 1)))
		size /= 2;
	return size;
}

static void
take(void *to, const uint8_t *from, unsigned n)
{
	uint8_t *at = to;

	for (unsigned size; n; n -= size, from += size, at += size) {
		uint64_t v;
		switch (size = piece(from, n)) {
		case 8: v = QD_SHARED_LOAD(uint64_t, from); break;
		case 4: v = QD_SHARED_LOAD(uint32_t, from); break;
		case 2: v = QD_SHARED_LOAD(uint16_t, from); break;
		default: v = QD_SHARED_LOAD(uint8_t, from); break;
		}
		memcpy(at, &v, size);
	}
}

static void
put(uint8_t *to, const void *from, unsigned n)
{
	const uint8_t *at = from;

	for (unsigned size; n; n -= size, to += size, at += size) {
		uint64_t v = 0;
		memcpy(&v, at, size = piece(to, n));
		switch (size) {
		case 8: QD_SHARED_STORE(uint64_t, to, v); break;
		case 4: QD_SHARED_STORE(uint32_t, to, (uint32_t)v); break;
		case 2: QD_SHARED_STORE(uint16_t, to, (uint16_t)v); break;
		default: QD_SHARED_STORE(uint8_t, to, (uint8_t)v); break;
		}
	}
}

/* Adds a store to the checksum. LDS and scratch addresses are relative to the block and the
 * lane. */
static void
note_store(const struct run *r, uint64_t addr, unsigned n)
{
	uint64_t x = (addr + 1) * 0x9e3779b97f4a7c15u + n;

	if (r->l->stored)
		*r->l->stored += (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
}

static uint32_t
extended(const struct sem *sem, uint32_t v)
{
	if (!(sem->flags & F_SIGNED))
		return v;
	return sem->bytes == 1 ? (uint32_t)(int8_t)v : sem->bytes == 2 ? (uint32_t)(int16_t)v : v;
}

/* Writes a lane's result to the destination, beginning at register `at`. */
static void
put_result(struct wave *w, const struct pending *f, unsigned lane, unsigned at, const uint32_t *v,
	   const uint32_t *undef, unsigned n)
{
	const struct sem *sem = f->i->sem;
	unsigned reg = f->dst + at;

	for (unsigned k = 0; k < n; k++) {
		uint32_t x = extended(sem, v[k]), u = extended(sem, undef[k]);
		if (f->file == FILE_S) {
			w->s[reg + k] = x;
			w->su[reg + k] = u;
			continue;
		}
		if (sem->flags & F_D16) {
			unsigned shift = sem->flags & F_HI ? 16 : 0;
			uint32_t keep = shift ? 0xffffu : 0xffff0000u;
			x = (w->v[reg][lane] & keep) | (x & 0xffff) << shift;
			u = (w->vu[reg][lane] & keep) | (u & 0xffff) << shift;
		}
		w->v[reg + k][lane] = x;
		w->vu[reg + k][lane] = u;
	}
}

static bool
load(struct run *r, struct wave *w, const struct pending *f, unsigned lane, uint64_t addr, unsigned at)
{
	uint32_t v[MAX_DATA] = { 0 }, u[MAX_DATA] = { 0 };
	unsigned n = f->i->sem->bytes;
	uint8_t *undef, *from;

	if (!(f->dead >> lane & 1)) {
		from = bytes_at(r, w, f, lane, addr, n, false, &undef);
		if (!from)
			return false;
		if (undef) {
			memcpy(v, from, n);
			memcpy(u, undef, n);
		} else {
			take(v, from, n);
		}
	}
	put_result(w, f, lane, at, v, u, (n + 3) / 4);
	return true;
}

static bool
store(struct run *r, struct wave *w, const struct pending *f, unsigned lane, uint64_t addr, unsigned at)
{
	unsigned n = f->i->sem->bytes;
	uint32_t v[MAX_DATA];
	uint8_t *undef, *to;

	if (f->dead >> lane & 1)
		return true;
	to = bytes_at(r, w, f, lane, addr, n, true, &undef);
	if (!to)
		return false;
	note_store(r, addr, n);
	for (unsigned k = 0; k < (n + 3) / 4; k++)
		v[k] = f->data[at + k][lane];
	if (undef) {
		memcpy(to, v, n);
		memset(undef, 0, n);
	} else {
		put(to, v, n);
	}
	return true;
}

#define EXCHANGE(T)                                                                                \
	do {                                                                                       \
		T QD_ALIAS *p = (T QD_ALIAS *)(void *)at;                                          \
		T now = __atomic_load_n(p, __ATOMIC_RELAXED), v;                                   \
		do                                                                                 \
			v = (T)amd_atomic(sem->atomic, sem->bytes, now, data, data2, ok);          \
		while (*ok && !__atomic_compare_exchange_n(p, &now, v, false, __ATOMIC_SEQ_CST,    \
							   __ATOMIC_RELAXED));                     \
		was = now;                                                                         \
	} while (0)

/* Performs the atomic operation; returns the old value. */
static uint64_t
exchange(const struct sem *sem, uint8_t *at, uint64_t data, uint64_t data2, bool *ok)
{
	uint64_t was;

	if (sem->bytes == 8)
		EXCHANGE(uint64_t);
	else
		EXCHANGE(uint32_t);
	return was;
}

static bool
atomic(struct run *r, struct wave *w, const struct pending *f, unsigned lane)
{
	const struct sem *sem = f->i->sem;
	unsigned words = sem->bytes / 4, n = sem->bytes;
	uint64_t old, data, other;
	uint8_t *undef, *at;
	uint32_t back[2], none[2] = { 0 };
	bool ok = true;

	if (f->addr[lane] & (n - 1))
		return amd_find(r, w, f->i, lane, "address 0x%llx is misaligned",
				(unsigned long long)f->addr[lane]);
	at = bytes_at(r, w, f, lane, f->addr[lane], n, true, &undef);
	if (!at)
		return false;
	note_store(r, f->addr[lane], n);
	for (unsigned k = 0; k < n && undef; k++)
		if (undef[k])
			return amd_find(r, w, f->i, lane, "the memory operand was never written");
	data = f->data[0][lane] | (words == 2 ? (uint64_t)f->data[1][lane] << 32 : 0);
	other = f->data[words][lane] | (words == 2 ? (uint64_t)f->data[3][lane] << 32 : 0);
	old = sem->flags & F_FAR ? exchange(sem, at, other, data, &ok)
				 : exchange(sem, at, data, other, &ok);
	if (!ok)
		return amd_find(r, w, f->i, lane, "this atomic is not emulated");
	memcpy(back, &old, n);
	if (f->n_dst)
		put_result(w, f, lane, 0, back, none, words);
	return true;
}

/* For lanes moved by the LDS; issue has computed the result. */
static void
moved(struct wave *w, const struct pending *f, unsigned lane)
{
	put_result(w, f, lane, 0, &f->data[0][lane], &f->data[1][lane], 1);
}

static bool
complete_lane(struct run *r, struct wave *w, const struct pending *f, unsigned lane)
{
	const struct sem *sem = f->i->sem;
	bool two = sem->flags & F_TWO;
	unsigned n = (sem->bytes + 3u) / 4;

	switch (sem->kind) {
	case M_KIND_LOAD:
		return load(r, w, f, lane, f->addr[lane], 0) &&
		       (!two || load(r, w, f, lane, f->addr2[lane], n));
	case M_KIND_STORE:
		return store(r, w, f, lane, f->addr[lane], 0) &&
		       (!two || store(r, w, f, lane, f->addr2[lane], n));
	case M_KIND_ATOMIC: return atomic(r, w, f, lane);
	default: moved(w, f, lane); return true;
	}
}

bool
amd_complete(struct run *r, struct wave *w, struct pending *f)
{
	unsigned first = (unsigned)(amd_random(r) % 64);

	/* The lanes of an atomic take effect in a random order. The last lane that stores to an
	 * address wins. */
	if (f->i->sem->kind != M_KIND_ATOMIC)
		first = 0;
	for (unsigned k = 0; k < 64; k++) {
		unsigned lane = (first + k) & 63;
		if ((f->lanes >> lane & 1) && !complete_lane(r, w, f, lane))
			return false;
	}
	return true;
}
