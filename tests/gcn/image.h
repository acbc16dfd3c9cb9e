/* The judge of images for AMD targets: what every image keeps to that qd makes. */
#ifndef TEST_GCN_IMAGE_H
#define TEST_GCN_IMAGE_H

#include "gcn.h"

/* Where the code begins, behind the descriptor and zeros. */
enum { GCN_IMAGE_CODE = 256 };

/* Whether the image is sound; if not, `why` says where and what.  Some microseconds an
 * instruction: for tests. */
bool gcn_judge_image(const void *image, size_t size, const struct gcn_target *t, char *why,
		     size_t cap);
/* Where QD_TEST_IMAGES names a folder, a copy of a sound image for image.sh, which asks LLVM. */
void gcn_keep_image(const void *image, size_t size, const struct gcn_target *t);

#endif
