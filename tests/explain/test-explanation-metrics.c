/* SPDX-License-Identifier: Apache-2.0
 * metrics.json of predictions that are counted on paper, and what is counted of maps that point. */
#include <json-glib/json-glib.h>

#include "data/datasets/sonde-dataset.h"
#include "explain/metrics/sonde-pointing.h"
#include "explain/report/sonde-explanation-metrics.h"

static char *classes[] = { (char *) "cat", (char *) "dog", NULL };
/* softmax of ln 3 and 0 */
static float cat[] = { 0.75f, 0.25f }, dog[] = { 0.25f, 0.75f }, cat_logits[] = { 1.0986123f, 0 },
             dog_logits[] = { 0, 1.0986123f };

/* Four cats, of which one is taken for a dog, and one that nobody labelled. */
static GPtrArray *
make_predictions (void)
{
  static SondeSampleResult right = { .sample = 0,
                                     .name = (char *) "r",
                                     .label = 0,
                                     .predicted = 0,
                                     .probabilities = cat,
                                     .logits = cat_logits,
                                     .n_classes = 2 },
                           wrong = { .sample = 1,
                                     .name = (char *) "w",
                                     .label = 0,
                                     .predicted = 1,
                                     .probabilities = dog,
                                     .logits = dog_logits,
                                     .n_classes = 2 },
                           unknown = { .sample = 2,
                                       .name = (char *) "u",
                                       .label = -1,
                                       .predicted = 0,
                                       .probabilities = cat,
                                       .logits = cat_logits,
                                       .n_classes = 2 };
  GPtrArray *predictions = g_ptr_array_new ();

  for (int i = 0; i < 3; i++)
    g_ptr_array_add (predictions, &right);
  g_ptr_array_add (predictions, &wrong);
  g_ptr_array_add (predictions, &unknown);
  return predictions;
}

static gint64
count_at (JsonArray *confusion, guint row, guint column)
{
  return json_array_get_int_element (json_array_get_array_element (confusion, row), column);
}

static void
check_counts (JsonObject *object)
{
  JsonArray *confusion = json_object_get_array_member (object, "confusion"),
            *pairs = json_object_get_array_member (object, "pairs");
  JsonObject *pair = json_array_get_object_element (pairs, 0);

  g_assert_cmpint (json_object_get_int_member (object, "pictures"), ==, 5);
  g_assert_cmpint (json_object_get_int_member (object, "labelled"), ==, 4);
  g_assert_cmpint (json_object_get_int_member (object, "errors"), ==, 1);
  g_assert_cmpfloat (json_object_get_double_member (object, "accuracy"), ==, 0.75);
  g_assert_cmpint (json_object_get_int_member (object, "explained"), ==, 1);
  g_assert_cmpint (json_object_get_int_member (object, "maps"), ==, 2);
  g_assert_cmpint (json_object_get_int_member (object, "unreadable"), ==, 3);
  g_assert_cmpint (count_at (confusion, 0, 0), ==, 3);
  g_assert_cmpint (count_at (confusion, 0, 1), ==, 1);
  g_assert_cmpint (count_at (confusion, 1, 0) + count_at (confusion, 1, 1), ==, 0);
  g_assert_cmpuint (json_array_get_length (pairs), ==, 1);
  g_assert_cmpstr (json_object_get_string_member (pair, "true"), ==, "cat");
  g_assert_cmpstr (json_object_get_string_member (pair, "predicted"), ==, "dog");
}

/* Predicted with 0.75, right with 0.75: calibrated, in the bin that holds it. */
static void
check_calibration (JsonObject *object)
{
  JsonObject *calibration = json_object_get_object_member (object, "calibration");
  JsonArray *bins = json_object_get_array_member (calibration, "bins");
  JsonObject *bin = json_array_get_object_element (bins, 11);

  g_assert_cmpfloat_with_epsilon (json_object_get_double_member (calibration, "ece"), 0, 1e-6);
  g_assert_cmpuint (json_array_get_length (bins), ==, 15);
  g_assert_cmpint (json_object_get_int_member (bin, "n"), ==, 4);
  g_assert_cmpfloat (json_object_get_double_member (bin, "accuracy"), ==, 0.75);
  /* nothing is in the first: what is no number is a word */
  g_assert_cmpstr (
      json_object_get_string_member (json_array_get_object_element (bins, 0), "accuracy"), ==,
      "nan");
}

static void
test_json (void)
{
  static const SondeDatasetClass without_boxes = { 0 };
  SondeDataset dataset = { .klass = &without_boxes,
                           .n = 5,
                           .channels = 1,
                           .height = 1,
                           .width = 1,
                           .classes = classes,
                           .n_classes = 2 };
  g_autoptr (GPtrArray) predictions = make_predictions (), failed = g_ptr_array_new (),
                        pointing = g_ptr_array_new ();
  SondePointing score
      = { .key = (char *) "saliency/true", .n = 4, .hits = 1, .n_undefined = 2, .mass = 3 };
  const SondeExplanationMetrics metrics = { .dataset = &dataset,
                                            .predictions = predictions,
                                            .n_explained = 1,
                                            .n_maps = 2,
                                            .n_unreadable = 3,
                                            .failed = failed,
                                            .pointing = pointing };
  g_autoptr (JsonNode) root = NULL;
  JsonObject *object, *place;

  g_ptr_array_add (failed, (char *) "gradcam");
  g_ptr_array_add (pointing, &score);
  root = sonde_explanation_metrics_to_json (&metrics);
  object = json_node_get_object (root);
  check_counts (object);
  check_calibration (object);
  g_assert_cmpstr (
      json_array_get_string_element (json_object_get_array_member (object, "failed_methods"), 0),
      ==, "gradcam");
  place = json_object_get_object_member (json_object_get_object_member (object, "localisation"),
                                         "saliency/true");
  g_assert_cmpfloat (json_object_get_double_member (place, "pointing"), ==, 0.25);
  g_assert_cmpfloat (json_object_get_double_member (place, "mass"), ==, 0.75);
  g_assert_cmpint (json_object_get_int_member (place, "undefined"), ==, 2);
  g_assert_false (json_object_has_member (object, "triage"));
  g_assert_false (json_object_has_member (object, "scores"));
}

/* Glyphs know their objects: a map that is the object's own mask points at it with all its mass. */
static void
test_pointing (void)
{
  g_autoptr (GError) error = NULL;
  SondeDatasetOptions options = { .seed = 3, .count = 4 };
  g_autoptr (SondeDataset) dataset = sonde_dataset_open ("glyphs", &options, &error);
  g_autoptr (GPtrArray) list = sonde_pointing_new_list ();
  SondeShape shape = sonde_shape_make (2, dataset->height, dataset->width);
  g_autoptr (SondeTensor) mask = sonde_tensor_new (SONDE_DTYPE_U8, &shape),
                          tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  const SondeAttributionMap map
      = { .sample = 1, .spec = (char *) "saliency", .target_is = (char *) "true", .map = tensor };
  const SondePointing *score;
  SondeBox box;

  g_assert_no_error (error);
  sonde_pointing_add (list, dataset, &map); /* 0 everywhere: it points nowhere */
  g_assert_true (sonde_dataset_get_truth (dataset, 1, &box, mask->data));
  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    sonde_tensor_set_double (tensor, i, sonde_tensor_get_double (mask, i) > 0);
  sonde_pointing_add (list, dataset, &map);
  g_assert_cmpuint (list->len, ==, 1);
  score = g_ptr_array_index (list, 0);
  g_assert_cmpstr (score->key, ==, "saliency/true");
  g_assert_cmpuint (score->n, ==, 1);
  g_assert_cmpuint (score->hits, ==, 1);
  g_assert_cmpuint (score->n_undefined, ==, 1);
  g_assert_cmpfloat (score->mass, ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/explain/metrics-json/json", test_json);
  g_test_add_func ("/explain/metrics-json/pointing", test_pointing);
  return g_test_run ();
}
