/* SPDX-License-Identifier: Apache-2.0
 * Facts of a node, a value or a graph. */
#include "app/pages/sonde-node-inspector.h"

#include "data/values/sonde-statistics.h"
#include "viewers/paint/sonde-text.h"

#define MAX_ELEMENTS 8

struct _SondeNodeInspector
{
  GtkBox parent_instance;
};

G_DEFINE_FINAL_TYPE (SondeNodeInspector, sonde_node_inspector, GTK_TYPE_BOX)

static void
sonde_node_inspector_class_init (SondeNodeInspectorClass *klass)
{
}

static void
sonde_node_inspector_init (SondeNodeInspector *self)
{
  gtk_orientable_set_orientation (GTK_ORIENTABLE (self), GTK_ORIENTATION_VERTICAL);
  gtk_box_set_spacing (GTK_BOX (self), 6);
  gtk_widget_set_margin_start (GTK_WIDGET (self), 12);
  gtk_widget_set_margin_end (GTK_WIDGET (self), 12);
  gtk_widget_set_margin_top (GTK_WIDGET (self), 12);
  gtk_widget_set_margin_bottom (GTK_WIDGET (self), 12);
}

GtkWidget *
sonde_node_inspector_new (void)
{
  return g_object_new (SONDE_TYPE_NODE_INSPECTOR, NULL);
}

void
sonde_node_inspector_clear (SondeNodeInspector *inspector)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (inspector))) != NULL)
    gtk_box_remove (GTK_BOX (inspector), child);
}

/* Texts come from files: plain text, control and bidi characters made visible. */
static GtkWidget *
add_text (SondeNodeInspector *self,
          const char         *text,
          const char         *css_class)
{
  g_autofree char *visible = sonde_text_make_visible (text);
  GtkWidget *label = gtk_label_new (visible);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (label), 30);
  if (css_class != NULL)
    gtk_widget_add_css_class (label, css_class);
  gtk_box_append (GTK_BOX (self), label);
  return label;
}

static void
add_heading (SondeNodeInspector *self,
             const char         *text)
{
  GtkWidget *label = add_text (self, text, "heading");

  gtk_widget_set_margin_top (label, 12);
}

/* "name   value", the value dimmed below when it is long. */
static void
add_fact (SondeNodeInspector *self,
          const char         *name,
          const char         *value)
{
  add_text (self, name, "caption-heading");
  gtk_widget_add_css_class (add_text (self, value, "numeric"), "dim-label");
}

static char *
format_attribute (const SondeAttribute *attribute)
{
  GString *text = g_string_new (NULL);

  switch (attribute->kind)
    {
    case SONDE_ATTRIBUTE_INT:
      g_string_append_printf (text, "%" G_GINT64_FORMAT, attribute->u.i);
      break;
    case SONDE_ATTRIBUTE_FLOAT:
      g_string_append_printf (text, "%.7g", attribute->u.f);
      break;
    case SONDE_ATTRIBUTE_STRING:
    case SONDE_ATTRIBUTE_REFERENCE:
      g_string_append (text, attribute->u.string);
      break;
    case SONDE_ATTRIBUTE_INTS:
      for (gsize i = 0; i < attribute->n; i++)
        g_string_append_printf (text, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "", attribute->u.ints[i]);
      break;
    case SONDE_ATTRIBUTE_FLOATS:
      for (gsize i = 0; i < attribute->n; i++)
        g_string_append_printf (text, "%s%.7g", i > 0 ? ", " : "", attribute->u.floats[i]);
      break;
    case SONDE_ATTRIBUTE_STRINGS:
      for (gsize i = 0; i < attribute->n; i++)
        g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", attribute->u.strings[i]);
      break;
    case SONDE_ATTRIBUTE_TENSOR:
      {
        g_autofree char *shape = sonde_shape_to_string (&attribute->u.tensor->shape);

        g_string_append_printf (text, "%s %s", sonde_dtype_name (attribute->u.tensor->dtype), shape);
      }
      break;
    default:
      g_string_append_printf (text, "%" G_GSIZE_FORMAT " parts", attribute->n);
    }
  return g_string_free (text, FALSE);
}

/* Statistics and the first elements of a tensor. */
static void
add_tensor (SondeNodeInspector *self,
            SondeTensor        *tensor)
{
  g_autoptr (GString) elements = g_string_new (NULL);
  gint64 n = sonde_tensor_n_elements (tensor);
  SondeStatistics statistics;
  g_autofree char *facts = NULL;

  for (gint64 i = 0; i < MIN (n, MAX_ELEMENTS); i++)
    {
      g_autofree char *element = sonde_tensor_format_element (tensor, i);

      g_string_append_printf (elements, "%s%s", i > 0 ? ", " : "", element);
    }
  if (n > MAX_ELEMENTS)
    g_string_append (elements, ", …");
  if (tensor->dtype != SONDE_DTYPE_STRING)
    {
      sonde_statistics_compute (tensor, &statistics);
      facts = g_strdup_printf ("min %.4g · max %.4g · mean %.4g · std %.4g%s", statistics.min, statistics.max,
                               statistics.mean, statistics.std,
                               statistics.nan + statistics.pos_inf + statistics.neg_inf > 0 ? " · not finite!" : "");
      gtk_widget_add_css_class (add_text (self, facts, "caption"), "numeric");
    }
  gtk_widget_add_css_class (add_text (self, elements->str, "caption"), "monospace");
}

static void
add_value (SondeNodeInspector *self,
           SondeGraphValue    *value)
{
  g_autofree char *type = sonde_type_to_string (&value->type);
  SondeTensor *tensor = sonde_value_get_tensor (value->constant);

  add_fact (self, value->name, type);
  if (tensor != NULL)
    add_tensor (self, tensor);
  if (value->doc != NULL && *value->doc != '\0')
    add_text (self, value->doc, "caption");
}

void
sonde_node_inspector_show_value (SondeNodeInspector *inspector,
                                 SondeGraphValue    *value)
{
  sonde_node_inspector_clear (inspector);
  add_text (inspector, value->producer != NULL ? "Value" : "Input", "title-4");
  add_value (inspector, value);
}

static void
add_attributes (SondeNodeInspector *self,
                SondeNode          *node)
{
  if (node->attributes->len == 0)
    return;
  add_heading (self, "Attributes");
  for (guint i = 0; i < node->attributes->len; i++)
    {
      const SondeAttribute *attribute = g_ptr_array_index (node->attributes, i);
      g_autofree char *text = format_attribute (attribute);

      add_fact (self, attribute->name, text);
    }
}

static void
add_values (SondeNodeInspector *self,
            const char         *heading,
            GPtrArray          *values)
{
  if (values->len == 0)
    return;
  add_heading (self, heading);
  for (guint i = 0; i < values->len; i++)
    if (g_ptr_array_index (values, i) != NULL)
      add_value (self, g_ptr_array_index (values, i));
}

void
sonde_node_inspector_show_node (SondeNodeInspector *inspector,
                                SondeNode          *node)
{
  g_autofree char *origin = sonde_node_describe_origin (node);
  g_autofree char *op
      = *node->domain != '\0' ? g_strdup_printf ("%s (%s)", node->op, node->domain) : g_strdup (node->op);

  sonde_node_inspector_clear (inspector);
  add_text (inspector, op, "title-4");
  gtk_widget_add_css_class (add_text (inspector, node->name, NULL), "dim-label");
  if (origin != NULL)
    add_text (inspector, origin, "caption");
  if (node->doc != NULL && *node->doc != '\0')
    add_text (inspector, node->doc, NULL);
  add_attributes (inspector, node);
  add_values (inspector, "Inputs", node->inputs);
  add_values (inspector, "Outputs", node->outputs);
}

static gint64
count_parameters (SondeGraph *graph)
{
  gint64 n = 0;

  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->values, i);
      SondeTensor *tensor = value != NULL ? sonde_value_get_tensor (value->constant) : NULL;

      if (tensor != NULL && value->role == SONDE_ROLE_PARAMETER)
        n += sonde_tensor_n_elements (tensor);
    }
  return n;
}

void
sonde_node_inspector_show_graph (SondeNodeInspector *inspector,
                                 SondeGraph         *graph)
{
  g_autofree char *facts = g_strdup_printf ("%u nodes · %" G_GINT64_FORMAT " parameters", sonde_graph_count_nodes (graph),
                                            count_parameters (graph));

  sonde_node_inspector_clear (inspector);
  add_text (inspector, graph->name != NULL && *graph->name != '\0' ? graph->name : "Graph", "title-4");
  gtk_widget_add_css_class (add_text (inspector, facts, "numeric"), "dim-label");
  if (graph->producer != NULL && *graph->producer != '\0')
    add_fact (inspector, "Written by", graph->producer);
  if (graph->doc != NULL && *graph->doc != '\0')
    add_text (inspector, graph->doc, NULL);
  for (guint i = 0; i < graph->metadata->len; i++)
    {
      SondeMetadata *pair = &g_array_index (graph->metadata, SondeMetadata, i);

      add_fact (inspector, pair->key, pair->value);
    }
  add_values (inspector, "Inputs", graph->inputs);
  add_values (inspector, "Outputs", graph->outputs);
}
