/* SPDX-License-Identifier: Apache-2.0
 * A pattern is read beside the graph it is compared with: no form of it is kept in between.
 * Patterns are ours, so that mistakes in them are bugs. */
#include "engine/passes/fusion/sonde-pattern.h"

#include "engine/passes/sonde-legalise.h"

#include <math.h>
#include <string.h>

/* ---- text ---------------------------------------------------------------- */

static const char *
skip_spaces (const char *p)
{
  while (*p == ' ')
    p++;
  return p;
}

static gsize
word_length (const char *p)
{
  gsize n = 0;

  while (g_ascii_isalnum (p[n]))
    n++;
  return n;
}

/* Behind the expression at @p: a comma, bar or closing bracket that belongs to what it stands
 * in. */
static const char *
skip_expression (const char *p)
{
  int depth = 0;

  for (; *p != '\0'; p++)
    if (*p == '(' || *p == '{')
      depth++;
    else if (depth == 0 && strchr (",|)}", *p) != NULL)
      return p;
    else if (*p == ')' || *p == '}')
      depth--;
  return p;
}

/* ---- constants ----------------------------------------------------------- */

gboolean
sonde_match_number (const SondeGraphValue *value, double *number)
{
  SondeTensor *tensor
      = value != NULL && value->role == SONDE_ROLE_CONSTANT && value->constant != NULL
            ? sonde_value_get_tensor (value->constant)
            : NULL;

  if (tensor == NULL
      || (!sonde_dtype_is_float (tensor->dtype) && !sonde_dtype_is_integer (tensor->dtype))
      || sonde_tensor_n_elements (tensor) != 1)
    return FALSE;

  *number = sonde_tensor_get_double (tensor, 0);
  return TRUE;
}

/* Four times the distance of neighbours, in units of the number. */
static double
tolerance_of (SondeDtype dtype)
{
  static const struct
  {
    SondeDtype dtype;
    double tolerance;
  } tolerances[] = { { SONDE_DTYPE_F64, 0x1p-50 },
                     { SONDE_DTYPE_F32, 0x1p-21 },
                     { SONDE_DTYPE_F16, 0x1p-8 },
                     { SONDE_DTYPE_BF16, 0x1p-5 } };

  for (gsize i = 0; i < G_N_ELEMENTS (tolerances); i++)
    if (tolerances[i].dtype == dtype)
      return tolerances[i].tolerance;
  return 0;
}

static gboolean
is_number (const SondeGraphValue *value, double wanted)
{
  double number;

  return sonde_match_number (value, &number)
         && fabs (number - wanted) <= tolerance_of (value->type.dtype) * fabs (wanted);
}

/* ---- matching ------------------------------------------------------------ */

static gboolean match_expression (const char *p, SondeGraphValue *value, SondeMatch *match);

static gboolean
is_name (const char *name, const char *word, gsize n)
{
  return word_length (name) == n && strncmp (name, word, n) == 0;
}

static gboolean
match_name (const char *p, SondeGraphValue *value, SondeMatch *match)
{
  gsize n = word_length (p);
  const char *rest = skip_spaces (p + n);

  for (guint i = 0; i < match->n_names; i++)
    if (is_name (match->names[i], p, n))
      return match->values[i] == value;

  g_assert (match->n_names < SONDE_MATCH_MOST_NAMES);
  match->names[match->n_names] = p;
  match->values[match->n_names++] = value;
  return *rest != ':' || match_expression (rest + 1, value, match);
}

static gboolean
match_choice (const char *p, SondeGraphValue *value, SondeMatch *match)
{
  const SondeMatch before = *match;

  do
    {
      p++;
      if (match_expression (p, value, match))
        return TRUE;
      *match = before;
      p = skip_expression (p);
    }
  while (*p == '|');
  return FALSE;
}

static gboolean
is_commutative (const SondeNode *node)
{
  const SondeOpClass *klass = sonde_op_of_node (node);

  return klass != NULL && (klass->traits & SONDE_TRAIT_COMMUTES) != 0;
}

/* @p: behind the opening bracket; @swapped: the first two inputs change places */
static gboolean
match_inputs (const char *p, SondeNode *node, gboolean swapped, SondeMatch *match)
{
  for (guint k = 0;; k++)
    {
      SondeGraphValue *input = sonde_node_get_input (node, swapped && k < 2 ? 1 - k : k);

      if (input == NULL || !match_expression (p, input, match))
        return FALSE;
      p = skip_expression (p);
      if (*p != ',')
        return TRUE;
      p++;
    }
}

static void
add_node (SondeMatch *match, SondeNode *node)
{
  for (guint i = 0; i < match->n_nodes; i++)
    if (match->nodes[i] == node)
      return;

  g_assert (match->n_nodes < SONDE_MATCH_MOST_NODES);
  match->nodes[match->n_nodes++] = node;
}

static gboolean
match_operator (const char *p, SondeGraphValue *value, SondeMatch *match)
{
  SondeNode *node = value->producer;
  gsize n = word_length (p);
  SondeMatch before;

  if (node == NULL || *node->domain != '\0' || node->phase != SONDE_PHASE_FORWARD
      || strncmp (node->op, p, n) != 0 || node->op[n] != '\0' || node->outputs->len != 1)
    return FALSE;

  add_node (match, node);
  before = *match;
  p = skip_spaces (p + n) + 1;
  if (match_inputs (p, node, FALSE, match))
    return TRUE;

  *match = before;
  return is_commutative (node) && node->inputs->len == 2 && match_inputs (p, node, TRUE, match);
}

/* As deep as the text. */
static gboolean
match_expression (const char *p, SondeGraphValue *value, SondeMatch *match)
{
  p = skip_spaces (p);
  if (*p == '{')
    return match_choice (p, value, match);
  if (g_ascii_isupper (*p))
    return match_operator (p, value, match);
  if (g_ascii_islower (*p))
    return match_name (p, value, match);
  return is_number (value, g_ascii_strtod (p, NULL));
}

static gboolean
is_inside (const SondeMatch *match, const SondeNode *node)
{
  for (guint i = 0; i < match->n_nodes; i++)
    if (match->nodes[i] == node)
      return TRUE;
  return FALSE;
}

/* Nobody outside wants what is made on the way. */
static gboolean
is_closed (const SondeGraph *graph, const SondeMatch *match)
{
  for (guint i = 1; i < match->n_nodes; i++)
    {
      const SondeGraphValue *value = sonde_node_get_output (match->nodes[i], 0);

      if ((value->captures != NULL && value->captures->len > 0) || value->update_of != NULL
          || g_ptr_array_find (graph->outputs, value, NULL))
        return FALSE;
      for (guint k = 0; k < value->users->len; k++)
        if (!is_inside (match, g_ptr_array_index (value->users, k)))
          return FALSE;
    }
  return TRUE;
}

gboolean
sonde_match_read (const SondeGraph *graph, SondeNode *node, const char *pattern, SondeMatch *match)
{
  SondeGraphValue *value = sonde_node_get_output (node, 0);

  match->n_nodes = match->n_names = 0;
  return value != NULL && match_expression (pattern, value, match) && is_closed (graph, match);
}

SondeGraphValue *
sonde_match_get (const SondeMatch *match, const char *name)
{
  for (guint i = 0; i < match->n_names; i++)
    if (is_name (match->names[i], name, strlen (name)))
      return match->values[i];
  return NULL;
}

/* ---- replacing ----------------------------------------------------------- */

static gint
compare_ids (gconstpointer a, gconstpointer b)
{
  const SondeNode *const *x = a, *const *y = b;

  return (*x)->id < (*y)->id ? -1 : (*x)->id > (*y)->id;
}

/* In the order of the file. */
static void
add_origins (SondeNode *node, const SondeMatch *match)
{
  g_autoptr (GPtrArray) nodes = g_ptr_array_new ();

  for (guint i = 0; i < match->n_nodes; i++)
    g_ptr_array_add (nodes, match->nodes[i]);
  g_ptr_array_sort (nodes, compare_ids);
  for (guint i = 0; i < nodes->len; i++)
    sonde_node_add_origin (node, g_ptr_array_index (nodes, i), SONDE_ORIGIN_FUSED);
}

SondeNode *
sonde_match_replace (SondeGraph *graph, const SondeMatch *match, const char *op,
                     SondeGraphValue *const *inputs, guint n_inputs)
{
  SondeNode *last = match->nodes[0], *node;
  SondeGraphValue *output = sonde_legalise_take_output (graph, last, 0);
  g_autofree char *name = g_strdup (last->name), *replaced = g_strconcat (name, "/replaced", NULL);

  node = sonde_graph_add_node (graph, NULL, "", op, inputs, n_inputs, 0);
  node->version = SONDE_CURRENT_OPSET;
  node->scope = last->scope;
  add_origins (node, match);
  if (sonde_graph_rename_node (graph, last, replaced))
    sonde_graph_rename_node (graph, node, name);
  sonde_node_set_output (graph, node, 0, output);
  return node;
}
