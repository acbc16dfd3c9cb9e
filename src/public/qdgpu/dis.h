/* dis.h: text of GPU code, and checks of AMD code.
 *
 * These calls are in a separate library, libqdgpu-dis (pkg-config and meson: qdgpu-dis;
 * CMake: qdgpu::dis). It does not need a device, a context, or libqdgpu.
 * docs/disassembler.md introduces it with a complete program.
 *
 * Code. `target` is a target as qd_image_target returns it: "spirv", "ptx:sm_80", "gfx1100",
 * "gfx1100:w64". Only the kind of code, the AMD processor and the wave size matter; limits and
 * features are accepted. `code` is an image of that target (qd_image_data). An AMD image begins
 * with a kernel descriptor, which contains the offset of the first instruction. With
 * QD_DIS_WORDS, `code` is AMD instructions alone. `code` needs no alignment, and it is not used
 * after the call. Any bytes are safe to pass.
 *
 * Errors. Every call that can fail returns a qd_status and fills err, as in qd.h; err may be NULL
 * and belongs to the caller. qd_last_error does not return these errors. Every call may fail with
 *
 *	QD_E_NOT_FOUND  no target has this name
 *	QD_E_TARGET     code of this target cannot be disassembled, or cannot be checked
 *	QD_E_INVALID    an argument is NULL, an option of the target is invalid, the code is truncated
 *	                or malformed; the text names the offset
 *	QD_E_LIMIT      the code is too large for the call
 *	QD_E_NOMEM      out of memory
 *
 * Threads. Any thread may call any function at any time. */
#ifndef QD_DIS_H
#define QD_DIS_H

#include <stddef.h>
#include <stdint.h>

#include "qd.h"

#ifdef __cplusplus
extern "C" {
#endif

enum qd_dis_flag {
	QD_DIS_WORDS = 1 /* AMD: the code has no kernel descriptor and begins with an instruction */
};

/* Disassembles code to the text that the target's standard assembler reads: llvm-mc for AMD,
 * spirv-as for SPIR-V, ptxas for PTX, whose code is text already. AMD words that are not an
 * instruction become lines with `.long`. SPIR-V words of unknown instructions become lines with
 * `!0x`; a malformed module fails.
 *
 * *text is NUL-terminated and belongs to the caller, who releases it with free(). *len is its
 * length without the NUL; len may be NULL. On failure *text is NULL. */
QD_API qd_status qd_dis_text(const char *target, uint32_t flags, const void *code, size_t size,
			     char **text, size_t *len, struct qd_error *err);

/* Kinds of findings. */
enum qd_dis_kind {
	QD_DIS_NO_INSTRUCTION = 1, /* an executed word that is not an instruction */
	QD_DIS_CONTROL_FLOW = 2,   /* execution continues outside the code or inside an instruction */
	QD_DIS_HAZARD = 3,	   /* two instructions that need other instructions between them */
	QD_DIS_WAIT = 4		   /* a result is used before the instruction that waits for it */
};

struct qd_dis_finding {
	uint32_t kind;	   /* enum qd_dis_kind */
	size_t offset;	   /* of the instruction at fault, in bytes from the beginning of `code` */
	size_t earlier;	   /* of the earlier instruction that it depends on; offset if there is none */
	const char *rule;  /* QD_DIS_HAZARD: the rule's name (docs/amdgcn-hazards.md); else "" */
	const char *text;  /* description in one sentence, without the offset */
};

/* Checks AMD code for wrong instructions, hazards and missing waits, along all paths from the
 * first instruction. Calls `found` for each finding; the finding and its strings are valid during
 * the call only. QD_OK: the check is complete, whether or not there are findings. QD_E_TARGET:
 * the target is not an AMD target. QD_E_LIMIT: the code has more than 16384 basic blocks; its
 * hazards and waits were not checked. */
QD_API qd_status qd_dis_check(const char *target, uint32_t flags, const void *code, size_t size,
			      void (*found)(void *user, const struct qd_dis_finding *finding),
			      void *user, struct qd_error *err);

/* Disassembles an image of libqdgpu, as qd_dis_text does. */
static inline qd_status
qd_dis_image(const struct qd_image *image, char **text, size_t *len, struct qd_error *err)
{
	size_t size;
	const void *code = qd_image_data(image, &size);

	return qd_dis_text(qd_image_target(image), 0, code, size, text, len, err);
}

#ifdef __cplusplus
}
#endif

#endif
