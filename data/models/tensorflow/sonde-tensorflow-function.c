/* SPDX-License-Identifier: Apache-2.0
 * Calls: the nodes of the function stand in their place. */
#include "data/models/tensorflow/sonde-tensorflow-function.h"

#include <string.h>

/* ---- finding ------------------------------------------------------------- */

static gboolean
calls_itself (const SondeTensorflowLower *lower, const SondeTensorflowBody *function)
{
  for (const SondeTensorflowLower *at = lower; at != NULL; at = at->outer)
    if (at->body == function)
      return TRUE;
  return FALSE;
}

static guint
count_outer (const SondeTensorflowLower *lower)
{
  guint n = 0;

  for (const SondeTensorflowLower *at = lower; at != NULL; at = at->outer)
    n++;
  return n;
}

const SondeTensorflowBody *
sonde_tensorflow_get_function (SondeTensorflowLower *lower, const char *name, guint n_arguments)
{
  const SondeTensorflowBody *function = sonde_tensorflow_file_find_function (lower->file, name);

  if (function == NULL)
    sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                         "it calls the function “%s”, which the file does not have",
                         name != NULL ? name : "");
  else if (calls_itself (lower, function))
    sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "the function “%s” calls itself",
                         function->name);
  else if (count_outer (lower) >= SONDE_BUDGET_SUBGRAPHS)
    sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_LIMIT,
                         "functions call each other more than %d deep", SONDE_BUDGET_SUBGRAPHS);
  else if (function->function->signature->n_input_arg != n_arguments)
    sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                         "the function “%s” takes %zu values; it is given %u", function->name,
                         function->function->signature->n_input_arg, n_arguments);
  else
    return function;
  return NULL;
}

/* ---- state --------------------------------------------------------------- */

static gboolean
is_assignment (const Tensorflow__NodeDef *node)
{
  return g_str_has_prefix (node->op, "Assign") || g_str_has_prefix (node->op, "ResourceScatter");
}

/* Does a node read a variable after @writer changed it? */
static gboolean
is_read_after (const SondeTensorflowBody *body, const Tensorflow__NodeDef *writer)
{
  for (gsize i = 0; i < body->n_nodes; i++)
    for (gsize k = 0; k < body->nodes[i]->n_input; k++)
      {
        const char *input = body->nodes[i]->input[k];

        if (*input == '^' && strcmp (input + 1, writer->name) == 0
            && g_str_equal (body->nodes[i]->op, "ReadVariableOp"))
          return TRUE;
      }
  return FALSE;
}

/* What a run would leave behind for the next one is lost; what it reads again itself would be wrong. */
static void
tell_state (SondeTensorflowLower *lower, guint number)
{
  const Tensorflow__NodeDef *node = lower->body->nodes[number];
  g_autofree char *name = g_strconcat (lower->prefix, node->name, NULL);

  sonde_lowering_begin (lower->to, name, node->op, NULL);
  if (is_read_after (lower->body, node))
    sonde_lowering_refuse (
        lower->to, NULL, 0, 1,
        sonde_message_new ("it changes a variable that is read again while the model runs"),
        sonde_message_new ("Make the state an input and an output of the function"));
  else
    {
      sonde_lowering_mark (lower->to, SONDE_LOWERED_DROPPED);
      sonde_lowering_note (
          lower->to, SONDE_NOTE_WARNING,
          sonde_message_new ("it changes a variable: every run begins with the value in the file"),
          NULL);
    }
  sonde_lowering_end (lower->to);
}

/* ---- calls --------------------------------------------------------------- */

const char *
sonde_tensorflow_find_result (const SondeTensorflowBody *body, guint k)
{
  const Tensorflow__FunctionDef *function = body->function;

  for (gsize i = 0; i < function->n_ret; i++)
    if (g_strcmp0 (function->ret[i]->key, function->signature->output_arg[k]->name) == 0)
      return function->ret[i]->value;
  return NULL;
}

SondeGraphValue **
sonde_tensorflow_inline (SondeTensorflowLower *lower, const SondeTensorflowBody *function,
                         SondeGraphValue *const *arguments, const char *prefix, guint *n)
{
  const Tensorflow__OpDef *signature = function->function->signature;
  SondeGraphValue **results = g_new0 (SondeGraphValue *, MAX (signature->n_output_arg, 1));
  SondeTensorflowLower inner;

  sonde_tensorflow_lower_init (&inner, lower, function, prefix);
  inner.arguments = arguments;
  *n = (guint) signature->n_output_arg;
  for (guint i = 0; i < *n; i++)
    {
      const char *result = sonde_tensorflow_find_result (function, i);

      if (result == NULL)
        sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                             "the function “%s” does not say its result “%s”", function->name,
                             signature->output_arg[i]->name);
      results[i] = sonde_tensorflow_evaluate (&inner, result);
    }
  for (guint i = 0; i < function->n_nodes && !sonde_lowering_has_failed (lower->to); i++)
    if (is_assignment (function->nodes[i]))
      tell_state (&inner, i);
  sonde_tensorflow_lower_clear (&inner);
  return results;
}

/* The function is an attribute, or the operator itself. */
static void
build_call (SondeTensorflowLower *lower)
{
  const char *name = sonde_tensorflow_attr_function (lower->node, "f");
  const SondeTensorflowBody *function = sonde_tensorflow_get_function (
      lower, name != NULL ? name : lower->node->op, lower->n_inputs);
  g_autofree char *prefix = g_strconcat (lower->prefix, lower->node->name, "/", NULL);
  g_autofree SondeGraphValue **results = NULL;
  guint n = 0;

  if (function == NULL)
    return;
  results = sonde_tensorflow_inline (lower, function, lower->inputs, prefix, &n);
  for (guint k = 0; k < n && !sonde_lowering_has_failed (lower->to); k++)
    if (sonde_lowering_get_constant (results[k]) != NULL)
      sonde_tensorflow_alias (lower, k, results[k]);
    else
      sonde_tensorflow_out (lower, k, results[k]);
}

const SondeTensorflowRow sonde_tensorflow_function_rows[] = {
  { "PartitionedCall", 0, build_call, NULL },
  { "StatefulPartitionedCall", 0, build_call, NULL },
  { NULL, 0, NULL, NULL },
};
