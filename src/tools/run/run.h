/* Internal interface of qd-run.
 *
 *	run_args.c     kernel and values from the command line
 *	run_object.c   kernel and values of code objects
 *	run_bundle.c   selection of the object that contains the kernel
 *	run_ptx.c      kernel and values of PTX modules
 *	run_place.c    device, buffers and launches
 *	run_time.c     timing of launches
 *	run_compare.c  --expect and --check
 *	run_print.c    buffers to standard output and to files
 *	run_list.c     --list
 *	run_profile.c  --profile
 *	run_report.c   errors with --json
 */
#ifndef QD_TOOLS_RUN_H
#define QD_TOOLS_RUN_H

#include "import.h"
#include "ir.h"
#include "kind.h"
#include "profile.h"
#include "value.h"

struct request {
	const char *file, *kernel, *device;
	struct tmpl_list tmpl;
	struct tool_imports imports;
	uint32_t grid, repeat; /* grid QD_GRID: from the grid loop's count; repeat 0: one launch without timing */
	uint64_t timeout_ms;   /* 0: none */
	uint32_t block[3], shared[16], n_shared; /* for a kernel in a code object */
	bool json, time, check, list, profile, lines;
	qd_opt opt;
	qd_facts facts;
	uint32_t latency[PROFILE_N_CLASS]; /* 0: that of the clock model */
	/* NAME=TEXT arguments */
	struct texts {
		const char *v[MAX_PARAM];
		uint32_t n;
	} values, outputs, expects;
};

/* Value of a parameter. */
struct value {
	struct qd_param_info info;
	uint64_t bits;	    /* of a scalar */
	void *raw;	    /* bytes of a scalar whose type has no name; else NULL */
	struct fill fill;   /* initial contents of a buffer */
	size_t n;	    /* elements of a buffer */
	void *first, *last; /* contents before the launch and, of a written buffer, after it */
	const char *file;   /* -o; NULL: none */
	struct fill expect; /* --expect */
	bool is_expected;
};

/* Device with the loaded kernel and its buffers. */
struct place {
	struct qd_device *dev;
	struct qd_function *fn;
	struct qd_stream *stream;
	struct qd_buffer *buffer[MAX_PARAM];
	struct qd_device_info info;
	struct qd_function_info fn_info;
};

struct session {
	struct request *req;
	struct qd_context *ctx;
	struct qd_module *module;
	struct qd_kernel *kernel;
	struct { /* code object; replaces module and kernel */
		void *bytes;
		size_t size;
		uint64_t offset;    /* of the bytes in the file */
		const char *name;   /* in messages: the file, or one of its objects */
		char processor[32]; /* selects the code in a bundle; "": none is named */
	} object;
	struct { /* PTX; replaces module and kernel */
		struct ptx_module *module;
		char *text;
		size_t size;
	} ptx;
	struct qd_image *image;
	const char *name; /* of the kernel */
	struct arena names; /* strings with the lifetime of the session */
	struct value value[MAX_PARAM];
	uint32_t n_params;
	struct place place;
	uint64_t get_ns;      /* to compile and load */
	struct times {
		uint64_t *ns; /* of each launch */
		uint32_t n;
		bool by_device; /* measured by the device's clock; false: by the host's */
		uint64_t median, least;
		uint64_t bytes; /* read and written by a launch in its buffers */
	} times;
	struct profile *profile; /* NULL, or of place.fn */
	int code;		 /* exit status */
	struct qd_error finding; /* code QD_OK: none */
};

static inline bool
is_output(const struct value *v)
{
	return v->info.is_buffer && (v->info.access & QD_ACCESS_OUT);
}

static inline size_t
bytes_of(const struct value *v)
{
	return v->n * qd_type_size(v->info.type);
}

/* -- run_args.c --------------------------------------------------------------------- */

void run_load(struct session *s);   /* reads and parses the file */
void run_choose(struct session *s); /* selects the kernel and its template values */
void run_params(struct session *s); /* reads the values of the parameters */
/* Sizes the buffers whose length is the grid loop's count. Needs the loaded kernel. */
void run_count(struct session *s);

/* -- run_object.c ------------------------------------------------------------------- */

/* Moves the bundle in the .hip_fatbin section of a HIP host program to the front of bytes. Returns
 * its size. */
size_t run_object_in_host(struct session *s, char *bytes, size_t size);
void run_object_choose(struct session *s);
const char *run_object_device(struct session *s); /* returns the selector */
void run_object_value(struct value *v, const char *text);
void run_object_list(struct session *s);

/* -- run_ptx.c ---------------------------------------------------------------------- */

void run_ptx_load(struct session *s, char *text, size_t size); /* takes ownership of text */
void run_ptx_choose(struct session *s);
const char *run_ptx_device(struct session *s);
void run_ptx_list(struct session *s);
void run_ptx_free(struct session *s);

/* -- run_place.c ---------------------------------------------------------------------- */

/* Opens the device (selector NULL: the best one), compiles and loads the kernel. */
void place_open(struct session *s, const char *selector, struct place *p);
void place_fill(struct session *s, struct place *p); /* creates and uploads the buffers */
void place_refill(struct session *s, struct place *p); /* uploads the written buffers again */
/* Launches and waits. Returns false if the launch reported a finding, which is recorded. */
bool place_launch(struct session *s, struct place *p);
void place_read(struct session *s, struct place *p, uint32_t i, void *memory);
void place_close(struct place *p);

/* -- run_time.c ------------------------------------------------------------------------- */

void run_launches(struct session *s); /* one, or the number in --repeat */
void run_print_times(const struct session *s);

/* -- run_compare.c ------------------------------------------------------------------------ */

void run_expect(struct session *s);
void run_check(struct session *s);

/* -- run_print.c ---------------------------------------------------------------------------- */

void run_write_files(const struct session *s);
void run_print_text(const struct session *s);
void run_print_json(const struct session *s);

/* -- run_list.c ------------------------------------------------------------------------------- */

void run_list(struct session *s);
void run_list_params(const struct qd_image *image, bool json);
/* Prints parameter i; an unknown type is printed as its size in bytes. */
void run_list_param(const struct qd_param_info *p, uint32_t i, bool json);

/* -- run_profile.c ---------------------------------------------------------------------------- */

void run_latency(struct request *r, const char *text); /* NAME=CYCLES */
void run_profile_start(struct session *s);
void run_profile_text(const struct session *s);
void run_profile_json(const struct session *s); /* a member of the object, with a comma before it */

/* -- run_report.c ------------------------------------------------------------------------ */

/* Ensures that standard output is one JSON object, even after errors. */
void report_start(void);
/* Writes the members "exit":N,"diagnostics":[...]. Call it after beginning the object: then errors
 * write no object of their own. */
void report_put(FILE *f, int code);

/* -- progress.c: a progress line --------------------------------------------------------- */

/* State of a progress line. It appears after two seconds, and only if stderr is a terminal. */
struct progress {
	const char *what;
	uint64_t total, start;
	bool on, shown;
};
void progress_start(struct progress *p, const char *what, uint64_t total);
void progress_at(struct progress *p, uint64_t done);
void progress_end(struct progress *p);

#endif
