/* SPDX-License-Identifier: Apache-2.0
 * The words in a box of a graph: operator, the part of the name that says something, constants; and the room
 * they take. */
#include <math.h>
#include <string.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/graph/sonde-graph-paint-private.h"
#include "viewers/paint/sonde-text-paint.h"

#define MANY_INPUTS                                                                                \
  16 /* of a node behind the forward pass: it collects what all of the graph makes */
#define MAX_SOURCES 3        /* that are named */
#define MAX_SHOWN_ELEMENTS 4 /* of a constant that is written out */
#define LINE_WIDTH 210       /* px, beyond which the next constant starts a line */

char *
sonde_graph_shape_text (const SondeType *type)
{
  GString *text;

  if (type->rank < 0)
    return NULL;
  if (type->rank == 0)
    return g_strdup (_ ("scalar"));
  text = g_string_new (NULL);
  for (int d = 0; d < type->rank; d++)
    {
      if (d > 0)
        g_string_append (text, "×");
      if (type->dims[d].size >= 0)
        g_string_append_printf (text, "%" PRIi64, type->dims[d].size);
      else
        g_string_append (text, type->dims[d].symbol != NULL ? type->dims[d].symbol : "?");
    }
  return g_string_free (text, FALSE);
}

gboolean
sonde_graph_is_control (const SondeGraphValue *value)
{
  return value->name[0] == '^';
}

gboolean
sonde_graph_is_constant (const SondeNode *node)
{
  static const char *const operators[] = { "Constant", "Const", "prim::Constant", NULL };
  SondeGraphValue *output = node->outputs->len == 1 ? sonde_node_get_output (node, 0) : NULL;

  return g_strv_contains (operators, node->op) && node->inputs->len == 0 && output != NULL
         && !sonde_graph_is_control (output) && output->users->len > 0;
}

/* The tensor that is written in the graph; NULL where its values are not available. */
static SondeTensor *
tensor_of (SondeGraphValue *value)
{
  const SondeAttribute *attribute
      = value->producer != NULL ? sonde_node_find_attribute (value->producer, "value") : NULL;

  if (value->constant != NULL)
    return sonde_value_get_tensor (value->constant);
  return attribute != NULL && attribute->kind == SONDE_ATTRIBUTE_TENSOR ? attribute->u.tensor
                                                                        : NULL;
}

gboolean
sonde_graph_is_inside (const SondeGraphValue *value)
{
  if (value->producer != NULL)
    return sonde_graph_is_constant (value->producer);
  return value->constant != NULL || value->role == SONDE_ROLE_PARAMETER
         || value->role == SONDE_ROLE_CONSTANT || value->role == SONDE_ROLE_STATE;
}

/* Of an input that of its first reader. */
static SondePhase
phase_of (const SondeGraphValue *value)
{
  SondePhase phase = SONDE_PHASE_OPTIMISER;

  if (value->producer != NULL)
    return value->producer->phase;
  for (guint i = 0; i < value->users->len; i++)
    phase = MIN (phase, ((const SondeNode *) g_ptr_array_index (value->users, i))->phase);
  return phase;
}

/* Nearly every node of the backward pass reads something of the forward pass, an update reads a gradient, and their
 * norm reads all of them: as lines these would pull everything apart. */
gboolean
sonde_graph_is_looked_back (const SondeNode *node, const SondeGraphValue *value)
{
  if (sonde_graph_is_inside (value) || node->phase == SONDE_PHASE_FORWARD)
    return FALSE;
  return phase_of (value) < node->phase || node->inputs->len > MANY_INPUTS;
}

/* "Conv" and "Conv_12", as exporters name a Conv, say nothing new. */
static gboolean
repeats (const char *name, gsize length, const char *op)
{
  gsize n = strlen (op);

  if (length < n || strncmp (name, op, n) != 0 || (length > n && name[n] != '_'))
    return FALSE;
  for (gsize i = n + 1; i < length; i++)
    if (!g_ascii_isdigit (name[i]))
      return FALSE;
  return TRUE;
}

/* The last part of "/encoder/layer0/MatMul" that is more than the operator: "layer0". (transfer
 * full) */
static char *
telling_part (const char *name, const char *op)
{
  const char *end = name + strlen (name);

  while (end > name)
    {
      const char *start = end;

      while (start > name && start[-1] != '/')
        start--;
      if (end > start && !repeats (start, (gsize) (end - start), op))
        return g_strndup (start, (gsize) (end - start));
      end = start > name ? start - 1 : name;
    }
  return g_strdup ("");
}

/* The elements of a small integer constant or of a scalar; NULL for others. */
static char *
elements_text (SondeTensor *tensor)
{
  gint64 n = tensor != NULL ? sonde_tensor_n_elements (tensor) : 0;
  GString *text;

  if (n < 1 || n > MAX_SHOWN_ELEMENTS
      || (n > 1 && tensor->dtype != SONDE_DTYPE_I64 && tensor->dtype != SONDE_DTYPE_I32))
    return NULL;
  text = g_string_new (n > 1 ? "[" : "");
  for (gint64 i = 0; i < n; i++)
    {
      g_autofree char *element
          = tensor->dtype == SONDE_DTYPE_F32 || tensor->dtype == SONDE_DTYPE_F64
                ? sonde_format_number (sonde_tensor_get_double (tensor, i))
                : sonde_tensor_format_element (tensor, i);

      g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", element);
    }
  if (n > 1)
    g_string_append_c (text, ']');
  return g_string_free (text, FALSE);
}

/* "weight 6×1×5×5"; the part of the name after the module's path, nothing for what has no name of
 * its own. */
static char * /* (nullable): nothing is known of a constant without a name */
constant_text (SondeGraphValue *value)
{
  const char *slash = strrchr (value->name, '/');
  const char *name = slash != NULL && slash[1] != '\0' ? slash + 1 : value->name;
  const char *dot = strrchr (name, '.');
  g_autofree char *elements = elements_text (tensor_of (value));
  g_autofree char *shape = elements == NULL ? sonde_graph_shape_text (&value->type) : NULL;

  if (dot != NULL && g_ascii_isalpha (dot[1]))
    name = dot + 1;
  if (value->producer != NULL)
    return elements != NULL ? g_steal_pointer (&elements) : g_steal_pointer (&shape);
  if (elements == NULL && shape == NULL)
    return g_strdup (name);
  return g_strdup_printf ("%s %s", name, elements != NULL ? elements : shape);
}

/* Adds @piece to the last line, or to a new one where that would be too wide. */
static void
add_detail (SondeGraphText *text, const char *piece)
{
  g_autofree char *joined = NULL;

  if (text->n_details > 0)
    {
      joined = g_strdup_printf ("%s · %s", text->details[text->n_details - 1], piece);
      if (sonde_text_measure (SONDE_FONT_SMALL, joined, NULL) <= LINE_WIDTH
          || text->n_details == SONDE_GRAPH_MAX_DETAILS)
        {
          g_free (text->details[text->n_details - 1]);
          text->details[text->n_details - 1] = g_steal_pointer (&joined);
          return;
        }
    }
  text->details[text->n_details++] = g_strdup (piece);
}

/* What it reads without a line; a gradient says of what. */
static void
add_source (SondeGraphText *text, const SondeGraphValue *value)
{
  gboolean is_gradient = value->producer != NULL && value->producer->phase == SONDE_PHASE_BACKWARD;
  g_autofree char *name = is_gradient ? g_strdup (value->name) : sonde_graph_short_name (value);
  g_autofree char *piece = g_strdup_printf ("← %s", name);

  add_detail (text, piece);
}

/* Several outputs of a node are named once. */
static gboolean
is_named (const SondeNode *node, guint position)
{
  const SondeGraphValue *value = sonde_node_get_input (node, position);

  for (guint i = 0; i < position; i++)
    {
      const SondeGraphValue *input = sonde_node_get_input (node, i);

      if (input == value
          || (input != NULL && input->producer != NULL && input->producer == value->producer))
        return TRUE;
    }
  return FALSE;
}

static void
add_sources (SondeGraphText *text, const SondeNode *node)
{
  guint n = 0;

  for (guint i = 0; i < node->inputs->len; i++)
    {
      const SondeGraphValue *input = sonde_node_get_input (node, i);

      if (input == NULL || !sonde_graph_is_looked_back (node, input)
          || (n < MAX_SOURCES && is_named (node, i)))
        continue;
      if (n++ < MAX_SOURCES)
        add_source (text, input);
    }
  if (n > MAX_SOURCES)
    {
      g_autofree char *piece = g_strdup_printf (_ ("%u more"), n - MAX_SOURCES);

      add_detail (text, piece);
    }
}

static void
add_constants (SondeGraphText *text, const SondeNode *node, guint phases)
{
  guint n_unknown = 0;

  for (guint i = 0; i < node->inputs->len; i++)
    {
      SondeGraphValue *input = sonde_node_get_input (node, i);
      g_autofree char *piece = NULL;

      if (input == NULL || !sonde_graph_is_inside (input)
          || (input->producer != NULL && (phases & SONDE_GRAPH_SCENE_CONSTANTS) != 0))
        continue;
      piece = constant_text (input);
      if (piece != NULL)
        add_detail (text, piece);
      else
        n_unknown++;
    }
  if (n_unknown > 0)
    {
      g_autofree char *count = n_unknown == 1 ? g_strdup (_ ("constant"))
                                              : g_strdup_printf (_ ("%u constants"), n_unknown);

      add_detail (text, count);
    }
}

SondeGraphText
sonde_graph_text_of_node (const SondeNode *node, guint phases)
{
  SondeGraphText text = { .title = g_strdup (node->op),
                          .name = telling_part (node->name, node->op),
                          .family = sonde_node_get_family (node) };

  add_constants (&text, node, phases);
  add_sources (&text, node);
  return text;
}

char *
sonde_graph_short_name (const SondeGraphValue *value)
{
  g_autofree char *part = value->producer != NULL
                              ? telling_part (value->producer->name, value->producer->op)
                              : telling_part (value->name, "");

  return *part != '\0' ? g_steal_pointer (&part)
                       : g_strdup (value->producer != NULL ? value->producer->op : value->name);
}

/* "34 nodes · 7.1 M parameters · 1.2 G FLOP" */
static char *
count_text (const SondeGraphScope *scope, double flops)
{
  g_autofree char *n = sonde_format_count (scope->n_nodes);
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, P_ ("%s node", "%s nodes", scope->n_nodes), n);
  if (scope->parameters > 0)
    {
      g_autofree char *parameters = sonde_format_number ((double) scope->parameters);

      g_string_append (text, " · ");
      g_string_append_printf (text, _ ("%s parameters"), parameters);
    }
  if (flops > 0)
    {
      g_autofree char *number = sonde_format_number (flops);

      g_string_append (text, " · ");
      g_string_append_printf (text, _ ("%s FLOP"), number);
    }
  return g_string_free (text, FALSE);
}

SondeGraphText
sonde_graph_text_of_scope (const SondeGraphScope *scope, gboolean is_open, double flops)
{
  g_autofree char *counts = count_text (scope, flops);
  SondeGraphText text = { .family = SONDE_FAMILY_OTHER };

  text.title = scope->n_repeats > 0 ? g_strdup_printf (_ ("%u × %s"), scope->n_repeats, scope->name)
                                    : g_strdup (scope->name);
  text.name = g_strdup (is_open ? counts : "");
  if (!is_open)
    add_detail (&text, counts);
  return text;
}

void
sonde_graph_measure_box (SondeGraphBox *box, SondeGraphText *text)
{
  double width;

  text->title_width = ceil (sonde_text_measure (SONDE_FONT_STRONG, text->title, NULL));
  width = text->title_width;
  if (*text->name != '\0')
    width += SONDE_GRAPH_TITLE_GAP + sonde_text_measure (SONDE_FONT_SMALL, text->name, NULL);
  text->width = width;
  for (guint i = 0; i < text->n_details; i++)
    width = fmax (width, sonde_text_measure (SONDE_FONT_SMALL, text->details[i], NULL));
  if (box->scope != SONDE_SCOPE_NONE)
    width += SONDE_GRAPH_ARROW_ROOM;
  width = fmin (fmax (width, 44), box->is_open ? SONDE_GRAPH_MAX_HEAD : SONDE_GRAPH_MAX_WIDTH)
          + SONDE_GRAPH_SLACK;
  box->width = ceil (width + 2 * SONDE_GRAPH_BOX_PADDING);
  box->height = SONDE_GRAPH_TITLE_HEIGHT;
  if (text->n_details > 0)
    box->height += SONDE_GRAPH_LINE_HEIGHT * text->n_details + 4;
}
