/* Run at build time; writes what is looked up by a number:
 *   names      rows of insn.def by their names without _e32 and the like, as lists that keep
 *              the order of the rows: the first row of each list, the next of each row, plus
 *              1, 0 at the end; the length of each name without its suffix, and the suffix
 *   modifiers  a bit for each row of modifier.def that a format has, by generation
 *   layouts    the first row of format.def that a word may be of, by generation and by the
 *              word's highest six bits */
#include <stdio.h>

#include "modifier.h"
#include "suffix.h"

static const char *const name[] = {
#define GCN(id, text, ...) text,
#include "insn.def"
};
enum { N_ROWS = sizeof name / sizeof *name };

static const struct {
	uint32_t formats, gens;
} modifiers[] = {
#define MOD(fmt, gens, ...) { GCN_MODIFIED(fmt), gens },
#include "modifier.def"
};
static const struct {
	uint32_t gens, mask, match;
} layouts[] = {
#define FORMAT(fmt, gens, n, mask, match, ...) { gens, mask, match },
#include "format.def"
};
enum { N_MODIFIERS = sizeof modifiers / sizeof *modifiers, N_LAYOUTS = sizeof layouts / sizeof *layouts };

static void
write_names(void)
{
	static unsigned first[GCN_N_NAME_LIST], next[N_ROWS];

	for (unsigned row = N_ROWS; row-- > 0;) {
		size_t len = strlen(name[row]);
		unsigned h;
		(void)gcn_cut_suffix(name[row], &len);
		h = gcn_name_hash(name[row], len);
		next[row] = first[h];
		first[h] = row + 1;
	}
	printf("static const uint16_t first_row[GCN_N_NAME_LIST] = {\n");
	for (unsigned i = 0; i < GCN_N_NAME_LIST; i++)
		printf("%u,%s", first[i], i % 16 == 15 ? "\n" : " ");
	printf("};\nstatic const struct {\n\tuint16_t next;\n\tuint8_t len, suffix;\n} row_name[GCN_N_ROW] = {\n");
	for (unsigned row = 0; row < N_ROWS; row++) {
		size_t len = strlen(name[row]);
		enum gcn_suffix end = gcn_cut_suffix(name[row], &len);
		printf("{ %u, %u, %u }, /* %s */\n", next[row], (unsigned)len, (unsigned)end, name[row]);
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
	printf("static const uint8_t first_layout[GCN_N_GEN][64] = {\n");
	for (unsigned gen = 0; gen < GCN_N_GEN; gen++) {
		printf("{");
		for (uint32_t top = 0; top < 64; top++) {
			unsigned i = 0;
			while (i < N_LAYOUTS && (!(layouts[i].gens >> gen & 1) ||
						 ((layouts[i].mask & (top << 26 ^ layouts[i].match)) >> 26)))
				i++;
			printf(" %u,", i);
		}
		printf(" },\n");
	}
	printf("};\n");
}

int
main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "names"))
		write_names();
	else if (!strcmp(what, "modifiers"))
		write_modifiers();
	else if (!strcmp(what, "layouts"))
		write_layouts();
	else
		return 2;
	return fflush(stdout) || ferror(stdout);
}
