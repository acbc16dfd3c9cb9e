/* gcn_image TARGET WAVE FOLDER IMAGE... writes images for LLVM: the bytes of their code to
 * FOLDER/bytes, an instruction a line, and qd's text of it to FOLDER/text. image.sh runs it. */
#include <stdio.h>
#include <stdlib.h>

#include "image.h"

static FILE *
create(const char *folder, const char *name)
{
	char path[1024];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	return fopen(path, "w");
}

static bool
write_lines(const struct gcn_target *t, const uint32_t *words, size_t n, FILE *bytes, FILE *text)
{
	char line[512];

	for (size_t at = 0; at < n;) {
		struct gcn_insn in;
		int len = gcn_decode(t, words + at, n - at, &in);
		if (!len)
			return false;
		gcn_print(t, &in, line, sizeof line);
		fprintf(text, "%s\n", line);
		for (int k = 0; k < 4 * len; k++)
			fprintf(bytes, "%s0x%02x", k ? "," : "",
				words[at + (size_t)(k / 4)] >> k % 4 * 8 & 255);
		fprintf(bytes, "\n");
		at += (size_t)len;
	}
	return true;
}

/* Prints a message and returns false on failure. */
static bool
write_image(const struct gcn_target *t, const char *name, FILE *bytes, FILE *text)
{
	static uint32_t image[1 << 20];
	FILE *in = fopen(name, "rb");
	size_t size = in ? fread(image, 1, sizeof image, in) : 0;
	char why[512] = "the file cannot be read";

	if (in)
		fclose(in);
	if (in && gcn_check_image(image, size, t, why, sizeof why) &&
	    write_lines(t, image + GCN_IMAGE_CODE / 4, gcn_image_code_size(image, size) / 4, bytes, text))
		return true;
	fprintf(stderr, "%s: %s\n", name, why);
	return false;
}

int
main(int argc, char **argv)
{
	const struct gcn_target *t =
		argc > 4 ? gcn_target_find(argv[1], (unsigned)atoi(argv[2])) : NULL;
	FILE *bytes, *text;
	bool ok = true;

	if (!t)
		return fprintf(stderr, "usage: gcn_image TARGET WAVE FOLDER IMAGE...\n"), 2;
	bytes = create(argv[3], "bytes");
	text = create(argv[3], "text");
	if (!bytes || !text)
		return fprintf(stderr, "gcn_image: %s cannot be written to\n", argv[3]), 2;
	for (int i = 4; i < argc; i++)
		ok &= write_image(t, argv[i], bytes, text);
	return fclose(bytes) || fclose(text) || !ok;
}
