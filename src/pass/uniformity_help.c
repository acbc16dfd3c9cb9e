/* Suggests a form of a call that returns the same result without uniform control flow around it.
 * The call moves to a point that all lanes reach. Lanes that did not reach it contribute a value
 * that the operation skips, so the others get the same bits. */
#include <stdio.h>
#include <string.h>

#include "uniformity_check.h"

/* Writes the value that a combination of this type skips, in the text's syntax
 * (ir_skipped_bits). */
static void
skipped_text(enum op combine, qd_type type, char *out, size_t size)
{
	const char *name = type_info[type].name;
	bool is_float = type_info[type].is_float,
	     is_signed = type == QD_TYPE_I32 || type == QD_TYPE_I64;

	if (is_float && (combine == OP_MIN || combine == OP_MAX))
		snprintf(out, size, "nan");
	else if (combine == OP_MIN || combine == OP_MAX || (combine == OP_AND && !is_signed))
		snprintf(out, size, "%s.%s", name, combine == OP_MAX ? "min" : "max");
	else if (combine == OP_MUL)
		snprintf(out, size, is_float ? "1.0" : "1");
	else
		snprintf(out, size, "%s",
			 combine == OP_AND		 ? "-1"
			 : is_float && combine == OP_ADD ? "-0.0"
							 : "0");
}

/* Returns the combining operation of a reduction, a scan or a call on members; OP_NONE if there
 * is none. */
static enum op
combines_by(const struct op_info *info)
{
	enum op op = (enum op)info->combine;

	return info->expand == EXPAND_redux ? (enum op)op_info[op].combine : op;
}

/* Writes the arguments of the call if all lanes reach it. c holds in the lanes that reach it
 * today or, if negated, in the others. */
static void
arguments(const struct uniform *u, uint32_t i, bool negated, char *out, size_t size)
{
	const struct ins *s = &u->ir->ins[i];
	const struct op_info *info = &op_info[s->op];
	const char *is = negated ? "!c" : "c", *is_not = negated ? "c" : "!c", *mask = "";
	char skipped[16], most[16];

	if (info->expand == EXPAND_vote_members || info->expand == EXPAND_redux)
		mask = "mask, ";
	switch (info->expand) {
	case EXPAND_vote:
	case EXPAND_ballot:
	case EXPAND_block_vote:
	case EXPAND_vote_members:
		if (info->combine == OP_EQ)
			break;
		if (info->combine == OP_AND)
			snprintf(out, size, "%s%s || p", mask, is_not);
		else
			snprintf(out, size, "%s%s && p", mask, is);
		return;
	case EXPAND_sort:
	case EXPAND_block_sort:
		skipped_text(OP_MIN, u->ir->ins[s->a].type, skipped, sizeof skipped);
		skipped_text(OP_MIN, u->ir->ins[s->b].type, most, sizeof most);
		snprintf(out, size, "select(%s, key, %s), select(%s, value, %s)", is, skipped, is,
			 most);
		return;
	case EXPAND_reduce:
	case EXPAND_scan:
	case EXPAND_exclusive:
	case EXPAND_redux:
	case EXPAND_segmented:
	case EXPAND_block_reduce:
	case EXPAND_block_scan:
	case EXPAND_block_exclusive:
		skipped_text(combines_by(info), s->type, skipped, sizeof skipped);
		snprintf(out, size, "%sselect(%s, v, %s)", mask, is, skipped);
		if (info->expand == EXPAND_segmented)
			snprintf(out + strlen(out), size - strlen(out), ", %s && head", is);
		return;
	default: break;
	}
	snprintf(out, size, "...");
}

/* Writes the log2_size of a tile or the lanes of a ballot: ", 3". */
static void
known_argument(const struct uniform *u, uint32_t i, char *out, size_t size)
{
	const struct ins *s = &u->ir->ins[i];
	const struct sig_info *sig = op_sig((enum op)s->op);
	uint32_t arg = sig->known >= 0 ? s->arg[sig->known] : 0;

	if (arg && u->ir->ins[arg].op == OP_CONST)
		snprintf(out, size, ", %u", (unsigned)u->ir->ins[arg].a);
	else if (arg)
		snprintf(out, size, ", %s",
			 opnd_kind(sig->opnd[sig->known]) == OPND_N ? "n" : "log2_size");
}

/* Returns whether the result depends on the set of active lanes in a way that no argument can
 * replace. */
static bool
counts_lanes(const struct op_info *info)
{
	return info->expand == EXPAND_operator_reduce ||
	       info->expand == EXPAND_block_operator_reduce || info->expand == EXPAND_all_equal ||
	       info->expand == EXPAND_match || info->expand == EXPAND_block_rank ||
	       (info->expand == EXPAND_vote_members && info->combine == OP_EQ) ||
	       info->expand == EXPAND_operator_scan || info->expand == EXPAND_operator_exclusive ||
	       info->expand == EXPAND_block_operator_scan ||
	       info->expand == EXPAND_block_operator_exclusive;
}

/* Writes the same advice for a kernel from the builder. */
static void
call_help(const struct uniform *u, uint32_t i, enum apart apart, bool in_block, bool is_barrier,
	  char *out, size_t size)
{
	const struct op_info *info = &op_info[u->ir->ins[i].op];
	const char *any = in_block ? "qd_block_sync_any_nonzero" : "qd_subgroup_any_true";
	const char *where = apart == APART_IF ? "before the qd_if" : "before the jump";
	char skipped[16], value[96] = "";

	if (!is_barrier && info->padding != PADDING_RUNS && combines_by(info) >= OP_ADD &&
	    combines_by(info) <= OP_XOR && u->ir->ins[i].type) {
		skipped_text(combines_by(info), u->ir->ins[i].type, skipped, sizeof skipped);
		snprintf(value, sizeof value,
			 " on qd_select(b, c, v, x): c holds in the lanes that count, x is %s",
			 skipped);
	}
	if (apart == APART_PAST)
		snprintf(out, size,
			 "instead of the jump, put the rest of the loop body into a qd_if");
	else if (apart == APART_LOOP)
		snprintf(out, size,
			 "let all lanes execute the same iterations, while %s(b, c) with c: the lane has not left; call it%s",
			 any, *value ? value : " in each iteration");
	else if (is_barrier)
		snprintf(out, size,
			 "close the construct with qd_end before the call and open another after "
			 "it");
	else
		snprintf(out, size, "call it %s, in all lanes%s%s", where, *value ? "," : "",
			 value);
}

void
uniform_help(const struct uniform *u, uint32_t i, enum apart apart, bool in_block, const char *name,
	     char *out, size_t size)
{
	const struct op_info *info = &op_info[u->ir->ins[i].op];
	bool is_barrier = info->effect == EFFECT_SYNC && info->expand != EXPAND_block_vote &&
			  info->expand != EXPAND_block_rank;
	const char *any = in_block ? "block.sync_any_nonzero" : "subgroup.any_true";
	const char *all = in_block ? "threads" : "lanes";
	const char *results =
		info->expand == EXPAND_sort || info->expand == EXPAND_block_sort ? "k, v" : "r";
	const char *mask = op_sig((enum op)u->ir->ins[i].op)->members >= 0 ? "mask" : "";
	int len = (int)strcspn(name, "(");
	char args[96];

	if (!u->k->from_text) {
		call_help(u, i, apart, in_block, is_barrier, out, size);
		return;
	}
	arguments(u, i, apart == APART_JUMP, args, sizeof args);
	known_argument(u, i, args + strlen(args), sizeof args - strlen(args));
	if (apart == APART_PAST)
		snprintf(out, size,
			 "instead of the jump, put the rest of the loop body into an 'if'");
	else if (apart == APART_LOOP && is_barrier)
		snprintf(out, size,
			 "let all %s execute the same iterations: while %s(c) { if c { ... } %.*s(%s); }, "
			 "c: the thread has not left the loop",
			 all, any, len, name, mask);
	else if (apart == APART_LOOP)
		snprintf(out, size,
			 "let all %s execute the same iterations: while %s(c) { let %s = %.*s(%s); if c { "
			 "... } }, "
			 "c: the thread has not left the loop",
			 all, any, results, len, name, args);
	else if (is_barrier)
		snprintf(
			out, size,
			apart == APART_IF
				? "keep the condition in a 'let', end the 'if' before the call and "
				  "begin another with it after the call"
				: "instead of the jump, put the code after it into an 'if', and "
				  "end that before the call");
	else if (u->ir->ins[i].op == OP_MATCH_ANY)
		snprintf(out, size,
			 "call it before the %s, in all lanes: let r = %.*s(mask, v) & "
			 "nvvm.vote_ballot(mask, "
			 "%s); c is the condition of the %s",
			 apart == APART_IF ? "'if'" : "jump", len, name,
			 apart == APART_IF ? "c" : "!c",
			 apart == APART_IF ? "'if', !c in its 'else'" : "jump");
	else if (counts_lanes(info))
		snprintf(out, size,
			 "call it before the %s, in all %s; those for which the condition %s must "
			 "get "
			 "arguments that do not change the result: select(c, v, ...)",
			 apart == APART_IF ? "'if'" : "jump", all,
			 apart == APART_IF ? "fails" : "holds");
	else
		snprintf(out, size, "call it before the %s, in all %s: let %s = %.*s(%s)%s",
			 apart == APART_IF ? "'if'" : "jump", all, results, len, name, args,
			 strchr(args, 'c')
				 ? apart == APART_IF
					   ? "; c is the condition of the 'if', !c in its 'else'"
					   : "; c is the condition of the jump"
				 : ", and then use r");
}
