/* SPDX-License-Identifier: Apache-2.0
 * The child is the built program; what it answers is waited for without blocking the loop. */
#include "tests/app/explain/study-fixture.h"

#include <signal.h>

#include "data/models/sonde-model-file.h"
#include "engine/nn/sonde-zoo.h"
#include "tests/support/sonde-test-program.h"

#define DEADLINE_US (120 * G_USEC_PER_SEC)

static void
on_progress (SondeStudyClient *client, const char *what, double fraction, double left,
             StudyFixture *fixture)
{
  if (what == NULL)
    return;
  fixture->n_progress++;
  g_free (fixture->last_progress);
  fixture->last_progress = g_strdup (what);
  fixture->last_left = left;
  g_assert_cmpfloat (fraction, <=, 1.0);
}

static void
on_rows (SondeStudyClient *client, GPtrArray *rows, StudyFixture *fixture)
{
  fixture->n_rows += rows->len;
  if (fixture->cancel_at > 0 && fixture->n_rows >= fixture->cancel_at)
    g_cancellable_cancel (fixture->cancellable);
  if (fixture->kill_at > 0 && fixture->n_rows >= fixture->kill_at)
    {
      fixture->kill_at = 0;
      kill (sonde_study_client_get_pid (client), SIGKILL);
    }
}

static void
on_map (SondeStudyClient *client, const SondeAttributionMap *map, StudyFixture *fixture)
{
  g_assert_nonnull (map->map);
  fixture->n_maps++;
}

static void
on_lost (SondeStudyClient *client, const char *why, StudyFixture *fixture)
{
  g_free (fixture->lost);
  fixture->lost = g_strdup (why);
}

char *
study_fixture_write_model (StudyFixture *fixture, const char *name, guint64 seed)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) model = sonde_zoo_build ("lenet", 1, 28, 28, 10, seed, &error);
  char *path = g_build_filename (fixture->folder, name, NULL);

  g_assert_no_error (error);
  g_assert_true (sonde_model_save (NULL, path, model, &error));
  g_assert_no_error (error);
  return path;
}

void
study_fixture_new_client (StudyFixture *fixture)
{
  g_autofree char *program = sonde_test_program_dup_path ();

  g_clear_object (&fixture->client);
  fixture->client = sonde_study_client_new ();
  sonde_study_client_set_program (fixture->client, program);
  sonde_study_client_set_cache (fixture->client, fixture->cache);
  g_signal_connect (fixture->client, "progress", G_CALLBACK (on_progress), fixture);
  g_signal_connect (fixture->client, "rows", G_CALLBACK (on_rows), fixture);
  g_signal_connect (fixture->client, "map", G_CALLBACK (on_map), fixture);
  g_signal_connect (fixture->client, "lost", G_CALLBACK (on_lost), fixture);
}

void
study_fixture_set_up (StudyFixture *fixture, gconstpointer data)
{
  fixture->folder = sonde_test_folder_new ();
  fixture->cache = g_build_filename (fixture->folder, "studies", NULL);
  fixture->model = study_fixture_write_model (fixture, "small.onnx", 7);
  fixture->cancellable = g_cancellable_new ();
  study_fixture_new_client (fixture);
}

void
study_fixture_tear_down (StudyFixture *fixture, gconstpointer data)
{
  g_clear_object (&fixture->client);
  g_clear_object (&fixture->result);
  g_clear_object (&fixture->cancellable);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_free (fixture->lost);
  g_free (fixture->last_progress);
  g_free (fixture->model);
  g_free (fixture->cache);
  sonde_test_folder_free (fixture->folder);
}

void
study_fixture_take (GObject *source, GAsyncResult *result, gpointer data)
{
  StudyFixture *fixture = data;

  g_set_object (&fixture->result, result);
}

static gboolean
wake (gpointer data)
{
  return G_SOURCE_CONTINUE;
}

void
study_fixture_until (StudyFixture *fixture, gboolean (*done) (StudyFixture *fixture))
{
  gint64 end = g_get_monotonic_time () + DEADLINE_US;
  guint source = g_timeout_add (100, wake, NULL); /* so that the deadline is noticed */

  while (!done (fixture))
    {
      g_assert_cmpint (g_get_monotonic_time (), <, end);
      g_main_context_iteration (NULL, TRUE);
    }
  g_source_remove (source);
}

static gboolean
has_result (StudyFixture *fixture)
{
  return fixture->result != NULL;
}

GAsyncResult *
study_fixture_wait (StudyFixture *fixture)
{
  study_fixture_until (fixture, has_result);
  return fixture->result;
}

const SondeStudyFacts *
study_fixture_open (StudyFixture *fixture, guint count)
{
  g_autofree char *data = g_strdup_printf ("glyphs:count=%u", count);
  SondeExplanationSettings settings = { .model = fixture->model, .data = data, .threads = 1 };
  g_autoptr (GError) error = NULL;
  const SondeStudyFacts *facts;

  g_clear_object (&fixture->result);
  sonde_study_client_open_async (fixture->client, &settings, NULL, study_fixture_take, fixture);
  facts = sonde_study_client_open_finish (fixture->client, study_fixture_wait (fixture), &error);
  g_assert_no_error (error);
  g_assert_nonnull (facts);
  g_clear_object (&fixture->result);
  return facts;
}
