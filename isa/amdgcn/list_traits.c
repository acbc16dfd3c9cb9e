/* Generates traits.inc at build time: the distinct traits of the rows of insn.def, and the index of
 * each row's traits. */
#include <stdio.h>

#include "table.h"

enum {
#define GCN(id, text, fmt, o9, o10, o11, o12, targets, ...) HAS_##id = (targets),
#include "insn.def"
};
static const struct {
	const char *id;
	struct gcn_traits traits;
} rows[GCN_N_ROW] = {
#define GCN(id, text, fmt, o9, o10, o11, o12, targets, sh, m, dpp, fx)                             \
	{ #id, { .has = HAS_##id, .forms = (HAS_##id | WITH_SDWA) & (dpp), .mods = m } },
#include "insn.def"
};

int
main(void)
{
	static struct gcn_traits found[GCN_N_ROW];
	unsigned n = 0;

	printf("enum {\n");
	for (unsigned row = 0; row < GCN_N_ROW; row++) {
		const struct gcn_traits *t = &rows[row].traits;
		unsigned i = 0;
		while (i < n && (found[i].has != t->has || found[i].forms != t->forms || found[i].mods != t->mods))
			i++;
		if (i == n)
			found[n++] = *t;
		printf("TRAITS_%s = %u,\n", rows[row].id, i);
	}
	printf("};\nconst struct gcn_traits gcn_traits[] = {\n");
	for (unsigned i = 0; i < n; i++)
		printf("{ 0x%x, 0x%x, 0x%llx },\n", (unsigned)found[i].has, (unsigned)found[i].forms, (unsigned long long)found[i].mods);
	printf("};\n");
	return fflush(stdout) || ferror(stdout);
}
