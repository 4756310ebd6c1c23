/* SPDX-License-Identifier: Apache-2.0
 * Channel shuffles: Reshape, Transpose, Reshape. */
#pragma once

#include "engine/devices/cpu/sonde-cpu-kernel.h"

G_BEGIN_DECLS

/* How the result of the first or second node of a shuffle lies in the memory of its input, which
 * lies like @from. Returns: (transfer full) (nullable) */
SondeLayout *sonde_cpu_find_view (const SondeNode *node, const SondeLayout *from);

G_END_DECLS
