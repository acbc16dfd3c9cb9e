/* IR as text, one instruction a line; read.c reads it back to the same text.
 *
 *	kernel "sum32"
 *	block 32 1 1
 *	param "src" in f32[]
 *	param "n" u32
 *	{
 *	  %1 = len u32 "src"				; 3:14
 *	  ...
 *	}
 *
 * A line is [%id =] name [type] operands [x] [flags] [; position].  An absent
 * operand is _.  %id is the instruction's index, counting those without a
 * result too.  A position is line:column, or the number of a builder call. */
#include "diag.h"

static void
put_quoted(struct buf *out, const char *s)
{
	buf_put(out, "\"", 1);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			buf_printf(out, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			buf_printf(out, "\\x%02x", c);
		else
			buf_put(out, s, 1);
	}
	buf_put(out, "\"", 1);
}

static void
put_attr(struct buf *out, const char *name, const char *text)
{
	if (!text)
		return;
	buf_printf(out, "%s ", name);
	put_quoted(out, text);
	buf_put(out, "\n", 1);
}

static void
put_head(struct buf *out, const struct qd_kernel *k)
{
	static const char *const access[] = { "", "in ", "out ", "" };

	put_attr(out, "kernel", k->name);
	if (k->from_text)
		put_attr(out, "file", k->file ? k->file : "");
	buf_printf(out, "block %u %u %u\n", k->block[0], k->block[1], k->block[2]);
	if (k->n_sizes) {
		buf_printf(out, "subgroup");
		for (uint32_t i = 0; i < k->n_sizes; i++)
			buf_printf(out, " %u", 1u << k->size_order[i]);
		buf_put(out, "\n", 1);
	}
	put_attr(out, "assume_uniform", k->assume_uniform);
	put_attr(out, "assume_in_bounds", k->assume_in_bounds);
	for (uint32_t i = 0; i < k->n_params; i++) {
		const struct param *p = &k->params[i];

		buf_printf(out, "param ");
		put_quoted(out, p->name);
		buf_printf(out, " %s%s%s\n", access[p->access], type_info[p->type].name,
			   p->access ? "[]" : "");
	}
	for (uint32_t i = 0; i < k->n_tmpls; i++) {
		buf_printf(out, "template ");
		put_quoted(out, k->tmpls[i].name);
		buf_printf(out, " %d %d\n", k->tmpls[i].lo, k->tmpls[i].hi);
	}
}

static void
put_x(struct buf *out, const struct qd_kernel *k, const struct ins *i)
{
	switch (ir_x_kind((enum op)i->op)) {
	case X_PARAM:
		buf_printf(out, " ");
		put_quoted(out, i->x < k->n_params ? k->params[i->x].name : "?");
		break;
	case X_TEMPLATE:
		buf_printf(out, " ");
		put_quoted(out, i->x < k->n_tmpls ? k->tmpls[i->x].name : "?");
		break;
	case X_TEXT:
		buf_printf(out, " ");
		put_quoted(out, i->x < k->n_texts ? k->texts[i->x] : "?");
		break;
	case X_NUMBER: buf_printf(out, " %u", i->x); break;
	default: break;
	}
}

static void
put_ins(struct buf *out, const struct qd_kernel *k, const struct ir *ir, uint32_t n, int depth)
{
	const struct ins *i = &ir->ins[n];
	const struct op_info *info = &op_info[i->op];
	uint32_t arg[3] = { i->a, i->b, i->c };
	bool named = i->type != QD_TYPE_NONE || i->op == OP_REGION || info->sig == SIG_LANE_OP;

	buf_printf(out, "%*s", 2 * depth, "");
	if (i->op == OP_YIELD)
		named = false;
	if (named)
		buf_printf(out, "%%%u = ", n);
	buf_printf(out, "%s", info->text);
	if (i->type != QD_TYPE_NONE)
		buf_printf(out, " %s", type_info[i->type].name);
	put_x(out, k, i);
	if (i->op == OP_CONST)
		buf_printf(out, " 0x%llx", (unsigned long long)const_bits(i));
	else if (i->op == OP_REGION)
		buf_printf(out, " %u", i->b);
	else if (i->op == OP_ARG)
		buf_printf(out, " %%%u", i->a);
	for (uint32_t a = 0; a < info->n_args; a++) {
		if (arg[a])
			buf_printf(out, " %%%u", arg[a]);
		else
			buf_printf(out, " _");
	}
	if (i->aux)
		buf_printf(out, " !%u", i->aux);
	if (ir->pos[n] && k->from_text)
		buf_printf(out, " ; %u:%u", POS_LINE(ir->pos[n]), POS_COL(ir->pos[n]));
	else if (ir->pos[n])
		buf_printf(out, " ; %u", ir->pos[n]);
	buf_put(out, "\n", 1);
}

void
ir_print(struct buf *out, const struct qd_kernel *k, const struct ir *ir)
{
	int depth = 1;

	put_head(out, k);
	buf_printf(out, "{\n");
	for (uint32_t n = 1; n < ir->n; n++) {
		uint16_t flags = op_info[ir->ins[n].op].flags;

		if (flags & OPF_CLOSE)
			depth--;
		put_ins(out, k, ir, n, depth);
		if (flags & OPF_OPEN)
			depth++;
	}
	buf_printf(out, "}\n");
}
