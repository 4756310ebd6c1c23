/* SPDX-License-Identifier: Apache-2.0
 * The image helper as a program of its own, for tests that need no whole `sonde`. */
#include "data/images/sonde-image-decoder.h"

int
main (void)
{
  return sonde_image_helper_run (0);
}
