/* SPDX-License-Identifier: Apache-2.0
 * MindIR files <-> graphs: what data/models uses of this folder. */
#pragma once

#include "data/base/sonde-io.h"
#include "data/models/lowering/sonde-lowering.h"

G_BEGIN_DECLS

/* Do these first bytes look like one? Not an encrypted one. */
gboolean sonde_mindir_sniff (const guint8 *data, gsize length);

/**
 * sonde_mindir_read:
 * @path: NAME.mindir, or NAME_graph.mindir with its weights in the folder NAME_variables beside
 *
 * Loops and branches, which MindIR writes as functions that call each other last, become Loop and
 * If. Errors are the lowering's.
 */
void sonde_mindir_read (SondeLowering *lowering, const SondeIo *io, const char *path);
/* The same from memory, without weights in other files. */
void sonde_mindir_parse (SondeLowering *lowering, const guint8 *data, gsize length);

G_END_DECLS
