/* Names and scopes. */
#include "parse.h"

static uint32_t
hash_name(const char *s, uint32_t len)
{
	uint32_t h = len;

	for (uint32_t i = 0; i < len; i++)
		h = (h ^ (uint8_t)s[i]) * 0x01000193;
	return h ^ h >> 15;
}

static struct sym *
find(const struct parse *ps, const char *name, uint32_t len, uint32_t hash)
{
	for (struct sym *s = ps->table[hash % SYM_TABLE]; s; s = s->next)
		if (s->hash == hash && s->len == len && !memcmp(s->name, name, len))
			return s;
	return NULL;
}

struct sym *
sym_find(const struct parse *ps, const char *name, uint32_t len)
{
	return find(ps, name, len, hash_name(name, len));
}

struct sym *
sym_add(struct parse *ps, enum sym_kind kind, const char *name, uint32_t len)
{
	uint32_t hash = hash_name(name, len);
	struct sym *was = find(ps, name, len, hash);
	struct sym *s;

	if (was && was->scope == ps->scope) {
		parse_fail(ps, "%.*s is already declared in this scope", (int)len, name);
		return NULL;
	}
	s = arena_zalloc(&ps->m->arena, sizeof *s);
	if (!s) {
		parse_nomem(ps);
		return NULL;
	}
	s->kind = (uint8_t)kind;
	s->name = name;
	s->len = len;
	s->hash = hash;
	s->scope = ps->scope;
	s->next = ps->table[hash % SYM_TABLE];
	ps->table[hash % SYM_TABLE] = s;
	/* Names outside functions are never removed. */
	if (ps->scope) {
		s->older = ps->newest;
		ps->newest = s;
	}
	return s;
}

bool
sym_reg(const struct parse *ps, const char *name, uint32_t len, struct opnd *at, uint8_t *type)
{
	uint32_t stem = len, index = 0;
	uint32_t unit = 1;
	const struct sym *s;

	while (stem > 1 && len - stem < 7 && name[stem - 1] >= '0' && name[stem - 1] <= '9') {
		stem--;
		index += (uint32_t)(name[stem] - '0') * unit;
		unit *= 10;
	}
	/* %r10 may be in %r<11> or in %r1<1>; try the longest number first. */
	for (; stem < len; stem++) {
		if (name[stem] == '0' && stem + 1 < len) {
			unit /= 10;
			continue;
		}
		s = sym_find(ps, name, stem);
		if (s && s->kind == SYM_REG && index < s->count) {
			uint32_t size = reg_size((enum ptx_type_id)s->type);

			*at = (struct opnd){ s->reg.off + index * size, s->reg.slot + index };
			*type = s->type;
			return true;
		}
		unit /= 10;
		index -= (uint32_t)(name[stem] - '0') * unit;
	}
	s = sym_find(ps, name, len);
	if (!s || s->kind != SYM_REG || s->count)
		return false;
	*at = s->reg;
	*type = s->type;
	return true;
}

void
sym_scope_open(struct parse *ps)
{
	ps->scope++;
}

bool
jump_add(struct parse *ps, uint32_t insn, uint32_t *table)
{
	struct jump *j = arena_alloc(&ps->m->arena, sizeof *j);

	if (!j)
		return parse_nomem(ps);
	*j = (struct jump){ ps->jumps,	insn,	      ps->lx.t.line, ps->lx.t.col, ps->scope,
			    ps->lx.t.s, ps->lx.t.len, table,	     NULL };
	ps->jumps = j;
	return true;
}

/* Resolves jumps of the scope that ends, and of inner scopes without their label, to labels of
 * this scope. The others move to the outer scope. */
static bool
resolve(struct parse *ps)
{
	struct jump **at = &ps->jumps;

	while (*at) {
		struct jump *j = *at;
		const struct sym *s;

		if (j->scope < ps->scope) {
			at = &j->next;
			continue;
		}
		s = sym_find(ps, j->name, j->len);
		if (s && s->kind == SYM_LABEL && s->scope == ps->scope) {
			struct insn *code = (struct insn *)(void *)buf_data(&ps->m->code);

			if (j->table)
				*j->table = (uint32_t)s->addr;
			else
				code[j->insn].imm = (int64_t)s->addr;
			code[s->addr].merge = 1;
			*at = j->next;
			continue;
		}
		if (ps->scope == 1)
			return parse_fail_at(ps, QD_E_SYNTAX, j->line, j->col, "unknown label %.*s",
					     (int)j->len, j->name);
		j->scope = ps->scope - 1;
		at = &j->next;
	}
	return true;
}

bool
sym_scope_close(struct parse *ps)
{
	if (!resolve(ps))
		return false;
	while (ps->newest && ps->newest->scope == ps->scope) {
		struct sym *s = ps->newest, **at = &ps->table[s->hash % SYM_TABLE];

		while (*at != s)
			at = &(*at)->next;
		*at = s->next;
		ps->newest = s->older;
	}
	ps->scope--;
	return true;
}
