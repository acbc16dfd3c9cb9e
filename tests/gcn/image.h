/* The checker of images for AMD targets: the invariants of every image that qd emits. */
#ifndef TEST_GCN_IMAGE_H
#define TEST_GCN_IMAGE_H

#include "gcn.h"

/* Offset of the code, after the descriptor, the size of the code and zeros. */
enum { GCN_IMAGE_CODE = 256 };

/* Returns the bytes of code in a valid image. Constants may follow them. */
size_t gcn_image_code_size(const void *image, size_t size);
/* Returns whether the image is valid; if not, `why` has the place and the reason. Takes some
 * microseconds per instruction. */
bool gcn_check_image(const void *image, size_t size, const struct gcn_target *t, char *why,
		     size_t cap);
/* Stores a copy of a valid image in the directory QD_TEST_IMAGES, if set. image.sh checks the
 * copies with LLVM. */
void gcn_keep_image(const void *image, size_t size, const struct gcn_target *t);

#endif
