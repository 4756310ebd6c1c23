/* SPDX-License-Identifier: Apache-2.0
 * Writing what runs, opening what was written. */
#include "app/worker/sonde-worker-capture.h"

#include <fnmatch.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/models/sonde-model-file.h"

/* ---- writing ------------------------------------------------------------- */

static gboolean
same_bytes (SondeTensor *a, SondeTensor *b)
{
  g_autoptr (SondeTensor) left = NULL, right = NULL;

  if (a->dtype != b->dtype || a->dtype == SONDE_DTYPE_STRING
      || !sonde_shape_equal (&a->shape, &b->shape))
    return FALSE;
  left = sonde_tensor_contiguous (a);
  right = sonde_tensor_contiguous (b);
  return memcmp (left->data, right->data, sonde_tensor_n_bytes (left)) == 0;
}

/* Weights, states and constants of @copy become what @execution holds of them. */
static gboolean
take_weights (SondeGraph *copy, SondeExecution *execution, GError **error)
{
  SondeGraph *executed = sonde_plan_get_graph (sonde_execution_get_plan (execution));

  for (guint i = 0; i < copy->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (copy->values, i), *twin;
      SondeTensor *old = value != NULL ? sonde_value_get_tensor (value->constant) : NULL;
      g_autoptr (SondeTensor) now = NULL;

      if (value == NULL || value->producer != NULL || value->outer != NULL
          || (old == NULL && value->role != SONDE_ROLE_PARAMETER
              && value->role != SONDE_ROLE_STATE))
        continue;
      twin = sonde_graph_find_value (executed, value->name);
      if (twin == NULL || twin->producer != NULL
          || (!sonde_execution_is_available (execution, twin)
              && !sonde_plan_updates (sonde_execution_get_plan (execution), twin)))
        continue; /* folded away: it cannot have changed */
      now = sonde_execution_read (execution, twin, error);
      if (now == NULL)
        return FALSE;
      if (old != NULL && same_bytes (old, now))
        continue;
      g_clear_pointer (&value->constant, sonde_value_unref);
      value->constant = sonde_value_new_tensor (now);
    }
  return TRUE;
}

static gboolean
put_model (SondeCapture *capture, SondeActivity *activity, SondeExecution *execution,
           GError **error)
{
  const SondeActivityClass *klass = activity->klass;
  SondeGraph *graph
      = !capture->executed && klass->get_original != NULL ? klass->get_original (activity) : NULL;
  g_autoptr (SondeGraph) copy = NULL;

  if (graph == NULL)
    {
      graph = sonde_plan_get_graph (sonde_execution_get_plan (execution));
      capture->executed = TRUE;
    }
  copy = sonde_graph_copy (graph, FALSE);
  if (!take_weights (copy, execution, error))
    return FALSE;
  capture->model = sonde_model_serialise (copy, error);
  return capture->model != NULL;
}

static gboolean
put_inputs (SondeCapture *capture, SondeExecution *execution, GError **error)
{
  SondeGraph *graph = sonde_plan_get_graph (sonde_execution_get_plan (execution));

  for (guint i = 0; i < graph->inputs->len; i++)
    {
      SondeGraphValue *input = g_ptr_array_index (graph->inputs, i);
      g_autoptr (SondeTensor) tensor = NULL;

      if (input->constant != NULL || !sonde_execution_is_available (execution, input))
        continue;
      tensor = sonde_execution_read (execution, input, error);
      if (tensor == NULL)
        return FALSE;
      sonde_capture_add_input (capture, input->name, tensor);
    }
  return TRUE;
}

static gboolean
is_chosen (const SondeSessionCapture *request, const char *name)
{
  for (gsize i = 0; request->values != NULL && request->values[i] != NULL; i++)
    if (g_str_equal (request->values[i], name) || fnmatch (request->values[i], name, 0) == 0)
      return TRUE;
  return FALSE;
}

/* Statistics of all that is there, and the chosen ones whole. */
static gboolean
put_values (SondeCapture *capture, SondeExecution *execution, const SondeSessionCapture *request,
            GError **error)
{
  SondeGraph *graph = sonde_plan_get_graph (sonde_execution_get_plan (execution));

  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->values, i);
      gboolean chosen = value != NULL && is_chosen (request, value->name);
      g_autoptr (SondeTensor) tensor = NULL;
      SondeStatistics statistics;
      gboolean known;

      if (value == NULL || (value->producer == NULL && !chosen)
          || !sonde_execution_is_available (execution, value))
        continue;
      if (chosen && (tensor = sonde_execution_read (execution, value, error)) == NULL)
        return FALSE;
      known = sonde_execution_read_statistics (execution, value, &statistics, NULL);
      if (known || tensor != NULL)
        sonde_capture_add_value (capture, value->name, tensor, known ? &statistics : NULL);
    }
  return TRUE;
}

static void
set_number (SondeCapture *capture, const char *key, guint64 number)
{
  g_autofree char *text = g_strdup_printf ("%" PRIu64, number);

  sonde_capture_set_fact (capture, key, text);
}

static void
put_facts (SondeCapture *capture, SondeExecution *execution, const SondeSessionFacts *facts,
           const SondeSessionCapture *request)
{
  guint64 seed, counter;

  sonde_execution_get_counter (execution, &seed, &counter);
  sonde_capture_set_fact (capture, "program", "sonde " SONDE_VERSION);
  sonde_capture_set_fact (capture, "title", facts->title);
  sonde_capture_set_fact (capture, "kind",
                          facts->kind == SONDE_ACTIVITY_TRAINING ? "training" : "inference");
  sonde_capture_set_fact (
      capture, "device", sonde_plan_get_device (sonde_execution_get_plan (execution))->klass->name);
  set_number (capture, "seed", seed);
  set_number (capture, "counter", counter);
  set_number (capture, "step", facts->step);
  sonde_capture_set_fact (capture, "node", request->stop->node);
  sonde_capture_set_fact (capture, "when", sonde_moment_name (request->stop->moment));
  if (facts->run_directory != NULL)
    {
      g_autofree char *recipe = g_build_filename (facts->run_directory, "run.ini", NULL),
                      *text = NULL;

      if (g_file_get_contents (recipe, &text, NULL, NULL) && g_utf8_validate (text, -1, NULL))
        sonde_capture_set_fact (capture, "recipe", text);
    }
}

gboolean
sonde_worker_write_capture (SondeActivity *activity, const SondeSessionCapture *request,
                            GError **error)
{
  g_autoptr (SondeCapture) capture = sonde_capture_new ();
  SondeExecution *execution = activity->klass->get_execution (activity);
  SondeSessionFacts facts;

  activity->klass->get_facts (activity, &facts);
  capture->executed = facts.kind == SONDE_ACTIVITY_TRAINING;
  put_facts (capture, execution, &facts, request);
  for (guint i = 0; i < request->stops->len; i++)
    {
      const SondeCaptureStop *stop = g_ptr_array_index (request->stops, i);

      sonde_capture_add_stop (capture, stop->command, stop->enabled);
    }
  return put_model (capture, activity, execution, error) && put_inputs (capture, execution, error)
         && put_values (capture, execution, request, error)
         && sonde_capture_write (capture, request->path, error);
}

/* ---- opening ------------------------------------------------------------- */

/* What ran is planned as a training plans it, so that its bits are the same; a model as the user
 * wrote it is prepared first. */
static gboolean
prepare (SondeInference *inference, const SondeCapture *capture,
         const SondeInferenceOptions *options, GError **error)
{
  gsize n = sonde_named_tensors_get_size (inference->inputs);
  g_autofree SondeBinding *bindings = g_new0 (SondeBinding, MAX (n, 1));
  const char *device
      = options->device != NULL ? options->device : sonde_capture_get_fact (capture, "device");
  SondePlanOptions plan_options = { .memory = SONDE_MEMORY_KEEP, .no_fusion = !capture->executed };

  for (gsize i = 0; i < n; i++)
    {
      SondeTensor *tensor = sonde_named_tensors_get_tensor (inference->inputs, i);

      bindings[i].name = sonde_named_tensors_get_name (inference->inputs, i);
      bindings[i].type = sonde_type_tensor (tensor->dtype, &tensor->shape);
    }
  plan_options.bindings = bindings;
  plan_options.n_bindings = (guint) n;
  inference->graph = capture->executed ? sonde_graph_copy (inference->original, FALSE)
                                       : sonde_prepare_inference (inference->original, error);
  if (inference->graph == NULL)
    return FALSE;
  if (!capture->executed && g_strcmp0 (device, "reference") != 0
      && !sonde_pass_upcast (inference->graph, error))
    return FALSE;
  inference->device = sonde_device_open (device != NULL ? device : "cpu", options->threads, error);
  if (inference->device != NULL)
    inference->plan = sonde_plan_new (inference->graph, inference->device, &plan_options, error);
  if (inference->plan != NULL)
    inference->execution = sonde_execution_new (inference->plan, error);
  return inference->execution != NULL;
}

static guint64
get_number (const SondeCapture *capture, const char *key)
{
  const char *text = sonde_capture_get_fact (capture, key);

  return text != NULL ? g_ascii_strtoull (text, NULL, 10) : 0;
}

static gboolean
set_inputs (SondeInference *inference, const SondeCapture *capture, GError **error)
{
  for (gsize i = 0; i < sonde_named_tensors_get_size (inference->inputs); i++)
    if (!sonde_execution_set_input (inference->execution,
                                    sonde_named_tensors_get_name (inference->inputs, i),
                                    sonde_named_tensors_get_tensor (inference->inputs, i), error))
      return FALSE;
  sonde_execution_set_counter (inference->execution, get_number (capture, "seed"),
                               get_number (capture, "counter"));
  return TRUE;
}

SondeInference *
sonde_worker_open_capture (const char *path, const SondeInferenceOptions *options,
                           SondeCapture **result, GError **error)
{
  g_autoptr (SondeCapture) capture = sonde_capture_read (path, error);
  g_autoptr (SondeInference) inference = g_new0 (SondeInference, 1);
  const guint8 *data;
  gsize length;

  if (capture == NULL)
    return NULL;
  if (capture->model == NULL)
    {
      sonde_set_error (
          error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
          "The capture “%s” is of a program that Sonde does not run: it has no graph. sonde "
          "inspect shows what it holds; sonde.debug.open_capture puts that back into "
          "the PyTorch model.",
          path);
      return NULL;
    }
  data = g_bytes_get_data (capture->model, &length);
  inference->inputs = sonde_named_tensors_new ();
  inference->original = sonde_model_parse (data, length, path, error);
  if (inference->original == NULL)
    return NULL;
  for (guint i = 0; i < capture->inputs->len; i++)
    {
      const SondeCaptureValue *input = g_ptr_array_index (capture->inputs, i);

      sonde_named_tensors_set (inference->inputs, input->name, input->tensor);
    }
  for (gsize i = 0; options->inputs != NULL && options->inputs[i] != NULL; i++)
    if (!sonde_inference_read_input (inference, options->inputs[i], error))
      return NULL;
  if (!prepare (inference, capture, options, error) || !set_inputs (inference, capture, error))
    {
      sonde_prefix_error (error, "“%s”: ", path);
      return NULL;
    }
  *result = g_steal_pointer (&capture);
  return g_steal_pointer (&inference);
}
