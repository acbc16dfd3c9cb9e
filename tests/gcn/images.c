/* gcn_images DIR: checks every image for an AMD target in DIR. QD_DUMP=bin writes these as
 * NAME_TARGET_HASH.gcn, with a dash for a colon in the target's text. QD_TEST_MUTATION=1: flips a
 * bit of the first instruction. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "image.h"

enum { MAX_IMAGE = 1 << 22 };

/* Returns the target of "gfx1100" or "gfx1100-w64". Ignores options that do not change
 * instructions. NULL: not a target of qd. */
static const struct gcn_target *
target_of(const char *file)
{
	char name[64] = "";
	const char *end = strrchr(file, '_'), *at = end;
	unsigned wave = 0;

	while (at && at > file && at[-1] != '_')
		at--;
	if (!at || (size_t)(end - at) >= sizeof name)
		return NULL;
	memcpy(name, at, (size_t)(end - at));
	for (char *opt = strchr(name, '-'); opt; opt = strchr(opt, '-')) {
		*opt++ = '\0';
		/* -wN: the wave size; with -hN: the wave size is N, and w the subgroup size. */
		if (*opt == 'h' || (*opt == 'w' && !strstr(opt, "-h")))
			wave = (unsigned)strtoul(opt + 1, NULL, 10);
	}
	return gcn_target_find(name, wave);
}

static bool
examine(const char *dir, const char *file)
{
	static uint32_t image[MAX_IMAGE / 4];
	const struct gcn_target *t = target_of(file);
	char path[4096], why[256];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", dir, file);
	f = fopen(path, "rb");
	size_t size = f ? fread(image, 1, sizeof image, f) : 0;
	if (f)
		fclose(f);
	if (size > GCN_IMAGE_CODE && getenv("QD_TEST_MUTATION"))
		image[GCN_IMAGE_CODE / 4] ^= 1u << 24;
	if (!t || !size)
		snprintf(why, sizeof why, "%s",
			 t ? "the file cannot be read" : "it names no target");
	else if (gcn_check_image(image, size, t, why, sizeof why))
		return true;
	printf("%s: %s\n", file, why);
	return false;
}

int
main(int argc, char **argv)
{
	unsigned n = 0, wrong = 0;
	struct dirent *entry;
	DIR *dir = argc == 2 ? opendir(argv[1]) : NULL;

	if (!dir) {
		fprintf(stderr, "usage: gcn_images DIR\n");
		return 2;
	}
	while ((entry = readdir(dir))) {
		size_t len = strlen(entry->d_name);
		if (len < 4 || strcmp(entry->d_name + len - 4, ".gcn") != 0)
			continue;
		n++;
		if (!examine(argv[1], entry->d_name) && ++wrong == 20)
			break;
	}
	closedir(dir);
	printf("%u images, %u wrong\n", n, wrong);
	return !n || wrong;
}
