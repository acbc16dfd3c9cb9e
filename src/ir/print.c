/* IR as text, one instruction a line; read.c reads it back to the same text.
 *
 *	kernel "sum32"
 *	block 32 1 1
 *	param "src" in f32[]
 *	param "n" u32
 *	shared "s" f32 64
 *	table "k" u32 2 [ 0x1 0xff ]
 *	{
 *	  %1 = len u32 "src"				; 3:14
 *	  ...
 *	}
 *
 * A line is [%id =] name [type] operands [x] [flags] [; position]. A missing
 * operand is _.  %id is the instruction's index, which also counts instructions
 * without a result. A position is line:column, or the number of a builder call. */
#include <inttypes.h>

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

/* Ends a line. */
static void
put_pos(struct buf *out, const struct qd_kernel *k, uint32_t pos)
{
	if (pos && k->from_text)
		buf_printf(out, " ; %u:%u", POS_LINE(pos), POS_COL(pos));
	else if (pos)
		buf_printf(out, " ; %u", pos);
	buf_put(out, "\n", 1);
}

static void
put_head(struct buf *out, const struct qd_kernel *k)
{
	static const char *const access[] = { "", "in ", "out ", "" };

	put_attr(out, "kernel", k->name);
	if (k->from_text)
		put_attr(out, "file", k->file ? k->file : "");
	for (uint32_t i = 0; i < k->lines.n; i++) {
		const struct line_part *p = &k->lines.part[i];

		buf_printf(out, "lines %u %u %u ", p->row, p->line, p->shift);
		put_quoted(out, p->file);
		buf_put(out, "\n", 1);
	}
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
	for (uint32_t i = k->n_params; i < k->n_mems; i++) {
		const struct memory *m = &k->mems[i];

		buf_printf(out, m->space == SPACE_TABLE ? "table " : "shared ");
		put_quoted(out, m->name);
		buf_printf(out, " %s %u", type_info[m->type].name, m->len);
		for (uint32_t j = 0; m->space == SPACE_TABLE && j < m->len; j++)
			buf_printf(out, "%s 0x%" PRIx64, j ? "" : " [", ir_table_bits(m, j));
		buf_printf(out, m->space == SPACE_TABLE ? " ]" : "");
		put_pos(out, k, m->pos);
	}
	for (uint32_t i = 0; i < k->n_tmpls; i++) {
		buf_printf(out, "template ");
		put_quoted(out, k->tmpls[i].name);
		buf_printf(out, " %d %d%s", k->tmpls[i].lo, k->tmpls[i].hi, k->tmpls[i].choices ? " " : "");
		if (k->tmpls[i].choices)
			put_quoted(out, k->tmpls[i].choices);
		buf_printf(out, "\n");
	}
}

static void
put_x(struct buf *out, const struct qd_kernel *k, const struct ins *i)
{
	const char *name = NULL;

	switch ((enum x_kind)op_sig((enum op)i->op)->x) {
	case X_PARAM:
	case X_BUFFER: name = i->x < k->n_params ? k->params[i->x].name : "?"; break;
	case X_MEMORY: name = i->x < k->n_mems ? k->mems[i->x].name : NULL; break;
	case X_TEMPLATE: name = i->x < k->n_tmpls ? k->tmpls[i->x].name : "?"; break;
	case X_TEXT: name = i->x < k->n_texts ? k->texts[i->x] : "?"; break;
	case X_NUMBER: break;
	default: return;
	}
	buf_put(out, " ", 1);
	if (name)
		put_quoted(out, name);
	else
		buf_printf(out, "%u", i->x);
}

static void
put_operands(struct buf *out, const struct ins *i)
{
	const struct sig_info *sig = op_sig((enum op)i->op);

	for (uint32_t j = 0; j < sig->n_opnd; j++) {
		switch ((enum opnd)sig->opnd[j]) {
		case OPND_NO:
		case OPND_HIGH: break;
		case OPND_BITS:
			buf_printf(out, " 0x%llx", (unsigned long long)const_bits(i));
			break;
		case OPND_LIT: buf_printf(out, " %u", i->arg[j]); break;
		default:
			if (i->arg[j])
				buf_printf(out, " %%%u", i->arg[j]);
			else
				buf_put(out, " _", 2);
		}
	}
}

static void
put_ins(struct buf *out, const struct qd_kernel *k, const struct ir *ir, uint32_t n, int depth)
{
	const struct ins *i = &ir->ins[n];
	bool named = op_sig((enum op)i->op)->n_results || i->op == OP_REGION;

	buf_printf(out, "%*s", 2 * depth, "");
	if (named)
		buf_printf(out, "%%%u = ", n);
	buf_printf(out, "%s", op_info[i->op].text);
	if (i->type != QD_TYPE_NONE)
		buf_printf(out, " %s", type_info[i->type].name);
	put_x(out, k, i);
	put_operands(out, i);
	if (i->attr)
		buf_printf(out, " !%u", i->attr);
	put_pos(out, k, ir->pos[n]);
}

void
ir_print(struct buf *out, const struct qd_kernel *k, const struct ir *ir)
{
	int depth = 1;

	put_head(out, k);
	buf_printf(out, "{\n");
	for (uint32_t n = 1; n < ir->n; n++) {
		enum flow_kind flow = (enum flow_kind)op_flow[ir->ins[n].op];

		if (flow == FLOW_CLOSE || flow == FLOW_ELSE)
			depth--;
		put_ins(out, k, ir, n, depth);
		if (flow == FLOW_OPEN || flow == FLOW_ELSE)
			depth++;
	}
	buf_printf(out, "}\n");
}
