/* SPDX-License-Identifier: Apache-2.0
 * Operators of real traces against what their producers say themselves, and pairs of traces of which
 * a generator says what differs (shared/samples/traces). */
#include <math.h>
#include <string.h>

#include <json-glib/json-glib.h>

#include "data/profiles/sonde-comparison.h"
#include "data/traces/sonde-trace-file.h"

static char *
shared_path (const char *name)
{
  const char *shared = g_getenv ("SONDE_SHARED");
  g_autofree char *path = g_build_filename (shared ? shared : "", "samples", "traces", name, NULL);

  if (shared != NULL && g_file_test (path, G_FILE_TEST_EXISTS))
    return g_steal_pointer (&path);
  g_test_skip ("the shared traces are not here");
  return NULL;
}

static SondeTrace *
read_trace (const char *path)
{
  g_autoptr (GError) error = NULL;
  SondeTrace *trace = sonde_trace_file_read (NULL, path, &error);

  g_assert_no_error (error);
  return trace;
}

static JsonParser *
read_json (const char *path)
{
  JsonParser *parser = json_parser_new ();
  g_autoptr (GError) error = NULL;

  json_parser_load_from_file (parser, path, &error);
  g_assert_no_error (error);
  return parser;
}

static const SondeProfileOperator *
find (const SondeProfile *profile, const char *op)
{
  for (guint i = 0; i < profile->operators->len; i++)
    {
      const SondeProfileOperator *found
          = &g_array_index (profile->operators, SondeProfileOperator, i);

      if (strcmp (found->op, op) == 0)
        return found;
    }
  return NULL;
}

/* torch.profiler's key_averages(), which joins a span with its only child of the same name: calls may be
 * fewer there. */
static void
test_pytorch (gconstpointer data)
{
  g_autofree char *path = shared_path (data), *table_path = NULL, *stem = NULL;
  g_autoptr (JsonParser) parser = NULL;
  g_autoptr (SondeTrace) trace = NULL;
  g_autoptr (SondeProfile) profile = NULL;
  JsonArray *rows;
  guint n_found = 0;

  if (path == NULL)
    return;
  stem = g_strndup (path, strstr (path, ".json") - path);
  table_path = g_strconcat (stem, ".table.json", NULL);
  parser = read_json (table_path);
  trace = read_trace (path);
  profile = sonde_profile_new (g_steal_pointer (&trace), NULL, NULL);
  rows
      = json_object_get_array_member (json_node_get_object (json_parser_get_root (parser)), "rows");
  for (guint i = 0; i < json_array_get_length (rows); i++)
    {
      JsonObject *row = json_array_get_object_element (rows, i);
      const SondeProfileOperator *op = find (profile, json_object_get_string_member (row, "name"));

      if (op == NULL)
        continue; /* an annotation */
      g_test_message ("%s", op->op);
      g_assert_cmpfloat_with_epsilon ((double) op->self_ns / 1000,
                                      json_object_get_double_member (row, "self_us"), 1e-3);
      g_assert_cmpfloat_with_epsilon ((double) op->total_ns / 1000,
                                      json_object_get_double_member (row, "total_us"), 1e-3);
      g_assert_cmpint (op->n_calls, >=, json_object_get_int_member (row, "count"));
      n_found++;
    }
  g_assert_cmpint (n_found, >=, 10);
}

static void
test_onnxruntime (gconstpointer data)
{
  g_autofree char *path = shared_path (data), *table_path = NULL, *stem = NULL;
  g_autoptr (JsonParser) parser = NULL;
  g_autoptr (SondeTrace) trace = NULL;
  g_autoptr (SondeProfile) profile = NULL;
  JsonObject *table, *ops;
  g_autoptr (GList) names = NULL;

  if (path == NULL)
    return;
  stem = g_strndup (path, strstr (path, ".json") - path);
  table_path = g_strconcat (stem, ".table.json", NULL);
  parser = read_json (table_path);
  trace = read_trace (path);
  profile = sonde_profile_new (g_steal_pointer (&trace), NULL, NULL);
  table = json_node_get_object (json_parser_get_root (parser));
  g_assert_cmpint (profile->n_steps, ==, json_object_get_int_member (table, "runs"));
  ops = json_object_get_object_member (table, "ops");
  names = json_object_get_members (ops);
  for (GList *name = names; name != NULL; name = name->next)
    {
      JsonObject *row = json_object_get_object_member (ops, name->data);
      gint64 n_calls = 0, total_ns = 0;

      for (guint i = 0; i < profile->operators->len; i++)
        {
          const SondeProfileOperator *op
              = &g_array_index (profile->operators, SondeProfileOperator, i);

          if (strcmp (op->op, name->data) == 0)
            {
              n_calls += op->n_calls;
              total_ns += op->total_ns;
            }
        }
      g_test_message ("%s", (char *) name->data);
      g_assert_cmpint (n_calls, ==, json_object_get_int_member (row, "calls"));
      g_assert_cmpint (total_ns, ==, 1000 * json_object_get_int_member (row, "us"));
    }
}

static void
test_compare (gconstpointer data)
{
  g_autofree char *before_name = g_strconcat (data, ".before.json.gz", NULL);
  g_autofree char *after_name = g_strconcat (data, ".after.json.gz", NULL);
  g_autofree char *compare_name = g_strconcat (data, ".compare.json", NULL);
  g_autofree char *before_path = shared_path (before_name), *after_path = NULL, *path = NULL;
  g_autoptr (SondeTrace) before = NULL, after = NULL;
  g_autoptr (SondeProfile) base = NULL, other = NULL;
  g_autoptr (SondeProfileComparison) comparison = NULL;
  g_autoptr (JsonParser) parser = NULL;
  JsonObject *expected;
  JsonArray *significant;

  if (before_path == NULL)
    return;
  after_path = shared_path (after_name);
  path = shared_path (compare_name);
  parser = read_json (path);
  expected = json_node_get_object (json_parser_get_root (parser));
  significant = json_object_get_array_member (expected, "significant");
  before = read_trace (before_path);
  after = read_trace (after_path);
  base = sonde_profile_new (g_steal_pointer (&before), NULL, NULL);
  other = sonde_profile_new (g_steal_pointer (&after), NULL, NULL);
  comparison = sonde_profile_comparison_new (base, other);
  g_assert_cmpint (base->n_steps, ==, json_object_get_int_member (expected, "steps"));
  g_assert_cmpint (comparison->n_significant, ==, json_array_get_length (significant));
  g_assert_false (comparison->too_few_steps);
  for (guint i = 0; i < comparison->operators->len; i++)
    {
      const SondeComparedOperator *op
          = &g_array_index (comparison->operators, SondeComparedOperator, i);
      gboolean is_expected = FALSE;

      g_assert_nonnull (op->base_op);
      g_assert_nonnull (op->other_op);
      for (guint k = 0; k < json_array_get_length (significant); k++)
        is_expected
            = is_expected
              || strcmp (op->base_op->op, json_array_get_string_element (significant, k)) == 0;
      g_test_message ("%s %g %g", op->base_op->op, op->ratio, op->p);
      g_assert_cmpint (op->significant, ==, is_expected);
    }
}

/* The greatest amount that PyTorch noted. */
static void
test_peak (void)
{
  g_autofree char *path = shared_path ("pytorch-cnn-train.json.gz");
  g_autoptr (SondeTrace) trace = NULL;
  g_autoptr (SondeProfile) profile = NULL;

  if (path == NULL)
    return;
  trace = read_trace (path);
  profile = sonde_profile_new (g_steal_pointer (&trace), NULL, NULL);
  g_assert_cmpint (profile->n_steps, ==, 3);
  g_assert_cmpint (profile->peak_bytes, >, 0);
  g_assert_cmpint (profile->trace->memory->len, >, 100);
}

int
main (int argc, char **argv)
{
  static const char *const torch[] = { "pytorch-cnn-train.json.gz", "pytorch-slow-data.json.gz",
                                       "pytorch-workers.json.gz", "pytorch-transformer.json" };
  static const char *const ort[] = { "onnxruntime-lenet.json", "onnxruntime-transformer.json" };
  static const char *const pairs[] = { "slower", "same-20" };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (torch); i++)
    {
      g_autofree char *name = g_strconcat ("/data/profiles/operators/", torch[i], NULL);

      g_test_add_data_func (name, torch[i], test_pytorch);
    }
  for (guint i = 0; i < G_N_ELEMENTS (ort); i++)
    {
      g_autofree char *name = g_strconcat ("/data/profiles/operators/", ort[i], NULL);

      g_test_add_data_func (name, ort[i], test_onnxruntime);
    }
  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      g_autofree char *name = g_strconcat ("/data/profiles/compare/", pairs[i], NULL);

      g_test_add_data_func (name, pairs[i], test_compare);
    }
  g_test_add_func ("/data/profiles/peak", test_peak);
  return g_test_run ();
}
