/* Effects: the union of the format's defaults, the row's effect, and its operand views. */
#include "effect.h"

#include "table.h"

#include <assert.h>

#define R(x) (1 << X_##x)

static const struct gcn_props by_format[GCN_N_FORMAT] = {
	[GCN_SOP1] = { .class = CL_SALU },
	[GCN_SOP2] = { .class = CL_SALU },
	[GCN_SOPC] = { .class = CL_SALU },
	[GCN_SOPK] = { .class = CL_SALU },
	[GCN_SOPP] = { .class = CL_NONE }, /* each names an effect */
	[GCN_SMEM] = { .class = CL_SMEM },
	[GCN_VOP1] = { .class = CL_VALU, .reads = R(EXEC) },
	[GCN_VOP2] = { .class = CL_VALU, .reads = R(EXEC) },
	[GCN_VOPC] = { .class = CL_VALU, .reads = R(EXEC) },
	[GCN_VOPD] = { .class = CL_VALU, .reads = R(EXEC) },
	[GCN_VOPD3] = { .class = CL_VALU, .reads = R(EXEC) },
	[GCN_VOP3] = { .class = CL_VALU, .reads = R(EXEC) },
	[GCN_VOP3P] = { .class = CL_VALU, .reads = R(EXEC) },
	[GCN_VINTERP] = { .class = CL_VALU, .reads = R(EXEC) },
	[GCN_LDSDIR] = { .class = CL_EXPORT, .reads = R(EXEC) | R(M0) },
	[GCN_VOP3PX] = { .class = CL_VALU, .reads = R(EXEC) },
	[GCN_VOP3PX16] = { .class = CL_VALU, .reads = R(EXEC) },
	[GCN_FLAT] = { .class = CL_FLAT, .reads = R(EXEC) | R(FLAT_SCRATCH) },
	[GCN_GLOBAL] = { .class = CL_VMEM, .reads = R(EXEC) },
	[GCN_SCRATCH] = { .class = CL_VMEM, .reads = R(EXEC) | R(FLAT_SCRATCH) },
	[GCN_MUBUF] = { .class = CL_VMEM, .reads = R(EXEC) },
	[GCN_MTBUF] = { .class = CL_VMEM, .reads = R(EXEC) },
	[GCN_TENSOR] = { .class = CL_VMEM },
	[GCN_DS] = { .class = CL_DS, .reads = R(EXEC) },
};

static const struct gcn_props effects[GCN_N_EFFECT] = {
#define EFFECT(id, cl, fl, rd, wr) { CL_##cl, rd, wr, fl },
#include "effect.def"
};

/* Returns the flags of a vector memory row that follow from its modifiers and operands. */
static uint64_t
memory_flags(const struct gcn_row *r)
{
	const struct gcn_shape *s = &gcn_shapes[r->shape];

	if (!gcn_is_vmem(r->format))
		return 0;
	if (!s->n_op)
		return E(CACHE);
	if (gcn_row_mods(r) & M_ATOMIC)
		return E(LOAD) | E(STORE) | E(ATOMIC);
	if (gcn_row_mods(r) & M_STORE) /* buffer stores have their data in the destination field */
		return E(STORE) | (s->op[0].field == GCN_F_VDST ? E(DST_READ) : 0);
	if (s->op[0].field == GCN_F_VDST)
		return E(LOAD);
	return effects[r->effect].flags & E(UNCOUNTED) ? 0 : E(LOAD) | E(LDS_DMA); /* a prefetch writes nothing */
}

struct gcn_props
gcn_props_of(unsigned row)
{
	struct gcn_props p = by_format[gcn_rows[row].format];
	const struct gcn_props *own = &effects[gcn_rows[row].effect];

	if (own->class)
		p.class = own->class;
	p.reads |= own->reads;
	p.writes |= own->writes;
	p.flags |= own->flags | memory_flags(&gcn_rows[row]);
	if (p.flags & E(ALL_LANES))
		p.reads &= (uint8_t)~R(EXEC);
	return p;
}

static void
add(struct gcn_effect *e, unsigned file, unsigned role, unsigned access, unsigned first, unsigned n)
{
	assert(e->n_range < GCN_MAX_RANGES);
	if (n)
		e->range[e->n_range++] =
			(struct gcn_range){ (uint8_t)file, (uint8_t)role, (uint8_t)access,
					    (uint8_t)n, (uint16_t)first, 3 };
}

static void
add_special(const struct gcn_target *t, struct gcn_effect *e, unsigned x, unsigned role,
	    unsigned access)
{
	unsigned n = t->wave / 32;

	if (x == X_VCC)
		add(e, FILE_S, role, access, GCN_VCC, n);
	else if (x == X_EXEC)
		add(e, FILE_S, role, access, GCN_EXEC, n);
	else if (x == X_FLAT_SCRATCH && t->gen < GCN_G10)
		add(e, FILE_S, role, access, 102, 2);
	else
		add(e, FILE_X, role, access, x, 1);
}

/* Adds the scalar register with this source number; ignores constants. */
static void
add_scalar(const struct gcn_target *t, struct gcn_effect *e, unsigned role, unsigned access,
	   unsigned v, unsigned n)
{
	if (v == gcn_m0_of(t))
		add_special(t, e, X_M0, role, access);
	else if (v == gcn_null_of(t) && (t->gen >= GCN_G10 || n == 1))
		return;
	else if (v < 128)
		add(e, FILE_S, role, access, v, n);
	else if (v == 230 || v == 231) {
		add_special(t, e, X_FLAT_SCRATCH, role, access);
		e->range[e->n_range - 1].half = n == 2 ? 3 : v == 230 ? 1 : 2;
	}
	else if (v == 251)
		add_special(t, e, X_VCC, role, access);
	else if (v == 252)
		add_special(t, e, X_EXEC, role, access);
	else if (v == 253)
		add_special(t, e, X_SCC, role, access);
	else if (v == 254 && t->gen < GCN_G12)
		add_special(t, e, X_M0, role, access); /* lds_direct */
}

/* Role of the operand in a field; the other fields contain no operand of their own. */
static const uint8_t role_of[GCN_N_FIELD] = {
	[GCN_F_SDST] = ROLE_DST, [GCN_F_VDST] = ROLE_DST, [GCN_F_Y_VDST] = ROLE_DST,
	[GCN_F_X_SDST] = ROLE_DST, [GCN_F_SSRC0] = ROLE_SRC0, [GCN_F_SRC0] = ROLE_SRC0,
	[GCN_F_Y_SRC0] = ROLE_SRC0, [GCN_F_SSRC1] = ROLE_SRC1, [GCN_F_SRC1] = ROLE_SRC1,
	[GCN_F_VSRC1] = ROLE_SRC1, [GCN_F_Y_VSRC1] = ROLE_SRC1, [GCN_F_SRC2] = ROLE_SRC2,
	[GCN_F_GROUP0] = ROLE_BASE, [GCN_F_GROUP1] = ROLE_BASE, [GCN_F_GROUP2] = ROLE_BASE,
	[GCN_F_GROUP3] = ROLE_BASE, [GCN_F_VSRC2] = ROLE_SRC2, [GCN_F_Y_VSRC2] = ROLE_SRC2,
	[GCN_F_SBASE] = ROLE_BASE, [GCN_F_SADDR] = ROLE_BASE, [GCN_F_SRSRC] = ROLE_BASE,
	[GCN_F_SCALE0] = ROLE_INDEX, [GCN_F_SCALE1] = ROLE_INDEX, [GCN_F_SOFFSET] = ROLE_OFFSET,
	[GCN_F_ADDR] = ROLE_ADDR, [GCN_F_DATA0] = ROLE_DATA, [GCN_F_DATA1] = ROLE_DATA,
};

/* Returns whether lanes or parts of the destination keep their old value. */
static bool
keeps_old(const struct gcn_insn *in, const struct gcn_view *o)
{
	const uint32_t *f = in->field;

	if ((in->form == GCN_FORM_DPP16 &&
	     (!f[GCN_F_BC] || f[GCN_F_BANK] != 15 || f[GCN_F_ROW] != 15)) ||
	    (in->form == GCN_FORM_DPP8 && f[GCN_F_SRC0] == 233) ||
	    (in->form == GCN_FORM_SDWA && f[GCN_F_DSTSEL] != 6 && f[GCN_F_DSTU] == 2))
		return true;
	return o->kind.bank == BANK_VH || o->kind.bank == BANK_VL;
}

/* Returns the number of a vector register; BANK_VL and BANK_VSL use bit 7 for the half. */
static unsigned
vector_number(const struct gcn_view *o)
{
	unsigned n = o->v - 256;

	return o->kind.bank == BANK_VL || o->kind.bank == BANK_VSL ? n & 127 : n;
}

/* Returns a value for gcn_range.half. */
static unsigned
half_of(const struct gcn_insn *in, const struct gcn_view *o)
{
	switch (o->kind.bank) {
	case BANK_VL:
	case BANK_VSL: return o->v & 128 ? 2 : 1;
	case BANK_VH:
	case BANK_VSH: return in->field[GCN_F_OPSEL] >> (o->src < 0 ? 3 : o->src) & 1 ? 2 : 1;
	default: return 3;
	}
}

static void
add_vector(struct gcn_effect *e, unsigned role, unsigned access, const struct gcn_insn *in,
	   const struct gcn_view *o)
{
	unsigned n = e->n_range;

	add(e, FILE_V, role, access, vector_number(o), o->kind.n);
	if (e->n_range > n)
		e->range[n].half = (uint8_t)half_of(in, o);
}

static void
add_smem_offset(const struct gcn_target *t, const struct gcn_insn *in, struct gcn_effect *e)
{
	unsigned reg = in->field[GCN_F_SOFFSET];

	if (t->gen < GCN_G10) {
		if (!in->field[GCN_F_SOE] && in->field[GCN_F_IMM])
			return;
		if (!in->field[GCN_F_SOE])
			reg = in->field[GCN_F_OFFSET] & 127;
	}
	add_scalar(t, e, ROLE_OFFSET, GCN_READ, reg, 1);
}

static void
add_operand(const struct gcn_target *t, const struct gcn_insn *in, const struct gcn_view *o,
	    bool first, struct gcn_effect *e)
{
	/* the destination field contains either loaded or stored data */
	bool memory = e->class == CL_SMEM || gcn_is_buffer(gcn_rows[in->row].format);
	unsigned role = role_of[o->field], access = GCN_READ;

	switch (o->kind.bank) {
	case BANK_SMEMOFF: add_smem_offset(t, in, e); return;
	case BANK_VCC:
		role = first || gcn_rows[in->row].format == GCN_VOPC ? ROLE_DST : ROLE_MASK;
		break;
	case BANK_EXEC: role = ROLE_DST; break;
	case BANK_MSGRTN:
	case BANK_ATTR:
	case BANK_PARAM:
	case BANK_GPRIDX:
	case BANK_OFF:
	case BANK_DEC16:
	case BANK_OFFSET24: return;
	case BANK_M0: role = ROLE_OFFSET; break;
	case BANK_M:
		/* no field: the destination of a comparison in form SDWA */
		if (o->field == GCN_F_NONE)
			role = ROLE_DST;
		else if (role != ROLE_DST)
			role = ROLE_MASK;
		break;
	default: break;
	}
	if (role == ROLE_DST && !(e->flags & E(DST_READ))) {
		access = GCN_WRITE;
		if (e->flags & (E(TIED) | E(REL_DST)))
			access |= GCN_READ;
		else if ((e->flags & E(KEEPS)) || (o->v >= 256 && keeps_old(in, o)))
			access |= GCN_KEEP;
		if ((e->flags & E(ATOMIC)) && memory)
			access = GCN_READ | (gcn_returns(t, in) ? GCN_WRITE : 0u);
	} else if (role == ROLE_DST) {
		role = memory ? ROLE_DATA : ROLE_SRC0;
	}
	if (role == ROLE_SRC2 && (e->flags & E(INDEX)))
		role = ROLE_INDEX;
	if (role == ROLE_SRC0 && (e->flags & E(SWAP)))
		access |= GCN_WRITE;
	if (role == ROLE_IMPLICIT)
		return;
	if (o->v >= GCN_ACC)
		add(e, FILE_A, role, access, o->v - GCN_ACC, o->kind.n);
	else if (o->v >= 256)
		add_vector(e, role, access, in, o);
	else
		add_scalar(t, e, role, access, o->v, o->kind.n);
}

static void
add_implicit(const struct gcn_target *t, struct gcn_effect *e, unsigned reads, unsigned writes)
{
	for (unsigned x = 0; x < GCN_N_SPECIAL; x++) {
		unsigned access =
			(reads >> x & 1 ? GCN_READ : 0u) | (writes >> x & 1 ? GCN_WRITE : 0u);
		if (access)
			add_special(t, e, x, ROLE_IMPLICIT, access);
	}
}

/* Returns whether a vector register is written: a load or a returning atomic. */
static bool
returns(const struct gcn_effect *e)
{
	for (unsigned i = 0; i < e->n_range; i++) {
		if ((e->range[i].access & GCN_WRITE) &&
		    (e->range[i].file == FILE_V || e->range[i].file == FILE_A))
			return true;
	}
	return false;
}

static void
find_events(struct gcn_effect *e, bool gds)
{
	if (e->flags & E(UNCOUNTED))
		return;
	switch (e->class) {
	case CL_VMEM:
	case CL_FLAT:
		if (returns(e) || (e->flags & E(LDS_DMA)) ||
		    (e->flags & (E(LOAD) | E(CACHE))) == (E(LOAD) | E(CACHE)))
			e->events |= 1 << EV_LOAD;
		else if (!(e->flags & E(CACHE)) || (e->flags & E(STORE)))
			e->events |= 1 << EV_STORE;
		if (e->class == CL_FLAT)
			e->events |= 1 << EV_DS;
		break;
	case CL_DS:
		e->events |= 1 << EV_DS;
		if (gds)
			e->events |= 1 << EV_EXP;
		break;
	case CL_SMEM: e->events |= 1 << EV_KM; break;
	case CL_EXPORT: e->events |= 1 << EV_EXP; break;
	default:
		if (e->flags & E(LGKM))
			e->events |= 1 << EV_KM;
		break;
	}
}

void
gcn_effect_of(const struct gcn_target *t, const struct gcn_insn *in, struct gcn_effect *out)
{
	const struct gcn_row *r = &gcn_rows[in->row];
	struct gcn_props p = gcn_props_of(in->row);
	const struct gcn_row *second = gcn_second_row(t, in);
	struct gcn_props y =
		second ? gcn_props_of((unsigned)(second - gcn_rows)) : (struct gcn_props){ 0 };
	bool floats = p.flags & E(MODE), data = false, gds;
	struct gcn_view o;

	*out = (struct gcn_effect){ .class = p.class, .flags = p.flags };
	for (unsigned i = 0; gcn_operand_view(t, in, i, &o); i++) {
		if (o.field == GCN_F_Y_VDST)
			out->flags = y.flags;
		add_operand(t, in, &o,
			    o.field == GCN_F_NONE && i == 1 && r->format == GCN_VOP2, out);
		floats |= gcn_is_float(o.kind.type);
		data |= o.field == GCN_F_DATA0;
	}
	out->flags = p.flags | y.flags;
	p.reads |= y.reads;
	if ((gcn_row_mods(r) & M_CMPX) || (r->format == GCN_VOPC && gcn_shapes[r->shape].n_op == 2))
		p.writes |= R(EXEC); /* v_cmpx of gfx10 and later has no other destination */
	gds = (r->format == GCN_DS && in->field[GCN_F_GDS]) || (p.flags & E(GDS));
	if (in->field[GCN_F_LDS])
		out->flags |= E(LDS_DMA);
	if (gds || (out->flags & E(LDS_DMA)) || (p.flags & (E(ADDTID) | E(REL_SRC) | E(REL_DST))))
		p.reads |= R(M0);
	if (p.class == CL_MATRIX || ((p.class == CL_VALU || p.class == CL_SALU) && floats))
		p.reads |= R(MODE);
	if (r->format == GCN_DS && !(p.flags & (E(LOAD) | E(STORE) | E(CACHE))))
		out->flags |= (returns(out) ? E(LOAD) : 0) | (data ? E(STORE) : 0);
	if (gds)
		out->flags |= E(GDS);
	add_implicit(t, out, p.reads, p.writes);
	find_events(out, gds);
}
