/* SPDX-License-Identifier: Apache-2.0
 * Both sides on the same inputs. */
#include "app/cli/convert/sonde-convert-run.h"

#include <math.h>
#include <string.h>

#include "app/worker/sonde-inference.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-random.h"

#define SEED 21
#define UNKNOWN_SIZE 2
#define LEAST_LARGEST 1e-3 /* what a value's largest element counts at least */

/* ---- inputs -------------------------------------------------------------- */

/* Floats from −1 to 1, zeros of what is whole. */
static SondeTensor *
draw_input (const SondeGraphValue *input, guint64 stream)
{
  SondeShape shape = { .rank = MAX (input->type.rank, 0) };
  SondeTensor *tensor;

  for (int i = 0; i < shape.rank; i++)
    shape.dims[i] = input->type.dims[i].size >= 0 ? input->type.dims[i].size : UNKNOWN_SIZE;
  tensor = sonde_tensor_try_new (input->type.dtype, &shape, NULL, input->name, NULL);
  if (tensor == NULL || !sonde_dtype_is_float (tensor->dtype))
    return tensor;
  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    sonde_tensor_set_double (tensor, i, 2 * sonde_random_uniform (SEED, stream, (guint64) i) - 1);
  return tensor;
}

/* NULL when an input is no tensor of numbers. */
static SondeNamedTensors *
draw_inputs (const SondeGraph *graph)
{
  g_autoptr (SondeNamedTensors) inputs = sonde_named_tensors_new ();

  for (guint i = 0; i < graph->inputs->len; i++)
    {
      const SondeGraphValue *input = graph->inputs->pdata[i];
      g_autoptr (SondeTensor) tensor = NULL;

      if (input->constant != NULL)
        continue;
      if (input->type.kind == SONDE_VALUE_TENSOR && input->type.dtype != SONDE_DTYPE_INVALID
          && input->type.dtype != SONDE_DTYPE_STRING)
        tensor = draw_input (input, i);
      if (tensor == NULL)
        return NULL;
      sonde_named_tensors_set (inputs, input->name, tensor);
    }
  return g_steal_pointer (&inputs);
}

/* ---- differences --------------------------------------------------------- */

static double
find_largest (const SondeTensor *tensor)
{
  double largest = LEAST_LARGEST;

  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    if (isfinite (sonde_tensor_get_double (tensor, i)))
      largest = MAX (largest, fabs (sonde_tensor_get_double (tensor, i)));
  return largest;
}

/* Infinite when they cannot be compared. */
static double
measure (const SondeTensor *got, const SondeTensor *want)
{
  const double largest = want->dtype != SONDE_DTYPE_STRING ? find_largest (want) : 1;
  double worst = 0;

  if (got->dtype != want->dtype || !sonde_shape_equal (&got->shape, &want->shape))
    return INFINITY;
  if (want->dtype == SONDE_DTYPE_STRING)
    return sonde_tensor_equal (got, want) ? 0 : INFINITY;
  for (gint64 i = 0; i < sonde_tensor_n_elements (want); i++)
    {
      const double a = sonde_tensor_get_double (got, i), b = sonde_tensor_get_double (want, i);
      const double apart = a == b || (isnan (a) && isnan (b)) ? 0 : fabs (a - b) / largest;

      worst = isnan (apart) ? INFINITY : MAX (worst, apart);
    }
  return worst;
}

static SondeTensor *
read_output (SondeInference *inference, const char *name, GError **error)
{
  SondeGraphValue *value = sonde_graph_find_value (inference->graph, name);
  g_autoptr (SondeValue) content = NULL;
  SondeTensor *tensor;

  if (value == NULL)
    return NULL;
  content = sonde_execution_read_value (inference->execution, value, error);
  tensor = content != NULL ? sonde_value_get_tensor (content) : NULL;
  return tensor != NULL ? sonde_tensor_ref (tensor) : NULL;
}

static SondeInference *
run_graph (SondeGraph *graph, const char *name, const SondeNamedTensors *inputs,
           const SondeInferenceOptions *options, GError **error)
{
  g_autoptr (SondeInference) inference
      = sonde_inference_open_graph (graph, name, inputs, options, error);

  if (inference == NULL || sonde_execution_run (inference->execution, error) != SONDE_RUN_DONE)
    return NULL;
  return g_steal_pointer (&inference);
}

/* ---- the check ----------------------------------------------------------- */

static gboolean
compare_outputs (SondeGraph *source, SondeGraph *written, const SondeNamedTensors *inputs,
                 double *worst, GError **error)
{
  const SondeInferenceOptions options = { .threads = 1 };
  g_autoptr (SondeInference) before = run_graph (source, "IN", inputs, &options, error);
  g_autoptr (SondeInference) after
      = before != NULL ? run_graph (written, "OUT", inputs, &options, error) : NULL;

  for (guint i = 0; after != NULL && i < source->outputs->len; i++)
    {
      const char *name = ((SondeGraphValue *) source->outputs->pdata[i])->name;
      const char *there = i < written->outputs->len
                              ? ((SondeGraphValue *) written->outputs->pdata[i])->name
                              : name;
      g_autoptr (SondeTensor) want = read_output (before, name, error);
      g_autoptr (SondeTensor) got = want != NULL ? read_output (after, there, error) : NULL;

      if (got == NULL)
        return FALSE;
      *worst = MAX (*worst, measure (got, want));
    }
  return after != NULL;
}

void
sonde_convert_check_run (SondeGraph *source, SondeGraph *written, SondeConvertCheck *check)
{
  g_autoptr (SondeNamedTensors) inputs = draw_inputs (source);
  g_autoptr (GError) error = NULL;

  if (inputs == NULL)
    check->why = g_strdup (N_ ("an input is no tensor of numbers"));
  else if (compare_outputs (source, written, inputs, &check->error, &error))
    check->done = TRUE;
  else
    check->why = g_strdup (error != NULL ? error->message : N_ ("an output is no tensor"));
}

void
sonde_convert_check_clear (SondeConvertCheck *check)
{
  g_free (check->why);
}

/* ---- --verify ------------------------------------------------------------ */

static gboolean
add_file (SondeNamedTensors *tensors, const char *folder, const char *file, GError **error)
{
  g_autofree char *path = g_build_filename (folder, file, NULL);
  g_autofree char *name = g_strndup (file, strlen (file) - strlen (".npy"));
  g_autoptr (SondeTensor) tensor = sonde_npy_read (NULL, path, error);

  if (tensor != NULL)
    sonde_named_tensors_set (tensors, name, tensor);
  return tensor != NULL;
}

static SondeNamedTensors *
read_arrays (const char *path, GError **error)
{
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  g_autoptr (SondeNamedTensors) tensors = NULL;
  const char *file;

  if (folder == NULL)
    return sonde_npz_read (NULL, path, error);
  tensors = sonde_named_tensors_new ();
  while ((file = g_dir_read_name (folder)) != NULL)
    if (g_str_has_suffix (file, ".npy") && !add_file (tensors, path, file, error))
      return NULL;
  return g_steal_pointer (&tensors);
}

static double
get_tolerance (const SondeTensor *want, double tolerance)
{
  return sonde_dtype_is_float (want->dtype) ? tolerance : 0;
}

static void
note_value (const SondeGraphValue *value, const SondeTensor *got, const SondeTensor *want,
            double tolerance, SondeConvertVerification *result)
{
  const double apart = measure (got, want);

  result->n++;
  result->error = MAX (result->error, apart);
  if (apart <= get_tolerance (want, tolerance) || result->first_value != NULL)
    return;
  result->first_error = apart;
  result->first_value = g_strdup (value->name);
  result->first_node = g_strdup (value->producer == NULL           ? value->name
                                 : value->producer->source != NULL ? value->producer->source->name
                                                                   : value->producer->name);
}

/* @before: (nullable): the source's side, when @reference is not */
static void
compare_value (const SondeGraphValue *value, SondeInference *before,
               const SondeNamedTensors *reference, SondeInference *after, double tolerance,
               SondeConvertVerification *result)
{
  g_autoptr (SondeTensor) want = NULL, got = NULL;

  if (reference != NULL)
    {
      SondeTensor *there = sonde_named_tensors_lookup (reference, value->name);

      want = there != NULL ? sonde_tensor_ref (there) : NULL;
    }
  else
    want = read_output (before, value->name, NULL);
  got = want != NULL ? read_output (after, value->name, NULL) : NULL;
  if (got != NULL)
    note_value (value, got, want, tolerance, result);
}

static gboolean
compare_values (SondeGraph *source, SondeInference *before, const SondeNamedTensors *reference,
                SondeInference *after, double tolerance, SondeConvertVerification *result,
                GError **error)
{
  g_autoptr (GPtrArray) nodes = sonde_graph_sort (source, error);

  for (guint i = 0; nodes != NULL && i < nodes->len; i++)
    {
      const SondeNode *node = nodes->pdata[i];

      for (guint k = 0; k < node->outputs->len; k++)
        if (node->outputs->pdata[k] != NULL)
          compare_value (node->outputs->pdata[k], before, reference, after, tolerance, result);
    }
  return nodes != NULL;
}

gboolean
sonde_convert_verify (SondeGraph *source, SondeGraph *written, const char *inputs,
                      const char *reference, double tolerance, SondeConvertVerification *result,
                      GError **error)
{
  const SondeInferenceOptions options = { .keep = "all", .threads = 1 };
  g_autoptr (SondeNamedTensors) in = read_arrays (inputs, error), wanted = NULL;
  g_autoptr (SondeInference) before = NULL, after = NULL;

  if (in == NULL)
    return FALSE;
  if (reference != NULL && (wanted = read_arrays (reference, error)) == NULL)
    return FALSE;
  if (wanted == NULL && (before = run_graph (source, "IN", in, &options, error)) == NULL)
    return FALSE;
  after = run_graph (written, "OUT", in, &options, error);
  if (after == NULL || !compare_values (source, before, wanted, after, tolerance, result, error))
    return FALSE;
  if (result->n == 0)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                     "No value of “%s” is one of the model's.",
                     reference != NULL ? reference : inputs);
  return result->n > 0;
}

void
sonde_convert_verification_clear (SondeConvertVerification *result)
{
  g_free (result->first_node);
  g_free (result->first_value);
}
