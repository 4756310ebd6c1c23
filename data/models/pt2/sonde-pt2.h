/* SPDX-License-Identifier: Apache-2.0
 * Programs that torch.export.save() wrote -> graph. */
#pragma once

#include "data/base/sonde-io.h"
#include "data/models/lowering/sonde-lowering.h"

G_BEGIN_DECLS

/* A zip archive whose first member lies in the folder of an exported program, or in that of
 * TorchScript. */
gboolean sonde_pt2_sniff (const guint8 *start, gsize length);
void sonde_pt2_read (SondeLowering *lowering, const SondeIo *io, const char *path);

G_END_DECLS
