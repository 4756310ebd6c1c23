/* SPDX-License-Identifier: Apache-2.0
 * Sums and searches run in a thread; a newer question ends the older one. */
#include "app/profiler/sonde-timeline-pane.h"

#include "app/profiler/sonde-profiler-links.h"
#include "app/profiler/tables/sonde-span-table.h"
#include "app/profiler/sonde-timeline-menu.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/layout/trace/sonde-span-statistics.h"
#include "viewers/layout/trace/sonde-timeline-axis.h"
#include "viewers/trace/sonde-timeline-view.h"

#define MAX_HITS (1u << 20)

struct _SondeTimelinePane
{
  AdwBin parent_instance;
  SondeTraceDocument *document;
  SondeTimelineView *view;
  GtkWidget *search, *found, *previous, *next, *fold, *place, *facts, *to_graph, *to_debugger,
      *clear, *table;
  struct _Job *sums, *searching; /* the newest ones; lent */
  guint64 n_found;
};

G_DEFINE_FINAL_TYPE (SondeTimelinePane, sonde_timeline_pane, ADW_TYPE_BIN)

/* ---- in a thread --------------------------------------------------------- */

/* @cancelled: atomic */
typedef struct _Job
{
  SondeTraceDocument *document;
  int cancelled;
  gint64 start_ns, end_ns; /* of sums */
  char *text;              /* of a search; NULL: sums are wanted */
  GArray *list;
  guint8 *flags;
  guint64 n_found;
} Job;

static void
free_job (gpointer data)
{
  Job *job = data;

  g_object_unref (job->document);
  g_free (job->text);
  g_clear_pointer (&job->list, g_array_unref);
  g_free (job->flags);
  g_free (job);
}

static void
work (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  const SondeTimelineIndex *index = sonde_trace_document_get_index (job->document);

  if (job->text != NULL)
    job->list = sonde_span_search (index, job->text, MAX_HITS, &job->flags, &job->n_found,
                                   &job->cancelled);
  else
    job->list = sonde_span_statistics_new (index, job->start_ns, job->end_ns, &job->cancelled);
  g_task_return_boolean (task, job->list != NULL);
}

/* @slot: where the newest job of the kind is kept */
static void
start (SondeTimelinePane *pane, Job **slot, Job *job, GAsyncReadyCallback done)
{
  g_autoptr (GTask) task = g_task_new (pane, NULL, done, NULL);

  if (*slot != NULL)
    g_atomic_int_set (&(*slot)->cancelled, 1);
  *slot = job;
  job->document = g_object_ref (pane->document);
  g_task_set_task_data (task, job, free_job);
  sonde_trace_document_hold (pane->document);
  g_task_run_in_thread (task, work);
}

/* The job when it is still the newest of its kind. */
static Job *
finish (GAsyncResult *result, Job **slot)
{
  Job *job = g_task_get_task_data (G_TASK (result));
  gboolean is_newest = *slot == job;

  if (is_newest)
    *slot = NULL;
  sonde_trace_document_release (job->document);
  return is_newest && g_task_propagate_boolean (G_TASK (result), NULL) ? job : NULL;
}

/* ---- sums ---------------------------------------------------------------- */

static void
on_sums (GObject *source, GAsyncResult *result, gpointer data)
{
  SondeTimelinePane *pane = SONDE_TIMELINE_PANE (source);
  Job *job = finish (result, &pane->sums);

  if (job != NULL && pane->table != NULL)
    sonde_span_table_set (SONDE_SPAN_TABLE (pane->table),
                          sonde_trace_document_get_trace (job->document), job->list);
}

static void
sum_up (SondeTimelinePane *pane)
{
  Job *job = g_new0 (Job, 1);

  sonde_trace_document_get_range (pane->document, &job->start_ns, &job->end_ns);
  start (pane, &pane->sums, job, on_sums);
}

/* ---- facts --------------------------------------------------------------- */

/* The selected item, or SONDE_TIMELINE_NONE. */
static guint32
get_selected (SondeTimelinePane *pane)
{
  gint64 id = sonde_view_get_selection (SONDE_VIEW (pane->view));

  return id >= 0 ? (guint32) id : SONDE_TIMELINE_NONE;
}

static char *
describe_item (SondeTimelinePane *pane, guint32 item)
{
  const SondeTimelineIndex *index = sonde_trace_document_get_index (pane->document);
  SondeTimelineItem it = sonde_timeline_index_get_item (index, item);
  g_autofree char *name
      = sonde_text_make_visible (sonde_trace_get_label (index->trace, it.label)->name);
  g_autofree char *lasts = sonde_timeline_dup_time ((double) (it.end_ns - it.start_ns));
  g_autofree char *start = sonde_timeline_dup_time (sonde_timeline_since (index, it.start_ns));
  guint32 track, row;

  if (!sonde_timeline_index_find (index, item, &track, &row))
    return g_strdup_printf (_ ("%s · %s, from %s"), name, lasts, start);
  else
    {
      g_autofree char *where
          = sonde_text_make_visible (g_array_index (index->tracks, SondeTimelineTrack, track).name);

      return g_strdup_printf (_ ("%s · %s, from %s · %s"), name, lasts, start, where);
    }
}

static char *
describe_range (SondeTimelinePane *pane)
{
  const SondeTimelineIndex *index = sonde_trace_document_get_index (pane->document);
  gint64 start_ns, end_ns;
  gboolean has_range = sonde_trace_document_get_range (pane->document, &start_ns, &end_ns);
  g_autofree char *lasts = NULL, *start = NULL;

  if (!has_range)
    {
      lasts = sonde_format_duration ((gint64) MIN (index->length_ns, 9e18));
      return g_strdup_printf (_ ("Whole trace: %s. A drag along the axis selects a range."), lasts);
    }
  lasts = sonde_timeline_dup_time (sonde_timeline_since (index, end_ns)
                                   - sonde_timeline_since (index, start_ns));
  start = sonde_timeline_dup_time (sonde_timeline_since (index, start_ns));
  return g_strdup_printf (_ ("Range of %s, from %s"), lasts, start);
}

static void
show_facts (SondeTimelinePane *pane)
{
  guint32 item = get_selected (pane);
  gint64 start_ns, end_ns;
  g_autofree char *text
      = item != SONDE_TIMELINE_NONE ? describe_item (pane, item) : describe_range (pane);
  const char *node
      = item != SONDE_TIMELINE_NONE ? sonde_profiler_find_node (pane->document, item) : NULL;

  gtk_label_set_text (GTK_LABEL (pane->facts), text);
  gtk_widget_set_tooltip_text (pane->facts, text);
  gtk_widget_set_visible (pane->to_graph, node != NULL);
  gtk_widget_set_visible (pane->to_debugger, node != NULL);
  gtk_widget_set_visible (pane->clear,
                          sonde_trace_document_get_range (pane->document, &start_ns, &end_ns));
}

static void
go_to (SondeTimelinePane *pane, const char *page)
{
  guint32 item = get_selected (pane);
  const char *node
      = item != SONDE_TIMELINE_NONE ? sonde_profiler_find_node (pane->document, item) : NULL;

  if (node != NULL)
    sonde_profiler_go (GTK_WIDGET (pane), page, node);
}

static void
on_to_graph (SondeTimelinePane *pane)
{
  go_to (pane, "graph");
}

static void
on_to_debugger (SondeTimelinePane *pane)
{
  go_to (pane, "debugger");
}

/* ---- the stretch --------------------------------------------------------- */

static void
on_view_range (SondeTimelinePane *pane, gboolean done)
{
  gint64 start_ns, end_ns;

  if (sonde_timeline_view_get_range (pane->view, &start_ns, &end_ns))
    sonde_trace_document_set_range (pane->document, start_ns, end_ns, done);
  else
    sonde_trace_document_clear_range (pane->document);
}

/* By this view or another. */
static void
on_document_range (SondeTimelinePane *pane, gboolean done)
{
  gint64 start_ns, end_ns, shown_start_ns, shown_end_ns;
  gboolean has_range = sonde_trace_document_get_range (pane->document, &start_ns, &end_ns);
  gboolean shown = sonde_timeline_view_get_range (pane->view, &shown_start_ns, &shown_end_ns);

  if (has_range && (!shown || start_ns != shown_start_ns || end_ns != shown_end_ns))
    sonde_timeline_view_set_range (pane->view, start_ns, end_ns);
  else if (!has_range && shown)
    sonde_timeline_view_clear_range (pane->view);
  show_facts (pane);
  if (done)
    sum_up (pane);
}

static void
on_clear (SondeTimelinePane *pane)
{
  sonde_trace_document_clear_range (pane->document);
}

/* ---- search -------------------------------------------------------------- */

static void
show_found (SondeTimelinePane *pane, const guint *place)
{
  g_autofree char *n = sonde_format_count ((gint64) pane->n_found);
  g_autofree char *text = NULL;

  if (*gtk_editable_get_text (GTK_EDITABLE (pane->search)) == '\0')
    text = g_strdup ("");
  else if (place == NULL)
    text = g_strdup_printf (P_ ("%s match", "%s matches", pane->n_found), n);
  else
    {
      g_autofree char *which = sonde_format_count ((gint64) *place + 1);

      text = g_strdup_printf (_ ("%s of %s"), which, n);
    }
  gtk_label_set_text (GTK_LABEL (pane->found), text);
  gtk_widget_set_sensitive (pane->previous, pane->n_found > 0);
  gtk_widget_set_sensitive (pane->next, pane->n_found > 0);
}

static void
on_found (GObject *source, GAsyncResult *result, gpointer data)
{
  SondeTimelinePane *pane = SONDE_TIMELINE_PANE (source);
  Job *job = finish (result, &pane->searching);

  if (job == NULL || pane->search == NULL)
    return;
  pane->n_found = job->n_found;
  if (*job->text == '\0')
    sonde_timeline_view_set_found (pane->view, NULL, NULL);
  else
    sonde_timeline_view_set_found (pane->view, g_steal_pointer (&job->flags),
                                   g_steal_pointer (&job->list));
  show_found (pane, NULL);
}

static void
on_search (SondeTimelinePane *pane)
{
  Job *job = g_new0 (Job, 1);

  job->text = g_strdup (gtk_editable_get_text (GTK_EDITABLE (pane->search)));
  start (pane, &pane->searching, job, on_found);
}

static void
step (SondeTimelinePane *pane, gboolean forward)
{
  guint place;
  guint32 item = sonde_timeline_view_find_next (pane->view, forward, &place);

  if (item == SONDE_TIMELINE_NONE)
    return;
  sonde_timeline_view_reveal (pane->view, item);
  show_found (pane, &place);
}

static void
on_next (SondeTimelinePane *pane)
{
  step (pane, TRUE);
}

static void
on_previous (SondeTimelinePane *pane)
{
  step (pane, FALSE);
}

static void
on_name (SondeTimelinePane *pane, const char *name)
{
  gtk_editable_set_text (GTK_EDITABLE (pane->search), name);
}

/* ---- the rest ------------------------------------------------------------ */

static void
on_fold (SondeTimelinePane *pane)
{
  sonde_timeline_view_fold_all (pane->view,
                                gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (pane->fold)));
}

static void
on_fit (SondeTimelinePane *pane)
{
  sonde_view_zoom_fit (SONDE_VIEW (pane->view));
}

static void
on_item_shown (SondeTimelinePane *pane, guint item)
{
  sonde_timeline_view_reveal (pane->view, item);
  gtk_widget_grab_focus (GTK_WIDGET (pane->view));
}

static void
sonde_timeline_pane_dispose (GObject *object)
{
  SondeTimelinePane *pane = SONDE_TIMELINE_PANE (object);

  if (pane->sums != NULL)
    g_atomic_int_set (&pane->sums->cancelled, 1);
  if (pane->searching != NULL)
    g_atomic_int_set (&pane->searching->cancelled, 1);
  gtk_widget_dispose_template (GTK_WIDGET (pane), SONDE_TYPE_TIMELINE_PANE);
  g_clear_object (&pane->document);
  G_OBJECT_CLASS (sonde_timeline_pane_parent_class)->dispose (object);
}

static void
sonde_timeline_pane_class_init (SondeTimelinePaneClass *klass)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_timeline_pane_dispose;
  g_type_ensure (SONDE_TYPE_SPAN_TABLE);
  gtk_widget_class_set_template_from_resource (widget,
                                               "/org/sonde/Sonde/profiler/sonde-timeline-pane.ui");
  gtk_widget_class_bind_template_child (widget, SondeTimelinePane, search);
  gtk_widget_class_bind_template_child (widget, SondeTimelinePane, found);
  gtk_widget_class_bind_template_child (widget, SondeTimelinePane, previous);
  gtk_widget_class_bind_template_child (widget, SondeTimelinePane, next);
  gtk_widget_class_bind_template_child (widget, SondeTimelinePane, fold);
  gtk_widget_class_bind_template_child (widget, SondeTimelinePane, place);
  gtk_widget_class_bind_template_child (widget, SondeTimelinePane, facts);
  gtk_widget_class_bind_template_child (widget, SondeTimelinePane, to_graph);
  gtk_widget_class_bind_template_child (widget, SondeTimelinePane, to_debugger);
  gtk_widget_class_bind_template_child (widget, SondeTimelinePane, clear);
  gtk_widget_class_bind_template_child (widget, SondeTimelinePane, table);
  gtk_widget_class_bind_template_callback (widget, on_search);
  gtk_widget_class_bind_template_callback (widget, on_next);
  gtk_widget_class_bind_template_callback (widget, on_previous);
  gtk_widget_class_bind_template_callback (widget, on_fold);
  gtk_widget_class_bind_template_callback (widget, on_fit);
  gtk_widget_class_bind_template_callback (widget, on_to_graph);
  gtk_widget_class_bind_template_callback (widget, on_to_debugger);
  gtk_widget_class_bind_template_callback (widget, on_clear);
  gtk_widget_class_bind_template_callback (widget, on_name);
}

static void
sonde_timeline_pane_init (SondeTimelinePane *pane)
{
  gtk_widget_init_template (GTK_WIDGET (pane));
  pane->view = SONDE_TIMELINE_VIEW (sonde_timeline_view_new ());
  sonde_view_set_title (SONDE_VIEW (pane->view), _ ("Timeline"));
  sonde_timeline_menu_add (pane->view);
  adw_bin_set_child (ADW_BIN (pane->place),
                     sonde_trace_view_new_scrolled (SONDE_TRACE_VIEW (pane->view)));
  gtk_search_entry_set_key_capture_widget (GTK_SEARCH_ENTRY (pane->search), NULL);
}

GtkWidget *
sonde_timeline_pane_new (SondeTraceDocument *document)
{
  SondeTimelinePane *pane = g_object_new (SONDE_TYPE_TIMELINE_PANE, NULL);

  pane->document = g_object_ref (document);
  sonde_timeline_view_set_index (pane->view, sonde_trace_document_get_index (document),
                                 G_OBJECT (document));
  g_signal_connect_object (pane->view, "range-changed", G_CALLBACK (on_view_range), pane,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (pane->view, "notify::selection", G_CALLBACK (show_facts), pane,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "range-changed", G_CALLBACK (on_document_range), pane,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "item-shown", G_CALLBACK (on_item_shown), pane,
                           G_CONNECT_SWAPPED);
  show_facts (pane);
  sum_up (pane);
  return GTK_WIDGET (pane);
}
