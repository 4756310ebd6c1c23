/* SPDX-License-Identifier: Apache-2.0
 * The client with a real child: what it says is what a session in this process says, and what the
 * command writes. */
#include <glib/gstdio.h>
#include <math.h>
#include <signal.h>
#include <string.h>

#include "data/arrays/sonde-npy.h"
#include "engine/ops/sonde-engine-error.h"
#include "explain/session/sonde-explain-session.h"
#include "tests/explain/browsing/session-fixture.h"
#include "tests/support/sonde-test-program.h"

#define COUNT_TEXT "2400"
#define COUNT 2400u /* far more than have come when a test interferes */

/* Referenced: the rows outlive the session. */
static GPtrArray *
predict_here (SondeExplainSession *session, GError **error)
{
  GPtrArray *rows = sonde_explain_session_classify (session, error);

  return rows != NULL ? g_ptr_array_ref (rows) : NULL;
}

static GPtrArray *
predict (SessionFixture *fixture, GError **error)
{
  GPtrArray *rows;

  fixture->n_progress = fixture->n_rows = 0;
  g_clear_object (&fixture->result);
  sonde_explain_client_ask_async (fixture->client, SONDE_EXPLAIN_PREDICT, NULL,
                                  fixture->cancellable, session_fixture_take, fixture);
  rows = sonde_explain_client_ask_finish (fixture->client, session_fixture_wait (fixture),
                                          SONDE_EXPLAIN_PREDICT, error);
  g_clear_object (&fixture->result);
  return rows;
}

static SondeAttributionMap *
explain (SessionFixture *fixture, guint sample, const char *spec, gint64 target, GError **error)
{
  SondeAttributionMap *map;

  g_clear_object (&fixture->result);
  sonde_explain_client_ask_async (
      fixture->client, SONDE_EXPLAIN_MAP,
      &(SondeExplainArguments){ .sample = sample, .spec = spec, .target = target }, NULL,
      session_fixture_take, fixture);
  map = sonde_explain_client_ask_finish (fixture->client, session_fixture_wait (fixture),
                                         SONDE_EXPLAIN_MAP, error);
  g_clear_object (&fixture->result);
  return map;
}

static gboolean
same_tensor (const SondeTensor *a, const SondeTensor *b)
{
  return sonde_shape_equal (&a->shape, &b->shape)
         && memcmp (a->data, b->data, sonde_tensor_n_bytes (a)) == 0;
}

static void
assert_same_rows (GPtrArray *a, GPtrArray *b)
{
  g_assert_cmpuint (a->len, ==, b->len);
  for (guint i = 0; i < a->len; i++)
    {
      const SondeSampleResult *one = g_ptr_array_index (a, i), *other = g_ptr_array_index (b, i);

      g_assert_cmpuint (one->sample, ==, other->sample);
      g_assert_cmpstr (one->name, ==, other->name);
      g_assert_cmpint (one->label, ==, other->label);
      g_assert_cmpint (one->predicted, ==, other->predicted);
      g_assert_cmpmem (one->probabilities, one->n_classes * sizeof (float), other->probabilities,
                       other->n_classes * sizeof (float));
    }
}

/* A session of the same in this process, without a cache. */
static SondeExplainSession *
open_here (SessionFixture *fixture)
{
  g_autofree char *program = sonde_test_program_dup_path ();
  SondeExplanationSettings settings
      = { .model = fixture->model, .data = (char *) "glyphs:count=" COUNT_TEXT, .threads = 1 };
  SondeExplainOptions opening = { .settings = &settings, .program = program };
  g_autoptr (GError) error = NULL;
  SondeExplainSession *session = sonde_explain_session_open (&opening, &error);

  g_assert_no_error (error);
  return session;
}

static void
test_same_as_here (SessionFixture *fixture, gconstpointer data)
{
  const SondeExplainInfo *info = session_fixture_open (fixture, COUNT);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeExplainSession) session = open_here (fixture);
  g_autoptr (GPtrArray) rows = NULL, own = predict_here (session, &error);
  static const char *const specs[] = { "saliency", "gradcam", "smoothgrad:samples=4",
                                       "contrast-gradient", "occlusion:window=7x7:stride=7x7" };

  g_assert_no_error (error);
  g_assert_cmpuint (info->n_samples, ==, COUNT);
  g_assert_cmpuint (info->n_classes, ==, 10);
  g_assert_true (info->has_labels && info->has_boxes);
  g_assert_cmpfloat (info->forward_seconds, >, 0);
  g_assert_cmpfloat (info->backward_seconds, >, 0);
  rows = predict (fixture, &error);
  g_assert_no_error (error);
  assert_same_rows (rows, own);
  g_assert_cmpuint (fixture->n_rows, ==, COUNT); /* and all of them came before, too */
  g_assert_cmpstr (fixture->last_progress, ==, "Predicting");
  for (gsize i = 0; i < G_N_ELEMENTS (specs); i++)
    {
      g_autoptr (SondeAttributionMap) map = explain (fixture, 3, specs[i], 1, &error), mine = NULL;

      g_assert_no_error (error);
      mine = sonde_explain_session_compute_map (session, 3, specs[i], 1, &error);
      g_assert_no_error (error);
      g_assert_true (same_tensor (map->map, mine->map));
      g_assert_cmpfloat (map->score, ==, mine->score);
      g_assert_cmpint (map->other, ==, mine->other);
    }
}

static gboolean
is_lost (SessionFixture *fixture)
{
  return fixture->lost != NULL;
}

/* Cancelled, killed, opened again: in the end the same bytes as in one go. */
static void
test_resume (SessionFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeExplainSession) session = open_here (fixture);
  g_autoptr (GPtrArray) own = predict_here (session, &error), rows = NULL, again = NULL;

  session_fixture_open (fixture, COUNT);
  fixture->kill_at = 300; /* the first file of the cache is written by then */
  rows = predict (fixture, &error);
  g_assert_null (rows);
  g_assert_nonnull (error);
  g_clear_error (&error);
  session_fixture_until (fixture, is_lost);
  g_assert_nonnull (strstr (fixture->lost, "reopen the model"));
  g_assert_false (sonde_explain_client_is_open (fixture->client));
  g_assert_null (explain (fixture, 0, "saliency", 0, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
  g_clear_error (&error);
  g_assert_cmpuint (session_fixture_open (fixture, COUNT)->n_cached_rows, >=, 256);
  rows = predict (fixture, &error);
  g_assert_no_error (error);
  assert_same_rows (rows, own);
  session_fixture_new_client (fixture);
  g_assert_cmpuint (session_fixture_open (fixture, COUNT)->n_cached_rows, ==, COUNT);
  again = predict (fixture, &error);
  g_assert_no_error (error);
  assert_same_rows (again, own);
}

static gboolean
is_idle (SessionFixture *fixture)
{
  return !sonde_explain_client_is_busy (fixture->client);
}

static void
test_cancel (SessionFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) rows = NULL;
  g_autoptr (SondeAttributionMap) map = NULL;

  session_fixture_open (fixture, COUNT);
  fixture->cancel_at = 1;
  rows = predict (fixture, &error);
  g_assert_null (rows);
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  session_fixture_until (fixture, is_idle);
  /* it goes on with the next question */
  g_assert_true (sonde_explain_client_is_open (fixture->client));
  map = explain (fixture, 5, "saliency", 2, &error);
  g_assert_no_error (error);
  fixture->cancel_at = 0;
  g_cancellable_reset (fixture->cancellable);
  rows = predict (fixture, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (rows->len, ==, COUNT);
}

static void
damage (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);

  for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL), *bytes = NULL;
      gsize length;

      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        {
          damage (path);
          continue;
        }
      g_assert_true (g_file_get_contents (path, &bytes, &length, NULL));
      bytes[length / 2] ^= 1;
      g_assert_true (g_file_set_contents (path, bytes, (gssize) length, NULL));
    }
}

static void
test_damaged_cache (SessionFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeAttributionMap) map = NULL, kept = NULL, again = NULL;
  const SondeExplainInfo *info;

  session_fixture_open (fixture, COUNT);
  map = explain (fixture, 5, "gradcam", 2, &error);
  g_assert_no_error (error);
  session_fixture_new_client (fixture);
  g_assert_cmpuint (session_fixture_open (fixture, COUNT)->n_cached_maps, ==, 1);
  kept = explain (fixture, 5, "gradcam", 2, &error);
  g_assert_true (same_tensor (map->map, kept->map));
  damage (fixture->cache);
  again = explain (fixture, 5, "gradcam", 2, &error);
  g_assert_no_error (error);
  g_assert_true (same_tensor (map->map, again->map));
  info = sonde_explain_client_get_info (fixture->client);
  g_assert_cmpuint (info->notes->len, ==, 1);
  g_assert_nonnull (
      strstr (sonde_message_get_english (g_ptr_array_index (info->notes, 0)), "damaged"));
}

static void
test_errors (SessionFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  SondeExplanationSettings settings
      = { .model = (char *) "/nowhere.onnx", .data = (char *) "glyphs:count=8" };

  g_assert_null (explain (fixture, 0, "saliency", 0, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
  g_clear_error (&error);
  g_clear_object (&fixture->result);
  sonde_explain_client_open_async (fixture->client, &settings, NULL, session_fixture_take, fixture);
  g_assert_null (
      sonde_explain_client_open_finish (fixture->client, session_fixture_wait (fixture), &error));
  g_assert_nonnull (strstr (error->message, "/nowhere.onnx"));
  g_clear_error (&error);
  session_fixture_open (fixture, 8);
  g_assert_null (explain (fixture, 0, "salency", 0, &error));
  g_assert_nonnull (strstr (error->message, "saliency"));
  g_clear_error (&error);
  g_assert_null (explain (fixture, 9, "saliency", 0, &error));
  g_assert_nonnull (strstr (error->message, "sample 9"));
  g_clear_error (&error);
  g_assert_null (explain (fixture, 0, "saliency", 10, &error));
  g_assert_nonnull (strstr (error->message, "class 10"));
}

/* An edited image: what was not touched keeps its numbers, so an unedited one is answered with
 * the same bits. */
static void
test_edited (SessionFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeBoxedImage) boxed = NULL;
  SondeImage *image;
  g_autoptr (SondeSampleResult) plain = NULL, same = NULL, other = NULL;
  g_autoptr (SondeAttributionMap) map = NULL, edited = NULL;

  session_fixture_open (fixture, 32);
  sonde_explain_client_ask_async (fixture->client, SONDE_EXPLAIN_IMAGE,
                                  &(SondeExplainArguments){ .sample = 4 }, NULL,
                                  session_fixture_take, fixture);
  boxed = sonde_explain_client_ask_finish (fixture->client, session_fixture_wait (fixture),
                                           SONDE_EXPLAIN_IMAGE, &error);
  g_assert_no_error (error);
  image = boxed->image;
  g_assert_true (image->width == 28 && image->height == 28 && image->channels == 1);
  g_assert_cmpint (boxed->box.width, >, 0);
  g_clear_object (&fixture->result);
  sonde_explain_client_ask_async (fixture->client, SONDE_EXPLAIN_INFER,
                                  &(SondeExplainArguments){ .sample = 4 }, NULL,
                                  session_fixture_take, fixture);
  plain = sonde_explain_client_ask_finish (fixture->client, session_fixture_wait (fixture),
                                           SONDE_EXPLAIN_INFER, &error);
  g_assert_no_error (error);
  g_clear_object (&fixture->result);
  sonde_explain_client_ask_async (fixture->client, SONDE_EXPLAIN_INFER,
                                  &(SondeExplainArguments){ .sample = 4, .image = image }, NULL,
                                  session_fixture_take, fixture);
  same = sonde_explain_client_ask_finish (fixture->client, session_fixture_wait (fixture),
                                          SONDE_EXPLAIN_INFER, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (plain->logits, 10 * sizeof (float), same->logits, 10 * sizeof (float));
  g_clear_object (&fixture->result);
  sonde_explain_client_ask_async (
      fixture->client, SONDE_EXPLAIN_MAP,
      &(SondeExplainArguments){
          .sample = 4, .image = image, .spec = "saliency", .target = plain->predicted },
      NULL, session_fixture_take, fixture);
  edited = sonde_explain_client_ask_finish (fixture->client, session_fixture_wait (fixture),
                                            SONDE_EXPLAIN_MAP, &error);
  g_assert_no_error (error);
  map = explain (fixture, 4, "saliency", plain->predicted, &error);
  g_assert_true (same_tensor (map->map, edited->map));
  memset (image->pixels, 0, 28 * 28);
  g_clear_object (&fixture->result);
  sonde_explain_client_ask_async (fixture->client, SONDE_EXPLAIN_INFER,
                                  &(SondeExplainArguments){ .sample = 4, .image = image }, NULL,
                                  session_fixture_take, fixture);
  other = sonde_explain_client_ask_finish (fixture->client, session_fixture_wait (fixture),
                                           SONDE_EXPLAIN_INFER, &error);
  g_assert_no_error (error);
  g_assert_cmpint (memcmp (plain->logits, other->logits, 10 * sizeof (float)), !=, 0);
}

/* ---- everything else that can be asked ----------------------------------- */

static GAsyncResult *
next_result (SessionFixture *fixture)
{
  return session_fixture_wait (fixture);
}

static void
begin (SessionFixture *fixture)
{
  g_clear_object (&fixture->result);
}

static void
test_results (SessionFixture *fixture, gconstpointer data)
{
  static const char *const specs[] = { "saliency", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeExplainSession) session = NULL;
  g_autoptr (SondeTriageResult) triage = NULL, own_triage = NULL;
  g_autoptr (SondeCounterfactual) boxes = NULL, own_boxes = NULL;
  g_autoptr (GPtrArray) neighbours = NULL, own_neighbours = NULL, scores = NULL, own_scores = NULL,
                        rows = NULL, maps = NULL;
  g_autofree char *report = g_build_filename (fixture->folder, "report.html", NULL);
  g_autofree SondeMapRating *rating = NULL;
  SondeMapRating own_rating;
  g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (guint)),
                     targets = g_array_new (FALSE, FALSE, sizeof (gint64));
  SondeExplainClient *client = fixture->client;

  session_fixture_open (fixture, COUNT);
  session = open_here (fixture);
  sonde_explain_client_ask_async (client, SONDE_EXPLAIN_TRIAGE, NULL, NULL, session_fixture_take,
                                  fixture);
  triage = sonde_explain_client_ask_finish (client, next_result (fixture), SONDE_EXPLAIN_TRIAGE,
                                            &error);
  g_assert_no_error (error);
  own_triage = sonde_explain_session_categorise (session, &error);
  assert_same_rows (triage->rows, own_triage->rows);
  g_assert_cmpuint (triage->clusters->len, ==, own_triage->clusters->len);
  for (guint i = 0; i < triage->rows->len; i++)
    g_assert_cmpint (((SondeSampleResult *) g_ptr_array_index (triage->rows, i))->category, ==,
                     ((SondeSampleResult *) g_ptr_array_index (own_triage->rows, i))->category);
  begin (fixture);
  sonde_explain_client_ask_async (
      client, SONDE_EXPLAIN_RATE,
      &(SondeExplainArguments){ .sample = 2, .spec = "saliency", .target = 1 }, NULL,
      session_fixture_take, fixture);
  rating
      = sonde_explain_client_ask_finish (client, next_result (fixture), SONDE_EXPLAIN_RATE, &error);
  g_assert_nonnull (rating);
  g_assert_true (sonde_explain_session_rate (session, 2, "saliency", 1, &own_rating, &error));
  g_assert_cmpfloat (rating->faithfulness, ==, own_rating.faithfulness);
  g_assert_cmpfloat (rating->randomisation, ==, own_rating.randomisation);
  begin (fixture);
  sonde_explain_client_ask_async (
      client, SONDE_EXPLAIN_COUNTERFACTUAL,
      &(SondeExplainArguments){ .sample = 2, .spec = "by=flip:prune=yes", .target = 4 }, NULL,
      session_fixture_take, fixture);
  boxes = sonde_explain_client_ask_finish (client, next_result (fixture),
                                           SONDE_EXPLAIN_COUNTERFACTUAL, &error);
  g_assert_no_error (error);
  own_boxes
      = sonde_explain_session_find_counterfactual (session, 2, "by=flip:prune=yes", 4, &error);
  g_assert_cmpint (boxes->status, ==, own_boxes->status);
  g_assert_cmpuint (boxes->steps->len, ==, own_boxes->steps->len);
  begin (fixture);
  sonde_explain_client_ask_async (client, SONDE_EXPLAIN_NEIGHBOURS,
                                  &(SondeExplainArguments){ .sample = 2, .k = 3 }, NULL,
                                  session_fixture_take, fixture);
  neighbours = sonde_explain_client_ask_finish (client, next_result (fixture),
                                                SONDE_EXPLAIN_NEIGHBOURS, &error);
  g_assert_no_error (error);
  own_neighbours = sonde_explain_session_find_neighbours (session, 2, 3, &error);
  g_assert_cmpuint (neighbours->len, ==, own_neighbours->len);
  g_assert_cmpuint (
      ((SondeNeighbourSample *) g_ptr_array_index (neighbours, 0))->result->sample, ==,
      ((SondeNeighbourSample *) g_ptr_array_index (own_neighbours, 0))->result->sample);
  begin (fixture);
  sonde_explain_client_ask_async (
      client, SONDE_EXPLAIN_SCORES,
      &(SondeExplainArguments){ .specs = specs, .metrics = "deletion,insertion", .max_samples = 4 },
      NULL, session_fixture_take, fixture);
  scores = sonde_explain_client_ask_finish (client, next_result (fixture), SONDE_EXPLAIN_SCORES,
                                            &error);
  g_assert_no_error (error);
  own_scores = sonde_explain_session_score (session, specs, "deletion,insertion", 4, &error);
  g_assert_cmpuint (scores->len, ==, own_scores->len);
  g_assert_cmpfloat (((SondeMetricScore *) g_ptr_array_index (scores, 0))->mean, ==,
                     ((SondeMetricScore *) g_ptr_array_index (own_scores, 0))->mean);
  begin (fixture);
  sonde_explain_client_ask_async (client, SONDE_EXPLAIN_COMPARE,
                                  &(SondeExplainArguments){ .model = fixture->model }, NULL,
                                  session_fixture_take, fixture);
  rows = sonde_explain_client_ask_finish (client, next_result (fixture), SONDE_EXPLAIN_COMPARE,
                                          &error);
  g_assert_no_error (error);
  assert_same_rows (rows, own_triage->rows);
  begin (fixture);
  fixture->n_maps = 0;
  for (guint i = 0; i < 5; i++)
    {
      const guint sample = i + 1;
      const gint64 target = i;

      g_array_append_val (samples, sample);
      g_array_append_val (targets, target);
    }
  sonde_explain_client_ask_async (
      client, SONDE_EXPLAIN_MAPS,
      &(SondeExplainArguments){ .samples = samples, .targets = targets, .spec = "gradcam" }, NULL,
      session_fixture_take, fixture);
  maps
      = sonde_explain_client_ask_finish (client, next_result (fixture), SONDE_EXPLAIN_MAPS, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (maps->len, ==, 5);
  g_assert_cmpuint (fixture->n_maps, ==, 5);
  g_assert_cmpuint (((SondeAttributionMap *) g_ptr_array_index (maps, 4))->sample, ==, 5);
  begin (fixture);
  sonde_explain_client_ask_async (client, SONDE_EXPLAIN_REPORT,
                                  &(SondeExplainArguments){ .path = report }, NULL,
                                  session_fixture_take, fixture);
  g_assert_true (sonde_explain_client_ask_finish (client, next_result (fixture),
                                                  SONDE_EXPLAIN_REPORT, &error));
  g_assert_true (g_file_test (report, G_FILE_TEST_IS_REGULAR));
}

/* Nothing need be open. */
static void
test_self_test (SessionFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) checks = NULL;

  sonde_explain_client_ask_async (fixture->client, SONDE_EXPLAIN_SELF_TEST, NULL, NULL,
                                  session_fixture_take, fixture);
  checks = sonde_explain_client_ask_finish (fixture->client, session_fixture_wait (fixture),
                                            SONDE_EXPLAIN_SELF_TEST, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < checks->len; i++)
    g_assert_true (((SondeSelfTestCheck *) g_ptr_array_index (checks, i))->good);
  g_assert_false (sonde_explain_client_is_open (fixture->client));
}

static gboolean
has_progress (SessionFixture *fixture)
{
  return fixture->n_progress > 1;
}

/* While a long question is computed the loop goes round, and the next one waits its turn. */
static gboolean
count_turn (gpointer data)
{
  ++*(guint *) data;
  return G_SOURCE_CONTINUE;
}

static void
test_loop (SessionFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeAttributionMap) map = NULL;
  guint turns = 0, source;
  gint64 begun;

  session_fixture_open (fixture, COUNT);
  source = g_timeout_add (1, count_turn, &turns);
  begun = g_get_monotonic_time ();
  sonde_explain_client_ask_async (
      fixture->client, SONDE_EXPLAIN_MAP,
      &(SondeExplainArguments){ .sample = 0, .spec = "rise:samples=20000", .target = 0 }, NULL,
      session_fixture_take, fixture);
  g_assert_cmpint (g_get_monotonic_time () - begun, <, 1000000);
  g_assert_true (sonde_explain_client_is_busy (fixture->client));
  map = sonde_explain_client_ask_finish (fixture->client, session_fixture_wait (fixture),
                                         SONDE_EXPLAIN_MAP, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (turns, >, 10);
  g_assert_cmpuint (fixture->n_progress, >, 2);
  g_source_remove (source);
}

static gboolean
is_gone (SessionFixture *fixture)
{
  return fixture->old_pid == 0 || kill (fixture->old_pid, 0) != 0;
}

/* Closed in the middle of something long: the asker is told, the child ends, another one can be
 * opened at once. */
static void
test_close (SessionFixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeAttributionMap) map = NULL;

  session_fixture_open (fixture, 32);
  fixture->old_pid = sonde_explain_client_get_pid (fixture->client);
  fixture->n_progress = 0;
  sonde_explain_client_ask_async (
      fixture->client, SONDE_EXPLAIN_MAP,
      &(SondeExplainArguments){ .sample = 0, .spec = "rise:samples=4000000", .target = 0 }, NULL,
      session_fixture_take, fixture);
  session_fixture_until (fixture, has_progress);
  sonde_explain_client_close (fixture->client);
  g_assert_null (sonde_explain_client_ask_finish (fixture->client, session_fixture_wait (fixture),
                                                  SONDE_EXPLAIN_MAP, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  g_assert_null (fixture->lost);
  session_fixture_open (fixture, 32);
  g_assert_cmpint (sonde_explain_client_get_pid (fixture->client), !=, fixture->old_pid);
  map = explain (fixture, 0, "saliency", 0, &error);
  g_assert_no_error (error);
  session_fixture_until (fixture, is_gone);
}

/* ---- against the command, on the data of before -------------------------- */

static void
compare_with_files (SessionFixture *fixture, GPtrArray *rows, const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "predictions.tsv", NULL), *text = NULL;
  g_auto (GStrv) lines = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  lines = g_strsplit (g_strchomp (text), "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), ==, rows->len + 1);
  for (guint i = 0; i < rows->len; i++)
    {
      const SondeSampleResult *row = g_ptr_array_index (rows, i);
      g_auto (GStrv) fields = g_strsplit (lines[i + 1], "\t", -1);

      g_assert_cmpstr (fields[0], ==, row->name);
      g_assert_cmpfloat_with_epsilon (g_ascii_strtod (fields[4], NULL), row->p_predicted, 1e-6);
      g_assert_cmpfloat_with_epsilon (g_ascii_strtod (fields[5], NULL), row->margin, 1e-6);
    }
}

static void
compare_map (SessionFixture *fixture, const SondeSampleResult *row, const char *folder,
             const char *method, const char *target_is, gboolean exact)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeAttributionMap) map
      = explain (fixture, row->sample, method, row->predicted, &error);
  const char *class_name = sonde_explain_client_get_info (fixture->client)->classes[row->label];
  g_autofree char *base = g_path_get_basename (row->name), *file = NULL, *path = NULL;
  g_autoptr (SondeTensor) written = NULL;
  double largest = 0, difference = 0;
  char *dot = strrchr (base, '.');

  g_assert_no_error (error);
  if (dot != NULL && dot != base)
    *dot = '\0';
  file = g_strconcat (base, ".npy", NULL);
  path = g_build_filename (folder, "maps", method, target_is, class_name, file, NULL);
  written = sonde_npy_read (NULL, path, &error);
  g_assert_no_error (error);
  g_assert_true (sonde_shape_equal (&written->shape, &map->map->shape));
  for (gint64 i = 0; i < sonde_tensor_n_elements (written); i++)
    {
      largest = fmax (largest, fabs (sonde_tensor_get_double (written, i)));
      difference = fmax (difference, fabs (sonde_tensor_get_double (written, i)
                                           - sonde_tensor_get_double (map->map, i)));
    }
  g_assert_cmpfloat (difference, <=, exact ? 0 : 1e-5 * fmax (largest, 1e-30));
}

/* @exact: the page has the cache of the command, so the maps are the same bytes; else each computes
 * its own, the page alone what the command has in batches. */
static void
check_against_command (SessionFixture *fixture, const char *model, const char *source, guint n_maps,
                       gboolean exact)
{
  g_autoptr (GError) error = NULL;
  SondeExplanationSettings settings
      = { .model = (char *) model, .data = (char *) source, .threads = 1 };
  g_autoptr (SondeTestProgram) ran
      = sonde_test_run (fixture->folder, NULL, "explain", model, "--data", source, "--method",
                        "gradcam", "--method", "contrast-gradient", "--target", "predicted",
                        "--images", "all", "--threads", "1", "--output", "files", NULL);
  g_autofree char *folder = g_build_filename (fixture->folder, "files", NULL);
  g_autoptr (GPtrArray) rows = NULL;

  g_assert_cmpint (ran->status, ==, 0);
  if (exact)
    {
      g_autofree char *cache
          = g_build_filename (fixture->folder, "xdg_cache_home", "sonde", "studies", NULL);

      sonde_explain_client_set_cache (fixture->client, cache);
    }
  g_clear_object (&fixture->result);
  sonde_explain_client_open_async (fixture->client, &settings, NULL, session_fixture_take, fixture);
  g_assert_nonnull (
      sonde_explain_client_open_finish (fixture->client, session_fixture_wait (fixture), &error));
  g_assert_no_error (error);
  rows = predict (fixture, &error);
  g_assert_no_error (error);
  compare_with_files (fixture, rows, folder);
  for (guint errors = 0; errors < 2; errors++)
    {
      guint n = 0;

      for (guint i = 0; i < rows->len && n < n_maps; i++)
        if (sonde_sample_result_is_error (g_ptr_array_index (rows, i)) == (errors == 1))
          {
            compare_map (fixture, g_ptr_array_index (rows, i), folder, "gradcam", "predicted",
                         exact);
            compare_map (fixture, g_ptr_array_index (rows, i), folder, "contrast-gradient",
                         "contrast", exact);
            n++;
          }
      g_assert_cmpuint (n, ==, n_maps);
    }
}

static void
test_command (SessionFixture *fixture, gconstpointer data)
{
  check_against_command (fixture, fixture->model, "glyphs:count=100", 8, FALSE);
}

static void
test_same_map (SessionFixture *fixture, gconstpointer data)
{
  check_against_command (fixture, fixture->model, "glyphs:count=100", 8, TRUE);
}

static void
test_command_cifar (SessionFixture *fixture, gconstpointer data)
{
  const char *shared = g_getenv ("SONDE_SHARED");
  g_autofree char *model
      = shared != NULL ? g_build_filename (shared, "models/explain/cifar-resnet20.onnx", NULL)
                       : NULL;
  g_autofree char *source
      = shared != NULL ? g_strdup_printf ("cifar10:%s/datasets/cifar10", shared) : NULL;

  if (model == NULL || !g_file_test (model, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("the shared folder is not there");
      return;
    }
  check_against_command (fixture, model, source, 5, FALSE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function)                                                                        \
  g_test_add ("/explain/explain-client/" name, SessionFixture, NULL, session_fixture_set_up,       \
              function, session_fixture_tear_down)
  ADD ("same-as-here", test_same_as_here);
  ADD ("resume", test_resume);
  ADD ("cancel", test_cancel);
  ADD ("damaged-cache", test_damaged_cache);
  ADD ("errors", test_errors);
  ADD ("edited", test_edited);
  ADD ("results", test_results);
  ADD ("self-test", test_self_test);
  ADD ("loop", test_loop);
  ADD ("close", test_close);
  ADD ("command", test_command);
  ADD ("same-map", test_same_map);
  ADD ("command-cifar", test_command_cifar);
  return g_test_run ();
}
