/* Prints the table of primitives and built-in functions, with the support of each back end. */
#include "info.h"
#include "isa.h"
#include "primitive.h"

enum { MAX_TARGETS = 8, TILE = 1 /* represents any tile size */ };

struct table {
	struct primitive row[MAX_PRIMITIVES];
	uint32_t n;
	struct target target[MAX_TARGETS];
	uint32_t n_targets;
};

/* -- Support in back ends ---------------------------------------------------------- */

/* Returns the types for which the machine has the operation. */
static uint32_t
native_types(const struct target *t, const struct primitive *r, uint8_t log2_size)
{
	uint32_t set = 0;

	if (!r->op)
		return 0;
	for (qd_type type = QD_TYPE_BOOL; type < N_TYPE; type++) {
		struct query q = { .op = r->op, .type = type, .log2_size = log2_size };

		if (type_is(type, r->types) && machine_has(&t->m, &q))
			set |= 1u << type;
	}
	/* A predicate of any type is converted to bool first. */
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

/* Returns whether the operation is native on every machine, or on those with native subgroups. */
static bool
is_copied(const struct target *t, uint8_t expand)
{
	bool own = expand == EXPAND_lane || expand == EXPAND_order;

	return expand == EXPAND_copy || (own && !machine_makes(&t->m));
}

/* Formats "native", "expanded", "native for i32 u32; tiles expanded". */
static void
answer(const struct target *t, const struct primitive *r, char *out, size_t size)
{
	uint32_t whole, tile;
	uint8_t expand = op_info[r->op].expand;

	*out = '\0';
	if (t->isa->runs_ir) {
		put_types(out, size, "interpreted", 0);
	} else if (r->op && expand == EXPAND_folded) {
		put_types(out, size, "constant", 0);
	} else if (r->op && is_copied(t, expand)) {
		put_types(out, size, "native", 0);
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
put_call(char *out, size_t size, const struct primitive *r)
{
	if (r->field)
		snprintf(out, size, "%s", r->name);
	else
		snprintf(out, size, "%s(%s)", r->name, r->operands);
}

static void
print_row(const struct table *t, const struct primitive *r)
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
json_row(const struct table *t, const struct primitive *r)
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
	t.n = primitive_table(t.row);
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
