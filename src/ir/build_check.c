/* Builder calls: assertions and prints. */
#include "build_call.h"

void
qd_assert(struct qd_builder *b, struct qd_val cond, const char *why)
{
	struct ins ins = { .op = OP_ASSERT };

	if (!build_enter(b, "qd_assert"))
		return;
	ins.a = build_truth(b, cond).id;
	if (!why || !*why)
		FAIL(b, DIAG_E0325, "assert");
	else if (build_text(b, why, &ins.x))
		build_push(b, ins);
}

void
qd_print(struct qd_builder *b, const char *text, const struct qd_val *values, uint32_t n)
{
	struct ins ins = { .op = OP_PRINT };

	if (!build_enter(b, "qd_print"))
		return;
	if (!text || (n && !values)) {
		FAIL(b, DIAG_E0354, text ? "the list of values" : "the text");
		return;
	}
	if (n > MAX_PRINT) {
		FAIL(b, DIAG_E0371, MAX_PRINT);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		if (!build_operand(b, values[i], TM_ALL))
			return;
	ins.a = build_list(b, values, n).id;
	if (build_text(b, text, &ins.x))
		build_push(b, ins);
}
