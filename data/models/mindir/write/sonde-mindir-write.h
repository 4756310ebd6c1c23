/* SPDX-License-Identifier: Apache-2.0
 * Graphs -> MindIR files: what data/models uses of this folder. */
#pragma once

#include "data/arrays/sonde-tensor-blob.h"
#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

/* A file as MindSpore 2.10 loads it. @graph: with the types of its values, as far as they are known:
 * many primitives want sizes as numbers. Errors: UNSUPPORTED for all operators that MindIR has no form
 * for; DAMAGED (a cycle). @blob: (nullable): takes the parameters. (transfer full) */
GBytes *sonde_mindir_serialise (SondeGraph *graph, SondeTensorBlob *blob, GError **error);

/* Is there a form for some nodes of @op? */
gboolean sonde_mindir_writes (const char *domain, const char *op);

G_END_DECLS
