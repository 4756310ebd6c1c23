/* SPDX-License-Identifier: Apache-2.0
 * Indexing, ordering and random operators as they were before. */
#include "engine/passes/sonde-passes-private.h"

const SondeLegalisation sonde_legalisations_index[] = {
  { NULL },
};
