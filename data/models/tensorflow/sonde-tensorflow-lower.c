/* SPDX-License-Identifier: Apache-2.0
 * Nodes of a graph or function, each behind those that it reads. */
#include "data/models/tensorflow/sonde-tensorflow-lower.h"

#include <string.h>

#include "data/models/tensorflow/sonde-tensorflow-ports.h"

/* ---- life ---------------------------------------------------------------- */

void
sonde_tensorflow_lower_init (SondeTensorflowLower *lower, const SondeTensorflowLower *outer,
                             const SondeTensorflowBody *body, const char *prefix)
{
  if (outer != NULL)
    *lower = *outer;
  lower->outer = outer;
  lower->body = body;
  lower->prefix = g_strdup (prefix);
  lower->results = g_new0 (SondeTensorflowResult, MAX (body->n_nodes, 1));
  lower->node = NULL;
  lower->inputs = NULL;
  lower->n_inputs = 0;
}

void
sonde_tensorflow_lower_clear (SondeTensorflowLower *lower)
{
  for (gsize i = 0; i < lower->body->n_nodes; i++)
    g_free (lower->results[i].outputs);
  g_free (lower->results);
  g_free (lower->prefix);
}

/* ---- references ---------------------------------------------------------- */

/* Something to go on with where a name leads nowhere. */
static SondeGraphValue *
fail_value (SondeTensorflowLower *lower, const char *text)
{
  sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "“%s” in “%s” is no output of a node",
                       text, lower->body->name);
  return sonde_lowering_int (lower->to, 0);
}

static SondeGraphValue *
get_output (SondeTensorflowLower *lower, guint number, const SondeTensorflowReference *reference,
            const char *text)
{
  const SondeTensorflowResult *result = &lower->results[number];
  int k = sonde_tensorflow_find_port (lower->body->nodes[number], reference->port);

  if (result->refused && result->n_outputs > 0)
    return result->outputs[0];
  if (k >= 0 && (guint) k + reference->index < result->n_outputs
      && result->outputs[(guint) k + reference->index] != NULL)
    return result->outputs[(guint) k + reference->index];
  return fail_value (lower, text);
}

/* What it refers to must have been lowered. */
static SondeGraphValue *
resolve (SondeTensorflowLower *lower, const char *text)
{
  g_auto (SondeTensorflowReference) reference = { 0 };
  guint number = 0;
  int argument;

  if (!sonde_tensorflow_reference_init (&reference, text))
    return fail_value (lower, text);
  if (sonde_tensorflow_body_find (lower->body, reference.name, &number) != NULL)
    return get_output (lower, number, &reference, text);
  argument = sonde_tensorflow_body_find_argument (lower->body, reference.name);
  if (argument >= 0 && lower->arguments != NULL)
    return lower->arguments[argument];
  return fail_value (lower, text);
}

/* ---- one node ------------------------------------------------------------ */

static void
refuse_unknown (SondeTensorflowLower *lower)
{
  const char *what = NULL, *advice = NULL;

  sonde_tensorflow_explain (lower->node, &what, &advice);
  sonde_tensorflow_refuse (lower, sonde_message_new ("%-s", what),
                           sonde_message_new ("%-s", advice));
}

/* Inputs that only order come behind all others. */
static void
take_inputs (SondeTensorflowLower *lower)
{
  const Tensorflow__NodeDef *node = lower->node;

  lower->n_inputs = 0;
  lower->inputs = g_new0 (SondeGraphValue *, node->n_input + 1);
  for (gsize i = 0; i < node->n_input && !sonde_tensorflow_is_meeting (node); i++)
    if (*node->input[i] != '^')
      lower->inputs[lower->n_inputs++] = resolve (lower, node->input[i]);
}

static void
build (SondeTensorflowLower *lower)
{
  const SondeTensorflowRow *row = lower->row;

  lower->first = FALSE;
  if (row == NULL)
    refuse_unknown (lower);
  else if (lower->n_inputs < row->inputs)
    sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                         "it has %u inputs; at least %u are needed", lower->n_inputs, row->inputs);
  else
    row->build (lower);
}

/* An operator may be a function of the file: then the node calls it. */
static const SondeTensorflowRow *
find_row (const SondeTensorflowLower *lower, const char *op)
{
  const SondeTensorflowRow *row = g_hash_table_lookup (lower->rows, op);

  if (row == NULL && sonde_tensorflow_file_find_function (lower->file, op) != NULL)
    return g_hash_table_lookup (lower->rows, "PartitionedCall");
  return row;
}

static void
lower_node (SondeTensorflowLower *lower, guint number)
{
  const Tensorflow__NodeDef *node = lower->body->nodes[number];
  g_autofree char *name = g_strconcat (lower->prefix, node->name, NULL);

  if (*lower->nodes_left == 0)
    {
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_LIMIT,
                           "functions that call each other come to more than %u nodes",
                           SONDE_TENSORFLOW_MAX_NODES);
      return;
    }
  --*lower->nodes_left;
  lower->node = node;
  lower->number = number;
  lower->row = find_row (lower, node->op);
  sonde_lowering_begin (lower->to, name, node->op, NULL);
  take_inputs (lower);
  if (!sonde_lowering_has_failed (lower->to))
    build (lower);
  sonde_lowering_end (lower->to);
  g_clear_pointer (&lower->inputs, g_free);
  lower->results[number].state = SONDE_TENSORFLOW_MADE;
}

/* ---- in order ------------------------------------------------------------ */

/* A node whose inputs are being lowered. */
typedef struct
{
  guint number;
  gsize next;
} Visit;

static gboolean
open_node (SondeTensorflowLower *lower, GArray *stack, guint number)
{
  const Visit visit = { number, 0 };

  if (lower->results[number].state == SONDE_TENSORFLOW_OPEN)
    {
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                           "node “%s” of “%s” needs its own output",
                           lower->body->nodes[number]->name, lower->body->name);
      return FALSE;
    }
  lower->results[number].state = SONDE_TENSORFLOW_OPEN;
  g_array_append_val (stack, visit);
  return TRUE;
}

/* The next input of the node that is not lowered yet; FALSE: all are */
static gboolean
find_next (SondeTensorflowLower *lower, Visit *visit, guint *number)
{
  const Tensorflow__NodeDef *node = lower->body->nodes[visit->number];

  while (visit->next < node->n_input && !sonde_tensorflow_is_meeting (node))
    {
      g_auto (SondeTensorflowReference) reference = { 0 };
      const char *text = node->input[visit->next++];

      if (sonde_tensorflow_reference_init (&reference, text) && !reference.control
          && sonde_tensorflow_body_find (lower->body, reference.name, number) != NULL
          && lower->results[*number].state != SONDE_TENSORFLOW_MADE)
        return TRUE;
    }
  return FALSE;
}

/* Without recursion: a net may be a hundred thousand nodes deep. */
static void
lower_behind_inputs (SondeTensorflowLower *lower, guint root)
{
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (Visit));

  if (lower->results[root].state == SONDE_TENSORFLOW_MADE || !open_node (lower, stack, root))
    return;
  while (stack->len > 0 && !sonde_lowering_has_failed (lower->to))
    {
      Visit *visit = &g_array_index (stack, Visit, stack->len - 1);
      guint number = visit->number, next = 0;

      if (find_next (lower, visit, &next))
        open_node (lower, stack, next);
      else
        {
          g_array_set_size (stack, stack->len - 1);
          lower_node (lower, number);
        }
    }
}

SondeGraphValue *
sonde_tensorflow_evaluate (SondeTensorflowLower *lower, const char *text)
{
  g_auto (SondeTensorflowReference) reference = { 0 };
  guint number = 0;

  if (sonde_tensorflow_reference_init (&reference, text)
      && sonde_tensorflow_body_find (lower->body, reference.name, &number) != NULL)
    lower_behind_inputs (lower, number);
  if (sonde_lowering_has_failed (lower->to))
    return sonde_lowering_int (lower->to, 0);
  return resolve (lower, text);
}
