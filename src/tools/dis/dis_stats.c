/* Tables of AMD kernels: resources and waves per SIMD (--stats), and classes of instructions
 * (--mix). */
#include "dis_gcn.h"

#include "effect.h"

void
dis_gcn_stats(struct dis *s, const struct dis_object *f, bool first)
{
	const struct code_object *o = &f->object;
	FILE *out = s->out.file;
	char target[64];

	if (first)
		fprintf(out,
			"target                   wave  VGPR  AGPR  SGPR    LDS scratch kernarg  code "
			"%s by         kernel\n",
			s->req->block ? "groups/unit waves/SIMD" : "waves/SIMD");
	code_object_target(o, target);
	for (uint32_t i = 0; i < o->n_kernels; i++) {
		const struct code_kernel *k = &o->kernels[i];
		struct dis_need n = dis_gcn_need(f, k);
		uint64_t size = k->function == CODE_NO_PLACE ? 0 : o->functions[k->function].size;
		if (!dis_wanted(s, k->name))
			continue;
		s->n_shown++;
		fprintf(out, "%-24s %4u %5llu %5llu %5llu %6llu %7llu %7llu %5llu ", target, n.wave,
			(unsigned long long)n.vgpr, (unsigned long long)n.agpr,
			(unsigned long long)n.sgpr, (unsigned long long)n.lds,
			(unsigned long long)n.scratch, (unsigned long long)n.kernarg,
			(unsigned long long)size);
		if (s->req->block) {
			struct dis_groups g = dis_gcn_groups(f, k, s->req->block);
			fprintf(out, "%7u/%-3s %10s %-10s ", g.groups, g.per, g.waves_per_simd,
				g.limit);
		} else {
			fprintf(out, "%10u %-10s ", n.waves_per_simd, n.limit);
		}
		dis_put_written(s, k->name);
		fputc('\n', out);
	}
}

/* -- The mix ----------------------------------------------------------------------- */

enum mix {
#define MIX(name) MIX_##name,
#define MIXES                                                                                      \
	MIX(valu) MIX(matrix) MIX(salu) MIX(vmem) MIX(smem) MIX(lds) MIX(branch) MIX(wait)          \
	MIX(other) MIX(unknown)
	MIXES N_MIX
#undef MIX
};
static const char *const mix_names[] = {
#define MIX(name) #name,
	MIXES
#undef MIX
};

/* Indexed by enum gcn_class. */
static const uint8_t mix_of[] = {
	MIX_unknown, /* NONE */
	MIX_salu,    /* SALU */
	MIX_valu,    /* VALU */
	MIX_matrix,  /* MATRIX */
	MIX_smem,    /* SMEM */
	MIX_vmem,    /* VMEM */
	MIX_vmem,    /* FLAT, which may access LDS */
	MIX_lds,     /* DS */
	MIX_other,   /* EXPORT */
	MIX_branch,  /* BRANCH */
	MIX_other,   /* END */
	MIX_other,   /* BARRIER */
	MIX_other,   /* MESSAGE */
	MIX_wait,    /* WAIT */
	MIX_other,   /* HINT */
};
static_assert(sizeof mix_of == CL_HINT + 1, "a class without a column");

static void
count_mix(const struct dis_piece *p, uint32_t n[N_MIX])
{
	memset(n, 0, N_MIX * sizeof *n);
	for (size_t i = 0; i < p->flow.n_line; i++) {
		const struct gcn_line *line = &p->flow.line[i];
		n[line->flags & LINE_UNKNOWN ? MIX_unknown
					     : mix_of[gcn_props_of(line->insn.row).class]]++;
	}
}

void
dis_gcn_mix_json(struct dis *s, const struct dis_piece *p)
{
	uint32_t n[N_MIX];

	count_mix(p, n);
	for (size_t i = 0; i < N_MIX; i++)
		fprintf(s->out.file, "%s\"%s\":%u", i ? "," : "", mix_names[i], n[i]);
}

void
dis_gcn_mix(struct dis *s, const struct dis_piece *p, bool first)
{
	FILE *f = s->out.file;
	uint32_t n[N_MIX];

	if (first) {
		fputs("target           wave   all", f);
		for (size_t i = 0; i < N_MIX; i++)
			fprintf(f, " %7s", mix_names[i]);
		fputs(" function\n", f);
	}
	count_mix(p, n);
	fprintf(f, "%-16s %4u %5zu", p->target->name, p->target->wave, p->flow.n_line);
	for (size_t i = 0; i < N_MIX; i++)
		fprintf(f, " %7u", n[i]);
	fputc(' ', f);
	dis_put_written(s, p->name ? p->name : "-");
	fputc('\n', f);
}
