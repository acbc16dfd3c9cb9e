/* Kernels of PTX modules of other compilers: selection, block and parameters. They run on emu,
 * whose interpreter reads them. Parameters are named by position: arg0, arg1. */
#include <stdlib.h>

#include "demangle.h"
#include "jit.h"
#include "ptx.h"
#include "run.h"

enum { MOST_THREADS = 1024 };

void
run_ptx_load(struct session *s, char *text, size_t size)
{
	struct qd_error e;
	qd_status st = ptx_module_parse(&s->ctx->pool, text, size, &s->ptx.module, &e);

	s->ptx.text = text;
	s->ptx.size = size;
	if (st)
		tool_die(st == QD_E_NOMEM ? EXIT_ENVIRONMENT : EXIT_INPUT, "%s:%u:%u: %s", s->req->file, e.line, e.col,
			 e.text);
	if (!ptx_module_next(s->ptx.module, NULL))
		tool_die(EXIT_INPUT, "'%s' has no kernel (.entry)", s->req->file);
}

void
run_ptx_free(struct session *s)
{
	ptx_module_free(s->ptx.module);
	free(s->ptx.text);
}

/* -- Parameters --------------------------------------------------------------------------- */

/* Returns true for values that are not a single number: "iota:4", "1,2", "@f", "f32:0.5". */
static bool
is_elements(const char *text)
{
	return text && (*text == '@' || strpbrk(text, ":,") || !strcmp(text, "iota") || !strcmp(text, "zero"));
}

/* nvcc writes .u64 for pointers and for numbers: the value decides. */
static bool
is_buffer(const struct ptx_param *p, const char *text)
{
	return p->size == 8 && !p->is_array && (p->kind == 'u' || p->kind == 'b') &&
	       (p->is_pointer || is_elements(text));
}

/* The type of a number. nvcc writes .u32 for int too, so a negative value is signed. */
static qd_type
type_of(const struct ptx_param *p, const char *text)
{
	static const struct {
		char kind;
		uint8_t size;
		qd_type type;
	} rows[] = {
		{ 'u', 1, QD_TYPE_U8 },	 { 'u', 2, QD_TYPE_U16 }, { 'u', 4, QD_TYPE_U32 }, { 'u', 8, QD_TYPE_U64 },
		{ 's', 1, QD_TYPE_I8 },	 { 's', 2, QD_TYPE_I16 }, { 's', 4, QD_TYPE_I32 }, { 's', 8, QD_TYPE_I64 },
		{ 'h', 2, QD_TYPE_F16 }, { 'f', 4, QD_TYPE_F32 }, { 'f', 8, QD_TYPE_F64 },
	};
	char kind = p->kind == 'u' && text && *text == '-' ? 's' : p->kind;

	for (size_t i = 0; i < QD_COUNT(rows) && !p->is_array; i++)
		if (rows[i].kind == kind && rows[i].size == p->size)
			return rows[i].type;
	return QD_TYPE_NONE;
}

/* The value of parameter i on the command line, or NULL. */
static const char *
given(const struct session *s, uint32_t i)
{
	char name[16];
	size_t len = (size_t)snprintf(name, sizeof name, "arg%u=", i);

	for (uint32_t k = 0; k < s->req->values.n; k++)
		if (!strncmp(s->req->values.v[k], name, len))
			return s->req->values.v[k] + len;
	return NULL;
}

/* -- The kernel ---------------------------------------------------------------------------- */

static const char *
entry_name(void *user, uint32_t i)
{
	const struct ptx_entry *const *all = user;

	return all[i]->name;
}

static TOOL_NORETURN void
no_such_kernel(const struct session *s, const char *want, uint32_t n)
{
	const struct ptx_entry **all = malloc((n + 1) * sizeof *all), *e = NULL;
	char list[512] = "";
	size_t len = 0;

	if (!all)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	for (uint32_t i = 0; (e = ptx_module_next(s->ptx.module, e)); i++) {
		all[i] = e;
		if (len < sizeof list)
			len += (size_t)snprintf(list + len, sizeof list - len, "%s%s", i ? ", " : "", e->name);
	}
	if (!want)
		tool_usage("'%s' has %u kernels, choose one with -k: %s", s->req->file, n, list);
	const char *close = tool_closest(want, entry_name, all, n);
	if (close)
		tool_usage("'%s' has no kernel '%s'; did you mean '%s'?", s->req->file, want, close);
	tool_usage("'%s' has no kernel '%s'; it has %s", s->req->file, want, list);
}

static const struct ptx_entry *
find_entry(const struct session *s)
{
	const char *want = s->req->kernel;
	const struct ptx_entry *e = NULL, *found = NULL;
	uint32_t n = 0, n_found = 0;
	char list[512] = "";
	size_t len = 0;
	struct arena mem;

	arena_init(&mem, &s->ctx->pool);
	for (; (e = ptx_module_next(s->ptx.module, e)); n++) {
		if (want && !strcmp(e->name, want)) {
			arena_fini(&mem);
			return e;
		}
		if (!want || !demangle_is(&mem, e->name, want))
			continue;
		if (len < sizeof list)
			len += (size_t)snprintf(list + len, sizeof list - len, "%s%s", n_found ? ", " : "", e->name);
		found = e;
		n_found++;
	}
	arena_fini(&mem);
	if (n_found > 1)
		tool_usage("'%s' has %u kernels '%s': %s; give one of these names with -k", s->req->file, n_found, want, list);
	if (found)
		return found;
	if (!want && n == 1)
		return ptx_module_next(s->ptx.module, NULL);
	no_such_kernel(s, want, n);
}

static void
check_request(const struct session *s, const struct ptx_entry *k, uint32_t *threads)
{
	const struct request *r = s->req;
	uint32_t most = k->max_threads ? k->max_threads : MOST_THREADS;

	if (r->tmpl.n)
		tool_usage("'%s' is PTX, whose kernels have no templates; remove '%s'", r->file,
			   r->tmpl.v[0].name);
	if (r->check)
		tool_usage("'%s' is PTX without IR, which --check needs; use --expect", r->file);
	if (r->grid == QD_GRID)
		tool_usage("kernel '%s' has no grid loop; set the number of blocks with --grid=N",
			   k->name);
	if (!r->block[0])
		tool_usage(
			"kernel '%s': the PTX does not fix the block size; set it with --block=N",
			k->name);
	*threads = 1;
	for (unsigned i = 0; i < 3; i++)
		*threads *= r->block[i] ? r->block[i] : 1;
	if (*threads > most)
		tool_usage("kernel '%s': blocks of %u threads; it has %u at most", k->name, *threads, most);
	if (r->n_shared > 1)
		tool_usage("kernel '%s': PTX has one array of dynamic shared memory, but --shared "
			   "has %u sizes",
			   k->name, r->n_shared);
	if (k->n_params > MAX_PARAM || k->params_size > LAYOUT_MAX_ARGS)
		tool_die(EXIT_INPUT,
			 "kernel '%s': %u parameters of %u bytes; the limit is %d of %d", k->name,
			 k->n_params, k->params_size, MAX_PARAM, LAYOUT_MAX_ARGS);
}

static struct launch_layout *
describe(const struct session *s, const struct ptx_entry *k, struct arena *mem)
{
	const char *names[1 + MAX_PARAM] = { k->name };
	char (*numbers)[16] = arena_zalloc(mem, (k->n_params + 1) * sizeof *numbers);
	struct layout_param params[MAX_PARAM] = { { .name = 0 } };
	struct layout_slot slots[MAX_PARAM] = { { .offset = 0 } };

	for (uint32_t i = 0; numbers && i < k->n_params; i++) {
		const struct ptx_param *p = &k->params[i];
		const char *text = given(s, i);
		snprintf(numbers[i], sizeof numbers[i], "arg%u", i);
		names[1 + i] = numbers[i];
		qd_type type = type_of(p, text);
		params[i] = (struct layout_param){ .type = (uint8_t)type,
						   .size = type_info[type].size };
		if (is_buffer(p, text))
			params[i] = (struct layout_param){
				.align = 1, .type = QD_TYPE_U8, .size = 1, .access = QD_ACCESS_INOUT
			};
		slots[i] = (struct layout_slot){ .offset = (uint16_t)p->offset,
						 .size = (uint16_t)p->size,
						 .what = LAYOUT_SLOT_PARAM,
						 .param = (uint8_t)i };
	}
	const struct layout_foreign f = {
		.names = names,
		.params = params,
		.slots = slots,
		.n_params = k->n_params,
		.n_slots = k->n_params,
		.args_size = k->params_size,
		.block = { s->req->block[0], s->req->block[1] ? s->req->block[1] : 1,
			   s->req->block[2] ? s->req->block[2] : 1 },
		.subgroup_size = 32,
	};
	return numbers ? layout_foreign(&f, mem) : NULL;
}

void
run_ptx_choose(struct session *s)
{
	const struct ptx_entry *k = find_entry(s);
	uint32_t threads, dynamic = s->req->n_shared ? s->req->shared[0] : 0;
	struct arena mem;
	struct qd_error e;
	char target[32];

	check_request(s, k, &threads);
	arena_init(&mem, &s->ctx->pool);
	const struct launch_layout *d = describe(s, k, &mem);
	if (!d)
		tool_die(EXIT_ENVIRONMENT, "out of memory");
	snprintf(target, sizeof target, "ptx:sm_%u", ptx_module_sm(s->ptx.module));
	struct isa_meta meta = { .version = ISA_META_VERSION, .local_size = threads, .wave_size = 32,
				 .shared_size = k->shared_size + dynamic };
	snprintf(meta.entry, sizeof meta.entry, "%.31s", k->name);
	struct image_parts parts = { .target = target, .kind = CODE_PTX, .meta = &meta, .layout = d,
				     .layout_size = d->size, .code = s->ptx.text, .code_size = s->ptx.size };
	if (jit_image_of_parts(s->ctx, &parts, &s->image, &e))
		tool_fail(&e);
	arena_fini(&mem);
	s->name = qd_image_kernel(s->image);
}

const char *
run_ptx_device(struct session *s)
{
	static char selector[32];

	snprintf(selector, sizeof selector, "emu:sm_%u", ptx_module_sm(s->ptx.module));
	return selector;
}

/* -- --list ---------------------------------------------------------------------------------- */

static void
list_one(const struct ptx_entry *k, bool first, bool json)
{
	printf(json ? "%s{\"name\":" : "%skernel ", json && !first ? "," : "");
	if (json)
		tool_json_string(stdout, k->name);
	printf(json ? ",\"templates\":[],\"params\":[" : "%s\n", k->name);
	for (uint32_t i = 0; i < k->n_params; i++) {
		const struct ptx_param *p = &k->params[i];
		char name[16];
		snprintf(name, sizeof name, "arg%u", i);
		struct qd_param_info info = { .name = name, .type = type_of(p, NULL), .size = p->size };
		if (is_buffer(p, NULL))
			info = (struct qd_param_info){ .name = name, .type = QD_TYPE_U8, .is_buffer = true, .size = 1,
						       .access = QD_ACCESS_INOUT };
		if (!json && !info.is_buffer && is_buffer(p, "iota"))
			printf("  arg%u=VALUE%*s u64, or a buffer\n", i, i < 10 ? 10 : 9, "");
		else
			run_list_param(&info, i, json);
	}
	if (json) {
		printf("],\"grid_loop\":false}");
		return;
	}
	printf("  %-20s the number of blocks, because there is no grid loop\n", "--grid=N");
	printf("  %-20s the threads of a block, which the kernel does not fix\n", "--block=N");
}

void
run_ptx_list(struct session *s)
{
	const struct ptx_entry *first = ptx_module_next(s->ptx.module, NULL);

	for (const struct ptx_entry *k = first; k; k = ptx_module_next(s->ptx.module, k))
		list_one(k, k == first, s->req->json);
}
