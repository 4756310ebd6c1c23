/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/profiler/sonde-profiler-page-private.h"

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

#define ICON "sonde-profiler-symbolic"

G_DEFINE_FINAL_TYPE (SondeProfilerPage, sonde_profiler_page, SONDE_TYPE_PAGE)

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

static void update (SondeProfilerPage *page);

static void
show_document (SondeProfilerPage *page)
{
  g_autofree char *losses = sonde_trace_document_dup_losses (page->document);

  gtk_widget_set_visible (page->losses_button, losses != NULL);
  gtk_label_set_text (page->losses, losses != NULL ? losses : "");
  sonde_profiler_page_show_recordings (page);
  sonde_profiler_page_add_views (page);
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
    sonde_page_set_empty (SONDE_PAGE (page), ICON, _ ("Cannot Read the Profile"),
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
  sonde_profiler_page_show_view (page, name);
}

static void
on_busy (SondeProfilerPage *page)
{
  sonde_page_settled_changed (SONDE_PAGE (page));
}

static void
forget_document (SondeProfilerPage *page)
{
  if (page->document == NULL)
    return;
  g_signal_handlers_disconnect_by_data (page->document, page);
  stop_progress (page);
  page->filling = TRUE;
  sonde_profiler_page_remove_views (page);
  page->filling = FALSE;
  sonde_workspace_set_profile (sonde_page_get_workspace (SONDE_PAGE (page)), NULL);
  g_clear_object (&page->document);
}

static void
take_document (SondeProfilerPage *page, SondeTraceDocument *document)
{
  page->document = g_object_ref (document);
  g_signal_connect_object (document, "view-wanted", G_CALLBACK (on_view_wanted), page,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "state-changed", G_CALLBACK (on_state), page,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (document, "busy-changed", G_CALLBACK (on_busy), page, G_CONNECT_SWAPPED);
  sonde_profiler_page_show_choice (page);
  sonde_page_set_filled (SONDE_PAGE (page));
  gtk_stack_set_visible_child_name (page->states, "loading");
  if (sonde_trace_document_get_state (document) == SONDE_TRACE_DOCUMENT_LOADING)
    {
      sonde_page_hold (SONDE_PAGE (page));
      page->tick = g_timeout_add (100, on_tick, page);
    }
  on_state (page);
}

/* Nothing is there, and something can be recorded. */
static gboolean
show_offer (SondeProfilerPage *page)
{
  static const SondeRecordKind kinds[] = { SONDE_RECORD_SPAN };
  SondeWorkspace *workspace = sonde_page_get_workspace (SONDE_PAGE (page));
  g_autoptr (SondeRun) other
      = sonde_workspace_dup_run_with (workspace, kinds, G_N_ELEMENTS (kinds));

  if (other != NULL || !sonde_record_panel_has_something (workspace))
    return FALSE;
  sonde_page_set_filled (SONDE_PAGE (page));
  gtk_stack_set_visible_child_name (page->states, "offer");
  sonde_page_set_status (SONDE_PAGE (page), NULL);
  return TRUE;
}

/* A session came or went. */
static void
on_recorder_changed (SondeProfilerPage *page)
{
  gboolean offered = g_strcmp0 (gtk_stack_get_visible_child_name (page->states), "offer") == 0;
  gboolean has_something
      = sonde_record_panel_has_something (sonde_page_get_workspace (SONDE_PAGE (page)));

  if (page->document == NULL && offered != has_something)
    update (page);
}

static void
show_nothing (SondeProfilerPage *page)
{
  static const SondeRecordKind kinds[] = { SONDE_RECORD_SPAN };
  SondePage *base = SONDE_PAGE (page);
  SondeRun *run = sonde_workspace_get_run (sonde_page_get_workspace (base));

  if (show_offer (page))
    return;
  gtk_stack_set_visible_child_name (page->states, "loading");
  if (run == NULL)
    sonde_page_set_empty (base, ICON, _ ("No Profile"),
                          _ ("Open a run with a profile, or a trace of PyTorch, ONNX Runtime, "
                             "MindSpore, TensorFlow, Perfetto, perf or another profiler to see "
                             "where the time goes."),
                          _ ("Open a Trace…"), "win.open-file");
  else
    sonde_page_set_empty_of_run (base, kinds, G_N_ELEMENTS (kinds), ICON, _ ("No Profile"),
                                 sonde_run_is_live (run)
                                     ? _ ("This run holds no profile yet. One that is recorded "
                                          "appears here when it is complete.")
                                     : _ ("This run holds no profile. Train with --profile, or "
                                          "record one in the debugger."),
                                 _ ("Open a Trace…"), "win.open-file");
  sonde_page_set_status (base, NULL);
}

/* What the sources have open is what the page shows. */
static void
update (SondeProfilerPage *page)
{
  SondeTraceDocument *document;

  if (!sonde_page_is_opened (SONDE_PAGE (page)))
    return;
  document = sonde_profile_sources_get_document (sonde_profiler_page_get_sources (page));
  if (document == page->document && document != NULL)
    return;
  forget_document (page);
  if (document != NULL)
    take_document (page, document);
  else
    show_nothing (page);
}

/* A trace, or the profile of the selected run; where that has none, show_nothing() knows of others. */
static void
open_something (SondeProfilerPage *page)
{
  SondeProfileSources *sources = sonde_profiler_page_get_sources (page);
  SondeRun *run = sonde_workspace_get_run (sonde_page_get_workspace (SONDE_PAGE (page)));

  if (run == NULL || sonde_profile_sources_is_recorded (run)
      || (sonde_profile_sources_get_n (sources) > 0
          && sonde_profile_sources_get (sources, 0)->run == NULL))
    sonde_profile_sources_open_any (sources, run);
}

/* Runs and traces came or went. */
static void
on_sources_changed (SondeProfilerPage *page)
{
  if (!sonde_page_is_opened (SONDE_PAGE (page)))
    return;
  if (page->document == NULL)
    open_something (page);
  if (page->document != NULL)
    sonde_profiler_page_show_choice (page);
  else
    update (page);
}

/* Another run in the sidebar: its profile, unless a trace is looked at. */
static void
on_run (SondeProfilerPage *page)
{
  SondeProfileSources *sources = sonde_profiler_page_get_sources (page);
  SondeRun *run = sonde_workspace_get_run (sonde_page_get_workspace (SONDE_PAGE (page)));
  const char *path = page->document != NULL ? sonde_trace_document_get_path (page->document) : NULL;
  int open = path != NULL ? sonde_profile_sources_find (sources, path) : -1;

  if (!sonde_page_is_opened (SONDE_PAGE (page)) || run == NULL
      || (open >= 0 && sonde_profile_sources_get (sources, (guint) open)->run == NULL)
      || g_strcmp0 (path, sonde_run_get_path (run)) == 0)
    return;
  sonde_profile_sources_open (
      sources, sonde_profile_sources_is_recorded (run) ? sonde_run_get_path (run) : NULL, 0);
  update (page);
}

/* The first of the files or folders that are dropped on the page. */
static gboolean
on_drop (GtkDropTarget *target, const GValue *value, double x, double y, SondeProfilerPage *page)
{
  GSList *files = g_value_get_boxed (value);
  g_autofree char *path = files != NULL ? g_file_get_path (files->data) : NULL;

  if (path == NULL)
    return FALSE;
  sonde_profile_sources_open (sonde_profiler_page_get_sources (page), path, 0);
  return TRUE;
}

static void
on_cancel (SondeProfilerPage *page)
{
  if (page->document != NULL)
    sonde_trace_document_cancel (page->document);
}

/* ---- page ---------------------------------------------------------------- */

static void
sonde_profiler_page_set_up (SondePage *base)
{
  SondeProfilerPage *page = SONDE_PROFILER_PAGE (base);
  SondeProfileSources *sources = sonde_profiler_page_get_sources (page);
  SondeWorkspace *workspace = sonde_page_get_workspace (base);

  sonde_record_button_set_workspace (page->recorder, workspace);
  sonde_record_panel_set_workspace (page->offer, workspace);
  g_signal_connect_object (sonde_workspace_get_recorder (workspace), "changed",
                           G_CALLBACK (on_recorder_changed), page, G_CONNECT_SWAPPED);
  g_signal_connect_object (sources, "changed", G_CALLBACK (on_sources_changed), page,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (sources, "document-changed", G_CALLBACK (update), page,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (sonde_page_get_workspace (base), "notify::run", G_CALLBACK (on_run),
                           page, G_CONNECT_SWAPPED);
}

static void
sonde_profiler_page_opened (SondePage *base)
{
  SondeProfilerPage *page = SONDE_PROFILER_PAGE (base);

  open_something (page);
  update (page);
}

static void
sonde_profiler_page_show (SondePage *base, const SondePageRequest *request)
{
  SondeProfilerPage *page = SONDE_PROFILER_PAGE (base);

  if (request->view != NULL)
    {
      g_free (page->wanted);
      page->wanted = g_strdup (request->view);
      sonde_profiler_page_show_view (page, request->view);
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
  page->filling = TRUE;
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
  g_type_ensure (SONDE_TYPE_RECORD_BUTTON);
  g_type_ensure (SONDE_TYPE_RECORD_PANEL);
  gtk_widget_class_set_template_from_resource (
      widget, "/org/sonde/Sonde/pages/profiler/sonde-profiler-page.ui");
  gtk_widget_class_bind_template_child (widget, SondeProfilerPage, states);
  gtk_widget_class_bind_template_child (widget, SondeProfilerPage, views);
  gtk_widget_class_bind_template_child (widget, SondeProfilerPage, choice);
  gtk_widget_class_bind_template_child (widget, SondeProfilerPage, titles);
  gtk_widget_class_bind_template_child (widget, SondeProfilerPage, recordings);
  gtk_widget_class_bind_template_child (widget, SondeProfilerPage, recording_titles);
  gtk_widget_class_bind_template_child (widget, SondeProfilerPage, title);
  gtk_widget_class_bind_template_child (widget, SondeProfilerPage, losses);
  gtk_widget_class_bind_template_child (widget, SondeProfilerPage, progress);
  gtk_widget_class_bind_template_child (widget, SondeProfilerPage, loading);
  gtk_widget_class_bind_template_child (widget, SondeProfilerPage, switcher);
  gtk_widget_class_bind_template_child (widget, SondeProfilerPage, losses_button);
  gtk_widget_class_bind_template_child (widget, SondeProfilerPage, drop);
  gtk_widget_class_bind_template_child (widget, SondeProfilerPage, recorder);
  gtk_widget_class_bind_template_child (widget, SondeProfilerPage, offer);
  gtk_widget_class_bind_template_callback (widget, on_drop);
  gtk_widget_class_bind_template_callback (widget, on_cancel);
  gtk_widget_class_bind_template_callback_full (widget, "on_view_chosen",
                                                G_CALLBACK (sonde_profiler_page_view_chosen));
  gtk_widget_class_bind_template_callback_full (widget, "on_source_chosen",
                                                G_CALLBACK (sonde_profiler_page_source_chosen));
  gtk_widget_class_bind_template_callback_full (widget, "on_recording_chosen",
                                                G_CALLBACK (sonde_profiler_page_recording_chosen));
}

static void
sonde_profiler_page_init (SondeProfilerPage *page)
{
  GType files[] = { GDK_TYPE_FILE_LIST };

  gtk_widget_init_template (GTK_WIDGET (page));
  gtk_drop_target_set_gtypes (page->drop, files, G_N_ELEMENTS (files));
}
