/* Floats of 16 bits. */
#ifndef EMU_PTX_HALF_H
#define EMU_PTX_HALF_H

#include "decode.h"

struct half_format {
	uint8_t exponent, fraction;
};
extern const struct half_format half_f16, half_bf16;

double half_value(struct half_format f, uint16_t bits);
/* Rounds once; a NaN is 7fff. */
uint16_t half_round(struct half_format f, double v, enum rounding how);
/* The sum, rounded to odd, so that rounding it again equals rounding once. */
double sum_to_odd(double a, double b);
double int_to_odd(uint64_t magnitude, bool minus);

#endif
