/* SPDX-License-Identifier: Apache-2.0
 * A second execution of a run: its graph, plan and beginning. */
#include "engine/debug/searches/sonde-replica.h"

/**
 * SondeReplica:
 * @values: (nullable): name -> SondeValue: of an optimised run, whose memory is used again: what
 * its steps made
 */
struct _SondeReplica
{
  SondeDevice *device;
  SondeGraph *graph;
  SondePlan *plan;
  SondeExecution *execution;
  GHashTable *values;
};

void
sonde_replica_free (SondeReplica *replica)
{
  if (replica == NULL)
    return;
  g_clear_pointer (&replica->values, g_hash_table_unref);
  g_clear_pointer (&replica->execution, sonde_execution_free);
  g_clear_pointer (&replica->plan, sonde_plan_unref);
  g_clear_pointer (&replica->graph, sonde_graph_unref);
  g_clear_pointer (&replica->device, sonde_device_unref);
  g_free (replica);
}

/* ---- its graph ----------------------------------------------------------- */

static gboolean
is_source (const SondeGraphValue *value)
{
  return value != NULL && value->producer == NULL && value->constant != NULL;
}

/* What passes compute beforehand, they compute of what is there now. */
static gboolean
take_changed_constants (SondeGraph *graph, SondeExecution *original, GError **error)
{
  SondeGraph *from = sonde_plan_get_graph (sonde_execution_get_plan (original));

  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->values, i), *other;
      SondeValue *content;

      if (!is_source (value) || value->role == SONDE_ROLE_CONSTANT
          || value->role == SONDE_ROLE_INPUT)
        continue;
      other = sonde_graph_find_value (from, value->name);
      if (other == NULL || other->producer != NULL || !sonde_execution_is_changed (original, other))
        continue;
      content = sonde_execution_read_source (original, other, error);
      if (content == NULL)
        return FALSE;
      sonde_value_unref (value->constant);
      value->constant = content;
    }
  return TRUE;
}

static gboolean
refuse_parameter (const SondeGraphValue *value, const SondeTensor *tensor, GError **error)
{
  g_autofree char *wanted = sonde_type_to_string (&value->type),
                  *given = sonde_shape_to_string (&tensor->shape);

  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                   "Parameter “%s” is %s, but %s was given for it.", value->name, wanted, given);
  return FALSE;
}

static gboolean
take_parameters (SondeGraph *graph, GHashTable *parameters, GError **error)
{
  for (guint i = 0; parameters != NULL && i < graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->values, i);
      SondeTensor *tensor
          = is_source (value) ? g_hash_table_lookup (parameters, value->name) : NULL;
      g_autoptr (SondeTensor) fitting = NULL;
      SondeShape shape;

      if (tensor == NULL || value->role == SONDE_ROLE_INPUT)
        continue;
      if (!sonde_type_get_shape (&value->type, &shape)
          || !sonde_shape_equal (&shape, &tensor->shape))
        return refuse_parameter (value, tensor, error);
      fitting = tensor->dtype == value->type.dtype ? sonde_tensor_ref (tensor)
                                                   : sonde_tensor_cast (tensor, value->type.dtype);
      sonde_value_unref (value->constant);
      value->constant = sonde_value_new_tensor (fitting);
    }
  return TRUE;
}

static gboolean
has_updates (const SondeGraph *graph)
{
  for (guint i = 0; i < graph->values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (graph->values, i);

      if (value != NULL && value->update_of != NULL)
        return TRUE;
    }
  return FALSE;
}

/* Types of the inputs of the run. (transfer full) */
static GArray *
bind_inputs (SondeGraph *graph, SondeExecution *original)
{
  SondeGraph *from = sonde_plan_get_graph (sonde_execution_get_plan (original));
  GArray *bindings = g_array_new (FALSE, TRUE, sizeof (SondeBinding));

  for (guint i = 0; i < graph->inputs->len; i++)
    {
      const SondeGraphValue *input = g_ptr_array_index (graph->inputs, i);
      const SondeGraphValue *other = sonde_graph_find_value (from, input->name);
      SondeBinding binding = { input->name, sonde_type_unknown () };
      SondeShape shape;

      /* an initialiser among the inputs is none */
      if (input->role != SONDE_ROLE_INPUT || other == NULL || other->producer != NULL
          || other->type.kind != SONDE_VALUE_TENSOR || !sonde_type_get_shape (&other->type, &shape))
        continue;
      binding.type = sonde_type_tensor (
          input->type.dtype != SONDE_DTYPE_INVALID ? input->type.dtype : other->type.dtype, &shape);
      g_array_append_val (bindings, binding);
    }
  return bindings;
}

static gboolean
recast (SondeReplica *replica, const SondeReplicaOptions *options, const GArray *bindings,
        GError **error)
{
  g_autoptr (GHashTable) kept = g_hash_table_new (g_str_hash, g_str_equal);

  if (options->precision == SONDE_DTYPE_INVALID || options->precision == SONDE_DTYPE_F32)
    return TRUE;
  for (gsize i = 0; options->kept != NULL && options->kept[i] != NULL; i++)
    g_hash_table_add (kept, (gpointer) options->kept[i]);
  return sonde_pass_infer (replica->graph, (const SondeBinding *) (const void *) bindings->data,
                           bindings->len, error)
         && sonde_pass_insert_casts (replica->graph, options->precision, kept, NULL, error);
}

static gboolean
make_graph (SondeReplica *replica, SondeExecution *original, const SondeReplicaOptions *options,
            GError **error)
{
  SondeGraph *from = options->graph != NULL
                         ? options->graph
                         : sonde_plan_get_graph (sonde_execution_get_plan (original));
  g_autoptr (SondeGraph) copy = sonde_graph_copy (from, FALSE);
  g_autoptr (GArray) bindings = bind_inputs (copy, original);

  if ((options->graph == NULL && !take_changed_constants (copy, original, error))
      || !take_parameters (copy, options->parameters, error))
    return FALSE;
  if (options->form == SONDE_REPLICA_OPTIMISED && !has_updates (copy))
    replica->graph = sonde_prepare_unwatched_inference (
        copy, (const SondeBinding *) (const void *) bindings->data, bindings->len, error);
  else
    replica->graph = g_steal_pointer (&copy);
  return replica->graph != NULL && recast (replica, options, bindings, error);
}

/* ---- its run ------------------------------------------------------------- */

static gboolean
open_device (SondeReplica *replica, SondeExecution *original, const SondeReplicaOptions *options,
             GError **error)
{
  SondeDevice *device = sonde_plan_get_device (sonde_execution_get_plan (original));

  if (options->device != NULL || options->threads > 0)
    replica->device = sonde_device_open (
        options->device != NULL ? options->device : device->klass->name, options->threads, error);
  else
    replica->device = sonde_device_ref (device);
  return replica->device != NULL;
}

static gboolean
make_plan (SondeReplica *replica, SondeExecution *original, const SondeReplicaOptions *options,
           GError **error)
{
  gboolean optimised = options->form == SONDE_REPLICA_OPTIMISED;
  g_autoptr (GArray) bindings = bind_inputs (replica->graph, original);
  SondePlanOptions plan = { 0 };

  plan.memory = optimised ? SONDE_MEMORY_PLAN : SONDE_MEMORY_KEEP;
  plan.no_fusion = !optimised;
  plan.bindings = (const SondeBinding *) (const void *) bindings->data;
  plan.n_bindings = bindings->len;
  replica->plan = sonde_plan_new (replica->graph, replica->device, &plan, error);
  if (replica->plan == NULL)
    return FALSE;
  if (optimised)
    replica->values
        = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) sonde_value_unref);
  replica->execution = sonde_execution_new (replica->plan, error);
  return replica->execution != NULL;
}

static gboolean
write_parameters (SondeReplica *replica, GHashTable *parameters, GError **error)
{
  for (guint i = 0; parameters != NULL && i < replica->graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (replica->graph->values, i);
      SondeTensor *tensor
          = is_source (value) ? g_hash_table_lookup (parameters, value->name) : NULL;
      g_autoptr (SondeTensor) fitting = NULL;

      if (tensor == NULL
          || (value->role != SONDE_ROLE_PARAMETER && value->role != SONDE_ROLE_STATE))
        continue;
      fitting = sonde_tensor_cast (tensor, value->type.dtype);
      if (!sonde_execution_write (replica->execution, value, fitting, error))
        return FALSE;
    }
  return TRUE;
}

/* Another model's parameters are its own: only inputs, states and random numbers come from the
 * run. */
static gboolean
begin (SondeReplica *replica, SondeExecution *original, const SondeReplicaOptions *options,
       GError **error)
{
  if (options->graph == NULL)
    return sonde_execution_copy_sources (replica->execution, original, error);
  return sonde_execution_copy_inputs (replica->execution, original, error);
}

SondeReplica *
sonde_replica_new (SondeExecution *original, const SondeReplicaOptions *options, GError **error)
{
  g_autoptr (SondeReplica) replica = g_new0 (SondeReplica, 1);

  g_return_val_if_fail (original != NULL && options != NULL, NULL);

  if (!open_device (replica, original, options, error)
      || !make_graph (replica, original, options, error)
      || !make_plan (replica, original, options, error)
      || !begin (replica, original, options, error)
      || !write_parameters (replica, options->parameters, error))
    return NULL;
  return g_steal_pointer (&replica);
}

static SondeReplica *
new_of_plan (SondePlan *plan)
{
  SondeReplica *replica = g_new0 (SondeReplica, 1);

  replica->plan = sonde_plan_ref (plan);
  replica->graph = sonde_graph_ref (sonde_plan_get_graph (plan));
  replica->device = sonde_device_ref (sonde_plan_get_device (plan));
  if (sonde_plan_get_memory_mode (plan) != SONDE_MEMORY_KEEP)
    replica->values
        = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) sonde_value_unref);
  return replica;
}

SondeReplica *
sonde_replica_new_again (SondeExecution *original, GError **error)
{
  g_autoptr (SondeReplica) replica = new_of_plan (sonde_execution_get_plan (original));

  replica->execution = sonde_execution_new (replica->plan, error);
  if (replica->execution == NULL
      || !sonde_execution_copy_sources (replica->execution, original, error))
    return NULL;
  return g_steal_pointer (&replica);
}

SondeReplica *
sonde_replica_new_branch (SondeExecution *original, GError **error)
{
  g_autoptr (SondeReplica) replica = new_of_plan (sonde_execution_get_plan (original));

  replica->execution = sonde_execution_branch (original, error);
  return replica->execution != NULL ? g_steal_pointer (&replica) : NULL;
}

/* After a training step the parameters are those of the next, and where memory is used again not
 * everything is there. */
SondeReplica *
sonde_replica_new_as_run (SondeExecution *original, GError **error)
{
  SondePlan *plan = sonde_execution_get_plan (original);
  gboolean done = !sonde_execution_is_running (original);
  gboolean whole = sonde_plan_get_memory_mode (plan) == SONDE_MEMORY_KEEP;

  if (!whole
      || (done
          && (has_updates (sonde_plan_get_graph (plan))
              || sonde_execution_get_position (original) == 0)))
    return sonde_replica_new_again (original, error);
  return sonde_replica_new_branch (original, error);
}

SondeExecution *
sonde_replica_get_execution (SondeReplica *replica)
{
  return replica->execution;
}

SondeGraph *
sonde_replica_get_graph (SondeReplica *replica)
{
  return replica->graph;
}

/* Before the memory of its results is used again. */
static gboolean
collect (SondeReplica *replica, guint index, GError **error)
{
  const SondeStep *step = sonde_plan_get_step (replica->plan, index);

  for (guint k = 0; replica->values != NULL && step->n_nodes > 0 && k < step->n_outputs; k++)
    {
      SondeValue *value
          = step->outputs[k] != NULL
                ? sonde_execution_read_value (replica->execution, step->outputs[k], error)
                : NULL;

      if (step->outputs[k] != NULL && value == NULL)
        return FALSE;
      if (value != NULL)
        g_hash_table_insert (replica->values, step->outputs[k]->name, value);
    }
  return TRUE;
}

gboolean
sonde_replica_run (SondeReplica *replica, guint step, SondeReplicaTick tick, gpointer data,
                   GError **error)
{
  guint n = sonde_plan_get_n_steps (replica->plan), end = MIN (step, n);

  for (guint k = sonde_execution_get_position (replica->execution); k < end; k++)
    {
      SondeRunResult result;

      if (tick != NULL && tick (k, n, data))
        {
          sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                           "The search was cancelled.");
          return FALSE;
        }
      do
        result = sonde_execution_run_to (replica->execution, k + 1, error);
      while (result == SONDE_RUN_PAUSED && sonde_execution_get_position (replica->execution) <= k);
      if (result != SONDE_RUN_PAUSED || !collect (replica, k, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- its values ---------------------------------------------------------- */

SondeDtype
sonde_replica_get_computed_dtype (const SondeGraphValue *value)
{
  const SondeNode *node = value->producer;

  if (node != NULL && node->origin_kind == SONDE_ORIGIN_INSERTED
      && sonde_node_is (node, SONDE_OP_ID_CAST))
    return sonde_node_get_input (node, 0)->type.dtype;
  return value->type.dtype;
}

SondeValue *
sonde_replica_read (SondeReplica *replica, const char *name, GError **error)
{
  SondeGraphValue *value = sonde_graph_find_value (replica->graph, name);
  SondeValue *collected
      = replica->values != NULL ? g_hash_table_lookup (replica->values, name) : NULL;

  if (collected != NULL)
    return sonde_value_ref (collected);
  if (value != NULL && value->producer == NULL)
    return sonde_execution_read_source (replica->execution, value, error);
  if (value != NULL)
    return sonde_execution_read_value (replica->execution, value, error);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                   "The second execution has no value “%s”.", name);
  return NULL;
}
