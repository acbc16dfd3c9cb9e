/* A launch: blocks run one after the other; the waves of a block take turns of random length. */
#include "profiling.h"

enum {
	/* Upper halves of device addresses; no host memory has them. */
	KERNARG_HIGH = 0x00030000, PACKET_HIGH = 0x00040000,
	MAX_TURN = 24,
	TOGETHER = 4096 /* blocks that are shuffled at a time */
};

/* Executes one instruction; returns false after a finding or an error. */
QD_INLINE bool
execute(struct run *r, struct wave *w, const struct insn *i)
{
	switch (i->fx.class) {
	case CL_END:
		if (!amd_complete_all(r, w))
			return false;
		w->ended = true;
		amd_barrier_left(w);
		return true;
	case CL_WAIT: return amd_wait(r, w, i);
	case CL_BARRIER: return amd_barrier(r, w, i);
	default: break;
	}
	switch (i->sem->unit) {
	case U_SALU: return amd_salu(r, w, i);
	case U_SETREG: return amd_setreg(r, w, i);
	case U_SAVE:
	case U_PC:
	case U_BRANCH: return amd_control(r, w, i);
	case U_VALU: return amd_valu(r, w, i);
	case U_INDEX: return amd_set_index(r, w, i);
	case U_SCALAR: return amd_pseudo_scalar(r, w, i);
	case U_PACKED: return amd_packed(r, w, i);
	case U_MIX: return amd_mix(r, w, i);
	case U_CROSS: return amd_cross(r, w, i);
	case U_SMEM: return amd_smem(r, w, i);
	case U_VMEM: return amd_vmem(r, w, i);
	case U_LDS: return amd_lds(r, w, i);
	default: return true;
	}
}

QD_INLINE bool
writes_exec(const struct insn *i)
{
	for (unsigned k = 0; k < i->fx.n_range; k++)
		if (i->fx.range[k].file == FILE_S && (i->fx.range[k].access & GCN_WRITE) &&
		    i->fx.range[k].first + i->fx.range[k].n > GCN_EXEC)
			return true;
	return false;
}

QD_INLINE bool
step_of(struct run *r, struct wave *w, bool profiled)
{
	/* The list ends with an undecoded instruction. */
	const struct amd_code *c = r->l->code;
	const struct insn *own = &c->insns[w->pc < c->n_insns ? w->pc : c->n_insns], *i = own;
	struct insn at; /* with registers that depend on m0 */

	if (!i->decoded)
		return amd_find(r, w, i, NO_LANE,
				"control reaches a word that is not an instruction");
	if (!i->sem)
		return amd_find(r, w, i, NO_LANE,
				i->in.row == GCN_s_trap ? "the kernel executed a trap"
							: "this instruction is not emulated");
	if (++w->steps > r->l->max_steps)
		return amd_find(r, w, i, NO_LANE,
				"the wave has executed %llu instructions and has not ended",
				(unsigned long long)r->l->max_steps);
	w->pc++;
	if (QD_UNLIKELY(i->relative || w->by_index))
		i = amd_indexed(r, w, i, &at);
	if (!i || !amd_pending_check(r, w, i) || !amd_states_check(r, w, own) || !execute(r, w, i))
		return false;
	if (profiled)
		amd_profile(r, w, i);
	if (writes_exec(i) && !amd_exec_check(r, w, i))
		return false;
	return amd_complete_some(r, w);
}

static bool
step(struct run *r, struct wave *w)
{
	return step_of(r, w, false);
}

QD_APART static bool
step_profiled(struct run *r, struct wave *w)
{
	return step_of(r, w, true);
}

static bool
is_ready(const struct wave *w)
{
	return !w->ended && !(w->waits && w->block->phase == w->phase);
}

static struct wave *
next_wave(struct run *r, struct block *b)
{
	uint32_t first = (uint32_t)(amd_random(r) % b->n_waves);

	for (uint32_t k = 0; k < b->n_waves; k++) {
		struct wave *w = &b->waves[(first + k) % b->n_waves];
		if (is_ready(w))
			return w;
	}
	return NULL;
}

/* Returns the last wave that has not ended; there must be one. */
static struct wave *
last_alive(struct block *b)
{
	uint32_t k = b->n_waves - 1;

	while (b->waves[k].ended)
		k--;
	return &b->waves[k];
}

static void
run_block(struct run *r, struct block *b)
{
	for (struct wave *w; b->n_alive && (w = next_wave(r, b));) {
		uint64_t turn = 1 + amd_random(r) % MAX_TURN, n;
		if (r->l->meter && !(turn = meter_ask(r->l->meter, turn))) {
			r->over = true;
			break;
		}
		w->waits = false;
		if (w->profile)
			for (n = 0; n < turn && is_ready(w) && step_profiled(r, w); n++)
				;
		else
			for (n = 0; n < turn && is_ready(w) && step(r, w); n++)
				;
		if (r->l->meter)
			meter_made(r->l->meter, n);
		if (r->status != QD_OK)
			break;
	}
	if (r->status == QD_OK && !r->over && b->n_alive) {
		struct wave *w = last_alive(b);
		amd_find(r, w, &r->l->code->insns[w->pc - 1], NO_LANE,
			 "the wave waits for waves that never arrive");
	}
	for (uint32_t k = 0; k < b->n_waves; k++)
		amd_pending_drop(r, &b->waves[k]);
}

/* -- Blocks ----------------------------------------------------------------------------------- */

static void
begin_block(struct run *r, struct block *b, uint32_t number)
{
	const uint32_t *g = r->l->grid;

	b->index[0] = number % g[0];
	b->index[1] = number / g[0] % g[1];
	b->index[2] = number / g[0] / g[1];
	b->n_alive = b->n_waves;
	b->n_arrived = b->phase = 0;
	b->barrier[0] = b->barrier[1] = (struct profile_barrier){ .phase = UINT32_MAX };
	for (uint32_t k = 0; k < r->lds_size; k += 4) {
		uint32_t any = (uint32_t)amd_random(r);
		memcpy(b->lds + k, &any, 4);
	}
	memset(b->lds_undef, 0xff, r->lds_size);
	for (uint32_t k = 0; k < b->n_waves; k++) {
		struct wave *w = &b->waves[k];
		uint32_t(*v)[64] = w->v, (*vu)[64] = w->vu;
		uint8_t *scratch = w->scratch;
		struct count *count = w->count;
		*w = (struct wave){ .block = b, .index = k, .v = v, .vu = vu, .scratch = scratch,
				    .count = count, .profile = w->profile };
		amd_count_begin(count);
		if (w->profile)
			amd_profile_begin(w);
		if (scratch)
			memset(scratch, 0xff, 2 * MAX_LANES * (size_t)r->scratch_size);
		amd_wave_init(r, w);
	}
}

/* Returns the number of bytes that begin_block writes. */
static uint64_t
block_size(const struct run *r, const struct block *b)
{
	uint64_t wave = 2 * MAX_LANES * (uint64_t)r->scratch_size +
			2 * r->l->code->n_rows * sizeof *b->waves->v;

	return 2 * (uint64_t)r->lds_size + b->n_waves * wave;
}

static bool
make_block(struct run *r, struct block *b)
{
	size_t n_rows = r->l->code->n_rows, scratch = 2 * MAX_LANES * (size_t)r->scratch_size;
	size_t lds = (r->lds_size + 3u) & ~(size_t)3;
	bool ok;

	b->n_waves = (r->n_threads + wave_size(r) - 1) / wave_size(r);
	b->waves = arena_alloc(r->mem, b->n_waves * sizeof *b->waves);
	b->lds = arena_alloc(r->mem, lds + r->lds_size);
	ok = b->waves && b->lds;
	b->lds_undef = ok ? b->lds + lds : NULL;
	for (uint32_t k = 0; ok && k < b->n_waves; k++) {
		struct wave *w = &b->waves[k];
		w->v = arena_alloc(r->mem, 2 * n_rows * sizeof *w->v);
		w->scratch = scratch ? arena_alloc(r->mem, scratch) : NULL;
		void *count = arena_alloc(r->mem, amd_count_size(r->l->code));
		w->count = count ? amd_count_at(r->l->code, count) : NULL;
		w->profile = r->l->profile ? arena_alloc(r->mem, amd_profile_wave_size()) : NULL;
		ok = w->v && w->count && (w->scratch || !scratch) && (w->profile || !r->l->profile);
		w->vu = ok ? w->v + n_rows : NULL;
	}
	return ok;
}

/* Fills the dispatch packet, from which kernels read sizes. */
static void
fill_packet(struct run *r)
{
	for (unsigned k = 0; k < 3; k++) {
		uint16_t size = (uint16_t)r->l->block[k];
		uint32_t all = r->l->grid[k] * r->l->block[k];
		memcpy(r->packet + 4 + 2 * k, &size, 2);
		memcpy(r->packet + 12 + 4 * k, &all, 4);
	}
	r->packet_range = (struct amd_range){ (uint64_t)PACKET_HIGH << 32, sizeof r->packet, r->packet,
					      true };
}

static void
run_blocks(struct run *r)
{
	const uint32_t *g = r->l->grid;
	uint64_t n = (uint64_t)g[0] * g[1] * g[2];
	uint32_t *order = arena_alloc(r->mem, (n < TOGETHER ? n : TOGETHER) * sizeof *order);
	struct block b = { 0 };

	if (!order || !make_block(r, &b)) {
		r->status = qd_fail(r->err, QD_E_NOMEM, "out of memory");
		return;
	}
	for (uint64_t first = 0; first < n && r->status == QD_OK && !r->over; first += TOGETHER) {
		uint32_t m = n - first < TOGETHER ? (uint32_t)(n - first) : TOGETHER;
		for (uint32_t k = 0; k < m; k++) {
			uint32_t at = (uint32_t)(amd_random(r) % (k + 1));
			if (at != k)
				order[k] = order[at];
			order[at] = k;
		}
		for (uint32_t k = 0; k < m && r->status == QD_OK && !r->over; k++) {
			if (r->l->dies && (first + order[k]) % r->l->dies)
				continue;
			r->over = r->l->meter && !meter_block(r->l->meter, block_size(r, &b));
			if (r->over)
				break;
			begin_block(r, &b, (uint32_t)first + order[k]);
			run_block(r, &b);
		}
	}
}

qd_status
amd_run(struct arena *mem, const struct amd_launch *l, struct qd_error *err)
{
	struct run r = { .l = l, .t = l->code->target, .mem = mem, .err = err, .status = QD_OK };
	void *host = (void *)(uintptr_t)l->kernarg;

	fenv_t saved;
	bool changed;
	static const uint16_t lazy[] = { 3, 100, 1, 1000, 12 };

	r.random = l->seed * 2 + 1;
	r.lazy = lazy[l->seed % QD_COUNT(lazy)];
	r.kernarg = (struct amd_range){ (uint64_t)KERNARG_HIGH << 32, l->kernarg_size, host, true };
	QD_TRY(amd_wave_limits(&r));
	if (l->entry >= l->code->n_words || l->code->place[l->entry] == NOWHERE)
		return qd_fail(err, QD_E_INVALID, "no instruction begins at word %u", l->entry);
	arena_reset(mem);
	fill_packet(&r);
	changed = float_env_enter(&saved);
	run_blocks(&r);
	float_env_leave(changed, &saved);
	return r.status;
}
