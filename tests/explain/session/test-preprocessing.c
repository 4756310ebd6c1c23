/* SPDX-License-Identifier: Apache-2.0
 * Trying preprocessings: networks whose answers are right under one of them alone, what a model's file
 * says, and a stored net whose numbers are known. */
#include <string.h>

#include "data/models/sonde-model-file.h"
#include "engine/ops/sonde-engine-error.h"
#include "explain/session/sonde-explain-session.h"
#include "tests/explain/session/colour-net.h"
#include "tests/support/sonde-test-program.h"
#include "tests/support/sonde-test-tensor.h"

#define N COLOUR_IMAGES

/* @cancels: the first tick of a trial ends it */
typedef struct
{
  char *folder, *model, *cache;
  SondeExplanationSettings settings;
  SondeExplainSession *session;
  guint n_tried; /* ticks of trials */
  gboolean cancels;
} Fixture;

static gboolean
tick (const char *what, double fraction, double left, gpointer data, GError **error)
{
  Fixture *fixture = data;

  if (!g_str_equal (what, "Trying preprocessings"))
    return TRUE;
  g_assert_cmpfloat (fraction, <=, 1.0);
  fixture->n_tried++;
  if (fixture->cancels)
    g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE, "enough");
  return !fixture->cancels;
}

static void
open_session (Fixture *fixture)
{
  g_autofree char *program = sonde_test_program_dup_path ();
  SondeExplainListener listener = { .tick = tick, .data = fixture };
  SondeExplainOptions opening = { .settings = &fixture->settings,
                                  .program = program,
                                  .cache = fixture->cache,
                                  .listener = &listener };
  g_autoptr (GError) error = NULL;

  if (fixture->settings.model == NULL)
    fixture->settings.model = g_strdup (fixture->model);
  g_clear_pointer (&fixture->session, sonde_explain_session_free);
  fixture->session = sonde_explain_session_open (&opening, &error);
  g_assert_no_error (error);
}

static const SondePreprocessingTrial *
try_them (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  const SondePreprocessingTrial *trial
      = sonde_explain_session_try_preprocessings (fixture->session, &error);

  g_assert_no_error (error);
  return trial;
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->folder = sonde_test_folder_new ();
  fixture->settings.threads = 1;
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  sonde_explain_session_free (fixture->session);
  sonde_explanation_settings_clear (&fixture->settings);
  g_free (fixture->model);
  g_free (fixture->cache);
  sonde_test_folder_free (fixture->folder);
}

/* ---- which is found ------------------------------------------------------- */

static const guint8 red_or_blue[2][3] = { { 200, 40, 40 }, { 40, 40, 200 } };

/* Red or blue, by a network that takes the first plane for blue. */
#define BLUE_FIRST "3x2: -1 1 0 0 1 -1"

static guint
count_right (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  GPtrArray *rows = sonde_explain_session_classify (fixture->session, &error);
  guint n = 0;

  g_assert_no_error (error);
  for (guint i = 0; i < rows->len; i++)
    n += !sonde_sample_result_is_error (g_ptr_array_index (rows, i));
  return n;
}

static void
use_best (Fixture *fixture, const SondePreprocessingTrial *trial)
{
  g_autoptr (SondeExplanationSettings) chosen
      = sonde_preprocessing_apply (sonde_preprocessing_trial_get_best (trial), &fixture->settings);

  sonde_explanation_settings_clear (&fixture->settings);
  fixture->settings = *chosen;
  *chosen = (SondeExplanationSettings){ NULL };
  open_session (fixture);
}

static void
test_range (Fixture *fixture, gconstpointer data)
{
  const SondePreprocessingTrial *trial;
  const SondePreprocessing *own, *best;
  g_autofree char *text = NULL;

  fixture->model = colour_net_write (fixture->folder, SIGN_OF_BRIGHTNESS);
  fixture->settings.data = colour_images_write (fixture->folder, dark_or_bright);
  open_session (fixture);
  trial = try_them (fixture);
  own = sonde_preprocessing_trial_get_own (trial);
  best = sonde_preprocessing_trial_get_best (trial);
  g_assert_cmpuint (trial->n_images, ==, N);
  g_assert_cmpuint (own->n_right, ==, N / 2);
  g_assert_cmpuint (best->n_right, ==, N);
  g_assert_cmpuint (trial->n_only_best, ==, N / 2);
  g_assert_cmpuint (trial->n_only_own, ==, 0);
  g_assert_true (sonde_preprocessing_trial_is_clear (trial));
  text = sonde_message_dup_english (sonde_explain_session_get_warning (fixture->session));
  sonde_test_assert_contains (text, "50.0 % are correct with pixels from 0 to 1");
  sonde_test_assert_contains (text, best->mean);
  /* what was tried is what the choice gives */
  g_assert_cmpuint (count_right (fixture), ==, N / 2);
  use_best (fixture, trial);
  g_assert_cmpuint (count_right (fixture), ==, N);
  /* and once chosen, nothing is tried or in doubt */
  g_assert_cmpuint (try_them (fixture)->n_images, ==, 0);
  g_assert_null (sonde_explain_session_get_warning (fixture->session));
}

/* Maps of such a network are the same everywhere: groups of them have members, or are none. */
static void
test_same_maps (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTriageResult) triage = NULL;

  fixture->model = colour_net_write (fixture->folder, SIGN_OF_BRIGHTNESS);
  fixture->settings.data = colour_images_write (fixture->folder, dark_or_bright);
  open_session (fixture);
  triage = sonde_explain_session_categorise (fixture->session, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (triage->clusters->len, >=, 1);
  for (guint i = 0; i < triage->clusters->len; i++)
    g_assert_cmpuint (((SondeErrorCluster *) g_ptr_array_index (triage->clusters, i))->members->len,
                      >, 0);
}

static void
test_order (Fixture *fixture, gconstpointer data)
{
  const SondePreprocessingTrial *trial;

  fixture->model = colour_net_write (fixture->folder, BLUE_FIRST);
  fixture->settings.data = colour_images_write (fixture->folder, red_or_blue);
  open_session (fixture);
  trial = try_them (fixture);
  g_assert_true (sonde_preprocessing_trial_is_clear (trial));
  g_assert_true (sonde_preprocessing_trial_get_best (trial)->bgr);
  g_assert_cmpuint (sonde_preprocessing_trial_get_own (trial)->n_right, ==, 0);
  g_assert_cmpuint (sonde_preprocessing_trial_get_best (trial)->n_right, ==, N);
  sonde_test_assert_contains (
      sonde_message_get_english (sonde_explain_session_get_warning (fixture->session)),
      "--channels bgr");
}

/* Right as it is: nothing is offered, and a note says what was tried. */
static void
test_already_right (Fixture *fixture, gconstpointer data)
{
  const SondePreprocessingTrial *trial;
  GPtrArray *notes;

  fixture->model = colour_net_write (fixture->folder, "3x2: 1 -1 0 0 -1 1");
  fixture->settings.data = colour_images_write (fixture->folder, red_or_blue);
  open_session (fixture);
  trial = try_them (fixture);
  g_assert_cmpuint (trial->n_images, ==, N);
  g_assert_false (sonde_preprocessing_trial_is_clear (trial));
  g_assert_null (sonde_explain_session_get_warning (fixture->session));
  notes = sonde_explain_session_get_notes (fixture->session);
  g_assert_cmpuint (notes->len, ==, 1);
  sonde_test_assert_contains (sonde_message_get_english (g_ptr_array_index (notes, 0)),
                              "clearly better");
}

static void
add_metadata (SondeGraph *graph, const char *key, const char *value)
{
  SondeMetadata pair = { .key = g_strdup (key), .value = g_strdup (value) };

  g_array_append_val (graph->metadata, pair);
}

/* Decided at 81 of 255, where none of those in use does; the file says so in numbers of bytes. */
static void
test_model_says (Fixture *fixture, gconstpointer data)
{
  const guint8 narrow[2][3] = { { 40, 40, 40 }, { 82, 82, 82 } };
  g_autoptr (SondeGraph) graph = NULL;
  g_autoptr (GPtrArray) list = NULL;
  const SondePreprocessing *best;

  fixture->model = colour_net_write (fixture->folder, SIGN_OF_BRIGHTNESS);
  fixture->settings.data = colour_images_write (fixture->folder, narrow);
  open_session (fixture);
  g_assert_cmpuint (sonde_preprocessing_trial_get_best (try_them (fixture))->n_right, <, N);
  graph = sonde_model_load (NULL, fixture->model, NULL);
  add_metadata (graph, "mean", "[81, 81, 81]");
  add_metadata (graph, "std", "[58.4, 57.1, 57.4]");
  list = sonde_preprocessing_list (NULL, graph, 3);
  best = g_ptr_array_index (list, 1);
  g_assert_cmpstr (best->mean, ==, "0.31764706,0.31764706,0.31764706");
  g_assert_true (g_str_has_prefix (best->std, "0.22901961,"));
  g_assert_true (sonde_model_save (NULL, fixture->model, graph, NULL));
  open_session (fixture);
  best = sonde_preprocessing_trial_get_best (try_them (fixture));
  g_assert_cmpstr (best->title, ==, "what the model's file says");
  g_assert_cmpuint (best->n_right, ==, N);
}

/* ---- kept, stopped, sent -------------------------------------------------- */

static void
test_kept (Fixture *fixture, gconstpointer data)
{
  guint n;

  fixture->model = colour_net_write (fixture->folder, SIGN_OF_BRIGHTNESS);
  fixture->settings.data = colour_images_write (fixture->folder, dark_or_bright);
  fixture->cache = g_build_filename (fixture->folder, "studies", NULL);
  open_session (fixture);
  fixture->cancels = TRUE;
  g_assert_null (sonde_explain_session_try_preprocessings (fixture->session, NULL));
  g_assert_null (sonde_explain_session_get_warning (fixture->session));
  fixture->cancels = FALSE;
  n = sonde_preprocessing_trial_get_best (try_them (fixture))->n_right;
  fixture->n_tried = 0;
  open_session (fixture);
  g_assert_cmpuint (sonde_preprocessing_trial_get_best (try_them (fixture))->n_right, ==, n);
  g_assert_cmpuint (fixture->n_tried, ==, 0);
  g_assert_nonnull (sonde_explain_session_get_warning (fixture->session));
}

/* The last transform that says it; among those tried it comes first behind plain pixels. */
static void
test_recipe (void)
{
  const char *const transforms[] = { "normalise:0:2", "grey", "normalise:0.3:0.7", "crop:2", NULL };
  g_autoptr (SondeGraph) graph = sonde_graph_new ("net");
  SondePreprocessing *recorded = sonde_preprocessing_from_transforms (transforms);
  g_autoptr (GPtrArray) list = sonde_preprocessing_list (recorded, graph, 1);
  const SondePreprocessing *second = g_ptr_array_index (list, 1);

  g_assert_null (sonde_preprocessing_from_transforms (transforms + 3));
  g_assert_null (sonde_preprocessing_from_transforms (NULL));
  g_assert_cmpstr (second->mean, ==, "0.3");
  g_assert_cmpstr (second->std, ==, "0.7");
  g_assert_cmpstr (second->title, ==, recorded->title);
  sonde_preprocessing_free (recorded);
}

static void
test_codec (void)
{
  g_autoptr (SondePreprocessingTrial) trial = sonde_preprocessing_trial_new (), back = NULL;
  g_autoptr (GVariant) variant = NULL, bad = NULL;
  g_autoptr (GError) error = NULL;

  trial->n_images = 100;
  trial->n_only_best = 30;
  trial->best = 1;
  g_ptr_array_add (trial->tried, sonde_preprocessing_new ("a", "0", "1"));
  g_ptr_array_add (trial->tried, sonde_preprocessing_new ("b", "0.1,0.2,0.3", "1,2,3"));
  variant = g_variant_ref_sink (sonde_preprocessing_trial_codec.pack (trial, NULL));
  back = sonde_preprocessing_trial_codec.unpack (variant, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (sonde_preprocessing_trial_get_best (back)->mean, ==, "0.1,0.2,0.3");
  g_assert_true (sonde_preprocessing_trial_is_clear (back));
  trial->best = 2; /* there is no third */
  bad = g_variant_ref_sink (sonde_preprocessing_trial_codec.pack (trial, NULL));
  g_assert_null (sonde_preprocessing_trial_codec.unpack (bad, NULL, &error));
  g_assert_nonnull (error);
}

/* 11 gained and none lost cannot be chance; 10 can. */
static void
test_clear (void)
{
  const struct
  {
    guint gained, lost;
    gboolean clear;
  } cases[] = { { 11, 0, TRUE },  { 10, 0, FALSE },  { 40, 20, FALSE },
                { 60, 20, TRUE }, { 20, 60, FALSE }, { 0, 0, FALSE } };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      SondePreprocessingTrial trial
          = { .n_images = 320, .n_only_best = cases[i].gained, .n_only_own = cases[i].lost };

      g_assert_cmpint (sonde_preprocessing_trial_is_clear (&trial), ==, cases[i].clear);
    }
}

/* ---- a stored net --------------------------------------------------------- */

/* Its authors give the mean and the deviation, and with them 446 errors of 2,000; 1,333 without. */
static void
test_stored (Fixture *fixture, gconstpointer data)
{
  g_autofree char *model = sonde_test_shared_path ("models/explain/cifar-resnet20.onnx"),
                  *images = sonde_test_shared_path ("datasets/cifar10/test");
  const SondePreprocessingTrial *trial;
  const SondePreprocessing *own, *best;

  if (model == NULL || images == NULL)
    {
      g_test_skip ("the shared files are not here");
      return;
    }
  fixture->settings.model = g_strdup (model);
  fixture->settings.data = g_strdup (images);
  open_session (fixture);
  trial = try_them (fixture);
  own = sonde_preprocessing_trial_get_own (trial);
  best = sonde_preprocessing_trial_get_best (trial);
  for (guint i = 0; i < trial->tried->len; i++)
    {
      const SondePreprocessing *p = g_ptr_array_index (trial->tried, i);

      g_test_message ("%s%s: %u of %u, loss %.4f", p->title, p->bgr ? ", bgr" : "", p->n_right,
                      trial->n_images, p->loss);
    }
  g_assert_true (sonde_preprocessing_trial_is_clear (trial));
  g_assert_cmpstr (best->title, ==, "CIFAR-10's mean and standard deviation");
  g_assert_false (best->bgr);
  g_assert_cmpfloat_with_epsilon (sonde_preprocessing_trial_get_accuracy (trial, own), 33.35, 6);
  g_assert_cmpfloat_with_epsilon (sonde_preprocessing_trial_get_accuracy (trial, best), 77.7, 6);
  g_assert_cmpuint (count_right (fixture), ==, 2000 - 1333);
  use_best (fixture, trial);
  g_assert_cmpuint (count_right (fixture), ==, 2000 - 446);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*test) (Fixture *fixture, gconstpointer data);
  } tests[] = {
    { "/explain/preprocessing/range", test_range },
    { "/explain/preprocessing/order", test_order },
    { "/explain/preprocessing/already-right", test_already_right },
    { "/explain/preprocessing/model-says", test_model_says },
    { "/explain/preprocessing/same-maps", test_same_maps },
    { "/explain/preprocessing/kept", test_kept },
    { "/explain/preprocessing/stored", test_stored },
  };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].test, tear_down);
  g_test_add_func ("/explain/preprocessing/recipe", test_recipe);
  g_test_add_func ("/explain/preprocessing/codec", test_codec);
  g_test_add_func ("/explain/preprocessing/clear", test_clear);
  return g_test_run ();
}
