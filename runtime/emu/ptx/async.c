/* Asynchronous copies. Until a copy is waited for, its destination contains a pattern and counts
 * as not written. */
#include "exec.h"
#include "table.h"

const enum async_what async_cg = ASYNC_CG, async_commit = ASYNC_COMMIT, async_wait = ASYNC_WAIT,
		      async_all = ASYNC_ALL;

static bool
more_pending(struct run *r, struct warp *w)
{
	uint32_t n = w->max_pending ? 2 * w->max_pending : 64;
	struct pending *p = pool_new(r->pool, n * sizeof *p);

	if (!p) {
		r->status = qd_fail(r->err, QD_E_NOMEM, "out of memory for a PTX launch");
		return false;
	}
	if (w->n_pending)
		memcpy(p, w->pending, w->n_pending * sizeof *p);
	if (w->pending)
		pool_delete(r->pool, w->pending);
	w->pending = p;
	w->max_pending = n;
	return true;
}

bool
exec_async(struct run *r, struct warp *w, const struct insn *i, uint32_t act)
{
	uint32_t size = i->n_vec;
	struct opnd dst = i->o[0], src = i->o[1], part = i->o[2];
	struct insn second = *i;

	second.imm = i->imm2;
	second.flags = (i->flags & ~(uint32_t)(F_ADDR32 | F_UNIFORM)) |
		       (i->flags & F_UNIFORM2 ? F_UNIFORM : 0);
	if (!CHECK_POISON(r, w, i, dst, act, "the address") ||
	    !CHECK_POISON(r, w, i, src, act, "the address") ||
	    (part.slot != NO_SLOT && !CHECK_POISON(r, w, i, part, act, "the size")))
		return false;
	EACH_LANE(l, act)
	{
		uint64_t to = lane_address(r, w, i, dst, l),
			 from = lane_address(r, w, &second, src, l);
		uint32_t n =
			part.slot == NO_SLOT ? size : ((const uint32_t *)src_at(r, w, part))[l];
		bool own;
		uint8_t *p = mem_at(r, w, i, l, SPACE_SHARED, to, size, true, &own);

		if (!p)
			return false;
		if (n > size)
			return find_lane(r, w, i, l,
					 "the copy size is %u bytes, but the source size is %u",
					 size, n);
		if (from & (size - 1))
			return find_lane(r, w, i, l,
					 "address 0x%llx is misaligned: expected a multiple of %u",
					 (unsigned long long)from, size);
		for (uint32_t k = 0; k < n; k++)
			if (!mem_at(r, w, i, l, SPACE_GLOBAL, from + k, 1, false, &own))
				return false;
		if (w->n_pending == w->max_pending && !more_pending(r, w))
			return false;
		w->pending[w->n_pending++] =
			(struct pending){ from,		 (uint32_t)to, (uint8_t)l,
					  (uint8_t)size, (uint8_t)n,   UINT32_MAX };
		memset(p, 0xa5, size);
		memset(mem_unwritten(r, w, p), 1, size);
	}
	return true;
}

/* Completes the lane's copies that were committed with group `last` or earlier; all: also the
 * uncommitted ones. */
static bool
finish(struct run *r, struct warp *w, const struct insn *i, uint32_t lane, uint32_t last, bool all)
{
	uint32_t kept = 0;

	for (uint32_t k = 0; k < w->n_pending; k++) {
		struct pending *q = &w->pending[k];
		bool own;
		uint8_t *p;

		if (q->lane != lane || !(all || (q->group != UINT32_MAX && q->group <= last))) {
			w->pending[kept++] = *q;
			continue;
		}
		p = mem_at(r, w, i, lane, SPACE_SHARED, q->dst, q->size, true, &own);
		if (!p)
			return false;
		memset(p, 0, q->size);
		memset(mem_unwritten(r, w, p), 0, q->size);
		for (uint32_t b = 0; b < q->n; b++)
			p[b] = (uint8_t)mem_get((const uint8_t *)(uintptr_t)(q->src + b), 1, false);
	}
	w->n_pending = kept;
	return true;
}

bool
exec_async_wait(struct run *r, struct warp *w, const struct insn *i, uint32_t act)
{
	enum async_what what = *(const enum async_what *)i->form->table;

	EACH_LANE(l, act)
	{
		if (what == ASYNC_COMMIT) {
			for (uint32_t k = 0; k < w->n_pending; k++)
				if (w->pending[k].lane == l && w->pending[k].group == UINT32_MAX)
					w->pending[k].group = w->n_commits[l];
			w->n_commits[l]++;
		} else if (what == ASYNC_ALL) {
			if (!finish(r, w, i, l, 0, true))
				return false;
		} else if (i->imm >= 0 && (uint64_t)i->imm < w->n_commits[l]) {
			/* All groups except the last imm. */
			if (!finish(r, w, i, l, w->n_commits[l] - 1 - (uint32_t)i->imm, false))
				return false;
		}
	}
	return true;
}
