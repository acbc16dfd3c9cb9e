/* Finds the buffers to which every iteration of the grid loop stores at its own index. A launch can
 * compare the lengths of these buffers with the loop's count before it runs. */
#include "isa.h"
#include "jit.h"

/* Returns the mask of parameters with such a store before the first jump out of the loop. If pos is
 * not NULL, *pos is the position of the store to parameter `only`. */
static uint64_t
scan(const struct qd_kernel *k, uint32_t only, uint32_t *pos)
{
	const struct ir *ir = &k->ir;
	uint32_t grid = 1, depth = 0;
	uint64_t found = 0;

	while (grid < ir->n && ir->ins[grid].op != OP_GRID)
		grid++;
	for (uint32_t i = grid + 1; i < ir->n; i++) {
		const struct ins *s = &ir->ins[i];

		switch ((enum flow_kind)op_flow[s->op]) {
		case FLOW_OPEN: depth++; break;
		case FLOW_CLOSE:
			if (!depth--)
				return found;
			break;
		case FLOW_JUMP:
			if (s->x <= grid)
				return found;
			break;
		default: break;
		}
		if (depth || s->op != OP_STORE || s->a != grid || s->c || !(s->attr & ATTR_GUARD) || s->x >= k->n_params)
			continue;
		/* The count of grid(b.len) cannot exceed b's length. */
		const struct ins *count = &ir->ins[ir->ins[grid].a];
		if (count->op == OP_LEN && count->x == s->x)
			continue;
		found |= UINT64_C(1) << s->x;
		if (pos && s->x == only) {
			*pos = ir->pos[i];
			return found;
		}
	}
	return found;
}

uint64_t
jit_extent(const struct qd_image *img)
{
	return img->kernel ? scan(img->kernel, 0, NULL) : 0;
}

size_t
jit_extent_place(const struct qd_image *img, uint32_t param, struct qd_error *out)
{
	uint32_t pos = 0;

	scan(img->kernel, param, &pos);
	return jit_place(img, pos, img->kernel->from_text, out);
}
