/* The list of families, in the order in which they run. */
#include "family.h"

const struct family *const families[] = {
	&family_place, &family_shuffle, &family_ballot, &family_vote, &family_reduce, &family_scan,
	&family_segmented, &family_sort, &family_block, &family_nvvm,
	&family_operator, &family_tuple, &family_canonical_order, &family_scalar, &family_corner, &family_divisor, &family_approx,
	&family_cast, &family_storage, &family_control, &family_grid, &family_atomic, &family_order, &family_flow, &family_copy, &family_table, &family_wide,
	&family_program,
};
const uint32_t n_families = sizeof families / sizeof families[0];
