/* SPDX-License-Identifier: Apache-2.0
 * Resize, Upsample and pooling as they were before. */
#include "engine/passes/sonde-passes-private.h"

const SondeLegalisation sonde_legalisations_image[] = {
  { NULL },
};
