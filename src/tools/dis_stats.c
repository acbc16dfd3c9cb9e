/* AMD kernels as a table: what each needs of the device, and how many of its
 * waves a SIMD then holds. */
#include "dis_gcn.h"

void
dis_gcn_stats(struct dis *s, const struct dis_object *f, bool first)
{
	const struct code_object *o = &f->object;
	char target[64];

	if (first)
		fprintf(s->out.file, "target                   wave  VGPR  AGPR  SGPR    LDS "
				     "scratch kernarg  code "
				     "waves/SIMD by         kernel\n");
	code_object_target(o, target);
	for (uint32_t i = 0; i < o->n_kernels; i++) {
		const struct code_kernel *k = &o->kernels[i];
		struct dis_need n = dis_gcn_need(f, k);
		uint64_t size = k->function == CODE_NO_PLACE ? 0 : o->functions[k->function].size;
		if (!dis_wanted(s, k->name))
			continue;
		s->n_shown++;
		fprintf(s->out.file,
			"%-24s %4u %5llu %5llu %5llu %6llu %7llu %7llu %5llu %10u %-10s ", target,
			n.wave, (unsigned long long)n.vgpr, (unsigned long long)n.agpr,
			(unsigned long long)n.sgpr, (unsigned long long)n.lds,
			(unsigned long long)n.scratch, (unsigned long long)n.kernarg,
			(unsigned long long)size, n.waves_per_simd, n.limit);
		dis_gcn_name(s, k->name);
		fputc('\n', s->out.file);
	}
}
