/* SPDX-License-Identifier: Apache-2.0
 * Runs one case: input_K is for the K-th graph input without initialiser, output_K for the K-th
 * output. tolerance.txt ("rtol atol") is used where there is one. */
#include "tests/engine/onnx-conformance-case.h"

#include "data/base/sonde-error.h"
#include "data/models/sonde-model-file.h"
#include "engine/plan/sonde-execution.h"
#include "tests/support/sonde-test-tensor.h"

#include <string.h>

/* As the standard's own runner: results in bfloat16 may be off by two units of their last place. */
#define TWO_UNITS_OF_BF16 (1.0 / 64)

typedef struct
{
  const char *folder;
  SondeDevice *device;
  SondeGraph *original;
  double rtol, atol;
} Case;

/* ---- what the case is about ---------------------------------------------- */

static char *
describe_node (const SondeNode *node)
{
  return *node->domain ? g_strdup_printf ("%s.%s", node->domain, node->op) : g_strdup (node->op);
}

/* The operator of a model of one node, else NULL. */
static char *
only_operator (SondeGraph *graph)
{
  const SondeNode *only = NULL;

  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const SondeNode *node = graph->nodes->pdata[i];

      if (node != NULL && only != NULL)
        return NULL;
      only = node != NULL ? node : only;
    }
  return only != NULL ? describe_node (only) : NULL;
}

/* “test_X_expanded” is the body of the function that “test_X” calls. */
static char *
find_operator (const char *folder, SondeGraph *graph)
{
  g_autofree char *name = g_path_get_basename (folder);
  g_autofree char *parent = g_path_get_dirname (folder);
  const char *expanded = strstr (name, "_expanded");
  char *op = NULL;

  if (expanded != NULL)
    {
      g_autofree char *plain = g_strndup (name, (gsize) (expanded - name));
      g_autofree char *path = g_build_filename (parent, plain, "model.onnx", NULL);
      g_autoptr (SondeGraph) whole = sonde_model_load (NULL, path, NULL);

      op = whole != NULL ? only_operator (whole) : NULL;
    }
  if (op == NULL && graph != NULL)
    op = only_operator (graph);
  return op != NULL ? op : g_strdup ("(several)");
}

static void
read_tolerance (Case *self)
{
  g_autofree char *path = g_build_filename (self->folder, "tolerance.txt", NULL);
  g_autofree char *text = NULL;
  char *end = NULL;

  self->rtol = 1e-3;
  self->atol = 1e-7;
  if (!g_file_get_contents (path, &text, NULL, NULL))
    return;
  self->rtol = g_ascii_strtod (text, &end);
  self->atol = g_ascii_strtod (end, NULL);
}

/* ---- values -------------------------------------------------------------- */

/* The sets of before 1.14 hold bfloat16 as uint16, which NumPy has. */
static SondeValue *
take_look_alike (SondeValue *value, const SondeGraphValue *declared)
{
  g_autoptr (SondeTensor) tensor
      = sonde_value_get_tensor (value) ? sonde_tensor_ref (sonde_value_get_tensor (value)) : NULL;
  g_autoptr (SondeTensor) same = NULL;

  if (tensor == NULL || tensor->dtype != SONDE_DTYPE_U16
      || declared->type.dtype != SONDE_DTYPE_BF16)
    return value;
  same = sonde_tensor_new_from_data (SONDE_DTYPE_BF16, &tensor->shape, tensor->data);
  sonde_value_unref (value);
  return sonde_value_new_tensor (same);
}

static SondeValue *
read_value (const char *set, const char *kind, guint k, const SondeGraphValue *value,
            GError **error)
{
  g_autofree char *name = g_strdup_printf ("%s_%u.pb", kind, k);
  g_autofree char *path = g_build_filename (set, name, NULL);
  SondeValue *read = sonde_model_read_value (NULL, path, &value->type, error);

  return read ? take_look_alike (read, value) : NULL;
}

static const char *
kind_name (const SondeValue *value)
{
  static const char *const names[]
      = { "nothing", "a tensor", "a sequence", "an optional", "a map", "a sparse tensor" };

  return names[sonde_value_get_kind (value)];
}

/* Bound by how deep the file nests. Returns: (transfer full) (nullable): what differs */
static char *
compare_values (const Case *self, SondeValue *got, SondeValue *want)
{
  gsize n = sonde_value_get_n_items (want);

  if (sonde_value_get_kind (got) != sonde_value_get_kind (want))
    return g_strdup_printf ("got %s, want %s", kind_name (got), kind_name (want));
  if (sonde_value_get_kind (want) == SONDE_VALUE_TENSOR)
    {
      SondeTensor *tensor = sonde_value_get_tensor (want);
      double rtol
          = tensor->dtype == SONDE_DTYPE_BF16 ? MAX (self->rtol, TWO_UNITS_OF_BF16) : self->rtol;

      return sonde_test_tensor_compare (sonde_value_get_tensor (got), tensor, rtol, self->atol);
    }
  if (sonde_value_get_n_items (got) != n)
    return g_strdup_printf ("got %" G_GSIZE_FORMAT " items, want %" G_GSIZE_FORMAT,
                            sonde_value_get_n_items (got), n);
  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *difference
          = compare_values (self, sonde_value_get_item (got, i), sonde_value_get_item (want, i));

      if (difference != NULL)
        return g_strdup_printf ("item %" G_GSIZE_FORMAT ": %s", i, difference);
    }
  return NULL;
}

/* ---- running ------------------------------------------------------------- */

/* The values of @graph's inputs and what follows from them (element-type SondeGraphValue
 * SondeValue). */
static GHashTable *
read_inputs (SondeGraph *graph, const char *set, GError **error)
{
  g_autoptr (GHashTable) values
      = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) sonde_value_unref);
  guint k = 0;

  for (guint i = 0; i < graph->inputs->len; i++)
    {
      SondeGraphValue *input = graph->inputs->pdata[i];
      SondeValue *value = NULL;

      if (input->constant != NULL)
        continue;
      value = read_value (set, "input", k++, input, error);
      if (value == NULL)
        return NULL;
      g_hash_table_insert (values, input, value);
    }
  return g_steal_pointer (&values);
}

/* A case gives the sizes that its model leaves open. Returns: (transfer full) (element-type
 * SondeBinding) */
static GArray *
bind_inputs (GHashTable *inputs)
{
  GArray *bindings = g_array_new (FALSE, FALSE, sizeof (SondeBinding));
  GHashTableIter iter;
  gpointer input = NULL, value = NULL;

  g_hash_table_iter_init (&iter, inputs);
  while (g_hash_table_iter_next (&iter, &input, &value))
    {
      SondeBinding binding = { ((SondeGraphValue *) input)->name, sonde_type_of_value (value) };

      if (sonde_value_get_kind (value) == SONDE_VALUE_TENSOR)
        g_array_append_val (bindings, binding);
    }
  return bindings;
}

static gboolean
set_inputs (SondeExecution *execution, GHashTable *inputs, GError **error)
{
  GHashTableIter iter;
  gpointer input = NULL, value = NULL;

  g_hash_table_iter_init (&iter, inputs);
  while (g_hash_table_iter_next (&iter, &input, &value))
    if (!sonde_execution_set_input_value (execution, ((SondeGraphValue *) input)->name, value,
                                          error))
      return FALSE;
  return TRUE;
}

static gboolean
compare_output (const Case *self, const char *set, guint k, const SondeGraphValue *output,
                SondeValue *got, GError **error)
{
  g_autoptr (SondeValue) want
      = read_value (set, "output", k, self->original->outputs->pdata[k], error);
  g_autofree char *difference = NULL;

  if (want == NULL)
    return FALSE;
  difference = compare_values (self, got, want);
  if (difference == NULL)
    return TRUE;
  g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID, "output “%s”: %s",
               output->name, difference);
  return FALSE;
}

/* As a user's model runs: prepared, planned, executed. */
static gboolean
run_set (const Case *self, const char *set, GError **error)
{
  g_autoptr (SondeGraph) graph = sonde_prepare_inference (self->original, error);
  g_autoptr (GHashTable) inputs = graph ? read_inputs (graph, set, error) : NULL;
  g_autoptr (GArray) bindings = inputs ? bind_inputs (inputs) : NULL;
  g_autoptr (SondePlan) plan = NULL;
  g_autoptr (SondeExecution) execution = NULL;
  SondePlanOptions options = { 0 };

  if (bindings == NULL)
    return FALSE;
  options.bindings = (const SondeBinding *) (const void *) bindings->data;
  options.n_bindings = bindings->len;
  plan = sonde_plan_new (graph, self->device, &options, error);
  execution = plan ? sonde_execution_new (plan, error) : NULL;
  if (execution == NULL || !set_inputs (execution, inputs, error)
      || sonde_execution_run (execution, error) != SONDE_RUN_DONE)
    return FALSE;
  for (guint k = 0; k < graph->outputs->len; k++)
    {
      SondeGraphValue *output = graph->outputs->pdata[k];
      g_autoptr (SondeValue) got = sonde_execution_read_value (execution, output, error);

      if (got == NULL || !compare_output (self, set, k, output, got, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- kernels alone ------------------------------------------------------- */

static gboolean
run_node (SondeNode *node, GHashTable *values, GError **error)
{
  guint n = node->inputs->len, n_outputs = node->outputs->len;
  g_autofree SondeValue **inputs = g_new0 (SondeValue *, n + 1);
  g_autofree SondeValue **outputs = g_new0 (SondeValue *, n_outputs + 1);

  for (guint k = 0; k < n; k++)
    {
      SondeGraphValue *value = sonde_node_get_input (node, k);

      inputs[k] = value ? g_hash_table_lookup (values, value) : NULL;
      if (inputs[k] == NULL && value != NULL && value->constant != NULL)
        inputs[k] = value->constant;
    }
  if (!sonde_op_run_reference_values (node, inputs, n, 0, 0, outputs, n_outputs, error))
    return FALSE;
  for (guint k = 0; k < n_outputs; k++)
    if (outputs[k] != NULL)
      g_hash_table_insert (values, sonde_node_get_output (node, k), outputs[k]);
  return TRUE;
}

static gboolean
run_set_by_kernels (const Case *self, const char *set, GError **error)
{
  g_autoptr (SondeGraph) graph = sonde_graph_copy (self->original, TRUE);
  g_autoptr (GHashTable) values = read_inputs (graph, set, error);
  g_autoptr (GPtrArray) order = NULL;

  if (values == NULL || !sonde_pass_legalise (graph, error)
      || !sonde_pass_infer (graph, NULL, 0, error)
      || (order = sonde_graph_sort (graph, error)) == NULL)
    return FALSE;
  for (guint i = 0; i < order->len; i++)
    if (!run_node (order->pdata[i], values, error))
      return FALSE;
  for (guint k = 0; k < graph->outputs->len; k++)
    {
      SondeGraphValue *output = graph->outputs->pdata[k];

      if (!compare_output (self, set, k, output, g_hash_table_lookup (values, output), error))
        return FALSE;
    }
  return TRUE;
}

/* ---- a case -------------------------------------------------------------- */

static gboolean
run_sets (Case *self, GError **error)
{
  for (guint n = 0;; n++)
    {
      g_autofree char *name = g_strdup_printf ("test_data_set_%u", n);
      g_autofree char *set = g_build_filename (self->folder, name, NULL);

      if (!g_file_test (set, G_FILE_TEST_IS_DIR))
        {
          if (n == 0)
            g_set_error_literal (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                                 "it has no test_data_set_0");
          return n > 0;
        }
      if (!(self->device ? run_set : run_set_by_kernels) (self, set, error))
        return FALSE;
    }
}

OnnxCaseVerdict
onnx_case_run (const char *folder, SondeDevice *device, char **op, char **reason)
{
  g_autofree char *path = g_build_filename (folder, "model.onnx", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) original = sonde_model_load (NULL, path, &error);
  Case self = { folder, device, original, 0, 0 };

  *op = find_operator (folder, original);
  *reason = NULL;
  read_tolerance (&self);
  if (original != NULL && run_sets (&self, &error))
    return ONNX_CASE_PASSED;

  *reason = g_strdelimit (g_strdup (error->message), "\n\t", ' ');
  return g_error_matches (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED)
                 || g_error_matches (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED)
             ? ONNX_CASE_UNSUPPORTED
             : ONNX_CASE_FAILED;
}
