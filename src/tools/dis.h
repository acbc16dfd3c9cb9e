/* What the files of qd-dis share: the command line, and one printer per kind of
 * input. */
#ifndef QD_TOOLS_DIS_H
#define QD_TOOLS_DIS_H

#include "value.h"

enum dis_style { DIS_QD, DIS_LLVM };
enum dis_view { DIS_TEXT, DIS_STATS, DIS_MIX, DIS_JSON, DIS_CFG, DIS_HAZARDS };

struct dis_request {
	const char *file, *kernel, *target, *output, *raw;
	struct tmpl_list tmpl;
	bool text, binary, force; /* neither text nor binary: --emit is not given */
	bool object; /* binary: of all kernels in one code object */
	enum dis_style style;
	enum dis_view view;
	uint32_t block; /* lanes of a work-group, to say the occupancy for; 0: not asked */
	bool no_addr, no_hex, no_meta, waits, live;
};

struct dis {
	struct dis_request *req;
	struct qd_context *ctx;
	struct tool_output out;
	const char *data; /* of the file */
	size_t size;
	uint32_t n_shown;
	struct buf images; /* of kernels for one object: struct qd_image * */
	bool whole; /* -k: some name matches as a whole, so parts do not count */
	enum tool_exit exit; /* what has been found in the code */
};

/* Names of C++ count as they are and as they were written.  Of all names of an object
 * first: does one match as a whole?  Then each. */
void dis_choose_begin(struct dis *s);
void dis_choose(struct dis *s, const char *name);
bool dis_wanted(const struct dis *s, const char *name);
/* Ends the program where there is no memory for it. */
void dis_write(struct dis *s, const struct buf *text);

/* Code as the back end's own disassembler has it. */
struct target;
void dis_code(struct dis *s, const struct target *t, const void *code, size_t size);

/* .qdk text and printed IR, shown as IR or as the code of a target. */
void dis_kernels(struct dis *s);

/* By what -o calls the file: shall code be written rather than shown?  And shall it be a
 * code object?  Then each kernel is added, and all are written. */
void dis_name_kind(struct dis_request *r);
void dis_object_add(struct dis *s, struct qd_image *img); /* takes the image */
void dis_object_write(struct dis *s);

/* AMD: code objects, bundles of them, programs that carry some, raw words. */
bool dis_is_gcn(const void *data, size_t size);
void dis_gcn(struct dis *s);

#endif
