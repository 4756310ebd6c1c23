/* SPDX-License-Identifier: Apache-2.0
 * The Profiler page on runs and on folders of another profiler: opened, chosen, recorded while the window
 * is open, damaged. */
#include <glib/gstdio.h>

#include "app/pages/profiler/sonde-profiler-page.h"
#include "app/profiler/sonde-overview-pane.h"
#include "app/workspace/sonde-profile-sources.h"
#include "collector/writer/sonde-summary-writer.h"
#include "tests/app/pages/profile-fixture.h"
#include "tests/app/pages/window-fixture.h"

static GtkWidget *
page_of (WindowFixture *fixture)
{
  return GTK_WIDGET (sonde_window_get_page (fixture->window));
}

static SondeTraceDocument *
document_of (WindowFixture *fixture)
{
  return sonde_profile_sources_get_document (sonde_workspace_get_profiles (fixture->workspace));
}

static gboolean
says (WindowFixture *fixture, const void *data)
{
  return window_fixture_find_label (page_of (fixture), data) != NULL;
}

static gboolean
shows (WindowFixture *fixture, const void *run)
{
  SondeTraceDocument *document = document_of (fixture);

  return document != NULL && sonde_trace_document_get_state (document) == SONDE_TRACE_DOCUMENT_READY
         && g_str_has_suffix (sonde_trace_document_get_path (document), run);
}

static void
close_window (WindowFixture *fixture)
{
  window_fixture_close (fixture);
  window_fixture_clear (fixture);
}

/* The run that has one is shown, although it is not the first; its numbers are those of the analysis. */
static void
test_run (void)
{
  WindowFixture fixture = { 0 };
  const SondeProfile *profile;

  window_fixture_init (&fixture);
  profile_fixture_write (fixture.run_b, 1, 1);
  window_fixture_open (&fixture, "profiler");
  window_fixture_wait (&fixture, shows, "/b");
  window_fixture_settle (&fixture);
  profile = sonde_trace_document_get_profile (document_of (&fixture));
  g_assert_nonnull (profile->facts);
  g_assert_cmpuint (profile->n_steps, ==, 20);
  g_assert_nonnull (window_fixture_find (page_of (&fixture), SONDE_TYPE_OVERVIEW_PANE));
  g_assert_true (
      g_str_has_prefix (sonde_page_get_status (SONDE_PAGE (page_of (&fixture))), "80 spans in "));
  close_window (&fixture);
}

/* One of several runs is chosen on the page, which is the run of all pages then, and in the sidebar. */
static void
test_choice (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *choice;

  window_fixture_init (&fixture);
  profile_fixture_write (fixture.run_a, 1, 1);
  profile_fixture_write (fixture.run_b, 2, 1);
  window_fixture_open (&fixture, "profiler");
  window_fixture_wait (&fixture, shows, "/a");
  choice = window_fixture_find (page_of (&fixture), GTK_TYPE_DROP_DOWN);
  g_assert_true (gtk_widget_get_visible (choice));
  gtk_drop_down_set_selected (GTK_DROP_DOWN (choice), 1);
  window_fixture_wait (&fixture, shows, "/b");
  g_assert_true (
      g_str_has_suffix (sonde_run_get_path (sonde_workspace_get_run (fixture.workspace)), "/b"));
  {
    g_autoptr (SondeRun) first
        = g_list_model_get_item (G_LIST_MODEL (sonde_workspace_get_store (fixture.workspace)), 0);

    sonde_workspace_set_run (fixture.workspace, first);
  }
  window_fixture_wait (&fixture, shows, "/a");
  g_assert_cmpuint (gtk_drop_down_get_selected (GTK_DROP_DOWN (choice)), ==, 0);
  close_window (&fixture);
}

static gboolean
shows_twice (WindowFixture *fixture, const void *first)
{
  return document_of (fixture) != first && shows (fixture, "/a");
}

/* A profile that is recorded while the window is open appears, and so does the next one. */
static void
test_live (void)
{
  WindowFixture fixture = { 0 };
  SondeTraceDocument *first;

  window_fixture_init (&fixture);
  sonde_test_run_set_live (fixture.run_a);
  sonde_test_run_scalars (fixture.run_a, 200, "loss", 0.5, NULL);
  sonde_test_run_flush (fixture.run_a);
  window_fixture_open (&fixture, "profiler");
  window_fixture_wait (&fixture, says, "No Profile");
  profile_fixture_write (fixture.run_a, 1, 1);
  window_fixture_wait (&fixture, shows, "/a");
  first = document_of (&fixture);
  profile_fixture_write (fixture.run_a, 2, 3);
  window_fixture_wait (&fixture, shows_twice, first);
  window_fixture_settle (&fixture);
  close_window (&fixture);
}

static GtkDropDown *
find_recordings (WindowFixture *fixture)
{
  GtkDropDown *result = NULL;
  GtkWidget *first = window_fixture_find (page_of (fixture), GTK_TYPE_DROP_DOWN);

  /* the choice of sources stands before it */
  for (GtkWidget *next = gtk_widget_get_next_sibling (first); next != NULL && result == NULL;
       next = gtk_widget_get_next_sibling (next))
    if (GTK_IS_DROP_DOWN (next))
      result = GTK_DROP_DOWN (next);
  g_assert_nonnull (result);
  return result;
}

static gboolean
shows_recording (WindowFixture *fixture, const void *number)
{
  return shows (fixture, "/a")
         && sonde_trace_document_get_recording (document_of (fixture)) == *(const guint64 *) number;
}

static void
assert_title (GtkDropDown *recordings, guint i, const char *beginning)
{
  GtkStringList *titles = GTK_STRING_LIST (gtk_drop_down_get_model (recordings));

  if (!g_str_has_prefix (gtk_string_list_get_string (titles, i), beginning))
    g_error ("recording %u is “%s”", i, gtk_string_list_get_string (titles, i));
}

/* All recordings of a run can be opened, the newest first; another one that is made opens. */
static void
test_recordings (void)
{
  const guint64 one = 1, two = 2, three = 3;
  WindowFixture fixture = { 0 };
  GtkDropDown *recordings;

  window_fixture_init (&fixture);
  sonde_test_run_set_live (fixture.run_a);
  profile_fixture_write (fixture.run_a, one, 1);
  profile_fixture_write (fixture.run_a, two, 1);
  window_fixture_open (&fixture, "profiler");
  window_fixture_wait (&fixture, shows_recording, &two);
  recordings = find_recordings (&fixture);
  g_assert_true (gtk_widget_get_visible (GTK_WIDGET (recordings)));
  g_assert_cmpuint (gtk_drop_down_get_selected (recordings), ==, 0);
  assert_title (recordings, 0, "Steps 0–19 · 1970-01-01 ");
  gtk_drop_down_set_selected (recordings, 1);
  window_fixture_wait (&fixture, shows_recording, &one);
  window_fixture_settle (&fixture);
  g_assert_cmpuint (gtk_drop_down_get_selected (recordings), ==, 1);
  profile_fixture_write (fixture.run_a, three, 1);
  window_fixture_wait (&fixture, shows_recording, &three);
  window_fixture_settle (&fixture);
  g_assert_cmpuint (gtk_drop_down_get_selected (recordings), ==, 0);
  close_window (&fixture);
}

/* A recording beside the files of another format is one, too. */
static void
test_foreign (void)
{
  const SondeSummaryWriterOptions options = { .format = SONDE_SUMMARY_FORMAT_TENSORBOARD };
  WindowFixture fixture = { 0 };
  g_autofree char *folder = NULL;
  SondeSummaryWriter *writer;

  window_fixture_init (&fixture);
  profile_fixture_write (fixture.run_a, 1, 1);
  folder = g_build_filename (fixture.folder, "runs", "group", "a", NULL);
  writer = sonde_summary_writer_open (folder, &options, NULL);
  sonde_summary_writer_add_scalar (writer, "loss", 1, 0.5);
  g_assert_true (sonde_summary_writer_close (writer, NULL));
  window_fixture_open (&fixture, "profiler");
  window_fixture_wait (&fixture, shows, "/a");
  window_fixture_settle (&fixture);
  close_window (&fixture);
}

/* A run without a profile that is chosen says so. */
static void
test_none (void)
{
  WindowFixture fixture = { 0 };

  window_fixture_init (&fixture);
  profile_fixture_write (fixture.run_a, 1, 1);
  window_fixture_open (&fixture, "profiler");
  window_fixture_wait (&fixture, shows, "/a");
  {
    g_autoptr (SondeRun) other
        = g_list_model_get_item (G_LIST_MODEL (sonde_workspace_get_store (fixture.workspace)), 1);

    sonde_workspace_set_run (fixture.workspace, other);
  }
  window_fixture_wait (&fixture, says, "This run holds no profile");
  g_assert_null (document_of (&fixture));
  close_window (&fixture);
}

static void
write_file (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *parent = g_path_get_dirname (path);

  g_assert_cmpint (g_mkdir_with_parents (parent, 0755), ==, 0);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

/* The folder that MindSpore's profiler made; several of them, and one that is damaged, are sentences. */
static void
test_folder (void)
{
  static const char text[] = "[{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":\"10\",\"dur\":\"5\","
                             "\"name\":\"MatMul\",\"cat\":\"op\"}]";
  WindowFixture fixture = { 0 };
  g_autofree char *folder = NULL;
  const char *paths[2] = { NULL, NULL };

  window_fixture_init (&fixture);
  paths[0] = folder = g_build_filename (fixture.folder, "profiler", NULL);
  write_file (folder, "a_ascend_ms/ASCEND_PROFILER_OUTPUT/trace_view.json", text);
  window_fixture_open_paths (&fixture, paths, "profiler",
                             &(SondePageRequest){ .view = "timeline" });
  window_fixture_wait (&fixture, shows, "/profiler");
  g_assert_cmpstr (sonde_page_get_status (SONDE_PAGE (page_of (&fixture))), ==, "1 span in 5 µs");
  write_file (folder, "b_ascend_ms/ASCEND_PROFILER_OUTPUT/trace_view.json", "no trace");
  sonde_profile_sources_open (sonde_workspace_get_profiles (fixture.workspace), folder, 0);
  window_fixture_wait (&fixture, says, "Cannot Read the Profile");
  g_assert_nonnull (strstr (sonde_trace_document_get_error (document_of (&fixture)), "2 traces"));
  g_remove (folder);
  close_window (&fixture);
}

/* How the head of the column @title stands in the visible table. */
static GtkAlign
get_head_align (WindowFixture *fixture, const char *title)
{
  GtkWidget *label = window_fixture_find_label (page_of (fixture), title);

  g_assert_nonnull (label);
  return gtk_widget_get_halign (gtk_widget_get_parent (label));
}

/* Heads of numbers stand over them, at the right. */
static void
test_heads (void)
{
  WindowFixture fixture = { 0 };

  window_fixture_init (&fixture);
  profile_fixture_write (fixture.run_a, 1, 1);
  window_fixture_open (&fixture, "profiler");
  window_fixture_wait (&fixture, shows, "/a");
  sonde_window_show_page (fixture.window, "profiler", &(SondePageRequest){ .view = "memory" });
  window_fixture_settle (&fixture);
  g_assert_cmpint (get_head_align (&fixture, "Size"), ==, GTK_ALIGN_END);
  g_assert_cmpint (get_head_align (&fixture, "Until Step"), ==, GTK_ALIGN_END);
  g_assert_cmpint (get_head_align (&fixture, "Kind"), !=, GTK_ALIGN_END);
  close_window (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/pages/profiler-runs/run", test_run);
  g_test_add_func ("/app/pages/profiler-runs/choice", test_choice);
  g_test_add_func ("/app/pages/profiler-runs/live", test_live);
  g_test_add_func ("/app/pages/profiler-runs/recordings", test_recordings);
  g_test_add_func ("/app/pages/profiler-runs/foreign", test_foreign);
  g_test_add_func ("/app/pages/profiler-runs/heads", test_heads);
  g_test_add_func ("/app/pages/profiler-runs/none", test_none);
  g_test_add_func ("/app/pages/profiler-runs/folder", test_folder);
  return g_test_run ();
}
