/* SPDX-License-Identifier: Apache-2.0
 * The window on a living run: pages open, points arrive, runs hide, settings last. */
#include <math.h>

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <X11/Xlib.h>
#include <gdk/x11/gdkx.h>

#include "app/pages/sonde-grid-page.h"
#include "app/sidebar/sonde-run-list.h"
#include "app/sonde-screenshot.h"
#include "app/sonde-window-private.h"
#include "tests/app/pages/window-fixture.h"
#include "tests/support/sonde-test-image.h"
#include "viewers/sonde-histogram-view.h"
#include "viewers/sonde-scalar-view.h"

static SondeScalarView *
find_scalar_view (WindowFixture *fixture)
{
  SondePage *page = sonde_window_get_page (fixture->window);
  GtkWidget *view = window_fixture_find (GTK_WIDGET (page), SONDE_TYPE_SCALAR_VIEW);

  g_assert_nonnull (view);
  return SONDE_SCALAR_VIEW (view);
}

static gboolean
holds_points (WindowFixture *fixture, const void *data)
{
  guint64 shown, held;

  sonde_scalar_view_get_counts (find_scalar_view (fixture), &shown, &held);
  return shown == held && held == *(const guint64 *) data;
}

/* ---- pages --------------------------------------------------------------- */

/* Whether the system has memory for the middle of each second one of @blocks of @size bytes. */
static gboolean
is_resident (char *const *blocks, gsize n, gsize size)
{
  gsize page = (gsize) getpagesize ();
  unsigned char state;

  for (gsize i = 0; i < n; i += 2)
    {
      char *middle = blocks[i] + size / 2;

      g_assert_cmpint (mincore (middle - (gsize) middle % page, page, &state), ==, 0);
      if ((state & 1) == 0)
        return FALSE;
    }
  return TRUE;
}

/* What was freed between what stays goes back to the system some time after a page was left. */
static void
test_memory (void)
{
  enum
  {
    N = 100,
    SIZE = 100000
  }; /* no mappings of their own */
  WindowFixture fixture = { 0 };
  char *blocks[N];

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "runs");
  for (int i = 0; i < N; i++)
    {
      blocks[i] = malloc (SIZE);
      memset (blocks[i], 1, SIZE);
    }
  for (int i = 0; i < N; i += 2)
    free (blocks[i]);
  if (mallinfo2 ().fordblks < N / 2 * SIZE)
    g_test_skip ("This malloc() is not that of the C library.");
  else
    {
      g_assert_true (is_resident (blocks, N, SIZE));
      sonde_window_show_page (fixture.window, "overview", NULL);
      while (is_resident (blocks, N, SIZE))
        g_main_context_iteration (NULL, TRUE);
    }
  for (int i = 1; i < N; i += 2)
    free (blocks[i]);
  window_fixture_clear (&fixture);
}

/* Every page of the table opens, settles, fits its room, and is drawn. */
static void
test_all_pages (void)
{
  WindowFixture fixture = { 0 };

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "overview");
  for (const SondePageInfo *info = sonde_page_table; info->name != NULL; info++)
    {
      cairo_surface_t *picture;
      int minimum;

      g_assert_true (sonde_window_show_page (fixture.window, info->name, NULL));
      window_fixture_settle (&fixture);
      g_assert_true (sonde_page_is_opened (sonde_window_get_page (fixture.window)));
      gtk_widget_measure (GTK_WIDGET (sonde_window_get_page (fixture.window)),
                          GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
      g_test_message ("%s: at least %d px wide", info->name, minimum);
      g_assert_cmpint (minimum, <=, 600);
      picture = sonde_screenshot_render (GTK_WIDGET (fixture.window), 1);
      g_assert_cmpint (cairo_image_surface_get_width (picture), ==,
                       gtk_widget_get_width (GTK_WIDGET (fixture.window)));
      g_assert_cmpint (sonde_test_image_count_ink (picture, 280, 60, 600, 600), >, 100);
      cairo_surface_destroy (picture);
    }
  g_assert_false (sonde_window_show_page (fixture.window, "nonsense", NULL));
  window_fixture_clear (&fixture);
}

/* ---- loading ------------------------------------------------------------- */

#define BIG_STEPS 50000
#define HELD_FROM ((off_t) 1 << 20) /* of the big run's bytes */

/* A disk that gives the beginning of a file, and the rest only when it is let go. */
typedef struct
{
  SondeIo io;
  GMutex mutex;
  GCond freed;
  gboolean held;
} HeldIo;

static ssize_t
held_pread (const SondeIo *io, int fd, void *data, size_t length, off_t offset)
{
  HeldIo *held = (HeldIo *) io;

  g_mutex_lock (&held->mutex);
  while (held->held && offset >= HELD_FROM)
    g_cond_wait (&held->freed, &held->mutex);
  g_mutex_unlock (&held->mutex);
  return sonde_io_system ()->pread (sonde_io_system (), fd, data, length, offset);
}

static void
let_go (HeldIo *held)
{
  g_mutex_lock (&held->mutex);
  held->held = FALSE;
  g_cond_broadcast (&held->freed);
  g_mutex_unlock (&held->mutex);
}

static void
write_big_run (WindowFixture *fixture)
{
  g_autofree char *path = g_build_filename (fixture->folder, "runs", "big", NULL);
  SondeTestRun *run = sonde_test_run_new (path);

  for (int i = 0; i < BIG_STEPS; i++)
    {
      const double x = sin (i * 0.01);

      sonde_test_run_scalars (run, i, "a", x, "b", x + 1, "c", x * 2, "d", x * x, "e", -x, "f",
                              x - 1, "g", x / 3, "h", x * 5, NULL);
    }
  sonde_test_run_flush (run);
  fixture->run_a = run;
}

/* A chart is on the screen, with points in it. */
static gboolean
has_chart (WindowFixture *fixture, const void *data)
{
  GtkWidget *view = window_fixture_find (GTK_WIDGET (sonde_window_get_page (fixture->window)),
                                         SONDE_TYPE_SCALAR_VIEW);
  guint64 shown = 0, held = 0;

  if (view != NULL && gtk_widget_get_mapped (view))
    sonde_scalar_view_get_counts (SONDE_SCALAR_VIEW (view), &shown, &held);
  return shown > 0;
}

/* The first chart is there while the rest cannot be read yet; and its points become all of them. */
static void
test_first_chart (void)
{
  HeldIo held = { .io = *sonde_io_system (), .held = TRUE };
  WindowFixture fixture = { .io = &held.io };
  SondeRunStore *store;
  guint64 shown, points;
  g_autofree char *runs = NULL;

  held.io.pread = held_pread;
  g_mutex_init (&held.mutex);
  g_cond_init (&held.freed);
  fixture.folder = g_dir_make_tmp ("sonde-first-XXXXXX", NULL);
  runs = g_build_filename (fixture.folder, "runs", NULL);
  write_big_run (&fixture);
  window_fixture_present (&fixture, (const char *const[]){ runs, NULL }, "scalars", NULL);
  store = sonde_workspace_get_store (fixture.workspace);
  sonde_workspace_start (fixture.workspace);
  window_fixture_wait (&fixture, has_chart, NULL);
  sonde_scalar_view_get_counts (find_scalar_view (&fixture), &shown, &points);
  g_assert_true (sonde_run_store_is_loading (store));
  g_assert_cmpfloat (sonde_run_store_get_progress (store), <, 1);
  g_assert_cmpuint (shown, >, 0);
  g_assert_cmpuint (points, <, BIG_STEPS);
  let_go (&held);
  points = BIG_STEPS;
  window_fixture_wait (&fixture, holds_points, &points);
  window_fixture_clear (&fixture);
  g_cond_clear (&held.freed);
  g_mutex_clear (&held.mutex);
}

static void
on_changed (guint *n_deliveries)
{
  g_assert_cmpint (g_source_get_priority (g_main_current_source ()), ==, GDK_PRIORITY_REDRAW);
  (*n_deliveries)++;
}

/* Frames and deliveries take turns, however long either takes: neither goes before the other. */
static void
test_turns (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *runs = NULL;
  guint n_deliveries = 0;

  window_fixture_init (&fixture);
  runs = g_build_filename (fixture.folder, "runs", NULL);
  window_fixture_present (&fixture, (const char *const[]){ runs, NULL }, "scalars", NULL);
  g_signal_connect_swapped (sonde_workspace_get_store (fixture.workspace), "changed",
                            G_CALLBACK (on_changed), &n_deliveries);
  sonde_workspace_start (fixture.workspace);
  window_fixture_settle (&fixture);
  window_fixture_wait (&fixture, has_chart, NULL);
  g_assert_cmpuint (n_deliveries, >, 0);
  window_fixture_clear (&fixture);
}

/* Nothing of the window stays when it is closed. */
static void
test_finalize (void)
{
  WindowFixture fixture = { 0 };
  gpointer window, workspace, store, page;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "scalars");
  sonde_window_show_page (fixture.window, "distributions", NULL);
  window_fixture_settle (&fixture);
  window = fixture.window;
  workspace = fixture.workspace;
  store = sonde_workspace_get_store (fixture.workspace);
  page = sonde_window_peek_page (fixture.window, "scalars");
  g_object_add_weak_pointer (window, &window);
  g_object_add_weak_pointer (workspace, &workspace);
  g_object_add_weak_pointer (store, &store);
  g_object_add_weak_pointer (page, &page);
  window_fixture_close (&fixture);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_null (page);
  g_assert_null (window);
  g_assert_null (workspace);
  g_assert_null (store);
  window_fixture_clear (&fixture);
}

/* ---- data ---------------------------------------------------------------- */

/* Points appended to the file come onto the screen by themselves. */
static void
test_live (void)
{
  WindowFixture fixture = { 0 };
  guint64 expected = 400;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "scalars");
  g_assert_cmpuint (sonde_scalar_view_get_n_series (find_scalar_view (&fixture)), ==, 2);
  window_fixture_wait (&fixture, holds_points, &expected);
  sonde_test_run_set_live (fixture.run_a);
  for (int i = 200; i < 260; i++)
    {
      sonde_test_run_scalars (fixture.run_a, i, "loss", 0.5, "accuracy", 0.5, NULL);
      sonde_test_run_flush (fixture.run_a);
      expected++;
      if (i % 20 == 0)
        window_fixture_wait (&fixture, holds_points, &expected);
    }
  window_fixture_wait (&fixture, holds_points, &expected);
  g_assert_cmpstr (sonde_page_get_status (sonde_window_get_page (fixture.window)), ==,
                   "920 of 920 points shown · tags: 2 of 2");
  /* The cursor follows. */
  g_assert_cmpint (sonde_step_cursor_get_step (sonde_workspace_get_cursor (fixture.workspace)), ==,
                   259);
  window_fixture_clear (&fixture);
}

static gboolean
has_runs (WindowFixture *fixture, const void *data)
{
  return g_list_model_get_n_items (sonde_workspace_get_shown_runs (fixture->workspace))
         == *(const guint *) data;
}

/* A run that is made while the window is open appears in the sidebar and in the charts. */
static void
test_new_run (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *path = NULL;
  g_autoptr (SondeTestRun) run = NULL;
  guint expected = 3;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "scalars");
  path = g_build_filename (fixture.folder, "runs", "group", "c", NULL);
  run = sonde_test_run_new (path);
  sonde_test_run_scalars (run, 0, "loss", 1.0, NULL);
  sonde_test_run_flush (run);
  window_fixture_wait (&fixture, has_runs, &expected);
  window_fixture_clear (&fixture);
}

static void
test_hide (void)
{
  WindowFixture fixture = { 0 };
  GListModel *runs;
  g_autoptr (SondeRun) first = NULL;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "scalars");
  runs = G_LIST_MODEL (sonde_workspace_get_store (fixture.workspace));
  first = g_list_model_get_item (runs, 0);
  sonde_workspace_set_shown (fixture.workspace, first, FALSE);
  g_assert_cmpuint (sonde_scalar_view_get_n_series (find_scalar_view (&fixture)), ==, 1);
  sonde_workspace_show_only (fixture.workspace, first);
  g_assert_cmpuint (sonde_scalar_view_get_n_series (find_scalar_view (&fixture)), ==, 1);
  gtk_widget_activate_action (GTK_WIDGET (fixture.window), "win.show-all-runs", NULL);
  g_assert_cmpuint (sonde_scalar_view_get_n_series (find_scalar_view (&fixture)), ==, 2);
  window_fixture_clear (&fixture);
}

static void
test_filter (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *list, *entry;
  guint one = 1, two = 2;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "scalars");
  list = window_fixture_find (GTK_WIDGET (fixture.window), SONDE_TYPE_RUN_LIST);
  entry = window_fixture_find (list, GTK_TYPE_SEARCH_ENTRY);
  gtk_editable_set_text (GTK_EDITABLE (entry), "/b$");
  window_fixture_wait (&fixture, has_runs, &one);
  g_assert_false (gtk_widget_has_css_class (entry, "error"));
  /* No expression: the old one stays, and the entry says so. */
  gtk_editable_insert_text (GTK_EDITABLE (entry), "(", -1, &(int){ 3 });
  g_signal_emit_by_name (entry, "search-changed");
  g_assert_true (gtk_widget_has_css_class (entry, "error"));
  g_assert_true (has_runs (&fixture, &one));
  gtk_editable_set_text (GTK_EDITABLE (entry), "");
  window_fixture_wait (&fixture, has_runs, &two);
  g_assert_false (gtk_widget_has_css_class (entry, "error"));
  window_fixture_clear (&fixture);
}

static void
test_cursor (void)
{
  WindowFixture fixture = { 0 };
  SondeStepCursor *cursor;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "scalars");
  cursor = sonde_workspace_get_cursor (fixture.workspace);
  g_assert_true (sonde_step_cursor_is_following (cursor));
  g_signal_emit_by_name (find_scalar_view (&fixture), "cursor-moved", G_GINT64_CONSTANT (42));
  g_assert_cmpint (sonde_step_cursor_get_step (cursor), ==, 42);
  g_assert_false (sonde_step_cursor_is_following (cursor));
  gtk_widget_activate_action (GTK_WIDGET (fixture.window), "win.follow", NULL);
  g_assert_cmpint (sonde_step_cursor_get_step (cursor), ==, 199);
  window_fixture_clear (&fixture);
}

static void
test_distributions (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *view;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "distributions");
  view = window_fixture_find (GTK_WIDGET (sonde_window_get_page (fixture.window)),
                              SONDE_TYPE_HISTOGRAM_VIEW);
  g_assert_nonnull (view);
  g_assert_cmpuint (sonde_histogram_view_get_n_rows (SONDE_HISTOGRAM_VIEW (view)), ==, 4);
  window_fixture_clear (&fixture);
}

static GtkWidget *
find_toggle (GtkWidget *widget, const char *label)
{
  GtkWidget *found = NULL;

  if (GTK_IS_TOGGLE_BUTTON (widget)
      && g_strcmp0 (gtk_button_get_label (GTK_BUTTON (widget)), label) == 0)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_toggle (child, label);
  return found;
}

/* One over the other: the histogram at the cursor of each run that is shown, by name in the table. */
static void
test_overlay (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *text = NULL, *table = NULL, *fewer = NULL;
  GtkWidget *page, *view;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "distributions");
  page = GTK_WIDGET (sonde_window_get_page (fixture.window));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (find_toggle (page, "Runs")), TRUE);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (find_toggle (page, "Log Counts")), TRUE);
  window_fixture_settle (&fixture);
  view = window_fixture_find (page, SONDE_TYPE_HISTOGRAM_VIEW);
  text = sonde_view_describe (SONDE_VIEW (view));
  g_assert_true (g_str_has_prefix (text, "Overlay of runs of "));
  g_assert_cmpuint (sonde_histogram_view_get_n_rows (SONDE_HISTOGRAM_VIEW (view)), ==, 2);
  table = sonde_view_dup_table (SONDE_VIEW (view), ',');
  g_assert_true (g_str_has_prefix (table, "run,step,lower,upper,count\n"));
  g_assert_nonnull (strstr (table, "\ngroup/b,"));
  sonde_workspace_show_only (fixture.workspace, sonde_workspace_get_run (fixture.workspace));
  window_fixture_settle (&fixture);
  g_assert_cmpuint (sonde_histogram_view_get_n_rows (SONDE_HISTOGRAM_VIEW (view)), ==, 1);
  window_fixture_clear (&fixture);
}

/* Its middle, px of the page from the top. */
static double
middle_of (GtkWidget *widget, GtkWidget *page)
{
  graphene_rect_t bounds;

  g_assert_true (gtk_widget_compute_bounds (widget, page, &bounds));
  return bounds.origin.y + bounds.size.height / 2;
}

/* On a usual small screen all that the bar has is in one line, the field for steps, too. */
static void
test_one_line (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *page, *steps;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "distributions");
  gtk_window_set_default_size (GTK_WINDOW (fixture.window), 1280, 800);
  page = GTK_WIDGET (sonde_window_get_page (fixture.window));
  steps = find_toggle (page, "Steps");
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (steps), TRUE);
  window_fixture_settle (&fixture);
  g_assert_cmpfloat_with_epsilon (
      middle_of (steps, page), middle_of (window_fixture_find (page, GTK_TYPE_SEARCH_ENTRY), page),
      6);
  /* The choice is remembered. */
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (find_toggle (page, "Ridges")), TRUE);
  window_fixture_clear (&fixture);
}

static guint
count_outlines (WindowFixture *fixture, GtkWidget *view)
{
  window_fixture_settle (fixture);
  return sonde_histogram_view_get_n_rows (SONDE_HISTOGRAM_VIEW (view));
}

/* Steps of the selected run one over the other: those of the entry and the cursor's; each by its own step, once. */
static void
test_steps (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *text = NULL, *table = NULL;
  GtkWidget *page, *view, *entry;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "distributions");
  page = GTK_WIDGET (sonde_window_get_page (fixture.window));
  entry = window_fixture_find (page, GTK_TYPE_ENTRY);
  g_assert_false (gtk_widget_get_visible (entry));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (find_toggle (page, "Steps")), TRUE);
  g_assert_true (gtk_widget_get_visible (entry));
  view = window_fixture_find (page, SONDE_TYPE_HISTOGRAM_VIEW);
  sonde_step_cursor_set_step (sonde_workspace_get_cursor (fixture.workspace), 150);
  g_assert_cmpuint (count_outlines (&fixture, view), ==, 1);
  gtk_editable_set_text (GTK_EDITABLE (entry), "0, 55");
  g_signal_emit_by_name (entry, "activate");
  g_assert_cmpuint (count_outlines (&fixture, view), ==, 3);
  text = sonde_view_describe (SONDE_VIEW (view));
  g_assert_true (g_str_has_prefix (text, "Overlay of steps of "));
  table = sonde_view_dup_table (SONDE_VIEW (view), ',');
  g_assert_true (g_str_has_prefix (table, "step,lower,upper,count\n0,"));
  g_assert_nonnull (strstr (table, "\n50,")); /* the last one at or before 55 */
  g_assert_nonnull (strstr (table, "\n150,"));

  gtk_editable_set_text (GTK_EDITABLE (entry), "0, x");
  g_signal_emit_by_name (entry, "activate");
  g_assert_true (gtk_widget_has_css_class (entry, "error"));
  g_assert_cmpuint (count_outlines (&fixture, view), ==, 3);
  g_signal_emit_by_name (view, "step-marked", (gint64) 0); /* not any more */
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (entry)), ==, "55");
  g_assert_false (gtk_widget_has_css_class (entry, "error"));
  g_signal_emit_by_name (view, "step-marked", (gint64) 100);
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (entry)), ==, "55, 100");
  g_assert_cmpuint (count_outlines (&fixture, view), ==, 3);
  g_signal_emit_by_name (view, "step-marked", (gint64) 150); /* the cursor's is there once */
  g_assert_cmpuint (count_outlines (&fixture, view), ==, 3);
  window_fixture_clear (&fixture);
}

/* @second comes somewhere behind @first. */
static void
check_order (GtkWidget *page, const char *first, const char *second)
{
  GtkStringList *tags
      = sonde_card_grid_get_tags (sonde_grid_page_get_grid (SONDE_GRID_PAGE (page)));
  int at[2] = { -1, -1 };

  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (tags)); i++)
    {
      const char *tag = gtk_string_list_get_string (tags, i);

      at[0] = g_str_equal (tag, first) ? (int) i : at[0];
      at[1] = g_str_equal (tag, second) ? (int) i : at[1];
    }
  g_assert_cmpint (at[0], >=, 0);
  g_assert_cmpint (at[0], <, at[1]);
}

/* Side by side what differs in its first part alone. */
static void
test_pairs (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *page;

  window_fixture_init (&fixture);
  sonde_test_run_histogram (fixture.run_a, 1, "gradients/z", 0, 1, 100);
  sonde_test_run_histogram (fixture.run_a, 1, "weights/a", 0, 1, 100);
  sonde_test_run_histogram (fixture.run_a, 1, "weights/z", 0, 1, 100);
  sonde_test_run_flush (fixture.run_a);
  window_fixture_open (&fixture, "distributions");
  page = GTK_WIDGET (sonde_window_get_page (fixture.window));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (find_toggle (page, "Pairs")), TRUE);
  window_fixture_settle (&fixture);
  check_order (page, "weights/a", "gradients/z");
  check_order (page, "gradients/z", "weights/z");
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (find_toggle (page, "Pairs")), FALSE);
  window_fixture_settle (&fixture);
  check_order (page, "gradients/z", "weights/a");
  window_fixture_clear (&fixture);
}

/* A tag that a request names fills the page; a pattern filters. */
static void
test_request (void)
{
  WindowFixture fixture = { 0 };
  SondePageRequest one = { .tag = "accuracy", .step = 17, .has_step = TRUE },
                   pattern = { .tag = "l*" };

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "overview");
  sonde_window_show_page (fixture.window, "scalars", &one);
  window_fixture_settle (&fixture);
  g_assert_cmpint (sonde_step_cursor_get_step (sonde_workspace_get_cursor (fixture.workspace)), ==,
                   17);
  sonde_window_show_page (fixture.window, "scalars", &pattern);
  window_fixture_settle (&fixture);
  g_assert_nonnull (
      strstr (sonde_page_get_status (sonde_window_get_page (fixture.window)), "tags: 1 of 2"));
  window_fixture_clear (&fixture);
}

static void
test_search (void)
{
  WindowFixture fixture = { 0 };
  g_autoptr (GPtrArray) results = NULL;
  const SondeSearchResult *best;
  SondeSearchScope scope;
  gboolean has_run = FALSE;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "overview");
  sonde_window_get_search_scope (fixture.window, &scope);
  results = sonde_search_find (&scope, "LOSS", 50);
  g_assert_cmpuint (results->len, ==, 1); /* once, though both runs have it */
  best = results->pdata[0];
  g_assert_cmpstr (best->page, ==, "scalars");
  g_assert_cmpstr (best->tag, ==, "loss");
  g_ptr_array_unref (results);
  results = sonde_search_find (&scope, "group", 50);
  for (guint i = 0; i < results->len; i++)
    has_run |= ((const SondeSearchResult *) results->pdata[i])->run != NULL;
  g_assert_true (has_run);
  g_ptr_array_unref (results);
  results = sonde_search_find (&scope, "", 50);
  g_assert_cmpuint (results->len, >=, 5); /* the pages */
  window_fixture_clear (&fixture);
}

/* ---- settings ------------------------------------------------------------ */

static void
test_remembers (void)
{
  WindowFixture fixture = { 0 };
  g_autoptr (SondeRun) run = NULL;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "scalars");
  run = g_list_model_get_item (G_LIST_MODEL (sonde_workspace_get_store (fixture.workspace)), 0);
  sonde_workspace_set_run_title (fixture.workspace, run, "the good one");
  sonde_workspace_set_shown (fixture.workspace, run, FALSE);
  g_clear_object (&run);
  window_fixture_close (&fixture);

  window_fixture_open (&fixture, "runs");
  run = g_list_model_get_item (G_LIST_MODEL (sonde_workspace_get_store (fixture.workspace)), 0);
  g_assert_cmpstr (sonde_workspace_get_run_title (fixture.workspace, run), ==, "the good one");
  g_assert_false (sonde_workspace_is_shown (fixture.workspace, run));
  g_assert_cmpstr (sonde_workspace_get_setting (fixture.workspace, "window", "width"), ==, "1000");
  sonde_workspace_set_run_title (fixture.workspace, run, NULL);
  g_assert_cmpstr (sonde_workspace_get_run_title (fixture.workspace, run), ==, "group/a");
  sonde_workspace_show_only (fixture.workspace, NULL);
  window_fixture_clear (&fixture);
}

/* Bytes that are no record: a badge, and everything else is shown. */
static void
test_damage (void)
{
  WindowFixture fixture = { 0 };
  g_autoptr (SondeRun) run = NULL;

  window_fixture_init (&fixture);
  sonde_test_run_bytes (fixture.run_a, "this is no record, but it is long enough to be seen", 51);
  sonde_test_run_scalars (fixture.run_a, 200, "loss", 0.1, NULL);
  sonde_test_run_flush (fixture.run_a);
  window_fixture_open (&fixture, "scalars");
  run = g_list_model_get_item (G_LIST_MODEL (sonde_workspace_get_store (fixture.workspace)), 0);
  g_assert_cmpuint (sonde_run_get_damage_count (run), ==, 1);
  g_assert_cmpuint (sonde_series_get_n_points (sonde_run_get_series (run, "loss")), ==, 201);
  window_fixture_clear (&fixture);
}

/* What arrives says nothing to the X server, which would be asked once a run and card: frames do,
 * and they come at their own pace. */
static void
test_round_trips (void)
{
  WindowFixture fixture = { 0 };

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "overview");
  for (const SondePageInfo *info = sonde_page_table; info->name != NULL; info++)
    {
      Display *display
          = gdk_x11_display_get_xdisplay (gtk_widget_get_display (GTK_WIDGET (fixture.window)));
      unsigned long before;

      g_assert_true (sonde_window_show_page (fixture.window, info->name, NULL));
      window_fixture_settle (&fixture);
      before = NextRequest (display);
      for (int k = 0; k < 10; k++)
        g_signal_emit_by_name (sonde_workspace_get_store (fixture.workspace), "changed");
      g_assert_cmpuint (NextRequest (display) - before, ==, 0);
    }
  window_fixture_clear (&fixture);
}

/* Where GTK itself speaks a language that is written from right to left, numbers keep their signs at the left. */
static void
test_direction (void)
{
  WindowFixture fixture = { 0 };

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "runs");
  g_assert_cmpint (gtk_widget_get_direction (GTK_WIDGET (fixture.window)), ==, GTK_TEXT_DIR_LTR);
  g_assert_cmpint (gtk_widget_get_direction (GTK_WIDGET (sonde_window_get_page (fixture.window))),
                   ==, GTK_TEXT_DIR_LTR);
  window_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  gtk_widget_set_default_direction (
      GTK_TEXT_DIR_RTL); /* as in such a locale, for all that follows */
  g_test_add_func ("/app/pages/window/direction", test_direction);
  g_test_add_func ("/app/pages/window/all-pages", test_all_pages);
  g_test_add_func ("/app/pages/window/memory", test_memory);
  g_test_add_func ("/app/pages/window/first-chart", test_first_chart);
  g_test_add_func ("/app/pages/window/turns", test_turns);
  g_test_add_func ("/app/pages/window/finalize", test_finalize);
  g_test_add_func ("/app/pages/window/live", test_live);
  g_test_add_func ("/app/pages/window/new-run", test_new_run);
  g_test_add_func ("/app/pages/window/hide", test_hide);
  g_test_add_func ("/app/pages/window/filter", test_filter);
  g_test_add_func ("/app/pages/window/cursor", test_cursor);
  g_test_add_func ("/app/pages/window/distributions", test_distributions);
  g_test_add_func ("/app/pages/window/overlay", test_overlay);
  g_test_add_func ("/app/pages/window/one-line", test_one_line);
  g_test_add_func ("/app/pages/window/steps", test_steps);
  g_test_add_func ("/app/pages/window/pairs", test_pairs);
  g_test_add_func ("/app/pages/window/request", test_request);
  g_test_add_func ("/app/pages/window/search", test_search);
  g_test_add_func ("/app/pages/window/remembers", test_remembers);
  g_test_add_func ("/app/pages/window/damage", test_damage);
  g_test_add_func ("/app/pages/window/round-trips", test_round_trips);
  return g_test_run ();
}
