/* SPDX-License-Identifier: Apache-2.0
 * Models of TensorFlow -> graph: frozen graphs (.pb) and SavedModels (a folder with
 * saved_model.pb and variables). */
#pragma once

#include "data/base/sonde-io.h"
#include "data/models/lowering/sonde-lowering.h"

G_BEGIN_DECLS

/* @start: a GraphDef: nodes, then what else it has */
gboolean sonde_graphdef_sniff (const guint8 *start, gsize length);
void sonde_graphdef_read (SondeLowering *lowering, const SondeIo *io, const char *path);

/* @start: of a saved_model.pb */
gboolean sonde_saved_model_sniff (const guint8 *start, gsize length);
/* @path: of the saved_model.pb; its variables lie beside it, and no other files are read */
void sonde_saved_model_read (SondeLowering *lowering, const SondeIo *io, const char *path);

G_END_DECLS
