/* SPDX-License-Identifier: Apache-2.0 */
#include "app/workspace/sonde-opened-model.h"

#include "app/workspace/sonde-graph-reading.h"
#include "data/base/sonde-error.h"
#include "data/models/sonde-model-file.h"
#include "engine/passes/sonde-model-census.h"

struct _SondeOpenedModel
{
  GObject parent_instance;
  char *path;
  SondeOpenedModelState state;
  SondeGraph *graph;        /* (nullable) */
  SondeModelCensus *census; /* (nullable) */
  GError *error;            /* (nullable) */
  GPtrArray *waiting;       /* (element-type GTask) */
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
  return sonde_model_has_extension (path);
}

/* @task: of a reading that is over */
static void
answer (SondeOpenedModel *model, GTask *task)
{
  if (model->graph != NULL)
    g_task_return_pointer (task, sonde_graph_ref (model->graph),
                           (GDestroyNotify) sonde_graph_unref);
  else
    g_task_return_error (task, g_error_copy (model->error));
}

static void
on_read (GObject *source, GAsyncResult *result, gpointer data)
{
  SondeOpenedModel *model = SONDE_OPENED_MODEL (source);
  g_autoptr (GPtrArray) waiting = g_steal_pointer (&model->waiting);

  model->waiting = g_ptr_array_new_with_free_func (g_object_unref);
  model->graph = sonde_graph_read_finish (result, &model->error);
  if (model->graph != NULL)
    model->census = sonde_model_census_new (model->graph);
  model->state = model->graph != NULL ? SONDE_OPENED_MODEL_READY : SONDE_OPENED_MODEL_FAILED;
  for (guint i = 0; i < waiting->len; i++)
    answer (model, waiting->pdata[i]);
  g_signal_emit (model, signals[CHANGED], 0);
}

void
sonde_opened_model_start (SondeOpenedModel *model)
{
  g_return_if_fail (SONDE_IS_OPENED_MODEL (model));
  if (model->state != SONDE_OPENED_MODEL_WAITING)
    return;
  model->state = SONDE_OPENED_MODEL_READING;
  sonde_graph_read_async (G_OBJECT (model), model->path, NULL, TRUE, NULL, on_read);
}

void
sonde_opened_model_read_async (SondeOpenedModel *model, GCancellable *cancellable,
                               GAsyncReadyCallback callback, gpointer data)
{
  g_autoptr (GTask) task = g_task_new (model, cancellable, callback, data);

  sonde_opened_model_start (model);
  if (model->state == SONDE_OPENED_MODEL_READING)
    g_ptr_array_add (model->waiting, g_steal_pointer (&task));
  else
    answer (model, task);
}

SondeGraph *
sonde_opened_model_read_finish (SondeOpenedModel *model, GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
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
  return model->error != NULL ? sonde_error_get_text (model->error) : NULL;
}

static void
sonde_opened_model_finalize (GObject *object)
{
  SondeOpenedModel *model = SONDE_OPENED_MODEL (object);

  g_ptr_array_unref (model->waiting);
  g_clear_pointer (&model->census, sonde_model_census_free);
  g_clear_pointer (&model->graph, sonde_graph_unref);
  g_clear_error (&model->error);
  g_free (model->path);
  G_OBJECT_CLASS (sonde_opened_model_parent_class)->finalize (object);
}

static void
sonde_opened_model_class_init (SondeOpenedModelClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = sonde_opened_model_finalize;
  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_opened_model_init (SondeOpenedModel *model)
{
  model->waiting = g_ptr_array_new_with_free_func (g_object_unref);
}

SondeOpenedModel *
sonde_opened_model_new (const char *path)
{
  SondeOpenedModel *model = g_object_new (SONDE_TYPE_OPENED_MODEL, NULL);

  model->path = g_strdup (path);
  return model;
}
