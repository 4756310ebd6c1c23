/* SPDX-License-Identifier: Apache-2.0
 * Functions of sequences as loops. */
#include "engine/passes/sonde-passes-private.h"

const SondeLegalisation sonde_legalisations_sequence[] = {
  { NULL },
};
