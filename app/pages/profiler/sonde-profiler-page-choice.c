/* SPDX-License-Identifier: Apache-2.0
 * Which of the traces and runs of the window is shown, and which recording of a run. */
#include "app/pages/profiler/sonde-profiler-page-private.h"

#include "app/workspace/sonde-recording-title.h"
#include "data/base/sonde-clock.h"

/* ---- sources ------------------------------------------------------------- */

SondeProfileSources *
sonde_profiler_page_get_sources (SondeProfilerPage *page)
{
  return sonde_workspace_get_profiles (sonde_page_get_workspace (SONDE_PAGE (page)));
}

/* The list is left alone unless it has changed: this may be called because something was chosen in it. */
static void
show_titles (SondeProfilerPage *page)
{
  SondeProfileSources *sources = sonde_profiler_page_get_sources (page);
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

void
sonde_profiler_page_show_choice (SondeProfilerPage *page)
{
  SondeProfileSources *sources = sonde_profiler_page_get_sources (page);
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

void
sonde_profiler_page_source_chosen (SondeProfilerPage *page)
{
  guint i = gtk_drop_down_get_selected (page->choice);
  g_autoptr (SondeRun) run = NULL;
  const SondeProfileSource *source;

  if (page->filling || i >= sonde_profile_sources_get_n (sonde_profiler_page_get_sources (page)))
    return;
  source = sonde_profile_sources_get (sonde_profiler_page_get_sources (page), i);
  run = source->run != NULL ? g_object_ref (source->run) : NULL;
  sonde_profile_sources_open (sonde_profiler_page_get_sources (page), source->path,
                              0); /* makes a new list */
  if (run != NULL)
    sonde_workspace_set_run (sonde_page_get_workspace (SONDE_PAGE (page)), run);
}

/* ---- recordings of a run ------------------------------------------------- */

void
sonde_profiler_page_show_recordings (SondeProfilerPage *page)
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

void
sonde_profiler_page_recording_chosen (SondeProfilerPage *page)
{
  const SondeRecordingList *list;
  guint i = gtk_drop_down_get_selected (page->recordings), n;

  if (page->filling || page->document == NULL)
    return;
  list = sonde_trace_document_get_recordings (page->document);
  n = sonde_recording_list_get_n (list);
  if (i < n)
    sonde_profile_sources_open (sonde_profiler_page_get_sources (page),
                                sonde_trace_document_get_path (page->document),
                                sonde_recording_list_get (list, n - 1 - i)->recording);
}
