/* SPDX-License-Identifier: Apache-2.0
 * A session in this process: self-test, ratings, boxes, neighbours, reasons, scores, comparison,
 * cache, what crosses as variants. */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/models/sonde-model-file.h"
#include "engine/nn/sonde-zoo.h"
#include "engine/ops/sonde-engine-error.h"
#include "explain/sonde-explainer-model.h"
#include "explain/session/sonde-score-set.h"
#include "explain/session/sonde-counterfactual-record.h"
#include "explain/session/sonde-explain-codec.h"
#include "explain/session/sonde-explain-session.h"
#include "tests/support/sonde-test-program.h"

#define COUNT 120u

/* @ticks: until it stops, 0: never */
typedef struct
{
  char *folder, *model, *cache;
  SondeExplainSession *session;
  guint n_ticks, ticks;
  const char *counted; /* (nullable): ticks of this alone */
  guint64 most_cached;
  GVariant *scores; /* (nullable): those of the last ask_all() */
} Fixture;

/* Referenced: the rows outlive the session. */
static GPtrArray *
predict (SondeExplainSession *session, GError **error)
{
  GPtrArray *rows = sonde_explain_session_classify (session, error);

  return rows != NULL ? g_ptr_array_ref (rows) : NULL;
}

static gboolean
tick (const char *what, double fraction, double seconds_left, gpointer data, GError **error)
{
  Fixture *fixture = data;

  g_assert_nonnull (what);
  g_assert_cmpfloat (fraction, <=, 1.0);
  fixture->n_ticks += fixture->counted == NULL || g_str_equal (fixture->counted, what);
  if (fixture->ticks == 0 || fixture->n_ticks < fixture->ticks)
    return TRUE;
  g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE, "enough");
  return FALSE;
}

static char *
write_model (Fixture *fixture, const char *name, guint64 seed)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) model = sonde_zoo_build ("lenet", 1, 28, 28, 10, seed, &error);
  char *path = g_build_filename (fixture->folder, name, NULL);

  g_assert_no_error (error);
  g_assert_true (sonde_model_save (NULL, path, model, &error));
  g_assert_no_error (error);
  return path;
}

static void
open_study (Fixture *fixture)
{
  SondeExplanationSettings settings
      = { .model = fixture->model, .data = (char *) "glyphs:count=120", .threads = 1 };
  SondeExplainListener listener = { .tick = tick, .data = fixture };
  SondeExplainOptions opening = { .settings = &settings,
                                  .program = "sonde",
                                  .cache = fixture->cache,
                                  .listener = &listener,
                                  .most_cached = fixture->most_cached };
  g_autoptr (GError) error = NULL;

  g_clear_pointer (&fixture->session, sonde_explain_session_free);
  fixture->session = sonde_explain_session_open (&opening, &error);
  g_assert_no_error (error);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->folder = sonde_test_folder_new ();
  fixture->cache = g_build_filename (fixture->folder, "studies", NULL);
  fixture->model = write_model (fixture, "small.onnx", 7);
  open_study (fixture);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  sonde_explain_session_free (fixture->session);
  g_clear_pointer (&fixture->scores, g_variant_unref);
  g_free (fixture->model);
  g_free (fixture->cache);
  sonde_test_folder_free (fixture->folder);
}

/* ---- the self-test ------------------------------------------------------- */

static void
test_self_test (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) checks = sonde_self_test (NULL, &error), back = NULL;
  g_autoptr (GVariant) variant = NULL;
  guint bad = 0;

  g_assert_no_error (error);
  g_assert_cmpuint (checks->len, >=, 30);
  for (guint i = 0; i < checks->len; i++)
    {
      const SondeSelfTestCheck *check = g_ptr_array_index (checks, i);

      if (!check->good)
        g_test_message ("%s: expected %s, got %s", check->name,
                        sonde_message_get_english (check->expected),
                        sonde_message_get_english (check->got));
      bad += !check->good;
    }
  g_assert_cmpuint (bad, ==, 0);
  variant = g_variant_ref_sink (sonde_explain_checks_codec.pack (checks, NULL));
  back = sonde_explain_checks_codec.unpack (variant, NULL, &error);
  g_assert_cmpuint (back->len, ==, checks->len);
  for (guint i = 0; i < checks->len; i++)
    {
      const SondeSelfTestCheck *check = g_ptr_array_index (checks, i),
                               *other = g_ptr_array_index (back, i);

      g_assert_cmpstr (sonde_message_get_english (other->got), ==,
                       sonde_message_get_english (check->got));
      g_assert_cmpstr (sonde_message_get_english (other->sentence), ==,
                       sonde_message_get_english (check->sentence));
    }
}

/* ---- ratings ------------------------------------------------------------- */

static void
test_rate (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  SondeMapRating rating, again;

  g_assert_true (sonde_explain_session_rate (fixture->session, 3, "integrated-gradients:steps=200",
                                             2, &rating, &error));
  g_assert_no_error (error);
  g_assert_true (rating.faithfulness >= -1 && rating.faithfulness <= 1);
  g_assert_true (rating.faithfulness_random >= -1 && rating.faithfulness_random <= 1);
  g_assert_true (rating.randomisation >= -1 && rating.randomisation <= 1);
  g_assert_true (rating.agreement >= -1 && rating.agreement <= 1);
  g_assert_true (fabs (rating.gap) < 0.1);
  fixture->n_ticks = 0;
  open_study (fixture);
  /* from the cache */
  g_assert_true (sonde_explain_session_rate (fixture->session, 3, "integrated-gradients:steps=200",
                                             2, &again, &error));
  g_assert_cmpmem (&rating, sizeof rating, &again, sizeof again);
  g_assert_cmpuint (fixture->n_ticks, <, 8);
  /* a map that has no order has no faithfulness: a network that does not look */
  g_assert_false (
      sonde_explain_session_rate (fixture->session, 3, "gradcam:size=layer", 2, &again, &error));
  g_assert_nonnull (strstr (error->message, "size=layer"));
}

/* ---- the command and the page -------------------------------------------- */

typedef struct
{
  GPtrArray *maps;
  gboolean contrast;
} Taken;

static gboolean
take_map (const SondeAttributionMap *map, const SondeSampleResult *sample, gpointer data,
          GError **error)
{
  Taken *taken = data;

  (void) error;
  g_assert_cmpstr (map->target_is, ==, taken->contrast ? "contrast" : "predicted");
  g_assert_cmpint (map->target, ==, sample->predicted);
  g_assert_cmpint (map->other, !=, map->target);
  if (taken->contrast && sonde_sample_result_is_error (sample))
    g_assert_cmpint (map->other, ==, sample->label);
  g_ptr_array_add (taken->maps, sonde_attribution_map_copy (map));
  return TRUE;
}

static void
compare_maps (const SondeAttributionMap *one, const SondeAttributionMap *other, gboolean exact)
{
  double largest = 0, difference = fabs (one->score - other->score);

  g_assert_cmpint (one->other, ==, other->other);
  g_assert_true (sonde_shape_equal (&one->map->shape, &other->map->shape));
  for (gint64 i = 0; i < sonde_tensor_n_elements (one->map); i++)
    {
      largest = fmax (largest, fabs (sonde_tensor_get_double (one->map, i)));
      difference = fmax (difference, fabs (sonde_tensor_get_double (one->map, i)
                                           - sonde_tensor_get_double (other->map, i)));
    }
  g_assert_cmpfloat (difference, <=, exact ? 0 : 1e-5 * fmax (largest, fabs (one->score)));
}

/* What the command writes is what the page shows: to the bit from the cache that both share; computed
 * again, alone instead of in a batch, but for the order of float sums. */
static void
check_same_map (Fixture *fixture, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeAttributionSpec) spec = sonde_attribution_spec_parse (text, &error);
  Taken taken = { g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_attribution_map_free),
                  sonde_attribution_spec_get_method (spec)->takes_pair };
  GPtrArray *predictions = sonde_explain_session_classify (fixture->session, &error);
  gboolean good;

  g_assert_no_error (error);
  good = sonde_explain_session_explain (fixture->session, predictions, spec, "predicted", -1, FALSE,
                                        take_map, &taken, &error);
  g_assert_no_error (error);
  g_assert_true (good);
  g_assert_cmpuint (taken.maps->len, ==, COUNT);
  for (guint round = 0; round < 2; round++) /* from the cache, then without one */
    {
      g_autofree char *cache = fixture->cache;

      if (round == 1)
        fixture->cache = NULL;
      open_study (fixture);
      for (guint i = 0; i < COUNT; i += 17)
        {
          const SondeAttributionMap *one = g_ptr_array_index (taken.maps, i);
          g_autoptr (SondeAttributionMap) page = sonde_explain_session_compute_map (
              fixture->session, one->sample, text, one->target, &error);

          g_assert_no_error (error);
          compare_maps (one, page, round == 0);
        }
      fixture->cache = g_steal_pointer (&cache);
    }
  open_study (fixture);
  g_ptr_array_unref (taken.maps);
}

static void
test_same_map (Fixture *fixture, gconstpointer data)
{
  check_same_map (fixture, "saliency");
  check_same_map (fixture, "contrast-gradient");
  check_same_map (fixture, "smoothgrad:samples=4");
}

/* ---- boxes --------------------------------------------------------------- */

/* To a record and back: the same, to the bit; a record that lies is refused. */
static void
check_record (const SondeCounterfactual *boxes)
{
  SondeRecord record = { .kind = SONDE_RECORD_COUNTERFACTUAL };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeCounterfactual) back = NULL;
  g_autoptr (GVariant) one
      = g_variant_ref_sink (sonde_explain_counterfactual_codec.pack (boxes, NULL)),
      other = NULL;

  sonde_counterfactual_fill_record (boxes, &record);
  back = sonde_counterfactual_from_record (&record, &error);
  g_assert_no_error (error);
  back->sample = boxes->sample;
  other = g_variant_ref_sink (sonde_explain_counterfactual_codec.pack (back, NULL));
  g_assert_true (g_variant_equal (one, other));
  for (guint lie = 0; lie < 4; lie++)
    {
      SondeTensor *table = lie < 2 ? record.u.counterfactual.boxes : record.u.counterfactual.steps;
      gint64 at = (const gint64[]){ 0, 3, 1, 2 }[lie]; /* layer, width; parent, x */
      double was;

      if (sonde_tensor_n_elements (table) == 0)
        continue;
      was = sonde_tensor_get_double (table, at);
      sonde_tensor_set_double (table, at, (const double[]){ 99, 0, 0, -1 }[lie]);
      g_assert_null (sonde_counterfactual_from_record (&record, &error));
      g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID);
      g_clear_error (&error);
      sonde_tensor_set_double (table, at, was);
    }
  sonde_record_clear (&record);
}

/* Of a log only the layers are known. */
static void
test_boxes_of_log (void)
{
  int first[] = { 0, 0, 4, 4 }, second[] = { 0, 0, 2, 2, 1, 1, 2, 2 }, wrong[] = { 0, 0, 0, 4 };
  SondeExplanationLayer layers[] = { { 0.75, first, 1 }, { 0.5, second, 2 } },
                        bad = { 0.5, wrong, 1 };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeCounterfactual) boxes = sonde_counterfactual_from_log (
      &(SondeExplanationOcclusion){ 3, (char *) "gaussian:9", layers, 2 }, 0.9, &error);

  g_assert_no_error (error);
  g_assert_cmpint (boxes->target, ==, 3);
  g_assert_cmpint (boxes->status, ==, SONDE_OCCLUSION_OK);
  g_assert_cmpuint (boxes->layers->len, ==, 2);
  g_assert_cmpfloat (boxes->layer_out[1], ==, 0.5);
  g_assert_cmpfloat (sonde_counterfactual_measure_area (boxes, 4, 4), ==, 7.0 / 16);
  g_assert_null (sonde_counterfactual_from_log (&(SondeExplanationOcclusion){ 3, NULL, &bad, 1 },
                                                0.9, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID);
}

static void
test_boxes (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSampleResult) prediction
      = sonde_explain_session_infer (fixture->session, 0, NULL, &error);
  g_autoptr (SondeCounterfactual) boxes = sonde_explain_session_find_counterfactual (
      fixture->session, 0, "auto", prediction->predicted, &error),
                                  back = NULL;
  g_autoptr (GVariant) variant = NULL;

  g_assert_no_error (error);
  g_assert_cmpfloat_with_epsilon (boxes->original, prediction->probabilities[prediction->predicted],
                                  1e-6);
  g_assert_cmpint (boxes->goal, ==, SONDE_OCCLUSION_KEEP);
  if (boxes->status == SONDE_OCCLUSION_OK)
    {
      g_assert_cmpuint (boxes->layers->len, >, 0);
      g_assert_cmpfloat (boxes->layer_out[boxes->layers->len - 1], >=, boxes->threshold);
      g_assert_cmpuint (boxes->steps->len, >, 0);
    }
  for (guint i = 0; i < boxes->steps->len; i++)
    {
      const SondeCounterfactualWindow *step
          = &g_array_index (boxes->steps, SondeCounterfactualWindow, i),
          *parent;

      g_assert_cmpint (step->parent, <, (int) i); /* the large window came before those inside it */
      g_assert_true ((step->parent < 0) == (step->layer == 0));
      parent = step->parent >= 0
                   ? &g_array_index (boxes->steps, SondeCounterfactualWindow, step->parent)
                   : step;
      g_assert_cmpint (step->box.x, >=, parent->box.x);
      g_assert_cmpint (step->box.x + step->box.width, <=, parent->box.x + parent->box.width);
    }
  variant = g_variant_ref_sink (sonde_explain_counterfactual_codec.pack (boxes, NULL));
  back = sonde_explain_counterfactual_codec.unpack (variant, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (back->steps->len, ==, boxes->steps->len);
  g_assert_cmpmem (back->steps->data, back->steps->len * sizeof (SondeCounterfactualWindow),
                   boxes->steps->data, boxes->steps->len * sizeof (SondeCounterfactualWindow));
  g_assert_cmpstr (back->mask, ==, boxes->mask);
  check_record (boxes);
  fixture->ticks = fixture->n_ticks + 2;
  g_assert_null (
      sonde_explain_session_find_counterfactual (fixture->session, 1, "auto", 3, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
}

/* ---- neighbours, reasons, scores ----------------------------------------- */

static void
test_neighbours (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) neighbours
      = sonde_explain_session_find_neighbours (fixture->session, 5, 4, &error);
  GPtrArray *predictions = sonde_explain_session_classify (fixture->session, &error);
  const SondeSampleResult *own = g_ptr_array_index (predictions, 5);
  double nearest = INFINITY;

  g_assert_no_error (error);
  g_assert_cmpuint (neighbours->len, >=, 4);
  for (guint i = 0; i < 4; i++)
    {
      const SondeNeighbourSample *neighbour = g_ptr_array_index (neighbours, i);

      g_assert_cmpuint (neighbour->result->sample, !=, 5);
      g_assert_nonnull (neighbour->image);
      if (i > 0)
        g_assert_cmpfloat (
            neighbour->distance, >=,
            ((SondeNeighbourSample *) g_ptr_array_index (neighbours, i - 1))->distance);
    }
  for (guint i = 0; i < predictions->len; i++) /* by the definition */
    {
      const SondeSampleResult *other = g_ptr_array_index (predictions, i);
      double dot = 0, a = 0, b = 0;

      for (guint k = 0; k < own->n_features; k++)
        {
          dot += (double) own->features[k] * other->features[k];
          a += (double) own->features[k] * own->features[k];
          b += (double) other->features[k] * other->features[k];
        }
      if (i != 5)
        nearest = fmin (nearest, 1 - dot / sqrt (a * b));
    }
  g_assert_cmpfloat_with_epsilon (
      ((SondeNeighbourSample *) g_ptr_array_index (neighbours, 0))->distance, nearest, 1e-5);
  if (neighbours->len == 5)
    {
      const SondeNeighbourSample *example = g_ptr_array_index (neighbours, 4);

      g_assert_true (example->counterexample && example->result->label == own->label
                     && example->result->predicted == own->label);
    }
}

static void
test_triage (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTriageResult) triage
      = sonde_explain_session_categorise (fixture->session, &error),
      back = NULL;
  g_autoptr (GPtrArray) tensors
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  g_autoptr (GVariant) variant = NULL;
  guint members = 0;

  g_assert_no_error (error);
  g_assert_cmpuint (triage->rows->len, ==, COUNT);
  for (guint i = 0; i < COUNT; i++)
    {
      const SondeSampleResult *row = g_ptr_array_index (triage->rows, i);

      g_assert_true (sonde_sample_result_is_error (row) == (row->category < SONDE_N_CATEGORIES));
      g_assert_true (sonde_sample_result_is_error (row) == (row->evidence != NULL));
    }
  for (guint i = 0; i < triage->clusters->len; i++)
    {
      const SondeErrorCluster *cluster = g_ptr_array_index (triage->clusters, i);
      gboolean has_medoid = FALSE;

      g_assert_true (cluster->label != cluster->predicted);
      members += cluster->members->len;
      for (guint k = 0; k < cluster->members->len; k++)
        {
          guint sample = g_array_index (cluster->members, guint, k);
          const SondeSampleResult *row = g_ptr_array_index (triage->rows, sample);

          g_assert_true (row->sample == sample && row->label == cluster->label
                         && row->predicted == cluster->predicted);
          has_medoid = has_medoid || sample == cluster->medoid;
        }
      g_assert_true (has_medoid);
    }
  g_assert_cmpuint (members, >, 0);
  variant = g_variant_ref_sink (sonde_explain_triage_codec.pack (triage, tensors));
  back = sonde_explain_triage_codec.unpack (variant, tensors, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (back->clusters->len, ==, triage->clusters->len);
}

/* Stopped anywhere: an error, and the next time the same prediction as without. */
static void
test_stopped (Fixture *fixture, gconstpointer data)
{
  guint stopped = 0;

  for (guint ticks = 1; ticks < 40; ticks += 3)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeTriageResult) triage = NULL;

      fixture->ticks = 0;
      open_study (fixture);
      fixture->n_ticks = 0;
      fixture->ticks = ticks;
      triage = sonde_explain_session_categorise (fixture->session, &error);
      g_assert_true ((triage == NULL) == (error != NULL));
      if (triage == NULL)
        g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
      stopped += triage == NULL;
      g_clear_error (&error);
    }
  g_assert_cmpuint (stopped, >, 2);
  fixture->ticks = 0;
  test_triage (fixture, data);
}

static void
test_scores (Fixture *fixture, gconstpointer data)
{
  static const char *const specs[] = { "saliency", "gc=gradcam", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) scores = sonde_explain_session_score (
      fixture->session, specs, "deletion,pointing,randomisation", 6, &error),
                        back = NULL;
  g_autoptr (GVariant) variant = NULL;
  SondeScoreSet *set = sonde_score_set_new ();
  guint found = 0;
  double rated = NAN;

  g_assert_no_error (error);
  for (guint i = 0; i < scores->len; i++)
    {
      const SondeMetricScore *score = g_ptr_array_index (scores, i);

      if (!g_str_equal (score->method, "gc") || score->label >= 0)
        continue;
      found++;
      g_assert_cmpuint (score->n, ==, 6);
      if (g_str_equal (score->metric, "deletion"))
        rated = score->rating;
      g_assert_true (isnan (score->mean)
                     || (score->low <= score->mean && score->mean <= score->high));
    }
  g_assert_cmpuint (found, ==, 3);
  sonde_score_set_take (set, scores);
  sonde_score_set_set_weight (set, "pointing", 0);
  sonde_score_set_set_weight (set, "randomisation", 0);
  if (!isnan (rated))
    g_assert_cmpfloat_with_epsilon (sonde_score_set_get_composite (set, "gc"), rated, 1e-12);
  sonde_score_set_free (set);
  variant = g_variant_ref_sink (sonde_explain_scores_codec.pack (scores, NULL));
  back = sonde_explain_scores_codec.unpack (variant, NULL, &error);
  g_assert_cmpuint (back->len, ==, scores->len);
}

static void
test_compare (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = write_model (fixture, "other.onnx", 8);
  g_autoptr (GPtrArray) rows = predict (fixture->session, &error), same = NULL, other = NULL;
  guint differences = 0;

  same = sonde_explain_session_compare (fixture->session, fixture->model, &error);
  g_assert_no_error (error);
  other = sonde_explain_session_compare (fixture->session, path, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < COUNT; i++)
    {
      const SondeSampleResult *a = g_ptr_array_index (rows, i), *b = g_ptr_array_index (same, i),
                              *c = g_ptr_array_index (other, i);

      g_assert_cmpmem (a->probabilities, 40, b->probabilities, 40);
      g_assert_cmpuint (a->sample, ==, c->sample);
      differences += memcmp (a->probabilities, c->probabilities, 40) != 0;
    }
  g_assert_cmpuint (differences, >, COUNT / 2);
  g_assert_null (sonde_explain_session_compare (fixture->session, "/nowhere.onnx", &error));
  g_assert_nonnull (error);
}

static void
test_report (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = g_build_filename (fixture->folder, "r.html", NULL), *text = NULL;

  g_assert_true (sonde_explain_session_write_report (fixture->session, path, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "data:image/png"));
  g_assert_nonnull (strstr (text, "small.onnx"));
  g_assert_nonnull (strstr (text, "predicted, true"));
  g_assert_nonnull (strstr (text, " maps, device cpu"));
}

/* A changed model, or other data, is another session. */
static void
test_digest (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) rows = predict (fixture->session, &error);
  g_autofree char *other = NULL;

  g_assert_no_error (error);
  open_study (fixture);
  g_assert_cmpuint (sonde_explain_session_get_info (fixture->session)->n_cached_rows, ==, COUNT);
  other = write_model (fixture, "small.onnx", 9);
  open_study (fixture);
  g_assert_cmpuint (sonde_explain_session_get_info (fixture->session)->n_cached_rows, ==, 0);
}

/* What a method costs grows with its passes. */
static void
test_estimate (void)
{
  const SondeExplainInfo info = {
    .channels = 3, .height = 32, .width = 32, .forward_seconds = 0.01, .backward_seconds = 0.03
  };

  g_assert_cmpfloat_with_epsilon (sonde_explain_estimate_maps (&info, "saliency", 10), 0.3, 1e-9);
  g_assert_cmpfloat_with_epsilon (
      sonde_explain_estimate_maps (&info, "integrated-gradients:steps=20", 1), 0.6, 1e-9);
  g_assert_cmpfloat_with_epsilon (sonde_explain_estimate_maps (&info, "smoothgrad:samples=8", 1),
                                  0.24, 1e-9);
  g_assert_cmpfloat_with_epsilon (sonde_explain_estimate_maps (&info, "rise:samples=100", 1), 1.0,
                                  1e-9);
  g_assert_cmpfloat_with_epsilon (
      sonde_explain_estimate_maps (&info, "occlusion:window=8x8:stride=8x8", 1), 0.18, 1e-9);
  g_assert_true (isnan (sonde_explain_estimate_maps (&info, "scorecam", 1)));
  g_assert_true (isnan (sonde_explain_estimate_maps (&info, "nothing", 1)));
}

/* Variants from elsewhere: any of these is refused, none is believed. */
static void
test_hostile (void)
{
  static const char *const texts[] = {
    "@a{sv} {}",
    "{'rows': <1>}",
    "{'maps': <[(uint32 0, 's', 't', int64 1, int64 -1, 0.5, '', uint32 9, 0.0)]>}",
    "{'boxes': <uint32 1>}",
    "{'rows': <[(uint32 0, 'n', int64 1, int64 77, 0.5, 0.5, 0.1, uint32 99, uint32 0, '')]>, "
    "'probabilities': <uint32 3>}",
    "{'neighbours': <[(uint32 0, 0.5, int64 1, int64 1, false, false, 'n', 5)]>}",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GVariant) variant
          = g_variant_parse (G_VARIANT_TYPE_VARDICT, texts[i], NULL, NULL, &error);

      g_assert_no_error (error);
      g_assert_null (sonde_explain_rows_codec.unpack (variant, NULL, NULL));
      g_assert_null (sonde_explain_maps_codec.unpack (variant, NULL, NULL));
      g_assert_null (sonde_explain_counterfactual_codec.unpack (variant, NULL, NULL));
      g_assert_null (sonde_explain_triage_codec.unpack (variant, NULL, NULL));
      g_assert_null (sonde_explain_neighbours_codec.unpack (variant, NULL, NULL));
      g_assert_null (sonde_explain_prediction_codec.unpack (variant, NULL, NULL));
      g_assert_null (sonde_explain_info_codec.unpack (variant, NULL, NULL));
      g_assert_null (sonde_explain_rating_codec.unpack (variant, NULL, NULL));
      g_assert_true (i == 0 || sonde_explain_settings_codec.unpack (variant, NULL, NULL) == NULL);
    }
}

/* ---- what is kept -------------------------------------------------------- */

/* From now on nothing can be computed: a pass finds no memory. */
static void
forbid_passes (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSampleResult) prediction = NULL;

  open_study (fixture);
  sonde_explainer_set_memory_limit (sonde_explain_session_get_explainer (fixture->session), 1);
  prediction = sonde_explain_session_infer (fixture->session, 0, NULL, &error);
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY);
}

/* All that a session says but its scores, which go into the fixture: a line for each prediction, that tells
 * every bit. NULL with @error. (transfer full) */
static char *
ask_all (Fixture *fixture, GError **error)
{
  static const char *const specs[] = { "saliency", "gc=gradcam", "contrast-gradient", NULL };
  g_autofree char *other = g_build_filename (fixture->folder, "other.onnx", NULL);
  g_autoptr (GPtrArray) tensors
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  g_autoptr (SondeTriageResult) triage = sonde_explain_session_categorise (fixture->session, error);
  g_autoptr (SondeCounterfactual) boxes
      = triage != NULL
            ? sonde_explain_session_find_counterfactual (fixture->session, 3, "auto", 2, error)
            : NULL;
  g_autoptr (GPtrArray) neighbours
      = boxes != NULL ? sonde_explain_session_find_neighbours (fixture->session, 5, 4, error)
                      : NULL;
  g_autoptr (GPtrArray) rows
      = neighbours != NULL ? sonde_explain_session_compare (fixture->session, other, error) : NULL;
  g_autoptr (GPtrArray) scores
      = rows != NULL ? sonde_explain_session_score (fixture->session, specs, "all", 10, error)
                     : NULL;
  g_autoptr (GString) text = g_string_new (NULL);
  SondeMapRating rating;

  if (scores == NULL
      || !sonde_explain_session_rate (fixture->session, 3, "saliency", 2, &rating, error))
    return NULL;
  {
    GVariant *const all[] = {
      g_variant_ref_sink (sonde_explain_triage_codec.pack (triage, tensors)),
      g_variant_ref_sink (sonde_explain_counterfactual_codec.pack (boxes, NULL)),
      g_variant_ref_sink (sonde_explain_neighbours_codec.pack (neighbours, tensors)),
      g_variant_ref_sink (sonde_explain_rows_codec.pack (rows, tensors)),
      g_variant_ref_sink (sonde_explain_rating_codec.pack (&rating, NULL)),
    };

    g_clear_pointer (&fixture->scores, g_variant_unref);
    fixture->scores = g_variant_ref_sink (sonde_explain_scores_codec.pack (scores, NULL));
    for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
      {
        g_autofree char *digest = g_compute_checksum_for_data (
            G_CHECKSUM_SHA256, g_variant_get_data (all[i]), g_variant_get_size (all[i]));

        g_string_append_printf (text, "%s\n", digest);
        g_variant_unref (all[i]);
      }
  }
  for (guint i = 0; i < tensors->len; i++)
    {
      const SondeTensor *tensor = g_ptr_array_index (tensors, i);
      g_autofree char *digest = g_compute_checksum_for_data (G_CHECKSUM_SHA256, tensor->data,
                                                             sonde_tensor_n_bytes (tensor));

      g_string_append_printf (text, "%s\n", digest);
    }
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Opened again, a session says the same, to the bit, without one pass of the network. */
static void
test_kept (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *other = write_model (fixture, "other.onnx", 8),
                  *first = ask_all (fixture, &error), *again = NULL;
  g_autoptr (GVariant) scores = NULL;

  g_assert_no_error (error);
  scores = g_variant_ref (fixture->scores);
  forbid_passes (fixture);
  again = ask_all (fixture, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (first, ==, again);
  g_assert_cmpvariant (scores, fixture->scores);
}

/* The same but for what rounding does to numbers: a map that is measured alone passes the network in
 * a batch of another size, for which a processor may have another order of summing. */
static void
assert_near (GVariant *a, GVariant *b)
{
  g_assert_cmpstr (g_variant_get_type_string (a), ==, g_variant_get_type_string (b));
  if (g_variant_is_of_type (a, G_VARIANT_TYPE_DOUBLE))
    {
      double x = g_variant_get_double (a), y = g_variant_get_double (b);

      g_assert_true (isnan (x) == isnan (y));
      if (!isnan (x))
        g_assert_cmpfloat_with_epsilon (x, y, 1e-5 * MAX (1, fabs (x)));
    }
  else if (!g_variant_is_container (a))
    g_assert_cmpvariant (a, b);
  else
    {
      g_assert_cmpuint (g_variant_n_children (a), ==, g_variant_n_children (b));
      for (gsize i = 0; i < g_variant_n_children (a); i++)
        {
          g_autoptr (GVariant) x = g_variant_get_child_value (a, i),
                               y = g_variant_get_child_value (b, i);

          assert_near (x, y);
        }
    }
}

/* Changes one byte of the first file of that prefix; FALSE: there is none. */
static gboolean
spoil (Fixture *fixture, const char *prefix)
{
  g_autoptr (GDir) sessions = g_dir_open (fixture->cache, 0, NULL);

  for (const char *session; (session = g_dir_read_name (sessions)) != NULL;)
    {
      g_autofree char *folder = g_build_filename (fixture->cache, session, NULL);
      g_autoptr (GDir) files = g_dir_open (folder, 0, NULL);

      for (const char *name; (name = g_dir_read_name (files)) != NULL;)
        {
          g_autofree char *path = g_build_filename (folder, name, NULL), *bytes = NULL;
          gsize length;

          if (!g_str_has_prefix (name, prefix)
              || !g_file_get_contents (path, &bytes, &length, NULL))
            continue;
          bytes[length / 2 + 30 < length ? length / 2 + 30 : length - 1] ^= 1;
          return g_file_set_contents (path, bytes, (gssize) length, NULL);
        }
    }
  return FALSE;
}

/* One file of each kind spoilt: found out, said, and the prediction is the same. */
static void
test_damaged (Fixture *fixture, gconstpointer data)
{
  static const char *const prefixes[]
      = { "triage-", "clusters-", "boxes-", "score-", "weights-", "rate-", "other-", "rows-" };
  g_autoptr (GError) error = NULL;
  g_autofree char *other = write_model (fixture, "other.onnx", 8),
                  *first = ask_all (fixture, &error);
  g_autoptr (GVariant) scores = NULL;
  guint spoilt = 0;

  g_assert_no_error (error);
  scores = g_variant_ref (fixture->scores);
  for (gsize i = 0; i < G_N_ELEMENTS (prefixes); i++)
    {
      g_autofree char *again = NULL;
      const SondeExplainInfo *info;
      gboolean said = FALSE;

      g_assert_true (spoil (fixture, prefixes[i]));
      spoilt++;
      open_study (fixture);
      again = ask_all (fixture, &error);
      g_assert_no_error (error);
      g_assert_cmpstr (first, ==, again);
      assert_near (scores, fixture->scores);
      info = sonde_explain_session_get_info (fixture->session);
      for (guint k = 0; k < info->notes->len; k++)
        said = said
               || (strstr (sonde_message_get_english (g_ptr_array_index (info->notes, k)),
                           "is damaged")
                       != NULL
                   && strstr (sonde_message_get_english (g_ptr_array_index (info->notes, k)),
                              prefixes[i])
                          != NULL);
      g_assert_true (said);
    }
  g_assert_cmpuint (spoilt, ==, G_N_ELEMENTS (prefixes));
}

/* Scoring that was stopped measures each map once in all. */
static void
test_scores_go_on (Fixture *fixture, gconstpointer data)
{
  static const char *const specs[] = { "saliency", "gc=gradcam", NULL }, *const more[] = {
    "occlusion", "other=gradcam", NULL
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) scores = NULL, rows = predict (fixture->session, &error);

  fixture->counted = "Scoring methods";
  fixture->n_ticks = 0;
  fixture->ticks = 15;
  g_assert_null (
      sonde_explain_session_score (fixture->session, specs, "deletion,insertion", 10, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
  g_clear_error (&error);
  fixture->ticks = 0;
  open_study (fixture);
  fixture->n_ticks = 0;
  scores = sonde_explain_session_score (fixture->session, specs, "deletion,insertion", 10, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (fixture->n_ticks, ==, 20 - 14);
  g_clear_pointer (&scores, g_ptr_array_unref);
  /* two samples more */
  scores = sonde_explain_session_score (fixture->session, specs, "deletion,insertion", 12, &error);
  g_assert_cmpuint (fixture->n_ticks, ==, 20 - 14 + 4);
  g_clear_pointer (&scores, g_ptr_array_unref);
  /* one of them by another name */
  scores = sonde_explain_session_score (fixture->session, more, "deletion,insertion", 12, &error);
  g_assert_cmpuint (fixture->n_ticks, ==, 20 - 14 + 4 + 12);
}

/* Reasons that were stopped: no map of an error is made twice. */
static void
test_reasons_go_on (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTriageResult) triage = NULL;
  guint kept;

  fixture->counted = "Explaining";
  fixture->n_ticks = 0;
  fixture->ticks = 3;
  g_assert_null (sonde_explain_session_categorise (fixture->session, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
  g_clear_error (&error);
  fixture->ticks = 0;
  open_study (fixture);
  kept = sonde_explain_session_get_info (fixture->session)->n_cached_maps;
  g_assert_cmpuint (kept, >, 0);
  triage = sonde_explain_session_categorise (fixture->session, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (triage->notes->len, ==, 1); /* of the training data that were not named */
}

/* What is beyond the budget goes, the oldest first, and a session alone stops keeping. */
static void
test_room (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) rows = predict (fixture->session, &error);
  g_autofree char *first = g_strdup (fixture->model),
                  *second = write_model (fixture, "second.onnx", 9);
  gboolean said = FALSE;

  g_assert_no_error (error);
  fixture->most_cached = 200 * 1024; /* one session's predictions take 100 KiB or so */
  for (guint round = 0; round < 2; round++)
    {
      g_free (fixture->model);
      fixture->model = g_strdup (round == 0 ? second : first);
      open_study (fixture);
      g_clear_pointer (&rows, g_ptr_array_unref);
      rows = predict (fixture->session, &error);
      g_assert_no_error (error);
      g_assert_true (sonde_explain_session_get_info (fixture->session)->notes->len == 0);
    }
  fixture->most_cached = 4096;
  open_study (fixture);
  for (guint i = 0; i < sonde_explain_session_get_info (fixture->session)->notes->len; i++)
    said = said
           || strstr (sonde_message_get_english (g_ptr_array_index (
                          sonde_explain_session_get_info (fixture->session)->notes, i)),
                      "alone takes")
                  != NULL;
  g_assert_true (said);
  /* its own stay */
  g_assert_cmpuint (sonde_explain_session_get_info (fixture->session)->n_cached_rows, ==, COUNT);
  g_free (fixture->model);
  fixture->model = g_steal_pointer (&second);
  fixture->most_cached = 0;
  open_study (fixture);
  /* the other's went */
  g_assert_cmpuint (sonde_explain_session_get_info (fixture->session)->n_cached_rows, ==, 0);
}

/* What of the settings is wrong is named as the option that was given. */
static void
test_settings (Fixture *fixture, gconstpointer data)
{
  const struct
  {
    const char *data, *mean, *std, *size, *channels, *part;
  } cases[] = {
    { "glyphs:count=8", "0.5", "0", NULL, NULL, "std “0”" },
    { "glyphs:count=8", "0.5", "nan", NULL, NULL, "std “nan”" },
    { "glyphs:count=8", "0.5,0.5", NULL, NULL, NULL, "mean “0.5,0.5”" },
    { "glyphs:count=8", "half", NULL, NULL, NULL, "mean “half”" },
    { "glyphs:count=8", "", NULL, NULL, NULL, "mean “”" },
    { "glyphs:count=8", NULL, NULL, "28", NULL, "size “28”" },
    { "glyphs:count=8", NULL, NULL, NULL, "cmyk", "channels “cmyk”" },
    { "/nowhere/pictures", NULL, NULL, NULL, NULL, "no such file or folder" },
    { "pictures", NULL, NULL, NULL, NULL, "is not a data source" },
    { fixture->model, NULL, NULL, NULL, NULL, "is neither a table" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      SondeExplanationSettings settings = { .model = fixture->model,
                                            .data = (char *) cases[i].data,
                                            .mean = (char *) cases[i].mean,
                                            .std = (char *) cases[i].std,
                                            .size = (char *) cases[i].size,
                                            .channels = (char *) cases[i].channels,
                                            .threads = 1 };
      SondeExplainOptions opening = { .settings = &settings, .program = "sonde" };
      g_autoptr (GError) error = NULL;

      g_assert_null (sonde_explain_session_open (&opening, &error));
      g_assert_nonnull (error);
      if (strstr (error->message, cases[i].part) == NULL)
        g_error ("%s: %s", cases[i].part, error->message);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/explain/session/self-test", test_self_test);
  g_test_add_func ("/explain/session/estimate", test_estimate);
  g_test_add_func ("/explain/session/hostile", test_hostile);
  g_test_add_func ("/explain/session/boxes-of-log", test_boxes_of_log);
#define ADD(name, function)                                                                        \
  g_test_add ("/explain/session/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("rate", test_rate);
  ADD ("same-map", test_same_map);
  ADD ("boxes", test_boxes);
  ADD ("neighbours", test_neighbours);
  ADD ("triage", test_triage);
  ADD ("stopped", test_stopped);
  ADD ("scores", test_scores);
  ADD ("compare", test_compare);
  ADD ("report", test_report);
  ADD ("digest", test_digest);
  ADD ("kept", test_kept);
  ADD ("damaged", test_damaged);
  ADD ("scores-go-on", test_scores_go_on);
  ADD ("reasons-go-on", test_reasons_go_on);
  ADD ("room", test_room);
  ADD ("settings", test_settings);
  return g_test_run ();
}
