/* Which subgroup size a kernel gets, and a target at that size. */
#include <stdio.h>

#include "jit.h"

static QD_COLD qd_status
no_size(const struct qd_kernel *k, uint32_t have, uint32_t sizes, const char *device,
	struct qd_error *err)
{
	char want[64] = "", got[64] = "";
	size_t n = 0;
	for (uint32_t i = 0; i < k->n_sizes; i++)
		n += (size_t)snprintf(want + n, sizeof want - n, "%s%u", i ? ", " : "",
				      1u << k->size_order[i]);
	n = 0;
	for (uint32_t i = 0; i <= MAX_LOG2; i++) {
		if (sizes >> i & 1 || have == 1u << i)
			n += (size_t)snprintf(got + n, sizeof got - n, "%s%u", n ? ", " : "",
					      1u << i);
	}
	char name[96];
	snprintf(name, sizeof name, "kernel '%.80s'", k->name);
	return diag_report(k->ctx, err, (struct diag_at){ .file = NULL }, name, NULL, DIAG_E0504,
			   want, device, got);
}

qd_status
jit_pick_size(const struct qd_kernel *k, uint32_t have, uint32_t sizes, const char *device,
	      uint32_t *out, struct qd_error *err)
{
	*out = have;
	if (k->n_sizes == 0)
		return QD_OK;
	for (uint32_t i = 0; i < k->n_sizes; i++) {
		if (have == 1u << k->size_order[i])
			return QD_OK;
	}
	for (uint32_t i = 0; i < k->n_sizes; i++) {
		if (sizes >> k->size_order[i] & 1) {
			*out = 1u << k->size_order[i];
			return QD_OK;
		}
	}
	return no_size(k, have, sizes, device, err);
}

qd_status
jit_sized_target(const struct target *t, uint32_t size, struct target *out, struct qd_error *err)
{
	*out = *t;
	if (size == t->m.subgroup_size)
		return QD_OK;
	/* The name with :wN in place of the size it had: name:option:... */
	char text[sizeof t->m.name + 8];
	size_t n = strcspn(t->m.name, ":");
	memcpy(text, t->m.name, n);
	n += (size_t)snprintf(text + n, sizeof text - n, ":w%u", size);
	for (const char *p = strchr(t->m.name, ':'); p; p = strchr(p + 1, ':')) {
		size_t len = 1 + strcspn(p + 1, ":");
		if (p[1] == 'w' && p[2] >= '0' && p[2] <= '9')
			continue;
		if (n + len >= sizeof text)
			return qd_fail(err, QD_E_INTERNAL, "target name '%s' is too long",
				       t->m.name);
		memcpy(text + n, p, len);
		n += len;
	}
	text[n] = '\0';
	/* What a driver has set beyond the text must survive. */
	struct target sized;
	QD_TRY(isa_target(text, &sized, err));
	out->m.subgroup_size = sized.m.subgroup_size;
	out->m.log2_size = sized.m.log2_size;
	memcpy(out->m.name, sized.m.name, sizeof out->m.name);
	return QD_OK;
}
