/* SPDX-License-Identifier: Apache-2.0
 * Facts of a node, a value or a graph. */
#include "app/pages/graph/sonde-node-inspector.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "data/values/sonde-statistics.h"
#include "viewers/paint/sonde-text-paint.h"
#include "viewers/sonde-tensor-view.h"

#define MAX_ELEMENTS 8
#define MAX_COPIED_ELEMENTS 1000000
#define MAX_READERS 8 /* of a value, that are named */
#define MAX_PROBLEMS 20
#define IMAGE_WIDTH 230 /* px */
#define MAX_IMAGE_ELEMENTS 2000000

struct _SondeNodeInspector
{
  GtkBox parent_instance;
};

G_DEFINE_FINAL_TYPE (SondeNodeInspector, sonde_node_inspector, GTK_TYPE_BOX)

enum
{
  NODE_ACTIVATED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

static void
sonde_node_inspector_class_init (SondeNodeInspectorClass *klass)
{
  signals[NODE_ACTIVATED]
      = g_signal_new ("node-activated", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                      NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
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

void
sonde_node_inspector_clear (SondeNodeInspector *inspector)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (inspector))) != NULL)
    gtk_box_remove (GTK_BOX (inspector), child);
}

/* Texts come from files: plain text, control and bidi characters made visible. */
static GtkWidget *
add_text (SondeNodeInspector *self, const char *text, const char *css_class)
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
add_heading (SondeNodeInspector *self, const char *text)
{
  GtkWidget *label = add_text (self, text, "heading");

  gtk_widget_set_margin_top (label, 12);
}

/* The name dimmed at the left, its value at the right. */
static void
add_pair (SondeNodeInspector *self, const char *name, const char *value)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *label = add_text (self, name, "dim-label"), *text = add_text (self, value, "numeric");

  g_object_ref (label);
  g_object_ref (text);
  gtk_box_remove (GTK_BOX (self), label);
  gtk_box_remove (GTK_BOX (self), text);
  gtk_widget_set_valign (label, GTK_ALIGN_START);
  gtk_widget_set_hexpand (text, TRUE);
  gtk_label_set_xalign (GTK_LABEL (text), 1);
  gtk_label_set_max_width_chars (GTK_LABEL (text), 20);
  gtk_label_set_justify (GTK_LABEL (text), GTK_JUSTIFY_RIGHT);
  gtk_box_append (GTK_BOX (box), label);
  gtk_box_append (GTK_BOX (box), text);
  gtk_box_append (GTK_BOX (self), box);
  g_object_unref (label);
  g_object_unref (text);
}

/* The name, and its value dimmed below. */
static void
add_fact (SondeNodeInspector *self, const char *name, const char *value)
{
  add_text (self, name, "caption-heading");
  gtk_widget_add_css_class (add_text (self, value, "numeric"), "dim-label");
}

static void
add_number (SondeNodeInspector *self, const char *name, double number)
{
  g_autofree char *text = sonde_format_number (number);

  add_pair (self, name, text);
}

static void
add_statistics (SondeNodeInspector *self, SondeTensor *tensor)
{
  SondeStatistics statistics;
  gint64 bad;

  sonde_statistics_compute (tensor, &statistics);
  bad = statistics.nan + statistics.pos_inf + statistics.neg_inf;
  add_number (self, _ ("min"), statistics.min);
  add_number (self, _ ("max"), statistics.max);
  add_number (self, _ ("mean"), statistics.mean);
  add_number (self, _ ("std"), statistics.std);
  if (statistics.count > 0)
    {
      g_autofree char *share
          = sonde_format_number (100.0 * (double) statistics.zeros / (double) statistics.count),
          *zeros = g_strdup_printf ("%s %%", share);

      add_pair (self, _ ("zeros"), zeros);
    }
  if (bad > 0)
    {
      g_autofree char *text
          = g_strdup_printf (P_ ("%" PRIi64 " element", "%" PRIi64 " elements", bad), bad);

      add_pair (self, _ ("not finite"), text);
    }
}

/* Four digits of floating-point numbers; others as they are. (transfer full) */
static char *
format_element (const SondeTensor *tensor, gint64 i)
{
  switch (tensor->dtype)
    {
    case SONDE_DTYPE_F16:
    case SONDE_DTYPE_BF16:
    case SONDE_DTYPE_F32:
    case SONDE_DTYPE_F64:
      return sonde_format_number (sonde_tensor_get_double (tensor, i));
    default:
      return sonde_tensor_format_element (tensor, i);
    }
}

static void
copy_elements (GtkWidget *button, SondeTensor *tensor)
{
  GString *text = g_string_new (NULL);
  gint64 n = sonde_tensor_n_elements (tensor);

  for (gint64 i = 0; i < n; i++)
    {
      g_autofree char *element = sonde_tensor_format_element (tensor, i);

      g_string_append_printf (text, "%s%s", i > 0 ? "\t" : "", element);
    }
  gdk_clipboard_set_text (gtk_widget_get_clipboard (button), text->str);
  g_string_free (text, TRUE);
}

/* All elements with all digits, where a clipboard bears them. */
static void
add_copy_button (SondeNodeInspector *self, SondeTensor *tensor)
{
  GtkWidget *button = gtk_button_new_with_label (_ ("Copy"));
  gboolean fits = sonde_tensor_n_elements (tensor) <= MAX_COPIED_ELEMENTS;

  gtk_widget_set_halign (button, GTK_ALIGN_START);
  gtk_widget_set_sensitive (button, fits);
  gtk_widget_set_tooltip_text (button, fits ? _ ("All elements with all digits")
                                            : _ ("Too many elements for the clipboard"));
  g_signal_connect_data (button, "clicked", G_CALLBACK (copy_elements), sonde_tensor_ref (tensor),
                         (GClosureNotify) (void *) sonde_tensor_unref, 0);
  gtk_box_append (GTK_BOX (self), button);
}

/* Image, statistics and the first elements of a tensor. */
static void
add_tensor (SondeNodeInspector *self, SondeTensor *tensor, const char *name)
{
  g_autoptr (GString) elements = g_string_new (NULL);
  gint64 n = sonde_tensor_n_elements (tensor);
  GtkWidget *view;

  for (gint64 i = 0; i < MIN (n, MAX_ELEMENTS); i++)
    {
      g_autofree char *element = format_element (tensor, i);

      g_string_append_printf (elements, "%s%s", i > 0 ? ", " : "", element);
    }
  if (n > MAX_ELEMENTS)
    g_string_append (elements, ", …");
  gtk_widget_add_css_class (add_text (self, elements->str, "caption"), "monospace");
  add_copy_button (self, tensor);
  if (tensor->dtype == SONDE_DTYPE_STRING || n <= 1)
    return;
  view = sonde_tensor_view_new ();
  if (n > MAX_ELEMENTS && n <= MAX_IMAGE_ELEMENTS
      && sonde_tensor_view_set_tensor (SONDE_TENSOR_VIEW (view), tensor))
    {
      sonde_view_set_title (SONDE_VIEW (view), name);
      gtk_widget_set_size_request (
          view, IMAGE_WIDTH,
          sonde_tensor_view_get_wanted_height (SONDE_TENSOR_VIEW (view), IMAGE_WIDTH));
      gtk_box_append (GTK_BOX (self), view);
    }
  else
    g_object_unref (g_object_ref_sink (view));
  add_statistics (self, tensor);
}

/* ---- neighbours ---------------------------------------------------------- */

static void
on_link (GtkWidget *button, SondeNodeInspector *self)
{
  /* the button goes with what it leads away from */
  g_autofree char *name = g_strdup (g_object_get_data (G_OBJECT (button), "node"));

  g_signal_emit (self, signals[NODE_ACTIVATED], 0, name);
}

/* @arrow: before the name, which way the value goes */
static void
add_link (SondeNodeInspector *self, const char *arrow, const SondeNode *node)
{
  g_autofree char *text = g_strdup_printf ("%s %s (%s)", arrow, node->name, node->op);
  g_autofree char *visible = sonde_text_make_visible (text);
  GtkWidget *button = gtk_button_new (), *label = gtk_label_new (visible);

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_button_set_child (GTK_BUTTON (button), label);
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_add_css_class (button, "node-link");
  gtk_widget_set_tooltip_text (button, visible);
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL, visible,
                                  -1);
  g_object_set_data_full (G_OBJECT (button), "node", g_strdup (node->name), g_free);
  g_signal_connect (button, "clicked", G_CALLBACK (on_link), self);
  gtk_box_append (GTK_BOX (self), button);
}

/* The node that makes it, and those that read it. */
static void
add_neighbours (SondeNodeInspector *self, const SondeGraphValue *value, gboolean is_output)
{
  guint n = is_output ? value->users->len : 0;

  if (!is_output && value->producer != NULL)
    add_link (self, "←", value->producer);
  for (guint i = 0; i < MIN (n, MAX_READERS); i++)
    add_link (self, "→", g_ptr_array_index (value->users, i));
  if (n > MAX_READERS)
    {
      g_autofree char *more = g_strdup_printf (_ ("… and %u more"), n - MAX_READERS);

      gtk_widget_add_css_class (add_text (self, more, NULL), "dim-label");
    }
}

static void
add_value (SondeNodeInspector *self, SondeGraphValue *value)
{
  g_autofree char *type = sonde_type_to_string (&value->type);
  SondeTensor *tensor = sonde_value_get_tensor (value->constant);

  add_fact (self, value->name, type);
  if (tensor != NULL)
    add_tensor (self, tensor, value->name);
  if (value->doc != NULL && *value->doc != '\0')
    add_text (self, value->doc, "caption");
}

void
sonde_node_inspector_show_value (SondeNodeInspector *inspector, SondeGraphValue *value)
{
  sonde_node_inspector_clear (inspector);
  add_text (inspector, value->producer != NULL ? _ ("Value") : _ ("Input"), "title-4");
  add_value (inspector, value);
  if (value->producer != NULL)
    add_neighbours (inspector, value, FALSE);
  add_neighbours (inspector, value, TRUE);
}

static void
add_attributes (SondeNodeInspector *self, SondeNode *node)
{
  if (node->attributes->len == 0)
    return;
  add_heading (self, _ ("Attributes"));
  for (guint i = 0; i < node->attributes->len; i++)
    {
      const SondeAttribute *attribute = g_ptr_array_index (node->attributes, i);
      g_autofree char *text = sonde_attribute_to_text (attribute);

      add_pair (self, attribute->name, text);
    }
}

static void
add_values (SondeNodeInspector *self, const char *heading, GPtrArray *values, gboolean are_outputs)
{
  if (values->len == 0)
    return;
  add_heading (self, heading);
  for (guint i = 0; i < values->len; i++)
    if (g_ptr_array_index (values, i) != NULL)
      {
        add_value (self, g_ptr_array_index (values, i));
        add_neighbours (self, g_ptr_array_index (values, i), are_outputs);
      }
}

void
sonde_node_inspector_show_node (SondeNodeInspector *inspector, SondeNode *node)
{
  g_autofree char *origin = sonde_node_describe_origin (node);
  g_autofree char *op = *node->domain != '\0' ? g_strdup_printf ("%s (%s)", node->op, node->domain)
                                              : g_strdup (node->op);

  sonde_node_inspector_clear (inspector);
  add_text (inspector, op, "title-4");
  gtk_widget_add_css_class (add_text (inspector, node->name, NULL), "dim-label");
  if (origin != NULL)
    add_text (inspector, origin, "caption");
  if (node->doc != NULL && *node->doc != '\0')
    add_text (inspector, node->doc, NULL);
  add_attributes (inspector, node);
  add_values (inspector, _ ("Inputs"), node->inputs, FALSE);
  add_values (inspector, _ ("Outputs"), node->outputs, TRUE);
}

void
sonde_node_inspector_show_scope (SondeNodeInspector *inspector, const SondeGraphScope *scope,
                                 const char *path, double flops)
{
  g_autofree char *nodes = sonde_format_count (scope->n_nodes);
  g_autofree char *parameters = sonde_format_count ((gint64) scope->parameters);

  sonde_node_inspector_clear (inspector);
  add_text (inspector, scope->n_repeats > 0 ? _ ("Repeated scopes") : _ ("Scope"), "title-4");
  gtk_widget_add_css_class (add_text (inspector, path, NULL), "dim-label");
  if (scope->n_repeats > 0)
    {
      g_autofree char *repeats = sonde_format_count (scope->n_repeats);

      add_pair (inspector, _ ("scopes of one structure"), repeats);
    }
  add_pair (inspector, _ ("Nodes"), nodes);
  add_pair (inspector, _ ("Parameters"), parameters);
  if (!isnan (flops))
    {
      g_autofree char *text = sonde_format_number (flops);

      add_pair (inspector, _ ("FLOP"), text);
    }
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

static int
compare_names (const void *a, const void *b)
{
  return g_strcmp0 (*(char *const *) a, *(char *const *) b);
}

/* How often each operator is there. */
static void
add_operators (SondeNodeInspector *self, SondeGraph *graph)
{
  g_autoptr (GHashTable) counts = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; i < graph->nodes->len; i++)
    {
      SondeNode *node = g_ptr_array_index (graph->nodes, i);
      guint count = node != NULL ? GPOINTER_TO_UINT (g_hash_table_lookup (counts, node->op)) : 0;

      if (node != NULL && count == 0)
        g_ptr_array_add (names, (char *) node->op);
      if (node != NULL)
        g_hash_table_insert (counts, (char *) node->op, GUINT_TO_POINTER (count + 1));
    }
  if (names->len == 0)
    return;
  g_ptr_array_sort (names, compare_names);
  add_heading (self, _ ("Operators"));
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *count = sonde_format_count (
          GPOINTER_TO_UINT (g_hash_table_lookup (counts, g_ptr_array_index (names, i))));

      add_pair (self, g_ptr_array_index (names, i), count);
    }
}

static gboolean
is_problem (const SondeMetadata *pair)
{
  return g_str_equal (pair->key, "problem");
}

/* What a foreign graph's reader could not make sense of: below all that it could. */
static void
add_problems (SondeNodeInspector *inspector, SondeGraph *graph)
{
  guint n = 0;

  for (guint i = 0; i < graph->metadata->len; i++)
    {
      SondeMetadata *pair = &g_array_index (graph->metadata, SondeMetadata, i);

      if (!is_problem (pair))
        continue;
      if (n++ == 0)
        add_heading (inspector, _ ("Unsupported"));
      if (n <= MAX_PROBLEMS)
        gtk_widget_add_css_class (add_text (inspector, pair->value, NULL), "dim-label");
    }
  if (n > MAX_PROBLEMS)
    {
      g_autofree char *more = g_strdup_printf (_ ("… and %u more"), n - MAX_PROBLEMS);

      gtk_widget_add_css_class (add_text (inspector, more, NULL), "dim-label");
    }
}

void
sonde_node_inspector_show_graph (SondeNodeInspector *inspector, SondeGraph *graph)
{
  g_autofree char *parameters = sonde_format_count (count_parameters (graph));
  g_autofree char *nodes = sonde_format_count (sonde_graph_count_nodes (graph));
  int opset = sonde_graph_get_opset (graph, "");

  sonde_node_inspector_clear (inspector);
  add_text (inspector, graph->name != NULL && *graph->name != '\0' ? graph->name : _ ("Graph"),
            "title-4");
  add_pair (inspector, _ ("Nodes"), nodes);
  add_pair (inspector, _ ("Parameters"), parameters);
  if (opset > 0)
    {
      g_autofree char *text = g_strdup_printf ("%d", opset);

      add_pair (inspector, _ ("ONNX opset"), text);
    }
  if (graph->producer != NULL && *graph->producer != '\0')
    add_pair (inspector, _ ("Producer"), graph->producer);
  if (graph->doc != NULL && *graph->doc != '\0')
    add_text (inspector, graph->doc, NULL);
  for (guint i = 0; i < graph->metadata->len; i++)
    {
      SondeMetadata *pair = &g_array_index (graph->metadata, SondeMetadata, i);

      if (!is_problem (pair))
        add_fact (inspector, pair->key, pair->value);
    }
  add_values (inspector, _ ("Inputs"), graph->inputs, TRUE);
  add_values (inspector, _ ("Outputs"), graph->outputs, FALSE);
  add_operators (inspector, graph);
  add_problems (inspector, graph);
}
