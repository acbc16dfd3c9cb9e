/* Writes instructions of every row for LLVM's assembler and disassembler, and compares
 * their results. rows.sh runs the tools in between:
 *   rows targets [classes]
 *   rows table   (amd_abi.def, for targets.sh)
 *   rows write TARGET[:WAVE] SAMPLES SEED FOLDER
 *   rows compare TARGET[:WAVE] FOLDER
 * Each sample is a line of text and a line of bytes, followed by an s_nop with the
 * sample's number as a marker. If the tool drops or splits a sample, the others stay
 * aligned. */
#include "encoding.h"
#include "explain.h"
#include "random.h"
#include "targets.h"

#include <stdio.h>
#include <stdlib.h>

enum { LINE = 1024, LISTED = 40 };

struct files {
	FILE *list, *text, *bytes; /* list: row, words in hexadecimal, text */
};

static FILE *
open_in(const char *folder, const char *name, const char *mode)
{
	char path[LINE];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	f = fopen(path, mode);
	if (!f) {
		perror(path);
		exit(2);
	}
	return f;
}

static const struct gcn_target *
find_target(const char *name)
{
	struct targets l = targets_named(name);

	if (!l.n) {
		fprintf(stderr, "rows: no target %s\n", name);
		exit(2);
	}
	return l.target[0];
}

static int
list_targets(bool classes)
{
	struct targets l = classes ? targets_of_classes() : targets_all();
	char name[40];

	for (unsigned i = 0; i < l.n; i++)
		printf("%s\n", target_name(l.target[i], name));
	return 0;
}

static int
print_table(void)
{
	static const char *const counters[] = { "vm", "vs", "split" };
	static const char *const feature[] = { "xnack", "sramecc", "agpr", "align2", "dpp_sgpr" };
	const struct gcn_target *t;

	for (size_t i = 0; (t = gcn_target_at(i)); i++) {
		printf("%s wave=%u,%u sgprs=%u vgranule=%u,%u lds=%u,%u counters=%s e_flags=0x%x features=",
		       t->name, t->wave, t->other_wave, t->n_sgpr, t->vgpr_granule_32,
		       t->vgpr_granule_64, t->lds_size, t->lds_granule, counters[t->counters],
		       t->e_flags);
		for (unsigned k = 0; k < sizeof feature / sizeof *feature; k++)
			printf("%s", t->features >> k & 1 ? feature[k] : "-");
		printf("\n");
	}
	return 0;
}

static unsigned
marker(unsigned i)
{
	return 0x4000 | (i & 0x3fff);
}

static bool
is_marker(uint32_t word)
{
	return (word & 0xffffc000) == (0xbf800000 | marker(0));
}

static void
write_bytes(FILE *f, const uint32_t *w, int n)
{
	for (int i = 0; i < n * 4; i++)
		fprintf(f, "0x%02x%s", w[i / 4] >> i % 4 * 8 & 255, i + 1 < n * 4 ? " " : "\n");
}

static void
write_sample(struct files *f, unsigned index, unsigned row, const struct sample *s)
{
	uint32_t nop = 0xbf800000 | marker(index);

	fprintf(f->list, "%u ", row);
	for (int i = 0; i < s->n_words; i++)
		fprintf(f->list, "%08x", s->w[i]);
	fprintf(f->list, " %s\n", s->text);
	fprintf(f->text, "%s\ns_nop 0x%x\n", s->text, marker(index));
	write_bytes(f->bytes, s->w, s->n_words);
	write_bytes(f->bytes, &nop, 1);
}

/* Writes up to `wanted` samples of every row, in at most twice as many tries. */
static int
write_rows(const struct gcn_target *t, unsigned wanted, unsigned seed, const char *folder)
{
	struct files f = { open_in(folder, "list", "w"), open_in(folder, "text.s", "w"),
			   open_in(folder, "bytes", "w") };
	unsigned index = 0, rows = 0, broken = 0, few = 0;
	struct sample s;
	char why[256];

	for (unsigned row = 0; row < GCN_N_ROW; row++) {
		struct dice d = dice(seed, row);
		unsigned n = 0, bad = 0;
		if (!row_on(t, row))
			continue;
		rows++;
		for (unsigned i = 0; i < 2 * wanted && n < wanted; i++) {
			if (!gcn_random(&d, t, row, &s, why)) {
				if (why[0] == '!' && !bad++)
					printf("broken   %-32s %s\n", gcn_row_name(&gcn_rows[row]), why + 1);
			} else if (!is_marker(s.w[0])) {
				write_sample(&f, index++, row, &s);
				n++;
			}
		}
		broken += bad > 0;
		few += n < wanted;
		if (n < wanted && !bad)
			printf("few      %-32s %u samples: %s\n", gcn_row_name(&gcn_rows[row]), n, why);
	}
	printf("rows %u, samples %u, rows with fewer than %u %u, broken rows %u\n", rows, index, wanted,
	       few, broken);
	if (fclose(f.list) | fclose(f.text) | fclose(f.bytes)) {
		perror("rows");
		return 2;
	}
	return broken || few;
}

/* -- Results of the tools ------------------------------------------------------- */

/* Reads the next line without indentation and line end. Returns false at the end of the file. */
static bool
next_line(FILE *f, char line[LINE])
{
	char raw[LINE];
	size_t n = 0;

	if (!fgets(raw, sizeof raw, f))
		return false;
	raw[strcspn(raw, "\n")] = '\0';
	/* LLVM prints more blanks than one where it omits an operand. */
	for (const char *p = raw + strspn(raw, "\t "); *p; p++) {
		if (!strchr("\t ", *p) || (p[1] && !strchr("\t ", p[1])))
			line[n++] = *p == '\t' ? ' ' : *p;
	}
	line[n] = '\0';
	return true;
}

/* Reads the tool's output for one sample: everything up to its marker, joined. */
static void
take(FILE *f, unsigned index, char out[LINE])
{
	char line[LINE], nop[32];
	size_t n = 0;

	snprintf(nop, sizeof nop, "s_nop 0x%x", marker(index));
	out[0] = '\0';
	while (next_line(f, line)) {
		if (!strncmp(line, nop, strlen(nop)))
			return;
		if (line[0] && line[0] != '.' && n + strlen(line) + 4 < LINE)
			n += (size_t)snprintf(out + n, LINE - n, "%s%s", n ? " ;; " : "", line);
	}
}

/* Converts "[0x80,0x00,...]" of the encoding comment to words. */
static void
encoding_words(const char *line, char out[LINE])
{
	const char *at = strstr(line, "encoding: [");
	unsigned byte[4], n = 0;

	out[0] = '\0';
	at = at ? at + strlen("encoding: [") : "";
	while (sscanf(at, "%x,%x,%x,%x", byte, byte + 1, byte + 2, byte + 3) == 4 && n < 64) {
		n += (unsigned)snprintf(out + n, LINE - n, "%02x%02x%02x%02x", byte[3], byte[2], byte[1],
					byte[0]);
		for (int i = 0; i < 4 && *at; i++)
			at += strcspn(at, ",]") + 1;
	}
}

struct tried {
	const char *what;
	unsigned n, same, explained, differ, by_rule[MAX_RULES];
	uint16_t row[GCN_N_ROW]; /* differences by row */
};

static void
examine(struct tried *x, const struct gcn_target *t, unsigned row, const char *words, const char *text,
      const char *got, const char *wanted)
{
	uint32_t w[N_WORDS] = { 0 };
	unsigned rule;

	x->n++;
	if (!strcmp(got, wanted)) {
		x->same++;
		return;
	}
	for (unsigned i = 0; i < N_WORDS && sscanf(words + 8 * i, "%8x", &w[i]) == 1; i++)
		;
	rule = explain(t, encodings[encoding_of(t, w[0])].name, w, got, text);
	if (rule < n_rules) {
		x->explained++;
		x->by_rule[rule]++;
		return;
	}
	x->differ++;
	if (!x->row[row]++ && x->differ <= LISTED * 8)
		printf("%-9s %s %s\n          llvm %s\n", x->what, words, text, got);
}

static int
compare_rows(const struct gcn_target *t, const char *name, const char *folder)
{
	static struct tried back = { .what = "text" }, there = { .what = "bytes" };
	FILE *list = open_in(folder, "list", "r"), *text = open_in(folder, "text.out", "r");
	FILE *bytes = open_in(folder, "bytes.out", "r");
	char line[LINE], got[LINE], words[LINE];
	unsigned row, index, rows = 0;
	int at;

	for (index = 0; next_line(list, line); index++) {
		char *sample;
		if (sscanf(line, "%u %n", &row, &at) != 1 || row >= GCN_N_ROW)
			return 2;
		sample = line + at + strcspn(line + at, " ");
		*sample++ = '\0';
		take(bytes, index, got);
		examine(&back, t, row, line + at, sample, got, sample);
		take(text, index, got);
		encoding_words(got, words);
		examine(&there, t, row, line + at, sample, words[0] ? words : got, line + at);
	}
	for (row = 0; row < GCN_N_ROW; row++)
		rows += back.row[row] || there.row[row];
	printf("%-18s our bytes to text: %u same, %u explained, %u differ; our text to bytes: %u same, "
	       "%u explained, %u differ; rows with differences %u\n",
	       name, back.same, back.explained, back.differ, there.same, there.explained, there.differ,
	       rows);
	for (unsigned i = 0; i < n_rules; i++) {
		if (back.by_rule[i] || there.by_rule[i])
			printf("explained %u and %u by %s\n", back.by_rule[i], there.by_rule[i],
			       rules[i].name);
	}
	fclose(list);
	fclose(text);
	fclose(bytes);
	return back.differ || there.differ || !index;
}

int
main(int argc, char **argv)
{
	if (argc == 6 && !strcmp(argv[1], "write"))
		return write_rows(find_target(argv[2]), (unsigned)atoi(argv[3]),
				  (unsigned)atoi(argv[4]), argv[5]);
	if (argc == 4 && !strcmp(argv[1], "compare"))
		return compare_rows(find_target(argv[2]), argv[2], argv[3]);
	if ((argc == 2 || argc == 3) && !strcmp(argv[1], "targets"))
		return list_targets(argc == 3);
	if (argc == 2 && !strcmp(argv[1], "table"))
		return print_table();
	fprintf(stderr, "usage: rows table\n       rows targets [classes]\n"
			"       rows write TARGET[:WAVE] SAMPLES SEED FOLDER\n"
			"       rows compare TARGET[:WAVE] FOLDER\n");
	return 2;
}
