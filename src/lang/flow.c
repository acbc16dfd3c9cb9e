/* Jumps that the IR does not have: return from an inlined function or a kernel,
 * continue in a grid loop, break and continue in an unrolled one.
 *
 * Where every such jump stands at the end of what is left to do ("tail"), code
 * is arranged so that it ends there by itself: after `if c { return; }` the rest
 * becomes the else.  Otherwise the piece of code becomes the body of a loop that
 * runs once and the jump its break; out of loops inside it, a flag leads on. */
#include "lower.h"

/* -- Shapes ------------------------------------------------------------------------ */

static bool
always_ends(const struct node *s, uint8_t mask)
{
	return s->ends && !(s->ends & ~mask);
}

/* An else-if stands in no list: its next is NULL, so it reads as one. */
static bool
is_tail(struct lower *l, const struct node *list, uint8_t mask, uint32_t *ifs)
{
	for (const struct node *s = list; s; s = s->next) {
		bool last = !s->next;

		if (!lower_count(l, s, 1))
			return true;
		if (!(s->jumps & mask))
			continue;
		if (s->kind == N_BLOCK) {
			if (!is_tail(l, s->a, mask, ifs))
				return false;
			return last || always_ends(s, mask);
		}
		if (s->kind != N_IF)
			return s->kind == N_RETURN || s->kind == N_BREAK || s->kind == N_CONTINUE;
		if (!last && !(s->flags & F_STATIC) && ++*ifs > MAX_TAIL_IFS)
			return false;
		if (last || always_ends(s, mask)) {
			if (!is_tail(l, s->b->a, mask, ifs))
				return false;
			if (s->c && !is_tail(l, s->c->kind == N_IF ? s->c : s->c->a, mask, ifs))
				return false;
		} else if (always_ends(s->b, mask) && !(s->c && (s->c->jumps & mask))) {
			if (!is_tail(l, s->b->a, mask, ifs))
				return false;
		} else if (s->c && always_ends(s->c, mask) && !(s->b->jumps & mask)) {
			if (!is_tail(l, s->c->kind == N_IF ? s->c : s->c->a, mask, ifs))
				return false;
		} else {
			return false;
		}
	}
	return true;
}

/* May the frame of these jumps do without a loop?  ORDER lower_list (stmt.c),
 * which arranges the code as it is found here. */
bool
flow_is_tail(struct lower *l, const struct node *list, uint8_t mask)
{
	uint32_t ifs = 0;

	return is_tail(l, list, mask, &ifs);
}

/* No jump of mask stands under a condition of the kernel's run time. */
bool
flow_is_static(struct lower *l, const struct node *list, uint8_t mask)
{
	for (const struct node *s = list; s; s = s->next) {
		if (!lower_count(l, s, 1))
			return true;
		if (!(s->jumps & mask))
			continue;
		switch (s->kind) {
		case N_RETURN:
		case N_BREAK:
		case N_CONTINUE: return true;
		case N_BLOCK:
			if (!flow_is_static(l, s->a, mask))
				return false;
			break;
		case N_IF:
			if (!(s->flags & F_STATIC) || !flow_is_static(l, s->b->a, mask))
				return false;
			if (s->c && !flow_is_static(l, s->c->kind == N_IF ? s->c : s->c->a, mask))
				return false;
			break;
		default: return false;
		}
	}
	return true;
}

/* -- Frames -------------------------------------------------------------------------- */

void
flow_loop_begin(struct lower *l)
{
	qd_loop(l->b);
	l->loop_depth++;
}

void
flow_loop_end(struct lower *l)
{
	qd_end(l->b);
	l->loop_depth--;
	for (struct frame *f = l->frames; f; f = f->up)
		if (f->crossed && f->loop_depth <= l->loop_depth)
			qd_break_if(l->b, qd_get(l->b, f->flag));
}

/* deep: a jump to its end may stand inside a loop inside it. */
void
flow_open(struct lower *l, struct frame *f, uint8_t mask, bool wrap, bool deep)
{
	*f = (struct frame){
		.up = l->frames, .mask = mask, .wrap = wrap, .up_tail_mask = l->tail_mask
	};
	if (wrap) {
		if (deep) {
			f->flag = qd_var(l->b, qd_bool(l->b, false));
			f->has_flag = true;
		}
		flow_loop_begin(l);
		f->loop_depth = l->loop_depth;
	}
	l->tail_mask = wrap ? 0 : mask;
	l->frames = f;
}

enum flow
flow_jump(struct lower *l, struct frame *f)
{
	if (!f->wrap)
		return ENDED;
	if (l->loop_depth != f->loop_depth && f->has_flag) {
		f->crossed = true;
		qd_set(l->b, f->flag, qd_bool(l->b, true));
	}
	qd_break(l->b);
	return JUMPED;
}

/* state: how its code ended; the result: that what follows is reached. */
enum flow
flow_close(struct lower *l, struct frame *f, enum flow state)
{
	l->frames = f->up;
	l->tail_mask = f->up_tail_mask;
	if (f->wrap) {
		if (state != JUMPED)
			qd_break(l->b);
		flow_loop_end(l);
	}
	return FALLS;
}
