/* What the files of qd-dis share: the command line, and one printer per kind of
 * input. */
#ifndef QD_TOOLS_DIS_H
#define QD_TOOLS_DIS_H

#include "value.h"

enum dis_style { DIS_QD, DIS_LLVM };
enum dis_source { DIS_SOURCE_USUAL, DIS_SOURCE_ON, DIS_SOURCE_OFF };
enum dis_view { DIS_TEXT, DIS_STATS, DIS_MIX, DIS_JSON, DIS_CFG, DIS_HAZARDS };

struct dis_request {
	const char *file, *other, *kernel, *target, *output, *raw, *pm4;
	struct tmpl_list tmpl;
	bool text, binary, force; /* neither text nor binary: --emit is not given */
	bool object; /* binary: of all kernels in one code object */
	enum dis_style style;
	enum dis_view view;
	uint32_t block; /* lanes of a work-group, to say the occupancy for; 0: not asked */
	bool no_addr, no_hex, no_meta, waits, live, diff;
	enum dis_source source;
};

struct dis_parts;

struct dis {
	struct dis_request *req;
	struct qd_context *ctx;
	struct tool_output out;
	const char *data; /* of the file */
	size_t size;
	uint32_t n_shown, n_files; /* kernels and functions; objects and modules */
	bool from_text; /* what is shown was compiled from .qdk text */
	struct dis_parts *parts; /* of --diff: what is shown goes there; else NULL */
	const char *entry; /* of a fatbin: " (T=f32) for gfx1100", behind its parts' names; else NULL */
	struct arena sources;	 /* files whose lines are shown */
	struct dis_text *source;
	struct buf images; /* of kernels for one object: struct qd_image * */
	bool whole; /* -k: some name matches as a whole, so parts do not count */
	struct tool_names *others; /* -k: the names that do not match */
	enum tool_exit exit; /* what has been found in the code */
	uint32_t depth; /* of the metadata's value that is printed */
};

/* Names of C++ count as they are and as they were written.  Of all names of an object
 * first: does one match as a whole?  Then each. */
void dis_choose_begin(struct dis *s);
void dis_choose(struct dis *s, const char *name);
bool dis_wanted(const struct dis *s, const char *name);
/* Ends the program: the file, or the machine that is short of something, is why. */
TOOL_NORETURN QD_COLD void dis_die(const char *label, const struct qd_error *e);
/* Ends the program where there is no memory for it. */
void dis_write(struct dis *s, const struct buf *text);

/* Code as the back end's own disassembler has it. */
struct target;
void dis_code(struct dis *s, const struct target *t, const void *code, size_t size);

/* .qdk text and printed IR, shown as IR or as the code of a target. */
void dis_kernels(struct dis *s);
/* A kernel's IR as a part. */
void dis_part_kernel(struct dis *s, const struct qd_kernel *k);
/* Ends the program where a view is asked for of what has no code. */
void dis_check_kernels(const struct dis *s);

/* Whatever s->data is: dis_kind.c has the table. */
void dis_show(struct dis *s);
/* Ends the program where an option was given that is for AMD code alone. */
void dis_refuse_amd_options(const struct dis *s, const char *what);

/* PTX, or a module of SPIR-V, of so many bytes; kernel: what it is called where the code
 * does not say, else NULL.  marks of a kernel's text, or NULL. */
void dis_ptx(struct dis *s, const char *label, const void *text, size_t size, const char *kernel,
	     const struct buf *marks);
void dis_spirv(struct dis *s, const char *label, const void *data, size_t size, const char *kernel,
	       const struct buf *marks);

/* -- Lines of sources ---------------------------------------------------------------- */

enum { DIS_MAX_SOURCE = 1 << 26 }; /* bytes of all sources that are shown */
bool dis_shows_source(const struct dis *s);
/* "FILE:12: text", without the file where it is the one that is shown; the text where
 * the file can be read. */
void dis_put_source(struct dis *s, const char *file, uint32_t line);

/* -- --diff ------------------------------------------------------------------------------ */

/* Marks that precede the names of registers in a line; DIFF_END follows each name. */
enum diff_mark { DIFF_USE = 1, DIFF_DEF, DIFF_BOTH, DIFF_NAME, DIFF_END };
/* mem: until both sides are compared. */
struct dis_parts *dis_parts_new(struct dis *s, struct arena *mem, const char *file, const char *target);
void dis_parts_free(struct dis_parts *p);
void dis_part_begin(struct dis *s, const char *name);
/* counts: an instruction. */
void dis_part_line(struct dis *s, const char *marked, bool counts);
/* Are they different?  Says how. */
bool dis_diff(struct dis *s, const struct dis_parts *a, const struct dis_parts *b);

/* -- Names --------------------------------------------------------------------------------- */

/* With what a terminal must not see as \xNN; of C++ as it was written. */
void dis_put_name(struct dis *s, const char *name);
void dis_put_written(struct dis *s, const char *name);
/* "name","demangled":...; name NULL: null. */
void dis_json_name(struct dis *s, const char *name);

/* By what -o calls the file: shall code be written rather than shown?  And shall it be a
 * code object?  Then each kernel is added, and all are written. */
void dis_name_kind(struct dis_request *r);
void dis_object_add(struct dis *s, struct qd_image *img); /* takes the image */
void dis_object_write(struct dis *s);

/* A stream of packets for an AMD device. */
void dis_pm4(struct dis *s);

/* AMD: code objects, bundles of them, programs that carry some, raw words. */
void dis_gcn(struct dis *s);
/* One object in memory; base: of the file that the user named. */
void dis_gcn_object(struct dis *s, const char *label, const void *data, size_t size, uint64_t base);
/* The object of one kernel that was compiled here, with the marks of its image. */
void dis_gcn_kernel(struct dis *s, const void *data, size_t size, const struct buf *marks);

#endif
