/* SPDX-License-Identifier: Apache-2.0
 * Two cursors in charts of scalars by a real pointer and by keys, and the table of what lies between them, whose
 * numbers are those of the record. */
#include <inttypes.h>
#include <stdlib.h>

#include "app/pages/cards/sonde-card-grid.h"
#include "app/pages/cards/sonde-scalar-card.h"
#include "app/pages/scalars/sonde-chart-panel.h"
#include "app/pages/scalars/sonde-value-table.h"
#include "data/base/sonde-format.h"
#include "tests/app/pages/window-fixture.h"
#include "tests/support/sonde-test-hands.h"
#include "viewers/paint/sonde-axis.h"

typedef struct
{
  WindowFixture window;
  SondeTestHands *hands;
  SondeScalarView *view; /* of "loss" */
} Fixture;

static GtkWidget *
page_of (Fixture *fixture)
{
  return GTK_WIDGET (sonde_window_get_page (fixture->window.window));
}

static SondeTagCard *
find_card (GtkWidget *widget, const char *tag)
{
  if (SONDE_IS_TAG_CARD (widget)
      && g_strcmp0 (sonde_tag_card_get_tag (SONDE_TAG_CARD (widget)), tag) == 0)
    return SONDE_TAG_CARD (widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      SondeTagCard *found = find_card (child, tag);

      if (found != NULL)
        return found;
    }
  return NULL;
}

static SondeScalarView *
find_view (Fixture *fixture, const char *tag)
{
  return sonde_scalar_card_get_view (SONDE_SCALAR_CARD (find_card (page_of (fixture), tag)));
}

static SondeValueTable *
find_table (Fixture *fixture)
{
  return SONDE_VALUE_TABLE (window_fixture_find (page_of (fixture), SONDE_TYPE_VALUE_TABLE));
}

/* Run a goes on to step 249, b ends at 199. */
static void
set_up (Fixture *fixture, const void *data)
{
  window_fixture_init (&fixture->window);
  for (int i = 200; i < 250; i++)
    sonde_test_run_scalars (fixture->window.run_a, i, "loss", 0.01 * i, NULL);
  sonde_test_run_flush (fixture->window.run_a);
  window_fixture_open (&fixture->window, "scalars");
  fixture->view = find_view (fixture, "loss");
  fixture->hands = sonde_test_hands_new ();
}

static void
tear_down (Fixture *fixture, const void *data)
{
  sonde_test_hands_free (fixture->hands);
  window_fixture_clear (&fixture->window);
}

static gint64
get_second (SondeScalarView *view)
{
  gint64 a, b;

  sonde_scalar_view_get_cursors (view, &a, &b);
  return b;
}

static gint64
get_first (SondeScalarView *view)
{
  gint64 a, b;

  sonde_scalar_view_get_cursors (view, &a, &b);
  return a;
}

static gint64
get_step (Fixture *fixture)
{
  return sonde_step_cursor_get_step (sonde_workspace_get_cursor (fixture->window.workspace));
}

static gboolean
is_shown (Fixture *fixture)
{
  return gtk_widget_get_visible (GTK_WIDGET (find_table (fixture)));
}

/* ---- hands --------------------------------------------------------------- */

static void
point_at (Fixture *fixture, SondeScalarView *view, double step)
{
  double x, y;

  sonde_view_world_to_view (SONDE_VIEW (view), step, 0, &x, &y);
  sonde_test_hands_point (fixture->hands, GTK_WIDGET (view), x,
                          gtk_widget_get_height (GTK_WIDGET (view)) / 3.0);
}

typedef struct
{
  SondeScalarView *view;
  gint64 (*get) (SondeScalarView *view);
  gint64 step;
} Expected;

static gboolean
is_near (WindowFixture *window, const void *data)
{
  const Expected *expected = data;

  return llabs (expected->get (expected->view) - expected->step) <= 1;
}

/* A hand is at a whole px, which may be nearer to the step beside. */
static void
expect (Fixture *fixture, SondeScalarView *view, gint64 (*get) (SondeScalarView *view), gint64 step)
{
  window_fixture_wait (&fixture->window, is_near, &(Expected){ view, get, step });
}

static void
click (Fixture *fixture, SondeScalarView *view, double step, gboolean shift)
{
  point_at (fixture, view, step);
  if (shift)
    sonde_test_hands_key (fixture->hands, GDK_KEY_Shift_L, TRUE);
  sonde_test_hands_button (fixture->hands, 1, TRUE);
  sonde_test_hands_button (fixture->hands, 1, FALSE);
  if (shift)
    sonde_test_hands_key (fixture->hands, GDK_KEY_Shift_L, FALSE);
}

/* ---- what the record says ------------------------------------------------ */

/* A line of the table, by a walk over all points of the run. */
static void
append_line (GString *text, SondeRun *run, const char *title, const char *tag, gint64 a, gint64 b)
{
  SondeSeries *series = sonde_run_get_series (run, tag);
  double at_a = 0, at_b = 0, min = G_MAXDOUBLE, max = -G_MAXDOUBLE, sum = 0;
  gboolean has_b = FALSE;
  SondePoint point;
  guint n = 0;

  for (guint64 i = 0; sonde_series_copy_points (series, i, 1, &point) == 1; i++)
    {
      if (point.step == a)
        at_a = point.value;
      if (point.step == b)
        at_b = point.value, has_b = TRUE;
      if (point.step < a || point.step > b)
        continue;
      min = MIN (min, point.value);
      max = MAX (max, point.value);
      sum += point.value;
      n++;
    }
  g_string_append_printf (text, "%s\t%" PRIi64 "\t%.17g", title, a, at_a);
  if (has_b)
    g_string_append_printf (text, "\t%" PRIi64 "\t%.17g\t%.17g\t%.17g\t%.17g", b, at_b, at_b - at_a,
                            (at_b - at_a) / (double) (b - a), at_b / at_a);
  else
    g_string_append (text, "\t\t\t\t\t");
  g_string_append_printf (text, "\t%.17g\t%.17g\t%.17g\t%u\n", min, max, sum / n, n);
}

/* The same texts, where numbers may have another last digit. */
static void
assert_same (const char *got, const char *expected)
{
  g_auto (GStrv) x = g_strsplit_set (got, "\t\n", -1), y = g_strsplit_set (expected, "\t\n", -1);

  g_assert_cmpuint (g_strv_length (x), ==, g_strv_length (y));
  for (guint i = 0; x[i] != NULL; i++)
    if (g_ascii_isdigit (*y[i]) || *y[i] == '-')
      g_assert_cmpfloat_with_epsilon (g_ascii_strtod (x[i], NULL), g_ascii_strtod (y[i], NULL),
                                      1e-12);
    else
      g_assert_cmpstr (x[i], ==, y[i]);
}

static SondeRun *
get_run (Fixture *fixture, guint i)
{
  GListModel *runs = sonde_workspace_get_shown_runs (fixture->window.workspace);
  g_autoptr (SondeRun) run = g_list_model_get_item (runs, i);

  return run; /* the store holds it */
}

static void
check_table (Fixture *fixture, const char *tag, gint64 a, gint64 b)
{
  GString *expected = g_string_new ("run\tstep_a\tvalue_a\tstep_b\tvalue_b\tchange\tchange_per_"
                                    "step\tratio\tmin\tmax\tmean\tpoints\n");
  g_autofree char *text = NULL;

  window_fixture_settle (&fixture->window);
  for (guint i = 0; i < 2; i++)
    append_line (expected, get_run (fixture, i),
                 sonde_workspace_get_run_title (fixture->window.workspace, get_run (fixture, i)),
                 tag, a, b);
  text = sonde_value_table_dup_text (find_table (fixture));
  assert_same (text, expected->str);
  g_string_free (expected, TRUE);
}

static gboolean
has_one_cursor (WindowFixture *window, const void *data)
{
  return get_second (((const Fixture *) data)->view) == SONDE_SCALAR_NO_STEP;
}

/* ---- tests --------------------------------------------------------------- */

/* A click, a click with Shift, and the table is there; Escape takes both away. */
static void
test_pointer (Fixture *fixture, const void *data)
{
  if (fixture->hands == NULL)
    {
      g_test_skip ("There is no libXtst.");
      return;
    }
  sonde_test_hands_focus (fixture->hands, GTK_WINDOW (fixture->window.window));
  g_assert_false (is_shown (fixture));
  click (fixture, fixture->view, 40, FALSE);
  expect (fixture, fixture->view, get_first, 40);
  g_assert_false (is_shown (fixture));
  click (fixture, fixture->view, 120, TRUE);
  expect (fixture, fixture->view, get_second, 120);
  g_assert_cmpint (get_step (fixture), ==, get_first (fixture->view));
  g_assert_true (is_shown (fixture));
  check_table (fixture, "loss", get_first (fixture->view), get_second (fixture->view));
  /* The other charts have A alone. */
  g_assert_cmpint (get_second (find_view (fixture, "accuracy")), ==, SONDE_SCALAR_NO_STEP);
  sonde_test_hands_key (fixture->hands, GDK_KEY_Escape, TRUE);
  sonde_test_hands_key (fixture->hands, GDK_KEY_Escape, FALSE);
  window_fixture_wait (&fixture->window, has_one_cursor, fixture);
  g_assert_false (is_shown (fixture));
}

static void
drag (Fixture *fixture, double from, double to)
{
  point_at (fixture, fixture->view, from);
  window_fixture_settle (&fixture->window);
  sonde_test_hands_button (fixture->hands, 1, TRUE);
  for (int i = 1; i <= 4; i++)
    point_at (fixture, fixture->view, from + (to - from) * i / 4);
}

/* Both lines are taken hold of; a drag beside them zooms as ever. */
static void
test_drag (Fixture *fixture, const void *data)
{
  if (fixture->hands == NULL)
    {
      g_test_skip ("There is no libXtst.");
      return;
    }
  click (fixture, fixture->view, 40, FALSE);
  expect (fixture, fixture->view, get_first, 40);
  click (fixture, fixture->view, 120, TRUE);
  expect (fixture, fixture->view, get_second, 120);
  drag (fixture, 120, 180);
  expect (fixture, fixture->view, get_second, 180);
  sonde_test_hands_button (fixture->hands, 1, FALSE);
  check_table (fixture, "loss", get_first (fixture->view), get_second (fixture->view));
  drag (fixture, 40, 20);
  expect (fixture, fixture->view, get_first, 20);
  sonde_test_hands_button (fixture->hands, 1, FALSE);
  check_table (fixture, "loss", get_first (fixture->view), get_second (fixture->view));
  g_assert_true (sonde_view_is_fitted (SONDE_VIEW (fixture->view), NULL, NULL));
}

/* D and the arrow keys; beyond the last step of a run, which is live, its row says so. */
static void
test_keys (Fixture *fixture, const void *data)
{
  sonde_step_cursor_set_step (sonde_workspace_get_cursor (fixture->window.workspace), 50);
  gtk_widget_grab_focus (GTK_WIDGET (fixture->view));
  g_assert_true (window_fixture_press (&fixture->window, GDK_KEY_d, 0));
  g_assert_cmpint (get_second (fixture->view), ==, 50);
  window_fixture_press (&fixture->window, GDK_KEY_Right, GDK_SHIFT_MASK);
  window_fixture_press (&fixture->window, GDK_KEY_Right, 0);
  g_assert_cmpint (get_second (fixture->view), ==, 61);
  g_assert_cmpint (get_step (fixture), ==, 50);
  window_fixture_press (&fixture->window, GDK_KEY_d, 0);
  window_fixture_press (&fixture->window, GDK_KEY_Left, 0);
  g_assert_cmpint (get_second (fixture->view), ==, 61);
  g_assert_cmpint (get_step (fixture), ==, 49);
  check_table (fixture, "loss", 49, 61);
  window_fixture_press (&fixture->window, GDK_KEY_d, 0);
  window_fixture_press (&fixture->window, GDK_KEY_End, 0);
  g_assert_cmpint (get_second (fixture->view), ==, 249);
  check_table (fixture, "loss", 49, 249);
  g_assert_nonnull (
      window_fixture_find_label (GTK_WIDGET (find_table (fixture)), "– so far to 199"));
  g_assert_true (window_fixture_press (&fixture->window, GDK_KEY_Escape, 0));
  g_assert_cmpint (get_second (fixture->view), ==, SONDE_SCALAR_NO_STEP);
}

/* In a chart that fills the page the first Escape is for the cursor, the second for the page. */
static void
test_expanded (Fixture *fixture, const void *data)
{
  SondeCardGrid *grid
      = SONDE_CARD_GRID (window_fixture_find (page_of (fixture), SONDE_TYPE_CARD_GRID));
  GtkWidget *focus;

  g_signal_emit_by_name (find_card (page_of (fixture), "loss"), "expand", "loss");
  window_fixture_settle (&fixture->window);
  focus = gtk_root_get_focus (GTK_ROOT (fixture->window.window));
  g_assert_true (SONDE_IS_SCALAR_VIEW (focus));
  window_fixture_press (&fixture->window, GDK_KEY_d, 0);
  g_assert_cmpint (get_second (SONDE_SCALAR_VIEW (focus)), ==, 249);
  window_fixture_press (&fixture->window, GDK_KEY_Escape, 0);
  g_assert_cmpint (get_second (SONDE_SCALAR_VIEW (focus)), ==, SONDE_SCALAR_NO_STEP);
  g_assert_cmpstr (sonde_card_grid_get_expanded (grid), ==, "loss");
  window_fixture_press (&fixture->window, GDK_KEY_Escape, 0);
  g_assert_null (sonde_card_grid_get_expanded (grid));
}

/* One button shows the values at the one cursor, and keeps them when B comes and goes. */
static void
test_one_cursor (Fixture *fixture, const void *data)
{
  SondeValueTable *table = find_table (fixture);
  g_autofree char *text = NULL, *number = NULL;
  GtkWidget *button;
  SondePoint point;

  sonde_step_cursor_set_step (sonde_workspace_get_cursor (fixture->window.workspace), 220);
  gtk_widget_grab_focus (GTK_WIDGET (fixture->view));
  window_fixture_press (&fixture->window, GDK_KEY_d, 0);
  window_fixture_press (&fixture->window, GDK_KEY_Escape, 0);
  g_assert_false (is_shown (fixture));
  button = window_fixture_find (page_of (fixture), GTK_TYPE_TOGGLE_BUTTON);
  while (button != NULL
         && (!GTK_IS_TOGGLE_BUTTON (button)
             || g_strcmp0 (gtk_button_get_icon_name (GTK_BUTTON (button)), "view-list-symbolic")))
    button = gtk_widget_get_next_sibling (button);
  g_assert_nonnull (button);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (button), TRUE);
  window_fixture_settle (&fixture->window);
  g_assert_cmpint (sonde_series_copy_points (sonde_run_get_series (get_run (fixture, 0), "loss"),
                                             220, 1, &point),
                   ==, 1);
  number = sonde_format_number (point.value);
  g_assert_nonnull (window_fixture_find_label (GTK_WIDGET (table), number));
  g_assert_nonnull (window_fixture_find_label (GTK_WIDGET (table), "loss · step 220"));
  text = sonde_value_table_dup_text (table);
  g_assert_true (g_str_has_prefix (text, "run\tstep_a\tvalue_a\n"));
  window_fixture_press (&fixture->window, GDK_KEY_d, 0);
  window_fixture_press (&fixture->window, GDK_KEY_Escape, 0);
  g_assert_true (is_shown (fixture));
}

/* With charts that are zoomed together B is one for all. */
static void
test_linked (Fixture *fixture, const void *data)
{
  SondeScalarView *other = find_view (fixture, "accuracy");
  SondeChartPanel *panel
      = SONDE_CHART_PANEL (window_fixture_find (page_of (fixture), SONDE_TYPE_CHART_PANEL));
  GtkWidget *row = sonde_chart_panel_get_row (panel, SONDE_CHART_FIELD_LINKED);

  gtk_switch_set_active (GTK_SWITCH (adw_action_row_get_activatable_widget (ADW_ACTION_ROW (row))),
                         TRUE);
  sonde_step_cursor_set_step (sonde_workspace_get_cursor (fixture->window.workspace), 50);
  gtk_widget_grab_focus (GTK_WIDGET (fixture->view));
  window_fixture_press (&fixture->window, GDK_KEY_d, 0);
  window_fixture_press (&fixture->window, GDK_KEY_Right, 0);
  g_assert_cmpint (get_second (other), ==, 51);
  check_table (fixture, "loss", 50, 51);
  gtk_widget_grab_focus (GTK_WIDGET (other));
  window_fixture_press (&fixture->window, GDK_KEY_Left, 0);
  check_table (fixture, "accuracy", 49, 51);
  window_fixture_press (&fixture->window, GDK_KEY_Escape, 0);
  g_assert_cmpint (get_second (fixture->view), ==, SONDE_SCALAR_NO_STEP);
}

/* ---- legend -------------------------------------------------------------- */

static gboolean
is_hidden_text (WindowFixture *window, const void *text)
{
  SondeScalarView *view = SONDE_SCALAR_VIEW (gtk_root_get_focus (GTK_ROOT (window->window)));
  g_autofree char *described = sonde_view_describe (SONDE_VIEW (view));

  return strstr (described, text) != NULL;
}

/* In a chart that fills the page: a click on a name hides its curve, with Ctrl all others; keys do the same; what is
 * hidden stays with the chart and can be undone. */
static void
test_legend (Fixture *fixture, const void *data)
{
  SondeHistory *history = sonde_workspace_get_history (fixture->window.workspace);
  GtkWidget *view;

  if (fixture->hands == NULL)
    {
      g_test_skip ("There is no libXtst.");
      return;
    }
  g_signal_emit_by_name (find_card (page_of (fixture), "loss"), "expand", "loss");
  window_fixture_settle (&fixture->window);
  sonde_test_hands_focus (fixture->hands, GTK_WINDOW (fixture->window.window));
  view = gtk_root_get_focus (GTK_ROOT (fixture->window.window));
  sonde_test_hands_point (fixture->hands, view, SONDE_AXIS_LEFT + 6, 9);
  sonde_test_hands_button (fixture->hands, 1, TRUE);
  sonde_test_hands_button (fixture->hands, 1, FALSE);
  window_fixture_wait (&fixture->window, is_hidden_text, "Hidden: group/a.");
  sonde_test_hands_key (fixture->hands, GDK_KEY_Control_L, TRUE);
  sonde_test_hands_button (fixture->hands, 1, TRUE);
  sonde_test_hands_button (fixture->hands, 1, FALSE);
  window_fixture_wait (&fixture->window, is_hidden_text, "Hidden: group/b.");
  sonde_test_hands_key (fixture->hands, GDK_KEY_Control_L, FALSE);
  g_assert_true (sonde_history_undo (history));
  window_fixture_wait (&fixture->window, is_hidden_text, "Hidden: group/a.");
  window_fixture_settle (&fixture->window);
  g_assert_true (window_fixture_press (&fixture->window, GDK_KEY_l, 0));
  window_fixture_press (&fixture->window, GDK_KEY_space, 0);
  window_fixture_settle (&fixture->window);
  g_assert_false (is_hidden_text (&fixture->window, "Hidden:"));
  window_fixture_press (&fixture->window, GDK_KEY_Right, 0);
  window_fixture_press (&fixture->window, GDK_KEY_space, 0);
  window_fixture_wait (&fixture->window, is_hidden_text, "Hidden: group/b.");
  /* Out of the legend, the arrows are the cursor's again. */
  window_fixture_press (&fixture->window, GDK_KEY_Escape, 0);
  window_fixture_press (&fixture->window, GDK_KEY_Home, 0);
  g_assert_cmpint (get_step (fixture), ==, 0);
}

/* The table goes into a drawing for a file, and not onto the screen. */
static void
test_export (Fixture *fixture, const void *data)
{
  g_autofree char *path = g_build_filename (fixture->window.folder, "chart.svg", NULL);
  g_autofree char *plain = NULL, *both = NULL;
  SondeView *view = SONDE_VIEW (fixture->view);
  gsize n_plain, n_both;

  g_assert_true (sonde_view_export (view, path, 640, 480, NULL));
  g_assert_true (g_file_get_contents (path, &plain, &n_plain, NULL));
  sonde_scalar_view_set_second (fixture->view, 20);
  g_assert_true (sonde_view_export (view, path, 640, 480, NULL));
  g_assert_true (g_file_get_contents (path, &both, &n_both, NULL));
  g_assert_cmpuint (n_both, >, n_plain + 1000);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
#define ADD(name, function)                                                                        \
  g_test_add ("/app/pages/scalar-cursors/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("pointer", test_pointer);
  ADD ("drag", test_drag);
  ADD ("keys", test_keys);
  ADD ("expanded", test_expanded);
  ADD ("one-cursor", test_one_cursor);
  ADD ("linked", test_linked);
  ADD ("export", test_export);
  ADD ("legend", test_legend);
#undef ADD
  return g_test_run ();
}
