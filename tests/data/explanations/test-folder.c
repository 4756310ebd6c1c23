/* SPDX-License-Identifier: Apache-2.0
 * What is written is read back: settings, tables, maps and counterfactuals of a folder. */
#include <math.h>
#include <string.h>

#include <glib/gstdio.h>

#include "data/explanations/sonde-attribution-map.h"
#include "data/explanations/sonde-explanation-folder.h"

static char *const classes[] = { (char *) "cat", (char *) "great\tape", NULL };

static SondeSampleResult *
make_result (const char *name, gint64 label, gint64 predicted, SondeErrorCategory reason)
{
  SondeSampleResult *result = g_new0 (SondeSampleResult, 1);

  result->name = g_strdup (name);
  result->label = label;
  result->predicted = predicted;
  result->p_label = label >= 0 ? 0.25 : NAN;
  result->p_predicted = 0.5;
  result->margin = 0.25;
  result->category = reason;
  result->categories
      = reason < SONDE_N_CATEGORIES ? 1u << reason | 1u << SONDE_CATEGORY_BOUNDARY : 0;
  result->evidence = reason < SONDE_N_CATEGORIES ? sonde_message_new_text ("near\tthe edge") : NULL;
  return result;
}

static GPtrArray *
make_results (void)
{
  GPtrArray *results = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_sample_result_free);

  g_ptr_array_add (results, make_result ("in/a.png", 0, 1, SONDE_CATEGORY_LABEL_ERROR));
  g_ptr_array_add (results, make_result ("in/b.png", 1, 1, SONDE_N_CATEGORIES));
  g_ptr_array_add (results, make_result ("c.png", -1, 7, SONDE_N_CATEGORIES));
  return results;
}

/* One layer of one window, refined by another, with a step of each. */
static SondeCounterfactual *
make_counterfactual (void)
{
  SondeCounterfactual *made = sonde_counterfactual_new ();
  const SondeCounterfactualWindow windows[]
      = { { 0, -1, { 0, 0, 4, 4 }, 0.5, 0.25, 0 }, { 1, 0, { 1, 2, 2, 2 }, 0.75, 0.5, 3 } };
  GError *error = NULL;

  made->goal = SONDE_OCCLUSION_FLIP;
  made->status = SONDE_OCCLUSION_OK;
  made->target = 1;
  made->threshold = 0;
  made->original = -0.5;
  made->area = 0.125;
  made->n_candidates = 12;
  made->n_evaluations = 13;
  made->n_scored = 11;
  made->mask = g_strdup ("gaussian:2");
  made->note = sonde_message_new_text ("noted");
  g_assert_true (sonde_counterfactual_add_layer (made, 0.5, (int[]){ 0, 0, 4, 4 }, 1, &error));
  g_assert_true (sonde_counterfactual_add_layer (made, 0.75, (int[]){ 1, 2, 2, 2 }, 1, &error));
  g_array_append_vals (made->steps, windows, G_N_ELEMENTS (windows));
  return made;
}

static void
check_counterfactual (const SondeCounterfactual *read)
{
  const SondeCounterfactualWindow *second
      = &g_array_index (read->steps, SondeCounterfactualWindow, 1);
  const SondeBox *box = &g_array_index ((GArray *) read->layers->pdata[1], SondeBox, 0);

  g_assert_cmpint (read->goal, ==, SONDE_OCCLUSION_FLIP);
  g_assert_cmpint (read->status, ==, SONDE_OCCLUSION_OK);
  g_assert_cmpfloat (read->original, ==, -0.5);
  g_assert_cmpfloat (read->area, ==, 0.125);
  g_assert_cmpuint (read->n_candidates, ==, 12);
  g_assert_cmpstr (read->mask, ==, "gaussian:2");
  g_assert_cmpstr (sonde_message_get_english (read->note), ==, "noted");
  g_assert_cmpuint (read->layers->len, ==, 2);
  g_assert_cmpfloat (read->layer_out[1], ==, 0.75);
  g_assert_cmpint (box->x, ==, 1);
  g_assert_cmpint (box->height, ==, 2);
  g_assert_cmpuint (read->steps->len, ==, 2);
  g_assert_cmpint (second->parent, ==, 0);
  g_assert_cmpuint (second->layer, ==, 1);
  g_assert_cmpfloat (second->after, ==, 0.75);
  g_assert_null (read->pruned);
}

/* ---- a whole folder ------------------------------------------------------ */

static void
write_file (const char *folder, const char *inside, const char *ending, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path
      = sonde_explanation_make_path (folder, inside, "cat", "in/a.png", ending, &error);

  g_assert_no_error (error);
  g_assert_true (g_file_set_contents (path, text, -1, &error));
}

static void
write_tables (const char *folder, GPtrArray *results)
{
  const SondeRelatedSample near = { "in/b.png", 0.5 };
  g_autoptr (GArray) related = g_array_new (FALSE, FALSE, sizeof near);
  g_autoptr (GArray) none = g_array_new (FALSE, FALSE, sizeof near);
  SondeTriageEntry entry = { .result = results->pdata[0],
                             .signed_margin = -0.25,
                             .border = NAN,
                             .neighbours = related,
                             .proponents = none,
                             .opponents = none };
  const SondeLabelErrorEntry label = { "in/a.png", 0, 1, TRUE, 0.25, 0.375, 0.5, 0.25 };
  g_autoptr (GPtrArray) entries = g_ptr_array_new ();
  g_autoptr (GArray) labels = g_array_new (FALSE, FALSE, sizeof label);
  g_autoptr (GError) error = NULL;

  g_array_append_val (related, near);
  g_array_append_val (labels, label);
  g_ptr_array_add (entries, &entry);
  g_assert_true (
      sonde_explanation_write_predictions (folder, results, (char **) classes, 2, &error));
  g_assert_true (sonde_explanation_write_triage (folder, entries, (char **) classes, 2, &error));
  g_assert_true (sonde_explanation_write_label_errors (folder, "label-errors", labels,
                                                       (char **) classes, 2, &error));
  g_assert_no_error (error);
}

static void
write_settings (const char *folder)
{
  SondeExplanationSettings settings = { .model = (char *) "net.onnx",
                                        .data = (char *) "images:in",
                                        .std = (char *) "0.5",
                                        .threads = 2,
                                        .seed = 7 };
  char *targets[] = { (char *) "predicted", (char *) "cat", NULL };
  g_autoptr (GPtrArray) notes = g_ptr_array_new ();
  g_autoptr (SondeMessage) scaled = sonde_message_new_text ("scaled\033[1m");
  const SondeExplanationCall call = { .settings = &settings,
                                      .model = "net.onnx",
                                      .version = "1",
                                      .targets = targets,
                                      .channels = 1,
                                      .height = 4,
                                      .width = 4,
                                      .notes = notes };
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL, *text = NULL;

  g_ptr_array_add (notes, scaled);
  g_assert_true (sonde_explanation_settings_write (folder, &call, &error));
  g_assert_no_error (error);
  path = g_build_filename (folder, "settings.json", NULL);
  g_assert_true (g_file_get_contents (path, &text, NULL, &error));
  g_assert_nonnull (strstr (text, "scaled\\u001b[1m")); /* no terminal is told anything */
}

static void
write_counterfactual (const char *folder)
{
  g_autoptr (GPtrArray) results
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_counterfactual_free);
  const int windows[] = { 4, 2 }, strides[] = { 1, 1 };
  const SondeCounterfactualSearch search
      = { SONDE_OCCLUSION_FLIP, "margin", "gaussian:2", 1, windows, strides, 2 };
  g_autofree char *text = NULL;

  g_ptr_array_add (results, make_counterfactual ());
  g_ptr_array_add (results, make_counterfactual ());
  text = sonde_counterfactual_to_json (&search, results);
  g_assert_nonnull (strstr (text, "\"thresholds\""));
  g_assert_nonnull (strstr (text, "\"windows\""));
  write_file (folder, "hoc/flip", ".json", text);
}

static void
remove_folder (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *inner = g_build_filename (path, name, NULL);

      remove_folder (inner);
    }
  g_remove (path);
}

static void
check_text (const char *folder, const char *name, const char *wanted)
{
  g_autofree char *path = g_build_filename (folder, name, NULL), *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, wanted);
}

static void
check_samples (const SondeExplanationFolder *read)
{
  const SondeExplanationSample *cat = read->samples->pdata[0], *unknown = read->samples->pdata[2];
  const SondeAttributionMap *map = cat->maps->pdata[0], *of_class = cat->maps->pdata[1];

  g_assert_cmpstr (cat->result->name, ==, "in/a.png");
  g_assert_cmpstr (cat->result->label_name, ==, "cat");
  g_assert_cmpstr (cat->result->predicted_name, ==, "great ape");
  g_assert_true (sonde_sample_result_is_error (cat->result));
  g_assert_cmpfloat (cat->result->p_label, ==, 0.25);
  g_assert_cmpint (cat->result->category, ==, SONDE_CATEGORY_LABEL_ERROR);
  g_assert_cmpstr (sonde_message_get_english (cat->result->evidence), ==, "near the edge");
  g_assert_cmpint (unknown->result->label, ==, -1);
  g_assert_cmpstr (unknown->result->predicted_name, ==, "7");
  g_assert_true (isnan (unknown->result->p_label));
  g_assert_cmpint (unknown->result->category, ==, SONDE_N_CATEGORIES);
  g_assert_cmpuint (cat->maps->len, ==, 2);
  g_assert_cmpstr (map->spec, ==, "saliency");
  g_assert_cmpstr (map->target_is, ==, "predicted");
  g_assert_cmpint (map->target, ==, cat->result->predicted);
  g_assert_cmpstr (map->path, ==, "maps/saliency/predicted/cat/a.npy");
  g_assert_cmpint (of_class->target, ==, cat->result->label);
  g_assert_cmpuint (cat->counterfactuals->len, ==, 1);
  check_counterfactual (cat->counterfactuals->pdata[0]);
}

static void
test_round_trip (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("sonde-explanations-XXXXXX", &error);
  g_autoptr (GPtrArray) results = make_results ();
  g_autoptr (SondeExplanationFolder) read = NULL;

  g_assert_false (sonde_explanation_folder_is (folder));
  write_tables (folder, results);
  write_settings (folder);
  write_counterfactual (folder);
  write_file (folder, "maps/saliency/predicted", ".npy", "");
  write_file (folder, "maps/saliency/class", ".npy", "");
  g_assert_true (sonde_explanation_folder_is (folder));
  check_text (folder, "predictions.tsv",
              "file\ttrue\tpredicted\tp_true\tp_predicted\tmargin\treason\n"
              "in/a.png\tcat\tgreat ape\t0.25\t0.5\t0.25\tlabel-error\n"
              "in/b.png\tgreat ape\tgreat ape\t0.25\t0.5\t0.25\t\n"
              "c.png\t\t7\tnan\t0.5\t0.25\t\n");
  check_text (folder, "triage.tsv",
              "file\ttrue\tpredicted\treason\tothers\tevidence\tmargin\tentropy\tenergy\tdistance\t"
              "border\tbox\tneighbours\tproponents\topponents\n"
              "in/a.png\tcat\tgreat ape\tlabel-error\tboundary\tnear the edge\t-0.25\t0\t0\t0\tnan"
              "\t0\tin/b.png:0.5\t\t\n");
  check_text (folder, "label-errors.tsv",
              "file\tgiven\tsuggested\tsuspect\tself_confidence\tnormalised_margin\t"
              "weighted_entropy\tscore\n"
              "in/a.png\tcat\tgreat ape\tyes\t0.25\t0.375\t0.5\t0.25\n");
  read = sonde_explanation_folder_read (folder, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (read->faults->len, ==, 0);
  g_assert_cmpuint (read->samples->len, ==, 3);
  g_assert_true (g_str_has_suffix (read->settings->model, "/net.onnx"));
  g_assert_cmpstr (read->settings->std, ==, "0.5");
  g_assert_cmpint (read->settings->seed, ==, 7);
  g_assert_cmpstr (read->target, ==, "cat");
  g_assert_nonnull (strstr (read->missing, "net.onnx"));
  check_samples (read);
  remove_folder (folder);
}

/* ---- the structs --------------------------------------------------------- */

static void
test_tables (void)
{
  g_autoptr (SondeCounterfactual) made = make_counterfactual ();
  g_autoptr (SondeCounterfactual) read = sonde_counterfactual_new ();
  g_autoptr (GError) error = NULL;
  SondeCounterfactualTables tables;

  sonde_counterfactual_make_tables (made, &tables);
  g_assert_true (sonde_counterfactual_take_tables (read, &tables, &error));
  g_assert_true (sonde_counterfactual_set_names (read, "flip", "ok", &error));
  g_assert_cmpuint (read->layers->len, ==, 2);
  g_assert_cmpfloat (sonde_counterfactual_measure_area (read, 4, 8), ==, 0.125);
  g_assert_false (sonde_counterfactual_set_names (read, "flop", "ok", &error));
  sonde_tensor_unref (tables.boxes);
  sonde_tensor_unref (tables.outputs);
  sonde_tensor_unref (tables.steps);
  g_assert_null (tables.pruned);
}

static void
test_copies (void)
{
  SondeShape shape = sonde_shape_make (2, 2, 2);
  g_autoptr (SondeTensor) numbers = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  SondeAttributionMap map = { .spec = (char *) "saliency",
                              .title = (char *) "Gradient",
                              .other = -1,
                              .map = numbers,
                              .score = 0.5 };
  g_autoptr (SondeAttributionMap) copy = sonde_attribution_map_copy (&map);
  float p[] = { 0.25, 0.75 };
  SondeSampleResult result
      = { .name = (char *) "x", .label = -1, .probabilities = p, .n_classes = 2 };
  g_autoptr (SondeSampleResult) again = sonde_sample_result_copy (&result);

  g_assert_cmpstr (copy->spec, ==, "saliency");
  g_assert_true (copy->map == numbers);
  g_assert_null (copy->channels);
  g_assert_cmpfloat (again->probabilities[1], ==, 0.75);
  g_assert_true (again->probabilities != p);
  g_assert_false (sonde_sample_result_is_error (again));
  g_assert_cmpint (sonde_error_category_from_name ("boundary"), ==, SONDE_CATEGORY_BOUNDARY);
  g_assert_cmpint (sonde_error_category_from_name ("other"), ==, SONDE_N_CATEGORIES);
  g_assert_cmpstr (sonde_error_category_get_name (SONDE_N_CATEGORIES), ==, "");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/explanations/round-trip", test_round_trip);
  g_test_add_func ("/data/explanations/tables", test_tables);
  g_test_add_func ("/data/explanations/copies", test_copies);
  return g_test_run ();
}
