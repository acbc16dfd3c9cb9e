/* Names of primitives, derived from the strings of op.def. */
#include "lower.h"

/* Members that are not a single operation. For a mask of lanes, the function that makes it. */
static const struct {
	const char *name;
	enum prim_special special;
	enum op op; /* an operation of the same kind */
	struct qd_val (*mask)(struct qd_builder *b, struct qd_val lane);
	qd_type mask_type;
	struct qd_val (*made)(struct qd_builder *b);
} specials[] = {
#define SPECIAL(name, special, op) { name, PRIM_##special, OP_##op, NULL, QD_TYPE_NONE, NULL },
	SPECIAL("block.global_thread_idx", GLOBAL_THREAD, THREAD_IDX)
	SPECIAL("block.thread_idx", THREAD, THREAD_IDX)		/* () or (axis) */
	SPECIAL("subgroup.broadcast_first", FIRST, BROADCAST) /* (value), of lane 0 */
	SPECIAL("subgroup.tile_lane", TILE_LANE, LANE)	/* (log2_size) */
	SPECIAL("nvvm.p2r", PACK, OR)	/* (p, ...) */
	SPECIAL("nvvm.r2p", UNPACK, SHR) /* (v, i) */
#define MASK(name, type) { "subgroup." #name, PRIM_MASK, OP_SHL, qd_subgroup_##name, QD_TYPE_##type, NULL },
	MASK(lanemask_eq, U32) MASK(lanemask_ge, U32) MASK(lanemask_gt, U32) MASK(lanemask_le, U32)
	MASK(lanemask_lt, U32) MASK(lanemask64_eq, U64) MASK(lanemask64_ge, U64)
	MASK(lanemask64_gt, U64) MASK(lanemask64_le, U64) MASK(lanemask64_lt, U64)
#define MADE(name, op) { "nvvm." #name, PRIM_MADE, OP_##op, NULL, QD_TYPE_NONE, qd_nvvm_##name },
	MADE(activemask, VOTE_BALLOT) MADE(lanemask_eq, SHL) MADE(lanemask_ge, SHL) MADE(lanemask_gt, SHL)
	MADE(lanemask_le, SHL) MADE(lanemask_lt, SHL)
};

/* Deprecated aliases; they cause a warning. */
static const struct {
	const char *old, *name;
} old_names[] = {
	{ "block.mem_sync", "block.mem_fence" },
	{ "grid.memfence", "grid.mem_fence" },
	{ "subgroup.ballot_full_subgroup", "subgroup.ballot" },
	{ "subgroup.barrier", "subgroup.sync" },
	{ "subgroup.memory_barrier", "subgroup.mem_fence" },
};

/* Reserved names that this version does not implement.  {a,b}: a or b. */
static const char *const later[] = {
	"grid.sync",
};

/* -- Names -------------------------------------------------------------------------- */

enum op
op_named(const char *name)
{
	uint32_t op = N_OP;

	while (--op > OP_NONE && (op_info[op].is_low || strcmp(op_info[op].text, name) != 0))
		;
	return (enum op)op;
}

static bool
has_tile(enum op op)
{
	const struct sig_info *sig = op_sig(op);

	return sig->known >= 0 && opnd_kind(sig->opnd[sig->known]) == OPND_K;
}

/* Looks up a member. X_tiled is X with a log2_size; reduce_all_X is reduce_X. */
static struct prim
find_prim(const struct lower *l, const struct node *member)
{
	static const char reduce[] = ".reduce", all[] = ".reduce_all", tiled[] = "_tiled";
	struct prim p = { .op = OP_NONE };
	char text[sizeof p.name], *at;
	size_t len;

	snprintf(p.name, sizeof p.name, "%.*s.%.*s", SYM(l->m, member->a->sym),
		 SYM(l->m, member->sym));
	for (size_t i = 0; i < QD_COUNT(old_names); i++) {
		if (strcmp(old_names[i].old, p.name) == 0) {
			p.old = old_names[i].old;
			strcpy(p.name, old_names[i].name);
			break;
		}
	}
	for (size_t i = 0; i < QD_COUNT(specials); i++) {
		if (strcmp(specials[i].name, p.name) == 0) {
			p.special = specials[i].special;
			p.op = specials[i].op;
			p.mask = specials[i].mask;
			p.mask_type = specials[i].mask_type;
			p.made = specials[i].made;
			return p;
		}
	}
	if ((p.op = op_named(p.name))) {
		p.field = op_is_field(p.op);
		return p;
	}
	memcpy(text, p.name, sizeof text);
	if ((at = strstr(text, all)))
		memmove(at + strlen(reduce), at + strlen(all), strlen(at + strlen(all)) + 1);
	len = strlen(text);
	p.tiled = len > strlen(tiled) && strcmp(text + len - strlen(tiled), tiled) == 0;
	if (p.tiled)
		text[len - strlen(tiled)] = '\0';
	p.op = op_named(text);
	if (p.tiled && !has_tile(p.op))
		p.op = OP_NONE;
	return p;
}

uint32_t
primitive_weight(const struct lower *l, const struct node *member)
{
	struct prim p = find_prim(l, member);

	if (op_info[p.op].is_alu)
		return 0;
	if (!p.op || op_info[p.op].sig != SIG_LEAF)
		return WEIGHT_ACTS;
	return op_is_known(p.op) ? 0 : WEIGHT_VARIES;
}

/* -- Unknown names ------------------------------------------------------------------- */

/* Search for a name among all primitives. */
struct search {
	const char *name;
	size_t group; /* length of the prefix before the member */
	bool found;
	struct suggest g;
	char meant[64]; /* the name with the language's own words; "": unchanged */
	bool has_meant;
	char text[64], best[64];
	char alike[400]; /* names with the same first word */
};

/* Returns whether a list of words contains the name. */
static bool
lists(const char *list, const char *name)
{
	const size_t n = strlen(name);

	for (const char *at = list; (at = strstr(at, name)); at += n) {
		if ((at == list || at[-1] == ' ') && (!at[n] || at[n] == ' '))
			return true;
	}
	return false;
}

/* Adds the name at s->text to those with the same first word, once. The forms of one operation are
 * added once. */
static void
list_alike(struct search *s)
{
	const char *wanted = s->name + s->group, *name = s->text + s->group;
	size_t n = strcspn(wanted, "_"), at = strlen(s->alike);

	if (strncmp(name, wanted, n) != 0 || (name[n] && name[n] != '_') || strstr(name, "_tiled") ||
	    strncmp(name, "reduce_all", strlen("reduce_all")) == 0 || lists(s->alike, name) || at + strlen(name) + 2 > sizeof s->alike)
		return;
	snprintf(s->alike + at, sizeof s->alike - at, "%s%s", at ? " " : "", name);
}

/* Compares each name that a pattern expands to, after the first `at` bytes of text. */
static void
look(struct search *s, size_t at, const char *pattern)
{
	const char *open = strchr(pattern, '{'), *rest;
	size_t n = open ? (size_t)(open - pattern) : strlen(pattern);

	memcpy(s->text + at, pattern, n);
	at += n;
	if (open) {
		rest = strchr(open, '}') + 1;
		for (const char *p = open + 1; p < rest; p += n + 1) {
			n = strcspn(p, ",}");
			memcpy(s->text + at, p, n);
			look(s, at + n, rest);
		}
		return;
	}
	s->text[at] = '\0';
	s->found = s->found || strcmp(s->text, s->name) == 0;
	if (strncmp(s->text, s->name, s->group) != 0)
		return;
	suggest_offer_term(&s->g, s->text + s->group, (uint32_t)(at - s->group));
	if (s->g.best == s->text + s->group)
		s->g.best = strcpy(s->best, s->g.best);
	s->has_meant = s->has_meant || strcmp(s->text + s->group, s->meant) == 0;
	list_alike(s);
}

static void
look_everywhere(struct search *s)
{
	char pattern[96];

	for (size_t i = 0; i < QD_COUNT(specials); i++)
		look(s, 0, specials[i].name);
	for (uint32_t op = OP_NONE + 1; op < N_OP; op++) {
		const char *text = op_info[op].text, *reduce = strstr(text, ".reduce");
		size_t n = reduce ? (size_t)(reduce - text) + strlen(".reduce") : strlen(text);

		snprintf(pattern, sizeof pattern, "%.*s%s%s%s", (int)n, text,
			 reduce ? "{,_all}" : "", text + n, has_tile(op) ? "{,_tiled}" : "");
		look(s, 0, pattern);
	}
	for (size_t i = 0; i < QD_COUNT(later); i++)
		look(s, 0, later[i]);
}

bool
prim_named(struct lower *l, const struct node *member, struct prim *p)
{
	const struct symbol *group = &l->m->syms.sym[member->a->sym];
	const struct symbol *name = &l->m->syms.sym[member->sym];
	struct search s = { .name = p->name, .group = group->len + 1 };
	struct foreign f;
	char of[16], text[sizeof s.alike + 40];

	*p = find_prim(l, member);
	if (p->op && p->old && !l->trying)
		lower_warn(l, member, DIAG_W0305, p->old, p->name);
	if (p->op)
		return true;
	suggest_init(&s.g, name->s, name->len);
	if (!foreign_words(name->s, name->len, s.meant, sizeof s.meant))
		s.meant[0] = '\0';
	look_everywhere(&s);
	if (s.found)
		return lower_later(l, member, p->name);
	snprintf(of, sizeof of, "'%.*s'", (int)group->len, group->s);
	snprintf(text, sizeof text, "%.*s", (int)group->len, group->s);
	l->help.help = foreign_member(&f, text, name->s, name->len);
	if (s.has_meant)
		snprintf(text, sizeof text, "did you mean '%s'?", s.meant);
	else
		snprintf(text, sizeof text, *s.alike ? "names with the same beginning: %s" : "qd-info --primitives lists all", s.alike);
	if (!l->help.help)
		l->help.help = s.has_meant ? text : suggest_text(&s.g, text);
	return lower_error(l, member, DIAG_E0118, of, (int)name->len, name->s);
}
