/* SPDX-License-Identifier: Apache-2.0
 * The child is the built program; what it answers is waited for without blocking the loop. */
#include "tests/explain/browsing/session-fixture.h"

#include <signal.h>

#include "data/models/sonde-model-file.h"
#include "engine/nn/sonde-zoo.h"
#include "tests/support/sonde-test-program.h"

#define DEADLINE_US (120 * G_USEC_PER_SEC)

static void
on_progress (SondeExplainClient *client, const char *what, double fraction, double left,
             SessionFixture *fixture)
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
on_rows (SondeExplainClient *client, GPtrArray *rows, SessionFixture *fixture)
{
  fixture->n_rows += rows->len;
  if (fixture->cancel_at > 0 && fixture->n_rows >= fixture->cancel_at)
    g_cancellable_cancel (fixture->cancellable);
  if (fixture->kill_at > 0 && fixture->n_rows >= fixture->kill_at)
    {
      fixture->kill_at = 0;
      kill (sonde_explain_client_get_pid (client), SIGKILL);
    }
}

static void
on_map (SondeExplainClient *client, const SondeAttributionMap *map, SessionFixture *fixture)
{
  g_assert_nonnull (map->map);
  fixture->n_maps++;
}

static void
on_lost (SondeExplainClient *client, const char *why, SessionFixture *fixture)
{
  g_free (fixture->lost);
  fixture->lost = g_strdup (why);
}

char *
session_fixture_write_model (SessionFixture *fixture, const char *name, guint64 seed)
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
session_fixture_new_client (SessionFixture *fixture)
{
  g_autofree char *program = sonde_test_program_dup_path ();

  g_clear_object (&fixture->client);
  fixture->client = sonde_explain_client_new ();
  sonde_explain_client_set_program (fixture->client, program);
  sonde_explain_client_set_cache (fixture->client, fixture->cache);
  g_signal_connect (fixture->client, "progress", G_CALLBACK (on_progress), fixture);
  g_signal_connect (fixture->client, "rows", G_CALLBACK (on_rows), fixture);
  g_signal_connect (fixture->client, "map", G_CALLBACK (on_map), fixture);
  g_signal_connect (fixture->client, "lost", G_CALLBACK (on_lost), fixture);
}

void
session_fixture_set_up (SessionFixture *fixture, gconstpointer data)
{
  fixture->folder = sonde_test_folder_new ();
  fixture->cache = g_build_filename (fixture->folder, "studies", NULL);
  fixture->model = session_fixture_write_model (fixture, "small.onnx", 7);
  fixture->cancellable = g_cancellable_new ();
  session_fixture_new_client (fixture);
}

void
session_fixture_tear_down (SessionFixture *fixture, gconstpointer data)
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
session_fixture_take (GObject *source, GAsyncResult *result, gpointer data)
{
  SessionFixture *fixture = data;

  g_set_object (&fixture->result, result);
}

static gboolean
wake (gpointer data)
{
  return G_SOURCE_CONTINUE;
}

void
session_fixture_until (SessionFixture *fixture, gboolean (*done) (SessionFixture *fixture))
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
has_result (SessionFixture *fixture)
{
  return fixture->result != NULL;
}

GAsyncResult *
session_fixture_wait (SessionFixture *fixture)
{
  session_fixture_until (fixture, has_result);
  return fixture->result;
}

const SondeExplainInfo *
session_fixture_open (SessionFixture *fixture, guint count)
{
  g_autofree char *data = g_strdup_printf ("glyphs:count=%u", count);
  SondeExplanationSettings settings = { .model = fixture->model, .data = data, .threads = 1 };
  g_autoptr (GError) error = NULL;
  const SondeExplainInfo *info;

  g_clear_object (&fixture->result);
  sonde_explain_client_open_async (fixture->client, &settings, NULL, session_fixture_take, fixture);
  info = sonde_explain_client_open_finish (fixture->client, session_fixture_wait (fixture), &error);
  g_assert_no_error (error);
  g_assert_nonnull (info);
  g_clear_object (&fixture->result);
  return info;
}
