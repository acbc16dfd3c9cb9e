/* The public header as C++. */
#include "hdr.c"
