/* SPDX-License-Identifier: Apache-2.0
 * The host table of sessions. */
#include "app/worker/sonde-worker-host.h"

#include <string.h>

#include "app/worker/dumps/sonde-dump-activity.h"
#include "app/worker/sonde-inference-activity.h"
#include "app/worker/sonde-explain-service.h"
#include "app/worker/sonde-training-job.h"
#include "app/worker/steps/sonde-step-comparison.h"
#include "app/worker/sonde-worker-files.h"
#include "app/worker/sonde-worker-capture.h"
#include "app/worker/sonde-worker-run.h"
#include "data/arrays/sonde-npy.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-io.h"
#include "data/models/sonde-model-file.h"
#include "engine/nn/sonde-zoo.h"

struct _SondeWorkerHost
{
  SondeSessionHost host;
  char *program;
  SondeExplainService *studies;
  SondeSessionServer *server; /* (nullable) */
};

/* A model may be a folder. */
static gboolean
is_model_file (const char *subject)
{
  return (g_file_test (subject, G_FILE_TEST_IS_REGULAR) && sonde_capture_sniff (subject))
         || (g_file_test (subject, G_FILE_TEST_EXISTS)
             && sonde_model_sniff (NULL, subject, NULL) != NULL);
}

gboolean
sonde_worker_subject_is_training (const char *subject)
{
  return !is_model_file (subject) && !g_file_test (subject, G_FILE_TEST_IS_DIR);
}

SondeRecipe *
sonde_worker_load_recipe (const char *subject, const char *const *sets, GError **error)
{
  g_autoptr (SondeRecipe) recipe = NULL;

  /* A file of that name goes before a built-in model; a name that is neither gives the list of
   * models. */
  if (g_file_test (subject, G_FILE_TEST_EXISTS) && !is_model_file (subject))
    recipe = sonde_recipe_load (NULL, subject, error);
  else if (strchr (subject, '/') == NULL && strchr (subject, '.') == NULL
           && !g_strv_contains (sonde_zoo_list (), subject))
    {
      g_autofree char *names = g_strjoinv (", ", (char **) sonde_zoo_list ());

      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                       "“%s” is neither a file nor a built-in model. The built-in models are: %s.",
                       subject, names);
    }
  else if (!g_file_test (subject, G_FILE_TEST_EXISTS)
           && !g_strv_contains (sonde_zoo_list (), subject))
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND, "There is no file “%s”.",
                     subject);
  else
    {
      recipe = sonde_recipe_new_default ();
      g_free (recipe->model_name);
      recipe->model_name = g_strdup (subject);
    }
  if (recipe == NULL)
    return NULL;
  for (gsize i = 0; sets != NULL && sets[i] != NULL; i++)
    if (!sonde_recipe_set_assignment (recipe, sets[i], error))
      return sonde_prefix_error (error, "--set %s: ", sets[i]), NULL;
  return g_steal_pointer (&recipe);
}

static void
on_step_done (SondeTrainingJob *job, gpointer server)
{
  sonde_session_server_report_progress (server);
}

static SondeActivity *
open_training (SondeWorkerHost *self, const SondeOpenRequest *request, GError **error)
{
  g_autoptr (SondeRecipe) recipe
      = sonde_worker_load_recipe (request->subject, request->sets, error);
  SondeTrainingJobOptions options = { 0 };
  g_autofree char *run = NULL;
  g_autoptr (SondeTrainingJob) job = NULL;

  if (recipe == NULL)
    return NULL;
  if (request->threads > 0)
    recipe->train_threads = (guint) request->threads;
  run = request->run_directory != NULL ? g_strdup (request->run_directory)
                                       : sonde_training_job_suggest_run (recipe);
  options.recipe = recipe;
  options.run = run;
  options.memory = SONDE_MEMORY_KEEP;
  options.device = request->device;
  options.program = self->program;
  job = sonde_training_job_open (&options, error);
  if (job != NULL && self->server != NULL)
    sonde_training_job_set_progress (job, on_step_done, self->server);
  return job != NULL ? sonde_training_job_dup_activity (job) : NULL;
}

/* What --set says of a model that is not trained: its model keys. */
static gboolean
take_model_keys (SondeRecipe *recipe, const char *const *sets, GError **error)
{
  for (gsize i = 0; sets != NULL && sets[i] != NULL; i++)
    {
      if (!g_str_has_prefix (sets[i], "model."))
        {
          sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                           "--set %s changes a training, but a model is run here. Of a model, "
                           "model.signature, model.weights and model.shapes can be set.",
                           sets[i]);
          return FALSE;
        }
      if (!sonde_recipe_set_assignment (recipe, sets[i], error))
        return sonde_prefix_error (error, "--set %s: ", sets[i]), FALSE;
    }
  return TRUE;
}

static SondeActivity *
open_inference (const SondeOpenRequest *request, GError **error)
{
  g_autoptr (SondeRecipe) recipe = sonde_recipe_new_default ();
  SondeModelChoice choice;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func (g_free);
  SondeInferenceOptions options = { 0 };

  for (guint i = 0; i < request->n_inputs; i++)
    g_ptr_array_add (inputs, request->inputs[i].name != NULL ? g_strdup_printf (
                                 "%s=%s", request->inputs[i].name, request->inputs[i].path)
                                                             : g_strdup (request->inputs[i].path));
  g_ptr_array_add (inputs, NULL);
  if (!take_model_keys (recipe, request->sets, error))
    return NULL;
  sonde_model_choice_from_recipe (&choice, recipe);
  options.choice = &choice;
  options.inputs = (const char *const *) inputs->pdata;
  options.device = request->device;
  options.threads = request->threads;
  if (sonde_capture_sniff (request->subject))
    return sonde_inference_activity_new_capture (request->subject, &options, error);
  return sonde_inference_activity_new (request->subject, &options, error);
}

static SondeActivity *
host_open (SondeSessionHost *host, const SondeOpenRequest *request, SondeSessionProgress progress,
           gpointer progress_data, GError **error)
{
  if (progress != NULL)
    progress (N_ ("loading"), -1, progress_data);
  if (g_file_test (request->subject, G_FILE_TEST_IS_DIR) && !is_model_file (request->subject))
    return sonde_dump_activity_new (request, error);
  if (request->training || sonde_worker_subject_is_training (request->subject))
    return open_training ((SondeWorkerHost *) host, request, error);
  return open_inference (request, error);
}

/* Constants above the limit become inputs of the copy: names, types and edges stay. */
static void
drop_large_constants (SondeGraph *graph, gsize max_bytes)
{
  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->values, i);
      SondeTensor *tensor = value != NULL ? sonde_value_get_tensor (value->constant) : NULL;

      if (tensor == NULL || sonde_tensor_n_bytes (tensor) <= max_bytes)
        continue;
      g_clear_pointer (&value->constant, sonde_value_unref);
      if (!g_ptr_array_find (graph->inputs, value, NULL))
        g_ptr_array_add (graph->inputs, value);
    }
}

/* What was recorded and no node made is an input of the copy: a model has no other word for it. */
static void
declare_recorded (SondeGraph *graph)
{
  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->values, i);

      if (value != NULL && value->recorded && value->producer == NULL && value->users->len > 0)
        g_ptr_array_add (graph->inputs, value);
    }
}

static GBytes *
host_serialise_graph (SondeSessionHost *host, SondeGraph *graph, gsize max_constant_bytes,
                      GError **error)
{
  g_autoptr (SondeGraph) copy = sonde_graph_copy (graph, FALSE);

  drop_large_constants (copy, max_constant_bytes);
  declare_recorded (copy);
  return sonde_model_serialise (copy, error);
}

static gboolean
host_save_value (SondeSessionHost *host, SondeTensor *tensor, const char *path, GError **error)
{
  return sonde_npy_write (NULL, path, tensor, error);
}

static SondeTensor *
host_load_value (SondeSessionHost *host, const char *path, GError **error)
{
  return sonde_npy_read (NULL, path, error);
}

static GHashTable *
host_read_tensors (SondeSessionHost *host, const char *path, GError **error)
{
  return sonde_worker_read_tensors (path, error);
}

static SondeTensor *
host_read_recorded (SondeSessionHost *host, const char *run, const char *name, guint64 step,
                    GError **error)
{
  return sonde_worker_read_recorded (run, name, step, error);
}

static SondeGraph *
host_load_graph (SondeSessionHost *host, const char *path, GError **error)
{
  return sonde_worker_load_graph (path, error);
}

static gboolean
host_write_text (SondeSessionHost *host, const char *path, const char *text, GError **error)
{
  return sonde_io_replace_file (NULL, path, text, strlen (text), error);
}

static gboolean
host_write_capture (SondeSessionHost *host, SondeActivity *activity,
                    const SondeSessionCapture *request, GError **error)
{
  return sonde_worker_write_capture (activity, request, error);
}

static gboolean
host_save_model (SondeSessionHost *host, SondeGraph *graph, const char *path, GError **error)
{
  return sonde_model_save (NULL, path, graph, error);
}

static SondeDivergence *
host_compare_step (SondeSessionHost *host, const SondeStepComparisonRequest *asked,
                   gboolean (*tick) (guint step, guint n_steps, gpointer data), gpointer data,
                   GError **error)
{
  return sonde_step_comparison_run (asked, tick, data, error);
}

static gboolean
host_call (SondeSessionHost *host, SondeSessionCall *call, GVariant **result, GPtrArray **tensors,
           GError **error)
{
  return sonde_explain_service_call (((SondeWorkerHost *) host)->studies, call, result, tensors,
                                     error);
}

SondeWorkerHost *
sonde_worker_host_new (const char *program)
{
  SondeWorkerHost *self = g_new0 (SondeWorkerHost, 1);

  self->host
      = (SondeSessionHost){ host_open, host_serialise_graph, host_save_value, host_load_value };
  self->host.read_tensors = host_read_tensors;
  self->host.read_recorded = host_read_recorded;
  self->host.load_graph = host_load_graph;
  self->host.write_text = host_write_text;
  self->host.write_capture = host_write_capture;
  self->host.save_model = host_save_model;
  self->host.compare_step = host_compare_step;
  self->host.call = host_call;
  self->studies = sonde_explain_service_new (program);
  self->program = g_strdup (program);
  return self;
}

void
sonde_worker_host_free (SondeWorkerHost *host)
{
  if (host == NULL)
    return;
  sonde_explain_service_free (host->studies);
  g_free (host->program);
  g_free (host);
}

SondeSessionHost *
sonde_worker_host_get_session_host (SondeWorkerHost *host)
{
  return &host->host;
}

void
sonde_worker_host_set_server (SondeWorkerHost *host, SondeSessionServer *server)
{
  host->server = server;
}
