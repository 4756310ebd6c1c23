/* SPDX-License-Identifier: Apache-2.0
 * Opens a model and its inputs. */
#include "app/worker/sonde-inference.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-clock.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-io.h"
#include "engine/debug/searches/sonde-precision.h"

#define MAX_RECIPE_BYTES (16 << 20)
#define RANDOM "random" /* in place of a file; a file of that name is "./random" */

/* Inputs that must be given: those without a default. */
static GPtrArray *
list_required (SondeGraph *graph)
{
  GPtrArray *required = g_ptr_array_new ();

  for (guint i = 0; i < graph->inputs->len; i++)
    {
      SondeGraphValue *input = g_ptr_array_index (graph->inputs, i);

      if (input->constant == NULL)
        g_ptr_array_add (required, input);
    }
  return required;
}

/* "x (float32 1×3), y (…)". (transfer full) */
static char *
list_inputs (const SondeGraph *graph)
{
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < graph->inputs->len; i++)
    {
      SondeGraphValue *input = g_ptr_array_index (graph->inputs, i);
      g_autofree char *type = sonde_type_to_string (&input->type);

      g_string_append_printf (names, "%s%s (%s)", i > 0 ? ", " : "", input->name, type);
    }
  return g_string_free (names, FALSE);
}

static gboolean
is_input (SondeGraph *graph, const char *name)
{
  SondeGraphValue *value = sonde_graph_find_value (graph, name);

  return value != NULL && g_ptr_array_find (graph->inputs, value, NULL);
}

/* ---- inputs without a file ----------------------------------------------- */

/* Zeros of the declared shape, symbolic sizes 1. (transfer full) */
static SondeTensor *
make_zeros (const SondeGraphValue *input, GError **error)
{
  SondeType type = input->type;
  SondeShape shape;

  for (int d = 0; d < type.rank; d++)
    if (type.dims[d].size < 0)
      type.dims[d].size = 1;
  if (type.rank < 0 || type.dtype == SONDE_DTYPE_INVALID || !sonde_type_get_shape (&type, &shape))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                       "The model declares no shape for the input “%s”; specify it with --input "
                       "NAME=FILE.npy.",
                       input->name);
      return NULL;
    }
  return sonde_tensor_try_new (type.dtype, &shape, NULL, input->name, error);
}

static gboolean
make_zero_inputs (SondeInference *inference, GError **error)
{
  g_autoptr (GPtrArray) required = list_required (inference->original);

  for (guint i = 0; i < required->len; i++)
    {
      const SondeGraphValue *input = g_ptr_array_index (required, i);
      g_autoptr (SondeTensor) zeros = make_zeros (input, error);

      if (zeros == NULL)
        return FALSE;
      sonde_named_tensors_set (inference->inputs, input->name, zeros);
    }
  return TRUE;
}

/* Box and Muller, Annals of Mathematical Statistics 29 (1958) */
static double
draw_normal (GRand *random)
{
  double u = 1 - g_rand_double (random), v = g_rand_double (random);

  return sqrt (-2 * log (u)) * cos (2 * G_PI * v);
}

/* Standard normal; what is whole or true is 0 or 1, so that it is an index of whatever there is. The same each
 * time. */
static gboolean
make_random_input (SondeInference *inference, const SondeGraphValue *input, GError **error)
{
  g_autoptr (SondeTensor) tensor = make_zeros (input, error);
  g_autoptr (GRand) random = g_rand_new_with_seed (g_str_hash (input->name));
  gint64 n = tensor != NULL ? sonde_tensor_n_elements (tensor) : 0;

  if (tensor == NULL)
    return FALSE;
  if (tensor->dtype == SONDE_DTYPE_STRING)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "The input “%s” is text, which cannot be random; specify it with --input "
                       "NAME=FILE.npy.",
                       input->name);
      return FALSE;
    }
  for (gint64 i = 0; i < n; i++)
    sonde_tensor_set_double (tensor, i,
                             sonde_dtype_is_float (tensor->dtype) ? draw_normal (random)
                                                                  : g_rand_boolean (random));
  sonde_named_tensors_set (inference->inputs, input->name, tensor);
  return TRUE;
}

/* @name: (nullable): all that must be given */
static gboolean
make_random_inputs (SondeInference *inference, const char *name, GError **error)
{
  g_autoptr (GPtrArray) required = list_required (inference->original);

  if (name != NULL)
    return make_random_input (inference, sonde_graph_find_value (inference->original, name), error);
  for (guint i = 0; i < required->len; i++)
    if (!make_random_input (inference, g_ptr_array_index (required, i), error))
      return FALSE;
  return TRUE;
}

/* ---- inputs from files --------------------------------------------------- */

/* "FILE" or "NAME=FILE"; a file whose own name has “=” may be given as NAME=FILE. */
gboolean
sonde_inference_read_input (SondeInference *inference, const char *argument, GError **error)
{
  const char *equals = strchr (argument, '=');
  g_autofree char *name = equals != NULL ? g_strndup (argument, (gsize) (equals - argument)) : NULL;
  const char *file = equals != NULL ? equals + 1 : argument;
  g_autoptr (GPtrArray) required = list_required (inference->original);
  g_autoptr (SondeTensor) tensor = NULL;

  if (name == NULL && g_str_equal (file, RANDOM))
    return make_random_inputs (inference, NULL, error);
  if (name == NULL && required->len != 1)
    {
      g_autofree char *names = list_inputs (inference->original);

      sonde_set_error (
          error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
          "The model has several inputs: specify NAME=FILE instead of “%s”. Its inputs "
          "are: %s.",
          argument, names);
      return FALSE;
    }
  if (name == NULL)
    name = g_strdup (((SondeGraphValue *) g_ptr_array_index (required, 0))->name);
  if (!is_input (inference->original, name))
    {
      g_autofree char *names = list_inputs (inference->original);

      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                       "The model has no input “%s”. Its inputs are: %s.", name, names);
      return FALSE;
    }
  if (g_str_equal (file, RANDOM))
    return make_random_inputs (inference, name, error);
  tensor = sonde_npy_read (NULL, file, error);
  if (tensor == NULL)
    return FALSE;
  sonde_named_tensors_set (inference->inputs, name, tensor);
  return TRUE;
}

static gboolean
read_inputs (SondeInference *inference, const char *const *arguments, GError **error)
{
  g_autoptr (GPtrArray) required = list_required (inference->original);

  if (arguments == NULL || arguments[0] == NULL)
    return make_zero_inputs (inference, error);
  for (gsize i = 0; arguments[i] != NULL; i++)
    if (!sonde_inference_read_input (inference, arguments[i], error))
      return FALSE;
  for (guint i = 0; i < required->len; i++)
    {
      SondeGraphValue *input = g_ptr_array_index (required, i);

      if (sonde_named_tensors_lookup (inference->inputs, input->name) == NULL)
        {
          sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                           "The input “%s” is missing; specify it with --input NAME=FILE.npy.",
                           input->name);
          return FALSE;
        }
    }
  return TRUE;
}

/* Names of values that the model's own nodes make, as the graph that runs has them. */
static GPtrArray *
list_kept (SondeInference *inference, const char *pattern)
{
  GPtrArray *names = g_ptr_array_new ();
  g_autoptr (GPatternSpec) spec = g_pattern_spec_new (g_str_equal (pattern, "all") ? "*" : pattern);

  for (guint i = 0; i < inference->original->values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (inference->original->values, i);

      if (value != NULL && value->producer != NULL
          && g_pattern_spec_match_string (spec, value->name))
        g_ptr_array_add (names, value->name);
    }
  g_ptr_array_add (names, NULL);
  return names;
}

/* What the search found out is true of the graph that a debugger runs. */
static gboolean
prepare_by_recipe (SondeInference *inference, const char *path, const SondeBinding *bindings,
                   guint n, GError **error)
{
  g_autoptr (GBytes) bytes = sonde_io_read_file (NULL, path, MAX_RECIPE_BYTES, error);
  g_autofree char *text
      = bytes != NULL ? g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes)) : NULL;
  g_auto (GStrv) kept = NULL;
  SondeDtype precision;

  if (text == NULL)
    return FALSE;
  if (!sonde_precision_parse (text, &precision, &kept, error))
    {
      sonde_prefix_error (error, "“%s”: ", path);
      return FALSE;
    }
  inference->graph = sonde_prepare_inference (inference->original, error);
  return inference->graph != NULL && sonde_pass_infer (inference->graph, bindings, n, error)
         && sonde_precision_apply (inference->graph, precision, (const char *const *) kept, error);
}

/* Fused as far as no value in between is needed. @kept: (nullable): names of values to keep */
static gboolean
prepare_graph (SondeInference *inference, const SondeInferenceOptions *options,
               const GPtrArray *kept, const SondeBinding *bindings, guint n, GError **error)
{
  const gboolean on_reference = g_strcmp0 (options->device, "reference") == 0;
  const gboolean watched
      = kept != NULL || options->editable || options->unfused || options->recipe != NULL;

  if (options->recipe != NULL)
    {
      if (!prepare_by_recipe (inference, options->recipe, bindings, n, error))
        return FALSE;
    }
  else if (!watched)
    inference->graph = sonde_prepare_unwatched_inference (inference->original, bindings, n, error);
  else if (kept != NULL && !options->editable && !options->unfused && !on_reference)
    inference->graph = sonde_prepare_kept_inference (inference->original, bindings, n,
                                                     (const char *const *) kept->pdata, error);
  else if (options->editable)
    inference->graph = sonde_prepare_editable_inference (inference->original, error);
  else
    inference->graph = sonde_prepare_inference (inference->original, error);
  if (inference->graph == NULL)
    return FALSE;
  if (!watched && !on_reference && !sonde_pass_upcast (inference->graph, error))
    return FALSE;
  return !options->bfloat16 || sonde_pass_autocast (inference->graph, error);
}

static gboolean
prepare (SondeInference *inference, const SondeInferenceOptions *options, GError **error)
{
  g_autofree SondeBinding *bindings = NULL;
  SondePlanOptions plan_options = { 0 };
  gsize n = sonde_named_tensors_get_size (inference->inputs);
  g_autoptr (GPtrArray) kept = options->keep != NULL ? list_kept (inference, options->keep) : NULL;

  bindings = g_new0 (SondeBinding, MAX (n, 1));
  for (gsize i = 0; i < n; i++)
    {
      SondeTensor *tensor = sonde_named_tensors_get_tensor (inference->inputs, i);

      bindings[i].name = sonde_named_tensors_get_name (inference->inputs, i);
      bindings[i].type = sonde_type_tensor (tensor->dtype, &tensor->shape);
    }
  if (!prepare_graph (inference, options, kept, bindings, (guint) n, error))
    return FALSE;
  inference->device = sonde_device_open (options->device != NULL ? options->device : "cpu",
                                         options->threads, error);
  if (inference->device == NULL)
    return FALSE;
  plan_options.kept = kept != NULL ? (const char *const *) kept->pdata : NULL;
  plan_options.memory = options->editable ? SONDE_MEMORY_KEEP : SONDE_MEMORY_PLAN;
  plan_options.no_fusion = options->editable || options->unfused || options->recipe != NULL;
  plan_options.bindings = bindings;
  plan_options.n_bindings = (guint) n;
  inference->plan = sonde_plan_new (inference->graph, inference->device, &plan_options, error);
  if (inference->plan == NULL)
    return FALSE;
  inference->execution = sonde_execution_new (inference->plan, error);
  if (inference->execution == NULL)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (!sonde_execution_set_input (inference->execution,
                                    sonde_named_tensors_get_name (inference->inputs, i),
                                    sonde_named_tensors_get_tensor (inference->inputs, i), error))
      return FALSE;
  return TRUE;
}

SondeInference *
sonde_inference_open (const char *model, const SondeInferenceOptions *options, GError **error)
{
  g_autoptr (SondeInference) inference = g_new0 (SondeInference, 1);
  gint64 start = sonde_clock_monotonic_ns (NULL), loaded;

  inference->inputs = sonde_named_tensors_new ();
  inference->original
      = sonde_model_choice_open (options->choice, model, &inference->weights, error);
  if (inference->original == NULL)
    return NULL;
  loaded = sonde_clock_monotonic_ns (NULL);
  inference->load_ns = loaded - start;
  if (!read_inputs (inference, options->inputs, error))
    return NULL;
  loaded = sonde_clock_monotonic_ns (NULL);
  if (!prepare (inference, options, error))
    {
      sonde_prefix_error (error, "“%s”: ", model);
      return NULL;
    }
  inference->prepare_ns = sonde_clock_monotonic_ns (NULL) - loaded;
  return g_steal_pointer (&inference);
}

SondeInference *
sonde_inference_open_graph (SondeGraph *model, const char *name, const SondeNamedTensors *inputs,
                            const SondeInferenceOptions *options, GError **error)
{
  g_autoptr (SondeInference) inference = g_new0 (SondeInference, 1);

  inference->original = sonde_graph_ref (model);
  inference->inputs = sonde_named_tensors_new ();
  for (gsize i = 0; i < sonde_named_tensors_get_size (inputs); i++)
    sonde_named_tensors_set (inference->inputs, sonde_named_tensors_get_name (inputs, i),
                             sonde_named_tensors_get_tensor (inputs, i));
  if (prepare (inference, options, error))
    return g_steal_pointer (&inference);
  sonde_prefix_error (error, "“%s”: ", name);
  return NULL;
}

void
sonde_inference_free (SondeInference *inference)
{
  if (inference == NULL)
    return;
  g_clear_pointer (&inference->execution, sonde_execution_free);
  g_clear_pointer (&inference->plan, sonde_plan_unref);
  g_clear_pointer (&inference->device, sonde_device_unref);
  g_clear_pointer (&inference->inputs, sonde_named_tensors_free);
  g_clear_pointer (&inference->weights, sonde_weight_report_free);
  g_clear_pointer (&inference->graph, sonde_graph_unref);
  g_clear_pointer (&inference->original, sonde_graph_unref);
  g_free (inference);
}
