/* Builds the table of primitives and built-in functions from op.def and the words of the
 * language. */
#include "primitive.h"

struct table {
	struct primitive *row;
	uint32_t n;
};

static const struct primitive known[] = {
#define CALL(op, operands, meaning)                                                                \
	{ OP_##op, NULL, operands, meaning, NULL, 0, false, false, false },
#define MADE(name, types, result, operands, meaning)                                               \
	{ OP_NONE, name, operands, meaning, result, types, false, false, false },
#include "primitive.def"
};

/* The words from "abs" on are functions. */
static const char *const words[] = {
#define WORD(id, text) text,
#include "word.def"
};

static const char *
result_name(enum op op)
{
	const struct sig_info *sig = op_sig(op);

	if (sig->n_results == RESULT_OF_REGION)
		return "as v";
	if (sig->n_results == RESULT_OF_LIST)
		return "i32";
	if (!sig->n_results)
		return "";
	switch (sig->result[0]) {
	case OPND_BOOL: return "bool";
	case OPND_I32: return "i32";
	case OPND_U32: return "u32";
	default: break;
	}
	for (qd_type t = QD_TYPE_BOOL; t < N_TYPE; t++)
		if (op_info[op].types == 1u << t)
			return type_info[t].name;
	return "T";
}

static uint32_t
operand_types(enum op op)
{
	const struct sig_info *sig = op_sig(op);

	if (sig->n_results == RESULT_OF_REGION)
		return TM_NUM;
	if (sig->n_results == RESULT_OF_LIST)
		return TM(U32);
	return sig->lead < 0 && sig->opnd[0] == OPND_BOOL ? TM_ALL : op_info[op].types;
}

static void
add(struct table *t, const struct primitive *r)
{
	if (t->n == MAX_PRIMITIVES)
		tool_die(EXIT_BUG, "more than %d primitives", MAX_PRIMITIVES);
	t->row[t->n++] = *r;
}

static void
add_operation(struct table *t, enum op op, const char *operands, const char *meaning)
{
	const struct op_info *info = &op_info[op];
	const struct sig_info *sig = op_sig(op);

	add(t, &(struct primitive){
		       .op = op,
		       .name = info->text,
		       .operands = operands,
		       .meaning = meaning,
		       .result = result_name(op),
		       .types = operand_types(op),
		       .field = op_is_field(op),
		       .tiled = sig->known >= 0 &&
				(sig->opnd[sig->known] & ~OPND_MAY) == OPND_K,
		       .all = strstr(info->text, ".reduce") != NULL,
	       });
}

static bool
is_function(const char *name)
{
	size_t i = 0;

	while (i < QD_COUNT(words) && strcmp(words[i], "abs") != 0)
		i++;
	while (i < QD_COUNT(words) && strcmp(words[i], name) != 0)
		i++;
	return i < QD_COUNT(words);
}

uint32_t
primitive_table(struct primitive *out)
{
	struct table table = { out, 0 }, *t = &table;
	static const char *const letters[] = { "", "a", "a, b", "a, b, c", "a, b, c, d" };
	bool has[N_OP] = { false };

	for (size_t i = 0; i < QD_COUNT(known); i++) {
		has[known[i].op] = true;
		if (known[i].op)
			add_operation(t, known[i].op, known[i].operands, known[i].meaning);
		else
			add(t, &known[i]);
	}
	for (uint32_t op = OP_NONE + 1; op < N_OP; op++) {
		const struct op_info *info = &op_info[op];

		if (!has[op] && !info->is_low && (strchr(info->text, '.') || is_function(info->text)))
			add_operation(t, (enum op)op, letters[op_sig((enum op)op)->n_opnd],
				      info->doc);
	}
	return t->n;
}
