/* SPDX-License-Identifier: Apache-2.0 */
#include "app/profiler/sonde-flame-pane.h"

#include "app/profiler/sonde-flame-kinds.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/trace/sonde-flame-view.h"

struct _SondeFlamePane
{
  AdwBin parent_instance;
  SondeTraceDocument *document;
  SondeFlameView *view;
  GtkWidget *search, *by_thread, *steps_apart, *place, *facts, *path;
  struct _Growth *newest; /* lent */
};

G_DEFINE_FINAL_TYPE (SondeFlamePane, sonde_flame_pane, ADW_TYPE_BIN)

/* ---- in a thread --------------------------------------------------------- */

/* @cancelled: atomic */
typedef struct _Growth
{
  SondeTraceDocument *document;
  int cancelled;
  gboolean by_thread, steps_apart;
  gint64 start_ns, end_ns;
  SondeFlameTree *tree;
} Growth;

static void
free_growth (gpointer data)
{
  Growth *growth = data;

  g_object_unref (growth->document);
  sonde_flame_tree_free (growth->tree);
  g_free (growth);
}

static void
work (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Growth *growth = data;
  const SondeTrace *trace = sonde_trace_document_get_trace (growth->document);
  g_autofree guint8 *kinds = growth->steps_apart ? NULL : sonde_profiler_make_flame_kinds (trace);

  growth->tree = trace->stacks->len > 0
                     ? sonde_flame_tree_new_from_samples (trace)
                     : sonde_flame_tree_new_of_kinds (
                         sonde_trace_document_get_index (growth->document), growth->start_ns,
                         growth->end_ns, growth->by_thread, kinds, &growth->cancelled);
  g_task_return_boolean (task, growth->tree != NULL);
}

/* What called it, outermost first, where the whole of it does not stand in the graph. */
static void
show_path (SondeFlamePane *pane, guint32 node)
{
  g_autofree char *path = sonde_flame_view_dup_path (pane->view, node, " › ");
  g_autofree char *visible = sonde_text_make_visible (path);

  gtk_label_set_text (GTK_LABEL (pane->path), visible);
  gtk_widget_set_tooltip_text (pane->path, visible);
}

static void
show_facts (SondeFlamePane *pane)
{
  const SondeFlameTree *tree = sonde_flame_view_get_tree (pane->view);
  gint64 selected = sonde_view_get_selection (SONDE_VIEW (pane->view)), start_ns, end_ns;
  g_autofree char *text = NULL;

  if (tree == NULL)
    return;
  text = sonde_flame_view_dup_sentence (pane->view, (guint32) MAX (selected, 0));
  show_path (pane, (guint32) MAX (selected, 0));
  if (sonde_trace_document_get_range (pane->document, &start_ns, &end_ns) && selected <= 0)
    {
      g_autofree char *whole = g_steal_pointer (&text);

      text = g_strdup_printf (_ ("Selected range: %s"), whole);
    }
  gtk_label_set_text (GTK_LABEL (pane->facts), text);
}

static void
on_grown (GObject *source, GAsyncResult *result, gpointer data)
{
  SondeFlamePane *pane = SONDE_FLAME_PANE (source);
  Growth *growth = g_task_get_task_data (G_TASK (result));
  gboolean is_newest = pane->newest == growth;

  if (is_newest)
    pane->newest = NULL;
  if (is_newest && pane->facts != NULL && g_task_propagate_boolean (G_TASK (result), NULL))
    {
      sonde_flame_view_set_tree (pane->view, g_steal_pointer (&growth->tree),
                                 G_OBJECT (growth->document));
      show_facts (pane);
    }
  sonde_trace_document_release (growth->document);
}

static void
grow (SondeFlamePane *pane)
{
  g_autoptr (GTask) task = g_task_new (pane, NULL, on_grown, NULL);
  Growth *growth = g_new0 (Growth, 1);

  if (pane->newest != NULL)
    g_atomic_int_set (&pane->newest->cancelled, 1);
  pane->newest = growth;
  growth->document = g_object_ref (pane->document);
  growth->steps_apart = gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (pane->steps_apart));
  growth->by_thread = gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (pane->by_thread));
  sonde_trace_document_get_range (pane->document, &growth->start_ns, &growth->end_ns);
  g_task_set_task_data (task, growth, free_growth);
  sonde_trace_document_hold (pane->document);
  g_task_run_in_thread (task, work);
}

/* ---- hands --------------------------------------------------------------- */

static void
on_range (SondeFlamePane *pane, gboolean done)
{
  if (done && sonde_trace_document_get_trace (pane->document)->stacks->len == 0)
    grow (pane);
}

static void
on_search (SondeFlamePane *pane)
{
  sonde_flame_view_set_search (pane->view, gtk_editable_get_text (GTK_EDITABLE (pane->search)));
}

static void
on_fit (SondeFlamePane *pane)
{
  sonde_view_zoom_fit (SONDE_VIEW (pane->view));
}

static void
sonde_flame_pane_dispose (GObject *object)
{
  SondeFlamePane *pane = SONDE_FLAME_PANE (object);

  if (pane->newest != NULL)
    g_atomic_int_set (&pane->newest->cancelled, 1);
  gtk_widget_dispose_template (GTK_WIDGET (pane), SONDE_TYPE_FLAME_PANE);
  g_clear_object (&pane->document);
  G_OBJECT_CLASS (sonde_flame_pane_parent_class)->dispose (object);
}

static void
sonde_flame_pane_class_init (SondeFlamePaneClass *klass)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_flame_pane_dispose;
  gtk_widget_class_set_template_from_resource (widget,
                                               "/org/sonde/Sonde/profiler/sonde-flame-pane.ui");
  gtk_widget_class_bind_template_child (widget, SondeFlamePane, search);
  gtk_widget_class_bind_template_child (widget, SondeFlamePane, by_thread);
  gtk_widget_class_bind_template_child (widget, SondeFlamePane, steps_apart);
  gtk_widget_class_bind_template_child (widget, SondeFlamePane, place);
  gtk_widget_class_bind_template_child (widget, SondeFlamePane, facts);
  gtk_widget_class_bind_template_child (widget, SondeFlamePane, path);
  gtk_widget_class_bind_template_callback (widget, on_search);
  gtk_widget_class_bind_template_callback (widget, on_fit);
  gtk_widget_class_bind_template_callback (widget, grow);
}

static void
sonde_flame_pane_init (SondeFlamePane *pane)
{
  gtk_widget_init_template (GTK_WIDGET (pane));
  pane->view = SONDE_FLAME_VIEW (sonde_flame_view_new ());
  sonde_view_set_title (SONDE_VIEW (pane->view), _ ("Flame graph"));
  adw_bin_set_child (ADW_BIN (pane->place),
                     sonde_trace_view_new_scrolled (SONDE_TRACE_VIEW (pane->view)));
}

GtkWidget *
sonde_flame_pane_new (SondeTraceDocument *document)
{
  SondeFlamePane *pane = g_object_new (SONDE_TYPE_FLAME_PANE, NULL);
  const SondeTrace *trace = sonde_trace_document_get_trace (document);

  pane->document = g_object_ref (document);
  gtk_widget_set_visible (pane->by_thread,
                          trace->stacks->len == 0 && trace->n_threads_with_spans > 1);
  gtk_widget_set_visible (pane->steps_apart,
                          sonde_trace_document_get_profile (document)->n_steps > 1);
  g_signal_connect_object (document, "range-changed", G_CALLBACK (on_range), pane,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (pane->view, "notify::selection", G_CALLBACK (show_facts), pane,
                           G_CONNECT_SWAPPED);
  grow (pane);
  return GTK_WIDGET (pane);
}
