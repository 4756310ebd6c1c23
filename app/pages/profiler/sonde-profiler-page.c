/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/profiler/sonde-profiler-page.h"

#include "app/profiler/sonde-profiler-views.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "data/profiles/sonde-recorded-profile.h"

#define ICON "sonde-profiler-symbolic"

struct _SondeProfilerPage
{
  SondePage parent_instance;
  GtkStack *states, *views;
  GtkLabel *title, *losses;
  GtkProgressBar *progress;
  GtkWidget *loading, *switcher, *losses_button;
  GtkDropTarget *drop;
  SondeTraceDocument *document; /* (nullable) */
  char *wanted;                 /* (nullable): view to be shown once there are views */
  char *at;                     /* (nullable): name of a span or an operator to be shown */
  gboolean follows_run;         /* no trace was opened: it shows what the run recorded */
  guint tick;
  gboolean filling;
};

G_DEFINE_FINAL_TYPE (SondeProfilerPage, sonde_profiler_page, SONDE_TYPE_PAGE)

/* ---- views --------------------------------------------------------------- */

/* Each view is made when it is first shown, into the bin that stands in its place. */
static void
fill_view (SondeProfilerPage *page)
{
  GtkWidget *bin = gtk_stack_get_visible_child (page->views);
  const char *name = gtk_stack_get_visible_child_name (page->views);
  const SondeProfilerView *view = sonde_profiler_view_find (name);

  if (bin != NULL && view != NULL && adw_bin_get_child (ADW_BIN (bin)) == NULL)
    adw_bin_set_child (ADW_BIN (bin), view->make (page->document));
}

static void
on_view_chosen (SondeProfilerPage *page)
{
  const char *name = gtk_stack_get_visible_child_name (page->views);

  if (page->filling || name == NULL)
    return;
  fill_view (page);
}

static void
show_view (SondeProfilerPage *page, const char *name)
{
  if (name != NULL && gtk_stack_get_child_by_name (page->views, name) != NULL)
    gtk_stack_set_visible_child_name (page->views, name);
}

static void
remove_views (SondeProfilerPage *page)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (page->views))) != NULL)
    gtk_stack_remove (page->views, child);
}

static void
add_views (SondeProfilerPage *page)
{
  page->filling = TRUE;
  remove_views (page);
  for (const SondeProfilerView *view = sonde_profiler_views; view->name != NULL; view++)
    if (view->has_something == NULL || view->has_something (page->document))
      gtk_stack_add_titled (page->views, adw_bin_new (), view->name, _ (view->title));
  show_view (page, page->wanted);
  page->filling = FALSE;
  fill_view (page);
}

/* ---- the document -------------------------------------------------------- */

static void
show_status (SondeProfilerPage *page)
{
  const SondeTrace *trace = sonde_trace_document_get_trace (page->document);
  g_autofree char *spans = NULL, *lasts = NULL, *samples = NULL, *text = NULL;

  if (trace->weight > 0)
    {
      samples = sonde_format_count ((gint64) MIN (trace->weight, G_MAXINT64));
      text = g_strdup_printf (P_ ("%s sample", "%s samples", trace->weight), samples);
    }
  else
    {
      spans = sonde_format_count ((gint64) trace->n_spans);
      lasts = sonde_format_duration (
          (gint64) MIN (sonde_trace_document_get_index (page->document)->length_ns, 9e18));
      text = g_strdup_printf (P_ ("%s span in %s", "%s spans in %s", trace->n_spans), spans, lasts);
    }
  sonde_page_set_status (SONDE_PAGE (page), text);
}

/* In the table where that is looked at, else in the timeline, else where there is one of the name. */
static void
show_wanted (SondeProfilerPage *page)
{
  g_autofree char *at = g_steal_pointer (&page->at), *text = NULL;
  guint operator;

  if (at == NULL)
    return;
  operator= sonde_trace_document_find_operator_or_type (page->document, at);
  if (operator!= SONDE_TRACE_DOCUMENT_NONE && g_strcmp0 (
          gtk_stack_get_visible_child_name (page->views), "operators")
      == 0)
    sonde_trace_document_show_operator (page->document, operator);
  else if (!sonde_trace_document_show_name (page->document, at))
    {
      text = g_strdup_printf (_ ("The trace has no span “%s”."), at);
      sonde_page_toast (SONDE_PAGE (page), text);
    }
}

static void
show_document (SondeProfilerPage *page)
{
  const char *path = sonde_trace_document_get_path (page->document);
  g_autofree char *name = g_path_get_basename (path);
  g_autofree char *shown = g_filename_display_name (name);
  g_autofree char *losses = sonde_trace_document_dup_losses (page->document);

  gtk_label_set_text (page->title, shown);
  gtk_widget_set_tooltip_text (GTK_WIDGET (page->title), path);
  gtk_widget_set_visible (page->losses_button, losses != NULL);
  gtk_label_set_text (page->losses, losses != NULL ? losses : "");
  add_views (page);
  gtk_stack_set_visible_child_name (page->states, "views");
  show_status (page);
  show_wanted (page);
}

static void
stop_progress (SondeProfilerPage *page)
{
  if (page->tick != 0)
    {
      g_source_remove (page->tick);
      page->tick = 0;
      sonde_page_release (SONDE_PAGE (page));
    }
}

static gboolean
on_tick (gpointer data)
{
  SondeProfilerPage *page = data;
  double done = sonde_trace_document_get_progress (page->document);

  if (done < 1)
    gtk_progress_bar_set_fraction (page->progress, done);
  else
    gtk_progress_bar_pulse (page->progress);
  return G_SOURCE_CONTINUE;
}

static void
on_state (SondeProfilerPage *page)
{
  SondeTraceDocumentState state = sonde_trace_document_get_state (page->document);

  if (state == SONDE_TRACE_DOCUMENT_LOADING)
    return;
  if (state == SONDE_TRACE_DOCUMENT_READY)
    {
      show_document (page);
      sonde_workspace_set_profile (sonde_page_get_workspace (SONDE_PAGE (page)), page->document);
    }
  else if (state == SONDE_TRACE_DOCUMENT_FAILED)
    sonde_page_set_empty (SONDE_PAGE (page), ICON, _ ("Cannot Read the Trace"),
                          sonde_trace_document_get_error (page->document), _ ("Open Another File…"),
                          "win.open-file");
  else
    sonde_page_set_empty (SONDE_PAGE (page), ICON, _ ("Not Read"),
                          _ ("Reading the trace was cancelled."), _ ("Open Another File…"),
                          "win.open-file");
  stop_progress (page);
}

static void
on_view_wanted (SondeProfilerPage *page, const char *name)
{
  show_view (page, name);
}

static void
on_busy (SondeProfilerPage *page)
{
  sonde_page_settled_changed (SONDE_PAGE (page));
}

static void
close_document (SondeProfilerPage *page)
{
  if (page->document == NULL)
    return;
  g_signal_handlers_disconnect_by_data (page->document, page);
  sonde_trace_document_cancel (page->document);
  stop_progress (page);
  page->filling = TRUE;
  remove_views (page);
  page->filling = FALSE;
  sonde_workspace_set_profile (sonde_page_get_workspace (SONDE_PAGE (page)), NULL);
  g_clear_object (&page->document);
}

static void
open_document (SondeProfilerPage *page, const char *path)
{
  close_document (page);
  page->document = sonde_trace_document_new (path);
  g_signal_connect_object (page->document, "view-wanted", G_CALLBACK (on_view_wanted), page,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (page->document, "state-changed", G_CALLBACK (on_state), page,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (page->document, "busy-changed", G_CALLBACK (on_busy), page,
                           G_CONNECT_SWAPPED);
  gtk_stack_set_visible_child_name (page->states, "loading");
  adw_status_page_set_description (ADW_STATUS_PAGE (page->loading), NULL);
  sonde_page_set_filled (SONDE_PAGE (page));
  sonde_page_hold (SONDE_PAGE (page));
  page->tick = g_timeout_add (100, on_tick, page);
}

/* The first of the files that are dropped on the page. */
static gboolean
on_drop (GtkDropTarget *target, const GValue *value, double x, double y, SondeProfilerPage *page)
{
  GSList *files = g_value_get_boxed (value);
  g_autofree char *path = files != NULL ? g_file_get_path (files->data) : NULL;

  if (path == NULL)
    return FALSE;
  page->follows_run = FALSE;
  open_document (page, path);
  return TRUE;
}

static void
on_cancel (SondeProfilerPage *page)
{
  if (page->document != NULL)
    sonde_trace_document_cancel (page->document);
}

/* ---- the run ------------------------------------------------------------- */

static gboolean
has_profile (SondeRun *run)
{
  GPtrArray *tags = run != NULL ? sonde_run_get_tags (run) : NULL;

  for (guint i = 0; tags != NULL && i < tags->len; i++)
    {
      const SondeRunTag *tag = g_ptr_array_index (tags, i);

      if (tag->kind == SONDE_RECORD_SPAN && g_str_equal (tag->tag, SONDE_RECORDED_PROFILE_TAG))
        return TRUE;
    }
  return FALSE;
}

static void
show_nothing (SondeProfilerPage *page)
{
  static const SondeRecordKind span = SONDE_RECORD_SPAN;

  close_document (page);
  sonde_page_set_status (SONDE_PAGE (page), NULL);
  sonde_page_set_empty_of_run (
      SONDE_PAGE (page), &span, 1, ICON, _ ("No Trace"),
      _ ("Open a trace of PyTorch, ONNX Runtime, MindSpore, TensorFlow, Perfetto, perf or another "
         "profiler, or a run that was trained with --profile, to see where the time goes."),
      _ ("Open a Trace…"), "win.open-file");
}

/* The last recording of the chosen run, unless a trace was opened. */
static void
follow_run (SondeProfilerPage *page)
{
  SondeRun *run = sonde_workspace_get_run (sonde_page_get_workspace (SONDE_PAGE (page)));

  if (!page->follows_run || !sonde_page_is_opened (SONDE_PAGE (page)))
    return;
  if (!has_profile (run))
    show_nothing (page);
  else if (page->document == NULL
           || !g_str_equal (sonde_trace_document_get_path (page->document),
                            sonde_run_get_path (run)))
    open_document (page, sonde_run_get_path (run));
}

/* ---- page ---------------------------------------------------------------- */

static void
sonde_profiler_page_set_up (SondePage *base)
{
  SondeWorkspace *workspace = sonde_page_get_workspace (base);

  g_signal_connect_object (workspace, "changed", G_CALLBACK (follow_run), base, G_CONNECT_SWAPPED);
  g_signal_connect_object (workspace, "notify::run", G_CALLBACK (follow_run), base,
                           G_CONNECT_SWAPPED);
}

static void
sonde_profiler_page_opened (SondePage *base)
{
  SondeProfilerPage *page = SONDE_PROFILER_PAGE (base);
  const char *trace = sonde_workspace_get_trace (sonde_page_get_workspace (base));

  if (page->document == NULL && trace != NULL)
    open_document (page, trace);
  else if (page->document == NULL)
    page->follows_run = TRUE;
  follow_run (page);
}

static void
sonde_profiler_page_show (SondePage *base, const SondePageRequest *request)
{
  SondeProfilerPage *page = SONDE_PROFILER_PAGE (base);

  if (request->view != NULL)
    {
      g_free (page->wanted);
      page->wanted = g_strdup (request->view);
      show_view (page, request->view);
    }
  if (request->at == NULL)
    return;
  g_free (page->at);
  page->at = g_strdup (request->at);
  if (page->document != NULL
      && sonde_trace_document_get_state (page->document) == SONDE_TRACE_DOCUMENT_READY)
    show_wanted (page);
}

static gboolean
sonde_profiler_page_is_settled (SondePage *base)
{
  SondeProfilerPage *page = SONDE_PROFILER_PAGE (base);

  return page->document == NULL
         || (sonde_trace_document_get_state (page->document) != SONDE_TRACE_DOCUMENT_LOADING
             && !sonde_trace_document_is_busy (page->document));
}

static void
sonde_profiler_page_dispose (GObject *object)
{
  SondeProfilerPage *page = SONDE_PROFILER_PAGE (object);

  g_clear_handle_id (&page->tick, g_source_remove);
  if (page->document != NULL)
    sonde_trace_document_cancel (page->document);
  gtk_widget_dispose_template (GTK_WIDGET (page), SONDE_TYPE_PROFILER_PAGE);
  g_clear_object (&page->document);
  G_OBJECT_CLASS (sonde_profiler_page_parent_class)->dispose (object);
}

static void
sonde_profiler_page_finalize (GObject *object)
{
  g_free (SONDE_PROFILER_PAGE (object)->wanted);
  g_free (SONDE_PROFILER_PAGE (object)->at);
  G_OBJECT_CLASS (sonde_profiler_page_parent_class)->finalize (object);
}

static void
sonde_profiler_page_class_init (SondeProfilerPageClass *klass)
{
  GtkWidgetClass *widget = GTK_WIDGET_CLASS (klass);
  SondePageClass *page_class = SONDE_PAGE_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = sonde_profiler_page_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_profiler_page_finalize;
  page_class->set_up = sonde_profiler_page_set_up;
  page_class->opened = sonde_profiler_page_opened;
  page_class->show = sonde_profiler_page_show;
  page_class->is_settled = sonde_profiler_page_is_settled;
  gtk_widget_class_set_template_from_resource (
      widget, "/org/sonde/Sonde/pages/profiler/sonde-profiler-page.ui");
  gtk_widget_class_bind_template_child (widget, SondeProfilerPage, states);
  gtk_widget_class_bind_template_child (widget, SondeProfilerPage, views);
  gtk_widget_class_bind_template_child (widget, SondeProfilerPage, title);
  gtk_widget_class_bind_template_child (widget, SondeProfilerPage, losses);
  gtk_widget_class_bind_template_child (widget, SondeProfilerPage, progress);
  gtk_widget_class_bind_template_child (widget, SondeProfilerPage, loading);
  gtk_widget_class_bind_template_child (widget, SondeProfilerPage, switcher);
  gtk_widget_class_bind_template_child (widget, SondeProfilerPage, losses_button);
  gtk_widget_class_bind_template_child (widget, SondeProfilerPage, drop);
  gtk_widget_class_bind_template_callback (widget, on_drop);
  gtk_widget_class_bind_template_callback (widget, on_cancel);
  gtk_widget_class_bind_template_callback (widget, on_view_chosen);
}

static void
sonde_profiler_page_init (SondeProfilerPage *page)
{
  GType files[] = { GDK_TYPE_FILE_LIST };

  gtk_widget_init_template (GTK_WIDGET (page));
  gtk_drop_target_set_gtypes (page->drop, files, G_N_ELEMENTS (files));
}
