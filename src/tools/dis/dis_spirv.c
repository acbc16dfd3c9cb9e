/* Reader of SPIR-V for the views: the text of the disassembler line by line, with the ids that each
 * instruction defines and uses. */
#include "dis_code.h"
#include "show.h"

#include "spv.h"

#include <stdlib.h>

static const char *const kinds[] = { "id" };

enum mix {
#define MIX(name) MIX_##name,
#define MIXES                                                                                      \
	MIX(alu) MIX(memory) MIX(address) MIX(image) MIX(atomic) MIX(group) MIX(barrier)            \
	MIX(branch) MIX(other) MIX(unknown)
	MIXES N_MIX
#undef MIX
};
static const char *const mixes[] = {
#define MIX(name) #name,
	MIXES
#undef MIX
};

static const struct code_form form = { "spirv", ";", kinds, NULL, mixes, 1, N_MIX };

/* Classes by instruction number; all others are alu. */
static const struct {
	uint16_t first, last;
	uint8_t mix;
} classes[] = {
	{ 0, 1, MIX_other },	    /* Nop, Undef */
	{ 55, 55, MIX_other },	    /* FunctionParameter */
	{ 57, 57, MIX_branch },	    /* FunctionCall */
	{ 59, 59, MIX_other },	    /* Variable */
	{ 60, 60, MIX_image },	    /* ImageTexelPointer */
	{ 61, 64, MIX_memory },	    /* Load to CopyMemorySized */
	{ 65, 70, MIX_address },    /* AccessChain to InBoundsPtrAccessChain */
	{ 86, 107, MIX_image },
	{ 224, 225, MIX_barrier },
	{ 227, 242, MIX_atomic },
	{ 245, 247, MIX_other },    /* Phi, LoopMerge, SelectionMerge */
	{ 249, 257, MIX_branch },   /* Branch to LifetimeStop */
	{ 261, 271, MIX_group },
	{ 333, 366, MIX_group },    /* GroupNonUniform... */
	{ 4416, 4416, MIX_branch }, /* TerminateInvocation */
	{ 4421, 4432, MIX_group },
	{ 4457, 4458, MIX_memory }, /* CooperativeMatrixLoadKHR, StoreKHR */
	{ 5614, 5615, MIX_atomic },
	{ 6035, 6035, MIX_atomic },
};

/* Instruction numbers of types and constants. */
enum { OP_TYPE_FIRST = 19, OP_TYPE_LAST = 39, OP_CONSTANT_FIRST = 41, OP_CONSTANT_LAST = 52, OP_DECORATE = 71,
       DECORATION_BUILTIN = 11 };
enum { OP_NAME = 5, OP_STRING = 7, OP_LINE = 8, OP_ENTRY_POINT = 15, OP_FUNCTION = 54, OP_FUNCTION_END = 56,
       OP_PHI = 245, OP_LABEL = 248, OP_BRANCH = 249, OP_BRANCH_CONDITIONAL = 250, OP_SWITCH = 251,
       OP_UNREACHABLE = 255, OP_NO_LINE = 317, OP_TERMINATE = 4416 };

/* State of an id, in the current function and in the module. */
struct id {
	uint32_t reg;	/* index in regs + 1 */
	uint32_t label; /* index of the instruction that it labels + 1 */
	uint32_t function; /* the function of reg and label, counted from 1 */
	const char *text; /* of OpString, OpName, OpEntryPoint */
	bool entry;
};

struct module {
	struct code *c;
	const uint8_t *words;
	const struct spv_insn *in;
	const uint32_t *ids;
	struct id *id; /* by index in c->ids; the last one is for unknown ids */
	uint32_t function;
};

static uint32_t
word(const struct module *m, uint32_t i)
{
	uint32_t w;

	memcpy(&w, m->words + 4 * (size_t)i, 4);
	return w;
}

/* Returns the index of the id in c->ids, or n_ids. */
static uint32_t
place_of(const struct code *c, uint32_t id)
{
	uint32_t lo = 0, hi = c->n_ids;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (c->ids[mid] < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < c->n_ids && c->ids[lo] == id ? lo : c->n_ids;
}

static struct id *
id_of(const struct module *m, uint32_t id)
{
	return &m->id[place_of(m->c, id)];
}

static int
by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Collects the ids that the module defines or uses, without duplicates. A small module may have a
 * large bound, so no table is indexed by id. */
static void
collect_ids(struct module *m, uint32_t n, uint32_t n_named)
{
	uint32_t *all = code_alloc(m->c->mem, ((size_t)n + n_named) * sizeof *all), count = n_named, kept = 0;

	if (n_named)
		memcpy(all, m->ids, n_named * sizeof *all);
	for (uint32_t i = 0; i < n; i++) {
		if (m->in[i].result)
			all[count++] = m->in[i].result;
	}
	qsort(all, count, sizeof *all, by_number);
	for (uint32_t i = 0; i < count; i++) {
		if (!i || all[i] != all[kept - 1])
			all[kept++] = all[i];
	}
	m->c->ids = all;
	m->c->n_ids = kept;
	m->id = code_alloc(m->c->mem, (kept + (size_t)1) * sizeof *m->id);
}

static uint32_t
number(const struct spv_insn *in)
{
	return in->row ? in->row->number : UINT32_MAX;
}

/* Returns the string at word i of the instruction. */
static const char *
text_at(const struct module *m, const struct spv_insn *in, uint32_t i)
{
	const char *s = (const char *)m->words + 4 * (size_t)(in->at + i);
	size_t room = i < in->n ? 4 * (size_t)(in->n - i) : 0, len = strnlen(s, room);

	const char *shown = show_in(m->c->mem, code_text(m->c->mem, s, len));
	if (!shown)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	return shown;
}

static uint8_t
mix_of(const struct spv_insn *in)
{
	if (!in->row)
		return MIX_unknown;
	for (size_t i = 0; i < QD_COUNT(classes); i++) {
		if (in->row->number >= classes[i].first && in->row->number <= classes[i].last)
			return classes[i].mix;
	}
	return MIX_alu;
}

static void
add_insn(struct module *m, const struct spv_insn *in)
{
	uint32_t reg = CODE_COUNT(&m->c->regs, code_reg), op = number(in);
	struct code_insn out = { .line_at = in->text, .line_end = in->text_end, .addr = 4 * (uint64_t)in->at,
				 .words = in->at, .n_words = in->n, .mix = mix_of(in), .goes_on = true,
				 .label = op == OP_LABEL,
				 .ref = (uint32_t)(m->c->refs.len / sizeof(uint32_t)) };
	uint32_t blank = 0;

	out.text = m->c->list + in->text;
	out.len = in->text_end - in->text;
	while (blank < out.len && out.text[blank] == ' ')
		blank++;
	out.text += blank;
	out.len -= blank;
	if ((op >= OP_BRANCH && op <= OP_UNREACHABLE) || op == OP_TERMINATE)
		out.goes_on = false;
	if (in->type && in->result) {
		uint32_t eq = 0;
		while (eq < out.len && out.text[eq] != ' ')
			eq++;
		id_of(m, in->result)->reg = reg + 1;
		id_of(m, in->result)->function = m->function;
		code_add(&m->c->regs, &(struct code_reg){ out.text, eq, 0 }, sizeof(struct code_reg));
		code_add(&m->c->refs, &reg, sizeof reg);
		out.n_def = 1;
	} else if (op == OP_LABEL) {
		id_of(m, in->result)->label = CODE_COUNT(&m->c->insns, code_insn) + 1;
		id_of(m, in->result)->function = m->function;
	}
	code_add(&m->c->insns, &out, sizeof out);
}

static bool
here(const struct module *m, uint32_t id)
{
	return id_of(m, id)->function == m->function;
}

/* Adds the uses and branch targets of an instruction, after all instructions of its function were
 * added. The definition is copied, so that it precedes the uses in refs. */
static void
link_insn(struct module *m, const struct spv_insn *in, struct code_insn *out)
{
	const uint32_t *id = m->ids + in->first_id;
	uint32_t op = number(in), def = 0;

	if (out->n_def)
		def = ((const uint32_t *)(const void *)buf_data(&m->c->refs))[out->ref];
	out->ref = (uint32_t)(m->c->refs.len / sizeof(uint32_t));
	out->way = (uint32_t)(m->c->ways.len / sizeof(uint32_t));
	if (out->n_def)
		code_add(&m->c->refs, &def, sizeof def);
	for (uint32_t i = 0; i < in->n_id; i++) {
		const struct id *x = id_of(m, id[i]);
		if (!here(m, id[i]))
			continue;
		if (op == OP_PHI && i % 2 == 0 && i + 1 < in->n_id && x->reg && here(m, id[i + 1]) &&
		    id_of(m, id[i + 1])->label) {
			struct code_handed h = { id_of(m, id[i + 1])->label - 1, x->reg - 1 };
			code_add(&m->c->handed, &h, sizeof h);
		} else if (op != OP_PHI && x->reg) {
			uint32_t reg = x->reg - 1;
			code_add(&m->c->refs, &reg, sizeof reg);
			out->n_use++;
		} else if (op >= OP_BRANCH && op <= OP_SWITCH && x->label) {
			uint32_t to = x->label - 1;
			code_add_way(m->c, to);
			out->n_way++;
		}
	}
}

/* Reads the instructions after OpFunction. Returns the index of OpFunctionEnd. */
static uint32_t
read_function(struct module *m, uint32_t i, uint32_t n)
{
	struct code *c = m->c;
	const struct spv_insn *head = &m->in[i];
	struct code_fn fn = { .from = head->text, .first = CODE_COUNT(&c->insns, code_insn),
				    .reg = CODE_COUNT(&c->regs, code_reg), .handed = CODE_COUNT(&c->handed, code_handed),
				    .kernel = id_of(m, head->result)->entry };
	char name[16];
	uint32_t from = ++i, at;

	m->function++;
	snprintf(name, sizeof name, "%%%u", head->result);
	fn.name = id_of(m, head->result)->text ? id_of(m, head->result)->text : code_text(c->mem, name, strlen(name));
	for (; i < n && number(&m->in[i]) != OP_FUNCTION_END; i++) {
		uint32_t op = number(&m->in[i]);
		if (op == OP_FUNCTION)
			tool_die(EXIT_INPUT, "'%s': SPIR-V word %u: OpFunction within a function", c->label, m->in[i].at);
		if (op == OP_LINE || op == OP_NO_LINE) {
			struct code_mark mark = { .at = m->in[i].text_end + 1 };
			if (op == OP_LINE && m->in[i].n >= 4)
				mark = (struct code_mark){ mark.at, word(m, m->in[i].at + 2), word(m, m->in[i].at + 3),
							   id_of(m, word(m, m->in[i].at + 1))->text };
			code_add(&c->marks, &mark, sizeof mark);
			continue;
		}
		add_insn(m, &m->in[i]);
	}
	if (i == n)
		tool_die(EXIT_INPUT, "'%s': SPIR-V word %u: the module ends within a function", c->label, head->at);
	at = fn.first;
	for (uint32_t k = from; k < i; k++) {
		uint32_t op = number(&m->in[k]);
		if (op != OP_LINE && op != OP_NO_LINE)
			link_insn(m, &m->in[k], &CODE_ROWS(&c->insns, code_insn)[at++]);
	}
	fn.to = m->in[i].text_end;
	fn.n = CODE_COUNT(&c->insns, code_insn) - fn.first;
	fn.n_reg = CODE_COUNT(&c->regs, code_reg) - fn.reg;
	fn.n_handed = CODE_COUNT(&c->handed, code_handed) - fn.handed;
	fn.declared[0] = fn.n_reg;
	if (fn.n)
		code_add(&c->functions, &fn, sizeof fn);
	return i;
}

static void
read_names(struct module *m, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct spv_insn *in = &m->in[i];
		uint32_t op = number(in);
		if (op == OP_STRING && in->result)
			id_of(m, in->result)->text = text_at(m, in, 2);
		else if (op == OP_NAME && in->n_id && !id_of(m, m->ids[in->first_id])->text)
			id_of(m, m->ids[in->first_id])->text = text_at(m, in, 2);
		else if (op == OP_ENTRY_POINT && in->n_id) {
			id_of(m, m->ids[in->first_id])->text = text_at(m, in, 3);
			id_of(m, m->ids[in->first_id])->entry = true;
		}
	}
}

/* Writes text, and replaces each id, such as "%9", with its meaning. */
static void
put_meaning(const struct code *c, struct buf *out, const char *s, const char *end)
{
	while (s < end) {
		uint32_t len = 1;
		if (*s == '%') {
			while (s + len < end && s[len] >= '0' && s[len] <= '9')
				len++;
			code_put_id(c, out, s, len);
		} else {
			buf_put(out, s, 1);
		}
		s += len;
	}
}

/* Records the text of module-level ids, "(TypeInt 32 0)". It contains the text of earlier ids. A
 * type that refers to a later one, such as a forward pointer, has only its name. */
static void
read_meanings(struct module *m, uint32_t n)
{
	enum { MOST = 400 };
	struct buf text;

	m->c->meaning = code_alloc(m->c->mem, (m->c->n_ids + (size_t)1) * sizeof *m->c->meaning);
	buf_init(&text, &m->c->dis->ctx->pool);
	for (uint32_t i = 0; i < n; i++) {
		const struct spv_insn *in = &m->in[i];
		uint32_t op = number(in), id = in->result;
		bool type = op >= OP_TYPE_FIRST && op <= OP_TYPE_LAST, constant = op >= OP_CONSTANT_FIRST && op <= OP_CONSTANT_LAST;
		text.len = 0;
		if (op == OP_DECORATE && in->n == 4 && in->n_id == 1 && word(m, in->at + 2) == DECORATION_BUILTIN) {
			const struct spv_value_row *row = spv_find_value(SPV_KIND_BuiltIn, word(m, in->at + 3));
			id = m->ids[in->first_id];
			if (row)
				buf_printf(&text, "(BuiltIn %s)", row->name);
		} else if ((type || constant) && id) {
			const char *s = m->c->list + in->text, *end = m->c->list + in->text_end;
			const char *name = memmem(s, (size_t)(end - s), "= Op", 4);
			if (!name)
				continue;
			buf_put(&text, "(", 1);
			put_meaning(m->c, &text, name + 4, end);
			buf_put(&text, ")", 1);
		}
		if (text.nomem)
			tool_die(EXIT_ENVIRONMENT, "out of memory");
		const char **meaning = &m->c->meaning[place_of(m->c, id)];
		if (text.len && text.len < MOST && !*meaning)
			*meaning = code_text(m->c->mem, buf_data(&text), text.len);
	}
	buf_fini(&text);
}

void
code_put_id(const struct code *c, struct buf *out, const char *id, uint32_t len)
{
	uint64_t n = 0;
	char mark = DIFF_NAME, end = DIFF_END;

	for (uint32_t i = 1; i < len && n < UINT32_MAX; i++)
		n = 10 * n + (uint64_t)(id[i] - '0');
	const char *meaning = c->meaning && n <= UINT32_MAX ? c->meaning[place_of(c, (uint32_t)n)] : NULL;
	if (meaning) {
		buf_put(out, meaning, strlen(meaning));
		return;
	}
	buf_put(out, &mark, 1);
	buf_put(out, id, len);
	buf_put(out, &end, 1);
}

void
code_read_spirv(struct code *c, const void *data, size_t size)
{
	struct module m = { .c = c, .words = data };
	struct buf text, insns, ids;
	char version[32];
	struct qd_error e;

	c->form = &form;
	c->target = "spirv";
	c->module = data;
	buf_init(&text, &c->dis->ctx->pool);
	buf_init(&insns, &c->dis->ctx->pool);
	buf_init(&ids, &c->dis->ctx->pool);
	if (spv_read(data, size, &text, &insns, &ids, &e))
		tool_die(e.code == QD_E_NOMEM ? EXIT_ENVIRONMENT : EXIT_INPUT, "'%s': %s", c->label, e.text);
	c->list = code_text(c->mem, buf_data(&text), text.len);
	c->list_size = text.len;
	snprintf(version, sizeof version, "%u.%u", word(&m, 1) >> 16 & 255, word(&m, 1) >> 8 & 255);
	c->version = code_text(c->mem, version, strlen(version));
	m.in = CODE_ROWS(&insns, spv_insn);
	m.ids = (const uint32_t *)(const void *)buf_data(&ids);
	uint32_t n = CODE_COUNT(&insns, spv_insn);
	collect_ids(&m, n, (uint32_t)(ids.len / sizeof(uint32_t)));
	read_names(&m, n);
	if (c->dis->parts)
		read_meanings(&m, n);
	for (uint32_t i = 0; i < n; i++) {
		if (number(&m.in[i]) == OP_FUNCTION && m.in[i].result)
			i = read_function(&m, i, n);
	}
	buf_fini(&ids);
	buf_fini(&insns);
	buf_fini(&text);
}
