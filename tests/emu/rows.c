/* rows [N] [SEED]: random instructions of every row of the PTX interpreter's table, right and
 * wrong, and whether the interpreter accepts them. Each instruction is a line:
 *	VERSION TARGET ok|no INSTRUCTION \t reason
 * legal.py compares with ptxas. rows --head VERSION TARGET prints the text before the instructions,
 * and rows --tail the text after them. rows --ask VERSION TARGET INSTRUCTION tests one instruction.
 * rows --run [N] [SEED] runs the accepted ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"

static uint64_t state;

static uint32_t
dice(uint32_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)((state >> 11) % below);
}

/* -- Text --------------------------------------------------------------------------------- */

static const char head[] =
	".version %u.%u\n.target %s\n.address_size 64\n"
	".global .align 16 .b8 gv[256];\n.const .align 16 .b8 cv[256];\n"
	".visible .entry k(.param .align 16 .b8 pv[64])\n{\n"
	".reg .pred %%p<4>; .reg .b16 %%bh<4>; .reg .u16 %%uh<4>; .reg .s16 %%sh<4>; .reg .f16 "
	"%%h<4>;\n"
	".reg .b32 %%b<4>; .reg .u32 %%u<4>; .reg .s32 %%s<4>; .reg .f32 %%f<4>; .reg .f16x2 "
	"%%x<4>;\n"
	".reg .b64 %%bd<4>; .reg .u64 %%ud<4>; .reg .s64 %%sd<4>; .reg .f64 %%fd<4>;\n"
	".shared .align 16 .b8 sv[256]; .local .align 16 .b8 lv[256];\n";
static const char tail[] = "L0: ret;\n}\n";

static const struct {
	const char *stem;
	uint8_t size;
	char kind;
} regs[] = {
	{ "%p", 0, 'p' },  { "%bh", 2, 'b' }, { "%uh", 2, 'u' }, { "%sh", 2, 's' },
	{ "%h", 2, 'h' },  { "%b", 4, 'b' },  { "%u", 4, 'u' },	 { "%s", 4, 's' },
	{ "%f", 4, 'f' },  { "%x", 4, 'x' },  { "%bd", 8, 'b' }, { "%ud", 8, 'u' },
	{ "%sd", 8, 's' }, { "%fd", 8, 'f' },
};

struct line {
	char s[512];
	size_t len;
};

static void QD_PRINTF(2, 3) put(struct line *l, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	l->len += (size_t)vsnprintf(l->s + l->len, sizeof l->s - l->len, fmt, ap);
	va_end(ap);
}

/* Appends a register of a size and kind, and sometimes another one. */
static void
put_reg(struct line *l, uint32_t size, char kind)
{
	for (unsigned tries = 0;; tries++) {
		uint32_t r = dice(QD_COUNT(regs));

		if (dice(40) && tries < 200 &&
		    (regs[r].size != (size == 1 ? 2 : size) ||
		     (kind == 'p') != (regs[r].kind == 'p') ||
		     (kind != 'b' && regs[r].kind != 'b' && regs[r].kind != kind && dice(20))))
			continue;
		put(l, "%s%u", regs[r].stem, dice(4));
		return;
	}
}

static void
put_immediate(struct line *l, uint32_t size, char kind)
{
	bool is_float = kind == 'f';

	if (!dice(12))
		is_float = !is_float;
	if (is_float)
		put(l, size == 8 ? "0d3ff0000000000000" : dice(4) ? "0f3f800000" : "2.5");
	else
		put(l, dice(2) ? "%d" : "0x%x", (int)dice(40) - (int)dice(8));
}

static void
put_source(struct line *l, uint32_t size, char kind)
{
	if (dice(4))
		put_reg(l, size, kind);
	else
		put_immediate(l, size, kind);
}

static const char *const spaces[] = { "", ".global", ".shared", ".local", ".const", ".param" };

static void
put_address(struct line *l, const char *words, bool global)
{
	static const char *const vars[] = { "gv", "gv", "sv", "lv", "cv", "pv" };
	unsigned at = global ? 1 : 0;

	for (unsigned k = 1; k < QD_COUNT(spaces) && !global; k++)
		if (strstr(words, spaces[k]))
			at = k;
	/* Parameters are only read at constant offsets. */
	if (at == 5 || !dice(3))
		put(l, "[%s+%u]", vars[dice(20) ? at : dice(6)], 16 * dice(3));
	else if (dice(8))
		put(l, "[%%bd%u%s]", dice(4), dice(2) ? "+16" : "");
	else
		put(l, "[%%%s%u]", dice(3) ? "ud" : at == 2 && dice(2) ? "u" : "sd", dice(4));
}

/* -- Instructions ------------------------------------------------------------------------- */

static void
put_words(struct line *l, const char *words)
{
	for (const char *p = words; *p;) {
		uint32_t n = 0, pick;
		const char *end = p;
		bool optional;

		while (*p == ' ')
			p++;
		if (!*p)
			break;
		for (end = p; *end && *end != ' ' && *end != '?'; end++)
			n += *end == '|';
		optional = *end == '?';
		pick = dice(n + 1);
		for (const char *q = p; q < end; q++) {
			if (*q == '|') {
				pick--;
				continue;
			}
			if (pick == 0) {
				const char *stop = q;

				while (stop < end && *stop != '|')
					stop++;
				if (optional ? dice(2) : dice(60) != 0)
					put(l, ".%.*s", (int)(stop - q), q);
				break;
			}
		}
		p = *end ? end + 1 : end;
	}
}

static uint8_t
type_at(const char *words, unsigned which)
{
	for (const char *p = words; (p = strchr(p, '.')) != NULL;) {
		size_t n = strcspn(++p, ".");

		for (unsigned t = 1; t < N_TYPES; t++)
			if (strlen(ptx_type[t].name) == n && !memcmp(ptx_type[t].name, p, n) &&
			    !which--)
				return (uint8_t)t;
	}
	return T_b32;
}

static uint32_t
twice(uint32_t size)
{
	return size < 8 ? 2 * size : 8;
}

static void
put_operands(struct line *l, const struct row *r, const char *words)
{
	const struct type_info *t = &ptx_type[type_at(words, 0)], *u = &ptx_type[type_at(words, 1)];
	uint32_t vec = strstr(words, ".v2") ? 2 : strstr(words, ".v4") ? 4 : 0;
	unsigned addresses = 0;

	for (const char *o = r->operands; *o; o++) {
		if (*o == 'r' || *o == 'R') {
			if (*o == 'R' || dice(2))
				put(l, "|%%p%u", dice(4));
			continue;
		}
		if ((*o == 'U' || *o == 'N') && dice(2))
			continue;
		put(l, o == r->operands ? " " : ", ");
		switch (*o) {
		case 'd': put_reg(l, t->size, t->kind); break;
		case 'D': put_reg(l, twice(t->size), t->kind); break;
		case 'e': put_reg(l, 4, 'u'); break;
		case 'x':
			/* A conversion's operand may be wider. */
			put_reg(l, t->size < 4 && dice(2) ? 4 : t->size, t->kind);
			break;
		case 'p': put_reg(l, 0, 'p'); break;
		case 'q':
			put_reg(l, 0, 'p');
			if (dice(2))
				put(l, "|%%p%u", dice(4));
			break;
		case 'v':
		case 'w': {
			uint32_t size = dice(3) ? t->size : 1u << (1 + dice(3));

			if (vec && dice(30))
				put(l, "{");
			for (uint32_t k = 0; k < (vec ? vec : 1); k++) {
				put(l, k ? ", " : "");
				if (*o == 'w')
					put_source(l, size, t->kind);
				else
					put_reg(l, size, t->kind);
			}
			if (vec)
				put(l, "}");
			break;
		}
		case 'a': put_source(l, t->size, t->kind); break;
		case 'b': put_source(l, u->size, u->kind); break;
		case 'A': put_source(l, twice(t->size), t->kind); break;
		case 'u': put_source(l, 4, 'u'); break;
		case 'U': put_source(l, 4, 'u'); break;
		case 'L': put_source(l, 8, 'u'); break;
		case 'y':
			if (u->kind == 'u' || u->kind == 's')
				put_reg(l, u->size < 4 && dice(2) ? 4 : u->size, u->kind);
			else
				put_reg(l, u->size, u->kind);
			break;
		case 'n':
		case 'N': put(l, "%s%%p%u", dice(3) ? "" : "!", dice(4)); break;
		case 'm':
			put_address(l,
				    r->kind == K_async ? (addresses++ ? ".global" : ".shared")
						       : words,
				    false);
			break;
		case 'i': put(l, "%u", r->kind == K_async ? 4u << dice(3) : dice(200)); break;
		case 'l': put(l, "L0"); break;
		case 'M':
			if (dice(8))
				put_source(l, t->size, t->kind);
			else if (t->size == 8 && dice(2))
				put(l, "{%%b0, %%u1}");
			else
				put(l, "%s", dice(2) ? "sv" : "%laneid");
			break;
		default: break;
		}
	}
}

static void
examine(struct pool *pool, const char *version, const char *target, const char *insn)
{
	char text[4096];
	struct ptx_module *m;
	struct qd_error e;
	int n = snprintf(text, sizeof text, head, (unsigned)(version[0] - '0'),
			 (unsigned)(version[2] - '0'), target);

	n += snprintf(text + n, sizeof text - (size_t)n, "%s\n%s", insn, tail);
	qd_status st = ptx_module_parse(pool, text, (size_t)n, &m, &e);

	printf("%s %s %s %s\t%s\n", version, target, st ? "no" : "ok", insn, st ? e.text : "");
	if (st == QD_OK)
		ptx_module_free(m);
}

/* Runs it with random register contents: it must end, with or without a finding. */
static void
run(struct pool *pool, const char *version, const char *target, const char *insn, unsigned n[3])
{
	static const char *const odd[] = { "0",
					   "1",
					   "-1",
					   "0x80000000",
					   "0x7fffffff",
					   "31",
					   "32",
					   "255",
					   "0x3f800000",
					   "0x7fc00000",
					   "0x00000001",
					   "0xff800000",
					   "0x12345678",
					   "64",
					   "0x7ff0000000000000",
					   "0x8000000000000000",
					   "0x3ff8000000000000",
					   "0x7fffffffffffffff" };
	char text[8192];
	struct ptx_module *m;
	struct qd_error e;
	int at = snprintf(text, sizeof text, head, (unsigned)(version[0] - '0'),
			  (unsigned)(version[2] - '0'), target);

	for (unsigned k = 0; k < QD_COUNT(regs); k++)
		for (unsigned i = 0; i < 4; i++) {
			if (regs[k].kind == 'p')
				at += snprintf(text + at, sizeof text - (size_t)at,
					       "mov.pred %%p%u, %u;\n", i, dice(2));
			else if (regs[k].size == 8 && dice(2))
				at += snprintf(text + at, sizeof text - (size_t)at,
					       "mov.b64 %s%u, %s;\n", regs[k].stem, i,
					       dice(2) ? "gv" : "sv");
			else
				at += snprintf(
					text + at, sizeof text - (size_t)at, "mov.b%u %s%u, %s;\n",
					8u * regs[k].size, regs[k].stem, i,
					odd[dice(QD_COUNT(odd) - (regs[k].size < 8 ? 4 : 0))]);
		}
	if (!dice(3))
		at += snprintf(text + at, sizeof text - (size_t)at,
			       "mov.u32 %%b0, %%laneid; setp.lt.u32 %%p0, %%b0, 7;\n@%%p0 ");
	snprintf(text + at, sizeof text - (size_t)at, "%s\n%s", insn, tail);
	if (ptx_module_parse(pool, text, strlen(text), &m, &e))
		return;
	uint8_t params[64] = { 1, 2, 3 };
	struct ptx_launch l = { .entry = ptx_module_first(m),
				.grid = { 1, 1, 1 },
				.block = { 40, 1, 1 },
				.params = params,
				.max_steps = 1000,
				.seed = dice(1000) };
	qd_status st = ptx_run(pool, &l, &e);

	n[st == QD_OK ? 0 : st == QD_E_FINDING ? 1 : 2]++;
	if (st != QD_OK && st != QD_E_FINDING)
		printf("%s: %s\n", insn, e.text);
	ptx_module_free(m);
}

static const struct {
	const char *version, *target;
} places[] = { { "6.0", "sm_53" },  { "6.0", "sm_60" },	 { "6.0", "sm_70" }, { "6.3", "sm_75" },
	       { "6.5", "sm_60" },  { "7.0", "sm_80" },	 { "7.1", "sm_70" }, { "7.4", "sm_80" },
	       { "7.8", "sm_90" },  { "8.0", "sm_75" },	 { "8.0", "sm_90" }, { "8.6", "sm_100a" },
	       { "8.7", "sm_120" }, { "9.0", "sm_100" }, { "9.0", "sm_61" }, { "9.0", "sm_103a" },
	       { "9.0", "sm_75" },  { "7.8", "sm_53" } };

int
main(int argc, char **argv)
{
	struct pool pool;
	uint32_t n;

	if (argc == 4 && !strcmp(argv[1], "--head")) {
		printf(head, (unsigned)(argv[2][0] - '0'), (unsigned)(argv[2][2] - '0'), argv[3]);
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "--tail")) {
		fputs(tail, stdout);
		return 0;
	}
	if (argc == 5 && !strcmp(argv[1], "--ask")) {
		pool_init(&pool, &pool_malloc);
		examine(&pool, argv[2], argv[3], argv[4]);
		pool_fini(&pool);
		return 0;
	}
	bool runs = argc > 1 && !strcmp(argv[1], "--run");
	unsigned ends[3] = { 0 };

	argc -= runs;
	argv += runs;
	n = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 0) : 4;
	state = (argc > 2 ? strtoull(argv[2], NULL, 0) : 1) * UINT64_C(0x9e3779b97f4a7c15) | 1;
	pool_init(&pool, &pool_malloc);
	for (unsigned i = 0; i < ptx_n_rows; i++) {
		const struct row *r = &ptx_rows[i];

		for (uint32_t k = 0; k < n; k++) {
			uint32_t at = dice(QD_COUNT(places));
			struct line l = { .len = 0 };
			char words[512];

			if (strchr(r->operands, 'C') || strchr(r->operands, 'T'))
				break;
			/* Prefer the places that the row allows. */
			if (dice(3))
				at = QD_COUNT(places) - 1 - dice(7);
			put(&l, "%s", r->name);
			put_words(&l, r->words);
			snprintf(words, sizeof words, "%s", l.s);
			put_operands(&l, r, words);
			put(&l, ";");
			if (runs)
				run(&pool, places[at].version, places[at].target, l.s, ends);
			else
				examine(&pool, places[at].version, places[at].target, l.s);
		}
	}
	pool_fini(&pool);
	if (runs)
		printf("%u instructions ended, %u with a finding, %u otherwise\n",
		       ends[0] + ends[1], ends[1], ends[2]);
	return runs && (ends[2] || ends[0] < ptx_n_rows / 2);
}
