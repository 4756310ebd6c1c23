/* SPDX-License-Identifier: Apache-2.0
 * Both sides on the same inputs. */
#include "app/cli/convert/sonde-convert-run.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "app/worker/sonde-inference.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-random.h"

#define SEED 21
#define UNKNOWN_SIZE 2
#define STEPS 2.0          /* of a quantised value, between two ways to compute it */
#define LEAST_LARGEST 1e-3 /* what a value's largest element counts at least */

/* ---- inputs -------------------------------------------------------------- */

static gboolean
is_narrow (SondeDtype dtype)
{
  return dtype == SONDE_DTYPE_I8 || dtype == SONDE_DTYPE_U8 || dtype == SONDE_DTYPE_I16
         || dtype == SONDE_DTYPE_U16;
}

/* Floats from −1 to 1, zeros of what is whole; @narrow: narrow integers from 0 to 100. */
static SondeTensor *
draw_input (const SondeGraphValue *input, guint64 stream, gboolean narrow)
{
  SondeShape shape = { .rank = MAX (input->type.rank, 0) };
  SondeTensor *tensor;

  for (int i = 0; i < shape.rank; i++)
    shape.dims[i] = input->type.dims[i].size >= 0 ? input->type.dims[i].size : UNKNOWN_SIZE;
  tensor = sonde_tensor_try_new (input->type.dtype, &shape, NULL, input->name, NULL);
  if (tensor == NULL)
    return NULL;
  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    {
      const double drawn = sonde_random_uniform (SEED, stream, (guint64) i);

      if (sonde_dtype_is_float (tensor->dtype))
        sonde_tensor_set_double (tensor, i, 2 * drawn - 1);
      else if (narrow && is_narrow (tensor->dtype))
        sonde_tensor_set_double (tensor, i, floor (100 * drawn));
    }
  return tensor;
}

/* NULL when an input is no tensor of numbers. */
static SondeNamedTensors *
draw_inputs (const SondeGraph *graph, gboolean narrow)
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
        tensor = draw_input (input, i, narrow);
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

/* @inputs under the names that @written has for them. */
static SondeNamedTensors *
rename_inputs (const SondeNamedTensors *inputs, const SondeGraph *source, const SondeGraph *written)
{
  SondeNamedTensors *renamed = sonde_named_tensors_new ();

  for (guint i = 0; i < MIN (source->inputs->len, written->inputs->len); i++)
    {
      SondeTensor *tensor = sonde_named_tensors_lookup (
          inputs, ((SondeGraphValue *) source->inputs->pdata[i])->name);

      if (tensor != NULL)
        sonde_named_tensors_set (renamed, ((SondeGraphValue *) written->inputs->pdata[i])->name,
                                 tensor);
    }
  return renamed;
}

/* ---- the check ----------------------------------------------------------- */

/* All outputs of @graph; NULL with or without @error when one is no tensor. (transfer full) (element-type
 * SondeTensor) */
static GPtrArray *
compute_outputs (SondeGraph *graph, const char *name, const SondeNamedTensors *inputs,
                 GError **error)
{
  const SondeInferenceOptions options = { .threads = 1 };
  g_autoptr (SondeInference) inference = run_graph (graph, name, inputs, &options, error);
  g_autoptr (GPtrArray) outputs
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);

  for (guint i = 0; inference != NULL && i < graph->outputs->len; i++)
    {
      g_autoptr (SondeTensor) tensor
          = read_output (inference, ((SondeGraphValue *) graph->outputs->pdata[i])->name, error);

      if (tensor == NULL)
        return NULL;
      g_ptr_array_add (outputs, sonde_tensor_copy (tensor)); /* outlives the inference */
    }
  return inference != NULL ? g_steal_pointer (&outputs) : NULL;
}

/* One after the other, so that only one of them has its weights prepared. */
static gboolean
compare_outputs (SondeGraph *source, SondeGraph *written, const SondeNamedTensors *inputs,
                 double *worst, GError **error)
{
  g_autoptr (SondeNamedTensors) renamed = rename_inputs (inputs, source, written);
  g_autoptr (GPtrArray) before = compute_outputs (source, "IN", inputs, error);
  g_autoptr (GPtrArray) after
      = before != NULL ? compute_outputs (written, "OUT", renamed, error) : NULL;

  if (after == NULL || after->len != before->len)
    return FALSE;
  for (guint i = 0; i < before->len; i++)
    *worst = MAX (*worst, measure (after->pdata[i], before->pdata[i]));
  return TRUE;
}

void
sonde_convert_check_run (SondeGraph *source, SondeGraph *written, SondeConvertCheck *check)
{
  g_autoptr (SondeNamedTensors) inputs = draw_inputs (source, FALSE);
  g_autoptr (GError) error = NULL;

  if (inputs == NULL)
    check->why = g_strdup (N_ ("an input is no tensor of numbers"));
  else if (compare_outputs (source, written, inputs, &check->error, &error))
    check->done = TRUE;
  else
    check->why = g_strdup (error != NULL ? error->message : N_ ("an output is no tensor"));
}

static int
count_steps (const SondeTensor *a, const SondeTensor *b)
{
  double most = -1;

  if (!is_narrow (a->dtype) || a->dtype != b->dtype || !sonde_shape_equal (&a->shape, &b->shape))
    return -1;
  for (gint64 i = 0; i < sonde_tensor_n_elements (a); i++)
    most = MAX (most, fabs (sonde_tensor_get_double (a, i) - sonde_tensor_get_double (b, i)));
  return (int) most;
}

int
sonde_convert_check_steps (SondeGraph *exact, SondeGraph *written)
{
  g_autoptr (SondeNamedTensors) inputs = draw_inputs (exact, TRUE);
  g_autoptr (SondeNamedTensors) renamed
      = inputs != NULL ? rename_inputs (inputs, exact, written) : NULL;
  g_autoptr (GPtrArray) before
      = inputs != NULL ? compute_outputs (exact, "IN", inputs, NULL) : NULL;
  g_autoptr (GPtrArray) after
      = before != NULL ? compute_outputs (written, "OUT", renamed, NULL) : NULL;
  int most = -1;

  for (guint i = 0; after != NULL && i < MIN (before->len, after->len); i++)
    most = MAX (most, count_steps (after->pdata[i], before->pdata[i]));
  return most;
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

/* Both sides of --verify. @before, @reference: one is NULL; @names: what the written side calls an
 * output, where it is called otherwise; @is_quantised: of the source */
typedef struct
{
  const SondeGraph *source;
  SondeInference *before, *after;
  const SondeNamedTensors *reference;
  GHashTable *names;
  gboolean is_quantised;
  double tolerance;
} Sides;

static gboolean
is_quantised (const SondeGraph *graph)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const SondeNode *node = graph->nodes->pdata[i];

      if (node != NULL
          && (g_str_equal (node->op, "QuantizeLinear")
              || g_str_equal (node->op, "DequantizeLinear")))
        return TRUE;
    }
  return FALSE;
}

static double
get_tolerance (const Sides *sides, const SondeTensor *want)
{
  if (sonde_dtype_is_float (want->dtype))
    return sides->tolerance;
  return sides->is_quantised && is_narrow (want->dtype) ? STEPS / find_largest (want) : 0;
}

static void
note_value (const Sides *sides, const SondeGraphValue *value, const SondeTensor *got,
            const SondeTensor *want, SondeConvertVerification *result)
{
  const double apart = measure (got, want);

  result->n++;
  result->error = MAX (result->error, apart);
  if (apart <= get_tolerance (sides, want) * (1 + DBL_EPSILON) || result->first_value != NULL)
    return;
  result->first_error = apart;
  result->first_value = g_strdup (value->name);
  result->first_node = g_strdup (value->producer == NULL           ? value->name
                                 : value->producer->source != NULL ? value->producer->source->name
                                                                   : value->producer->name);
}

/* Is it the same value under another name? An output is in any case. */
static gboolean
is_comparable (const Sides *sides, const SondeGraphValue *value, const SondeTensor *got,
               const SondeTensor *want)
{
  return g_ptr_array_find (sides->source->outputs, value, NULL)
         || (got->dtype == want->dtype && sonde_shape_equal (&got->shape, &want->shape));
}

static void
compare_value (const Sides *sides, const SondeGraphValue *value, SondeConvertVerification *result)
{
  const char *other = g_hash_table_lookup (sides->names, value->name);
  g_autoptr (SondeTensor) want = NULL, got = NULL;

  if (sides->reference != NULL)
    {
      SondeTensor *there = sonde_named_tensors_lookup (sides->reference, value->name);

      if (there == NULL && other != NULL)
        there = sonde_named_tensors_lookup (sides->reference, other);
      want = there != NULL ? sonde_tensor_ref (there) : NULL;
    }
  else
    want = read_output (sides->before, value->name, NULL);
  got = want != NULL ? read_output (sides->after, other != NULL ? other : value->name, NULL) : NULL;
  if (got != NULL && (other == NULL || is_comparable (sides, value, got, want)))
    note_value (sides, value, got, want, result);
}

static gboolean
compare_values (const Sides *sides, SondeGraph *source, SondeConvertVerification *result,
                GError **error)
{
  g_autoptr (GPtrArray) nodes = sonde_graph_sort (source, error);

  for (guint i = 0; nodes != NULL && i < nodes->len; i++)
    {
      const SondeNode *node = nodes->pdata[i];

      for (guint k = 0; k < node->outputs->len; k++)
        if (node->outputs->pdata[k] != NULL)
          compare_value (sides, node->outputs->pdata[k], result);
    }
  return nodes != NULL;
}

/* "conv1:8", as a writer names the nodes that it makes of one: length of "conv1"; 0: another form */
static gsize
measure_stem (const char *name)
{
  const char *colon = strrchr (name, ':');

  return colon != NULL && colon[1] != '\0' && strspn (colon + 1, "0123456789") == strlen (colon + 1)
             ? (gsize) (colon - name)
             : 0;
}

/* The last value that was made of each node, by the node's name. (transfer full) */
static GHashTable *
list_stems (const SondeGraph *written)
{
  GHashTable *stems = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < written->nodes->len; i++)
    {
      const SondeNode *node = written->nodes->pdata[i];
      const gsize stem = node != NULL && node->outputs->len == 1 && node->outputs->pdata[0] != NULL
                             ? measure_stem (node->name)
                             : 0;

      if (stem > 0)
        g_hash_table_insert (stems, g_strndup (node->name, stem),
                             ((SondeGraphValue *) node->outputs->pdata[0])->name);
    }
  return stems;
}

/* What @written calls values of @source that it has not by their names: MindIR counts outputs, and
 * names what a node makes by the node. */
static GHashTable *
pair_values (const SondeGraph *source, const SondeGraph *written)
{
  g_autoptr (GHashTable) stems = list_stems (written);
  GHashTable *names = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < source->nodes->len; i++)
    {
      const SondeNode *node = source->nodes->pdata[i];
      const SondeGraphValue *value
          = node != NULL && node->outputs->len == 1 ? node->outputs->pdata[0] : NULL;
      const char *other = value != NULL ? g_hash_table_lookup (stems, node->name) : NULL;

      if (other != NULL && sonde_graph_find_value (written, value->name) == NULL)
        g_hash_table_insert (names, value->name, (gpointer) other);
    }
  for (guint i = 0; i < MIN (source->outputs->len, written->outputs->len); i++)
    g_hash_table_insert (names, ((SondeGraphValue *) source->outputs->pdata[i])->name,
                         ((SondeGraphValue *) written->outputs->pdata[i])->name);
  return names;
}

gboolean
sonde_convert_verify (SondeGraph *source, SondeGraph *written, const char *inputs,
                      const char *reference, double tolerance, SondeConvertVerification *result,
                      GError **error)
{
  const SondeInferenceOptions options = { .keep = "all", .threads = 1 };
  g_autoptr (SondeNamedTensors) in = read_arrays (inputs, error), wanted = NULL, renamed = NULL;
  g_autoptr (SondeInference) before = NULL, after = NULL;
  g_autoptr (GHashTable) names = pair_values (source, written);
  Sides sides = {
    .source = source, .names = names, .is_quantised = is_quantised (source), .tolerance = tolerance
  };

  if (in == NULL)
    return FALSE;
  if (reference != NULL && (wanted = read_arrays (reference, error)) == NULL)
    return FALSE;
  if (wanted == NULL && (before = run_graph (source, "IN", in, &options, error)) == NULL)
    return FALSE;
  renamed = rename_inputs (in, source, written);
  after = run_graph (written, "OUT", renamed, &options, error);
  sides.before = before;
  sides.after = after;
  sides.reference = wanted;
  if (after == NULL || !compare_values (&sides, source, result, error))
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
