/* SPDX-License-Identifier: Apache-2.0 */
#include "app/workspace/sonde-opened-model.h"

#include "app/workspace/sonde-graph-reading.h"
#include "data/base/sonde-error.h"
#include "engine/passes/sonde-model-census.h"

struct _SondeOpenedModel
{
  GObject parent_instance;
  char *path;
  SondeOpenedModelState state;
  GCancellable *reading;
  SondeGraph *graph;        /* (nullable) */
  SondeModelCensus *census; /* (nullable) */
  char *problem;            /* (nullable) */
};

enum
{
  CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeOpenedModel, sonde_opened_model, G_TYPE_OBJECT)

gboolean
sonde_opened_model_is_path (const char *path)
{
  return g_str_has_suffix (path, ".onnx");
}

static void
on_read (GObject *source, GAsyncResult *result, gpointer data)
{
  SondeOpenedModel *model = SONDE_OPENED_MODEL (source);
  g_autoptr (GError) error = NULL;
  SondeGraph *graph = sonde_graph_read_finish (result, &error);

  if (graph == NULL && g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  model->graph = graph;
  if (graph != NULL)
    model->census = sonde_model_census_new (graph);
  else
    model->problem = g_strdup (sonde_error_get_text (error));
  model->state = graph != NULL ? SONDE_OPENED_MODEL_READY : SONDE_OPENED_MODEL_FAILED;
  g_signal_emit (model, signals[CHANGED], 0);
}

void
sonde_opened_model_start (SondeOpenedModel *model)
{
  g_return_if_fail (SONDE_IS_OPENED_MODEL (model));
  if (model->state != SONDE_OPENED_MODEL_WAITING)
    return;
  model->state = SONDE_OPENED_MODEL_READING;
  sonde_graph_read_async (G_OBJECT (model), model->path, NULL, TRUE, model->reading, on_read);
}

const char *
sonde_opened_model_get_path (SondeOpenedModel *model)
{
  g_return_val_if_fail (SONDE_IS_OPENED_MODEL (model), NULL);
  return model->path;
}

SondeOpenedModelState
sonde_opened_model_get_state (SondeOpenedModel *model)
{
  g_return_val_if_fail (SONDE_IS_OPENED_MODEL (model), SONDE_OPENED_MODEL_WAITING);
  return model->state;
}

SondeGraph *
sonde_opened_model_get_graph (SondeOpenedModel *model)
{
  g_return_val_if_fail (SONDE_IS_OPENED_MODEL (model), NULL);
  return model->graph;
}

guint64
sonde_opened_model_get_n_parameters (SondeOpenedModel *model)
{
  g_return_val_if_fail (SONDE_IS_OPENED_MODEL (model), 0);
  return model->census != NULL ? model->census->n_parameters : 0;
}

guint
sonde_opened_model_get_n_nodes (SondeOpenedModel *model)
{
  g_return_val_if_fail (SONDE_IS_OPENED_MODEL (model), 0);
  return model->census != NULL ? model->census->n_nodes : 0;
}

const char *
sonde_opened_model_get_problem (SondeOpenedModel *model)
{
  g_return_val_if_fail (SONDE_IS_OPENED_MODEL (model), NULL);
  return model->problem;
}

static void
sonde_opened_model_dispose (GObject *object)
{
  g_cancellable_cancel (SONDE_OPENED_MODEL (object)->reading);
  G_OBJECT_CLASS (sonde_opened_model_parent_class)->dispose (object);
}

static void
sonde_opened_model_finalize (GObject *object)
{
  SondeOpenedModel *model = SONDE_OPENED_MODEL (object);

  g_object_unref (model->reading);
  g_clear_pointer (&model->census, sonde_model_census_free);
  g_clear_pointer (&model->graph, sonde_graph_unref);
  g_free (model->problem);
  g_free (model->path);
  G_OBJECT_CLASS (sonde_opened_model_parent_class)->finalize (object);
}

static void
sonde_opened_model_class_init (SondeOpenedModelClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = sonde_opened_model_dispose;
  object_class->finalize = sonde_opened_model_finalize;
  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_opened_model_init (SondeOpenedModel *model)
{
  model->reading = g_cancellable_new ();
}

SondeOpenedModel *
sonde_opened_model_new (const char *path)
{
  SondeOpenedModel *model = g_object_new (SONDE_TYPE_OPENED_MODEL, NULL);

  model->path = g_strdup (path);
  return model;
}
