/* SPDX-License-Identifier: Apache-2.0
 * Branches, loops, calls and variables. Subgraphs capture nothing: all they see are their inputs. */
#include "data/models/lowering/sonde-lowering-shapes.h"
#include "data/models/tflite/sonde-tflite-builders.h"

static void
set_outputs (SondeTfliteLower *lower, SondeGraphValue **values)
{
  for (guint k = 0; k < lower->op->n_outputs; k++)
    sonde_tflite_out (lower, k, values[k]);
}

/* Inputs of the open operator from number @from on. (transfer container) */
static SondeGraphValue **
take_inputs (SondeTfliteLower *lower, guint from)
{
  guint n = lower->op->n_inputs;
  SondeGraphValue **inputs = g_new0 (SondeGraphValue *, MAX (n, 1));

  for (guint k = from; k < n; k++)
    {
      inputs[k - from] = sonde_tflite_in_raw (lower, k);
      if (inputs[k - from] == NULL)
        {
          sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "input %u is absent", k);
          inputs[k - from] = sonde_lowering_int (lower->to, 0);
        }
    }
  return inputs;
}

/* ---- calls --------------------------------------------------------------- */

/* The operators of the subgraph stand in place of the call. */
static void
inline_subgraph (SondeTfliteLower *lower, int index)
{
  const SondeTfliteSubgraph *graph
      = sonde_tflite_get_subgraph (lower, index, lower->op->n_inputs, lower->op->n_outputs);
  g_autofree SondeGraphValue **inputs = NULL;
  g_autofree SondeGraphValue **outputs = NULL;

  if (graph == NULL)
    return;
  inputs = take_inputs (lower, 0);
  outputs = sonde_tflite_lower_subgraph (lower, graph, inputs);
  set_outputs (lower, outputs);
}

void
sonde_tflite_build_call (SondeTfliteLower *lower)
{
  inline_subgraph (lower, sonde_tflite_option (lower, 0, 0));
}

/* A composite says in its subgraph how it is decomposed. */
void
sonde_tflite_build_composite (SondeTfliteLower *lower)
{
  inline_subgraph (lower, sonde_tflite_option (lower, 1, 0));
}

/* ---- branches ------------------------------------------------------------ */

/* A branch as a graph without inputs: it sees the values of the enclosing graph. (nullable) */
static SondeGraph *
build_branch (SondeTfliteLower *lower, const SondeTfliteSubgraph *graph,
              SondeGraphValue *const *inputs)
{
  g_autofree SondeGraphValue **outputs = NULL;

  sonde_lowering_push_graph (lower->to, graph->name);
  outputs = sonde_tflite_lower_subgraph (lower, graph, inputs);
  for (guint i = 0; i < graph->n_outputs; i++)
    sonde_tflite_add_body_output (lower, outputs[i], "branch");
  return sonde_lowering_pop_graph (lower->to);
}

void
sonde_tflite_build_if (SondeTfliteLower *lower)
{
  static const char *const names[] = { "then_branch", "else_branch" };
  g_autofree SondeGraphValue **inputs = take_inputs (lower, 1);
  const SondeTfliteSubgraph *branches[2];
  guint n = lower->op->n_outputs;
  SondeGraphValue *condition;
  SondeNode *node;

  for (guint i = 0; i < 2; i++)
    {
      branches[i] = sonde_tflite_get_subgraph (lower, sonde_tflite_option (lower, i, 0),
                                               lower->op->n_inputs - 1, n);
      if (branches[i] == NULL)
        return;
    }
  condition = sonde_lowering_reshape (lower->to, sonde_tflite_in_raw (lower, 0), NULL, 0);
  node = sonde_lowering_node (lower->to, "", "If", SONDE_VALUES (condition), n);
  for (guint i = 0; i < 2; i++)
    sonde_node_take_graph (node, names[i], build_branch (lower, branches[i], inputs));
  for (guint k = 0; k < n; k++)
    sonde_tflite_out (lower, k, sonde_node_get_output (node, k));
}

/* ---- loops --------------------------------------------------------------- */

/* The condition before the first iteration, of the operator's own inputs. */
static SondeGraphValue *
emit_condition (SondeTfliteLower *lower, const SondeTfliteSubgraph *condition,
                SondeGraphValue *const *inputs)
{
  g_autofree SondeGraphValue **outputs = sonde_tflite_lower_subgraph (lower, condition, inputs);

  return sonde_lowering_reshape (lower->to, outputs[0], NULL, 0);
}

/* Iteration and condition come in, unread; the variables go through the body, and the condition is
 * that of what the body made. */
static SondeGraph *
build_body (SondeTfliteLower *lower, const SondeTfliteSubgraph *condition,
            const SondeTfliteSubgraph *body)
{
  const SondeType counter = { .kind = SONDE_VALUE_TENSOR, .dtype = SONDE_DTYPE_I64 };
  const SondeType flag = { .kind = SONDE_VALUE_TENSOR, .dtype = SONDE_DTYPE_BOOL };
  g_autofree SondeGraphValue **outputs = NULL;

  sonde_lowering_push_graph (lower->to, body->name);
  sonde_lowering_add_input (lower->to, "iteration", &counter);
  sonde_lowering_add_input (lower->to, "condition", &flag);
  outputs = sonde_tflite_lower_subgraph (lower, body, NULL);
  sonde_tflite_add_body_output (lower, emit_condition (lower, condition, outputs),
                                "condition_next");
  for (guint i = 0; i < body->n_outputs; i++)
    sonde_tflite_add_body_output (lower, outputs[i], "variable");
  return sonde_lowering_pop_graph (lower->to);
}

void
sonde_tflite_build_while (SondeTfliteLower *lower)
{
  guint n = lower->op->n_inputs;
  g_autofree SondeGraphValue **variables = take_inputs (lower, 0);
  g_autofree SondeGraphValue **inputs = g_new0 (SondeGraphValue *, n + 2);
  const SondeTfliteSubgraph *condition
      = sonde_tflite_get_subgraph (lower, sonde_tflite_option (lower, 0, 0), n, 1);
  const SondeTfliteSubgraph *body
      = condition != NULL
            ? sonde_tflite_get_subgraph (lower, sonde_tflite_option (lower, 1, 0), n, n)
            : NULL;
  SondeNode *node;

  if (body == NULL)
    return;
  if (lower->op->n_outputs != n)
    {
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "it has %u inputs and %u outputs",
                           n, lower->op->n_outputs);
      return;
    }
  inputs[1] = emit_condition (lower, condition, variables);
  for (guint k = 0; k < n; k++)
    inputs[k + 2] = variables[k];
  node = sonde_lowering_node (lower->to, "", "Loop", inputs, n + 2, n);
  sonde_node_take_graph (node, "body", build_body (lower, condition, body));
  for (guint k = 0; k < n; k++)
    sonde_tflite_out (lower, k, sonde_node_get_output (node, k));
}

/* ---- initialisation ------------------------------------------------------ */

/* A single inference runs it where it stands. */
void
sonde_tflite_build_call_once (SondeTfliteLower *lower)
{
  const SondeTfliteSubgraph *graph
      = sonde_tflite_get_subgraph (lower, sonde_tflite_option (lower, 0, 0), 0, 0);

  if (graph != NULL)
    g_free (sonde_tflite_lower_subgraph (lower, graph, NULL));
}
