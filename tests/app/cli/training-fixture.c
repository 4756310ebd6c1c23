/* SPDX-License-Identifier: Apache-2.0
 * Small trainings and what they leave. */
#include "tests/app/cli/training-fixture.h"

#include <glib/gstdio.h>
#include <poll.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

static void
point_free (void *data)
{
  TrainingPoint *point = data;

  g_free (point->run);
  g_free (point->tag);
  g_free (point);
}

GPtrArray *
training_export (const char *folder, const char *run)
{
  GPtrArray *points = g_ptr_array_new_with_free_func (point_free);
  /* beside the run, not in a folder that may be full */
  g_autofree char *name = g_path_get_basename (run);
  g_autofree char *out = g_strdup_printf ("%s/%s-csv", folder, name);
  g_autofree char *path = g_build_filename (out, "scalars.csv", NULL);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  g_autoptr (SondeTestProgram) program
      = sonde_test_run (folder, NULL, "export", run, "--to", "csv", "--output", out);

  sonde_test_assert_status (program, 0);
  text = sonde_test_read_text (path);
  lines = g_strsplit (text, "\n", -1);
  g_assert_cmpstr (g_strchomp (lines[0]), ==, "run,tag,step,wall_time,value");
  for (gsize i = 1; lines[i] != NULL && *lines[i] != '\0'; i++)
    {
      g_auto (GStrv) fields = g_strsplit (lines[i], ",", -1);
      TrainingPoint *point = g_new0 (TrainingPoint, 1);

      g_assert_cmpuint (g_strv_length (fields), ==, 5);
      point->run = g_strdup (fields[0]);
      point->tag = g_strdup (fields[1]);
      point->step = g_ascii_strtoll (fields[2], NULL, 10);
      point->value = g_ascii_strtod (fields[4], NULL);
      g_ptr_array_add (points, point);
    }
  return points;
}

GPtrArray *
training_points (GPtrArray *points, const char *tag)
{
  GPtrArray *found = g_ptr_array_new ();

  for (guint i = 0; i < points->len; i++)
    if (g_str_equal (((TrainingPoint *) g_ptr_array_index (points, i))->tag, tag))
      g_ptr_array_add (found, g_ptr_array_index (points, i));
  return found;
}

JsonObject *
training_inspect (const char *folder, const char *run, JsonNode **json)
{
  g_autoptr (SondeTestProgram) program = sonde_test_run (folder, NULL, "inspect", run, "--json");
  JsonArray *runs;

  sonde_test_assert_status (program, 0);
  *json = sonde_test_parse_json (program->out);
  runs = json_object_get_array_member (json_node_get_object (*json), "runs");
  g_assert_cmpuint (json_array_get_length (runs), ==, 1);
  return json_array_get_object_element (runs, 0);
}

SondeNamedTensors *
training_weights (const char *folder, const char *run, const char *name)
{
  g_autofree char *path = g_strdup_printf ("%s/%s/checkpoints/%s.npz", folder, run, name);
  g_autoptr (GError) error = NULL;
  SondeNamedTensors *weights = sonde_npz_read (NULL, path, &error);

  g_assert_no_error (error);
  return weights;
}

void
training_assert_equal_weights (SondeNamedTensors *got, SondeNamedTensors *want)
{
  g_assert_cmpuint (sonde_named_tensors_get_size (got), ==, sonde_named_tensors_get_size (want));
  for (gsize i = 0; i < sonde_named_tensors_get_size (want); i++)
    {
      const char *name = sonde_named_tensors_get_name (want, i);
      SondeTensor *a = sonde_named_tensors_lookup (got, name),
                  *b = sonde_named_tensors_get_tensor (want, i);

      g_assert_nonnull (a);
      if (sonde_tensor_n_bytes (a) != sonde_tensor_n_bytes (b)
          || memcmp (a->data, b->data, sonde_tensor_n_bytes (a)) != 0)
        g_error ("“%s” differs", name);
    }
}

/* @text: (nullable): NULL: any */
static gboolean
file_has (const char *path, const char *text)
{
  g_autofree char *contents = NULL;

  return g_file_get_contents (path, &contents, NULL, NULL) && *contents != '\0'
         && (text == NULL || strstr (contents, text) != NULL);
}

/* The kernel tells when the folder changes; folders that are not there yet are looked for again. */
void
training_wait_for_text (const char *path, const char *text, int seconds)
{
  gint64 end = g_get_monotonic_time () + seconds * G_TIME_SPAN_SECOND;

  while (!file_has (path, text))
    {
      struct pollfd watch = { .fd = inotify_init1 (IN_CLOEXEC | IN_NONBLOCK), .events = POLLIN };
      g_autofree char *folder = g_path_get_dirname (path);

      if (g_get_monotonic_time () > end)
        g_error ("“%s” did not appear within %d s in “%s”", text != NULL ? text : "something",
                 seconds, path);
      while (inotify_add_watch (watch.fd, folder, IN_CREATE | IN_MODIFY | IN_MOVED_TO) < 0)
        {
          char *above = g_path_get_dirname (folder);

          g_free (folder);
          folder = above;
        }
      if (!file_has (path, text))
        poll (&watch, 1, 200);
      close (watch.fd);
    }
}

void
training_wait_for_file (const char *path, int seconds)
{
  training_wait_for_text (path, NULL, seconds);
}
