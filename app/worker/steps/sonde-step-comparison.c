/* SPDX-License-Identifier: Apache-2.0
 * The model of a step: its inputs, its weights, its gradients; the names of the step's values in it. */
#include "app/worker/steps/sonde-step-comparison.h"

#include <string.h>

#include "app/worker/steps/sonde-step-gradients.h"
#include "app/worker/steps/sonde-step-weights.h"
#include "app/worker/sonde-weights.h"
#include "data/base/sonde-error.h"
#include "data/models/sonde-model-file.h"
#include "engine/debug/searches/sonde-diverge.h"

#define INPUT "input"

/**
 * Comparison:
 * @values: of the step
 * @partners: value of @graph -> name of @values that it is
 * @tensors, @names: name of a value of @graph -> tensor of @values, and its name there
 */
typedef struct
{
  const SondeStepComparisonRequest *asked;
  SondeNamedTensors *values;
  SondeGraph *graph;
  GHashTable *partners, *tensors, *names;
  SondeDevice *device;
  SondePlan *plan;
  SondeExecution *execution;
  GPtrArray *file_weights;
  guint n_weights;
} Comparison;

static void
comparison_clear (Comparison *self)
{
  g_clear_pointer (&self->execution, sonde_execution_free);
  g_clear_pointer (&self->plan, sonde_plan_unref);
  g_clear_pointer (&self->device, sonde_device_unref);
  g_clear_pointer (&self->partners, g_hash_table_unref);
  g_clear_pointer (&self->tensors, g_hash_table_unref);
  g_clear_pointer (&self->names, g_hash_table_unref);
  g_clear_pointer (&self->graph, sonde_graph_unref);
  g_clear_pointer (&self->values, sonde_named_tensors_free);
  g_clear_pointer (&self->file_weights, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Comparison, comparison_clear)

/* ---- the model ----------------------------------------------------------- */

static gboolean
take_weights (Comparison *self, SondeGraph *model, GError **error)
{
  g_autoptr (SondeNamedTensors) weights = NULL;

  if (self->asked->weights_path == NULL)
    return TRUE;
  weights = sonde_weights_read (NULL, self->asked->weights_path, error);
  return weights != NULL
         && sonde_step_weights_take (model, weights, self->file_weights, &self->n_weights, error);
}

static gboolean
load_model (Comparison *self, GError **error)
{
  g_autoptr (SondeGraph) model = sonde_model_load (NULL, self->asked->model_path, error);

  if (model == NULL || !take_weights (self, model, error))
    return FALSE;
  self->graph = sonde_prepare_editable_inference (model, error);
  if (self->graph == NULL)
    sonde_prefix_error (error, "“%s”: ", self->asked->model_path);
  return self->graph != NULL;
}

/* ---- names --------------------------------------------------------------- */

/* Paths of modules; all others have a place of their own ("input:1", "grad(fc)"). */
static GPtrArray *
list_modules (const SondeNamedTensors *values)
{
  GPtrArray *modules = g_ptr_array_new ();

  for (gsize i = 0; i < sonde_named_tensors_get_size (values); i++)
    {
      const char *name = sonde_named_tensors_get_name (values, i);

      if (strpbrk (name, "(:") == NULL && !g_str_equal (name, INPUT))
        g_ptr_array_add (modules, (gpointer) name);
    }
  return modules;
}

static void
take_value (Comparison *self, const char *value, const char *name)
{
  SondeTensor *tensor = sonde_named_tensors_lookup (self->values, name);

  if (tensor == NULL)
    return;
  g_hash_table_insert (self->tensors, g_strdup (value), sonde_tensor_ref (tensor));
  g_hash_table_insert (self->names, g_strdup (value), g_strdup (name));
}

static gboolean
match (Comparison *self, GError **error)
{
  g_autoptr (GPtrArray) modules = list_modules (self->values);
  GHashTableIter iter;
  gpointer value, name;

  self->partners = sonde_diverge_match_modules (self->graph, modules);
  if (g_hash_table_size (self->partners) == 0)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                       "Not one of the %u modules of this step is in “%s”, as “%s”: its nodes are "
                       "not called after modules. Is it an export of this program by "
                       "torch.onnx.export?",
                       modules->len, self->asked->model_path,
                       modules->len > 0 ? (const char *) modules->pdata[0] : "");
      return FALSE;
    }
  g_hash_table_iter_init (&iter, self->partners);
  while (g_hash_table_iter_next (&iter, &value, &name))
    take_value (self, ((SondeGraphValue *) value)->name, name);
  return TRUE;
}

/* ---- inputs -------------------------------------------------------------- */

static gboolean
has_size (const SondeType *type, const SondeTensor *tensor)
{
  if (type->rank < 0)
    return TRUE;
  if (type->rank != tensor->shape.rank)
    return FALSE;
  for (int d = 0; d < type->rank; d++)
    if (type->dims[d].size >= 0 && type->dims[d].size != tensor->shape.dims[d])
      return FALSE;
  return TRUE;
}

static gboolean
check_input (const SondeGraphValue *input, const SondeTensor *tensor, GError **error)
{
  g_autofree char *wanted = sonde_type_to_string (&input->type),
                  *given = sonde_shape_to_string (&tensor->shape);

  if (input->type.dtype != SONDE_DTYPE_INVALID && input->type.dtype != tensor->dtype)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                     "The model's input “%s” is %s, but the program was called with %s %s: export "
                     "the model with that type.",
                     input->name, wanted, sonde_dtype_name (tensor->dtype), given);
  else if (!has_size (&input->type, tensor))
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                     "The model's input “%s” is %s, but the program was called with %s %s: export "
                     "the model with such an input, or with sizes that may change.",
                     input->name, wanted, sonde_dtype_name (tensor->dtype), given);
  else
    return TRUE;
  return FALSE;
}

/* In order, as exporters keep it. @inputs: (element-type SondeGraphValue): those without default */
static gboolean
take_inputs (Comparison *self, const GPtrArray *inputs, GError **error)
{
  for (guint i = 0; i < inputs->len; i++)
    {
      const SondeGraphValue *input = g_ptr_array_index (inputs, i);
      g_autofree char *name = i == 0 ? g_strdup (INPUT) : g_strdup_printf (INPUT ":%u", i);
      SondeTensor *tensor = sonde_named_tensors_lookup (self->values, name);

      if (tensor == NULL)
        {
          sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                           "The model has %u inputs, but the program's outermost module was called "
                           "with %u tensors: there is none for “%s”.",
                           inputs->len, i, input->name);
          return FALSE;
        }
      if (!check_input (input, tensor, error))
        return FALSE;
      take_value (self, input->name, name);
    }
  return TRUE;
}

static GPtrArray *
list_inputs (const SondeGraph *graph)
{
  GPtrArray *inputs = g_ptr_array_new ();

  for (guint i = 0; i < graph->inputs->len; i++)
    if (((SondeGraphValue *) graph->inputs->pdata[i])->constant == NULL)
      g_ptr_array_add (inputs, graph->inputs->pdata[i]);
  return inputs;
}

/* ---- running ------------------------------------------------------------- */

static gboolean
plan (Comparison *self, const SondeBinding *bindings, guint n, GError **error)
{
  SondePlanOptions options
      = { .memory = SONDE_MEMORY_KEEP, .no_fusion = TRUE, .bindings = bindings, .n_bindings = n };

  self->device = sonde_device_open ("cpu", (int) self->asked->threads, error);
  if (self->device == NULL)
    return FALSE;
  self->plan = sonde_plan_new (self->graph, self->device, &options, error);
  if (self->plan != NULL)
    self->execution = sonde_execution_new (self->plan, error);
  return self->execution != NULL;
}

/* Inputs of the model and, with gradients, what flows into its outputs. */
static gboolean
prepare (Comparison *self, GError **error)
{
  guint n = self->graph->inputs->len;
  g_autofree SondeBinding *bindings = g_new0 (SondeBinding, n + 1);
  guint n_bindings = 0;

  for (guint i = 0; i < n; i++)
    {
      const SondeGraphValue *input = g_ptr_array_index (self->graph->inputs, i);
      const SondeTensor *tensor = g_hash_table_lookup (self->tensors, input->name);

      if (tensor != NULL)
        bindings[n_bindings++]
            = (SondeBinding){ .name = input->name,
                              .type = sonde_type_tensor (tensor->dtype, &tensor->shape) };
    }
  if (!plan (self, bindings, n_bindings, error))
    {
      sonde_prefix_error (error, "“%s”: ", self->asked->model_path);
      return FALSE;
    }
  for (guint i = 0; i < n_bindings; i++)
    if (!sonde_execution_set_input (self->execution, bindings[i].name,
                                    g_hash_table_lookup (self->tensors, bindings[i].name), error))
      return FALSE;
  return TRUE;
}

/* ---- what was found ------------------------------------------------------ */

static gboolean
is_asked (const SondeDivergedValue *value, const char *pattern)
{
  return pattern == NULL || g_pattern_match_simple (pattern, value->node)
         || g_pattern_match_simple (pattern, value->value)
         || (value->reference != NULL && g_pattern_match_simple (pattern, value->reference));
}

static void
list_unused (Comparison *self, SondeDivergence *found)
{
  g_autoptr (GHashTable) used = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) modules = list_modules (self->values);
  GHashTableIter iter;
  gpointer name;

  g_hash_table_iter_init (&iter, self->names);
  while (g_hash_table_iter_next (&iter, NULL, &name))
    g_hash_table_add (used, name);
  for (guint i = 0; i < modules->len; i++)
    if (!g_hash_table_contains (used, modules->pdata[i]))
      g_ptr_array_add (found->unused, g_strdup (modules->pdata[i]));
}

/* Under the names that the step has. */
static void
name_as_in_step (Comparison *self, SondeDivergence *found)
{
  found->first = -1;
  for (guint i = 0; i < found->values->len;)
    {
      SondeDivergedValue *value = g_ptr_array_index (found->values, i);

      g_free (value->reference);
      value->reference = g_strdup (g_hash_table_lookup (self->names, value->value));
      if (!is_asked (value, self->asked->pattern))
        {
          g_ptr_array_remove_index (found->values, i);
          continue;
        }
      if (value->phase == SONDE_PHASE_BACKWARD)
        value->made_by
            = sonde_step_gradients_list_readers (self->graph, value->value, self->partners);
      if (found->first < 0 && value->over)
        found->first = (int) i;
      i++;
    }
}

SondeDivergence *
sonde_step_comparison_run (const SondeStepComparisonRequest *asked,
                           gboolean (*tick) (guint step, guint n_steps, gpointer data),
                           gpointer data, GError **error)
{
  g_auto (Comparison) self = { .asked = asked };
  SondeDivergeOptions options
      = { .rtol = asked->has_rtol ? asked->rtol : -1, .tick = tick, .data = data };
  g_autoptr (GPtrArray) inputs = NULL;
  SondeDivergence *found;

  self.tensors = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                        (GDestroyNotify) sonde_tensor_unref);
  self.names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self.file_weights = g_ptr_array_new_with_free_func (g_free);
  self.values = sonde_npz_read (NULL, asked->values_path, error);
  if (self.values == NULL || !load_model (&self, error) || !match (&self, error))
    return NULL;
  inputs = list_inputs (self.graph);
  if (!take_inputs (&self, inputs, error)
      || (asked->gradients
          && !sonde_step_gradients_add (self.graph, self.partners, self.values, self.tensors,
                                        self.names, error))
      || !prepare (&self, error))
    return NULL;
  options.tensors = self.tensors;
  found = sonde_diverge (self.execution, &options, error);
  if (found == NULL)
    return NULL;
  name_as_in_step (&self, found);
  list_unused (&self, found);
  g_ptr_array_unref (found->file_weights);
  found->file_weights = g_steal_pointer (&self.file_weights);
  found->n_weights = self.n_weights;
  found->is_step = TRUE;
  return found;
}
