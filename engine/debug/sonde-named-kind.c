/* SPDX-License-Identifier: Apache-2.0
 * What a value is. */
#include "engine/debug/sonde-named-kind.h"

/* The names MindInsight knows, as ONNX has them, and ONNX's others; as MindSpore writes them where
 * that ran. */
static gboolean
is_activation (const SondeGraph *graph, const SondeGraphValue *value)
{
  static const char *const recorded[]
      = { "ELU",        "FastGeLU", "FastGelu", "GeLU",  "HSigmoid", "HSwish", "LeakyReLU",
          "LogSigmoid", "PReLU",    "ReLU",     "ReLU6", "ReLUV2",   "SeLU",   NULL };
  static const char *const ops[]
      = { "Celu",      "Elu",        "Gelu",       "HardSigmoid", "HardSwish",
          "LeakyRelu", "LogSigmoid", "LogSoftmax", "Mish",        "PRelu",
          "Relu",      "Relu6",      "Selu",       "Sigmoid",     "Softmax",
          "Softplus",  "Softsign",   "Swish",      "Tanh",        "ThresholdedRelu",
          NULL };

  return value->producer != NULL && value->producer->phase == SONDE_PHASE_FORWARD
         && (g_strv_contains (ops, value->producer->op)
             || (value->recorded && g_strv_contains (recorded, value->producer->op)));
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
