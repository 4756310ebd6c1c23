/* SPDX-License-Identifier: Apache-2.0
 * What the labels of a trace are to a flame graph of all its steps together. */
#pragma once

#include "viewers/layout/trace/sonde-flame-tree.h"

G_BEGIN_DECLS

/* SondeFlameKind by label: steps are one frame, the span that PyTorch's profiler draws around everything is left out.
 * (transfer full) */
guint8 *sonde_profiler_make_flame_kinds (const SondeTrace *trace);

G_END_DECLS
