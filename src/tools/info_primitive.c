/* The table of primitives and built-in functions: from op.def, the words of the
 * language, and what each back end answers when it is asked. */
#include "info.h"
#include "isa.h"

enum { MAX_ROWS = 256, MAX_TARGETS = 8, TILE = 1 /* log2_size that stands for any tile */ };

struct row {
	enum op op; /* NONE: the language makes it of others */
	const char *name, *operands, *meaning, *result;
	uint32_t types;	 /* of the operands; of the result where there are none */
	bool field;	 /* written without parentheses */
	bool tiled, all; /* NAME_tiled and reduce_all_NAME are there too */
};

struct table {
	struct row row[MAX_ROWS];
	uint32_t n;
	struct target target[MAX_TARGETS];
	uint32_t n_targets;
};

/* -- Rows ----------------------------------------------------------------------- */

static const struct row known[] = {
#define CALL(op, operands, meaning)                                                                \
	{ OP_##op, NULL, operands, meaning, NULL, 0, false, false, false },
#define MADE(name, types, result, operands, meaning)                                               \
	{ OP_NONE, name, operands, meaning, result, types, false, false, false },
#include "primitive.def"
};

/* From "abs" on they are functions. */
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
	return sig->lead < 0 && sig->opnd[0] == OPND_BOOL ? TM_ALL : op_info[op].types;
}

static void
add(struct table *t, const struct row *r)
{
	if (t->n == MAX_ROWS)
		tool_die(EXIT_BUG, "more than %d primitives", MAX_ROWS);
	t->row[t->n++] = *r;
}

static void
add_operation(struct table *t, enum op op, const char *operands, const char *meaning)
{
	const struct op_info *info = &op_info[op];
	const struct sig_info *sig = op_sig(op);

	add(t, &(struct row){
		       .op = op,
		       .name = info->text,
		       .operands = operands,
		       .meaning = meaning,
		       .result = result_name(op),
		       .types = operand_types(op),
		       .field = info->sig == SIG_LEAF && info->types == TM(U32) &&
				info->level < LEVEL_VARYING,
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

static void
make_rows(struct table *t)
{
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
}

/* -- What back ends say ------------------------------------------------------------ */

/* The types for which the machine emits the operation itself. */
static uint32_t
native_types(const struct target *t, const struct row *r, uint8_t log2_size)
{
	uint32_t set = 0;

	if (!r->op)
		return 0;
	for (qd_type type = QD_TYPE_BOOL; type < N_TYPE; type++) {
		struct query q = { .op = r->op, .type = type, .log2_size = log2_size };

		if (type_is(type, r->types) && t->m.native(&t->m, &q))
			set |= 1u << type;
	}
	/* A predicate of any type is made a bool first. */
	return r->types == TM_ALL && (set & TM_BOOL) && op_sig(r->op)->lead < 0 ? r->types : set;
}

static void
put_types(char *out, size_t size, const char *before, uint32_t set)
{
	size_t n = strlen(out);

	n += (size_t)snprintf(out + n, size - n, "%s", before);
	for (qd_type t = QD_TYPE_BOOL; t < N_TYPE; t++)
		if (type_is(t, set))
			n += (size_t)snprintf(out + n, size - n, " %s", type_info[t].name);
}

static void
put_native(char *out, size_t size, uint32_t set, uint32_t all)
{
	if (set && set != all)
		put_types(out, size, "native for", set);
	else
		put_types(out, size, set ? "native" : "expanded", 0);
}

/* "native", "expanded", "native for i32 u32; tiles expanded" */
static void
answer(const struct target *t, const struct row *r, char *out, size_t size)
{
	uint32_t whole, tile;
	uint8_t expand = op_info[r->op].expand;

	*out = '\0';
	if (t->isa->runs_ir) {
		put_types(out, size, "interpreted", 0);
	} else if (r->op && (expand == EXPAND_folded || expand == EXPAND_copy)) {
		put_types(out, size, expand == EXPAND_copy ? "native" : "constant", 0);
	} else {
		whole = native_types(t, r, LOG2_FULL);
		put_native(out, size, whole, r->types);
		tile = r->tiled ? native_types(t, r, TILE) : whole;
		if (tile != whole) {
			put_types(out, size, "; tiles ", 0);
			put_native(out, size, tile, r->types);
		}
	}
}

static void
find_targets(struct table *t, const char *target)
{
	struct qd_error e;

	t->n_targets = target ? 1 : isa_count;
	if (t->n_targets > MAX_TARGETS)
		tool_die(EXIT_BUG, "more than %d back ends", MAX_TARGETS);
	for (uint32_t i = 0; i < t->n_targets; i++)
		if (isa_target(target ? target : isa_table[i]->name, &t->target[i], &e))
			tool_usage("--target: %s", e.text);
}

/* -- Printing ------------------------------------------------------------------------ */

static void
put_call(char *out, size_t size, const struct row *r)
{
	if (r->field)
		snprintf(out, size, "%s", r->name);
	else
		snprintf(out, size, "%s(%s)", r->name, r->operands);
}

static void
print_row(const struct table *t, const struct row *r)
{
	char text[256] = "";

	put_call(text, sizeof text, r);
	printf("%s -> %s\n", text, r->result);
	*text = '\0';
	put_types(text, sizeof text, "", r->types);
	if (r->operands[0])
		printf("   %s%s%s\n", text, r->tiled ? "; _tiled(..., log2_size)" : "",
		       r->all ? "; reduce_all" : "");
	printf("    %s\n", r->meaning);
	for (uint32_t i = 0; i < t->n_targets; i++) {
		answer(&t->target[i], r, text, sizeof text);
		printf("    %s: %s\n", t->target[i].m.name, text);
	}
}

static void
json_types(uint32_t set)
{
	const char *comma = "";

	printf(",\"types\":[");
	for (qd_type t = QD_TYPE_BOOL; t < N_TYPE; t++) {
		if (!type_is(t, set))
			continue;
		printf("%s\"%s\"", comma, type_info[t].name);
		comma = ",";
	}
	putchar(']');
}

static void
json_row(const struct table *t, const struct row *r)
{
	char text[256];

	printf("{\"name\":\"%s\",\"call\":", r->name);
	put_call(text, sizeof text, r);
	tool_json_string(stdout, text);
	printf(",\"result\":\"%s\"", r->result);
	json_types(r->operands[0] ? r->types : 0);
	printf(",\"tiled\":%s,\"reduce_all\":%s,\"meaning\":", r->tiled ? "true" : "false",
	       r->all ? "true" : "false");
	tool_json_string(stdout, r->meaning);
	printf(",\"targets\":{");
	for (uint32_t i = 0; i < t->n_targets; i++) {
		answer(&t->target[i], r, text, sizeof text);
		printf("%s\"%s\":\"%s\"", i ? "," : "", t->target[i].m.name, text);
	}
	printf("}}");
}

void
info_primitives(const char *target, bool json)
{
	static struct table t;

	find_targets(&t, target);
	make_rows(&t);
	if (json)
		printf("{\"schema\":\"qd.primitives/1\",\"primitives\":[");
	for (uint32_t i = 0; i < t.n; i++) {
		if (json) {
			printf("%s\n", i ? "," : "");
			json_row(&t, &t.row[i]);
		} else {
			print_row(&t, &t.row[i]);
		}
	}
	if (json)
		printf("\n]}\n");
}
