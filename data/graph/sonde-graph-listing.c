/* SPDX-License-Identifier: Apache-2.0
 * The graph as text, one line a node: what the debugger steps through and what tests compare. */
#include "data/graph/sonde-graph-private.h"

#include <inttypes.h>

#define ELEMENTS_SHOWN 8

typedef struct
{
  GString *text;
  guint line; /* of the next line, from 1 */
  guint *line_of_node;
  guint indent;
} Listing;

/* ---- attributes ---------------------------------------------------------- */

/* Control characters and quotes as C would write them; other bytes that are not UTF-8 too. */
static void
append_quoted (GString *text, const char *string)
{
  g_autofree char *valid = g_utf8_make_valid (string ? string : "", -1);

  g_string_append_c (text, '"');
  for (const char *p = valid; *p != '\0'; p++)
    if (*p == '"' || *p == '\\')
      g_string_append_printf (text, "\\%c", *p);
    else if ((guchar) *p < 0x20 || *p == 0x7f)
      g_string_append_printf (text, "\\x%02x", (guchar) *p);
    else
      g_string_append_c (text, *p);
  g_string_append_c (text, '"');
}

/* The shortest text that reads back to the same number; most numbers are float32 in the file, and
 * for those the reading back is done in float32. */
static void
append_double (GString *text, double number)
{
  gboolean single = (double) (float) number == number;
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];

  for (int digits = 1; digits <= 17; digits++)
    {
      char format[8];
      double back = 0;

      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (buffer, sizeof buffer, format, number);
      back = g_ascii_strtod (buffer, NULL);
      if (single ? (float) back == (float) number : back == number)
        break;
    }
  g_string_append (text, buffer);
}

static void
append_tensor (GString *text, SondeTensor *tensor)
{
  SondeType type = { 0 };
  g_autofree char *name = NULL;
  gint64 n = 0;

  if (tensor == NULL)
    {
      g_string_append_c (text, '?');
      return;
    }
  type = sonde_type_tensor (tensor->dtype, &tensor->shape);
  name = sonde_type_to_string (&type);
  n = sonde_tensor_n_elements (tensor);
  g_string_append (text, name);
  if (n > ELEMENTS_SHOWN)
    return;

  g_string_append (text, " [");
  for (gint64 i = 0; i < n; i++)
    {
      g_autofree char *element = sonde_tensor_format_element (tensor, i);

      if (i > 0)
        g_string_append (text, ", ");
      if (tensor->dtype == SONDE_DTYPE_STRING)
        append_quoted (text, element);
      else
        g_string_append (text, element);
    }
  g_string_append_c (text, ']');
}

static void
append_graph (GString *text, SondeGraph *graph)
{
  g_string_append_printf (text, "graph of %u nodes", sonde_graph_count_nodes (graph));
}

static void
append_type (GString *text, const SondeType *type)
{
  g_autofree char *name = sonde_type_to_string (type);

  g_string_append (text, name);
}

static void
append_entry (GString *text, const SondeAttribute *attribute, gsize i)
{
  switch (attribute->kind)
    {
    case SONDE_ATTRIBUTE_INT:
      g_string_append_printf (text, "%" PRIi64, attribute->u.i);
      break;
    case SONDE_ATTRIBUTE_INTS:
      g_string_append_printf (text, "%" PRIi64, attribute->u.ints[i]);
      break;
    case SONDE_ATTRIBUTE_FLOAT:
      append_double (text, attribute->u.f);
      break;
    case SONDE_ATTRIBUTE_FLOATS:
      append_double (text, attribute->u.floats[i]);
      break;
    case SONDE_ATTRIBUTE_STRING:
      append_quoted (text, attribute->u.string);
      break;
    case SONDE_ATTRIBUTE_STRINGS:
      append_quoted (text, attribute->u.strings[i]);
      break;
    case SONDE_ATTRIBUTE_TENSOR:
      append_tensor (text, attribute->u.tensor);
      break;
    case SONDE_ATTRIBUTE_TENSORS:
      append_tensor (text, attribute->u.tensors[i]);
      break;
    case SONDE_ATTRIBUTE_GRAPH:
      append_graph (text, attribute->u.graph);
      break;
    case SONDE_ATTRIBUTE_GRAPHS:
      append_graph (text, attribute->u.graphs[i]);
      break;
    case SONDE_ATTRIBUTE_TYPE:
      append_type (text, &attribute->u.types[i]);
      break;
    case SONDE_ATTRIBUTE_REFERENCE:
      g_string_append_printf (text, "@%s", attribute->u.string);
      break;
    }
}

static gboolean
is_list (SondeAttributeKind kind)
{
  return kind >= SONDE_ATTRIBUTE_INTS && kind <= SONDE_ATTRIBUTE_GRAPHS;
}

void
sonde_attribute_append_text (const SondeAttribute *attribute, GString *text)
{
  g_string_append_printf (text, "%s=", attribute->name);
  if (is_list (attribute->kind))
    g_string_append_c (text, '[');
  for (gsize i = 0; i < attribute->n; i++)
    {
      if (i > 0)
        g_string_append (text, ", ");
      append_entry (text, attribute, i);
    }
  if (is_list (attribute->kind))
    g_string_append_c (text, ']');
}

/* ---- lines --------------------------------------------------------------- */

static void
append_indent (Listing *listing)
{
  for (guint i = 0; i < listing->indent; i++)
    g_string_append (listing->text, "  ");
}

static void
end_line (Listing *listing)
{
  g_string_append_c (listing->text, '\n');
  listing->line++;
}

static void
append_names (GString *text, GPtrArray *values)
{
  for (guint i = 0; i < values->len; i++)
    {
      SondeGraphValue *value = values->pdata[i];

      if (i > 0)
        g_string_append (text, ", ");
      g_string_append (text, value ? value->name : "_");
    }
}

static void
append_attributes (GString *text, const SondeNode *node)
{
  if (node->attributes->len == 0)
    return;

  g_string_append (text, " {");
  for (guint i = 0; i < node->attributes->len; i++)
    {
      if (i > 0)
        g_string_append (text, ", ");
      sonde_attribute_append_text (node->attributes->pdata[i], text);
    }
  g_string_append_c (text, '}');
}

static void
append_types (GString *text, const SondeNode *node)
{
  gboolean any = FALSE;

  for (guint i = 0; i < node->outputs->len; i++)
    {
      SondeGraphValue *value = node->outputs->pdata[i];

      if (value == NULL || value->type.kind == SONDE_VALUE_NONE)
        continue;
      g_string_append (text, any ? ", " : "  # ");
      append_type (text, &value->type);
      any = TRUE;
    }
}

static void
append_node (Listing *listing, const SondeNode *node)
{
  GString *text = listing->text;

  append_indent (listing);
  g_string_append_printf (text, "%s: ", node->name);
  append_names (text, node->outputs);
  g_string_append (text, node->outputs->len > 0 ? " = " : "");
  if (*node->domain != '\0')
    g_string_append_printf (text, "%s.", node->domain);
  g_string_append_printf (text, "%s (", node->op);
  append_names (text, node->inputs);
  g_string_append_c (text, ')');
  append_attributes (text, node);
  append_types (text, node);
  end_line (listing);
}

static void append_body (Listing *listing, SondeGraph *graph);

/* "  then_branch (i, x) -> (y):" and the nodes below. */
static void
append_block (Listing *listing, const char *title, SondeGraph *graph)
{
  guint *line_of_node = g_steal_pointer (&listing->line_of_node);

  append_indent (listing);
  g_string_append_printf (listing->text, "%s (", title);
  append_names (listing->text, graph->inputs);
  g_string_append (listing->text, ") -> (");
  append_names (listing->text, graph->outputs);
  g_string_append (listing->text, "):");
  end_line (listing);
  listing->indent++;
  append_body (listing, graph);
  listing->indent--;
  listing->line_of_node = line_of_node;
}

static void
append_subgraphs (Listing *listing, const SondeNode *node)
{
  listing->indent++;
  for (guint i = 0; i < node->attributes->len; i++)
    {
      SondeAttribute *attribute = node->attributes->pdata[i];

      if (attribute->kind == SONDE_ATTRIBUTE_GRAPH && attribute->u.graph != NULL)
        append_block (listing, attribute->name, attribute->u.graph);
      else if (attribute->kind == SONDE_ATTRIBUTE_GRAPHS)
        for (gsize k = 0; k < attribute->n; k++)
          append_block (listing, attribute->name, attribute->u.graphs[k]);
    }
  listing->indent--;
}

static GPtrArray *
order_by_id (const SondeGraph *graph)
{
  GPtrArray *order = g_ptr_array_new ();

  for (guint i = 0; i < graph->nodes->len; i++)
    if (graph->nodes->pdata[i] != NULL)
      g_ptr_array_add (order, graph->nodes->pdata[i]);
  return order;
}

static void
append_body (Listing *listing, SondeGraph *graph)
{
  g_autoptr (GPtrArray) order = sonde_graph_sort (graph, NULL);

  if (order == NULL)
    order = order_by_id (graph);
  for (guint i = 0; i < order->len; i++)
    {
      SondeNode *node = order->pdata[i];

      if (listing->line_of_node != NULL)
        listing->line_of_node[node->id] = listing->line;
      append_node (listing, node);
      append_subgraphs (listing, node);
    }
}

char *
sonde_graph_listing (const SondeGraph *graph, guint *line_of_node)
{
  Listing listing = { g_string_new (NULL), 1, line_of_node, 0 };

  for (guint i = 0; line_of_node != NULL && i < graph->nodes->len; i++)
    line_of_node[i] = 0;
  append_body (&listing, (SondeGraph *) graph);
  for (guint i = 0; i < graph->functions->len; i++)
    {
      const SondeFunction *function = graph->functions->pdata[i];
      g_autofree char *title = g_strdup_printf ("function %s%s%s", function->domain,
                                                *function->domain ? "." : "", function->name);

      append_block (&listing, title, function->body);
    }
  return g_string_free (listing.text, FALSE);
}
