/* Selection among the entries of a kernel. Back ends compare their own targets (isa->runs);
 * this file checks sizes and limits, which all targets share. */
#include "select.h"

#include <stdlib.h>

/* -- One entry ----------------------------------------------------------------------------- */

enum { SIZE_FITS = ISA_NEAR, STEP = 2 * ISA_NEAR };

static void QD_PRINTF(2, 3)
reject(struct select_row *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(r->why, sizeof r->why, fmt, ap);
	va_end(ap);
	r->rank = 0;
	r->step = SELECT_REJECTED;
}

static const char *
sizes_text(uint32_t sizes, char text[64])
{
	size_t n = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i <= MAX_LOG2; i++) {
		if (sizes >> i & 1)
			n += (size_t)snprintf(text + n, 64 - n, "%s%u", n ? ", " : "", 1u << i);
	}
	return text;
}

/* Checks the entry's subgroup size against the hardware's and the requested one. */
static bool
size_fits(const struct select_device *dev, const struct target *t, const struct fatbin_row *row,
	  struct select_row *r)
{
	char text[64];

	if (!(dev->sizes >> t->m.log2_lanes & 1)) {
		reject(r, "it is for subgroups of %u; the device has %s", t->m.lanes,
		       sizes_text(dev->sizes, text));
		return false;
	}
	if (dev->size_asked && !(row->flags & FATBIN_SIZE_DEMANDED) &&
	    row->subgroup_size != dev->target->m.subgroup_size) {
		reject(r, "it is for subgroups of %u; the device was opened for %u",
		       row->subgroup_size, dev->target->m.subgroup_size);
		return false;
	}
	return true;
}

static bool
limits_fit(const struct select_device *dev, const struct target *t, const struct fatbin_row *row,
	   struct select_row *r)
{
	const struct machine *m = &dev->target->m;
	uint32_t threads = machine_max_block(m, t->m.lanes, t->m.subgroup_size);

	if (row->local_size > threads)
		reject(r, "its blocks have %u threads; the device supports %u", row->local_size,
		       threads);
	else if (row->shared_size > m->max_shared)
		reject(r, "it needs %u bytes of shared memory; the device has %u", row->shared_size,
		       m->max_shared);
	else if (row->args_size > m->inline_args)
		reject(r, "its launches pass %u bytes of arguments; the device supports %u",
		       row->args_size, m->inline_args);
	else
		return true;
	return false;
}

/* Returns true for Tegra processors: they run only machine code for the same processor, and no
 * other processor runs theirs. */
static bool
is_tegra(uint32_t sm)
{
	return sm == 53 || sm == 62 || sm == 72 || sm == 87 || sm == 110;
}

/* Checks that NVIDIA machine code runs on the device: on processors with the same major number
 * and an equal or greater minor number. */
static bool
cubin_fits(const struct target *device, const struct target *code, struct select_row *r)
{
	bool family = device->arch / 10 == code->arch / 10 && device->arch > code->arch &&
		      !is_tegra(device->arch) && !is_tegra(code->arch);

	if (device->arch == code->arch || family) {
		r->step = device->arch == code->arch ? SELECT_EXACT : SELECT_COMPATIBLE;
		return true;
	}
	reject(r, "it is machine code for sm_%u; the device is sm_%u", code->arch, device->arch);
	return false;
}

static void
check_code(const struct select_device *dev, const struct fatbin_place *at, struct select_row *r)
{
	const struct isa *isa = dev->target->isa;
	struct target t;
	struct qd_error why;
	char text[ISA_WHY];
	uint32_t near = 0;

	if (isa_target(at->target, &t, &why) != QD_OK) {
		reject(r, "this library does not support the target");
		return;
	}
	if (t.isa != isa) {
		r->foreign = 1;
		reject(r, "it is code of '%s', and the device %s '%s'", t.isa->name,
		       isa->runs_ir ? "is" : "takes", isa->name);
		return;
	}
	if (at->row.kind != isa->code && !(at->row.kind == CODE_CUBIN && isa->code == CODE_PTX)) {
		reject(r, "its kind of code does not match its target, %s",
		       code_kind_name(at->row.kind));
		return;
	}
	r->step = at->row.kind == CODE_AMD ? SELECT_EXACT : SELECT_PORTABLE;
	if (at->row.kind == CODE_CUBIN && !cubin_fits(dev->target, &t, r))
		return;
	if (!isa->runs(dev->target, &t, at->row.needs, &near, text)) {
		reject(r, "%s", text);
		return;
	}
	if (t.m.facts && dev->no_facts) {
		reject(r, "it relies on launch facts, which the context excludes");
		return;
	}
	if (!size_fits(dev, &t, &at->row, r) || !limits_fit(dev, &t, &at->row, r))
		return;
	near = 2 * near + t.m.facts;
	bool same = at->row.subgroup_size == dev->target->m.subgroup_size;
	r->rank = (uint32_t)r->step * STEP + (same ? SIZE_FITS : 0) +
		  (near < ISA_NEAR ? near : ISA_NEAR - 1);
}

static void
check_ir(const struct select_device *dev, struct select_row *r)
{
	if (!dev->jit && !dev->target->isa->runs_ir) {
		reject(r, "QD_JIT=0 forbids compilation");
		return;
	}
	r->step = SELECT_IR;
	r->rank = SELECT_IR * STEP;
}

static bool
is_asked_for(const struct select_device *dev, const struct fatbin_place *at)
{
	size_t front = strlen(fatbin_target_front(at));
	struct target want;

	if (!*dev->only)
		return true;
	if (at->row.kind == CODE_CUBIN)
		return strncmp(dev->only, fatbin_target_front(at), front) == 0 &&
		       strcmp(dev->only + front, fatbin_target_rest(at)) == 0;
	if (strcmp(dev->only, at->target) == 0)
		return true;
	return isa_target(dev->only, &want, QD_IGNORE_ERROR) == QD_OK && strcmp(want.m.name, at->target) == 0;
}

static void
check_row(const struct select_device *dev, const struct fatbin_place *at, struct select_row *r)
{
	if (!is_asked_for(dev, at)) {
		r->foreign = 2;
		reject(r, "QD_TARGET requests '%s'", dev->only);
	} else if (at->row.kind == CODE_IR) {
		check_ir(dev, r);
	} else if (!code_kind_known(at->row.kind)) {
		reject(r, "this library does not support its kind of code, %u", at->row.kind);
	} else {
		check_code(dev, at, r);
	}
}

/* -- All entries ------------------------------------------------------------------------------ */

static int
by_rank(const void *a, const void *b)
{
	const struct select_row *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? 1 : -1;
	if (x->foreign != y->foreign) /* messages list the closest entries first */
		return x->foreign > y->foreign ? 1 : -1;
	return x->row < y->row ? -1 : x->row > y->row;
}

qd_status
select_rows(const struct qd_fatbin *f, const struct select_device *dev, const uint32_t *rows,
	    uint32_t n, struct select_row *out, struct qd_error *err)
{
	struct target t;

	if (*dev->only && strcmp(dev->only, "qdir") != 0 && strncmp(dev->only, "cubin:", 6) != 0 &&
	    isa_target(dev->only, &t, err) != QD_OK)
		return qd_fail(err, QD_E_NOT_FOUND, "QD_TARGET='%.200s' is not a target",
			       dev->only);
	for (uint32_t i = 0; i < n; i++) {
		struct fatbin_place at;
		fatbin_at(f, rows[i], &at);
		out[i] = (struct select_row){ .row = rows[i] };
		check_row(dev, &at, &out[i]);
	}
	qsort(out, n, sizeof *out, by_rank);
	return QD_OK;
}

void
select_explain_device(const struct select_device *dev, struct buf *text)
{
	char sizes[64];

	buf_printf(text, "\n  device: %s, target %s, subgroups of %s", dev->name, dev->target->m.name,
		   sizes_text(dev->sizes, sizes));
}

void
select_explain(const struct qd_fatbin *f, const struct select_row *rows, uint32_t n, struct buf *text)
{
	for (uint32_t i = 0; i < n; i++) {
		struct fatbin_place at;
		bool repeated = false;
		for (uint32_t j = 0; j < i && !repeated; j++)
			repeated = strcmp(rows[j].why, rows[i].why) == 0;
		if (repeated)
			continue;
		buf_put(text, "\n  ", 3);
		for (uint32_t j = i, first = 1; j < n; j++) {
			if (strcmp(rows[j].why, rows[i].why) != 0)
				continue;
			fatbin_at(f, rows[j].row, &at);
			buf_printf(text, "%s%s%s", first ? "" : ", ",
				   fatbin_target_front(&at), fatbin_target_rest(&at));
			first = 0;
		}
		buf_printf(text, ": %s", rows[i].why);
	}
}
