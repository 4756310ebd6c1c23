/* SPDX-License-Identifier: Apache-2.0
 * The gradient pass as a function from graph to graph. */
#include "engine/nn/sonde-grad.h"

#include "engine/ops/sonde-build.h"

/**
 * Work: the graph under construction; all arrays are of SondeGraphValue
 * @outputs, @inputs: what is differentiated, and with respect to what
 */
typedef struct
{
  SondeGraph *graph;
  GPtrArray *outputs, *inputs, *auxiliary, *stop;
} Work;

static void
work_clear (Work *work)
{
  g_clear_pointer (&work->graph, sonde_graph_unref);
  g_clear_pointer (&work->outputs, g_ptr_array_unref);
  g_clear_pointer (&work->inputs, g_ptr_array_unref);
  g_clear_pointer (&work->auxiliary, g_ptr_array_unref);
  g_clear_pointer (&work->stop, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Work, work_clear)

/* ---- the graph ----------------------------------------------------------- */

/* Nodes say already where they come from. */
static gboolean
has_origins (const SondeGraph *graph)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const SondeNode *node = graph->nodes->pdata[i];

      if (node != NULL && node->origins->len > 0)
        return TRUE;
    }
  return FALSE;
}

static SondeGraph *
prepare (SondeGraph *original, GError **error)
{
  g_autoptr (SondeGraph) graph = sonde_graph_copy (original, !has_origins (original));
  g_autoptr (GPtrArray) problems
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_message_free);

  if (!sonde_pass_inline (graph, error) || !sonde_pass_legalise (graph, error)
      || !sonde_pass_expand_gradient (graph, error))
    return NULL;
  if (!sonde_pass_check (graph, problems))
    {
      sonde_op_set_problems (error, problems);
      return NULL;
    }
  if (!sonde_pass_infer (graph, NULL, 0, error))
    return NULL;
  return g_steal_pointer (&graph);
}

/* ---- values -------------------------------------------------------------- */

static SondeGraphValue *
find_value (const SondeGraph *graph, const SondeValueRef *ref, gboolean of_outputs, GError **error)
{
  const GPtrArray *list = of_outputs ? graph->outputs : graph->inputs;
  SondeGraphValue *value = NULL;

  if (ref->name == NULL && ref->position < list->len)
    return list->pdata[ref->position];
  if (ref->name == NULL && of_outputs)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "the graph has no output number %u: it has %u, counted from 0", ref->position,
                     list->len);
  else if (ref->name == NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "the graph has no input number %u: it has %u, counted from 0", ref->position,
                     list->len);
  else
    value = sonde_graph_find_value (graph, ref->name);
  if (ref->name != NULL && value == NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "the graph has no value “%s”", ref->name);
  return value;
}

static GPtrArray *
find_values (const SondeGraph *graph, const SondeValueRef *refs, guint n, gboolean of_outputs,
             GError **error)
{
  g_autoptr (GPtrArray) values = g_ptr_array_new ();

  for (guint i = 0; i < n; i++)
    {
      SondeGraphValue *value = find_value (graph, &refs[i], of_outputs, error);

      if (value == NULL)
        return NULL;
      g_ptr_array_add (values, value);
    }
  return g_steal_pointer (&values);
}

static gboolean
check_inputs (const GPtrArray *inputs, GError **error)
{
  for (guint i = 0; i < inputs->len; i++)
    {
      const SondeGraphValue *value = inputs->pdata[i];
      g_autofree char *type = NULL;

      if ((value->type.kind == SONDE_VALUE_TENSOR || value->type.kind == SONDE_VALUE_NONE)
          && (value->type.dtype == SONDE_DTYPE_INVALID || sonde_dtype_is_float (value->type.dtype)))
        continue;
      type = sonde_type_to_string (&value->type);
      sonde_set_error (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
          "“%s” is %s, but gradients exist only with respect to floating-point tensors",
          value->name, type);
      return FALSE;
    }
  return TRUE;
}

static gboolean
work_init (Work *work, SondeGraph *graph, const SondeValueRef *outputs, guint n_outputs,
           const SondeValueRef *inputs, guint n_inputs, const SondeGradOptions *options,
           GError **error)
{
  work->graph = prepare (graph, error);
  if (work->graph == NULL)
    return FALSE;
  work->outputs = find_values (work->graph, outputs, n_outputs, TRUE, error);
  if (work->outputs == NULL)
    return FALSE;
  work->inputs = find_values (work->graph, inputs, n_inputs, FALSE, error);
  if (work->inputs == NULL || !check_inputs (work->inputs, error))
    return FALSE;
  work->auxiliary
      = find_values (work->graph, options->auxiliary, options->n_auxiliary, TRUE, error);
  if (work->auxiliary == NULL)
    return FALSE;
  work->stop = find_values (work->graph, options->stop, options->n_stop, FALSE, error);
  return work->stop != NULL;
}

static SondeGradientRequest
make_request (const Work *work, const SondeGradOptions *options)
{
  return (SondeGradientRequest){
    .targets = (SondeGraphValue *const *) work->outputs->pdata,
    .n_targets = work->outputs->len,
    .with_respect_to = (SondeGraphValue *const *) work->inputs->pdata,
    .n = work->inputs->len,
    .stop = (SondeGraphValue *const *) work->stop->pdata,
    .n_stop = work->stop->len,
    .rules = options->rules,
    .n_rules = options->n_rules,
  };
}

/* Inputs "FORMAT" of the types of @values. */
static GPtrArray *
add_inputs (SondeGraph *graph, const GPtrArray *values, const char *what)
{
  GPtrArray *inputs = g_ptr_array_new ();

  for (guint i = 0; i < values->len; i++)
    {
      const SondeGraphValue *value = values->pdata[i];
      g_autofree char *name = g_strdup_printf ("%s(%s)", what, value->name);

      g_ptr_array_add (inputs, sonde_graph_add_input (graph, name, &value->type));
    }
  return inputs;
}

/* ---- gradients ----------------------------------------------------------- */

static void
set_outputs (Work *work, const GPtrArray *first, const GPtrArray *second, const GPtrArray *third)
{
  const GPtrArray *lists[] = { first, second, third };

  g_ptr_array_set_size (work->graph->outputs, 0);
  for (gsize l = 0; l < G_N_ELEMENTS (lists); l++)
    for (guint i = 0; lists[l] != NULL && i < lists[l]->len; i++)
      sonde_graph_add_output (work->graph, lists[l]->pdata[i]);
  sonde_pass_dce (work->graph);
}

static SondeGraph *
differentiate (SondeGraph *graph, gboolean with_values, const SondeValueRef *outputs,
               guint n_outputs, const SondeValueRef *inputs, guint n_inputs,
               const SondeGradOptions *options, GError **error)
{
  static const SondeGradOptions defaults = { 0 };
  g_auto (Work) work = { NULL };
  g_autoptr (GPtrArray) seeds = NULL, gradients = g_ptr_array_new ();
  SondeGradientRequest request;

  if (options == NULL)
    options = &defaults;
  if (!work_init (&work, graph, outputs, n_outputs, inputs, n_inputs, options, error))
    return NULL;
  request = make_request (&work, options);
  if (options->give_seeds)
    {
      seeds = add_inputs (work.graph, work.outputs, "seed");
      request.seeds = (SondeGraphValue *const *) seeds->pdata;
    }
  g_ptr_array_set_size (gradients, (int) n_inputs);
  if (!sonde_pass_gradient_of (work.graph, &request, (SondeGraphValue **) gradients->pdata, error))
    return NULL;
  if (with_values)
    set_outputs (&work, work.outputs, work.auxiliary, gradients);
  else
    set_outputs (&work, gradients, work.auxiliary, NULL);
  return g_steal_pointer (&work.graph);
}

SondeGraph *
sonde_grad (SondeGraph *graph, const SondeValueRef *outputs, guint n_outputs,
            const SondeValueRef *inputs, guint n_inputs, const SondeGradOptions *options,
            GError **error)
{
  return differentiate (graph, FALSE, outputs, n_outputs, inputs, n_inputs, options, error);
}

SondeGraph *
sonde_value_and_grad (SondeGraph *graph, const SondeValueRef *outputs, guint n_outputs,
                      const SondeValueRef *inputs, guint n_inputs, const SondeGradOptions *options,
                      GError **error)
{
  return differentiate (graph, TRUE, outputs, n_outputs, inputs, n_inputs, options, error);
}

/* ---- the other direction ------------------------------------------------- */

/* Zeros of the shapes of the outputs, by which the gradient is differentiated: it is linear in its
 * seeds. */
static GPtrArray *
add_zero_seeds (Work *work)
{
  GPtrArray *seeds = g_ptr_array_new ();

  for (guint i = 0; i < work->outputs->len; i++)
    {
      SondeGraphValue *output = work->outputs->pdata[i];
      SondeGraphValue *pair[] = { output, sonde_build_scalar (work->graph, output->type.dtype, 0) };

      g_ptr_array_add (seeds, sonde_build_op (work->graph, NULL, "", "Mul", 2, pair));
    }
  return seeds;
}

static void
name_tangents (Work *work, GPtrArray *tangents)
{
  for (guint i = 0; i < tangents->len; i++)
    {
      SondeGraphValue *output = work->outputs->pdata[i];
      g_autofree char *name = g_strdup_printf ("tangent(%s)", output->name);

      (void) sonde_graph_rename_value (work->graph, tangents->pdata[i], name);
    }
}

SondeGraph *
sonde_jacobian_vector (SondeGraph *graph, const SondeValueRef *outputs, guint n_outputs,
                       const SondeValueRef *inputs, guint n_inputs, const SondeGradOptions *options,
                       GError **error)
{
  static const SondeGradOptions defaults = { 0 };
  g_auto (Work) work = { NULL };
  g_autoptr (GPtrArray) seeds = NULL, gradients = g_ptr_array_new (), directions = NULL,
                        tangents = g_ptr_array_new ();
  SondeGradientRequest request;

  if (options == NULL)
    options = &defaults;
  if (!work_init (&work, graph, outputs, n_outputs, inputs, n_inputs, options, error))
    return NULL;
  seeds = add_zero_seeds (&work);
  request = make_request (&work, options);
  request.seeds = (SondeGraphValue *const *) seeds->pdata;
  g_ptr_array_set_size (gradients, (int) n_inputs);
  if (!sonde_pass_gradient_of (work.graph, &request, (SondeGraphValue **) gradients->pdata, error))
    return NULL;
  directions = add_inputs (work.graph, work.inputs, "tangent");
  request = (SondeGradientRequest){
    .targets = (SondeGraphValue *const *) gradients->pdata,
    .seeds = (SondeGraphValue *const *) directions->pdata,
    .n_targets = gradients->len,
    .with_respect_to = (SondeGraphValue *const *) seeds->pdata,
    .n = seeds->len,
  };
  g_ptr_array_set_size (tangents, (int) n_outputs);
  if (!sonde_pass_gradient_of (work.graph, &request, (SondeGraphValue **) tangents->pdata, error))
    return NULL;
  name_tangents (&work, tangents);
  set_outputs (&work, tangents, NULL, NULL);
  return g_steal_pointer (&work.graph);
}

/* ---- one run ------------------------------------------------------------- */

static SondeExecution *
start (SondeGraph *original, SondeDevice *device, const char *const *names,
       SondeTensor *const *tensors, guint n, GError **error)
{
  g_autoptr (SondeGraph) graph = sonde_graph_copy (original, FALSE);
  g_autofree SondeBinding *bindings = g_new0 (SondeBinding, n + 1);
  SondePlanOptions options = { .bindings = bindings, .n_bindings = n };
  g_autoptr (SondePlan) plan = NULL;
  g_autoptr (SondeExecution) execution = NULL;

  for (guint i = 0; i < n; i++)
    bindings[i]
        = (SondeBinding){ names[i], sonde_type_tensor (tensors[i]->dtype, &tensors[i]->shape) };
  plan = sonde_plan_new (graph, device, &options, error);
  execution = plan != NULL ? sonde_execution_new (plan, error) : NULL;
  for (guint i = 0; execution != NULL && i < n; i++)
    if (!sonde_execution_set_input (execution, names[i], tensors[i], error))
      return NULL;
  return g_steal_pointer (&execution);
}

gboolean
sonde_graph_run (SondeGraph *graph, SondeDevice *device, const char *const *names,
                 SondeTensor *const *tensors, guint n, SondeTensor **outputs, GError **error)
{
  g_autoptr (SondeDevice) own
      = device != NULL ? sonde_device_ref (device) : sonde_device_open ("cpu", 0, error);
  g_autoptr (SondeExecution) execution
      = own != NULL ? start (graph, own, names, tensors, n, error) : NULL;
  const SondeGraph *planned = NULL;

  if (execution == NULL || sonde_execution_run (execution, error) != SONDE_RUN_DONE)
    return FALSE;
  planned = sonde_plan_get_graph (sonde_execution_get_plan (execution));
  for (guint k = 0; k < planned->outputs->len; k++)
    {
      outputs[k] = sonde_execution_read (execution, planned->outputs->pdata[k], error);
      if (outputs[k] != NULL)
        continue;
      while (k-- > 0)
        g_clear_pointer (&outputs[k], sonde_tensor_unref);
      return FALSE;
    }
  return TRUE;
}
