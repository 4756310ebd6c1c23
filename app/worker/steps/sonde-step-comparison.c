/* SPDX-License-Identifier: Apache-2.0
 * The model of a step: its inputs, its weights, its gradients; the names of the step's values in it. */
#include "app/worker/steps/sonde-step-comparison.h"

#include <math.h>
#include <string.h>

#include "app/worker/steps/sonde-step-gradients.h"
#include "app/worker/steps/sonde-step-values.h"
#include "app/worker/steps/sonde-step-weights.h"
#include "app/worker/sonde-weights.h"
#include "data/base/sonde-error.h"
#include "data/models/sonde-model-file.h"
#include "engine/debug/searches/sonde-diverge.h"

#define INPUT "input"
#define TARGET "target"

/**
 * Comparison:
 * @values: of the step
 * @partners: value of @graph -> name of @values that it is
 * @modules: (element-type utf8): whose weights are known; @weights: see sonde_step_weights_take()
 * @tensors, @names: name of a value of @graph -> tensor of @values, and its name there
 */
typedef struct
{
  const SondeStepComparisonRequest *asked;
  SondeNamedTensors *values;
  SondeGraph *graph;
  GHashTable *partners, *tensors, *names, *weights;
  SondeDevice *device;
  SondePlan *plan;
  SondeExecution *execution;
  GPtrArray *modules, *unused, *file_weights;
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
  g_clear_pointer (&self->weights, g_hash_table_unref);
  g_clear_pointer (&self->graph, sonde_graph_unref);
  g_clear_pointer (&self->values, sonde_named_tensors_free);
  g_clear_pointer (&self->modules, g_ptr_array_unref);
  g_clear_pointer (&self->unused, g_ptr_array_unref);
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
  if (weights == NULL)
    return FALSE;
  sonde_step_weights_list_modules (weights, self->modules);
  return sonde_step_weights_take (model, weights, self->file_weights, self->weights, error);
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

/* Not "input:1", "grad(fc)", nor what an output is compared with. */
static void
add_module (GPtrArray *modules, GHashTable *seen, const char *name)
{
  if (strpbrk (name, "(:") != NULL || g_str_equal (name, INPUT) || g_str_equal (name, TARGET)
      || g_hash_table_contains (seen, name))
    return;
  g_ptr_array_add (modules, g_strdup (name));
  g_hash_table_add (seen, modules->pdata[modules->len - 1]);
}

/* Paths of all modules that are known of, also without a value: what a normalisation was folded into is
 * known by its weights alone. */
static GPtrArray *
list_modules (const Comparison *self)
{
  GPtrArray *modules = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  const char *const *order = self->asked->order;

  for (gsize i = 0; order != NULL && order[i] != NULL; i++)
    add_module (modules, seen, order[i]);
  for (gsize i = 0; i < sonde_named_tensors_get_size (self->values); i++)
    add_module (modules, seen, sonde_named_tensors_get_name (self->values, i));
  for (guint i = 0; i < self->modules->len; i++)
    add_module (modules, seen, self->modules->pdata[i]);
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

/* A container that only hands on what the module in it made. */
static gboolean
is_told_by_inner (Comparison *self, const char *module, GHashTable *partners)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GHashTable) meant = NULL;
  GHashTableIter iter;
  gpointer value;
  const char *other = NULL;

  g_ptr_array_add (names, (gpointer) module);
  meant = sonde_diverge_match_modules (self->graph, names);
  g_hash_table_iter_init (&iter, meant);
  if (g_hash_table_iter_next (&iter, &value, NULL))
    other = g_hash_table_lookup (partners, value);
  return other != NULL && g_str_has_prefix (other, module) && other[strlen (module)] == '.';
}

/* Modules of which the step has a value, and the model nothing. */
static void
list_unmatched (Comparison *self, const GPtrArray *modules, GHashTable *partners)
{
  g_autoptr (GHashTable) used = g_hash_table_new (g_str_hash, g_str_equal);
  GHashTableIter iter;
  gpointer name;

  g_hash_table_iter_init (&iter, partners);
  while (g_hash_table_iter_next (&iter, NULL, &name))
    g_hash_table_add (used, name);
  for (guint i = 0; i < modules->len; i++)
    if (!g_hash_table_contains (used, modules->pdata[i])
        && sonde_named_tensors_lookup (self->values, modules->pdata[i]) != NULL
        && !is_told_by_inner (self, modules->pdata[i], partners))
      g_ptr_array_add (self->unused, g_strdup (modules->pdata[i]));
}

static gboolean
match (Comparison *self, GError **error)
{
  g_autoptr (GPtrArray) modules = list_modules (self);
  g_autoptr (GHashTable) partners = sonde_diverge_match_modules (self->graph, modules);
  GHashTableIter iter;
  gpointer value, name;

  list_unmatched (self, modules, partners);
  if (g_hash_table_size (partners) == 0)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                       "Not one of the %u modules of this step is in “%s”, as “%s”: its nodes are "
                       "not called after modules. Is it an export of this program by "
                       "torch.onnx.export?",
                       modules->len, self->asked->model_path,
                       modules->len > 0 ? (const char *) modules->pdata[0] : "");
      return FALSE;
    }
  g_hash_table_iter_init (&iter, partners);
  while (g_hash_table_iter_next (&iter, &value, &name))
    {
      g_hash_table_insert (self->partners, value, g_strdup (name));
      take_value (self, ((SondeGraphValue *) value)->name, name);
    }
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

/* ---- gradients of weights ------------------------------------------------ */

static gboolean
is_of_weight (const Comparison *self, const SondeDivergedValue *value)
{
  GHashTableIter iter;
  gpointer weight;

  g_hash_table_iter_init (&iter, self->weights);
  while (value->reference != NULL && g_hash_table_iter_next (&iter, NULL, &weight))
    {
      g_autofree char *name = g_strdup_printf ("grad(%s)", ((SondeStepWeight *) weight)->name);

      if (g_str_equal (name, value->reference))
        return TRUE;
    }
  return FALSE;
}

/* Of what flowed into a module; 0: nobody knows. */
static double
find_largest (const Comparison *self, const char *module)
{
  g_autofree char *name = g_strdup_printf ("grad(%s)", module);
  SondeTensor *tensor = sonde_named_tensors_lookup (self->values, name);
  SondeStatistics statistics;

  if (tensor == NULL)
    return 0;
  sonde_statistics_compute (tensor, &statistics);
  return fmax (fabs (statistics.min), fabs (statistics.max));
}

/* A sum in which all cancels, as that of a bias before a normalisation, is judged by its parts: nothing of it but
 * their rounding is left. */
static void
judge_by_parts (const Comparison *self, SondeDivergedValue *value)
{
  double largest = value->largest, rtol;

  for (guint i = 0; value->made_by[i] != NULL; i++)
    largest = fmax (largest, find_largest (self, value->made_by[i]));
  if (!(largest > value->largest))
    return;
  rtol = value->largest > 0 ? value->tolerance / value->largest
                            : sonde_diverge_default_rtol (SONDE_DTYPE_F32, SONDE_DTYPE_F32);
  value->tolerance = fmax (value->tolerance, rtol * largest);
  value->over = !(value->own_error <= value->tolerance);
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
      if (value->made_by != NULL && is_of_weight (self, value))
        judge_by_parts (self, value);
      if (found->first < 0 && value->over)
        found->first = (int) i;
      i++;
    }
}

static gboolean
add_gradients (Comparison *self, GError **error)
{
  const SondeStepMatch match
      = { self->partners, self->weights, self->values, self->tensors, self->names };

  return !self->asked->gradients || sonde_step_gradients_add (self->graph, &match, error);
}

static SondeDivergence *
compare_with_model (const SondeStepComparisonRequest *asked,
                    gboolean (*tick) (guint step, guint n_steps, gpointer data), gpointer data,
                    GError **error)
{
  g_auto (Comparison) self = { .asked = asked };
  SondeDivergeOptions options
      = { .rtol = asked->has_rtol ? asked->rtol : -1, .tick = tick, .data = data };
  g_autoptr (GPtrArray) inputs = NULL;
  SondeDivergence *found;

  self.tensors = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                        (GDestroyNotify) sonde_tensor_unref);
  self.names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self.weights = sonde_step_weights_table_new ();
  self.partners = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  self.modules = g_ptr_array_new_with_free_func (g_free);
  self.unused = g_ptr_array_new_with_free_func (g_free);
  self.file_weights = g_ptr_array_new_with_free_func (g_free);
  self.values = sonde_weights_read (NULL, asked->values_path, error);
  if (self.values == NULL || !load_model (&self, error) || !match (&self, error))
    return NULL;
  inputs = list_inputs (self.graph);
  if (!take_inputs (&self, inputs, error) || !add_gradients (&self, error)
      || !prepare (&self, error))
    return NULL;
  options.tensors = self.tensors;
  found = sonde_diverge (self.execution, &options, error);
  if (found == NULL)
    return NULL;
  name_as_in_step (&self, found);
  g_ptr_array_unref (found->unused);
  found->unused = g_steal_pointer (&self.unused);
  g_ptr_array_unref (found->file_weights);
  found->file_weights = g_steal_pointer (&self.file_weights);
  found->n_weights = g_hash_table_size (self.weights);
  found->is_step = TRUE;
  return found;
}

SondeDivergence *
sonde_step_comparison_run (const SondeStepComparisonRequest *asked,
                           gboolean (*tick) (guint step, guint n_steps, gpointer data),
                           gpointer data, GError **error)
{
  return asked->model_path != NULL ? compare_with_model (asked, tick, data, error)
                                   : sonde_step_values_compare (asked, error);
}
