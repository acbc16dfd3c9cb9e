/* Checks the functions of hazard_code.h with qd's rules: as qd's tables and as LLVM interpret the
 * instructions. Also the register predicates for the reasons. */
#include "hazard_code.h"

#include "hazard_view.h"
#include "rule.h"
#include "table.h"
#include "wait.h"

#include <string.h>

enum { MAX_WORDS_ALL = HZ_MAX_INSN * HZ_WORDS };

struct found_list {
	struct hz_found *f;
	int n, cap;
	const char *rules[2]; /* a finding counts if its rule is in both lists; NULL: every rule */
};
static const char *left_out;

/* Returns whether the name begins with one of the words of the list, which are separated by
 * blanks. */
static bool
is_among(const char *name, const char *list)
{
	while (*list) {
		size_t n = strcspn(list, " ");
		if (!strncmp(name, list, n))
			return true;
		list += n + strspn(list + n, " ");
	}
	return false;
}

void
hz_leave_out(const char *rule)
{
	left_out = rule;
}

const char *
hz_rule(const struct hz *z, int i)
{
	return gcn_hazard_rule(hz_target(z), (size_t)i);
}

int
hz_is_about(const struct hz *z, int view, const char *rule)
{
	const struct hz_view *v = &hz_views[view];

	return (v->classes & hz_target(z)->class_bit) && (!v->rules || is_among(rule, v->rules));
}

static void
found(void *user, const struct gcn_hazard *h)
{
	struct found_list *l = user;

	if (left_out && !strcmp(left_out, h->rule))
		return;
	for (int k = 0; k < 2; k++) {
		if (l->rules[k] && !is_among(h->rule, l->rules[k]))
			return;
	}
	if (l->n < l->cap)
		l->f[l->n] = (struct hz_found){ h->rule, h->fix, (int)h->later, (int)h->earlier,
						h->middle == GCN_NOWHERE ? -1 : (int)h->middle,
						h->missing };
	l->n++;
}

static struct cfg flow;

/* Reads the code into `flow`, as lines and basic blocks. */
static bool
read_code(struct hz *z, const struct hz_code *c)
{
	static uint32_t words[MAX_WORDS_ALL];
	static struct gcn_line line[MAX_WORDS_ALL];
	static struct gcn_block block[HZ_MAX_INSN];
	static uint32_t edge[4 * HZ_MAX_INSN];
	int at[HZ_MAX_INSN + 1], n = 0;

	flow = (struct cfg){ .line = line, .line_cap = MAX_WORDS_ALL };
	for (int i = 0; i < c->n_insn; i++) {
		at[i] = n;
		memcpy(words + n, c->insn[i].word, sizeof(uint32_t) * (size_t)c->insn[i].n_words);
		n += c->insn[i].n_words;
	}
	for (int i = 0; i < c->n_insn; i++) {
		if (c->insn[i].branch)
			words[at[i]] = (words[at[i]] & 0xffff0000) |
				       (uint16_t)(at[c->block[c->insn[i].to].first] - at[i] - 1);
	}
	if (gcn_flow_read(&flow, hz_target(z), words, (size_t)n, NULL, 0, NULL) ||
	    flow.n_line != (size_t)c->n_insn)
		return false;
	flow.block = block;
	flow.edge = edge;
	gcn_flow_link(&flow);
	return true;
}

static struct gcn_hazard_line lines[MAX_WORDS_ALL];
static struct gcn_hazard_block blocks[HZ_MAX_INSN];

int
hz_check(struct hz *z, const struct hz_code *c, struct hz_found *f, int cap)
{
	struct found_list l = { .f = f, .cap = cap };

	if (!read_code(z, c))
		return -1;
	gcn_hazards(&flow, lines, blocks, 0, found, &l);
	return l.n;
}

static void
read_as(struct hz_scene *x, const struct hz_view *v)
{
	for (size_t i = 0; i < flow.n_line; i++) {
		if (v->effect) {
			v->effect(x, i);
			gcn_hazard_traits(x->t, &flow.line[i], &lines[i]);
		}
	}
	for (size_t i = 0; i < flow.n_line && v->traits; i++)
		v->traits(x, i);
}

int
hz_check_as(struct hz *z, const struct hz_code *c, const int view[2], int later, struct hz_found *f,
	    int cap)
{
	struct hz_scene x = { hz_target(z), &flow, lines, later };
	struct found_list l = { .f = f, .cap = cap, .rules = { hz_views[view[0]].rules, NULL } };
	int n = view[1] < 0 ? 1 : 2;

	for (int k = 0; k < n; k++) {
		if (!(hz_views[view[k]].classes & x.t->class_bit))
			return 0;
	}
	if (!read_code(z, c))
		return -1;
	l.rules[1] = n == 2 ? hz_views[view[1]].rules : NULL;
	for (size_t i = 0; i < flow.n_line; i++)
		gcn_hazard_classify(x.t, &flow.line[i], &lines[i]);
	/* effects of both views, then their traits, then their events */
	for (int k = 0; k < n; k++)
		read_as(&x, &hz_views[view[k]]);
	for (int k = n; k-- > 0 && n == 2;) {
		for (size_t i = 0; i < flow.n_line && hz_views[view[k]].traits; i++)
			hz_views[view[k]].traits(&x, i);
	}
	for (size_t i = 0; i < flow.n_line; i++)
		gcn_hazard_events(&lines[i]);
	for (int k = 0; k < n; k++) {
		for (size_t i = 0; i < flow.n_line && hz_views[view[k]].events; i++)
			hz_views[view[k]].events(&x, i);
	}
	gcn_hazards_of(&flow, lines, blocks, 0, found, &l);
	return l.n;
}

static void
note(void *user, const struct gcn_wait_note *n)
{
	*(int *)user += n->kind == WAIT_MISSING;
}

int
hz_check_waits(struct hz *z, const struct hz_code *c)
{
	static struct gcn_wait_state state[HZ_MAX_INSN + 1];
	int n = 0;

	if (!read_code(z, c))
		return -1;
	gcn_waits(&flow, state, note, &n);
	return n;
}

/* -- Registers --------------------------------------------------------------------------- */

static bool
effect_at(struct hz *z, const struct hz_insn *in, struct gcn_insn *insn, struct gcn_effect *e)
{
	if (!gcn_decode(hz_target(z), in->word, (size_t)in->n_words, insn))
		return false;
	gcn_effect_of(hz_target(z), insn, e);
	return true;
}

static void
set(uint64_t bits[2], const struct gcn_range *r)
{
	for (unsigned i = r->first; i < (unsigned)r->first + r->n && i < 126; i++)
		bits[i / 64] |= UINT64_C(1) << (i % 64);
}

void
hz_scalar(struct hz *z, const struct hz_insn *in, struct hz_scalar *out)
{
	struct gcn_insn insn;
	struct gcn_effect e;

	*out = (struct hz_scalar){ 0 };
	if (!effect_at(z, in, &insn, &e))
		return;
	out->valu = e.class == CL_VALU || e.class == CL_MATRIX;
	out->salu = e.class == CL_SALU || e.class == CL_BRANCH;
	out->counted = out->salu && gcn_rows[insn.row].format != GCN_SOPP;
	out->memory = e.class == CL_SMEM || gcn_is_buffer(gcn_rows[insn.row].format);
	if (e.flags & E(DEPCTR)) {
		out->sa_sdst_0 = !(insn.field[GCN_F_SIMM] & 1);
		out->va_vcc_0 = !(insn.field[GCN_F_SIMM] & 2);
		out->va_sdst_0 = !(insn.field[GCN_F_SIMM] & 0xe00);
	}
	for (unsigned i = 0; i < e.n_range; i++) {
		const struct gcn_range *r = &e.range[i];
		if (r->file != FILE_S)
			continue;
		if (r->access & GCN_READ)
			set(out->reads, r);
		if (r->access & GCN_WRITE)
			set(out->writes, r);
		if ((e.flags & E(LANE_MASK)) && (r->access & GCN_READ) &&
		    (r->role == ROLE_MASK || r->role == ROLE_IMPLICIT))
			set(out->mask, r);
	}
}

int
hz_is_matrix(struct hz *z, const struct hz_insn *in)
{
	struct gcn_insn insn;
	struct gcn_effect e;

	return effect_at(z, in, &insn, &e) && (e.class == CL_MATRIX || (e.flags & E(DOT)));
}

int
hz_meets(struct hz *z, const struct hz_insn *a, const struct hz_insn *b)
{
	struct gcn_insn insn;
	struct gcn_effect e, of;

	if (!effect_at(z, a, &insn, &e) || !effect_at(z, b, &insn, &of))
		return 0;
	for (unsigned i = 0; i < e.n_range; i++) {
		for (unsigned k = 0; k < of.n_range; k++) {
			bool named = e.range[i].file == FILE_V || e.range[i].file == FILE_A ||
				     (e.range[i].file == FILE_S && e.range[i].first < GCN_EXEC);
			if (named && gcn_overlap(&e.range[i], &of.range[k]))
				return 1;
		}
	}
	return 0;
}

int
hz_vectors(struct hz *z, const struct hz_insn *in, int written, int *v, int cap)
{
	struct gcn_insn insn;
	struct gcn_effect e;
	int n = 0;

	if (!effect_at(z, in, &insn, &e))
		return 0;
	for (unsigned i = 0; i < e.n_range; i++) {
		const struct gcn_range *r = &e.range[i];
		bool counts = r->file == FILE_V && (r->access & (written ? GCN_WRITE : GCN_READ));
		for (unsigned k = 0; counts && k < r->n && n < cap; k++)
			v[n++] = r->first + (int)k;
	}
	return n;
}

int
hz_row(struct hz *z, const struct hz_insn *in)
{
	struct gcn_insn insn;
	struct gcn_effect e;

	if (!effect_at(z, in, &insn, &e))
		return 0;
	return e.class == CL_SMEM ? 1 : e.class == CL_VMEM || e.class == CL_FLAT ? 2 : 0;
}

int
hz_has_a0(struct hz *z, const struct hz_insn *in)
{
	struct gcn_insn insn;
	struct gcn_effect e;

	if (!effect_at(z, in, &insn, &e))
		return 0;
	for (unsigned i = 0; i < e.n_range; i++) {
		if (e.range[i].file == FILE_A && !e.range[i].first)
			return 1;
	}
	return 0;
}

const char *
hz_waits_together(struct hz *z, const struct hz_insn *in)
{
	struct gcn_insn insn;
	struct gcn_effect e;

	if (!effect_at(z, in, &insn, &e))
		return NULL;
	if (e.class == CL_BARRIER || (e.class == CL_DS && (e.flags & E(CACHE))))
		return "memory must be ordered before a barrier";
	if (e.flags & E(CACHE))
		return "a cache invalidation must be waited for";
	if (e.flags & E(KEEPS))
		return "halves of a register, loaded one after the other";
	if (e.class == CL_MESSAGE && (e.flags & E(SENDMSG)))
		return "stores before vector registers are released";
	return NULL;
}
