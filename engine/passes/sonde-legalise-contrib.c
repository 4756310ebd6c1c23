/* SPDX-License-Identifier: Apache-2.0
 * The domain com.microsoft as operators of the standard. */
#include "engine/passes/sonde-passes-private.h"

const SondeLegalisation sonde_legalisations_contrib[] = {
  { NULL },
};
