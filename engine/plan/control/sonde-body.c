/* SPDX-License-Identifier: Apache-2.0
 * Bodies: copies of their graphs whose captures are inputs, constants or parameters of their own,
 * planned for the types that come. */
#include "engine/plan/control/sonde-body.h"

#include "engine/plan/execution/sonde-execution-sharing.h"
#include "engine/plan/execution/sonde-execution-write.h"

/* A value of the body that comes from outside: its id there, and the operand of the step that it
 * is. */
typedef struct
{
  guint value;
  guint operand;
} Capture;

/**
 * Instance: the body planned for certain types
 * @types: (element-type SondeType): of inputs, then of captures that are inputs; a size of -1 fits
 * any
 * @epoch: run of the control step for which captures were set last
 * @weights: writes to parameters of the outer execution that have been followed
 */
typedef struct
{
  GArray *types;
  SondeExecution *execution;
  guint64 epoch, weights;
} Instance;

struct _SondeBody
{
  SondeGraph *graph;
  const char *name;
  GArray *captures;     /* (element-type Capture) */
  GPtrArray *instances; /* (element-type Instance): the last used one first */
};

static void
instance_free (Instance *instance)
{
  g_array_unref (instance->types);
  sonde_execution_free (instance->execution);
  g_free (instance);
}

static guint
find_operand (const SondePlanStep *step, const SondeGraphValue *value)
{
  for (guint k = step->info.nodes[0]->inputs->len; k < step->n_input_slots; k++)
    if (step->operands[k] == value)
      return k;

  g_assert_not_reached ();
}

SondeBody *
sonde_body_new (SondeGraph *graph, const char *name, const SondePlanStep *step)
{
  SondeBody *body = g_new0 (SondeBody, 1);

  body->graph = graph;
  body->name = name;
  body->captures = g_array_new (FALSE, FALSE, sizeof (Capture));
  body->instances = g_ptr_array_new_with_free_func ((GDestroyNotify) instance_free);
  for (guint i = 0; i < graph->values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (graph->values, i);
      Capture capture = { .value = i };

      if (value == NULL || value->outer == NULL)
        continue;

      capture.operand = find_operand (step, value->outer);
      g_array_append_val (body->captures, capture);
    }

  return body;
}

void
sonde_body_free (SondeBody *body)
{
  g_array_unref (body->captures);
  g_ptr_array_unref (body->instances);
  g_free (body);
}

SondeGraph *
sonde_body_get_graph (SondeBody *body)
{
  return body->graph;
}

void
sonde_body_foreach (SondeBody *body, void (*visit) (SondeExecution *inner, gpointer data),
                    gpointer data)
{
  for (guint i = 0; i < body->instances->len; i++)
    visit (((Instance *) g_ptr_array_index (body->instances, i))->execution, data);
}

/* ---- captures ------------------------------------------------------------ */

typedef enum
{
  CAPTURE_INPUT,
  CAPTURE_CONSTANT,
  /* a parameter that no step of the outer plan changes: one of the body's own, too */
  CAPTURE_WEIGHT,
} CaptureKind;

static CaptureKind
kind_of (const SondeDeferredRun *run, const Capture *capture)
{
  const SondeGraphValue *outer = run->step->operands[capture->operand];

  if (outer->constant == NULL || outer->producer != NULL)
    return CAPTURE_INPUT;
  if (outer->role == SONDE_ROLE_CONSTANT)
    return CAPTURE_CONSTANT;
  if (outer->role == SONDE_ROLE_PARAMETER && sonde_plan_is_static (run->execution->plan, outer))
    return CAPTURE_WEIGHT;
  return CAPTURE_INPUT;
}

/* ---- types --------------------------------------------------------------- */

/* The file may know what an empty sequence would hold. */
static SondeType
type_of_input (const SondeValue *value, const SondeType *declared)
{
  SondeType type = sonde_type_of_value (value);

  if (type.dtype == SONDE_DTYPE_INVALID && type.kind == declared->kind)
    type.dtype = declared->dtype;
  return type;
}

/* Returns: (transfer full) (element-type SondeType) */
static GArray *
collect_types (SondeBody *body, const SondeDeferredRun *run, SondeValue *const *inputs,
               guint n_inputs)
{
  GArray *types = g_array_new (FALSE, FALSE, sizeof (SondeType));

  for (guint i = 0; i < n_inputs; i++)
    {
      const SondeGraphValue *input = g_ptr_array_index (body->graph->inputs, i);
      SondeType type = type_of_input (inputs[i], &input->type);

      g_array_append_val (types, type);
    }

  for (guint i = 0; i < body->captures->len; i++)
    {
      const Capture *capture = &g_array_index (body->captures, Capture, i);

      if (kind_of (run, capture) == CAPTURE_INPUT)
        {
          SondeType type = type_of_input (run->values[capture->operand],
                                          &run->step->operands[capture->operand]->type);

          g_array_append_val (types, type);
        }
    }

  return types;
}

static gboolean
same_form (const SondeType *a, const SondeType *b)
{
  return a->kind == b->kind && a->dtype == b->dtype && a->rank == b->rank;
}

static gboolean
fits (const GArray *planned, const GArray *types)
{
  for (guint i = 0; i < types->len; i++)
    {
      const SondeType *a = &g_array_index (planned, SondeType, i),
                      *b = &g_array_index (types, SondeType, i);

      if (!same_form (a, b))
        return FALSE;

      for (int d = 0; d < a->rank; d++)
        if (a->dims[d].size >= 0 && a->dims[d].size != b->dims[d].size)
          return FALSE;
    }

  return TRUE;
}

/* Sizes in which @types differs from @other become any. */
static void
open_sizes (GArray *types, const GArray *other)
{
  for (guint i = 0; i < types->len; i++)
    if (!same_form (&g_array_index (types, SondeType, i), &g_array_index (other, SondeType, i)))
      return;

  for (guint i = 0; i < types->len; i++)
    {
      SondeType *a = &g_array_index (types, SondeType, i);
      const SondeType *b = &g_array_index (other, SondeType, i);

      for (int d = 0; d < a->rank; d++)
        if (a->dims[d].size != b->dims[d].size)
          a->dims[d].size = -1;
    }
}

/* ---- planning ------------------------------------------------------------ */

/* @type: when it becomes an input */
static void
adopt_capture (SondeGraph *graph, const SondeDeferredRun *run, const Capture *capture,
               const SondeType *type)
{
  SondeGraphValue *value = g_ptr_array_index (graph->values, capture->value);
  const SondeGraphValue *outer = run->step->operands[capture->operand];

  switch (kind_of (run, capture))
    {
    case CAPTURE_CONSTANT:
    case CAPTURE_WEIGHT:
      value->role = outer->role;
      value->constant = sonde_value_ref (outer->constant);
      value->type = outer->type;
      break;
    case CAPTURE_INPUT:
      value->role = SONDE_ROLE_INPUT;
      value->type = *type;
      g_ptr_array_add (graph->inputs, value);
      break;
    }
}

static SondeGraph *
make_graph (SondeBody *body, const SondeDeferredRun *run, guint n_inputs, const GArray *types)
{
  SondeGraph *graph = sonde_graph_copy_alone (body->graph);
  guint next = n_inputs;

  for (guint i = 0; i < n_inputs; i++)
    {
      SondeGraphValue *input = g_ptr_array_index (graph->inputs, i);

      input->role = SONDE_ROLE_INPUT;
      input->type = g_array_index (types, SondeType, i);
    }

  for (guint i = 0; i < body->captures->len; i++)
    {
      const Capture *capture = &g_array_index (body->captures, Capture, i);
      gboolean input = kind_of (run, capture) == CAPTURE_INPUT;

      adopt_capture (graph, run, capture, input ? &g_array_index (types, SondeType, next) : NULL);
      next += input ? 1 : 0;
    }

  return graph;
}

static void
watch (SondeExecution *inner)
{
  for (guint i = 0; i < inner->root->n_observers; i++)
    if (inner->root->observers[i]->nested)
      sonde_execution_add_observer (inner, inner->root->observers[i]);
}

static SondeExecution *
make_execution (SondeBody *body, const SondeDeferredRun *run, guint n_inputs, const GArray *types,
                gboolean watched, GError **error)
{
  SondeExecution *outer = run->execution;
  const SondePlanOptions options = {
    .memory = outer->plan->memory,
    .pinned = (const char *const *) outer->plan->globs,
    .no_fusion = outer->plan->no_fusion,
    .plain_layouts = outer->plan->plain_layouts,
  };
  g_autoptr (SondeGraph) graph = make_graph (body, run, n_inputs, types);
  g_autoptr (SondePlan) plan = sonde_plan_new_open (graph, outer->plan->device, &options, error);
  SondeExecution *inner = plan != NULL ? sonde_execution_new_inside (plan, outer, error) : NULL;

  if (inner == NULL)
    return NULL;

  inner->node = run->node;
  inner->body_name = body->name;
  if (watched)
    watch (inner);
  return inner;
}

static Instance *
find_instance (SondeBody *body, const SondeDeferredRun *run, SondeValue *const *inputs,
               guint n_inputs, gboolean watched, GError **error)
{
  g_autoptr (GArray) types = collect_types (body, run, inputs, n_inputs);
  SondeExecution *execution;
  Instance *instance;

  for (guint i = 0; i < body->instances->len; i++)
    {
      instance = g_ptr_array_index (body->instances, i);
      if (!fits (instance->types, types))
        continue;

      if (i > 0)
        g_ptr_array_insert (body->instances, 0, g_ptr_array_steal_index (body->instances, i));
      return instance;
    }

  /* Sizes that change again and again are planned as any. */
  for (guint i = 0; body->instances->len >= SONDE_BODY_EXACT && i < body->instances->len; i++)
    open_sizes (types, ((Instance *) g_ptr_array_index (body->instances, i))->types);

  execution = make_execution (body, run, n_inputs, types, watched, error);
  if (execution == NULL)
    return NULL;

  if (body->instances->len == SONDE_BODY_PLANS)
    g_ptr_array_set_size (body->instances, SONDE_BODY_PLANS - 1);
  instance = g_new0 (Instance, 1);
  instance->types = g_steal_pointer (&types);
  instance->execution = execution;
  g_ptr_array_insert (body->instances, 0, instance);
  return instance;
}

/* ---- running ------------------------------------------------------------- */

/* What is kept as a value must not be the memory of a slot, which is used again. */
static gboolean
set_input (SondeExecution *inner, const SondeDeferredRun *run, const SondeGraphValue *input,
           SondeValue *value, GError **error)
{
  gboolean kept = sonde_plan_slot (inner->plan, inner->plan->slot_of_value[input->id])->storage
                  == SONDE_STORAGE_BOX;
  g_autoptr (SondeValue) own
      = kept ? sonde_deferred_own_value (run, value) : sonde_value_ref (value);

  return sonde_execution_fill_input (inner, input, own, error);
}

/* Parameters that were written outside, and what this run of the step captures. */
static gboolean
set_captures (SondeBody *body, const SondeDeferredRun *run, Instance *instance, guint64 epoch,
              GError **error)
{
  SondeExecution *inner = instance->execution;
  gboolean weights = instance->weights != run->execution->n_writes;

  if (instance->epoch == epoch)
    return TRUE;

  for (guint i = 0; i < body->captures->len; i++)
    {
      const Capture *capture = &g_array_index (body->captures, Capture, i);
      SondeGraphValue *value = g_ptr_array_index (inner->plan->graph->values, capture->value);
      CaptureKind kind = kind_of (run, capture);

      if (kind == CAPTURE_INPUT
          && !set_input (inner, run, value, run->values[capture->operand], error))
        return FALSE;
      if (kind == CAPTURE_WEIGHT && weights
          && inner->plan->slot_of_value[value->id] != SONDE_NO_SLOT
          && !sonde_execution_write (inner, value,
                                     sonde_value_get_tensor (run->values[capture->operand]), error))
        return FALSE;
    }

  instance->epoch = epoch;
  instance->weights = run->execution->n_writes;
  return TRUE;
}

SondeExecution *
sonde_body_prepare (SondeBody *body, const SondeDeferredRun *run, SondeValue *const *inputs,
                    guint n_inputs, guint64 epoch, gboolean watched, GError **error)
{
  Instance *instance;

  if (body->graph->inputs->len != n_inputs)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "its %s takes %u inputs, but %u are given", body->name,
                       body->graph->inputs->len, n_inputs);
      return NULL;
    }

  instance = find_instance (body, run, inputs, n_inputs, watched, error);
  if (instance == NULL)
    return NULL;

  for (guint i = 0; i < n_inputs; i++)
    if (!set_input (instance->execution, run,
                    g_ptr_array_index (instance->execution->plan->graph->inputs, i), inputs[i],
                    error))
      return NULL;

  return set_captures (body, run, instance, epoch, error) ? instance->execution : NULL;
}

SondeValue *
sonde_body_read_result (SondeExecution *inner, guint k, GError **error)
{
  GPtrArray *outputs = inner->plan->graph->outputs;

  if (k < outputs->len)
    return sonde_execution_read_value (inner, g_ptr_array_index (outputs, k), error);

  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "its %s returns %u results, but number %u is read", inner->body_name,
                   outputs->len, k + 1);
  return NULL;
}
