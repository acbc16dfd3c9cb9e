/* Device features that a module uses: bits of isa_meta.needs. The emitter sets the bits, and the
 * driver queries the device for each. Files store them: a bit never changes its meaning. */
#ifndef QD_ISA_SPIRV_NEED_H
#define QD_ISA_SPIRV_NEED_H

enum spv_need {
	SPV_NEED_I64 = 1,
	SPV_NEED_F64 = 2,
	SPV_NEED_STORE8 = 4,	 /* 8-bit elements in memory */
	SPV_NEED_STORE16 = 8,
	SPV_NEED_SUBGROUP = 16,	 /* lane numbers */
	SPV_NEED_SHUFFLE = 32,
	SPV_NEED_BALLOT = 64,	 /* ballot, broadcast */
	SPV_NEED_ARITHMETIC = 128, /* reductions and scans */
	SPV_NEED_CROSS64 = 256,	 /* any of these on 64-bit values */
	SPV_NEED_I8 = 512,	 /* 8-bit integers; set together with STORE8 */
	SPV_NEED_I16 = 1024,	 /* 16-bit integers; set together with STORE16 */
	SPV_NEED_CLUSTERED = 2048, /* reductions of tiles */
	/* Float controls for 32 and 64 bits: signed zeros, infinities and NaN are preserved;
	 * subnormals are preserved; results are rounded to nearest even. */
	SPV_NEED_ZEROS32 = 1 << 12,
	SPV_NEED_ZEROS64 = 1 << 13,
	SPV_NEED_DENORM32 = 1 << 14,
	SPV_NEED_DENORM64 = 1 << 15,
	SPV_NEED_RTE32 = 1 << 16,
	SPV_NEED_RTE64 = 1 << 17,
	SPV_NEED_UNIFORM_FLOW = 1 << 18, /* a subgroup reconverges after uniform control flow */
	SPV_NEED_ATOMIC64 = 1 << 19, /* 64-bit atomics on buffers */
	SPV_NEED_SHARED64 = 1 << 20, /* 64-bit atomics on shared arrays; set with ATOMIC64 */
	SPV_NEED_HALF = 1 << 21 /* all three float controls for 16 bits, which apply to conversions */
};

#endif
