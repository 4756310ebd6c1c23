/* SPDX-License-Identifier: Apache-2.0
 * Joins model, loss, gradients and updates. Nothing is folded: parameters change. */
#include "engine/nn/sonde-training-graph.h"

#include "engine/nn/sonde-clip.h"
#include "engine/nn/sonde-layers.h"
#include "engine/nn/sonde-parameter-group.h"

#include <math.h>

#define LOSS_OUTPUT_PREFIX "output:"

GArray *
sonde_training_bind_inputs (SondeGraph *graph, guint batch)
{
  GArray *bindings = g_array_new (FALSE, TRUE, sizeof (SondeBinding));

  for (guint i = 0; i < graph->inputs->len; i++)
    {
      SondeGraphValue *input = g_ptr_array_index (graph->inputs, i);
      SondeBinding binding = { input->name, input->type };

      /* The batch is the first dimension; further symbolic sizes are 1, as for `infer` without
       * input. */
      for (int d = 0; d < MAX (binding.type.rank, 0); d++)
        if (binding.type.dims[d].size < 0)
          binding.type.dims[d] = (SondeDimension){ d == 0 ? batch : 1, NULL };
      g_array_append_val (bindings, binding);
    }
  return bindings;
}

/* Copy, checked, legalised and inferred for the batch; an evaluation takes running statistics and
 * drops nothing. */
static SondeGraph *
prepare_forward (SondeGraph *model, guint batch, gboolean evaluation, GError **error)
{
  g_autoptr (SondeGraph) graph = sonde_graph_copy (model, TRUE);
  g_autoptr (GPtrArray) problems
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_message_free);
  g_autoptr (GArray) bindings = NULL;

  if (!sonde_pass_inline (graph, error) || !sonde_pass_legalise (graph, error))
    return NULL;
  if (evaluation)
    sonde_layers_for_inference (graph);
  if (!sonde_pass_check (graph, problems))
    {
      sonde_op_set_problems (error, problems);
      sonde_prefix_error (error, "The model cannot be trained:\n");
      return NULL;
    }
  bindings = sonde_training_bind_inputs (graph, batch);
  if (!sonde_pass_infer (graph, (SondeBinding *) (void *) bindings->data, bindings->len, error))
    return NULL;
  for (guint i = 0; i < bindings->len; i++)
    {
      SondeGraphValue *input = g_ptr_array_index (graph->inputs, i);

      input->type = g_array_index (bindings, SondeBinding, i).type;
    }
  return g_steal_pointer (&graph);
}

static gboolean
add_loss (SondeTrainingGraph *training, const SondeTrainerOptions *options, GError **error)
{
  SondeGraph *graph = training->graph;
  const char *name = options->loss != NULL ? options->loss : "cross-entropy";
  g_autoptr (SondeLoss) loss = NULL;
  SondeType label_type;

  if (g_str_has_prefix (name, LOSS_OUTPUT_PREFIX))
    {
      training->loss = sonde_graph_find_value (graph, name + strlen (LOSS_OUTPUT_PREFIX));
      if (training->loss == NULL)
        sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                         "train.loss: the model has no value “%s”.",
                         name + strlen (LOSS_OUTPUT_PREFIX));
      return training->loss != NULL;
    }
  loss = sonde_loss_new (name, options->class_weights, error);
  if (loss == NULL)
    return FALSE;
  sonde_loss_get_label_type (loss, &training->logits->type, &label_type);
  training->labels = sonde_graph_add_input (graph, "labels", &label_type);
  training->has_classes = sonde_loss_has_classes (loss);
  training->loss = sonde_loss_build (loss, graph, training->logits, training->labels, error);
  if (training->loss == NULL)
    {
      sonde_prefix_error (error, "The loss “%s” does not fit the output “%s”: ", name,
                          training->logits->name);
      return FALSE;
    }
  sonde_graph_rename_value (graph, training->loss, "loss");
  sonde_graph_add_output (graph, training->loss);
  return TRUE;
}

/* Casts before and behind what is computed in bfloat16; the gradients follow. */
static gboolean
add_precision (SondeTrainingGraph *training, const SondeTrainerOptions *options, GError **error)
{
  if (options->precision == SONDE_DTYPE_INVALID || options->precision == SONDE_DTYPE_F32)
    return TRUE;
  if (options->precision == SONDE_DTYPE_BF16)
    return sonde_pass_mix (training->graph, error);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                   "train.precision = %s: device “%s” does not support it; use bf16, which needs "
                   "no loss scaling, or f32.",
                   sonde_dtype_name (options->precision),
                   options->device != NULL ? options->device : "cpu");
  return FALSE;
}

static void
collect_parameters (SondeTrainingGraph *training, const GArray *groups)
{
  for (guint i = 0; i < training->graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (training->graph->values, i);
      const SondeParameterGroup *group;

      if (value == NULL || value->role != SONDE_ROLE_PARAMETER || value->constant == NULL
          || value->users->len == 0)
        continue;
      group = sonde_parameter_groups_find (groups, value->name);
      g_ptr_array_add (group != NULL && group->frozen ? training->frozen : training->parameters,
                       value);
    }
}

/* What a builder of nodes added, from node @first on. */
static void
set_phase (SondeGraph *graph, guint first, SondePhase phase)
{
  for (guint id = first; id < graph->nodes->len; id++)
    {
      SondeNode *node = g_ptr_array_index (graph->nodes, id);

      node->phase = phase;
      node->origin_kind
          = phase == SONDE_PHASE_OPTIMISER ? SONDE_ORIGIN_OPTIMISER : SONDE_ORIGIN_GRADIENT;
    }
}

/* "state(P, NAME)", which begins as @start, or as zeros. */
static SondeGraphValue *
add_state (SondeGraph *graph, SondeGraphValue *parameter, const char *name, SondeTensor *start)
{
  g_autofree char *full = g_strdup_printf ("state(%s, %s)", parameter->name, name);
  g_autoptr (SondeTensor) zeros = NULL;
  SondeShape shape;

  if (!sonde_type_get_shape (&parameter->type, &shape))
    g_return_val_if_reached (NULL);
  zeros = start == NULL ? sonde_tensor_new (parameter->type.dtype, &shape) : NULL;
  return sonde_graph_add_initialiser (graph, full, start != NULL ? start : zeros, SONDE_ROLE_STATE);
}

static void
mark_update (SondeGraph *graph, SondeGraphValue *value, SondeGraphValue *of)
{
  g_autofree char *name = g_strconcat (of->name, "'", NULL);

  sonde_graph_rename_value (graph, value, name);
  value->update_of = of;
}

static gboolean
add_gradients (SondeTrainingGraph *training, GError **error)
{
  guint n = training->parameters->len;

  if (n == 0)
    {
      if (training->frozen->len > 0)
        sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                         "All parameters of the model are frozen: there is nothing to train.");
      else
        sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                         "The model has no parameters to train: no node reads a floating-point "
                         "initialiser.");
      return FALSE;
    }
  g_ptr_array_set_size (training->gradients, (int) n);
  return sonde_pass_gradient (training->graph, training->loss, NULL,
                              (SondeGraphValue **) training->parameters->pdata, n,
                              (SondeGraphValue **) training->gradients->pdata, error);
}

/* state(P, accumulated)' = state + grad(P). */
static void
add_sums (SondeTrainingGraph *training)
{
  SondeGraph *graph = training->graph;
  guint first = graph->nodes->len;

  for (guint i = 0; i < training->parameters->len; i++)
    {
      SondeGraphValue *state
          = add_state (graph, g_ptr_array_index (training->parameters, i), "accumulated", NULL);

      mark_update (
          graph,
          sonde_build_binary (graph, "Add", state, g_ptr_array_index (training->gradients, i)),
          state);
    }
  set_phase (graph, first, SONDE_PHASE_BACKWARD);
}

/* "mean(grad(P))" = (state + grad(P)) · scale; the state begins again at zero. */
static void
add_means (SondeTrainingGraph *training, SondeGraphValue **totals)
{
  SondeGraph *graph = training->graph;
  guint first = graph->nodes->len;
  SondeShape scalar = sonde_shape_scalar ();
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &scalar);

  training->scale = sonde_graph_add_input (graph, "gradient-scale", &type);
  for (guint i = 0; i < training->parameters->len; i++)
    {
      SondeGraphValue *parameter = g_ptr_array_index (training->parameters, i);
      SondeGraphValue *state = add_state (graph, parameter, "accumulated", NULL), *zeros;
      g_autofree char *name = g_strdup_printf ("mean(grad(%s))", parameter->name);

      totals[i] = sonde_build_binary (graph, "Add", state, totals[i]);
      totals[i]
          = sonde_build_binary (graph, "Mul", totals[i],
                                sonde_build_cast (graph, training->scale, parameter->type.dtype));
      sonde_graph_rename_value (graph, totals[i], name);
      zeros = sonde_build_constant (graph, NULL, sonde_value_get_tensor (state->constant));
      mark_update (graph, sonde_build_unary (graph, "Identity", zeros), state);
    }
  set_phase (graph, first, SONDE_PHASE_BACKWARD);
}

static gboolean
add_norm (SondeTrainingGraph *training, SondeGraphValue **totals, GError **error)
{
  SondeGraph *graph = training->graph;
  SondeNode *norm = sonde_graph_add_node (graph, "gradient-norm", SONDE_DOMAIN, "GlobalNorm",
                                          totals, training->parameters->len, 1);

  norm->phase = SONDE_PHASE_BACKWARD;
  norm->origin_kind = SONDE_ORIGIN_GRADIENT;
  if (!sonde_build_infer (graph, norm, error))
    return FALSE;
  training->gradient_norm = sonde_node_get_output (norm, 0);
  sonde_graph_rename_value (graph, training->gradient_norm, "gradient-norm");
  sonde_graph_add_output (graph, training->gradient_norm);
  return TRUE;
}

/* Running statistics of a BatchNormalization in training mode take effect after the step. */
static void
mark_running_statistics (SondeGraph *graph)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      SondeNode *node = g_ptr_array_index (graph->nodes, i);

      if (node == NULL || !sonde_node_is (node, SONDE_OP_ID_BATCH_NORMALIZATION))
        continue;
      for (guint k = 1; k <= 2; k++)
        {
          SondeGraphValue *updated = sonde_node_get_output (node, k);
          SondeGraphValue *running = sonde_node_get_input (node, k + 2);

          if (updated != NULL && running != NULL && running->constant != NULL)
            {
              running->role = SONDE_ROLE_STATE;
              updated->update_of = running;
            }
        }
    }
}

/* The learning rate of a group: a node the first time. */
static SondeGraphValue *
rate_of_group (SondeTrainingGraph *training, GHashTable *rates, const SondeParameterGroup *group)
{
  SondeGraph *graph = training->graph;
  SondeGraphValue *rate;
  g_autofree char *name = NULL;

  if (group == NULL || group->rate == 1.0)
    return training->learning_rate;
  rate = g_hash_table_lookup (rates, group);
  if (rate != NULL)
    return rate;
  name = g_strdup_printf ("learning-rate(%s)", group->pattern);
  rate = sonde_build_binary (graph, "Mul", training->learning_rate,
                             sonde_build_scalar (graph, SONDE_DTYPE_F32, group->rate));
  sonde_graph_rename_value (graph, rate, name);
  g_hash_table_insert (rates, (gpointer) group, rate);
  return rate;
}

/* average' = d·average + (1 − d)·P'. */
static void
add_average (SondeTrainingGraph *training, SondeGraphValue *parameter, double keep)
{
  SondeGraph *graph = training->graph;
  SondeDtype dtype = parameter->type.dtype;
  g_autofree char *name = g_strconcat (parameter->name, "'", NULL);
  SondeGraphValue *state
      = add_state (graph, parameter, "average", sonde_value_get_tensor (parameter->constant));
  SondeGraphValue *old
      = sonde_build_binary (graph, "Mul", state, sonde_build_scalar (graph, dtype, keep));
  SondeGraphValue *new = sonde_build_binary (graph, "Mul", sonde_graph_find_value (graph, name),
                                             sonde_build_scalar (graph, dtype, 1.0 - keep));

  mark_update (graph, sonde_build_binary (graph, "Add", old, new), state);
  g_ptr_array_add (training->averages, state);
}

static gboolean
add_updates (SondeTrainingGraph *training, const SondeTrainerOptions *options, const GArray *groups,
             SondeGraphValue **totals, GError **error)
{
  SondeGraph *graph = training->graph;
  const char *name = options->optimiser != NULL ? options->optimiser : "sgd";
  g_autoptr (SondeOptimiser) optimiser
      = sonde_optimiser_new (name, options->momentum, options->weight_decay, error);
  g_autoptr (GHashTable) rates = g_hash_table_new (NULL, NULL);
  SondeShape scalar = sonde_shape_scalar ();
  SondeType rate_type = sonde_type_tensor (SONDE_DTYPE_F32, &scalar);
  SondeType step_type = sonde_type_tensor (SONDE_DTYPE_I64, &scalar);
  guint first = graph->nodes->len;

  if (optimiser == NULL)
    return FALSE;
  training->learning_rate = sonde_graph_add_input (graph, "learning-rate", &rate_type);
  training->step = sonde_graph_add_input (graph, "step", &step_type);
  for (guint i = 0; i < training->parameters->len; i++)
    {
      SondeGraphValue *parameter = g_ptr_array_index (training->parameters, i);
      const SondeParameterGroup *group = sonde_parameter_groups_find (groups, parameter->name);

      if (!sonde_optimiser_build (optimiser, graph, parameter, totals[i],
                                  rate_of_group (training, rates, group), training->step,
                                  group != NULL ? group->weight_decay : NAN, error))
        return FALSE;
    }
  if (options->average > 0.0)
    {
      training->averages = g_ptr_array_new ();
      for (guint i = 0; i < training->parameters->len; i++)
        add_average (training, g_ptr_array_index (training->parameters, i), options->average);
    }
  set_phase (graph, first, SONDE_PHASE_OPTIMISER);
  return TRUE;
}

/* Gradients of a whole step, their norm, clipping and updates. */
static gboolean
add_step (SondeTrainingGraph *training, const SondeTrainerOptions *options, const GArray *groups,
          GError **error)
{
  guint n = training->parameters->len;
  g_autofree SondeGraphValue **totals = g_memdup2 (training->gradients->pdata, n * sizeof *totals);
  SondeClip clip = { SONDE_CLIP_NONE, 0 };

  if (options->accumulate > 1)
    add_means (training, totals);
  return add_norm (training, totals, error)
         && (options->clip == NULL || sonde_clip_parse (options->clip, &clip, error))
         && sonde_clip_build (&clip, training->graph, totals, n, training->gradient_norm, error)
         && add_updates (training, options, groups, totals, error);
}

static SondeTrainingGraph *
training_graph_new (SondeTrainingKind kind)
{
  SondeTrainingGraph *training = g_new0 (SondeTrainingGraph, 1);

  training->kind = kind;
  training->parameters = g_ptr_array_new ();
  training->gradients = g_ptr_array_new ();
  training->frozen = g_ptr_array_new ();
  return training;
}

SondeTrainingGraph *
sonde_training_graph_build (SondeGraph *model, const SondeTrainerOptions *options, guint batch,
                            SondeTrainingKind kind, GError **error)
{
  g_autoptr (SondeTrainingGraph) training = training_graph_new (kind);
  g_autoptr (GArray) groups = NULL;

  if (options->groups != NULL)
    {
      groups = sonde_parameter_groups_parse (options->groups, error);
      if (groups == NULL)
        return NULL;
    }
  training->graph = prepare_forward (model, batch, kind == SONDE_TRAINING_EVALUATION, error);
  if (training->graph == NULL)
    return NULL;
  if (training->graph->outputs->len == 0)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "The model has no output.");
      return NULL;
    }
  training->logits = g_ptr_array_index (training->graph->outputs, 0);
  if (!add_loss (training, options, error))
    return NULL;
  if (!add_precision (training, options, error))
    return NULL;
  collect_parameters (training, groups);
  if (kind == SONDE_TRAINING_EVALUATION)
    {
      sonde_pass_dce (training->graph);
      return g_steal_pointer (&training);
    }
  mark_running_statistics (training->graph);
  if (!add_gradients (training, error))
    return NULL;
  if (kind == SONDE_TRAINING_ACCUMULATE)
    add_sums (training);
  else if (!add_step (training, options, groups, error))
    return NULL;
  return g_steal_pointer (&training);
}

void
sonde_training_graph_free (SondeTrainingGraph *training)
{
  if (training == NULL)
    return;
  g_clear_pointer (&training->graph, sonde_graph_unref);
  g_clear_pointer (&training->parameters, g_ptr_array_unref);
  g_clear_pointer (&training->gradients, g_ptr_array_unref);
  g_clear_pointer (&training->frozen, g_ptr_array_unref);
  g_clear_pointer (&training->averages, g_ptr_array_unref);
  g_free (training);
}

/* ---- first values -------------------------------------------------------- */

#define MOST_HELD                                                                                  \
  65536 /* bytes of a first value that stays: a client of a session may be shown it */

gboolean
sonde_training_lets_go (const SondeGraphValue *value, SondePlan *plan)
{
  SondeTensor *tensor = value->constant != NULL ? sonde_value_get_tensor (value->constant) : NULL;
  const SondeGraphValue *planned;

  if (tensor == NULL || value->producer != NULL || sonde_tensor_n_bytes (tensor) <= MOST_HELD)
    return FALSE;
  if (plan == NULL)
    return value->role == SONDE_ROLE_PARAMETER;
  planned = sonde_graph_find_value (sonde_plan_get_graph (plan), value->name);
  return planned != NULL && sonde_plan_updates (plan, planned);
}

static SondeValue *
make_placeholder (SondeTensor *tensor)
{
  static const gint64 strides[SONDE_MAX_RANK];
  SondeShape one = sonde_shape_make (1, 1);
  g_autoptr (SondeTensor) element = sonde_tensor_new (tensor->dtype, &one);
  g_autoptr (SondeTensor) all = NULL;

  sonde_tensor_set_double (element, 0, NAN);
  all = sonde_tensor_view (element, &tensor->shape, strides, 0);
  return sonde_value_new_tensor (all);
}

void
sonde_training_let_go (SondeGraph *graph, SondePlan *plan)
{
  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->values, i);
      SondeValue *placeholder;

      if (value == NULL || !sonde_training_lets_go (value, plan))
        continue;
      placeholder = make_placeholder (sonde_value_get_tensor (value->constant));
      sonde_value_unref (value->constant);
      value->constant = placeholder;
    }
}
