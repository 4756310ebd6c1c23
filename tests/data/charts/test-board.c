/* SPDX-License-Identifier: Apache-2.0
 * Settings of charts: what is said stays said, through text and back, and every change can be undone. */
#include <math.h>

#include "data/charts/sonde-chart-board.h"

static void
test_defaults (void)
{
  g_autoptr (SondeChartSetup) setup = sonde_chart_setup_new ();

  g_assert_cmpuint (setup->said, ==, 0);
  g_assert_cmpint (setup->x, ==, SONDE_CHART_X_STEP);
  g_assert_cmpint (setup->smooth, ==, SONDE_CHART_SMOOTH_EXPONENTIAL);
  g_assert_cmpfloat (setup->weight, ==, 0.6);
  g_assert_true (isnan (setup->y_low));
  g_assert_null (setup->curves);
}

static void
test_ranges (void)
{
  g_autoptr (SondeChartSetup) setup = sonde_chart_setup_new ();

  sonde_chart_setup_set_number (setup, SONDE_CHART_FIELD_WEIGHT, 7);
  g_assert_cmpfloat (setup->weight, ==, 0.999);
  sonde_chart_setup_set_choice (setup, SONDE_CHART_FIELD_X, 99);
  g_assert_cmpint (setup->x, ==, SONDE_CHART_X_METRIC);
  sonde_chart_setup_set_number (setup, SONDE_CHART_FIELD_Y_LOW, 2);
  sonde_chart_setup_set_number (setup, SONDE_CHART_FIELD_Y_LOW, NAN);
  g_assert_true (isnan (setup->y_low));
  g_assert_true (sonde_chart_setup_says (setup, SONDE_CHART_FIELD_Y_LOW));
  sonde_chart_setup_set_text (setup, SONDE_CHART_FIELD_NOTE, "warm-up was too short");
  sonde_chart_setup_forget (setup, SONDE_CHART_FIELD_NOTE);
  g_assert_null (setup->note);
  g_assert_false (sonde_chart_setup_says (setup, SONDE_CHART_FIELD_NOTE));
}

static void
test_join (void)
{
  g_autoptr (SondeChartSetup) own = sonde_chart_setup_new (), common = sonde_chart_setup_new ();
  g_autoptr (SondeChartSetup) joined = NULL;

  sonde_chart_setup_set_choice (common, SONDE_CHART_FIELD_LOG_Y, TRUE);
  sonde_chart_setup_set_number (common, SONDE_CHART_FIELD_WEIGHT, 0.9);
  sonde_chart_setup_set_choice (own, SONDE_CHART_FIELD_LOG_Y, FALSE);
  joined = sonde_chart_setup_join (own, common);
  g_assert_false (joined->log_y);
  g_assert_cmpfloat (joined->weight, ==, 0.9);
  g_assert_false (sonde_chart_setup_equal (joined, own));
}

static void
test_marks (void)
{
  const char *text;
  double value;

  g_assert_true (sonde_chart_setup_parse_mark ("0.9  the target", &value, &text));
  g_assert_cmpfloat (value, ==, 0.9);
  g_assert_cmpstr (text, ==, "the target");
  g_assert_true (sonde_chart_setup_parse_mark ("-1e3", &value, &text));
  g_assert_cmpstr (text, ==, "");
  g_assert_false (sonde_chart_setup_parse_mark ("target", &value, NULL));
  g_assert_false (sonde_chart_setup_parse_mark ("0.9target", &value, NULL));
  g_assert_false (sonde_chart_setup_parse_mark ("nan x", &value, NULL));
}

static SondeChartBoard *
make_board (void)
{
  static const char *const curves[] = { "test/loss", "=log(a)-b", NULL };
  g_autoptr (SondeChartSetup) own = sonde_chart_setup_new ();
  SondeChartBoard *board = sonde_chart_board_new (NULL);

  sonde_chart_setup_set_list (own, SONDE_CHART_FIELD_CURVES, curves);
  sonde_chart_setup_set_number (own, SONDE_CHART_FIELD_Y_HIGH, 2.5);
  sonde_chart_setup_set_text (own, SONDE_CHART_FIELD_NOTE, "it's “odd”, 100 %");
  sonde_chart_board_set_own (board, "train/loss", own);
  sonde_chart_board_set_pinned (board, "acc", TRUE);
  sonde_chart_board_set_closed (board, "test", TRUE);
  sonde_chart_board_set_size (board, SONDE_CHART_SIZE_LARGE);
  g_assert_true (sonde_chart_board_add_card (board, "=a - b"));
  g_assert_false (sonde_chart_board_add_card (board, "=a - b"));
  return board;
}

static void
test_text (void)
{
  g_autoptr (SondeChartBoard) board = make_board ();
  g_autofree char *text = sonde_chart_board_dup_text (board), *again = NULL;
  g_autoptr (SondeChartBoard) copy = sonde_chart_board_new (text);
  g_autoptr (SondeChartSetup) setup = sonde_chart_board_dup_setup (copy, "train/loss");

  g_assert_cmpstr (setup->curves[1], ==, "=log(a)-b");
  g_assert_cmpfloat (setup->y_high, ==, 2.5);
  g_assert_cmpstr (setup->note, ==, "it's “odd”, 100 %");
  g_assert_true (sonde_chart_board_is_pinned (copy, "acc"));
  g_assert_true (sonde_chart_board_is_closed (copy, "test"));
  g_assert_cmpint (sonde_chart_board_get_size (copy), ==, SONDE_CHART_SIZE_LARGE);
  g_assert_cmpstr (sonde_chart_board_get_added (copy)->pdata[0], ==, "=a - b");
  again = sonde_chart_board_dup_text (copy);
  g_assert_cmpstr (again, ==, text);
}

/* A text that somebody else wrote. */
static void
test_hostile (void)
{
  static const char *const texts[] = {
    "",
    "{",
    "[1, 2]",
    "{'size': <'large'>, 'pinned': <7>}",
    "{'size': <99>, 'common': <{'x': <-5>, 'weight': <1e300>, 'note': <3>, 'future': <1>}>}",
    "{'cards': <{'a': <7>, 'b': <{'curves': <['x']>, 'y-low': <'low'>}>}>}",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (SondeChartBoard) board = sonde_chart_board_new (texts[i]);
      const SondeChartSetup *common = sonde_chart_board_get_common (board);

      g_assert_cmpint (common->x, ==, SONDE_CHART_X_STEP);
      g_assert_cmpfloat (common->weight, <=, 0.999);
      g_assert_null (common->note);
      g_assert_null (sonde_chart_board_get_own (board, "a"));
      g_assert_cmpint (sonde_chart_board_get_size (board), <, SONDE_CHART_N_SIZES);
    }
}

static void
on_changed (SondeChartBoard *board, const char *card, GString *told)
{
  g_string_append_printf (told, "%s;", card != NULL ? card : "*");
}

static void
test_undo (void)
{
  g_autoptr (SondeChartBoard) board = make_board ();
  g_autofree char *after = sonde_chart_board_dup_text (board), *again = NULL;
  g_autoptr (SondeChartBoard) empty = sonde_chart_board_new (NULL);
  g_autofree char *before = sonde_chart_board_dup_text (empty), *undone = NULL;
  guint n = 0;

  while (sonde_chart_board_undo (board))
    n++;
  g_assert_cmpuint (n, ==, 5);
  undone = sonde_chart_board_dup_text (board);
  g_assert_cmpstr (undone, ==, before);
  while (sonde_chart_board_redo (board))
    n--;
  g_assert_cmpuint (n, ==, 0);
  again = sonde_chart_board_dup_text (board);
  g_assert_cmpstr (again, ==, after);
}

static void
test_told (void)
{
  g_autoptr (SondeChartBoard) board = sonde_chart_board_new (NULL);
  g_autoptr (SondeChartSetup) own = sonde_chart_setup_new ();
  g_autoptr (GString) told = g_string_new (NULL);

  g_signal_connect (board, "changed", G_CALLBACK (on_changed), told);
  sonde_chart_board_set_own (board, "a", own); /* says nothing */
  g_assert_false (sonde_chart_board_can_undo (board));
  sonde_chart_setup_set_choice (own, SONDE_CHART_FIELD_LOG_X, TRUE);
  sonde_chart_board_set_own (board, "a", own);
  sonde_chart_board_set_own (board, "a", own);
  sonde_chart_board_set_common (board, own);
  sonde_chart_board_set_pinned (board, "a", FALSE);
  sonde_chart_board_set_own (board, "a", NULL);
  g_assert_cmpstr (told->str, ==, "a;*;a;");
}

static void
set_weight (SondeChartBoard *board, const char *card, double weight)
{
  const SondeChartSetup *old = card != NULL ? sonde_chart_board_get_own (board, card)
                                            : sonde_chart_board_get_common (board);
  g_autoptr (SondeChartSetup) setup
      = old != NULL ? sonde_chart_setup_copy (old) : sonde_chart_setup_new ();

  sonde_chart_setup_set_number (setup, SONDE_CHART_FIELD_WEIGHT, weight);
  if (card != NULL)
    sonde_chart_board_set_own (board, card, setup);
  else
    sonde_chart_board_set_common (board, setup);
}

static double
undo (SondeChartBoard *board)
{
  g_assert_true (sonde_chart_board_undo (board));
  return sonde_chart_board_get_common (board)->weight;
}

/* A slider that is pulled is one step; whatever comes between ends it. */
static void
test_glide (void)
{
  g_autoptr (SondeChartBoard) board = sonde_chart_board_new (NULL);
  g_autoptr (SondeChartSetup) log = NULL;

  for (int i = 1; i <= 30; i++)
    {
      set_weight (board, NULL, i / 100.0);
      g_assert_true (sonde_chart_board_is_gliding (board) == (i > 1));
    }
  set_weight (board, "a", 0.4);
  set_weight (board, "a", 0.5);
  set_weight (board, "b", 0.5);
  set_weight (board, NULL, 0.8);
  log = sonde_chart_setup_copy (sonde_chart_board_get_common (board));
  sonde_chart_setup_set_choice (log, SONDE_CHART_FIELD_LOG_Y, TRUE);
  sonde_chart_board_set_common (board, log);
  set_weight (board, NULL, 0.9);
  g_assert_false (sonde_chart_board_is_gliding (board));
  g_assert_cmpfloat (undo (board), ==, 0.8); /* of 0.9 */
  g_assert_cmpfloat (undo (board), ==, 0.8); /* of the logarithm */
  g_assert_cmpfloat (undo (board), ==, 0.3);
  g_assert_cmpfloat (undo (board), ==, 0.3); /* of b */
  g_assert_null (sonde_chart_board_get_own (board, "b"));
  g_assert_cmpfloat (undo (board), ==, 0.3); /* of a's second value: the first made its settings */
  g_assert_cmpfloat (sonde_chart_board_get_own (board, "a")->weight, ==, 0.4);
  undo (board);
  g_assert_cmpfloat (undo (board), ==, 0.6);
  g_assert_false (sonde_chart_board_can_undo (board));
  /* After an undo the next change is a step, however soon. */
  g_assert_true (sonde_chart_board_redo (board));
  set_weight (board, NULL, 0.35);
  g_assert_false (sonde_chart_board_is_gliding (board));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/charts/setup/defaults", test_defaults);
  g_test_add_func ("/data/charts/setup/ranges", test_ranges);
  g_test_add_func ("/data/charts/setup/join", test_join);
  g_test_add_func ("/data/charts/setup/marks", test_marks);
  g_test_add_func ("/data/charts/board/text", test_text);
  g_test_add_func ("/data/charts/board/hostile", test_hostile);
  g_test_add_func ("/data/charts/board/undo", test_undo);
  g_test_add_func ("/data/charts/board/told", test_told);
  g_test_add_func ("/data/charts/board/glide", test_glide);
  return g_test_run ();
}
