/* Shared header of qd-dis: the command line, and one printer per kind of input. */
#ifndef QD_TOOLS_DIS_H
#define QD_TOOLS_DIS_H

#include "line_map.h"
#include "import.h"
#include "kind.h"
#include "value.h"

enum dis_style { DIS_QD, DIS_LLVM };
enum dis_source { DIS_SOURCE_USUAL, DIS_SOURCE_ON, DIS_SOURCE_OFF };
enum dis_view { DIS_TEXT, DIS_STATS, DIS_MIX, DIS_JSON, DIS_CFG, DIS_HAZARDS };

struct dis_request {
	const char *file, *other, *kernel, *target, *output, *raw, *pm4, *extract;
	struct tmpl_list tmpl;
	struct tool_imports imports;
	bool text, binary, force; /* neither text nor binary: no --emit */
	bool object; /* binary: one code object for all kernels */
	enum dis_style style;
	enum dis_view view;
	uint32_t block; /* lanes of a work-group, for the occupancy; 0: not requested */
	bool no_addr, no_hex, no_meta, waits, live, diff;
	qd_opt opt;
	bool facts;
	enum dis_source source;
};

struct dis_side;

struct dis {
	struct dis_request *req;
	struct qd_context *ctx;
	struct tool_output out;
	const char *data; /* content of the input */
	size_t size;
	enum file_kind kind;
	uint32_t n_shown, n_files; /* kernels and functions; objects and modules */
	bool from_text; /* the code was compiled from .qdk text */
	struct line_map lines; /* of that text */
	struct dis_side *parts; /* --diff: collects the code instead of printing it; else NULL */
	const char *entry; /* suffix of part names: " (T=f32) for gfx1100"; NULL: no fatbin */
	struct arena sources;	 /* text of source files */
	struct dis_text *source;
	struct buf images; /* kernels of one code object: struct qd_image * */
	struct { /* PTX kernels of one module: its head, the kernels, and their marks */
		struct buf head, text, marks;
		uint64_t tables; /* bytes of their constant tables */
	} ptx;
	bool whole; /* -k: some name matches completely, so partial matches do not count */
	struct tool_names *others; /* -k: names that do not match */
	enum tool_exit exit; /* result of checks of the code */
	uint32_t depth; /* nesting of the metadata value being printed */
};

/* Select names by -k. C++ names match both mangled and demangled. dis_choose must first see all
 * names of an object, to find a complete match; then dis_wanted decides each. */
void dis_choose_begin(struct dis *s);
void dis_choose(struct dis *s, const char *name);
bool dis_wanted(const struct dis *s, const char *name);
/* Ends the program. The status distinguishes errors in the file from a lack of resources. */
TOOL_NORETURN QD_COLD void dis_die(const char *label, const struct qd_error *e);
/* Writes text. Ends the program if out of memory. */
void dis_write(struct dis *s, const struct buf *text);

/* Prints code as the back end's disassembler writes it. */
struct target;
void dis_code(struct dis *s, const struct target *t, const void *code, size_t size);

/* Prints kernels of .qdk text or printed IR, as IR or as the code of a target. */
void dis_kernels(struct dis *s);
/* Adds the IR of a kernel to --diff. */
void dis_part_kernel(struct dis *s, const struct qd_kernel *k);
/* Ends the program if a view is requested but there is no code. */
void dis_check_kernels(const struct dis *s);

/* Raises the memory limit for an entry of the file that unpacks to `size` bytes. */
void dis_unpacked(const struct dis *s, uint64_t size);
/* Prints s->data according to its kind, in the table of dis_kind.c. */
void dis_show(struct dis *s);
/* Ends the program if an option is given that only AMD code has. */
void dis_refuse_amd_options(const struct dis *s, const char *what);

/* Print PTX, or a SPIR-V module. kernel: name to show for the kernel, or NULL. marks: of a kernel's
 * text, or NULL. */
void dis_ptx(struct dis *s, const char *label, const void *text, size_t size, const char *kernel,
	     const struct buf *marks);
void dis_spirv(struct dis *s, const char *label, const void *data, size_t size, const char *kernel,
	       const struct buf *marks);

/* -- Lines of sources ---------------------------------------------------------------- */

enum { DIS_MAX_SOURCE = 1 << 26 }; /* limit for all source files together, in bytes */
bool dis_shows_source(const struct dis *s);
/* Writes "FILE:12: text", without the file if it is the input, and without the text if the file
 * cannot be read. */
void dis_put_source(struct dis *s, const char *file, uint32_t line);

/* -- --diff ------------------------------------------------------------------------------ */

/* Marks that precede the names of registers in a line; DIFF_END follows each name. */
enum diff_mark { DIFF_USE = 1, DIFF_DEF, DIFF_BOTH, DIFF_NAME, DIFF_END };
/* mem must live until both sides are compared. */
struct dis_side *dis_side_new(struct dis *s, struct arena *mem, const char *file, const char *target);
void dis_side_free(struct dis_side *p);
void dis_part_begin(struct dis *s, const char *name);
/* counts: the line is an instruction. */
void dis_part_line(struct dis *s, const char *marked, bool counts);
/* Prints the differences. Returns true if there are any. */
bool dis_diff(struct dis *s, const struct dis_side *a, const struct dis_side *b);

/* -- Names --------------------------------------------------------------------------------- */

/* Write a name, with control characters as \xNN. dis_put_written demangles C++ names. */
void dis_put_name(struct dis *s, const char *name);
void dis_put_written(struct dis *s, const char *name);
/* Writes "name","demangled":..., or null for NULL. */
void dis_json_name(struct dis *s, const char *name);

/* Sets r->binary and r->object if the name of the output file is one of code. For a code object,
 * dis_object_add then adds each kernel and dis_object_write writes all of them. */
void dis_name_kind(struct dis_request *r);
void dis_object_add(struct dis *s, struct qd_image *img); /* takes ownership of the image */
void dis_object_write(struct dis *s);

/* Join the PTX text of kernels into one module, because ptxas accepts .version only once in a file.
 * dis_module_add returns false for other code. dis_module_text returns the module, and completes
 * the offsets of s->ptx.marks; its length is 0 without kernels. */
struct qd_image;
void dis_module_init(struct dis *s);
bool dis_module_add(struct dis *s, const struct qd_image *img, const struct buf *marks);
const struct buf *dis_module_text(struct dis *s);
void dis_module_fini(struct dis *s);

/* Prints a stream of PM4 packets. */
void dis_pm4(struct dis *s);

/* Prints AMD code: code objects, bundles of them, programs that contain some, raw words. */
void dis_gcn(struct dis *s);
/* Prints an object in memory. base: its offset in the input. */
void dis_gcn_object(struct dis *s, const char *label, const void *data, size_t size, uint64_t base);
/* Prints the object of one compiled kernel, with the marks of its image. */
void dis_gcn_kernel(struct dis *s, const void *data, size_t size, const struct buf *marks);

#endif
