/* The test tables under Criterion: one Test per unit table, and one per family and device: suites
 * units, ref_4 to ref_128, and vulkan, whose driver the environment selects (driver.sh). --filter
 * selects tests. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "tables.h"
#include "watchdog.h"

/* -- Units -------------------------------------------------------------------------- */

static void
run_table(const char *name)
{
	static struct unit_ctx t;

	for (unsigned i = 0; i < n_unit_tables; i++) {
		if (strcmp(unit_tables[i].name, name) != 0)
			continue;
		for (unsigned n = 0; n < *unit_tables[i].n_units; n++) {
			const struct unit *u = &unit_tables[i].units[n];

			watchdog_unit(name, u->name);
			unit_run(u, &t);
			cr_expect(t.n_failed == 0, "%s/%s: %u of %u checks\n%s", name, u->name,
				  t.n_failed, t.n_checks, t.text);
			/* Criterion has no partly skipped tests; print it. */
			if (t.skipped)
				fprintf(stderr, "part skipped: %s/%s: %s\n", name, u->name, t.text);
			cr_expect(t.n_checks > 0 || t.skipped, "%s/%s: checked nothing", name,
				  u->name);
		}
		return;
	}
	cr_assert_fail("no unit table is named %s", name);
}

#define UNITS(name)                                                                                \
	Test(units, name)                                                                          \
	{                                                                                          \
		run_table(#name);                                                                  \
	}

/* clang-format off */
UNIT_TABLES(UNITS)
/* clang-format on */

/* -- Conformance ---------------------------------------------------------------------- */

static void
expect_family(const char *family, const char *selector)
{
	struct qd_context_desc desc = { .version = QD_VERSION };
	struct qd_context *ctx;
	struct qd_error err = { 0 };
	struct suite t;
	uint64_t cells;

	cr_assert(qd_context_create(&desc, &ctx, &err) == QD_OK, "%s", err.text);
	cr_assert(suite_open(&t, ctx, selector));
	t.some = getenv("QD_TEST_SOME") != NULL;
	for (unsigned i = 0; i < n_families; i++) {
		if (strcmp(families[i]->name, family) != 0)
			continue;
		cells = suite_count(&t, families[i]);
		watchdog_family(&t, family);
		suite_run(&t, families[i]);
		cr_expect(t.failed == 0 && !t.wrong, "%s on %s: %llu of %llu cells failed", family, selector,
			  (unsigned long long)t.failed, (unsigned long long)cells);
		cr_expect(t.passed + t.failed + t.skipped == cells,
			  "%s on %s: the tables have %llu cells", family, selector,
			  (unsigned long long)cells);
	}
	suite_close(&t);
	qd_context_free(ctx);
}

#define ON(family, suite, selector)                                                                \
	Test(suite, family)                                                                        \
	{                                                                                          \
		expect_family(#family, selector);                                                  \
	}
#define FAMILY(family)                                                                             \
	ON(family, ref_4, "ref:4")                                                                 \
	ON(family, ref_8, "ref:8")                                                                 \
	ON(family, ref_16, "ref:16")                                                               \
	ON(family, ref_32, "ref:32")                                                               \
	ON(family, ref_64, "ref:64")                                                               \
	ON(family, ref_128, "ref:128")                                                             \
	ON(family, emu_sm_70, "emu:sm_70")                                                         \
	ON(family, emu_sm_90, "emu:sm_90")                                                         \
	ON(family, vulkan, "vulkan")

/* clang-format off */
#define FAMILIES(X) \
	X(segmented) X(sort) X(nvvm) X(block) \
	X(place) X(shuffle) X(ballot) X(vote) X(reduce) X(scan) X(operator) X(tuple) \
	X(canonical_order) X(scalar) X(corner) X(divisor) X(approx) X(cast) X(storage) X(control) X(grid) X(atomic) X(order) X(flow) \
	X(copy) X(table) X(wide) X(program)
FAMILIES(FAMILY)
/* clang-format on */

Test(units, families)
{
#define NAME(family) #family,
	static const char *const listed[] = { FAMILIES(NAME) };

	cr_assert_eq(n_families, sizeof listed / sizeof *listed);
	for (unsigned i = 0; i < n_families; i++) {
		bool is_listed = false;

		for (size_t j = 0; j < sizeof listed / sizeof *listed; j++)
			is_listed = is_listed || strcmp(listed[j], families[i]->name) == 0;
		cr_expect(is_listed, "family %s is not run here", families[i]->name);
	}
}
