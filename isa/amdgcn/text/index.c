/* Generates lookup tables at build time:
 *   names      rows of insn.def hashed by their names without suffix, as lists in row order:
 *              first_row and next are rows plus 1, or 0 at the end; also the length of each
 *              name without suffix, the suffix, and the targets where LLVM accepts the name for
 *              another row
 *   modifiers  a mask of the rows of modifier.def for each generation and format
 *   layouts    the first row of format.def that may match a word, by generation and the word's
 *              upper six bits; the row plus 1 of each format
 *   rows       by class of targets: the row plus 1 for each format and opcode; the opcode of
 *              each row with its kind of call above, so that a call of another kind produces an
 *              opcode that is too wide; the equivalent of each row on the class, minus the row.
 *              Each is a table of pages: most pages are equal to another one */
#include <stdio.h>

#include "modifier.h"
#include "suffix.h"

static const struct {
	uint32_t formats, gens;
} modifiers[] = {
#define MOD(fmt, gens, ...) { GCN_MODIFIED(fmt), gens },
#include "modifier.def"
};
static const struct {
	const char *name, *own;
	uint32_t reads;
} operations[] = {
#define OP(name, own, targets) { #name, #own, targets },
#include "operation.def"
};
enum { N_MODIFIERS = QD_COUNT(modifiers) };
enum { N_OPERATIONS = QD_COUNT(operations) };

static void
write_list(const uint16_t *v, unsigned n, const char *end)
{
	printf("{\n");
	for (unsigned i = 0; i < n; i++)
		printf("%u,%s", v[i], i % 16 == 15 ? "\n" : " ");
	printf("}%s\n", end);
}

/* Names of rows, without suffix. */
static struct {
	char base[48];
	enum gcn_suffix end;
} named[GCN_N_ROW];

static void
name_rows(void)
{
	for (unsigned row = 0; row < GCN_N_ROW; row++) {
		size_t len = strlen(gcn_row_name(&gcn_rows[row]));
		named[row].end = gcn_cut_suffix(gcn_row_name(&gcn_rows[row]), &len);
		memcpy(named[row].base, gcn_row_name(&gcn_rows[row]), len);
	}
}

static void
write_names(void)
{
	static uint16_t first[GCN_N_NAME_LIST], next[GCN_N_ROW];

	for (unsigned row = GCN_N_ROW; row-- > 0;) {
		unsigned h = gcn_name_hash(named[row].base, strlen(named[row].base));
		next[row] = first[h];
		first[h] = (uint16_t)(row + 1);
	}
	printf("static const uint16_t first_row[GCN_N_NAME_LIST] =\n");
	write_list(first, GCN_N_NAME_LIST, ";");
	printf("static const struct {\n\tuint16_t next;\n\tuint8_t len, suffix;\n"
	       "\tuint32_t reads;\n} row_name[GCN_N_ROW] = {\n");
	for (unsigned row = 0; row < GCN_N_ROW; row++) {
		uint32_t reads = 0;
		for (unsigned i = 0; i < N_OPERATIONS; i++)
			if (!strcmp(named[row].base, operations[i].name))
				reads |= operations[i].reads;
		printf("{ %u, %u, %u, 0x%x }, /* %s */\n", next[row],
		       (unsigned)strlen(named[row].base), (unsigned)named[row].end, reads,
		       gcn_row_name(&gcn_rows[row]));
	}
	printf("};\n");
}

static void
write_modifiers(void)
{
	enum { N_WORD = (N_MODIFIERS + 63) / 64 };

	printf("enum { N_MODIFIER_WORD = %d };\n", N_WORD);
	printf("static const uint64_t modifiers_of[GCN_N_GEN][GCN_N_LAYOUT_FORMAT][N_MODIFIER_WORD] = {\n");
	for (unsigned gen = 0; gen < GCN_N_GEN; gen++) {
		printf("{\n");
		for (unsigned f = 0; f < GCN_N_LAYOUT_FORMAT; f++) {
			uint64_t word[N_WORD] = { 0 };
			for (unsigned i = 0; i < N_MODIFIERS; i++) {
				if ((modifiers[i].formats >> f & 1) && (modifiers[i].gens >> gen & 1))
					word[i / 64] |= UINT64_C(1) << i % 64;
			}
			printf("{");
			for (unsigned i = 0; i < N_WORD; i++)
				printf(" 0x%llx,", (unsigned long long)word[i]);
			printf(" },\n");
		}
		printf("},\n");
	}
	printf("};\n");
}

static void
write_layouts(void)
{
	printf("const uint8_t gcn_first_layout[GCN_N_GEN][64] = {\n");
	for (unsigned gen = 0; gen < GCN_N_GEN; gen++) {
		printf("{");
		for (uint32_t top = 0; top < 64; top++) {
			unsigned i = 0;
			while (i < gcn_n_layouts &&
			       (!(gcn_layouts[i].gens >> gen & 1) ||
				((gcn_layouts[i].mask & (top << 26 ^ gcn_layouts[i].match)) >> 26)))
				i++;
			printf(" %u,", i);
		}
		printf(" },\n");
	}
	printf("};\nstatic const uint8_t layout_of[GCN_N_GEN][GCN_N_LAYOUT_FORMAT] = {\n");
	for (unsigned gen = 0; gen < GCN_N_GEN; gen++) {
		for (unsigned i = 0; i < gcn_n_layouts; i++) {
			if (gcn_layouts[i].gens >> gen & 1)
				printf("[%u][%u] = %u,\n", gen, gcn_layouts[i].format, i + 1);
		}
	}
	printf("};\n");
}

/* -- Rows by class of targets -------------------------------------------------------- */

/* A table of n numbers for each class, written as NAME_page, the page of each GCN_PAGE numbers,
 * and NAME_cell, the distinct pages. */
enum { MAX_PAGES = 1 << 14 };
struct paged {
	unsigned n_page, n_cell;
	uint16_t page[MAX_PAGES], cell[MAX_PAGES][GCN_PAGE];
};

static void
add_pages(struct paged *p, const uint16_t *v, unsigned n)
{
	for (unsigned i = 0; i < n; i += GCN_PAGE) {
		uint16_t *now = p->cell[p->n_cell];
		unsigned found = 0;
		for (unsigned k = 0; k < GCN_PAGE; k++)
			now[k] = i + k < n ? v[i + k] : 0;
		while (memcmp(p->cell[found], now, sizeof p->cell[0]))
			found++;
		p->n_cell += found == p->n_cell;
		p->page[p->n_page++] = (uint16_t)found;
	}
}

static void
write_pages(const struct paged *p, const char *name, const char *storage)
{
	unsigned each = p->n_page / GCN_N_CLASS;

	printf("%sconst uint16_t %s_page[GCN_N_CLASS][%u] = {\n", storage, name, each);
	for (unsigned class = 0; class < GCN_N_CLASS; class++)
		write_list(p->page + class * each, each, ",");
	printf("};\n%sconst uint16_t %s_cell[%u][GCN_PAGE] = {\n", storage, name, p->n_cell);
	for (unsigned i = 0; i < p->n_cell; i++)
		write_list(p->cell[i], GCN_PAGE, ",");
	printf("};\n");
}

static bool
has(unsigned row, unsigned class)
{
	return gcn_row_has(&gcn_rows[row]) >> class & 1;
}

static unsigned
opcode(unsigned row, unsigned class)
{
	static const uint32_t classes[GCN_N_GEN] = { GFX90, C90A, GFX94, GFX10, GFX11, C1200, GFX125 };
	unsigned gen = 0;

	while (!(classes[gen] >> class & 1))
		gen++;
	return gcn_rows[row].op[gen];
}

/* Returns the kind of call of a row: its format, or a CALL_ value for VOP3 and VOP3P rows with
 * another kind of result. */
static unsigned
called(const struct gcn_row *r)
{
	const struct gcn_operand *d = gcn_shapes[r->shape].op;
	bool scalar = d->field == GCN_F_VDST && gcn_is_scalar_bank(gcn_kinds[d->kind].bank);

	if (r->format == GCN_VOP3P && (gcn_row_mods(r) & M_MATRIX))
		return CALL_MFMA;
	if (r->format != GCN_VOP3)
		return r->format;
	if (gcn_row_mods(r) & M_VOP3B)
		return CALL_VOP3B;
	return scalar || (gcn_row_mods(r) & M_CMPX) ? CALL_VOP3S : GCN_VOP3;
}

/* Returns whether two rows have the same format and the same operands in the same fields; the
 * notation of register halves may differ. */
static bool
are_alike(unsigned a, unsigned b)
{
	const struct gcn_shape *s = &gcn_shapes[gcn_rows[a].shape];
	const struct gcn_shape *t = &gcn_shapes[gcn_rows[b].shape];

	for (unsigned i = 0; i < s->n_op || i < t->n_op; i++) {
		if (s->op[i].field != t->op[i].field ||
		    gcn_kinds[s->op[i].kind].n != gcn_kinds[t->op[i].kind].n)
			return false;
	}
	return s->n_op == t->n_op && gcn_rows[a].format == gcn_rows[b].format;
}

/* Returns the newest name of the row's operation. */
static const char *
newest(unsigned row)
{
	const char *name = named[row].base;

	for (unsigned i = 0; i < N_OPERATIONS;) {
		if (!strcmp(name, operations[i].name)) {
			name = operations[i].own;
			i = 0;
		} else {
			i++;
		}
	}
	return name;
}

static void
write_operations(void)
{
	static uint16_t group[GCN_N_ROW], own[GCN_N_ROW];
	static const char *name[GCN_N_ROW];
	static struct paged ops;

	for (unsigned row = 0; row < GCN_N_ROW; row++) {
		unsigned first = 0;
		name[row] = newest(row);
		while (strcmp(name[first], name[row]) || !are_alike(first, row))
			first++;
		group[row] = (uint16_t)first;
	}
	for (unsigned class = 0; class < GCN_N_CLASS; class++) {
		uint16_t of[GCN_N_ROW] = { 0 }; /* row plus 1 of each group */
		for (unsigned row = GCN_N_ROW; row-- > 0;) {
			if (has(row, class))
				of[group[row]] = (uint16_t)(row + 1);
		}
		for (unsigned row = 0; row < GCN_N_ROW; row++) {
			bool other = !has(row, class) && of[group[row]];
			own[row] = (uint16_t)(other ? of[group[row]] - 1u - row : 0u);
		}
		add_pages(&ops, own, GCN_N_ROW);
	}
	write_pages(&ops, "gcn_op", "");
}

static bool
write_rows(void)
{
	static uint16_t row_at[GCN_N_SLOT], called_as[GCN_N_ROW];
	static struct paged rows, calls;

	for (unsigned class = 0; class < GCN_N_CLASS; class++) {
		memset(row_at, 0, sizeof row_at);
		for (unsigned row = 0; row < GCN_N_ROW; row++) {
			const struct gcn_row *r = &gcn_rows[row];
			uint16_t *at = &row_at[r->format * 256 + opcode(row, class) % 1024];
			called_as[row] = GCN_NA;
			if (!has(row, class))
				continue;
			if (*at) {
				fprintf(stderr, "%s and %s have one opcode\n",
					gcn_row_name(&gcn_rows[*at - 1]), gcn_row_name(r));
				return false;
			}
			*at = (uint16_t)(row + 1);
			called_as[row] = (uint16_t)((opcode(row, class) & CALL_OP) |
						    called(r) << CALL_SHIFT);
		}
		add_pages(&rows, row_at, GCN_N_SLOT);
		add_pages(&calls, called_as, GCN_N_ROW);
	}
	write_pages(&rows, "row", "static ");
	write_pages(&calls, "gcn_call", "");
	write_operations();
	return true;
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	name_rows();
	if (!strcmp(what, "names"))
		write_names();
	else if (!strcmp(what, "modifiers"))
		write_modifiers();
	else if (!strcmp(what, "layouts"))
		write_layouts();
	else if (strcmp(what, "rows") || !write_rows())
		return 2;
	return fflush(stdout) || ferror(stdout);
}
