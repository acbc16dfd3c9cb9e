/* Arrays of the rows in spv.def and spv_enum.def, and binary searches. */
#include "spv.h"

const struct spv_op_row spv_ops[] = {
#define SPV(name, number, operands) { #name, operands, number },
#include "spv.def"
};
const uint32_t spv_n_ops = QD_COUNT(spv_ops);

const struct spv_value_row spv_values[] = {
#define SPVE(kind, name, value, params) { #name, params, value, SPV_KIND_##kind },
#include "spv_enum.def"
};
const uint32_t spv_n_values = QD_COUNT(spv_values);

const struct spv_kind_row spv_kinds[N_SPV_KIND] = {
#define SPVK(kind, letter, mask) [SPV_KIND_##kind] = { letter, mask },
#include "spv_enum.def"
};

const struct spv_op_row *
spv_find_op(uint32_t number)
{
	uint32_t lo = 0, hi = spv_n_ops;

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;
		if (spv_ops[mid].number < number)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < spv_n_ops && spv_ops[lo].number == number ? &spv_ops[lo] : NULL;
}

const struct spv_value_row *
spv_find_value(enum spv_kind kind, uint32_t value)
{
	uint32_t lo = 0, hi = spv_n_values;

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;
		const struct spv_value_row *row = &spv_values[mid];
		if (row->kind < kind || (row->kind == kind && row->value < value))
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == spv_n_values || spv_values[lo].kind != kind || spv_values[lo].value != value)
		return NULL;
	return &spv_values[lo];
}
