/* SPDX-License-Identifier: Apache-2.0
 * The sample view's parts with made data, and the whole view with a real child on a small net. */
#include <adwaita.h>
#include <math.h>
#include <string.h>

#include "app/sonde-application.h"
#include "app/explain/sonde-method-chooser.h"
#include "app/explain/sample/sonde-trust-badge.h"
#include "app/explain/sample/sonde-sample-edit.h"
#include "app/explain/sample/sonde-sample-counterfactual.h"
#include "app/explain/sample/sonde-sample-maps.h"
#include "app/explain/sample/sonde-sample-neighbours.h"
#include "app/explain/sample/sonde-sample-view.h"
#include "app/explain/scores/sonde-scores-table.h"
#include "app/explain/scores/sonde-scores-view.h"
#include "app/explain/scores/sonde-self-test-view.h"
#include "tests/explain/browsing/session-fixture.h"
#include "viewers/sonde-counterfactual-view.h"
#include "viewers/sonde-edit-view.h"
#include "viewers/sonde-probability-view.h"
#include "viewers/sonde-radar-view.h"

/* ---- looking ------------------------------------------------------------- */

/* The first of a type, depth first. */
static GtkWidget *
find (GtkWidget *widget, GType type)
{
  GtkWidget *found = NULL;

  if (G_TYPE_CHECK_INSTANCE_TYPE (widget, type))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find (child, type);
  return found;
}

static guint
count (GtkWidget *widget, GType type)
{
  guint n = G_TYPE_CHECK_INSTANCE_TYPE (widget, type) ? 1 : 0;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += count (child, type);
  return n;
}

/* Does a label that is not hidden hold the text? */
static gboolean
says (GtkWidget *widget, const char *text)
{
  if (!gtk_widget_get_visible (widget))
    return FALSE;
  if (GTK_IS_LABEL (widget) && strstr (gtk_label_get_text (GTK_LABEL (widget)), text) != NULL)
    return TRUE;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (says (child, text))
      return TRUE;
  return FALSE;
}

static gboolean
press (GtkWidget *widget, const char *label)
{
  if (GTK_IS_BUTTON (widget) && g_strcmp0 (gtk_button_get_label (GTK_BUTTON (widget)), label) == 0
      && gtk_widget_get_visible (widget))
    {
      g_signal_emit_by_name (widget, "clicked");
      return TRUE;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (press (child, label))
      return TRUE;
  return FALSE;
}

static void
assert_finalized (GtkWidget *widget)
{
  gpointer weak = widget;

  g_object_add_weak_pointer (G_OBJECT (widget), &weak);
  g_object_unref (widget);
  while (weak != NULL && g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_null (weak);
}

static SondeTensor *
make_tensor (double value)
{
  SondeShape shape = sonde_shape_make (2, 8, 8);
  SondeTensor *map = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  sonde_tensor_set_double (map, 9, value);
  return map;
}

static SondeAttributionMap *
make_map (const char *spec, gint64 target, double value)
{
  SondeAttributionMap *map = g_new0 (SondeAttributionMap, 1);

  map->spec = g_strdup (spec);
  map->title = g_strdup (spec);
  map->target = target;
  map->other = -1;
  map->map = make_tensor (value);
  map->score = 2;
  map->rating = (SondeMapRating){ NAN, NAN, NAN, NAN, NAN };
  return map;
}

/* ---- methods ------------------------------------------------------------- */

static void
count_signal (GtkWidget *widget, guint *n)
{
  (*n)++;
}

static void
test_chooser (void)
{
  GtkWidget *widget = g_object_ref_sink (sonde_method_chooser_new ());
  SondeMethodChooser *chooser = SONDE_METHOD_CHOOSER (widget);
  g_autoptr (GError) error = NULL;
  g_autofree char *title = sonde_attribution_spec_dup_title ("occlusion:window=4x4"),
                  *odd = sonde_attribution_spec_dup_title ("no such");
  guint n = 0;

  g_signal_connect (chooser, "changed", G_CALLBACK (count_signal), &n);
  g_assert_cmpuint (g_strv_length ((char **) sonde_method_chooser_get_specs (chooser)), ==, 3);
  g_assert_true (sonde_method_chooser_add (chooser, "occlusion:window=4x4", &error));
  g_assert_cmpuint (n, ==, 1);
  g_assert_cmpstr (sonde_method_chooser_get_specs (chooser)[3], ==, "occlusion:window=4x4");
  g_assert_false (sonde_method_chooser_add (chooser, "ocluson", &error));
  g_assert_nonnull (strstr (error->message, "occlusion"));
  sonde_method_chooser_remove (chooser, "gradcam");
  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpstr (sonde_method_chooser_get_specs (chooser)[0], ==, "integrated-gradients");
  sonde_method_chooser_set_specs (chooser, (const char *const[]){ "saliency", "nonsense", NULL });
  g_assert_cmpuint (g_strv_length ((char **) sonde_method_chooser_get_specs (chooser)), ==, 1);
  g_assert_cmpstr (title, ==, "Occlusion (window=4x4)");
  g_assert_cmpstr (odd, ==, "no such");
  assert_finalized (widget);
}

/* ---- maps ---------------------------------------------------------------- */

static void
on_wanted (GtkWidget *widget, const char *spec, gint64 target, GString *text)
{
  g_string_append_printf (text, "%s/%d ", spec, (int) target);
}

static double
scale_of (GtkWidget *widget)
{
  g_autofree char *text = sonde_view_describe (SONDE_VIEW (widget));
  const char *scale = strstr (text, "scale ±");

  return scale != NULL ? g_ascii_strtod (scale + strlen ("scale ±"), NULL) : NAN;
}

/* Places are asked for once; a method's classes share a scale, or all maps; an empty map says so;
 * trust is asked by a click. */
static void
test_maps (void)
{
  GtkWidget *widget = g_object_ref_sink (sonde_sample_maps_new ());
  SondeSampleMaps *maps = SONDE_SAMPLE_MAPS (widget);
  const SondeMapTarget targets[]
      = { { 3, "cat", "For “cat” · predicted" }, { 5, "dog", "For “dog” · true label" } };
  g_autoptr (GString) wanted = g_string_new (NULL);
  g_autoptr (GString) rated = g_string_new (NULL);
  g_autoptr (SondeImage) image = sonde_image_new (8, 8, 3);
  g_autoptr (SondeAttributionMap) a = make_map ("saliency", 3, 4), b = make_map ("saliency", 5, -2),
                                  c = make_map ("gradcam", 3, 100),
                                  zero = make_map ("gradcam", 5, 0);
  SondeMapRating rating = { 0.5, 0.1, 0.1, 0.5, NAN };
  GtkWidget *scale;

  g_signal_connect (maps, "map-wanted", G_CALLBACK (on_wanted), wanted);
  g_signal_connect (maps, "rate-wanted", G_CALLBACK (on_wanted), rated);
  sonde_sample_maps_set_specs (maps, (const char *const[]){ "saliency", "gradcam", NULL });
  sonde_sample_maps_set_image (maps, image, NULL);
  sonde_sample_maps_set_targets (maps, targets, 2);
  g_assert_cmpstr (wanted->str, ==, "saliency/3 gradcam/3 saliency/5 gradcam/5 ");
  g_assert_cmpuint (count (widget, SONDE_TYPE_SALIENCY_VIEW), ==, 4);
  g_assert_true (says (widget, "Computing…"));
  sonde_sample_maps_set_map (maps, a);
  sonde_sample_maps_set_map (maps, b);
  sonde_sample_maps_set_map (maps, c);
  sonde_sample_maps_set_map (maps, zero);
  g_assert_false (says (widget, "Computing…"));
  g_assert_true (says (widget, "The map is zero everywhere"));
  g_assert_true (says (widget, "Empty"));
  g_assert_cmpfloat (scale_of (find (widget, SONDE_TYPE_SALIENCY_VIEW)), ==, 4);
  scale = find (widget, GTK_TYPE_DROP_DOWN);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (scale), 1);
  g_assert_cmpfloat (scale_of (find (widget, SONDE_TYPE_SALIENCY_VIEW)), ==, 100);
  /* Trust: asked for what is not empty and not known. */
  g_assert_true (press (widget, "Check All"));
  g_assert_cmpstr (rated->str, ==, "saliency/3 gradcam/3 saliency/5 ");
  g_assert_true (says (widget, "Checking…"));
  sonde_sample_maps_set_rating (maps, "saliency", 3, &rating);
  sonde_sample_maps_set_rating_failed (maps, "gradcam", 3, "The engine stopped.");
  g_assert_true (says (widget, "Holds up"));
  /* A class again: what is known is not asked for again, nor its rating. */
  g_string_truncate (wanted, 0);
  sonde_sample_maps_set_targets (maps, targets, 1);
  g_assert_cmpstr (wanted->str, ==, "");
  g_assert_true (says (widget, "Holds up"));
  sonde_sample_maps_set_failed (maps, "gradcam", 3, "No layer has a spatial extent.");
  g_assert_true (says (widget, "No layer"));
  assert_finalized (widget);
}

/* One crosshair, one zoom for all, and for a view beside. */
static void
test_linked (void)
{
  GtkWidget *widget = g_object_ref_sink (sonde_sample_maps_new ()),
            *beside = g_object_ref_sink (sonde_saliency_view_new ());
  SondeSampleMaps *maps = SONDE_SAMPLE_MAPS (widget);
  const SondeMapTarget target = { 0, "cat", "For “cat”" };
  g_autoptr (SondeImage) image = sonde_image_new (8, 8, 3);
  g_autoptr (SondeAttributionMap) map = make_map ("saliency", 0, 1);
  SondeView *first;
  SondeViewport viewport;

  sonde_sample_maps_set_specs (maps, (const char *const[]){ "saliency", NULL });
  sonde_saliency_view_set_content (SONDE_SALIENCY_VIEW (beside), sonde_image_ref (image), NULL,
                                   NULL, 0);
  sonde_sample_maps_link (maps, SONDE_SALIENCY_VIEW (beside));
  sonde_sample_maps_set_image (maps, image, NULL);
  sonde_sample_maps_set_targets (maps, &target, 1);
  sonde_sample_maps_set_map (maps, map);
  first = SONDE_VIEW (find (widget, SONDE_TYPE_SALIENCY_VIEW));
  SONDE_VIEW_GET_CLASS (first)->move_cursor (first, G_MININT);
  SONDE_VIEW_GET_CLASS (first)->move_cursor (first, 9);
  g_assert_cmpint (sonde_saliency_view_get_pixel (SONDE_SALIENCY_VIEW (beside)), ==, 9);
  sonde_view_set_viewport (SONDE_VIEW (beside), &(SondeViewport){ 2, 2, 4, 4 });
  g_assert_false (sonde_view_is_fitted (first, NULL, NULL));
  sonde_view_get_viewport (first, &viewport);
  sonde_view_zoom_fit (first);
  g_assert_true (sonde_view_is_fitted (SONDE_VIEW (beside), NULL, NULL));
  assert_finalized (widget);
  assert_finalized (beside);
}

/* ---- counterfactual ------------------------------------------------------ */

static void
test_flip (void)
{
  GtkWidget *widget = g_object_ref_sink (sonde_sample_counterfactual_new ());
  SondeSampleCounterfactual *flip = SONDE_SAMPLE_COUNTERFACTUAL (widget);
  SondeCounterfactualView *view
      = SONDE_COUNTERFACTUAL_VIEW (find (widget, SONDE_TYPE_COUNTERFACTUAL_VIEW));
  g_autoptr (GString) wanted = g_string_new (NULL);
  g_autoptr (SondeImage) image = sonde_image_new (16, 16, 3);
  g_autoptr (SondeCounterfactual) boxes = g_new0 (SondeCounterfactual, 1);
  SondeCounterfactualWindow step = { 0, -1, { 0, 0, 8, 8 }, 0.1 };
  SondeBox box = { 0, 0, 8, 8 };
  GArray *last = g_array_new (FALSE, FALSE, sizeof box);
  SondeSampleResult nearest = { .label = 1, .predicted = 1, .name = (char *) "example.png" };
  SondeNeighbourSample neighbour = { .result = &nearest, .distance = 0.25, .image = image };

  g_signal_connect (flip, "wanted", G_CALLBACK (on_wanted), wanted);
  sonde_sample_counterfactual_ask (flip); /* no sample: no question */
  sonde_sample_counterfactual_set_sample (flip, image, NULL, 4, 1, "four", "one");
  g_assert_cmpstr (wanted->str, ==, "");
  sonde_sample_counterfactual_ask (flip);
  sonde_sample_counterfactual_ask (flip);
  g_assert_cmpstr (wanted->str, ==, "by=flip:score=margin:threshold=0:prune=yes/1 ");
  g_array_append_val (last, box);
  boxes->goal = SONDE_OCCLUSION_FLIP;
  boxes->original = -0.5;
  boxes->masked = NAN;
  boxes->area = 0.25;
  boxes->layers = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  g_ptr_array_add (boxes->layers, last);
  boxes->layer_out[0] = 0.1;
  boxes->steps = g_array_new (FALSE, FALSE, sizeof step);
  g_array_append_val (boxes->steps, step);
  boxes->mask = g_strdup ("gaussian:1");
  sonde_sample_counterfactual_set_result (flip, boxes);
  g_assert_true (says (widget, "changes the prediction to “one”"));
  g_assert_true (says (widget, "Step 2 of 2"));
  g_assert_cmpuint (sonde_counterfactual_view_get_n_steps (view), ==, 3);
  /* The player begins anew at the end, goes step by step, and stops there. */
  sonde_sample_counterfactual_play (flip, TRUE);
  g_assert_cmpuint (sonde_counterfactual_view_get_step (view), ==, 0);
  while (sonde_counterfactual_view_get_step (view) < 2)
    g_main_context_iteration (NULL, TRUE);
  sonde_sample_counterfactual_set_counterexample (flip, &neighbour, "one", NULL);
  g_assert_true (says (widget, "example.png"));
  boxes->status = SONDE_OCCLUSION_NO_VALID_RESULT;
  sonde_sample_counterfactual_set_result (flip, boxes);
  g_assert_true (says (widget, "No set of windows was found that"));
  /* Another question of the same sample. */
  g_string_truncate (wanted, 0);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (find (widget, GTK_TYPE_DROP_DOWN)), 1);
  g_assert_cmpstr (wanted->str, ==, "by=masking:threshold=auto:prune=yes/4 ");
  /* The truth is not known. */
  g_string_truncate (wanted, 0);
  sonde_sample_counterfactual_set_sample (flip, image, NULL, 4, -1, "four", "unknown");
  gtk_drop_down_set_selected (GTK_DROP_DOWN (find (widget, GTK_TYPE_DROP_DOWN)), 2);
  g_assert_cmpstr (wanted->str, ==, "");
  g_assert_true (says (widget, "not known"));
  sonde_sample_counterfactual_play (flip, TRUE); /* nothing to play */
  assert_finalized (widget);
}

/* ---- neighbours ---------------------------------------------------------- */

static void
test_neighbours (void)
{
  static const char *const classes[] = { "cat", "dog" };
  GtkWidget *widget = g_object_ref_sink (sonde_sample_neighbours_new ());
  SondeSampleNeighbours *view = SONDE_SAMPLE_NEIGHBOURS (widget);
  SondeSampleResult row = { .label = 0, .predicted = 1 };
  g_autoptr (GPtrArray) neighbours = g_ptr_array_new ();
  SondeSampleResult right = { .label = 1, .predicted = 1, .name = (char *) "a" },
                    wrong = { .label = 1, .predicted = 0, .name = (char *) "b" },
                    other = { .label = 0, .predicted = 0, .name = (char *) "c" };
  SondeNeighbourSample near = { .result = &right, .distance = 0.001 },
                       far = { .result = &wrong, .distance = 0.4 },
                       example = { .result = &other, .distance = 0.5, .counterexample = TRUE };

  sonde_sample_neighbours_set_message (view, "No features.");
  g_assert_true (says (widget, "No features."));
  g_ptr_array_add (neighbours, &near);
  g_ptr_array_add (neighbours, &far);
  g_ptr_array_add (neighbours, &example);
  sonde_sample_neighbours_set (view, neighbours, &row, classes, 2);
  g_assert_true (says (widget, "Of the 2 nearest neighbours, 2 are labelled “dog”"));
  g_assert_true (says (widget, "the label is wrong, or the features"));
  g_assert_true (says (widget, "Nearly identical image, different label"));
  g_assert_true (says (widget, "dog → cat"));
  assert_finalized (widget);
}

/* ---- editing ------------------------------------------------------------- */

/* While an answer is under way changes are gathered; the answer to the latest picture is asked for
 * then. */
static void
test_edit (void)
{
  static const char *const classes[] = { "cat", "dog" };
  static const float before[] = { 0.75f, 0.25f };
  float after[] = { 0.25f, 0.75f };
  GtkWidget *widget = g_object_ref_sink (sonde_sample_edit_new ());
  SondeSampleEdit *edit = SONDE_SAMPLE_EDIT (widget);
  SondeEditView *view = SONDE_EDIT_VIEW (find (widget, SONDE_TYPE_EDIT_VIEW));
  g_autoptr (SondeImage) image = sonde_image_new (16, 16, 3);
  SondeSampleResult answer = { .probabilities = after, .n_classes = 2, .predicted = 1 };
  g_autoptr (GString) wanted = g_string_new (NULL);
  guint n = 0;

  memset (image->pixels, 200, 16 * 16 * 3);
  g_signal_connect (edit, "prediction-wanted", G_CALLBACK (count_signal), &n);
  g_signal_connect (edit, "map-wanted", G_CALLBACK (on_wanted), wanted);
  sonde_sample_edit_set_sample (edit, image, classes, 2, before, 0);
  sonde_edit_view_press (view, 4, 4);
  g_assert_cmpuint (n, ==, 1);
  sonde_edit_view_move (view, 8, 8);
  sonde_edit_view_release (view, 9, 9);
  g_assert_cmpuint (n, ==, 1);
  sonde_sample_edit_set_answer (edit, &answer, NULL);
  g_assert_cmpuint (n, ==, 2); /* the latest picture */
  sonde_sample_edit_set_answer (edit, &answer, NULL);
  g_assert_cmpuint (n, ==, 2);
  g_assert_true (says (widget, "the prediction is “dog”"));
  g_assert_true (press (widget, "Maps of This Image"));
  g_assert_nonnull (strstr (wanted->str, "gradcam/1 "));
  sonde_edit_view_undo (view);
  sonde_sample_edit_set_answer (edit, NULL, "The engine is gone.");
  g_assert_true (says (widget, "The engine is gone."));
  sonde_sample_edit_set_sample (edit, NULL, NULL, 0, NULL, -1);
  g_assert_null (sonde_sample_edit_get_image (edit));
  assert_finalized (widget);
}

/* ---- scores, self-test --------------------------------------------------- */

static SondeMetricScore *
make_score (const char *method, const char *metric, gint64 label, gboolean rises, double mean,
            double rating)
{
  SondeMetricScore *score = g_new0 (SondeMetricScore, 1);

  score->method = g_strdup (method);
  score->metric = g_strdup (metric);
  score->metric_title = g_strdup_printf ("Title of %s", metric);
  score->label = label;
  score->rises = rises;
  score->best = rises ? 1 : 0;
  score->mean = mean;
  score->low = mean - 0.05;
  score->high = mean + 0.05;
  score->rating = rating;
  score->n = score->n_valid = 8;
  return score;
}

/* Composite and radar follow the weights and the class. */
static void
test_scores (void)
{
  static const char *const classes[] = { "cat", "dog" };
  GtkWidget *widget = g_object_ref_sink (sonde_scores_view_new (NULL));
  SondeScoresView *view = SONDE_SCORES_VIEW (widget);
  g_autoptr (GPtrArray) scores
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_metric_score_free);
  g_autoptr (GPtrArray) none = g_ptr_array_new ();
  g_autofree char *table = NULL;
  GtkWidget *radar = find (widget, SONDE_TYPE_RADAR_VIEW);

  g_ptr_array_add (scores, make_score ("random-map", "insertion", -1, TRUE, 0.5, 0));
  g_ptr_array_add (scores, make_score ("gradcam", "insertion", -1, TRUE, 0.9, 0.8));
  g_ptr_array_add (scores, make_score ("gradcam", "deletion", -1, FALSE, 0.2, 0.4));
  g_ptr_array_add (scores, make_score ("gradcam", "infidelity", -1, FALSE, 12, NAN));
  g_ptr_array_add (scores, make_score ("gradcam", "pointing", -1, TRUE, 0.6, 0.6));
  g_ptr_array_add (scores, make_score ("random-map", "deletion", -1, FALSE, 0.4, 0));
  g_ptr_array_add (scores, make_score ("gradcam", "insertion", 1, TRUE, 0.6, 0.1));
  sonde_scores_view_set_scores (view, scores, classes, 2);
  g_assert_true (says (widget, "Title of insertion ↑"));
  g_assert_true (says (widget, "Title of deletion ↓"));
  g_assert_true (says (widget, "Random map"));
  g_assert_cmpfloat_with_epsilon (sonde_scores_view_get_composite (view, "gradcam"), 0.6, 1e-9);
  sonde_scores_view_set_weight (view, "insertion", 3);
  g_assert_cmpfloat_with_epsilon (sonde_scores_view_get_composite (view, "gradcam"),
                                  (3 * 0.8 + 0.4 + 0.6) / 5, 1e-9);
  sonde_scores_view_set_weight (view, "deletion", 0);
  table = sonde_view_dup_table (SONDE_VIEW (radar), ',');
  g_assert_cmpstr (table, ==, "method,Title of insertion,Title of pointing\nGradCAM,0.8,0.6\n");
  g_assert_true (isnan (sonde_scores_view_get_composite (view, "nobody")));
  gtk_drop_down_set_selected (
      GTK_DROP_DOWN (find (gtk_widget_get_parent (find (widget, SONDE_TYPE_SCORES_TABLE)),
                           GTK_TYPE_DROP_DOWN)),
      1);
  g_assert_cmpfloat_with_epsilon (sonde_scores_view_get_composite (view, "gradcam"), 0.1, 1e-9);
  g_assert_true (says (widget, "no data"));
  sonde_scores_view_set_scores (view, none, classes, 2);
  g_assert_true (says (widget, "No method has a score"));
  sonde_scores_view_run (view); /* nobody to ask */
  sonde_scores_view_reset (view);
  assert_finalized (widget);
}

static void
test_self_test (void)
{
  GtkWidget *widget = g_object_ref_sink (sonde_self_test_view_new (NULL));
  g_autoptr (SondeMessage) one = sonde_message_new_text ("1"), two = sonde_message_new_text ("2"),
                           linear = sonde_message_new_text ("Linear."),
                           window = sonde_message_new_text ("Window of one.");
  SondeSelfTestCheck good = { (char *) "gradient", one, one, linear, 0, TRUE };
  SondeSelfTestCheck bad = { (char *) "occlusion", one, two, window, 1, FALSE };
  g_autoptr (GPtrArray) checks = g_ptr_array_new ();

  g_ptr_array_add (checks, &good);
  sonde_self_test_view_set_checks (SONDE_SELF_TEST_VIEW (widget), checks);
  g_assert_true (says (widget, "The 1 case gives the expected result."));
  g_ptr_array_add (checks, &bad);
  sonde_self_test_view_set_checks (SONDE_SELF_TEST_VIEW (widget), checks);
  g_assert_true (says (widget, "1 of 2 cases differ"));
  g_assert_true (says (widget, "differs"));
  assert_finalized (widget);
}

/* ---- the whole view with a child ----------------------------------------- */

static void
settle (SondeSampleView *view)
{
  gint64 end = g_get_monotonic_time () + 120 * G_USEC_PER_SEC;

  while (sonde_sample_view_is_busy (view))
    {
      g_assert_cmpint (g_get_monotonic_time (), <, end);
      g_main_context_iteration (NULL, TRUE);
    }
}

static guint
first_error (GPtrArray *rows)
{
  for (guint i = 0; i < rows->len; i++)
    if (sonde_sample_result_is_error (g_ptr_array_index (rows, i)))
      return i;
  return 0;
}

/* Every part gets its answers; another sample cancels what was asked; the child's death is said. */
static void
test_view (SessionFixture *fixture, gconstpointer data)
{
  const SondeExplainInfo *facts = session_fixture_open (fixture, 40);
  GtkWidget *window = gtk_window_new (), *widget = sonde_sample_view_new (fixture->client);
  SondeSampleView *view = SONDE_SAMPLE_VIEW (widget);
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) rows = NULL;
  const SondeSampleResult *row;
  SondeView *probabilities;
  SondeEditView *edit;
  gint64 other;
  guint8 white[] = { 255, 255, 255 };

  gtk_window_set_child (GTK_WINDOW (window), widget);
  sonde_explain_client_ask_async (fixture->client, SONDE_EXPLAIN_PREDICT, NULL, NULL,
                                  session_fixture_take, fixture);
  rows = sonde_explain_client_ask_finish (fixture->client, session_fixture_wait (fixture),
                                          SONDE_EXPLAIN_PREDICT, &error);
  g_assert_no_error (error);
  row = g_ptr_array_index (rows, first_error (rows));
  sonde_sample_view_set_methods (view, (const char *const[]){ "saliency", "gradcam", NULL });
  sonde_sample_view_show (view, row);
  g_assert_true (sonde_sample_view_is_busy (view));
  settle (view);
  g_assert_true (says (widget, row->name));
  g_assert_false (says (widget, "Computing…"));
  probabilities = SONDE_VIEW (find (widget, SONDE_TYPE_PROBABILITY_VIEW));
  g_assert_cmpint (sonde_view_get_selection (probabilities), ==, row->predicted);
  /* Another class: its maps. */
  other = (row->predicted + 1) % facts->n_classes;
  other = other == row->label ? (other + 1) % facts->n_classes : other;
  sonde_view_set_selection (probabilities, other);
  settle (view);
  g_assert_true (says (widget, "chosen"));
  g_assert_false (says (widget, "Computing…"));
  /* The other parts ask when they are looked at. */
  sonde_sample_view_show_part (view, "counterfactual");
  g_assert_true (sonde_sample_view_is_busy (view));
  settle (view);
  g_assert_false (says (widget, "Searching…"));
  sonde_sample_view_show_part (view, "neighbours");
  g_assert_true (says (widget, "nearest"));
  sonde_sample_view_show_part (view, "edit");
  edit = SONDE_EDIT_VIEW (find (widget, SONDE_TYPE_EDIT_VIEW));
  sonde_edit_view_set_brush (edit, 9, white, 1);
  sonde_edit_view_press (edit, 5, 5);
  sonde_edit_view_release (edit, 20, 20);
  settle (view);
  g_assert_true (says (widget, "the prediction is"));
  /* Another sample in the middle of it. */
  sonde_sample_view_show_part (view, "maps");
  sonde_sample_view_show (view, g_ptr_array_index (rows, 0));
  sonde_sample_view_show (view, row);
  sonde_sample_view_show (view, g_ptr_array_index (rows, 1));
  settle (view);
  g_assert_true (says (widget, ((SondeSampleResult *) g_ptr_array_index (rows, 1))->name));
  sonde_explain_client_close (fixture->client);
  sonde_sample_view_show (view, NULL);
  settle (view);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* The view goes while answers are under way. */
static void
test_view_finalize (SessionFixture *fixture, gconstpointer data)
{
  GtkWidget *widget;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) rows = NULL;
  gpointer weak;

  session_fixture_open (fixture, 16);
  sonde_explain_client_ask_async (fixture->client, SONDE_EXPLAIN_PREDICT, NULL, NULL,
                                  session_fixture_take, fixture);
  rows = sonde_explain_client_ask_finish (fixture->client, session_fixture_wait (fixture),
                                          SONDE_EXPLAIN_PREDICT, &error);
  g_assert_no_error (error);
  widget = weak = g_object_ref_sink (sonde_sample_view_new (fixture->client));
  g_object_add_weak_pointer (G_OBJECT (widget), &weak);
  sonde_sample_view_show_part (SONDE_SAMPLE_VIEW (widget), "counterfactual");
  sonde_sample_view_show (SONDE_SAMPLE_VIEW (widget), g_ptr_array_index (rows, 0));
  g_object_run_dispose (G_OBJECT (widget));
  g_object_unref (widget);
  while (weak != NULL)
    g_main_context_iteration (NULL, TRUE);
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = g_dir_make_tmp ("sonde-sample-XXXXXX", NULL);

  g_setenv ("XDG_DATA_HOME", folder, TRUE);
  g_setenv ("XDG_CONFIG_HOME", folder, TRUE);
  g_test_init (&argc, &argv, NULL);
  if (!gtk_init_check ())
    {
      g_print ("1..0 # SKIP there is no display\n");
      return 0;
    }
  adw_init ();
  sonde_application_register_resources ();
  g_test_add_func ("/app/explain/methods/choose", test_chooser);
  g_test_add_func ("/app/explain/maps/places", test_maps);
  g_test_add_func ("/app/explain/maps/linked", test_linked);
  g_test_add_func ("/app/explain/flip/player", test_flip);
  g_test_add_func ("/app/explain/neighbours/conflicts", test_neighbours);
  g_test_add_func ("/app/explain/edit/latest-wins", test_edit);
  g_test_add_func ("/app/explain/scores/weights", test_scores);
  g_test_add_func ("/app/explain/self-test/rows", test_self_test);
  g_test_add ("/app/explain/sample-view/child", SessionFixture, NULL, session_fixture_set_up,
              test_view, session_fixture_tear_down);
  g_test_add ("/app/explain/sample-view/finalize", SessionFixture, NULL, session_fixture_set_up,
              test_view_finalize, session_fixture_tear_down);
  return g_test_run ();
}
