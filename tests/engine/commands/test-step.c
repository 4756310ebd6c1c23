/* SPDX-License-Identifier: Apache-2.0
 * A step of another program over the wire: an engine in which nothing is open compares it with a model,
 * or with values. */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "app/worker/sonde-worker-files.h"
#include "app/worker/sonde-worker-host.h"
#include "data/arrays/sonde-npz.h"
#include "tests/engine/session/session-fixture.h"

typedef struct
{
  SessionFixture session;
  SondeWorkerHost *host;
  SondeSessionClient *client;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  session_fixture_init (&fixture->session);
  fixture->host = sonde_worker_host_new ("sonde");
  fixture->session.options.host = sonde_worker_host_get_session_host (fixture->host);
  session_fixture_start (&fixture->session);
  fixture->client = session_fixture_connect (&fixture->session);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_object_unref (fixture->client);
  session_fixture_clear (&fixture->session);
  sonde_worker_host_free (fixture->host);
}

static char *
sample (const char *name)
{
  return g_build_filename (g_getenv ("SONDE_SOURCE"), "tests", "fixtures", "torch-step", name,
                           NULL);
}

static const SondeDivergedValue *
find (const SondeDivergence *divergence, const char *reference)
{
  for (guint i = 0; i < divergence->values->len; i++)
    {
      const SondeDivergedValue *value = g_ptr_array_index (divergence->values, i);

      if (g_strcmp0 (value->reference, reference) == 0)
        return value;
    }
  g_assert_not_reached ();
}

static void
test_model (Fixture *fixture, gconstpointer data)
{
  g_autofree char *model = sample ("convolutions.onnx"), *values = sample ("convolutions.npz"),
                  *weights = sample ("convolutions-weights.npz");
  const SondeStepComparisonRequest asked = { .model_path = model,
                                             .values_path = values,
                                             .weights_path = weights,
                                             .gradients = TRUE,
                                             .threads = 1 };
  g_autoptr (SondeSessionReply) reply
      = call (fixture->client, sonde_session_request_compare_step (&asked));
  const SondeDivergence *found = reply->divergence;

  g_assert_true (found->is_step);
  g_assert_cmpint (found->first, ==, -1);
  g_assert_cmpuint (found->n_weights, ==, 2);
  g_assert_cmpuint (found->file_weights->len, ==, 4);
  g_assert_cmpfloat (find (found, "bn2")->own_error, <, 1e-5);
  g_assert_cmpstr (find (found, "grad(stem.1)")->made_by[0], ==, "stem.2");
}

static void
test_values (Fixture *fixture, gconstpointer data)
{
  static const char *const order[] = { "stem.0", "fc", "grad(fc)", NULL };
  g_autofree char *values = sample ("convolutions.npz"),
                  *others = sample ("convolutions-training.npz");
  const SondeStepComparisonRequest asked
      = { .reference_path = others, .values_path = values, .order = order };
  g_autoptr (SondeSessionReply) reply
      = call (fixture->client, sonde_session_request_compare_step (&asked));
  const SondeDivergence *found = reply->divergence;
  const SondeDivergedValue *first = g_ptr_array_index (found->values, 0),
                           *second = g_ptr_array_index (found->values, 1);

  g_assert_cmpuint (found->values->len, ==, 3);
  g_assert_cmpstr (first->node, ==, "stem.0");
  g_assert_cmpfloat (first->inherited_error, ==, 0);
  g_assert_true (isnan (first->own_error));
  g_assert_cmpint (found->first, ==, 1);
  g_assert_true (second->over);
}

static char *
dump (const char *name)
{
  return g_build_filename (g_getenv ("SONDE_SHARED") != NULL ? g_getenv ("SONDE_SHARED") : "",
                           "samples", "msprobe", name, NULL);
}

/* What a dump has of modules, as if a program had just made it. Returns: names in order */
static char **
write_dump (const char *folder, const char *path)
{
  g_autoptr (GHashTable) tensors = sonde_worker_read_tensors (folder, NULL);
  g_autoptr (SondeNamedTensors) named = sonde_named_tensors_new ();
  g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (tensors), (GCompareFunc) strcmp);
  g_autoptr (GStrvBuilder) order = g_strv_builder_new ();

  for (GList *l = names; l != NULL; l = l->next)
    {
      g_strv_builder_add (order, l->data);
      sonde_named_tensors_set (named, l->data, g_hash_table_lookup (tensors, l->data));
    }
  g_assert_true (sonde_npz_write (NULL, path, named, NULL));
  return g_strv_builder_end (order);
}

/* Against what msprobe dumped of the same net, and of one with another weight in layers.1.conv. */
static void
test_dump (Fixture *fixture, gconstpointer data)
{
  g_autofree char *same = dump ("infer-L0-tensor"), *changed = dump ("infer-changed-L0-tensor"),
                  *folder = NULL, *values = NULL;
  g_auto (GStrv) order = NULL;
  g_autoptr (SondeSessionReply) equal = NULL, other = NULL;
  SondeStepComparisonRequest asked = { NULL };

  if (!g_file_test (same, G_FILE_TEST_IS_DIR))
    {
      g_test_skip ("SONDE_SHARED has no samples of msprobe");
      return;
    }
  folder = g_dir_make_tmp ("sonde-dump-XXXXXX", NULL);
  values = g_build_filename (folder, "values.npz", NULL);
  order = write_dump (same, values);
  asked.values_path = values;
  asked.order = (const char *const *) order;
  asked.reference_path = same;
  equal = call (fixture->client, sonde_session_request_compare_step (&asked));
  asked.reference_path = changed;
  other = call (fixture->client, sonde_session_request_compare_step (&asked));
  g_assert_cmpuint (equal->divergence->values->len, >, 6);
  g_assert_cmpint (equal->divergence->first, ==, -1);
  for (guint i = 0; i < other->divergence->values->len; i++)
    {
      const SondeDivergedValue *value = g_ptr_array_index (other->divergence->values, i);

      g_assert_true (!g_str_equal (value->node, "layers.1.conv") || value->over);
      g_assert_true (!g_str_equal (value->node, "layers.0.conv") || !value->over);
    }
  g_remove (values);
  g_rmdir (folder);
}

static void
test_refused (Fixture *fixture, gconstpointer data)
{
  g_autofree char *model = sample ("convolutions.onnx"), *values = sample ("convolutions.npz");
  const SondeStepComparisonRequest cases[] = {
    { .values_path = values },
    { .values_path = values, .model_path = model, .reference_path = values },
    { .values_path = "values.npz", .model_path = model },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeSessionReply) reply = sonde_session_client_call (
          fixture->client, sonde_session_request_compare_step (&cases[i]), 20000, &error);

      g_assert_null (reply);
      g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/engine/commands/step/model", Fixture, NULL, set_up, test_model, tear_down);
  g_test_add ("/engine/commands/step/values", Fixture, NULL, set_up, test_values, tear_down);
  g_test_add ("/engine/commands/step/dump", Fixture, NULL, set_up, test_dump, tear_down);
  g_test_add ("/engine/commands/step/refused", Fixture, NULL, set_up, test_refused, tear_down);
  return g_test_run ();
}
