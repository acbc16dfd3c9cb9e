/* The list of unit tables. */
#include "tables.h"

#define DECLARE(name)                                                                              \
	extern const struct unit units_##name[];                                                   \
	extern const unsigned n_units_##name;
UNIT_TABLES(DECLARE)

#define ROW(name) { #name, units_##name, &n_units_##name },
const struct unit_table unit_tables[] = { UNIT_TABLES(ROW) };
const unsigned n_unit_tables = sizeof unit_tables / sizeof unit_tables[0];
