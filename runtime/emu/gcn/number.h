/* Float inputs and results of operations, in the wave's float mode: subnormals, output modifiers
 * and clamps. A 16-bit float is computed as a double, and rounded once to the nearest. */
#ifndef EMU_AMD_NUMBER_H
#define EMU_AMD_NUMBER_H

#include "base.h"
#include "ops.h"

#include <math.h>

/* Bits of the mode. A clear bit flushes subnormals: inputs and results of 32 bits, and those of
 * 16 and 64 bits. */
enum { MODE_IN32 = 0x10, MODE_OUT32 = 0x20, MODE_IN = 0x40, MODE_OUT = 0x80, MODE_CLAMP_NAN = 0x100 };

/* Values of the half, and the nearest half; or the next one toward zero. */
double amd_half(uint64_t bits);
uint16_t amd_half_bits(double v, bool toward_zero);

static inline double
flushed(double v, double least)
{
	return fabs(v) < least ? copysign(0.0, v) : v;
}
static inline float
flushed32(float v)
{
	return fabsf(v) < 0x1p-126f ? copysignf(0.0f, v) : v;
}

static inline float
amd_in32(const struct op *o, unsigned k)
{
	float v = f32_of(o->s[k]);

	return QD_UNLIKELY(!(o->mode & MODE_IN32)) ? flushed32(v) : v;
}
static inline double
amd_in64(const struct op *o, unsigned k)
{
	double v = f64_of(o->s[k]);

	return QD_UNLIKELY(!(o->mode & MODE_IN)) ? flushed(v, 0x1p-1022) : v;
}
static inline double
amd_in16(const struct op *o, unsigned k)
{
	double v = amd_half(o->s[k]);

	return QD_UNLIKELY(!(o->mode & MODE_IN)) ? flushed(v, 0x1p-14) : v;
}

/* Set the result. */
void amd_out32_modified(struct op *o, float v);
void amd_out64_modified(struct op *o, double v);
void amd_out16(struct op *o, double v);
static inline void
amd_out32(struct op *o, float v)
{
	if (QD_UNLIKELY(o->clamp || o->omod || !(o->mode & MODE_OUT32)))
		amd_out32_modified(o, v);
	else
		o->d = f32_bits(v);
}
static inline void
amd_out64(struct op *o, double v)
{
	if (QD_UNLIKELY(o->clamp || o->omod || !(o->mode & MODE_OUT)))
		amd_out64_modified(o, v);
	else
		o->d = f64_bits(v);
}

#endif
