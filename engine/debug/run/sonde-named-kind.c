/* SPDX-License-Identifier: Apache-2.0
 * What a value is. */
#include "engine/debug/run/sonde-named-kind.h"

#include "engine/ops/sonde-op.h"

/* Activations of ONNX, whatever the domain that a model has them in; names of other programs that
 * are no operator of ONNX; and as MindSpore writes them where that ran. */
static gboolean
is_activation (const SondeGraph *graph, const SondeGraphValue *value)
{
  static const char *const further[] = { "LogSigmoid", "Relu6", NULL };
  static const char *const recorded[]
      = { "ELU",        "FastGeLU", "FastGelu", "GeLU",  "HSigmoid", "HSwish", "LeakyReLU",
          "LogSigmoid", "PReLU",    "ReLU",     "ReLU6", "ReLUV2",   "SeLU",   NULL };
  const SondeNode *node = value->producer;
  const SondeOpClass *klass;

  if (node == NULL || node->phase != SONDE_PHASE_FORWARD)
    return FALSE;
  klass = sonde_op_table_find ("", node->op);
  return (klass != NULL && (klass->traits & SONDE_TRAIT_ACTIVATION) != 0)
         || g_strv_contains (further, node->op)
         || (value->recorded && g_strv_contains (recorded, node->op));
}

static gboolean
is_weight (const SondeGraph *graph, const SondeGraphValue *value)
{
  return value->role == SONDE_ROLE_PARAMETER;
}

static gboolean
is_gradient (const SondeGraph *graph, const SondeGraphValue *value)
{
  return value->producer != NULL && value->producer->phase == SONDE_PHASE_BACKWARD;
}

static gboolean
is_update (const SondeGraph *graph, const SondeGraphValue *value)
{
  return value->update_of != NULL;
}

static gboolean
is_state (const SondeGraph *graph, const SondeGraphValue *value)
{
  return value->role == SONDE_ROLE_STATE;
}

static gboolean
is_input (const SondeGraph *graph, const SondeGraphValue *value)
{
  return value->role == SONDE_ROLE_INPUT;
}

static gboolean
is_tensor (const SondeGraph *graph, const SondeGraphValue *value)
{
  return value->producer != NULL;
}

static gboolean
is_output (const SondeGraph *graph, const SondeGraphValue *value)
{
  return g_ptr_array_find (graph->outputs, value, NULL);
}

static const SondeNamedKind kinds[] = {
  { "weight", is_weight },         { "parameter", is_weight }, { "gradient", is_gradient },
  { "activation", is_activation }, { "update", is_update },    { "state", is_state },
  { "input", is_input },           { "output", is_output },    { "tensor", is_tensor },
};

const SondeNamedKind *
sonde_named_kind_find (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_str_equal (kinds[i].name, name))
      return &kinds[i];
  return NULL;
}
