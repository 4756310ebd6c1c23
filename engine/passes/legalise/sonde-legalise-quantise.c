/* SPDX-License-Identifier: Apache-2.0
 * Casts and quantised operators as they were before. */
#include "engine/passes/sonde-legalise.h"

const SondeLegalisation sonde_legalisations_quantise[] = {
  { NULL },
};
