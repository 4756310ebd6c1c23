/* SPDX-License-Identifier: Apache-2.0
 * The calls of the selected operator are collected in a thread; a newer selection ends the older one. */
#include "app/profiler/sonde-operators-pane.h"

#include <math.h>
#include <string.h>

#include "app/profiler/tables/sonde-call-list.h"
#include "app/profiler/tables/sonde-operator-column.h"
#include "app/profiler/tables/sonde-operator-table.h"
#include "app/profiler/sonde-profiler-links.h"
#include "app/widgets/sonde-page.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-io.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

struct _SondeOperatorsPane
{
  AdwBin parent_instance;
  SondeTraceDocument *document;
  GArray *types; /* SondeOperatorType */
  GtkStack *tables;
  GtkWidget *nodes_table, *types_table, *kinds, *search, *found, *details, *name, *facts, *to_graph,
      *to_debugger, *to_timeline, *calls_place, *calls, *popover;
  GMenuModel *menu;
  GSimpleActionGroup *actions;
  gpointer newest; /* the collection that is wanted; lent */
  guint32 longest; /* call of the selected operator, or SONDE_TRACE_NONE */
};

G_DEFINE_FINAL_TYPE (SondeOperatorsPane, sonde_operators_pane, ADW_TYPE_BIN)

/* ---- the table that is shown --------------------------------------------- */

static SondeOperatorTable *
get_table (SondeOperatorsPane *pane)
{
  return SONDE_OPERATOR_TABLE (gtk_stack_get_visible_child (pane->tables));
}

static const SondeProfileOperator *
get_selected (SondeOperatorsPane *pane)
{
  GtkWidget *table = pane->tables != NULL ? gtk_stack_get_visible_child (pane->tables) : NULL;

  return table != NULL ? sonde_operator_table_get_selected (SONDE_OPERATOR_TABLE (table)) : NULL;
}

static void
show_found (SondeOperatorsPane *pane)
{
  const guint n = gtk_stack_get_visible_child (pane->tables) == pane->types_table
                      ? pane->types->len
                      : sonde_trace_document_get_profile (pane->document)->operators->len;
  g_autofree char *left = sonde_format_count (sonde_operator_table_get_n_rows (get_table (pane)));
  g_autofree char *all = sonde_format_count (n);
  g_autofree char *text = g_strdup_printf (_ ("%s of %s rows"), left, all);

  gtk_label_set_text (GTK_LABEL (pane->found), text);
}

/* ---- calls --------------------------------------------------------------- */

typedef struct
{
  SondeTraceDocument *document;
  SondeProfileOperator op; /* what it points to lives as long as the document */
  GArray *calls;
} Collection;

static void
free_collection (gpointer data)
{
  Collection *collection = data;

  g_object_unref (collection->document);
  g_clear_pointer (&collection->calls, g_array_unref);
  g_free (collection);
}

static void
collect (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Collection *collection = data;

  collection->calls = sonde_operator_list_calls (
      sonde_trace_document_get_profile (collection->document), &collection->op);
  g_task_return_boolean (task, TRUE);
}

static void
on_collected (GObject *source, GAsyncResult *result, gpointer data)
{
  SondeOperatorsPane *pane = SONDE_OPERATORS_PANE (source);
  Collection *collection = g_task_get_task_data (G_TASK (result));

  if (pane->newest == collection && pane->calls != NULL)
    {
      pane->newest = NULL;
      pane->longest = collection->calls->len > 0 ? g_array_index (collection->calls, guint32, 0)
                                                 : SONDE_TRACE_NONE;
      sonde_call_list_set (SONDE_CALL_LIST (pane->calls), collection->calls);
      g_simple_action_set_enabled (
          G_SIMPLE_ACTION (g_action_map_lookup_action (G_ACTION_MAP (pane->actions), "timeline")),
          pane->longest != SONDE_TRACE_NONE);
    }
  sonde_trace_document_release (collection->document);
}

static void
start_collection (SondeOperatorsPane *pane, const SondeProfileOperator *op)
{
  g_autoptr (GTask) task = g_task_new (pane, NULL, on_collected, NULL);
  Collection *collection = g_new0 (Collection, 1);

  collection->document = g_object_ref (pane->document);
  collection->op = *op;
  pane->newest = collection;
  g_task_set_task_data (task, collection, free_collection);
  sonde_trace_document_hold (pane->document);
  g_task_run_in_thread (task, collect);
}

/* ---- details ------------------------------------------------------------- */

static void
add_line (GString *text, const char *title, const char *value)
{
  g_string_append_printf (text, "%s%s: %s", text->len > 0 ? "\n" : "", title, value);
}

static void
add_ns (GString *text, const char *title, double ns)
{
  g_autofree char *value = sonde_profiler_format_ns (ns);

  if (isfinite (ns))
    add_line (text, title, value);
}

static void
add_own_facts (GString *text, const SondeOperatorFacts *facts)
{
  g_autofree char *nodes = facts->nodes != NULL ? g_strjoinv (", ", (char **) facts->nodes) : NULL;

  if (nodes != NULL && *nodes != '\0')
    {
      g_autofree char *visible = sonde_text_make_visible (nodes);

      add_line (text, _ ("Original nodes"), visible);
    }
  add_line (text, _ ("Phase"), _ (sonde_step_part_get_title (facts->part)));
  if (facts->implementation != NULL)
    add_line (text, _ ("Implementation"), facts->implementation);
  if (facts->dtype != NULL)
    add_line (text, _ ("Data type"), facts->dtype);
  if (facts->flops >= 0)
    {
      g_autofree char *flops = sonde_format_count (facts->flops);

      add_line (text, _ ("FLOPs of a call"), flops);
    }
  if (facts->bytes >= 0)
    {
      g_autofree char *bytes = sonde_format_bytes ((guint64) facts->bytes);

      add_line (text, _ ("Bytes of a call"), bytes);
    }
}

static char *
describe (const SondeProfileOperator *op)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *calls = sonde_profiler_format_calls (op->mean_calls);

  if (op->node != NULL && strcmp (op->node, op->op) != 0)
    {
      g_autofree char *type = sonde_text_make_visible (op->op);

      add_line (text, _ ("Operator"), type);
    }
  if (op->facts != NULL)
    add_own_facts (text, op->facts);
  add_line (text, _ ("Calls in a step"), calls);
  add_ns (text, _ ("Self time in a step"), op->mean_self_ns);
  add_ns (text, _ ("Least by the roofline"), op->limit_ns);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

static void
enable (SondeOperatorsPane *pane, const char *name, gboolean enabled)
{
  GAction *action = g_action_map_lookup_action (G_ACTION_MAP (pane->actions), name);

  g_simple_action_set_enabled (G_SIMPLE_ACTION (action), enabled);
}

static void
on_selected (SondeOperatorsPane *pane)
{
  const SondeProfileOperator *op = get_selected (pane);
  g_autofree char *name = NULL, *facts = NULL;

  pane->newest = NULL;
  pane->longest = SONDE_TRACE_NONE;
  gtk_widget_set_visible (pane->details, op != NULL);
  enable (pane, "graph", op != NULL && op->node != NULL);
  enable (pane, "debugger", op != NULL && op->node != NULL);
  enable (pane, "timeline", FALSE);
  enable (pane, "copy-name", op != NULL);
  if (op == NULL)
    return;
  name = sonde_text_make_visible (op->node != NULL ? op->node : op->op);
  facts = describe (op);
  gtk_label_set_text (GTK_LABEL (pane->name), name);
  gtk_label_set_text (GTK_LABEL (pane->facts), facts);
  sonde_call_list_set (SONDE_CALL_LIST (pane->calls), NULL);
  start_collection (pane, op);
}

/* ---- hands --------------------------------------------------------------- */

static void
on_table (SondeOperatorsPane *pane)
{
  if (pane->document == NULL || gtk_stack_get_visible_child (pane->tables) == NULL)
    return;
  show_found (pane);
  on_selected (pane);
}

static void
on_search (SondeOperatorsPane *pane)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (pane->search));

  sonde_operator_table_set_filter (SONDE_OPERATOR_TABLE (pane->nodes_table), text);
  sonde_operator_table_set_filter (SONDE_OPERATOR_TABLE (pane->types_table), text);
}

static void
on_arranged (SondeOperatorsPane *pane)
{
  if (pane->document != NULL && gtk_stack_get_visible_child (pane->tables) != NULL)
    show_found (pane);
}

static void
on_menu (SondeOperatorsPane *pane, GtkWidget *cell, double x, double y)
{
  graphene_point_t at;

  if (!gtk_widget_compute_point (cell, GTK_WIDGET (pane),
                                 &GRAPHENE_POINT_INIT ((float) x, (float) y), &at))
    return;
  gtk_popover_set_pointing_to (GTK_POPOVER (pane->popover),
                               &(GdkRectangle){ (int) at.x, (int) at.y, 1, 1 });
  gtk_popover_popup (GTK_POPOVER (pane->popover));
}

/* In the graph, where the trace tells the node; else in the timeline. */
static void
on_activated (SondeOperatorsPane *pane)
{
  const SondeProfileOperator *op = get_selected (pane);

  if (op != NULL)
    g_action_group_activate_action (G_ACTION_GROUP (pane->actions),
                                    op->node != NULL ? "graph" : "timeline", NULL);
}

static void
on_span (SondeOperatorsPane *pane, guint span)
{
  sonde_trace_document_show_item (pane->document, span);
}

static void
on_operator_shown (SondeOperatorsPane *pane, guint i)
{
  const SondeProfile *profile = sonde_trace_document_get_profile (pane->document);

  if (i >= profile->operators->len)
    return;
  gtk_stack_set_visible_child (pane->tables, pane->nodes_table);
  gtk_editable_set_text (GTK_EDITABLE (pane->search), "");
  sonde_operator_table_set_filter (SONDE_OPERATOR_TABLE (pane->nodes_table), "");
  sonde_operator_table_select (SONDE_OPERATOR_TABLE (pane->nodes_table),
                               sonde_profile_get_operator (profile, i));
  gtk_widget_grab_focus (sonde_operator_table_get_view (SONDE_OPERATOR_TABLE (pane->nodes_table)));
}

/* ---- actions ------------------------------------------------------------- */

static void
go (SondeOperatorsPane *pane, const char *page)
{
  const SondeProfileOperator *op = get_selected (pane);

  if (op != NULL && op->node != NULL)
    sonde_profiler_go (GTK_WIDGET (pane), page, sonde_profiler_get_original (op));
}

static void
to_graph (GSimpleAction *action, GVariant *parameter, gpointer pane)
{
  go (pane, "graph");
}

static void
to_debugger (GSimpleAction *action, GVariant *parameter, gpointer pane)
{
  go (pane, "debugger");
}

static void
to_timeline (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  SondeOperatorsPane *pane = data;

  if (pane->longest != SONDE_TRACE_NONE)
    on_span (pane, pane->longest);
}

static void
copy_table (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  g_autofree char *text = sonde_operator_table_dup_text (get_table (data), '\t');

  gdk_clipboard_set_text (gtk_widget_get_clipboard (data), text);
}

static void
copy_name (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  const SondeProfileOperator *op = get_selected (data);

  if (op != NULL)
    gdk_clipboard_set_text (gtk_widget_get_clipboard (data), op->node != NULL ? op->node : op->op);
}

static void
on_export_chosen (GtkNativeDialog *dialog, int response, SondeOperatorsPane *pane)
{
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  g_autofree char *path = file != NULL ? g_file_get_path (file) : NULL;
  g_autofree char *text = sonde_operator_table_dup_text (get_table (pane), ',');
  GtkWidget *page = gtk_widget_get_ancestor (GTK_WIDGET (pane), SONDE_TYPE_PAGE);
  g_autoptr (GError) error = NULL;

  if (response == GTK_RESPONSE_ACCEPT && path != NULL && page != NULL
      && !sonde_io_replace_file (NULL, path, text, strlen (text), &error))
    sonde_page_toast (SONDE_PAGE (page), sonde_error_get_text (error));
  g_object_unref (dialog);
}

static void
export_table (GSimpleAction *action, GVariant *parameter, gpointer data)
{
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (
      _ ("Export the Table (.csv)"), GTK_WINDOW (gtk_widget_get_root (data)),
      GTK_FILE_CHOOSER_ACTION_SAVE, _ ("_Export"), NULL);

  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (dialog), "operators.csv");
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_export_chosen), data, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* ---- making -------------------------------------------------------------- */

static void
sonde_operators_pane_dispose (GObject *object)
{
  SondeOperatorsPane *pane = SONDE_OPERATORS_PANE (object);

  pane->newest = NULL;
  g_clear_pointer (&pane->popover, gtk_widget_unparent);
  gtk_widget_dispose_template (GTK_WIDGET (pane), SONDE_TYPE_OPERATORS_PANE);
  pane->calls = NULL;
  g_clear_object (&pane->actions);
  g_clear_object (&pane->document);
  G_OBJECT_CLASS (sonde_operators_pane_parent_class)->dispose (object);
}

static void
sonde_operators_pane_finalize (GObject *object)
{
  g_clear_pointer (&SONDE_OPERATORS_PANE (object)->types, g_array_unref);
  G_OBJECT_CLASS (sonde_operators_pane_parent_class)->finalize (object);
}

static void
sonde_operators_pane_class_init (SondeOperatorsPaneClass *klass)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_operators_pane_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_operators_pane_finalize;
  gtk_widget_class_set_template_from_resource (widget,
                                               "/org/sonde/Sonde/profiler/sonde-operators-pane.ui");
  gtk_widget_class_bind_template_child (widget, SondeOperatorsPane, tables);
  gtk_widget_class_bind_template_child (widget, SondeOperatorsPane, kinds);
  gtk_widget_class_bind_template_child (widget, SondeOperatorsPane, search);
  gtk_widget_class_bind_template_child (widget, SondeOperatorsPane, found);
  gtk_widget_class_bind_template_child (widget, SondeOperatorsPane, details);
  gtk_widget_class_bind_template_child (widget, SondeOperatorsPane, name);
  gtk_widget_class_bind_template_child (widget, SondeOperatorsPane, facts);
  gtk_widget_class_bind_template_child (widget, SondeOperatorsPane, to_graph);
  gtk_widget_class_bind_template_child (widget, SondeOperatorsPane, to_debugger);
  gtk_widget_class_bind_template_child (widget, SondeOperatorsPane, to_timeline);
  gtk_widget_class_bind_template_child (widget, SondeOperatorsPane, calls_place);
  gtk_widget_class_bind_template_child (widget, SondeOperatorsPane, menu);
  gtk_widget_class_bind_template_callback (widget, on_search);
  gtk_widget_class_bind_template_callback (widget, on_table);
}

static void
sonde_operators_pane_init (SondeOperatorsPane *pane)
{
  static const GActionEntry entries[] = {
    { "graph", to_graph },  { "debugger", to_debugger }, { "timeline", to_timeline },
    { "copy", copy_table }, { "copy-name", copy_name },  { "export", export_table },
  };

  pane->longest = SONDE_TRACE_NONE;
  pane->actions = g_simple_action_group_new ();
  g_action_map_add_action_entries (G_ACTION_MAP (pane->actions), entries, G_N_ELEMENTS (entries),
                                   pane);
  gtk_widget_insert_action_group (GTK_WIDGET (pane), "operators", G_ACTION_GROUP (pane->actions));
  gtk_widget_init_template (GTK_WIDGET (pane));
  pane->popover = gtk_popover_menu_new_from_model (pane->menu);
  gtk_popover_set_has_arrow (GTK_POPOVER (pane->popover), FALSE);
  gtk_widget_set_halign (pane->popover, GTK_ALIGN_START);
  gtk_widget_set_parent (pane->popover, GTK_WIDGET (pane));
}

static GtkWidget *
add_table (SondeOperatorsPane *pane, GtkWidget *table, const char *name, const char *title)
{
  g_signal_connect_object (table, "selected", G_CALLBACK (on_selected), pane, G_CONNECT_SWAPPED);
  g_signal_connect_object (table, "activated", G_CALLBACK (on_activated), pane, G_CONNECT_SWAPPED);
  g_signal_connect_object (table, "menu", G_CALLBACK (on_menu), pane, G_CONNECT_SWAPPED);
  g_signal_connect_object (table, "arranged", G_CALLBACK (on_arranged), pane, G_CONNECT_SWAPPED);
  gtk_stack_add_titled (pane->tables, table, name, title);
  return table;
}

GtkWidget *
sonde_operators_pane_new (SondeTraceDocument *document)
{
  SondeOperatorsPane *pane = g_object_new (SONDE_TYPE_OPERATORS_PANE, NULL);
  const SondeProfile *profile = sonde_trace_document_get_profile (document);
  const gboolean has_nodes
      = profile->operators->len > 0 && sonde_profile_get_operator (profile, 0)->node != NULL;

  pane->types = sonde_operator_types_new (profile);
  pane->calls = sonde_call_list_new (document);
  adw_bin_set_child (ADW_BIN (pane->calls_place), pane->calls);
  g_signal_connect_object (pane->calls, "span-activated", G_CALLBACK (on_span), pane,
                           G_CONNECT_SWAPPED);
  pane->nodes_table
      = add_table (pane, sonde_operator_table_new (document, NULL), "nodes", _ ("Nodes"));
  pane->types_table
      = add_table (pane, sonde_operator_table_new (document, pane->types), "types", _ ("Types"));
  pane->document = g_object_ref (document);
  gtk_widget_set_visible (pane->kinds, has_nodes);
  gtk_widget_set_visible (pane->to_graph, has_nodes);
  gtk_widget_set_visible (pane->to_debugger, has_nodes);
  gtk_widget_set_visible (pane->to_timeline, !sonde_profile_is_sampled (profile));
  gtk_widget_set_visible (pane->calls_place, !sonde_profile_is_sampled (profile));
  g_signal_connect_object (document, "operator-shown", G_CALLBACK (on_operator_shown), pane,
                           G_CONNECT_SWAPPED);
  on_table (pane);
  return GTK_WIDGET (pane);
}
