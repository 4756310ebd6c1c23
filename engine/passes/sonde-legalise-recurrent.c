/* SPDX-License-Identifier: Apache-2.0
 * Recurrent and attention operators as they were before. */
#include "engine/passes/sonde-passes-private.h"

const SondeLegalisation sonde_legalisations_recurrent[] = {
  { NULL },
};
