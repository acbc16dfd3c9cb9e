/* qd-info: devices and why drivers are unavailable, targets, environment. Primitives are in
 * info_primitive.c. */
#include <stdlib.h>

#include "info.h"
#include "isa.h"
#include "kind.h"

enum { OPT_ENV, OPT_TARGETS, OPT_PRIMITIVES, OPT_TARGET, OPT_JSON };
static const struct tool_option options[] = {
	[OPT_ENV] = { 0, "env", NULL, "only the environment variables, with values and effects" },
	[OPT_TARGETS] = { 0, "targets", NULL, "only the targets: each name that -t of the programs accepts, without options" },
	[OPT_PRIMITIVES] = { 0, "primitives", NULL,
			     "only the primitives and functions of the language, with types, "
			     "meaning, and native targets" },
	[OPT_TARGET] = { 't', "target", "TARGET",
			 "with --primitives: show which are native on this target" },
	[OPT_JSON] = { 0, "json", NULL, "one JSON object, schema qd.info/1 or qd.primitives/1" },
};

static const struct tool_values values[] = {
	{ "target", TOOL_TARGETS },
	{ NULL, NULL },
};
static const struct tool tool = {
	.name = "qd-info",
	.usage = "[OPTION]...",
	.about = "Lists the devices with their selectors, the reason for each unavailable driver, "
		 "the targets, and the environment variables that qd reads; or the primitives of "
		 "the language.",
	.options = options,
	.n_options = QD_COUNT(options),
	.values = values,
	.examples = { "qd-info", "qd-info --env", "qd-info --targets", "qd-info --primitives -t spirv:+clusters" },
};

/* All variables that the library or a program reads. */
static const struct {
	const char *name, *effect;
} variables[] = {
	{ "QD_DEVICE", "default device, such as vulkan:0 or ref:32" },
	{ "QD_CACHE", "disk cache of compiled code: 0 off, ro read-only, 1 on (default: 1)" },
	{ "QD_CACHE_DIR",
	  "directory of the disk cache (default: $XDG_CACHE_HOME/qd, else $HOME/.cache/qd)" },
	{ "QD_CACHE_MAXSIZE",
	  "maximum size of the disk cache, in bytes or as 64M; 0 means no limit (default: 256M)" },
	{ "QD_LOG", "log to stderr: error, warning, info or debug, or component:level,..." },
	{ "QD_REF_STEPS", "limit of operations per thread and launch on ref (default: 100000000)" },
	{ "QD_EMU_STEPS",
	  "limit of instructions per thread and launch on emu (default: 100000000)" },
	{ "QD_STEPS",
	  "limit of steps per launch, for all threads together, on ref and emu (default: none)" },
	{ "QD_EMU_SEED", "seed of the order in which emu schedules warps (default: 0)" },
	{ "QD_JIT", "0 disables compilation at run time; functions come from fatbins" },
	{ "QD_OPT", "optimization level: 0 for debugging, 1, or 2 (default: 2)" },
	{ "QD_FACTS", "auto: functions rely on launch facts if the arguments allow it; none: they never do (default: auto)" },
	{ "QD_TARGET", "target of the only fatbin entry that may be selected" },
	{ "QD_DUMP", "files to write for every compile: a comma-separated list of ir, isa, bin" },
	{ "QD_DUMP_DIR", "directory of the files of QD_DUMP" },
	{ "NO_COLOR", "if not empty, disables color in the programs' messages" },
	{ "CLICOLOR_FORCE",
	  "if not 0, enables color in the programs' messages even without a terminal" },
};

struct report {
	struct qd_device_info *devices;
	uint32_t n;
};

static void
list_devices(struct qd_context *ctx, struct report *r)
{
	struct qd_error e;
	uint32_t cap = 0;
	do {
		cap = r->n + 8;
		free(r->devices);
		r->devices = calloc(cap, sizeof *r->devices);
		if (!r->devices)
			tool_die(EXIT_ENVIRONMENT, "out of memory");
		if (qd_device_list(ctx, r->devices, cap, &r->n, &e))
			tool_fail(&e);
	} while (r->n > cap);
}

/* -- Text ---------------------------------------------------------------------- */

static void
print_size(uint64_t bytes)
{
	static const char *const unit[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	double v = (double)bytes;
	size_t i = 0;
	for (; v >= 1024 && i + 1 < QD_COUNT(unit); i++)
		v /= 1024;
	printf(i ? "%.1f %s" : "%.0f %s", v, unit[i]);
}

static void
print_device(const struct qd_device_info *d)
{
	if (!d->usable) {
		bool named = *d->name && strcmp(d->name, d->selector) != 0;
		printf("  %-12s %s%snot usable: %s\n", d->selector, named ? d->name : "",
		       named ? "; " : "", d->why);
		return;
	}
	printf("  %-12s %s\n", d->selector, d->name);
	printf("  %-12s driver %s\n", "", d->driver);
	if (d->uuid[0])
		printf("  %-12s uuid %s\n", "", d->uuid);
	if (d->pci[0])
		printf("  %-12s pci %s\n", "", d->pci);
	printf("  %-12s subgroup %u", "", d->subgroup_size);
	if (d->min_subgroup_size != d->max_subgroup_size)
		printf(" (%u to %u)", d->min_subgroup_size, d->max_subgroup_size);
	printf(", block up to %u", d->max_block_dim);
	if (d->memory) {
		printf(", memory ");
		print_size(d->memory);
	}
	printf("\n  %-12s target %s\n", "", d->target);
	/* Nothing is run here: the cost of the limit depends on the kernel, and a bench measures
	 * it. */
	if (strstr(d->target, ":+looplimit"))
		printf("  %-12s the driver ends the loops of a subgroup after 65535 iterations in "
		       "total; a launch reports it as a finding (docs/targets.md)\n",
		       "");
}

static void
print_variables(void)
{
	printf("environment\n");
	for (size_t i = 0; i < QD_COUNT(variables); i++) {
		const char *v = getenv(variables[i].name);
		printf("  %-16s %s%s%s\n  %-16s %s\n", variables[i].name, v ? "= '" : "not set",
		       v ? v : "", v ? "'" : "", "", variables[i].effect);
	}
}

static void
print_targets(void)
{
	char text[64];

	for (uint32_t i = 0; i < isa_count; i++) {
		const struct isa *isa = isa_table[i];
		if (!isa->choice)
			puts(isa->name);
		for (uint32_t k = 0; isa->choice && isa->choice(k, text, sizeof text); k++)
			puts(text);
	}
}

static void
print_text(const struct report *r)
{
	uint32_t v = qd_version();
	printf("qd %u.%u.%u\n\ndevices\n", v / 1000000, v / 1000 % 1000, v % 1000);
	for (uint32_t i = 0; i < r->n; i++)
		print_device(&r->devices[i]);
	printf("\ntargets\n ");
	for (uint32_t i = 0; i < qd_target_count(); i++)
		printf(" %s", qd_target_name(i));
	printf("\n\n");
	print_variables();
}

/* -- JSON ---------------------------------------------------------------------- */

static void
json_field(const char *name, const char *value)
{
	printf(",\"%s\":", name);
	tool_json_string(stdout, value);
}

static void
json_device(const struct qd_device_info *d)
{
	printf("{\"selector\":");
	tool_json_string(stdout, d->selector);
	json_field("name", d->name);
	json_field("driver", d->driver);
	json_field("uuid", d->uuid);
	json_field("pci", d->pci);
	printf(",\"usable\":%s", d->usable ? "true" : "false");
	json_field("why", d->why);
	printf(",\"subgroup_size\":%u,\"min_subgroup_size\":%u,\"max_subgroup_size\":%u",
	       d->subgroup_size, d->min_subgroup_size, d->max_subgroup_size);
	printf(",\"max_block_dim\":%u,\"memory\":\"%llu\"", d->max_block_dim,
	       (unsigned long long)d->memory);
	json_field("target", d->target);
	putchar('}');
}

static void
print_json(const struct report *r)
{
	uint32_t v = qd_version();
	printf("{\"schema\":\"qd.info/1\",\"version\":\"%u.%u.%u\",\"devices\":[", v / 1000000,
	       v / 1000 % 1000, v % 1000);
	for (uint32_t i = 0; i < r->n; i++) {
		printf("%s", i ? "," : "");
		json_device(&r->devices[i]);
	}
	printf("],\"targets\":[");
	for (uint32_t i = 0; i < qd_target_count(); i++) {
		printf("%s", i ? "," : "");
		tool_json_string(stdout, qd_target_name(i));
	}
	printf("],\"environment\":[");
	for (size_t i = 0; i < QD_COUNT(variables); i++) {
		const char *value = getenv(variables[i].name);
		printf("%s{\"name\":\"%s\",\"value\":", i ? "," : "", variables[i].name);
		if (value)
			tool_json_string(stdout, value);
		else
			printf("null");
		json_field("effect", variables[i].effect);
		putchar('}');
	}
	printf("]}\n");
}

int
main(int argc, char **argv)
{
	struct tool_args args;
	const char *value, *target = NULL;
	bool env = false, targets = false, json = false, primitives = false;
	int i;
	tool_start(&args, &tool, argc, argv);
	while ((i = tool_next(&args, &value)) != TOOL_END) {
		switch (i) {
		case OPT_ENV: env = true; break;
		case OPT_TARGETS: targets = true; break;
		case OPT_PRIMITIVES: primitives = true; break;
		case OPT_TARGET: target = value; break;
		case OPT_JSON: json = true; break;
		default: kind_unexpected(value);
		}
	}
	if (target && !primitives)
		tool_usage("--target needs --primitives");
	if (primitives) {
		info_primitives(target, json);
		return tool_finish(EXIT_OK);
	}
	if (targets) {
		print_targets();
		return tool_finish(EXIT_OK);
	}
	if (env && !json) {
		print_variables();
		return tool_finish(EXIT_OK);
	}
	struct report r = { 0 };
	struct qd_context *ctx = tool_context();
	list_devices(ctx, &r);
	if (json)
		print_json(&r);
	else
		print_text(&r);
	qd_context_free(ctx);
	free(r.devices);
	return tool_finish(EXIT_OK);
}
