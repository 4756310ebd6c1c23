/* SPDX-License-Identifier: Apache-2.0 */
#include "app/profiler/sonde-ceilings-child.h"

#include <math.h>

#include <json-glib/json-glib.h>

#include "data/base/sonde-error.h"

static double
get_number (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);
  double number = node != NULL && json_node_get_value_type (node) != G_TYPE_INVALID
                      ? json_node_get_double (node)
                      : NAN;

  return number > 0 ? number : NAN;
}

/* {"roofline":[{"dtype":"float32","peak_gflops":…}]} */
static gboolean
read_answer (const char *text, SondeCeilings *ceilings, GError **error)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  JsonNode *root, *list;

  if (!json_parser_load_from_data (parser, text, -1, error))
    return FALSE;
  root = json_parser_get_root (parser);
  list = root != NULL && JSON_NODE_HOLDS_OBJECT (root)
             ? json_object_get_member (json_node_get_object (root), "roofline")
             : NULL;
  for (guint i = 0; list != NULL && JSON_NODE_HOLDS_ARRAY (list)
                    && i < json_array_get_length (json_node_get_array (list));
       i++)
    {
      JsonNode *entry = json_array_get_element (json_node_get_array (list), i);
      JsonObject *object = JSON_NODE_HOLDS_OBJECT (entry) ? json_node_get_object (entry) : NULL;

      if (object == NULL
          || g_strcmp0 (json_object_get_string_member_with_default (object, "dtype", ""), "float32")
                 != 0)
        continue;
      *ceilings
          = (SondeCeilings){ get_number (object, "peak_gflops"), get_number (object, "peak_gbs"),
                             get_number (object, "overhead_us") };
      return TRUE;
    }
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "What this machine can do could not be measured; sonde check --roofline says "
                   "why.");
  return FALSE;
}

static void
on_answered (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GTask) task = data;
  g_autofree char *text = NULL;
  g_autofree SondeCeilings *ceilings = g_new0 (SondeCeilings, 1);
  GError *error = NULL;

  if (g_subprocess_communicate_utf8_finish (G_SUBPROCESS (source), result, &text, NULL, &error)
      && read_answer (text != NULL ? text : "", ceilings, &error))
    g_task_return_pointer (task, g_steal_pointer (&ceilings), g_free);
  else
    g_task_return_error (task, error);
}

void
sonde_ceilings_child_ask (const char *program, guint n_threads, GCancellable *cancellable,
                          GAsyncReadyCallback callback, gpointer data)
{
  GTask *task = g_task_new (NULL, cancellable, callback, data);
  g_autofree char *threads = g_strdup_printf ("%u", n_threads);
  g_autofree char *self
      = program != NULL ? g_strdup (program) : g_file_read_link ("/proc/self/exe", NULL);
  g_autoptr (GSubprocess) child = NULL;
  GError *error = NULL;
  const char *arguments[] = { self != NULL ? self : "sonde",      "check", "--roofline", "--json",
                              n_threads > 0 ? "--threads" : NULL, threads, NULL };

  child = g_subprocess_newv (
      arguments, G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_SILENCE, &error);
  if (child == NULL)
    {
      g_task_return_error (task, error);
      g_object_unref (task);
      return;
    }
  g_subprocess_communicate_utf8_async (child, NULL, cancellable, on_answered, task);
}

gboolean
sonde_ceilings_child_finish (GAsyncResult *result, SondeCeilings *ceilings, GError **error)
{
  g_autofree SondeCeilings *answer = g_task_propagate_pointer (G_TASK (result), error);

  if (answer == NULL)
    return FALSE;
  *ceilings = *answer;
  return TRUE;
}
