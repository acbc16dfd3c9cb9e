/* The families; families.c lists them in order. */
#ifndef QD_TESTS_TABLES_H
#define QD_TESTS_TABLES_H

#include "cases.h"

enum {
	T_I32 = 1 << QD_TYPE_I32 | 1 << QD_TYPE_U32,
	T_I64 = 1 << QD_TYPE_I64 | 1 << QD_TYPE_U64,
	T_INT = T_I32 | T_I64,
	T_FLT = 1 << QD_TYPE_F32 | 1 << QD_TYPE_F64,
	T_ALL = T_INT | T_FLT,
	T_SMALL = 1 << QD_TYPE_I8 | 1 << QD_TYPE_U8 | 1 << QD_TYPE_I16 | 1 << QD_TYPE_U16 |
		  1 << QD_TYPE_F16 | 1 << QD_TYPE_BF16
};

/* reduce.c: variants of a row with _tiled. Variant n has log2_size n; the last one is the form
 * without a tile. */
uint32_t tile_variants(const struct suite *t, qd_type type);
uint32_t tile_log2(const struct suite *t, uint32_t variant);
void tile_label(const struct suite *t, qd_type type, uint32_t variant, char *s, size_t size);

extern const struct family family_place, family_shuffle, family_ballot, family_reduce,
	family_scan, family_vote, family_operator, family_scalar, family_corner, family_divisor, family_approx, family_cast, family_storage, family_canonical_order,
	family_control, family_grid, family_tuple, family_atomic, family_order, family_flow, family_copy, family_table, family_wide,
	family_program;
extern const struct family family_segmented, family_sort, family_block, family_nvvm;

#endif
