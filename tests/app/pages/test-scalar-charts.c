/* SPDX-License-Identifier: Apache-2.0
 * What the Scalars page can be asked for: sections, pins and sizes of cards, and settings that stay with the folder. */
#include <math.h>

#include "app/pages/cards/sonde-card-strip.h"
#include "app/pages/cards/sonde-scalar-card.h"
#include "app/pages/scalars/sonde-chart-list.h"
#include "app/pages/scalars/sonde-chart-panel.h"
#include "app/pages/scalars/sonde-curve-expression.h"
#include "tests/app/pages/window-fixture.h"

static GtkWidget *
page_of (WindowFixture *fixture)
{
  return GTK_WIDGET (sonde_window_get_page (fixture->window));
}

static void
open_many (WindowFixture *fixture)
{
  window_fixture_init (fixture);
  sonde_test_run_scalars (fixture->run_a, 200, "train/a", 1.0, "train/b", 2.0, "train/c", 3.0,
                          "test/a", 4.0, "test/b", 5.0, "lr", 6.0, "z/one", 7.0, NULL);
  sonde_test_run_flush (fixture->run_a);
  window_fixture_open (fixture, "scalars");
}

/* A visible card of that tag. (nullable) */
static SondeTagCard *
find_card (GtkWidget *widget, const char *tag)
{
  if (!gtk_widget_get_child_visible (widget) || !gtk_widget_get_visible (widget))
    return NULL;
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

static GtkWidget *
find_heading (WindowFixture *fixture, const char *name)
{
  GtkWidget *label = window_fixture_find_label (page_of (fixture), name);

  return label != NULL ? gtk_widget_get_ancestor (label, GTK_TYPE_BUTTON) : NULL;
}

static GtkDropDown *
find_choice (GtkWidget *widget, const char *tooltip)
{
  if (GTK_IS_DROP_DOWN (widget) && g_strcmp0 (gtk_widget_get_tooltip_text (widget), tooltip) == 0)
    return GTK_DROP_DOWN (widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkDropDown *found = find_choice (child, tooltip);

      if (found != NULL)
        return found;
    }
  return NULL;
}

/* Small cards, so that all are on the screen. */
static void
make_small (WindowFixture *fixture)
{
  gtk_drop_down_set_selected (find_choice (page_of (fixture), "Size of the cards"), 0);
  window_fixture_settle (fixture);
}

static gboolean
has_card (WindowFixture *fixture, const void *tag)
{
  return find_card (page_of (fixture), tag) != NULL;
}

static gboolean
lacks_card (WindowFixture *fixture, const void *tag)
{
  return find_card (page_of (fixture), tag) == NULL;
}

static void
test_sections (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *heading;

  open_many (&fixture);
  make_small (&fixture);
  g_assert_nonnull (find_heading (&fixture, "General"));
  g_assert_nonnull (find_card (page_of (&fixture), "test/a"));
  heading = find_heading (&fixture, "test");
  gtk_widget_grab_focus (heading);
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Return, 0));
  window_fixture_wait (&fixture, lacks_card, "test/a");
  window_fixture_settle (&fixture);
  g_assert_nonnull (find_heading (&fixture, "train"));
  /* The heading stays where it is, with the focus. */
  g_assert_true (find_heading (&fixture, "test") == heading);
  g_assert_true (gtk_root_get_focus (GTK_ROOT (fixture.window)) == heading);
  g_signal_emit_by_name (heading, "clicked");
  window_fixture_settle (&fixture);
  g_assert_nonnull (find_card (page_of (&fixture), "test/a"));
  window_fixture_clear (&fixture);
}

static double
top_of (WindowFixture *fixture, const char *tag)
{
  graphene_rect_t bounds;

  g_assert_true (gtk_widget_compute_bounds (GTK_WIDGET (find_card (page_of (fixture), tag)),
                                            page_of (fixture), &bounds));
  return graphene_rect_get_y (&bounds);
}

static void
test_pins (void)
{
  WindowFixture fixture = { 0 };

  open_many (&fixture);
  make_small (&fixture);
  g_assert_cmpfloat (top_of (&fixture, "test/a"), >, top_of (&fixture, "lr"));
  g_signal_emit_by_name (find_card (page_of (&fixture), "test/a"), "pin");
  window_fixture_settle (&fixture);
  g_assert_nonnull (find_heading (&fixture, "Pinned"));
  g_assert_cmpfloat (top_of (&fixture, "test/a"), <, top_of (&fixture, "lr"));
  g_signal_emit_by_name (find_card (page_of (&fixture), "test/a"), "pin");
  window_fixture_settle (&fixture);
  g_assert_null (find_heading (&fixture, "Pinned"));
  window_fixture_clear (&fixture);
}

static void
test_sizes (void)
{
  WindowFixture fixture = { 0 };
  GtkDropDown *size;
  int widths[3];

  open_many (&fixture);
  size = find_choice (page_of (&fixture), "Size of the cards");
  for (guint i = 0; i < 3; i++)
    {
      gtk_drop_down_set_selected (size, i);
      window_fixture_settle (&fixture);
      widths[i] = gtk_widget_get_width (GTK_WIDGET (find_card (page_of (&fixture), "accuracy")));
    }
  g_assert_cmpint (widths[0], <, widths[1]);
  g_assert_cmpint (widths[1], <, widths[2]);
  window_fixture_clear (&fixture);
}

/* What was chosen is there when the folder is opened again, and not for another folder. */
static void
test_remembered (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *folder = NULL;
  const char *paths[2] = { NULL };
  GError *error = NULL;

  open_many (&fixture);
  make_small (&fixture);
  g_signal_emit_by_name (find_card (page_of (&fixture), "lr"), "pin");
  gtk_drop_down_set_selected (find_choice (page_of (&fixture), "Quantity on the x axis"), 2);
  g_assert_true (sonde_workspace_save_settings (fixture.workspace, &error));
  g_assert_no_error (error);
  folder = g_strdup (sonde_workspace_get_paths (fixture.workspace)[0]);
  window_fixture_close (&fixture);
  paths[0] = folder;
  window_fixture_open_paths (&fixture, paths, "scalars", NULL);
  g_assert_nonnull (find_heading (&fixture, "Pinned"));
  g_assert_cmpuint (
      gtk_drop_down_get_selected (find_choice (page_of (&fixture), "Quantity on the x axis")), ==,
      2);
  window_fixture_clear (&fixture);
}

/* The panel of a card, opened by its button. */
static SondeChartPanel *
open_panel (WindowFixture *fixture, const char *tag)
{
  g_signal_emit_by_name (find_card (page_of (fixture), tag), "settings");
  window_fixture_settle (fixture);
  return SONDE_CHART_PANEL (window_fixture_find (page_of (fixture), SONDE_TYPE_CHART_PANEL));
}

static void
viewport_of (WindowFixture *fixture, const char *tag, SondeViewport *viewport)
{
  window_fixture_settle (fixture);
  sonde_view_get_viewport (sonde_tag_card_get_view (find_card (page_of (fixture), tag)), viewport);
}

static void
type (GtkWidget *row, const char *text)
{
  gtk_editable_set_text (GTK_EDITABLE (row), text);
  g_signal_emit_by_name (row, "apply");
}

/* Limits typed for one card are its own; those typed for all are everybody's. */
static void
test_limits (void)
{
  WindowFixture fixture = { 0 };
  SondeChartPanel *panel;
  SondeViewport loss, accuracy;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "scalars");
  panel = open_panel (&fixture, "loss");
  g_assert_cmpstr (sonde_chart_panel_get_card (panel), ==, "loss");
  type (sonde_chart_panel_get_row (panel, SONDE_CHART_FIELD_X_LOW), "50");
  type (sonde_chart_panel_get_row (panel, SONDE_CHART_FIELD_Y_HIGH), "8.5");
  viewport_of (&fixture, "loss", &loss);
  viewport_of (&fixture, "accuracy", &accuracy);
  g_assert_cmpfloat (loss.x0, ==, 50);
  g_assert_cmpfloat (loss.y0, ==, 8.5);
  g_assert_cmpfloat (accuracy.x0, <, 0);
  /* No number: nothing changes, and the row says so. */
  type (sonde_chart_panel_get_row (panel, SONDE_CHART_FIELD_Y_HIGH), "high");
  g_assert_true (gtk_widget_has_css_class (
      sonde_chart_panel_get_row (panel, SONDE_CHART_FIELD_Y_HIGH), "error"));
  viewport_of (&fixture, "loss", &loss);
  g_assert_cmpfloat (loss.y0, ==, 8.5);
  sonde_chart_panel_set_card (panel, NULL);
  type (sonde_chart_panel_get_row (panel, SONDE_CHART_FIELD_X_LOW), "20");
  viewport_of (&fixture, "loss", &loss);
  viewport_of (&fixture, "accuracy", &accuracy);
  g_assert_cmpfloat (loss.x0, ==, 50);
  g_assert_cmpfloat (accuracy.x0, ==, 20);
  window_fixture_clear (&fixture);
}

/* Another tag beside the card's own, and away again. */
static void
test_curves (void)
{
  WindowFixture fixture = { 0 };
  SondeChartPanel *panel;
  SondeChartList *list;
  SondeScalarView *view;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "scalars");
  panel = open_panel (&fixture, "loss");
  view = SONDE_SCALAR_VIEW (sonde_tag_card_get_view (find_card (page_of (&fixture), "loss")));
  g_assert_cmpuint (sonde_scalar_view_get_n_series (view), ==, 2);
  list = SONDE_CHART_LIST (sonde_chart_panel_get_row (panel, SONDE_CHART_FIELD_CURVES));
  g_assert_false (sonde_chart_list_add (list, "accuracy +"));
  g_assert_true (sonde_chart_list_add (list, "ema(accuracy, 0.5) * 2"));
  window_fixture_settle (&fixture);
  g_assert_cmpuint (sonde_scalar_view_get_n_series (view), ==, 4);
  g_signal_emit_by_name (window_fixture_find (GTK_WIDGET (list), GTK_TYPE_BUTTON), "clicked");
  window_fixture_settle (&fixture);
  g_assert_cmpuint (sonde_scalar_view_get_n_series (view), ==, 2);
  list = SONDE_CHART_LIST (sonde_chart_panel_get_row (panel, SONDE_CHART_FIELD_RULES));
  g_assert_false (sonde_chart_list_add (list, "target 0.9"));
  g_assert_true (sonde_chart_list_add (list, "0.9 target"));
  window_fixture_clear (&fixture);
}

static void
set_common (WindowFixture *fixture, SondeChartGroup group, const char *by)
{
  SondeChartPanel *panel = open_panel (fixture, "loss");

  sonde_chart_panel_set_card (panel, NULL);
  adw_combo_row_set_selected (
      ADW_COMBO_ROW (sonde_chart_panel_get_row (panel, SONDE_CHART_FIELD_GROUP)), group);
  if (by != NULL)
    type (sonde_chart_panel_get_row (panel, SONDE_CHART_FIELD_GROUP_BY), by);
  adw_combo_row_set_selected (
      ADW_COMBO_ROW (sonde_chart_panel_get_row (panel, SONDE_CHART_FIELD_SMOOTH)),
      SONDE_CHART_SMOOTH_NONE);
  window_fixture_settle (fixture);
}

static char *
dup_table (WindowFixture *fixture, const char *tag)
{
  window_fixture_wait (fixture, has_card, tag);
  return sonde_view_dup_table (sonde_tag_card_get_view (find_card (page_of (fixture), tag)), '\t');
}

/* "1.25" of a table's line "name<tab>step<tab>time<tab>1.25". */
static double
value_in_table (const char *table, const char *name, gint64 step)
{
  g_auto (GStrv) lines = g_strsplit (table, "\n", -1);

  for (guint i = 1; lines[i] != NULL; i++)
    {
      g_auto (GStrv) cells = g_strsplit (lines[i], "\t", -1);

      if (g_strv_length (cells) == 4 && g_str_has_prefix (cells[0], name)
          && g_ascii_strtoll (cells[1], NULL, 10) == step)
        return g_ascii_strtod (cells[3], NULL);
    }
  g_error ("no line of %s at step %d in\n%s", name, (int) step, table);
}

static void
write_parameter (SondeTestRun *run, const char *rate)
{
  SondeHparam items[] = { { (char *) "rate", (char *) rate, SONDE_HPARAM_NUMBER } };
  SondeRecord record = { .kind = SONDE_RECORD_HPARAMS,
                         .session = 1,
                         .tag = g_intern_static_string ("hparams"),
                         .wall_time_ns = SONDE_TEST_RUN_START_NS,
                         .u.hparams = { .items = items, .n = 1, .time = NAN } };

  sonde_test_run_record (run, &record);
  sonde_test_run_flush (run);
}

static gboolean
tells (WindowFixture *fixture, const void *words)
{
  g_autofree char *text
      = sonde_view_describe (sonde_tag_card_get_view (find_card (page_of (fixture), "loss")));

  return strstr (text, words) != NULL;
}

/* The curve of a group is the mean of what its runs recorded. */
static void
test_groups (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *single = NULL, *joined = NULL;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "scalars");
  single = dup_table (&fixture, "loss");
  set_common (&fixture, SONDE_CHART_GROUP_FOLDER, NULL);
  joined = dup_table (&fixture, "loss");
  for (gint64 step = 0; step < 200; step += 37)
    g_assert_cmpfloat_with_epsilon (
        value_in_table (joined, "group · 2 runs", step),
        (value_in_table (single, "group/a", step) + value_in_table (single, "group/b", step)) / 2,
        1e-12);
  /* Each run by itself: a pattern that tells them apart, and one that is no expression. */
  set_common (&fixture, SONDE_CHART_GROUP_PATTERN, "/(.)$");
  g_assert_true (tells (&fixture, " a · 1 run:"));
  set_common (&fixture, SONDE_CHART_GROUP_PATTERN, "((");
  g_assert_true (tells (&fixture, "group/b · 1 run:"));
  window_fixture_clear (&fixture);
}

/* What runs were trained with, as they recorded it; when a run grows its group does. */
static void
test_parameters (void)
{
  WindowFixture fixture = { 0 };

  window_fixture_init (&fixture);
  write_parameter (fixture.run_a, "0.1");
  write_parameter (fixture.run_b, "0.1");
  window_fixture_open (&fixture, "scalars");
  set_common (&fixture, SONDE_CHART_GROUP_PARAMETER, "rate");
  window_fixture_wait (&fixture, tells, "rate = 0.1 · 2 runs: 200 points");
  sonde_test_run_scalars (fixture.run_a, 500, "loss", 8.0, NULL);
  sonde_test_run_flush (fixture.run_a);
  window_fixture_wait (&fixture, tells, "rate = 0.1 · 2 runs: 201 points");
  window_fixture_clear (&fixture);
}

/* Every number is what the records give; where one scalar lacks a step there is none. */
static void
test_expressions (void)
{
  WindowFixture fixture = { 0 };
  g_autoptr (SondeCurveExpression) expression = NULL;
  g_autoptr (GArray) points = NULL;
  g_autoptr (SondeRun) run = NULL;
  GError *error = NULL;
  double last = 0;

  window_fixture_init (&fixture);
  sonde_test_run_scalars (fixture.run_a, 300, "loss", 1.0, NULL);
  sonde_test_run_flush (fixture.run_a);
  window_fixture_open (&fixture, "scalars");
  run = g_list_model_get_item (sonde_workspace_get_shown_runs (fixture.workspace), 0);
  expression = sonde_curve_expression_new ("log(loss) - ema(accuracy * 2, 0.5)", &error);
  g_assert_no_error (error);
  points = sonde_curve_expression_compute (expression, run, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (points->len, ==, 200);
  for (guint i = 0; i < points->len; i++)
    {
      SondePoint loss, accuracy;

      sonde_series_copy_points (sonde_run_get_series (run, "loss"), i, 1, &loss);
      sonde_series_copy_points (sonde_run_get_series (run, "accuracy"), i, 1, &accuracy);
      last = 0.5 * last + 0.5 * 2 * accuracy.value;
      g_assert_cmpint (g_array_index (points, SondePoint, i).step, ==, loss.step);
      g_assert_cmpfloat_with_epsilon (g_array_index (points, SondePoint, i).value,
                                      log (loss.value) - last / (1 - pow (0.5, i + 1)), 1e-9);
    }
  window_fixture_clear (&fixture);
}

/* The column is that of the whole text, inside of ema(), too. */
static void
test_expression_errors (void)
{
  static const struct
  {
    const char *text, *words;
  } cases[] = {
    { "loss +", "Column 7 " },
    { "ema(loss +, 0.5)", "Column 11 " },
    { "1 + ema(loss)", "Column 5 of the expression: ema() takes" },
    { "1 + ema(loss, 1)", "Column 14 of the expression: the weight" },
    { "ema(ema(loss, 0.5) * , 0.5)", "Column 22 " },
    { "loss[3]", "whole scalars" },
    { "nan(*)", "whole scalars" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeCurveExpression) expression
          = sonde_curve_expression_new (cases[i].text, &error);

      g_assert_null (expression);
      g_test_message ("%s: %s", cases[i].text, error->message);
      g_assert_nonnull (strstr (error->message, cases[i].words));
    }
}

/* A chart of its own, which grows with the run, and goes. */
static void
test_expression_card (void)
{
  WindowFixture fixture = { 0 };
  SondeChartPanel *panel;
  SondeChartList *list;
  g_autofree char *table = NULL;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "scalars");
  panel = open_panel (&fixture, "loss");
  sonde_chart_panel_set_card (panel, NULL);
  list = SONDE_CHART_LIST (sonde_chart_panel_get_row (panel, SONDE_CHART_FIELD_CURVES));
  g_assert_true (sonde_chart_list_add (list, "loss * 10"));
  window_fixture_settle (&fixture);
  table = dup_table (&fixture, "=loss * 10");
  g_assert_cmpfloat_with_epsilon (value_in_table (table, "group/a", 0), 10, 1e-12);
  sonde_chart_list_set_texts (list, NULL);
  g_signal_emit_by_name (list, "changed");
  window_fixture_wait (&fixture, lacks_card, "=loss * 10");
  window_fixture_clear (&fixture);
}

/* One card on another: its curves come into that, and undo takes them out. */
static void
test_dropped (void)
{
  WindowFixture fixture = { 0 };
  SondeTagCard *card;
  GtkDropTarget *target = NULL;
  g_autoptr (GListModel) controllers = NULL;
  g_auto (GValue) value = G_VALUE_INIT;
  gboolean taken = FALSE;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "scalars");
  window_fixture_wait (&fixture, has_card, "loss");
  card = find_card (page_of (&fixture), "loss");
  controllers = gtk_widget_observe_controllers (GTK_WIDGET (card));
  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_DROP_TARGET (controller))
        target = GTK_DROP_TARGET (controller);
    }
  g_value_init (&value, G_TYPE_STRING);
  g_value_set_static_string (&value, "some text");
  g_signal_emit_by_name (target, "drop", &value, 5.0, 5.0, &taken);
  g_assert_false (taken);
  g_value_set_static_string (&value, "sonde-tag:accuracy");
  g_signal_emit_by_name (target, "drop", &value, 5.0, 5.0, &taken);
  g_assert_true (taken);
  g_assert_cmpuint (
      sonde_scalar_view_get_n_series (sonde_scalar_card_get_view (SONDE_SCALAR_CARD (card))), ==,
      4);
  g_assert_true (sonde_history_undo (sonde_workspace_get_history (fixture.workspace)));
  g_assert_cmpuint (
      sonde_scalar_view_get_n_series (sonde_scalar_card_get_view (SONDE_SCALAR_CARD (card))), ==,
      2);
  g_assert_true (sonde_history_redo (sonde_workspace_get_history (fixture.workspace)));
  g_assert_cmpuint (
      sonde_scalar_view_get_n_series (sonde_scalar_card_get_view (SONDE_SCALAR_CARD (card))), ==,
      4);
  window_fixture_clear (&fixture);
}

static void
test_linked (void)
{
  WindowFixture fixture = { 0 };
  SondeChartPanel *panel;
  SondeViewport accuracy;
  GtkWidget *row;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "scalars");
  panel = open_panel (&fixture, "loss");
  type (sonde_chart_panel_get_row (panel, SONDE_CHART_FIELD_NOTE), "too high");
  window_fixture_settle (&fixture);
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "too high"));
  sonde_view_set_viewport (sonde_tag_card_get_view (find_card (page_of (&fixture), "loss")),
                           &(SondeViewport){ 10, 1, 20, 0 });
  viewport_of (&fixture, "accuracy", &accuracy);
  g_assert_cmpfloat (accuracy.x1, >, 190);
  sonde_chart_panel_set_card (panel, NULL);
  row = sonde_chart_panel_get_row (panel, SONDE_CHART_FIELD_LINKED);
  gtk_switch_set_active (GTK_SWITCH (adw_action_row_get_activatable_widget (ADW_ACTION_ROW (row))),
                         TRUE);
  sonde_view_set_viewport (sonde_tag_card_get_view (find_card (page_of (&fixture), "loss")),
                           &(SondeViewport){ 30, 1, 40, 0 });
  viewport_of (&fixture, "accuracy", &accuracy);
  g_assert_cmpfloat (accuracy.x0, ==, 30);
  g_assert_cmpfloat (accuracy.x1, ==, 40);
  window_fixture_clear (&fixture);
}

static double
get_weight (WindowFixture *fixture)
{
  GtkWidget *entry = window_fixture_find (page_of (fixture), GTK_TYPE_ENTRY);

  return g_ascii_strtod (gtk_editable_get_text (GTK_EDITABLE (entry)), NULL);
}

static void
enter (GtkWidget *entry, const char *text)
{
  gtk_editable_set_text (GTK_EDITABLE (entry), text);
  g_signal_emit_by_name (entry, "activate");
}

/* However many values a slider passes, it is one step back; and a value can be typed. */
static void
test_smoothing (void)
{
  WindowFixture fixture = { 0 };
  SondeHistory *history;
  GtkWidget *entry, *scale;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "scalars");
  history = sonde_workspace_get_history (fixture.workspace);
  scale = window_fixture_find (page_of (&fixture), GTK_TYPE_SCALE);
  entry = window_fixture_find (page_of (&fixture), GTK_TYPE_ENTRY);
  g_assert_cmpfloat (get_weight (&fixture), ==, 0.6);
  for (int i = 61; i <= 90; i++)
    gtk_range_set_value (GTK_RANGE (scale), i / 100.0);
  g_assert_cmpfloat (get_weight (&fixture), ==, 0.9);
  g_assert_true (sonde_history_undo (history));
  g_assert_cmpfloat (get_weight (&fixture), ==, 0.6);
  g_assert_false (sonde_history_undo (history));
  enter (entry, "0.995");
  g_assert_cmpfloat (get_weight (&fixture), ==, 0.995);
  enter (entry, "much");
  g_assert_cmpfloat (get_weight (&fixture), ==, 0.995);
  enter (entry, "7");
  g_assert_cmpfloat (get_weight (&fixture), ==, 0.995);
  g_assert_true (sonde_history_undo (history));
  g_assert_cmpfloat (get_weight (&fixture), ==, 0.6);
  window_fixture_clear (&fixture);
}

static GtkWidget *
find_dialog (void)
{
  g_autoptr (GListModel) windows = g_object_ref (gtk_window_get_toplevels ());

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

      if (GTK_IS_DIALOG (window) && gtk_widget_get_visible (window))
        return window;
    }
  return NULL;
}

/* The kind is chosen, not typed into a name; values have no size. */
static void
test_export (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *dialog, *kind, *width;
  SondeView *view;

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "scalars");
  window_fixture_wait (&fixture, has_card, "loss");
  view = sonde_tag_card_get_view (find_card (page_of (&fixture), "loss"));
  gtk_widget_activate_action (GTK_WIDGET (view), "view.export", NULL);
  dialog = find_dialog ();
  g_assert_nonnull (dialog);
  kind
      = window_fixture_find (gtk_dialog_get_content_area (GTK_DIALOG (dialog)), GTK_TYPE_DROP_DOWN);
  width = window_fixture_find (gtk_dialog_get_content_area (GTK_DIALOG (dialog)),
                               GTK_TYPE_SPIN_BUTTON);
  g_assert_cmpuint (g_list_model_get_n_items (gtk_drop_down_get_model (GTK_DROP_DOWN (kind))), ==,
                    5);
  g_assert_true (gtk_widget_get_sensitive (width));
  gtk_drop_down_set_selected (GTK_DROP_DOWN (kind), 3);
  g_assert_false (gtk_widget_get_sensitive (width));
  gtk_dialog_response (GTK_DIALOG (dialog), GTK_RESPONSE_CANCEL);
  g_assert_null (find_dialog ());
  window_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/pages/scalar-charts/sections", test_sections);
  g_test_add_func ("/app/pages/scalar-charts/pins", test_pins);
  g_test_add_func ("/app/pages/scalar-charts/sizes", test_sizes);
  g_test_add_func ("/app/pages/scalar-charts/remembered", test_remembered);
  g_test_add_func ("/app/pages/scalar-charts/limits", test_limits);
  g_test_add_func ("/app/pages/scalar-charts/curves", test_curves);
  g_test_add_func ("/app/pages/scalar-charts/groups", test_groups);
  g_test_add_func ("/app/pages/scalar-charts/parameters", test_parameters);
  g_test_add_func ("/app/pages/scalar-charts/expressions/values", test_expressions);
  g_test_add_func ("/app/pages/scalar-charts/expressions/errors", test_expression_errors);
  g_test_add_func ("/app/pages/scalar-charts/expressions/card", test_expression_card);
  g_test_add_func ("/app/pages/scalar-charts/dropped", test_dropped);
  g_test_add_func ("/app/pages/scalar-charts/linked", test_linked);
  g_test_add_func ("/app/pages/scalar-charts/smoothing", test_smoothing);
  g_test_add_func ("/app/pages/scalar-charts/export", test_export);
  return g_test_run ();
}
