/* Per-lane operations. Most are one row of a table; a few take more than one instruction. */
#include "emit.h"

/* -- The table --------------------------------------------------------------- */

/* Classes of leading types. */
enum { OTHER, ON_UNSIGNED, ON_SIGNED, ON_FLOAT, ON_BOOL, N_CLASS };
static const uint8_t class_of[N_TYPE] = {
	[QD_TYPE_BOOL] = ON_BOOL,
	[QD_TYPE_U32] = ON_UNSIGNED, [QD_TYPE_U64] = ON_UNSIGNED,
	[QD_TYPE_I32] = ON_SIGNED,   [QD_TYPE_I64] = ON_SIGNED,
	[QD_TYPE_F32] = ON_FLOAT,    [QD_TYPE_F64] = ON_FLOAT,
};

/* Instructions by class of the leading type; 0: not available. */
#define GLSL(name) (FORM_GLSL | SPV_Glsl_##name)

/* clang-format off */
static const uint16_t forms[N_OP][N_CLASS] = {
	/*		     other, unsigned		     signed		     float		bool */
	[OP_ADD]	= { 0, SPV_IAdd,		    SPV_IAdd,		    SPV_FAdd,		0 },
	[OP_SUB]	= { 0, SPV_ISub,		    SPV_ISub,		    SPV_FSub,		0 },
	[OP_MUL]	= { 0, SPV_IMul,		    SPV_IMul,		    SPV_FMul,		0 },
	[OP_DIV]	= { 0, SPV_UDiv,		    SPV_SDiv,		    SPV_FDiv,		0 },
	[OP_REM]	= { 0, SPV_UMod,		    SPV_SDiv,		    0,			0 },
	[OP_MIN]	= { 0, GLSL(UMin),		    GLSL(SMin),		    0,			0 },
	[OP_MAX]	= { 0, GLSL(UMax),		    GLSL(SMax),		    0,			0 },
	[OP_MULHI]	= { 0, SPV_UMulExtended,	    SPV_SMulExtended,	    0,			0 },
	[OP_NEG]	= { 0, SPV_SNegate,	    SPV_SNegate,	    0,			0 },
	[OP_ABS]	= { 0, SPV_CopyObject,	    GLSL(SMax),		    0,			0 },
	[OP_FMA]	= { 0, 0,			    0,			    GLSL(Fma),		0 },
	[OP_SQRT]	= { 0, 0,			    0,			    GLSL(Sqrt),		0 },
	[OP_FLOOR]	= { 0, 0,			    0,			    GLSL(Floor),	0 },
	[OP_CEIL]	= { 0, 0,			    0,			    GLSL(Ceil),		0 },
	[OP_TRUNC]	= { 0, 0,			    0,			    GLSL(Trunc),	0 },
	[OP_ROUND]	= { 0, 0,			    0,			    GLSL(RoundEven),	0 },
	[OP_EXP]	= { 0, 0,			    0,			    GLSL(Exp),		0 },
	[OP_LOG]	= { 0, 0,			    0,			    GLSL(Log),		0 },
	[OP_SIN]	= { 0, 0,			    0,			    GLSL(Sin),		0 },
	[OP_COS]	= { 0, 0,			    0,			    GLSL(Cos),		0 },
	[OP_POW]	= { 0, 0,			    0,			    GLSL(Pow),		0 },
	[OP_AND]	= { 0, SPV_BitwiseAnd,	    SPV_BitwiseAnd,	    0, SPV_LogicalAnd },
	[OP_OR]		= { 0, SPV_BitwiseOr,	    SPV_BitwiseOr,	    0, SPV_LogicalOr },
	[OP_XOR]	= { 0, SPV_BitwiseXor,	    SPV_BitwiseXor,	    0, SPV_LogicalNotEqual },
	[OP_NOT]	= { 0, SPV_Not,		    SPV_Not,		    0, SPV_LogicalNot },
	[OP_SHL]	= { 0, SPV_ShiftLeftLogical,   SPV_ShiftLeftLogical,   0,			0 },
	[OP_SHR]	= { 0, SPV_ShiftRightLogical,  SPV_ShiftRightArithmetic, 0,		0 },
	[OP_DOT4_I8]	= { 0, 0,			    SPV_SDot,		    0,			0 },
	[OP_DOT4_U8]	= { 0, SPV_UDot,		    0,			    0,			0 },
	[OP_DOT4_I8U8]	= { 0, 0,			    SPV_SUDot,		    0,			0 },
	[OP_POPCOUNT]	= { 0, SPV_BitCount,	    SPV_BitCount,	    0,			0 },
	[OP_CLZ]	= { 0, GLSL(FindUMsb),	    GLSL(FindUMsb),	    0,			0 },
	[OP_FFS]	= { 0, GLSL(FindILsb),	    GLSL(FindILsb),	    0,			0 },
	[OP_BREV]	= { 0, SPV_BitReverse,	    SPV_BitReverse,	    0,			0 },
	[OP_EQ]		= { 0, SPV_IEqual,		    SPV_IEqual,		    SPV_FOrdEqual, SPV_LogicalEqual },
	[OP_NE]		= { 0, SPV_INotEqual,	    SPV_INotEqual, SPV_FUnordNotEqual, SPV_LogicalNotEqual },
	[OP_LT]		= { 0, SPV_ULessThan,	    SPV_SLessThan,	    SPV_FOrdLessThan,	0 },
	[OP_LE]		= { 0, SPV_ULessThanEqual,	    SPV_SLessThanEqual,	    SPV_FOrdLessThanEqual, 0 },
	[OP_SELECT]	= { 0, SPV_Select,		    SPV_Select,		    SPV_Select, SPV_Select },
	/* conversion() handles different classes */
	[OP_CVT]	= { 0, SPV_UConvert,	    SPV_SConvert,	    SPV_FConvert,	0 },
	[OP_BITCAST]	= { 0, SPV_Bitcast,	    SPV_Bitcast,	    SPV_Bitcast,	0 },
	[OP_WIDEN_F16]	= { 0, GLSL(UnpackHalf2x16),	    0,			    0,			0 },
	[OP_NARROW_F16]	= { 0, 0,			    0,			    GLSL(PackHalf2x16),	0 },
	[OP_LO]		= { 0, SPV_CompositeExtract,   SPV_CompositeExtract,   SPV_CompositeExtract, 0 },
	[OP_HI]		= { 0, SPV_CompositeExtract,   SPV_CompositeExtract,   SPV_CompositeExtract, 0 },
	[OP_PAIR]	= { 0, SPV_CompositeConstruct, SPV_CompositeConstruct, SPV_CompositeConstruct, 0 },
};
/* clang-format on */

/* Not valid for 64-bit types, although some drivers accept a few of them. */
static const bool only_32[N_OP] = {
	[OP_MULHI] = true, [OP_POPCOUNT] = true, [OP_CLZ] = true,
	[OP_FFS] = true,   [OP_BREV] = true,	 [OP_EXP] = true, [OP_LOG] = true,
	[OP_SIN] = true,   [OP_COS] = true,	 [OP_POW] = true,
};

uint32_t
spv_form(enum op op, qd_type type)
{
	return only_32[op] && type_is_64(type) ? 0 : forms[op][class_of[type]];
}

/* -- Conversions ----------------------------------------------------------------- */

static uint32_t
conversion(qd_type from, qd_type to)
{
	if (type_info[from].is_float) {
		if (type_info[to].is_float)
			return from == to ? 0 : SPV_FConvert;
		return type_info[to].is_signed ? SPV_ConvertFToS : SPV_ConvertFToU;
	}
	if (type_info[to].is_float)
		return type_info[from].is_signed ? SPV_ConvertSToF : SPV_ConvertUToF;
	if (type_info[from].size == type_info[to].size)
		return 0;
	return type_info[from].is_signed ? SPV_SConvert : SPV_UConvert;
}

/* Emits a conversion. op 0: the value does not change. */
static void
convert(struct emitter *e, uint32_t i, uint32_t op)
{
	const struct ins *ins = &e->ir->ins[i];

	if (!op) {
		e->id[i] = e->id[ins->a];
		return;
	}
	uint32_t type = type_id(e, ins->type);
	PUT_OP(&e->m.body, (enum spv_op)op, type, e->id[i] = module_id(&e->m), e->id[ins->a]);
}

/* -- Emission ------------------------------------------------------------------------ */

static uint32_t
put1(struct emitter *e, enum spv_op op, uint32_t type, uint32_t a)
{
	uint32_t id = module_id(&e->m);
	PUT_OP(&e->m.body, op, type, id, a);
	return id;
}

static uint32_t
put2(struct emitter *e, enum spv_op op, uint32_t type, uint32_t a, uint32_t b)
{
	uint32_t id = module_id(&e->m);
	PUT_OP(&e->m.body, op, type, id, a, b);
	return id;
}

/* Returns component 0 of a composite. */
static uint32_t
put1_component(struct emitter *e, uint32_t type, uint32_t composite)
{
	uint32_t id = module_id(&e->m);
	PUT(&e->m.body, CompositeExtract, type, id, composite, 0);
	return id;
}

static uint32_t
put_glsl1(struct emitter *e, uint32_t number, uint32_t type, uint32_t a)
{
	uint32_t id = module_id(&e->m);
	PUT(&e->m.body, ExtInst, type, id, module_glsl(&e->m), number, a);
	return id;
}

static uint32_t
put_glsl2(struct emitter *e, uint32_t number, uint32_t type, uint32_t a, uint32_t b)
{
	uint32_t id = module_id(&e->m);
	PUT(&e->m.body, ExtInst, type, id, module_glsl(&e->m), number, a, b);
	return id;
}

/* Returns true for a comparison of a float with zero on a device that may flush subnormals. Such a
 * device treats a subnormal as a zero. */
static bool
is_flushed_test(const struct emitter *e, const struct ins *s, qd_type from)
{
	const struct ins *zero = &e->ir->ins[s->b];
	uint32_t keeps = 1u << (FEATURE_MODES + (type_is_64(from) ? MODE_DENORM64 : MODE_DENORM32));

	if (!type_info[from].is_float || (e->machine->features & keeps) || zero->op != OP_CONST)
		return false;
	if (type_is_64(from))
		return !zero->a && !(zero->b << 1) && (e->machine->caps & CAP_I64);
	return !(zero->a << 1);
}

/* Compares the bits without the sign, which a shift removes, with zero. */
static uint32_t
put_zero_test(struct emitter *e, enum spv_op op, enum spv_type bits, uint32_t type, uint32_t a)
{
	uint32_t word = module_type(&e->m, bits), v = put1(e, SPV_Bitcast, word, a);

	v = put2(e, SPV_ShiftLeftLogical, word, v, module_u32(&e->m, 1));
	return put2(e, op, type, v, module_const(&e->m, bits, 0));
}

static uint32_t
put_dot(struct emitter *e, enum spv_op op, uint32_t type, uint32_t a, uint32_t b)
{
	uint32_t id = module_id(&e->m);

	module_cap(&e->m, CAPABILITY_DOT);
	module_cap(&e->m, CAPABILITY_DOT_BYTES);
	PUT_OP(&e->m.body, op, type, id, a, b, SPV_PackedVectorFormat_PackedVectorFormat4x8Bit);
	return id;
}

/* Emits an operation that takes several instructions, or none. Returns false for any other. */
static bool
emit_special(struct emitter *e, uint32_t i, uint32_t form, uint32_t type)
{
	const struct ins *ins = &e->ir->ins[i];
	qd_type from = ir_lead_type(e->ir, ins);
	uint32_t a = e->id[ins->a], v;

	switch (ins->op) {
	case OP_CVT: convert(e, i, conversion(from, ins->type)); return true;
	case OP_BITCAST:
		convert(e, i, spv_value_type(from) == spv_value_type(ins->type) ? 0 : form);
		return true;
	case OP_LO:
	case OP_HI:
		v = put1(e, SPV_Bitcast, module_type(&e->m, T_UVEC2), a);
		v = spv_component(e, v, ins->op == OP_HI);
		break;
	case OP_PAIR:
		v = put2(e, (enum spv_op)form, module_type(&e->m, T_UVEC2), a, e->id[ins->b]);
		v = put1(e, SPV_Bitcast, type, v);
		break;
	case OP_WIDEN_F16:
		v = put_glsl1(e, form & ~(uint32_t)FORM_GLSL, module_type(&e->m, T_FVEC2), a);
		v = put1_component(e, type, v);
		break;
	case OP_NARROW_F16:
		v = module_const(&e->m, T_F32, 0);
		v = put2(e, SPV_CompositeConstruct, module_type(&e->m, T_FVEC2), a, v);
		v = put_glsl1(e, form & ~(uint32_t)FORM_GLSL, type, v);
		break;
	case OP_REM:
		if (!type_info[from].is_signed)
			return false;
		/* Vulkan leaves the remainder of negative operands undefined. */
		v = put2(e, SPV_SDiv, type, a, e->id[ins->b]);
		v = put2(e, SPV_IMul, type, v, e->id[ins->b]);
		v = put2(e, SPV_ISub, type, a, v);
		break;
	case OP_MULHI:
		v = put2(e, (enum spv_op)form, module_type(&e->m, T_PAIR), a, e->id[ins->b]);
		v = spv_component(e, v, 1);
		break;
	case OP_ABS:
		v = a;
		if (!type_info[from].is_signed)
			break;
		v = put1(e, SPV_SNegate, type, a);
		v = put_glsl2(e, form & ~(uint32_t)FORM_GLSL, type, a, v);
		break;
	case OP_EQ:
	case OP_NE:
		if (!is_flushed_test(e, ins, from))
			return false;
		v = put_zero_test(e, ins->op == OP_EQ ? SPV_IEqual : SPV_INotEqual,
				  type_is_64(from) ? T_U64 : T_U32, type, a);
		break;
	case OP_CLZ: /* FindUMsb: the highest bit, -1 if there is none */
		v = put_glsl1(e, form & ~(uint32_t)FORM_GLSL, type, a);
		v = put2(e, SPV_ISub, type, module_u32(&e->m, 31), v);
		break;
	case OP_DOT4_I8:
	case OP_DOT4_U8:
	case OP_DOT4_I8U8:
		v = put_dot(e, (enum spv_op)form, type, a, e->id[ins->b]);
		v = put2(e, SPV_IAdd, type, v, e->id[ins->c]);
		break;
	case OP_FFS: /* FindILsb: the lowest bit, -1 if there is none */
		v = put_glsl1(e, form & ~(uint32_t)FORM_GLSL, type, a);
		v = put2(e, SPV_IAdd, type, v, module_u32(&e->m, 1));
		break;
	default: return false;
	}
	e->id[i] = v;
	return true;
}

/* Appends an instruction: length and number, type and id of the result, operands. */
static uint32_t
put_plain(struct emitter *e, const struct ins *s, uint32_t form, uint32_t type, uint32_t n)
{
	uint32_t *at = e->m.body.at, id = module_id(&e->m);

	assert(e->m.body.end - at > 3 + 3);
	at[0] = (3 + n) << 16 | form;
	at[1] = type;
	at[2] = id;
	at[3] = e->id[s->a];
	at[4] = e->id[s->b];
	at[5] = e->id[s->c];
	e->m.body.at = at + 3 + n;
	return id;
}

static uint32_t
put_glsl(struct emitter *e, const struct ins *s, uint32_t number, uint32_t type, uint32_t n)
{
	uint32_t id = module_id(&e->m), set = module_glsl(&e->m);
	uint32_t operands[] = { type, id, set, number, e->id[s->a], e->id[s->b], e->id[s->c] };

	put_words(&e->m.body, SPV_ExtInst, operands, 4 + n);
	return id;
}

qd_status
spv_emit_alu(struct emitter *e, uint32_t i, struct qd_error *err)
{
	const struct ins *s = &e->ir->ins[i];
	qd_type lead = ir_lead_type(e->ir, s);
	uint32_t form = spv_form((enum op)s->op, lead), type, n;

	if (QD_UNLIKELY(!form))
		return spv_illegal(e, i, "the target has no such instruction", err);
	type = type_id(e, s->type);
	if (emit_special(e, i, form, type))
		return QD_OK;
	n = op_sig((enum op)s->op)->n_opnd;
	if (QD_UNLIKELY(form & FORM_GLSL))
		e->id[i] = put_glsl(e, s, form & ~(uint32_t)FORM_GLSL, type, n);
	else
		e->id[i] = put_plain(e, s, form, type, n);
	/* Prevents fused multiply-add, reassociation, and x - x = 0. */
	if (form == SPV_FAdd || form == SPV_FSub || form == SPV_FMul || form == SPV_FDiv)
		PUT(&e->m.anno, Decorate, e->id[i], SPV_Decoration_NoContraction);
	return QD_OK;
}
