/* LLVM 22's interpretations, one row each (hazard_view.h). */
#include "hazard_view.h"

#include "hazard_code.h"
#include "table.h"

#include <string.h>

/* -- Registers ---------------------------------------------------------------------- */

static const struct gcn_insn *
insn_of(const struct hz_scene *x, size_t i)
{
	return &x->f->line[i].insn;
}

static struct gcn_effect *
effect_of(struct hz_scene *x, size_t i)
{
	return &x->line[i].effect;
}

static bool
is_row_of(const struct gcn_insn *in, const char *begin)
{
	return !strncmp(gcn_row_name(&gcn_rows[in->row]), begin, strlen(begin));
}

static void
add(struct gcn_effect *e, unsigned file, unsigned role, unsigned access, unsigned first)
{
	if (e->n_range < GCN_MAX_RANGES)
		e->range[e->n_range++] = (struct gcn_range){ (uint8_t)file, (uint8_t)role,
							     (uint8_t)access, 1, (uint16_t)first, 3 };
}

static void
drop(struct gcn_effect *e, unsigned k)
{
	memmove(&e->range[k], &e->range[k + 1], (e->n_range - k - 1u) * sizeof *e->range);
	e->n_range--;
}

static bool
is_scalar(const struct gcn_range *r, unsigned first, unsigned end)
{
	return r->file == FILE_S && r->first >= first && r->first < end;
}

static bool
writes_exec(const struct gcn_effect *e)
{
	for (unsigned k = 0; k < e->n_range; k++) {
		if ((e->range[k].access & GCN_WRITE) && is_scalar(&e->range[k], GCN_EXEC, 128))
			return true;
	}
	return false;
}

/* The destination is read and not written; but s_movrelsd, and v_movrel with DPP, write it and do
 * not read it. */
static void
movrel(struct hz_scene *x, size_t i)
{
	struct gcn_effect *e = effect_of(x, i);
	bool writes = is_row_of(insn_of(x, i), "s_movrelsd") || insn_of(x, i)->form == GCN_FORM_DPP16 ||
		      insn_of(x, i)->form == GCN_FORM_DPP8;

	for (unsigned k = 0; k < e->n_range && (e->flags & E(REL_DST)); k++) {
		if (e->range[k].role == ROLE_DST)
			e->range[k].access = writes ? GCN_WRITE : GCN_READ;
	}
}

/* Sources vccz and execz read neither vcc nor exec. */
static void
zero_bits(struct hz_scene *x, size_t i)
{
	static const struct {
		uint8_t field, role;
	} source[] = { { GCN_F_SSRC0, ROLE_SRC0 }, { GCN_F_SSRC1, ROLE_SRC1 }, { GCN_F_SRC0, ROLE_SRC0 },
		       { GCN_F_Y_SRC0, ROLE_SRC0 }, { GCN_F_SRC1, ROLE_SRC1 }, { GCN_F_SRC2, ROLE_SRC2 },
		       { GCN_F_SOFFSET, ROLE_OFFSET } };
	struct gcn_effect *e = effect_of(x, i);
	struct gcn_view o;

	for (unsigned n = 0; gcn_operand_view(x->t, insn_of(x, i), n, &o); n++) {
		unsigned first = o.v == 251 ? GCN_VCC : o.v == 252 ? GCN_EXEC : 0;
		for (size_t s = 0; first && s < sizeof source / sizeof *source; s++) {
			for (unsigned k = 0; o.field == source[s].field && k < e->n_range; k++) {
				if (e->range[k].role == source[s].role &&
				    is_scalar(&e->range[k], first, first + 1)) {
					drop(e, k);
					break;
				}
			}
		}
	}
}

static void
vcc_whole(struct hz_scene *x, size_t i)
{
	struct gcn_effect *e = effect_of(x, i);

	for (unsigned k = 0; k < e->n_range; k++) {
		if (is_scalar(&e->range[k], GCN_VCC, GCN_VCC + 2)) {
			e->range[k].first = GCN_VCC;
			e->range[k].n = 2;
		}
	}
}

static void
exec_whole(struct hz_scene *x, size_t i)
{
	struct gcn_effect *e = effect_of(x, i);

	for (unsigned k = 0; k < e->n_range; k++) {
		if ((e->range[k].access & GCN_WRITE) && e->class == CL_VALU &&
		    is_scalar(&e->range[k], GCN_EXEC, GCN_EXEC + 1))
			e->range[k].n = 2;
	}
}

/* LLVM has no number for trap registers and confuses them with s0 and up. */
static void
trap(struct hz_scene *x, size_t i)
{
	struct gcn_effect *e = effect_of(x, i);

	for (unsigned k = 0; k < e->n_range; k++) {
		if (is_scalar(&e->range[k], 108, 124))
			e->range[k].first = 0;
	}
}

/* Counts null as a register, as a destination or a source. */
static void
null(struct hz_scene *x, size_t i)
{
	unsigned null = x->t->gen >= GCN_G11 ? 124 : 125;
	const struct gcn_insn *in = insn_of(x, i);
	/* Its destination has no field: it is vcc unless the text names another. */
	bool compares_sdwa = in->form == GCN_FORM_SDWA && gcn_rows[in->row].format == GCN_VOPC;
	struct gcn_view o;

	for (unsigned n = 0; gcn_operand_view(x->t, in, n, &o); n++) {
		if (o.v != null)
			continue;
		if (o.field == GCN_F_SDST || o.field == GCN_F_VDST || (compares_sdwa && n == 0))
			add(effect_of(x, i), FILE_S, ROLE_DST,
			    effect_of(x, i)->flags & E(ATOMIC) ? GCN_READ | GCN_WRITE : GCN_WRITE, null);
		else
			add(effect_of(x, i), FILE_S, ROLE_SRC0, GCN_READ, null);
	}
	if (gcn_rows[in->row].format == GCN_SMEM && in->field[GCN_F_SOFFSET] == null)
		add(effect_of(x, i), FILE_S, ROLE_OFFSET, GCN_READ, null);
}

/* Counts exec as a scalar that vector memory reads. Register 124 is unused on gfx9. */
static void
exec_scalar(struct hz_scene *x, size_t i)
{
	struct gcn_effect *e = effect_of(x, i);

	for (unsigned k = 0; k < e->n_range; k++) {
		if (is_scalar(&e->range[k], GCN_EXEC, 128)) {
			e->range[k].first = 124;
			e->range[k].n = 1;
		}
	}
}

/* Counts each vector register of DPP as its first source. The old value is excluded, because
 * hazard_llvm.cpp replaces its register. */
static void
dpp_all(struct hz_scene *x, size_t i)
{
	struct gcn_effect *e = effect_of(x, i);

	for (unsigned k = 0; k < e->n_range && insn_of(x, i)->form == GCN_FORM_DPP16; k++) {
		if (e->range[k].file == FILE_V && (e->range[k].access & GCN_READ))
			e->range[k].role = ROLE_SRC0;
	}
}

static void
all_write(struct hz_scene *x, size_t i)
{
	x->line[i].events |= IS(VALU);
}

/* An instruction that writes half a register reads the other half. */
static void
halves(struct hz_scene *x, size_t i)
{
	struct gcn_effect *e = effect_of(x, i);

	for (unsigned k = 0; k < e->n_range && (e->flags & E(KEEPS)); k++) {
		if (e->range[k].access & GCN_KEEP) {
			e->range[k].access |= GCN_READ;
			e->range[k].half = 3;
		}
	}
}

/* A load of half a register with tfe or a format preserves nothing. */
static void
kept(struct hz_scene *x, size_t i)
{
	struct gcn_effect *e = effect_of(x, i);
	bool format = strstr(gcn_row_name(&gcn_rows[insn_of(x, i)->row]), "_format_d16_hi") != NULL;

	for (unsigned k = 0; k < e->n_range && e->class == CL_VMEM; k++) {
		if (format || insn_of(x, i)->field[GCN_F_TFE])
			e->range[k].access &= (uint8_t)~GCN_KEEP;
	}
}

/* m0: not read by GDS on gfx10, read by ds_op_src2 and ds_nop. */
static void
m0_gds(struct hz_scene *x, size_t i)
{
	struct gcn_effect *e = effect_of(x, i);

	for (unsigned k = 0; k < e->n_range && (e->flags & E(GDS)); k++) {
		if (e->range[k].file == FILE_X && e->range[k].first == X_M0) {
			drop(e, k);
			break;
		}
	}
}

static void
m0_src2(struct hz_scene *x, size_t i)
{
	const struct gcn_row *r = &gcn_rows[insn_of(x, i)->row];

	if (r->format == GCN_DS && (strstr(gcn_row_name(r), "_src2_") || !strcmp(gcn_row_name(r), "ds_nop")))
		add(effect_of(x, i), FILE_X, ROLE_IMPLICIT, GCN_READ, X_M0);
}

/* -- Kinds --------------------------------------------------------------------------- */

/* Only v_cmpx writes exec, other VALU does not. class, f and t count as compares only in the
 * encoding of one word. */
static void
cmpx_alone(struct hz_scene *x, size_t i)
{
	const struct gcn_insn *in = insn_of(x, i);
	struct gcn_effect *e = effect_of(x, i);
	bool cmpx = is_row_of(in, "v_cmpx_");

	if (gcn_rows[in->row].format == GCN_VOP3 || in->form == GCN_FORM_SDWA)
		cmpx &= !is_row_of(in, "v_cmpx_class_") && !is_row_of(in, "v_cmpx_t_") &&
			!is_row_of(in, "v_cmpx_tru_") && !is_row_of(in, "v_cmpx_f_");
	for (unsigned k = e->n_range; k-- > 0 && !cmpx && e->class == CL_VALU && writes_exec(e);) {
		if ((e->range[k].access & GCN_WRITE) && is_scalar(&e->range[k], GCN_EXEC, 128))
			drop(e, k);
	}
}

/* The scalar result of v_readlane does not count as one. */
static void
lane_no_scalar(struct hz_scene *x, size_t i)
{
	if (effect_of(x, i)->flags & E(READ_LANE))
		x->line[i].traits &= ~T(WRITES_SGPR);
}

static void
idle_waits_not(struct hz_scene *x, size_t i)
{
	if (insn_of(x, i)->row == GCN_s_wait_idle)
		x->line[i].traits = 0;
}

/* An aperture or another non-register source as the offset counts as a register. */
static void
any_offset(struct hz_scene *x, size_t i)
{
	unsigned v = insn_of(x, i)->field[GCN_F_SOFFSET];

	if (gcn_is_buffer(gcn_rows[insn_of(x, i)->row].format) && ((v >= 235 && v < 240) || v > 250))
		x->line[i].traits &= ~T(WIDE_STORE);
}

/* An SGPR as the offset makes a wide store harmless. */
static void
scalar_offset(struct hz_scene *x, size_t i)
{
	const struct gcn_effect *e = effect_of(x, i);

	for (unsigned k = 0; k < e->n_range; k++)
		if (e->range[k].role == ROLE_OFFSET)
			x->line[i].traits &= ~T(WIDE_STORE);
}

/* The lowest bit of op_sel_hi is in the position that selects the half of the result in other
 * encodings. */
static void
packed_part(struct hz_scene *x, size_t i)
{
	const struct gcn_insn *in = insn_of(x, i);

	if (gcn_rows[in->row].format == GCN_VOP3P && effect_of(x, i)->class == CL_VALU &&
	    (gcn_op_sel_hi(in) & 1))
		x->line[i].traits |= T(PART_DST);
}

/* Loads to LDS count as VALU in addition. */
static void
lds_valu(struct hz_scene *x, size_t i)
{
	struct gcn_hazard_line *l = &x->line[i], valu = *l;

	if (!(l->effect.flags & E(LDS_DMA)))
		return;
	valu.effect.class = CL_VALU;
	gcn_hazard_events(&valu);
	l->events = (l->events | valu.events) & ~(UINT64_C(1) << IS_NOT_VALU);
}

static void
vnop_nothing(struct hz_scene *x, size_t i)
{
	if (effect_of(x, i)->flags & E(VNOP))
		x->line[i].events &= ~IS(VALU);
}

/* Implicit reads of m0 are checked for m0 only. */
static void
m0_alone(struct hz_scene *x, size_t i)
{
	if (gcn_fits(&x->line[i], &gcn_happenings[IS_M0_USER]))
		x->line[i].events &= ~IS(VECTOR_MEMORY);
}

static void
long_nop(struct hz_scene *x, size_t i)
{
	if (effect_of(x, i)->flags & E(NOP))
		x->line[i].states = (uint8_t)((insn_of(x, i)->field[GCN_F_SIMM] & 0x7f) + 1);
}

/* Every matrix instruction has the passes of the longest one on the path. */
static void
longest(struct hz_scene *x, size_t i)
{
	size_t end = x->f->n_block == 1 ? (size_t)x->later : x->f->n_line;

	if (effect_of(x, i)->class != CL_MATRIX)
		return;
	for (size_t k = x->f->n_block == 1 ? i + 1 : 0; k < end; k++) {
		if (effect_of(x, k)->class == CL_MATRIX && x->line[k].passes > x->line[i].passes)
			x->line[i].passes = x->line[k].passes;
	}
}

static bool
is_transfer(const struct gcn_insn *in)
{
	const char *name = gcn_row_name(&gcn_rows[in->row]);

	return strstr(name, "_async_to_lds") || strstr(name, "_async_from_lds") || strstr(name, "tensor_");
}

/* Transfers between memory and LDS are VALU, and an address in the field of the destination is
 * written. */
static void
transfer_valu(struct hz_scene *x, size_t i)
{
	struct gcn_effect *e = effect_of(x, i);

	if (!is_transfer(insn_of(x, i)))
		return;
	e->class = CL_VALU;
	for (unsigned k = 0; k < e->n_range; k++) {
		if (e->range[k].role == ROLE_SRC0) {
			e->range[k].role = ROLE_DST;
			e->range[k].access |= GCN_WRITE;
		}
	}
}

/* DPP reads the destination. */
static void
dpp_reads(struct hz_scene *x, size_t i)
{
	struct gcn_effect *e = effect_of(x, i);

	for (unsigned k = 0; k < e->n_range && insn_of(x, i)->form != GCN_FORM_BASE; k++) {
		if (e->range[k].access & GCN_KEEP)
			e->range[k].access |= GCN_READ;
	}
}

static void
base_low(struct hz_scene *x, size_t i)
{
	struct gcn_effect *e = effect_of(x, i);

	for (unsigned k = 0; k < e->n_range; k++) {
		if (e->range[k].file == FILE_X && e->range[k].first == X_FLAT_SCRATCH)
			e->range[k].half &= 1;
	}
}

static void
prefetch_stores(struct hz_scene *x, size_t i)
{
	if (strstr(gcn_row_name(&gcn_rows[insn_of(x, i)->row]), "prefetch"))
		effect_of(x, i)->flags |= E(STORE);
}

/* A, B and the index count as results where the later instruction overwrites them. */
static void
matrix_sources(struct hz_scene *x, size_t i)
{
	struct gcn_effect *e = effect_of(x, i), *later = effect_of(x, (size_t)x->later);

	for (unsigned k = 0; k < e->n_range && (e->flags & E(XDL)); k++) {
		for (unsigned n = 0; n < later->n_range; n++) {
			if ((later->range[n].access & GCN_WRITE) &&
			    gcn_overlap(&e->range[k], &later->range[n]) && e->range[k].role != ROLE_SRC2)
				e->range[k].access |= GCN_WRITE;
		}
	}
}

static void
trans_later(struct hz_scene *x, size_t i)
{
	if ((int)i == x->later && (effect_of(x, i)->flags & E(TRANS)))
		effect_of(x, i)->n_range = 0;
}

static void
dual_results(struct hz_scene *x, size_t i)
{
	struct gcn_effect *e = effect_of(x, i);

	for (unsigned k = 0; k < e->n_range && gcn_is_dual(gcn_rows[insn_of(x, i)->row].format);) {
		if (e->range[k].access == GCN_READ)
			k++;
		else
			drop(e, k);
	}
}

static void
no_scale(struct hz_scene *x, size_t i)
{
	struct gcn_effect *e = effect_of(x, i);

	for (unsigned k = 0; k < e->n_range && (e->flags & E(WMMA));) {
		if (e->range[k].role == ROLE_INDEX)
			drop(e, k);
		else
			k++;
	}
}

/* clang-format off */
const struct hz_view hz_views[] = {
	{ "LLVM treats exec as an SGPR that vector memory reads",
	  GFX9, "vmem_sgpr", exec_scalar, NULL, NULL },
	{ "LLVM: any write of any VGPR that DPP names; the guides: VALU, the first source",
	  GFX9, "dpp_vgpr", dpp_all, NULL, all_write },
	{ "LLVM: movreld reads the register that it names and writes none",
	  ALL, NULL, movrel, NULL, NULL },
	{ "LLVM does not treat a read of vccz or execz as one of vcc or exec",
	  ALL, NULL, zero_bits, NULL, NULL },
	{ "LLVM: one half of vcc counts as both",
	  GFX94|GFX12, "sgpr_ valu_sgpr", vcc_whole, NULL, NULL },
	{ "LLVM: in waves of 32 v_cmpx writes all 64 bits of exec",
	  GFX10, "smem_vector_write", exec_whole, NULL, NULL },
	{ "LLVM: a trap register counts as s0", GFX12, "sgpr_", trap, NULL, NULL },
	{ "LLVM treats null as a register", GFX10|GFX11|GFX12, NULL, null, NULL, NULL },
	{ "LLVM: an instruction that writes one half reads the other", ALL, NULL, halves, NULL, NULL },
	{ "LLVM: with tfe or a format a load of a half keeps nothing",
	  GFX9, "vmem_row_", kept, NULL, NULL },
	{ "LLVM: GDS does not read m0", GFX10, "vmem_scalar_write", m0_gds, NULL, NULL },
	{ "LLVM: ds_nop and ds_*_src2 read m0", GFX10, "vmem_scalar_write", m0_src2, NULL, NULL },
	{ "LLVM checks only m0 before LDS and GDS",
	  C908, "acc_read_memory acc_move_memory", NULL, NULL, m0_alone },
	{ "LLVM: v_cmpx alone, not every VALU that writes exec; its class and t in two "
	  "words do not either",
	  C950|GFX10|GFX11|GFX12, "cmpx_permlane permlane_swap_exec", cmpx_alone, NULL, NULL },
	{ "LLVM: v_readlane writes no SGPR between a read of exec and v_cmpx; ACO: it does",
	  GFX10, "cmpx_exec_war", NULL, lane_no_scalar, NULL },
	{ "LLVM does not treat s_wait_idle as a wait for everything",
	  GFX10|GFX11|GFX12, NULL, NULL, idle_waits_not, NULL },
	{ "LLVM: an aperture as offset is like an SGPR",
	  GFX9, "store_data", NULL, any_offset, NULL },
	{ "LLVM: a wide store with an SGPR as offset is harmless; on an MI350X it is not",
	  GFX94, "store_data_94", NULL, scalar_offset, NULL },
	{ "LLVM treats op_sel_hi of packed instructions as a half of a result",
	  GFX94, "part_dst", NULL, packed_part, NULL },
	{ "LLVM treats loads to LDS as VALU", GFX94|GFX10, NULL, NULL, NULL, lds_valu },
	{ "LLVM treats transfers between memory and LDS as VALU", GFX125, NULL, transfer_valu, NULL, NULL },
	{ "LLVM: v_nop does not resolve cmpx_permlane; ACO: from gfx11 on it does",
	  GFX11|C1200, "cmpx_permlane", NULL, NULL, vnop_nothing },
	{ "LLVM: s_nop is as long as all its bits say; four of them do",
	  ALL, NULL, NULL, NULL, long_nop },
	{ "LLVM measures by the longest matrix instruction that it passes, whatever that "
	  "writes",
	  C908, "mfma_acc_read mfma_acc_write mfma_war_908", NULL, NULL, longest },
	{ "LLVM: an instruction with DPP reads its destination",
	  GFX125, "trans_read", dpp_reads, NULL, NULL },
	{ "LLVM names the low half of the scratch base in 64-bit operands",
	  GFX125, "scratch_base", base_low, NULL, NULL },
	{ "LLVM treats s_prefetch as a store", GFX125, "smem_row_", prefetch_stores, NULL, NULL },
	{ "LLVM 22 waits before VALU overwrites A, B or the index of a matrix instruction; later "
	  "versions do not",
	  GFX125, "wmma_valu", matrix_sources, NULL, NULL },
	{ "LLVM 22 does not wait before transcendental instructions; later versions do",
	  GFX125, "wmma_valu", trans_later, NULL, NULL },
	{ "LLVM 22 does not compare the results of dual instructions; later versions do",
	  GFX125, "wmma_valu", dual_results, NULL, NULL },
	{ "LLVM does not compare the scales of a matrix instruction",
	  GFX125, "wmma_", no_scale, NULL, NULL },
};
/* clang-format on */

int
hz_n_view(void)
{
	return sizeof hz_views / sizeof *hz_views;
}

const char *
hz_view_why(int i)
{
	return hz_views[i].why;
}
