/* Execution of groups of lanes: choice of the next group, divergence, reconvergence and end. */
#include "profiling.h"
#include "table.h"

/* -- Steps -------------------------------------------------------------------------------- */

static bool
too_long(struct run *r, struct warp *w, const struct insn *i, uint32_t mask)
{
	return find_lane(r, w, i, qd_lowest_bit(mask),
			 "the thread has executed %llu instructions and has not ended",
			 (unsigned long long)r->l->max_steps);
}

static void
lanes_end(struct run *r, struct warp *w, uint32_t act)
{
	w->alive &= ~act;
	/* Groups that wait for these lanes must check again. */
	for (uint32_t g = 0; g < w->n_groups; g++)
		if (w->group[g].state == G_SYNC)
			w->group[g].state = G_RUN;
	w->block->n_alive -= !w->alive;
	if (w->profile && !w->alive)
		profile_wave_end(r->l->profile, w->profile);
	bar_lanes_gone(r, w->block);
}

/* Moves lanes to a new group at pc. */
static void
split(struct warp *w, uint32_t g, uint32_t pc, uint32_t mask)
{
	w->group[g].mask &= ~mask;
	group_add(w, pc, mask, w->group[g].steps);
}

/* Returns the lanes with the same mask of members as the first; the others form a new group at the
 * same pc. */
static uint32_t
same_members(struct run *r, struct warp *w, const struct insn *i, uint32_t g, uint32_t act,
	     uint32_t *want)
{
	struct opnd o = i->o[i->n_dst + i->n_src - 1];
	const uint32_t *m = src_at(r, w, o);
	uint32_t same = 0;

	*want = m[qd_lowest_bit(act)];
	if (!o.slot)
		return act;
	EACH_LANE(l, act)
	same |= (uint32_t)(m[l] == *want) << l;
	if (same != act)
		split(w, g, w->group[g].pc, act & ~same);
	return same;
}

enum after { GO_ON, STAY, FAILED };

/* Executes an operation of a warp, for which lanes may have to wait. */
static enum after
step_sync(struct run *r, struct warp *w, uint32_t *at, const struct insn *i, uint32_t act)
{
	struct group *g = &w->group[*at];
	const struct bar_op *bar = i->kind == K_bar ? i->form->table : NULL;
	uint32_t want, others = g->mask & ~act;

	if (others) {
		split(w, *at, g->pc + 1, others);
		g = &w->group[*at];
	}
	if (bar && !bar->aligned) {
		want = act;
	} else if (bar) {
		want = UINT32_MAX;
	} else if (i->form->row->family == 'o') {
		want = act;
	} else {
		if (!CHECK_POISON(r, w, i, i->o[i->n_dst + i->n_src - 1], act, "the member mask"))
			return FAILED;
		act = same_members(r, w, i, *at, act, &want);
		if (act & ~want) {
			find_lane(r, w, i, qd_lowest_bit(act & ~want),
				  "the member mask does not include the executing lane: 0x%x",
				  want);
			return FAILED;
		}
	}
	if (!group_gather(r, w, at, want)) {
		g = &w->group[*at];
		if (r->converged) {
			find_lane(r, w, i, qd_lowest_bit(want & w->alive & ~g->mask),
				  "the lane is in the member mask but has diverged, which targets "
				  "below sm_70 do not allow");
			return FAILED;
		}
		g->state = G_SYNC;
		g->want = want;
		return STAY;
	}
	g = &w->group[*at];
	g->state = G_RUN;
	if (w->profile)
		ptx_profile(r, w, i, g->mask);
	if (bar) {
		switch (exec_bar(r, w, i, g->mask, &g->bar)) {
		case BAR_FAIL: return FAILED;
		case BAR_WAIT: g->state = G_BAR; return STAY;
		default: return GO_ON;
		}
	}
	return exec_lanes(r, w, i, g->mask) ? GO_ON : FAILED;
}

/* Sends each lane to its own target. */
static bool
scatter(struct run *r, struct warp *w, uint32_t at, const struct insn *i, uint32_t act)
{
	const uint32_t *a = src_at(r, w, i->o[0]);

	if (i->kind == K_brx) {
		if (!CHECK_POISON(r, w, i, i->o[0], act, "the index"))
			return false;
		EACH_LANE(l, act)
		if (a[l] >= (uint64_t)i->imm2)
			return find_lane(r, w, i, l,
					 "the list has %lld labels, but the index is %u",
					 (long long)i->imm2, a[l]);
	}
	while (act) {
		uint32_t to = a[qd_lowest_bit(act)], same = 0;

		EACH_LANE(l, act)
		same |= (uint32_t)(a[l] == to) << l;
		act &= ~same;
		if (act)
			split(w, at, i->kind == K_brx ? i->fn.table[to] : to, same);
		else
			w->group[at].pc = i->kind == K_brx ? i->fn.table[to] : to;
	}
	return true;
}

static void
exec_copy(struct run *r, struct warp *w, const struct insn *i, uint32_t act)
{
	for (unsigned k = 0; k < i->n_vec; k++)
		EACH_LANE(l, act)
		{
			uint8_t *mine = w->local + (size_t)l * r->local_stride;

			for (int what = 0; what < 2; what++, mine += r->unwritten_local)
				memcpy(mine + i->fn.copies[k].dst, mine + i->fn.copies[k].src,
				       i->fn.copies[k].size);
		}
}

/* Merges runnable groups at the same pc into this one. */
static void
merge(struct warp *w, uint32_t *at)
{
	struct group *me = &w->group[*at];

	for (uint32_t g = w->n_groups; g-- > 0;) {
		struct group *o = &w->group[g];

		if (g == *at || o->state != G_RUN || o->pc != me->pc)
			continue;
		me->mask |= o->mask;
		if (o->steps > me->steps)
			me->steps = o->steps;
		group_drop(w, g);
		if (*at == w->n_groups) {
			*at = g;
			me = &w->group[g];
		}
	}
}

/* Returns whether lanes may have to wait; step_sync counts these instructions. */
static bool
is_sync(const struct insn *i)
{
	return i->kind >= K_bar && i->kind != K_activemask;
}

/* Runs the group for at most n steps: until it must wait, or reaches an instruction where others
 * may join it. */
QD_INLINE uint64_t
group_run_of(struct run *r, struct warp *w, uint32_t at, uint64_t n, bool profiled)
{
	const struct insn *code = r->code;
	struct group *g = &w->group[at];
	uint32_t pc = g->pc, mask = g->mask;
	uint64_t done = 0;

	for (; done < n; done++) {
		const struct insn *i = &code[pc];
		uint32_t act = mask;

		if (i->merge && done && w->n_groups > 1)
			break;
		if (i->guard.slot != NO_SLOT) {
			if (!CHECK_POISON(r, w, i, i->guard, mask, "the predicate"))
				return 0;
			act = *pred_at(w, i->guard);
			act = (i->guard_not ? ~act : act) & mask;
			if (!act) {
				if (profiled)
					ptx_profile(r, w, i, 0);
				pc++;
				continue;
			}
		}
		if (profiled && !is_sync(i))
			ptx_profile(r, w, i, act);
		switch ((enum kind)i->kind) {
		case K_alu:
		case K_alu_mode:
		case K_mov: exec_alu(r, w, i, act); break;
		case K_carry: exec_carry(r, w, i, act); break;
		case K_setp: exec_setp(r, w, i, act); break;
		case K_set: exec_set(r, w, i, act); break;
		case K_selp: exec_selp(r, w, i, act); break;
		case K_pred: exec_pred(r, w, i, act); break;
		case K_cvta: exec_cvta(r, w, i, act); break;
		case K_special:
			w->clock += done;
			exec_special(r, w, i, act);
			break;
		case K_pack: exec_pack(r, w, i, act); break;
		case K_unpack: exec_unpack(r, w, i, act); break;
		case K_cvt: exec_cvt(r, w, i, act); break;
		case K_isspace: exec_isspace(r, w, i, act); break;
		case K_ld:
			if (!exec_ld(r, w, i, act))
				return 0;
			break;
		case K_st:
			if (!exec_st(r, w, i, act))
				return 0;
			break;
		case K_atom:
			if (!exec_atom(r, w, i, act))
				return 0;
			break;
		case K_async:
			if (!exec_async(r, w, i, act))
				return 0;
			break;
		case K_async_wait:
			if (!exec_async_wait(r, w, i, act))
				return 0;
			break;
		case K_activemask: {
			uint32_t *d = dst_at(w, i->o[0]);

			EACH_LANE(l, act)
			d[l] = act;
			poison_set(w, i->o[0], act, 0);
			break;
		}
		case K_nop: break;
		case K_trap:
			find_lane(r, w, i, qd_lowest_bit(act), "the kernel executed a trap");
			return 0;
		case K_bra:
			if (act == mask) {
				pc = (uint32_t)i->imm;
				continue;
			}
			if (i->form->op[0] == OP_UNI) {
				find_lane(r, w, i, qd_lowest_bit(mask & ~act),
					  "lanes diverge at a branch marked .uni");
				return 0;
			}
			/* The other lanes form a group of their own. */
			g->pc = pc;
			g->steps += done + 1;
			if (r->converged ? (uint32_t)i->imm > pc : run_random(r) & 1) {
				split(w, at, (uint32_t)i->imm, act);
				g->pc = pc + 1;
			} else {
				split(w, at, pc + 1, mask & ~act);
				g->pc = (uint32_t)i->imm;
			}
			return done + 1;
		case K_copy: exec_copy(r, w, i, act); break;
		case K_call: {
			uint32_t *back = dst_at(w, i->o[0]);

			EACH_LANE(l, act)
			back[l] = pc + 1;
			if (act != mask) {
				g->pc = pc;
				split(w, at, pc + 1, mask & ~act);
				g->pc = pc = (uint32_t)i->imm;
				g->steps += done + 1;
				return done + 1;
			}
			pc = (uint32_t)i->imm;
			continue;
		}
		case K_ret:
		case K_brx:
			g->pc = pc;
			if (act != mask)
				split(w, at, pc + 1, mask & ~act);
			if (!scatter(r, w, at, i, act))
				return 0;
			w->group[at].steps += done + 1;
			return done + 1;
		case K_exit:
			if (act == mask) {
				group_drop(w, at);
			} else {
				g->mask = mask & ~act;
				g->pc = pc + 1;
				g->steps += done + 1;
			}
			lanes_end(r, w, act);
			return done + 1;
		case K_bar:
		case K_warpsync:
		case K_shfl:
		case K_vote:
		case K_match:
		case K_redux:
		case K_elect:
			g->pc = pc;
			switch (step_sync(r, w, &at, i, act)) {
			case FAILED: return 0;
			case STAY: w->group[at].steps += done + 1; return done + 1;
			default: break;
			}
			g = &w->group[at];
			mask = g->mask;
			break;
		case N_KINDS: break;
		}
		pc++;
	}
	g->pc = pc;
	g->steps += done;
	return done;
}

static uint64_t
group_run(struct run *r, struct warp *w, uint32_t at, uint64_t n)
{
	return group_run_of(r, w, at, n, false);
}

QD_APART static uint64_t
group_run_profiled(struct run *r, struct warp *w, uint32_t at, uint64_t n)
{
	return group_run_of(r, w, at, n, true);
}

/* Chooses the next group: usually the one with the lowest pc, so that lanes reconverge. */
static uint32_t
choose(struct run *r, struct warp *w)
{
	uint32_t best = UINT32_MAX, n = 0, at = 0;

	for (uint32_t g = 0; g < w->n_groups; g++) {
		if (w->group[g].state != G_RUN)
			continue;
		n++;
		if (w->group[g].pc < best) {
			best = w->group[g].pc;
			at = g;
		}
	}
	if (!n)
		return UINT32_MAX;
	if (n == 1 || r->converged || run_random(r) & 3)
		return at;
	n = (uint32_t)(run_random(r) % n);
	for (uint32_t g = 0;; g++)
		if (w->group[g].state == G_RUN && !n--)
			return g;
}

uint64_t
warp_run(struct run *r, struct warp *w, uint64_t budget)
{
	const uint64_t all = budget;

	while (r->status == QD_OK) {
		uint32_t at = choose(r, w);
		uint64_t n, left;

		if (at == UINT32_MAX)
			break;
		if (w->n_groups > 1)
			merge(w, &at);
		left = r->l->max_steps - w->group[at].steps;
		if (!left) {
			too_long(r, w, &r->code[w->group[at].pc], w->group[at].mask);
			break;
		}
		n = (w->profile ? group_run_profiled : group_run)(r, w, at, left < budget ? left : budget);
		w->clock += n;
		if (n >= budget)
			return all;
		budget -= n;
	}
	return all - budget;
}
