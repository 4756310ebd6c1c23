/* SPDX-License-Identifier: Apache-2.0 */
#include "app/pages/profiler/sonde-profiler-page.h"

#include "app/profiler/sonde-profiler-views.h"
#include "app/widgets/sonde-record-panel.h"
#include "app/workspace/sonde-profile-sources.h"
#include "app/workspace/sonde-recording-title.h"
#include "data/base/sonde-clock.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

#define ICON "sonde-profiler-symbolic"

struct _SondeProfilerPage
{
  SondePage parent_instance;
  GtkStack *states, *views;
  GtkDropDown *choice; /* of the sources */
  GtkStringList *titles;
  GtkDropDown *recordings; /* of the run, the newest first */
  GtkStringList *recording_titles;
  GtkLabel *title, *losses;
  GtkProgressBar *progress;
  GtkWidget *loading, *switcher, *losses_button;
  GtkDropTarget *drop;
  SondeRecordButton *recorder;
  SondeRecordPanel *offer;
  SondeTraceDocument *document; /* (nullable): that of the sources, while it is shown */
  char *wanted;                 /* (nullable): view to be shown once there are views */
  char *at;                     /* (nullable): name of a span or an operator to be shown */
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

static void update (SondeProfilerPage *page);

/* A choice only where the run has several. */
static void
show_recordings (SondeProfilerPage *page)
{
  const SondeRecordingList *list = sonde_trace_document_get_recordings (page->document);
  guint64 open = sonde_trace_document_get_recording (page->document);
  guint n = sonde_recording_list_get_n (list), selected = GTK_INVALID_LIST_POSITION;
  gint64 now = sonde_clock_wall_ns (NULL);

  page->filling = TRUE;
  gtk_string_list_splice (page->recording_titles, 0,
                          g_list_model_get_n_items (G_LIST_MODEL (page->recording_titles)), NULL);
  for (guint i = 0; i < n; i++)
    {
      const SondeRecordingEntry *entry = sonde_recording_list_get (list, n - 1 - i);

      gtk_string_list_take (page->recording_titles, sonde_recording_dup_title (entry, now));
      if (entry->recording == open)
        selected = i;
    }
  gtk_drop_down_set_selected (page->recordings, selected);
  gtk_widget_set_visible (GTK_WIDGET (page->recordings), n > 1);
  page->filling = FALSE;
}

static void
show_document (SondeProfilerPage *page)
{
  g_autofree char *losses = sonde_trace_document_dup_losses (page->document);

  gtk_widget_set_visible (page->losses_button, losses != NULL);
  gtk_label_set_text (page->losses, losses != NULL ? losses : "");
  show_recordings (page);
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
  show_view (page, name);
}

static void
on_busy (SondeProfilerPage *page)
{
  sonde_page_settled_changed (SONDE_PAGE (page));
}

static SondeProfileSources *
get_sources (SondeProfilerPage *page)
{
  return sonde_workspace_get_profiles (sonde_page_get_workspace (SONDE_PAGE (page)));
}

static void
forget_document (SondeProfilerPage *page)
{
  if (page->document == NULL)
    return;
  g_signal_handlers_disconnect_by_data (page->document, page);
  stop_progress (page);
  page->filling = TRUE;
  remove_views (page);
  page->filling = FALSE;
  sonde_workspace_set_profile (sonde_page_get_workspace (SONDE_PAGE (page)), NULL);
  g_clear_object (&page->document);
}

/* The list is left alone unless it has changed: this may be called because something was chosen in it. */
static void
show_titles (SondeProfilerPage *page)
{
  SondeProfileSources *sources = get_sources (page);
  guint n = sonde_profile_sources_get_n (sources);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) titles = NULL;
  guint n_old = g_list_model_get_n_items (G_LIST_MODEL (page->titles)), n_same = 0;

  for (guint i = 0; i < n; i++)
    {
      g_autofree char *title = sonde_profile_sources_dup_title (sources, i);

      g_strv_builder_add (builder, title);
    }
  titles = g_strv_builder_end (builder);
  while (n_same < MIN (n, n_old)
         && g_str_equal (titles[n_same], gtk_string_list_get_string (page->titles, n_same)))
    n_same++;
  if (n_same < n || n_same < n_old)
    gtk_string_list_splice (page->titles, n_same, n_old - n_same,
                            (const char *const *) titles + n_same);
}

/* Which of the sources is open; a choice only where there are several. */
static void
show_choice (SondeProfilerPage *page)
{
  SondeProfileSources *sources = get_sources (page);
  guint n = sonde_profile_sources_get_n (sources);
  const char *path = page->document != NULL ? sonde_trace_document_get_path (page->document) : NULL;
  int open = path != NULL ? sonde_profile_sources_find (sources, path) : -1;
  g_autofree char *title
      = open >= 0 ? sonde_profile_sources_dup_title (sources, (guint) open) : NULL;
  guint selected = open >= 0 ? (guint) open : GTK_INVALID_LIST_POSITION;

  page->filling = TRUE;
  show_titles (page);
  if (gtk_drop_down_get_selected (page->choice) != selected)
    gtk_drop_down_set_selected (page->choice, selected);
  page->filling = FALSE;
  gtk_widget_set_visible (GTK_WIDGET (page->choice), n > 1);
  gtk_label_set_text (page->title, n > 1 || title == NULL ? "" : title);
  gtk_widget_set_tooltip_text (GTK_WIDGET (page->title), path);
  gtk_widget_set_tooltip_text (GTK_WIDGET (page->choice), path);
}

static void
on_source_chosen (SondeProfilerPage *page)
{
  guint i = gtk_drop_down_get_selected (page->choice);
  g_autoptr (SondeRun) run = NULL;
  const SondeProfileSource *source;

  if (page->filling || i >= sonde_profile_sources_get_n (get_sources (page)))
    return;
  source = sonde_profile_sources_get (get_sources (page), i);
  run = source->run != NULL ? g_object_ref (source->run) : NULL;
  sonde_profile_sources_open (get_sources (page), source->path, 0); /* makes a new list */
  if (run != NULL)
    sonde_workspace_set_run (sonde_page_get_workspace (SONDE_PAGE (page)), run);
}

static void
on_recording_chosen (SondeProfilerPage *page)
{
  const SondeRecordingList *list;
  guint i = gtk_drop_down_get_selected (page->recordings), n;

  if (page->filling || page->document == NULL)
    return;
  list = sonde_trace_document_get_recordings (page->document);
  n = sonde_recording_list_get_n (list);
  if (i < n)
    sonde_profile_sources_open (get_sources (page), sonde_trace_document_get_path (page->document),
                                sonde_recording_list_get (list, n - 1 - i)->recording);
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
  show_choice (page);
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
  document = sonde_profile_sources_get_document (get_sources (page));
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
  SondeProfileSources *sources = get_sources (page);
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
    show_choice (page);
  else
    update (page);
}

/* Another run in the sidebar: its profile, unless a trace is looked at. */
static void
on_run (SondeProfilerPage *page)
{
  SondeProfileSources *sources = get_sources (page);
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
  sonde_profile_sources_open (get_sources (page), path, 0);
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
  SondeProfileSources *sources = get_sources (page);
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
  gtk_widget_class_bind_template_callback (widget, on_view_chosen);
  gtk_widget_class_bind_template_callback (widget, on_source_chosen);
  gtk_widget_class_bind_template_callback (widget, on_recording_chosen);
}

static void
sonde_profiler_page_init (SondeProfilerPage *page)
{
  GType files[] = { GDK_TYPE_FILE_LIST };

  gtk_widget_init_template (GTK_WIDGET (page));
  gtk_drop_target_set_gtypes (page->drop, files, G_N_ELEMENTS (files));
}
