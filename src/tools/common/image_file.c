/* Writes images as files. AMD code is wrapped in a code object; other code is written
 * unchanged. */
#include "image_file.h"

#include "hsa.h"
#include "tool.h"

void
image_file(const struct image_parts *p, struct buf *out)
{
	struct isa_object object;
	struct target t;
	struct qd_error e;

	if (p->kind != CODE_AMD) {
		buf_put(out, p->code, p->code_size);
		return;
	}
	if (isa_target(p->target, &t, &e))
		tool_fail(&e);
	struct hsa_kernel k = { p->code, p->code_size, p->meta, p->layout, p->target };
	t.isa->object(&t, &object);
	if (hsa_write(out, &object, &k, 1, &e))
		tool_fail(&e);
}
