/* SPDX-License-Identifier: Apache-2.0
 * Samples in lists: which are shown and in which order, what is chosen among them and what is said of
 * them, and two models side by side. */
#include <math.h>
#include <string.h>

#include "explain/browsing/sonde-explain-text.h"
#include "explain/browsing/sonde-item-text.h"
#include "explain/browsing/sonde-model-change.h"
#include "explain/browsing/sonde-sample-order.h"
#include "explain/browsing/sonde-sample-selection.h"

static char *classes[] = { (char *) "cat", (char *) "dog", NULL };

static void
add_row (GPtrArray *rows, const char *name, gint64 label, gint64 predicted, double p_label,
         double p_predicted, SondeErrorCategory category)
{
  SondeSampleResult *row = sonde_sample_result_new (rows->len, name);

  row->label = label;
  row->predicted = predicted;
  row->p_label = p_label;
  row->p_predicted = p_predicted;
  row->margin = p_predicted - 0.1;
  row->category = category;
  if (category < SONDE_N_CATEGORIES)
    row->evidence = sonde_message_new_text ("Looks like a hat.");
  g_ptr_array_add (rows, row);
}

/* (element-type SondeExplainItem): right, two cats taken for dogs, a dog taken for a cat, no label */
static GPtrArray *
make_items (void)
{
  g_autoptr (GPtrArray) rows
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_sample_result_free);
  GPtrArray *items = g_ptr_array_new_with_free_func (g_object_unref);

  add_row (rows, "a.png", 0, 0, 0.9, 0.9, SONDE_N_CATEGORIES);
  add_row (rows, "b.png", 0, 1, 0.3, 0.7, SONDE_CATEGORY_BOUNDARY);
  add_row (rows, "c.png", 0, 1, 0.1, 0.8, SONDE_CATEGORY_LABEL_ERROR);
  add_row (rows, "d.png", 1, 0, 0.2, 0.6, SONDE_CATEGORY_BOUNDARY);
  add_row (rows, "e.png", -1, 1, NAN, 0.5, SONDE_N_CATEGORIES);
  for (guint i = 0; i < rows->len; i++)
    g_ptr_array_add (items, sonde_explain_item_new (rows, g_ptr_array_index (rows, i), classes, 2));
  return items;
}

/* Names of the samples, one letter each. */
static void
check_order (GPtrArray *items, SondeExplainOrder order, const char *wanted)
{
  g_autoptr (GString) got = g_string_new (NULL);

  sonde_explain_items_sort (items, order);
  for (guint i = 0; i < items->len; i++)
    g_string_append_c (got, sonde_explain_item_get_result (g_ptr_array_index (items, i))->name[0]);
  g_assert_cmpstr (got->str, ==, wanted);
}

static void
test_order (void)
{
  g_autoptr (GPtrArray) items = make_items ();

  check_order (items, SONDE_EXPLAIN_ORDER_NAME, "abcde");
  check_order (items, SONDE_EXPLAIN_ORDER_CONFIDENT, "acbde");
  /* label errors come before the boundary, samples without category last */
  check_order (items, SONDE_EXPLAIN_ORDER_CATEGORY, "cbdae");
  /* NaN last */
  check_order (items, SONDE_EXPLAIN_ORDER_LABEL, "cdbae");
  check_order (items, SONDE_EXPLAIN_ORDER_MARGIN, "edbca");
}

static void
test_matches (void)
{
  g_autoptr (GPtrArray) items = make_items ();
  SondeExplainItem *b = items->pdata[1];

  g_assert_true (sonde_explain_item_matches (b, SONDE_N_CATEGORIES, NULL));
  g_assert_true (sonde_explain_item_matches (b, SONDE_CATEGORY_BOUNDARY, "hat"));
  g_assert_true (sonde_explain_item_matches (b, SONDE_N_CATEGORIES, "dog"));
  g_assert_true (sonde_explain_item_matches (b, SONDE_N_CATEGORIES, "b.p"));
  g_assert_false (sonde_explain_item_matches (b, SONDE_CATEGORY_LABEL_ERROR, NULL));
  g_assert_false (sonde_explain_item_matches (b, SONDE_N_CATEGORIES, "horse"));
}

static void
check_selection (SondeSampleSelection *selection, guint n, const char *title, const char *sentence)
{
  g_autoptr (GPtrArray) list = sonde_sample_selection_list (selection);
  g_autofree char *own_title = sonde_sample_selection_dup_title (selection),
                  *own_sentence = sonde_sample_selection_dup_sentence (selection, list->len);

  g_assert_cmpuint (list->len, ==, n);
  g_assert_cmpstr (own_title, ==, title);
  g_assert_true (g_str_has_prefix (own_sentence, sentence));
}

static void
test_selection (void)
{
  g_autoptr (GPtrArray) items = make_items (), right = g_ptr_array_new ();
  SondeSampleSelection *selection = sonde_sample_selection_new (1000);
  gint64 cell;

  check_selection (selection, 0, "No samples yet", "");
  sonde_sample_selection_set_items (selection, items, classes, 2);
  check_selection (selection, 3, "All misclassifications", "Misclassified: 3 of 4, 75.0 %");
  cell = sonde_sample_selection_find_cell (selection, "cat > dog");
  g_assert_cmpint (cell, >=, 0);
  g_assert_cmpint (sonde_sample_selection_find_cell (selection, "cat > horse"), ==, -1);
  sonde_sample_selection_choose (selection, SONDE_SCOPE_CELL, cell);
  check_selection (selection, 2, "“cat” classified as “dog”", "2 of 3 samples of “cat”");
  sonde_sample_selection_choose (selection, SONDE_SCOPE_CATEGORY, SONDE_CATEGORY_BOUNDARY);
  check_selection (selection, 2, sonde_error_category_get_title (SONDE_CATEGORY_BOUNDARY),
                   "2 of 3 misclassifications");
  g_assert_true (sonde_sample_selection_find (selection, "c.png") == items->pdata[2]);
  g_assert_true (sonde_sample_selection_find (selection, "sample:3") == items->pdata[3]);
  g_assert_null (sonde_sample_selection_find (selection, "sample:9"));
  /* a cell that counts nothing any more is not chosen any more */
  sonde_sample_selection_choose (selection, SONDE_SCOPE_CELL, cell);
  g_ptr_array_add (right, items->pdata[0]);
  sonde_sample_selection_set_items (selection, right, classes, 2);
  g_assert_cmpint (selection->scope, ==, SONDE_SCOPE_ALL);
  check_selection (selection, 1, "No misclassifications", "Misclassified: 0 of 1");
  sonde_sample_selection_free (selection);
}

/* The second model: a stays right, b is fixed, c is taken for something else, d stays, e has no label. */
static void
test_changes (void)
{
  static const gint64 other[] = { 0, 0, 2, 0, 1 };
  static const SondeExplainChange wanted[]
      = { SONDE_N_EXPLAIN_CHANGES, SONDE_EXPLAIN_FIXED, SONDE_EXPLAIN_STILL, SONDE_EXPLAIN_STILL,
          SONDE_N_EXPLAIN_CHANGES };
  g_autoptr (GPtrArray) items = make_items ();
  SondeModelChanges changes;
  g_autofree char *models = NULL, *sentence = NULL;

  g_assert_cmpint (sonde_explain_change_of (items->pdata[1]), ==, SONDE_N_EXPLAIN_CHANGES);
  for (guint i = 0; i < items->len; i++)
    {
      sonde_explain_item_set_other (items->pdata[i], other[i], "x");
      g_assert_cmpint (sonde_explain_change_of (items->pdata[i]), ==, wanted[i]);
    }
  sonde_model_changes_count (&changes, items);
  g_assert_cmpuint (changes.n, ==, 4);
  g_assert_cmpuint (changes.counts[SONDE_EXPLAIN_FIXED], ==, 1);
  g_assert_cmpuint (changes.counts[SONDE_EXPLAIN_NEW], ==, 0);
  g_assert_cmpuint (changes.counts[SONDE_EXPLAIN_STILL], ==, 2);
  g_assert_cmpuint (changes.n_moved, ==, 1);
  models = sonde_model_changes_dup_models (&changes, "one", "two");
  g_assert_cmpstr (models, ==, "one: 25.0 % correct\ntwo: 50.0 % correct\nof 4 samples");
  sentence = sonde_model_changes_dup_sentence (&changes);
  g_assert_true (
      g_str_has_prefix (sentence, "The difference may be due to chance: 1 fixed, 0 new."));
}

static void
test_texts (void)
{
  g_autoptr (GPtrArray) items = make_items ();
  g_autofree char *title = sonde_explain_item_dup_title (items->pdata[1]),
                  *details = sonde_explain_item_dup_details (items->pdata[1]),
                  *right = sonde_explain_item_dup_short (items->pdata[0]), *detail = NULL,
                  *unknown = sonde_explain_probability_text (NAN);

  g_assert_cmpstr (title, ==, "“cat” classified as “dog”");
  g_assert_cmpstr (right, ==, "cat");
  g_assert_cmpstr (unknown, ==, "–");
  g_assert_nonnull (strstr (details, "p(dog) = 70.0 %, p(cat) = 30.0 %"));
  g_assert_nonnull (strstr (details, "Looks like a hat."));
  sonde_explain_item_set_other (items->pdata[1], 0, "cat");
  detail = sonde_explain_item_dup_detail (items->pdata[1]);
  g_assert_cmpstr (detail, ==, "70.0 % · then cat");
}

static void
test_numbers (void)
{
  static const struct
  {
    double seconds;
    const char *text;
  } cases[] = { { 0.004, "4 ms" }, { 0.4, "0.4 s" }, { 12, "12 s" }, { 180, "3 min" },
                { 9000, "2.5 h" }, { NAN, "" },      { -1, "" } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = sonde_explain_duration_text (cases[i].seconds);

      g_assert_cmpstr (text, ==, cases[i].text);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/explain/lists/order", test_order);
  g_test_add_func ("/explain/lists/matches", test_matches);
  g_test_add_func ("/explain/lists/selection", test_selection);
  g_test_add_func ("/explain/lists/changes", test_changes);
  g_test_add_func ("/explain/lists/texts", test_texts);
  g_test_add_func ("/explain/lists/durations", test_numbers);
  return g_test_run ();
}
