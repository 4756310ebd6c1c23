/* SPDX-License-Identifier: Apache-2.0
 * A model file that a window was opened on, read once for all pages: its graph, or why there is none. */
#pragma once

#include <gio/gio.h>

#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_OPENED_MODEL_WAITING, /* nobody asked for it yet */
  SONDE_OPENED_MODEL_READING,
  SONDE_OPENED_MODEL_READY,
  SONDE_OPENED_MODEL_FAILED,
} SondeOpenedModelState;

#define SONDE_TYPE_OPENED_MODEL (sonde_opened_model_get_type ())
G_DECLARE_FINAL_TYPE (SondeOpenedModel, sonde_opened_model, SONDE, OPENED_MODEL, GObject)

/* Whether the ending of @path is one of a model that can be read. */
gboolean sonde_opened_model_is_path (const char *path);

SondeOpenedModel *sonde_opened_model_new (const char *path);
/* In a thread, once; shapes that the model does not say are inferred. */
void sonde_opened_model_start (SondeOpenedModel *model);

const char *sonde_opened_model_get_path (SondeOpenedModel *model);
/* Signal "changed" (): the state is another one. */
SondeOpenedModelState sonde_opened_model_get_state (SondeOpenedModel *model);
/* The graph once it is there; starts the reading where nobody did. */
void sonde_opened_model_read_async (SondeOpenedModel *model, GCancellable *cancellable,
                                    GAsyncReadyCallback callback, gpointer data);
/* (transfer full) Errors: as sonde_graph_read_finish(). */
SondeGraph *sonde_opened_model_read_finish (SondeOpenedModel *model, GAsyncResult *result,
                                            GError **error);
/* NULL unless READY. (nullable) (transfer none) */
SondeGraph *sonde_opened_model_get_graph (SondeOpenedModel *model);
/* Elements of all parameters; nodes, those of bodies included. 0 unless READY. */
guint64 sonde_opened_model_get_n_parameters (SondeOpenedModel *model);
guint sonde_opened_model_get_n_nodes (SondeOpenedModel *model);
/* A sentence in the user's language, NULL unless FAILED. (nullable) */
const char *sonde_opened_model_get_problem (SondeOpenedModel *model);

G_END_DECLS
