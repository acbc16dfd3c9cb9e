/* The public header under the name that it is installed by, for those who use qd from
 * its source tree. */
#include "../../qd.h"
