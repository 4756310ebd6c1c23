/* SPDX-License-Identifier: Apache-2.0
 * Readers of what an Identity, a Dropout that drops nothing, or another node that changes nothing
 * at these sizes makes read its input instead, so that what follows sees constants and neighbours
 * through it. The node stays: its output is still a value to look at. */
#include "engine/passes/sonde-passes-private.h"

#include <string.h>

/* Whether a node whose result has the type of its first input changes nothing else either. */
typedef gboolean (*ChangesNothing) (const SondeNode *node);

static gboolean
always (const SondeNode *node)
{
  return TRUE;
}

/* Every element of input @k is @number; TRUE without that input. */
static gboolean
is_all (const SondeNode *node, guint k, gint64 number)
{
  const SondeGraphValue *value = sonde_node_get_input (node, k);
  SondeTensor *tensor = value != NULL && sonde_fixed_value (value) != NULL
                            ? sonde_value_get_tensor (sonde_fixed_value (value))
                            : NULL;

  for (gint64 i = 0; tensor != NULL && i < sonde_tensor_n_elements (tensor); i++)
    if (sonde_tensor_get_int (tensor, i) != number)
      return FALSE;
  return value == NULL || tensor != NULL;
}

/* Forwards, one after the other: then the same sizes are all there is. */
static gboolean
has_steps_of_one (const SondeNode *node)
{
  return is_all (node, 4, 1);
}

static gboolean
pads_nothing (const SondeNode *node)
{
  return is_all (node, 1, 0);
}

static gboolean
has_one_input (const SondeNode *node)
{
  return node->inputs->len == 1;
}

/* The dimensions that are more than one stay in their order. */
static gboolean
keeps_order (const SondeNode *node)
{
  const SondeGraphValue *x = sonde_node_get_input (node, 0);
  gsize n = 0;
  const gint64 *perm = sonde_node_get_ints (node, "perm", &n);
  gint64 last = -1;

  if (perm == NULL || (int) n != x->type.rank)
    return FALSE;
  for (gsize d = 0; d < n; d++)
    if (x->type.dims[perm[d]].size != 1)
      {
        if (perm[d] < last)
          return FALSE;
        last = perm[d];
      }
  return TRUE;
}

static const struct
{
  const char *op;
  ChangesNothing changes_nothing;
} operators[] = {
  { "Cast", always },
  { "CastLike", always },
  { "Concat", has_one_input },
  { "Expand", always },
  { "Flatten", always },
  { "Max", has_one_input },
  { "Mean", has_one_input },
  { "Min", has_one_input },
  { "Pad", pads_nothing },
  { "Reshape", always },
  { "Slice", has_steps_of_one },
  { "Squeeze", always },
  { "Sum", has_one_input },
  { "Tile", always },
  { "Transpose", keeps_order },
  { "Unsqueeze", always },
};

static gboolean
is_identity (const SondeNode *node)
{
  if (g_str_equal (node->op, "Identity"))
    return TRUE;
  return g_str_equal (node->op, "Dropout") && sonde_node_get_input (node, 2) == NULL
         && sonde_node_get_output (node, 1) == NULL;
}

static gboolean
is_nothing (const SondeNode *node, const SondeGraphValue *from)
{
  SondeShape shape;

  if (*node->domain != '\0' || node->phase != SONDE_PHASE_FORWARD)
    return FALSE;
  if (is_identity (node))
    return TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (operators); i++)
    if (g_str_equal (node->op, operators[i].op))
      return sonde_type_get_shape (&from->type, &shape) && operators[i].changes_nothing (node);
  return FALSE;
}

static gboolean
is_same_type (const SondeType *a, const SondeType *b)
{
  if (a->kind != SONDE_VALUE_TENSOR || b->kind != SONDE_VALUE_TENSOR || a->dtype != b->dtype
      || a->rank != b->rank)
    return FALSE;
  for (int d = 0; d < a->rank; d++)
    if (a->dims[d].size != b->dims[d].size)
      return FALSE;
  return a->rank >= 0;
}

void
sonde_pass_bypass (SondeGraph *graph)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      SondeNode *node = g_ptr_array_index (graph->nodes, i);
      SondeGraphValue *from = node != NULL ? sonde_node_get_input (node, 0) : NULL;
      SondeGraphValue *to = from != NULL ? sonde_node_get_output (node, 0) : NULL;
      g_autoptr (GPtrArray) users = NULL;

      if (to == NULL || to->update_of != NULL || from->update_of != NULL
          || !is_same_type (&from->type, &to->type) || !is_nothing (node, from))
        continue;

      users = g_ptr_array_copy (to->users, NULL, NULL);
      for (guint u = 0; u < users->len; u++)
        {
          SondeNode *user = g_ptr_array_index (users, u);

          for (guint k = 0; k < user->inputs->len; k++)
            if (sonde_node_get_input (user, k) == to)
              sonde_node_set_input (graph, user, k, from);
        }
    }
}
