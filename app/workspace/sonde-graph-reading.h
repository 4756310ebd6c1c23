/* SPDX-License-Identifier: Apache-2.0
 * The graph of a model file or of a record, made in a thread. */
#pragma once

#include <gio/gio.h>

#include "data/records/sonde-record.h"

G_BEGIN_DECLS

/**
 * sonde_graph_read_async:
 * @owner: source of the result, kept alive meanwhile
 * @path: (nullable): a model file; NULL: @record
 * @record: (nullable): of kind GRAPH, lent for the call; its model or its foreign graph
 * @with_shapes: infer the shapes that the model does not say; a foreign graph stays as it is
 */
void sonde_graph_read_async (GObject *owner, const char *path, const SondeRecord *record,
                             gboolean with_shapes, GCancellable *cancellable,
                             GAsyncReadyCallback callback);
/* (transfer full) Errors: as sonde_model_load(); DAMAGED for a record that holds no graph. */
SondeGraph *sonde_graph_read_finish (GAsyncResult *result, GError **error);

G_END_DECLS
