/* objects FOLDER: writes code objects for every target, in each wave size. Prints a line for each:
 * file, target, kernels. */
#include <stdio.h>
#include <stdlib.h>

#include "hsa_made.h"

static void
die(const char *what)
{
	fprintf(stderr, "objects: %s\n", what);
	exit(2);
}

static void
write_one(struct hsa_made *m, const char *folder, uint32_t n)
{
	struct buf out;
	struct qd_error e;
	char path[512];
	FILE *f;

	buf_init(&out, &m->ctx->pool);
	qd_status st = hsa_write(&out, &m->object, m->kernel, n, &e);
	if (st == QD_E_UNAVAILABLE) {
		puts("SKIP: built without libelf");
		exit(77);
	}
	if (st != QD_OK)
		die(e.text);
	snprintf(path, sizeof path, "%s/%s-w%u-%u.hsaco", folder, m->target->name, m->target->wave,
		 n);
	f = fopen(path, "wb");
	if (!f || fwrite(buf_data(&out), 1, out.len, f) != out.len || fclose(f) != 0)
		die(path);
	printf("%s %s %u\n", path, m->target->name, n);
	buf_fini(&out);
}

int
main(int argc, char **argv)
{
	static struct hsa_made m;
	static struct unit_ctx t;
	const struct gcn_target *g;

	if (argc != 2)
		die("objects FOLDER");
	if (!hsa_made_open(&t, &m))
		die(t.text);
	for (size_t i = 0; (g = gcn_target_at(i)); i++) {
		hsa_made_for(&t, &m, g);
		write_one(&m, argv[1], 3);
		if (g->other_wave) {
			hsa_made_for(&t, &m, gcn_target_find(g->name, g->other_wave));
			write_one(&m, argv[1], 1);
		}
	}
	hsa_made_for(&t, &m, gcn_target_find("gfx90a", 0));
	write_one(&m, argv[1], HSA_MADE);
	if (t.n_failed)
		die(t.text);
	hsa_made_close(&m);
	return 0;
}
