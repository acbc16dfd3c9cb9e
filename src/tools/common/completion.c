/* Prints a program's bash completion, generated from its table of options. */
#include "isa.h"
#include "tool.h"

/* -- Words for values ------------------------------------------------------------ */

static void
put_targets(bool objects)
{
	const char *sep = "";
	char text[64];

	for (uint32_t i = 0; i < isa_count; i++) {
		if (objects && !isa_table[i]->object)
			continue;
		for (uint32_t k = 0; isa_table[i]->choice && isa_table[i]->choice(k, text, sizeof text); k++) {
			printf("%s%s", sep, text);
			sep = " ";
		}
	}
}

/* Targets of machine code. The entry for the interpreter is 'qdir'. */
static void
put_aot_targets(void)
{
	char text[64];

	printf("all native qdir");
	for (uint32_t i = 0; i < isa_count; i++) {
		const struct isa *isa = isa_table[i];
		for (uint32_t k = 0; !isa->runs_ir && isa->choice && isa->choice(k, text, sizeof text); k++)
			printf(" %s", text);
	}
}

/* Prints hardware drivers by name, and CPU devices with the targets that they run. */
static void
put_devices(void)
{
	static const char *const hardware[] = { "cuda", "vulkan", "cuda:0", "vulkan:0" };
	char text[64];

	for (size_t i = 0; i < QD_COUNT(hardware); i++)
		printf("%s%s", i ? " " : "", hardware[i]);
	for (uint32_t size = 4; size <= 1u << MAX_LOG2; size *= 2)
		printf(" ref:%u", size);
	for (uint32_t i = 0; i < isa_count; i++) {
		const struct isa *isa = isa_table[i];
		if (isa->runs_ir || !isa->choice || (isa->extension && strcmp(isa->extension, "spv") == 0))
			continue;
		for (uint32_t k = 0; isa->choice(k, text, sizeof text); k++) {
			const char *colon = strchr(text, ':');
			printf(" emu:%s", colon ? colon + 1 : text);
		}
	}
}

static void
put_values(const char *values)
{
	if (strcmp(values, TOOL_AOT_TARGETS) == 0)
		put_aot_targets();
	else if (strcmp(values, TOOL_TARGETS) == 0 || strcmp(values, TOOL_AMD_TARGETS) == 0)
		put_targets(strcmp(values, TOOL_AMD_TARGETS) == 0);
	else if (strcmp(values, TOOL_DEVICES) == 0 || strcmp(values, TOOL_WHY_DEVICES) == 0)
		put_devices();
	else
		fputs(values, stdout);
	if (strcmp(values, TOOL_WHY_DEVICES) == 0) {
		putchar(' ');
		put_targets(false);
	}
}

static const struct tool_values common[] = {
	{ "color", "auto always never" },
	{ "diag", "text json" },
	{ NULL, NULL },
};

static const char *
find_values(const struct tool_values *v, const char *option)
{
	while (v && v->option && strcmp(v->option, option) != 0)
		v++;
	return v ? v->words : NULL;
}

/* -- The function ------------------------------------------------------------------ */

/* Prints a case pattern with both names of the option. */
static void
put_case(const struct tool *t, const struct tool_option *o)
{
	const char *values = find_values(t->values, o->name);

	values = values ? values : find_values(common, o->name);
	printf("\t");
	if (o->letter)
		printf("-%c|", o->letter);
	printf("--%s) ", o->name);
	if (values) {
		printf("words='");
		put_values(values);
		printf("' ;;\n");
	} else {
		printf("files=1 ;;\n");
	}
}

static bool
is_option(const struct tool *t, const char *name)
{
	for (uint32_t i = 0; i < tool_option_count(t); i++) {
		if (strcmp(tool_option(t, i)->name, name) == 0)
			return true;
	}
	return false;
}

/* Prints the words that may follow a word that is not an option; "" is the beginning of the
 * line. */
static void
put_words(const struct tool *t)
{
	for (const struct tool_values *v = t->values; v && v->option; v++) {
		if (*v->option && !is_option(t, v->option))
			printf("\t%s) words='%s' ;;\n", v->option, v->words);
	}
}

static void
put_first(const struct tool *t)
{
	const char *words = find_values(t->values, "");

	printf("\tlocal first='%s'\n", words ? words : "");
}

/* Prints a function name: qd-dis becomes _qd_dis. */
static void
put_name(const char *name)
{
	putchar('_');
	for (; *name; name++)
		putchar(*name == '-' ? '_' : *name);
}

/* Joins the pieces of a word, which bash splits at = and :. */
static const char body[] =
	"\tlocal i=$COMP_CWORD cur=${COMP_WORDS[COMP_CWORD]} opt= words= files= cut= keep=\n"
	"\twhile ((i > 1)) && [[ $cur == [:=]* || ${COMP_WORDS[i-1]} == *[:=] ]]; do\n"
	"\t\tcur=${COMP_WORDS[--i]}$cur\n"
	"\tdone\n"
	"\tif [[ $cur == --*=* ]]; then\n"
	"\t\topt=${cur%%=*} cur=${cur#*=}\n"
	"\t\t[[ ${COMP_WORDS[COMP_CWORD]} == --*=* ]] && keep=$opt=\n"
	"\telif ((i > 1)); then\n"
	"\t\topt=${COMP_WORDS[i-1]}\n"
	"\tfi\n"
	"\tCOMPREPLY=()\n"
	"\tcase $opt in\n";
static const char rest[] =
	"\tesac\n"
	"\tif [[ -n $words ]]; then\n"
	"\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
	"\telif [[ -z $files && $cur == -* ]]; then\n"
	"\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
	"\t\t[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null\n"
	"\telse\n"
	"\t\t((i == 1)) || first=\n"
	"\t\tmapfile -t COMPREPLY < <(compgen -W \"$first\" -- \"$cur\"; compgen -f -- \"$cur\")\n"
	"\t\tcompopt -o filenames 2>/dev/null\n"
	"\tfi\n"
	"\t[[ $cur == *:* && ${COMP_WORDS[COMP_CWORD]} != *:?* ]] && cut=${cur%\"${cur##*:}\"}\n"
	"\tfor i in \"${!COMPREPLY[@]}\"; do\n"
	"\t\tCOMPREPLY[i]=$keep${COMPREPLY[i]#\"$cut\"}\n"
	"\tdone\n"
	"}\n";

void
tool_print_completion(const struct tool *t)
{
	uint32_t n = tool_option_count(t);

	printf("# bash completion of %s, which prints this with --completion\n", t->name);
	put_name(t->name);
	printf("()\n{\n\tlocal options='");
	for (uint32_t i = 0; i < n; i++) {
		const struct tool_option *o = tool_option(t, i);
		printf("%s--%s%s", i ? " " : "", o->name, o->arg ? "=" : "");
	}
	for (uint32_t i = 0; i < n; i++) {
		if (tool_option(t, i)->letter)
			printf(" -%c", tool_option(t, i)->letter);
	}
	printf("'\n");
	put_first(t);
	fputs(body, stdout);
	for (uint32_t i = 0; i < n; i++) {
		if (tool_option(t, i)->arg)
			put_case(t, tool_option(t, i));
	}
	put_words(t);
	fputs(rest, stdout);
	printf("complete -F ");
	put_name(t->name);
	printf(" %s\n", t->name);
}
