/* SPDX-License-Identifier: Apache-2.0
 * The sound helper as a program of its own, for tests that need no whole `sonde`. */
#include "data/sound/sonde-sound-decoder.h"

int
main (void)
{
  return sonde_sound_helper_run (0);
}
