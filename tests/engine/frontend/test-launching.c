/* SPDX-License-Identifier: Apache-2.0
 * What could be debugged now: documents, the model that a run left. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "engine/frontend/sonde-debug-launch-targets.h"
#include "tests/support/sonde-test-program.h"

static void
on_found (GObject *source, GAsyncResult *result, gpointer data)
{
  *(GAsyncResult **) data = g_object_ref (result);
}

static GPtrArray *
find (const char *const *documents, const char *run)
{
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  GPtrArray *targets;

  sonde_debug_launch_targets_find_async (documents, run, NULL, on_found, &result);
  while (result == NULL)
    g_main_context_iteration (NULL, TRUE);
  targets = sonde_debug_launch_targets_find_finish (result, &error);
  g_assert_no_error (error);
  return targets;
}

static const SondeDebugLaunchTarget *
nth (GPtrArray *targets, guint i)
{
  return g_ptr_array_index (targets, i);
}

static void
test_documents (void)
{
  const char *const documents[] = { "/a/net.onnx", "/a/net.recipe", NULL };
  g_autoptr (GPtrArray) targets = find (documents, NULL);

  g_assert_cmpuint (targets->len, ==, 2);
  g_assert_cmpstr (nth (targets, 0)->title, ==, "Debug “net.onnx”");
  g_assert_cmpstr (nth (targets, 0)->subject, ==, "/a/net.onnx");
  g_assert_cmpint (nth (targets, 0)->pid, ==, 0);
  g_assert_cmpstr (nth (targets, 1)->subject, ==, "/a/net.recipe");
}

static void
test_final_model (void)
{
  g_autofree char *folder = sonde_test_folder_new (),
                  *checkpoints = g_build_filename (folder, "checkpoints", NULL),
                  *model = g_build_filename (checkpoints, "final.onnx", NULL);
  const char *const none[] = { NULL };
  g_autoptr (GPtrArray) before = find (none, folder), after = NULL;

  g_assert_cmpuint (before->len, ==, 0);
  g_assert_cmpint (g_mkdir (checkpoints, 0700), ==, 0);
  g_assert_true (g_file_set_contents (model, "", 0, NULL));
  after = find (none, folder);
  g_assert_cmpuint (after->len, ==, 1);
  g_assert_cmpstr (nth (after, 0)->subject, ==, model);
  g_assert_true (g_str_has_prefix (nth (after, 0)->title, "Debug Final Model of “"));
  sonde_test_folder_free (g_steal_pointer (&folder));
}

/* What a session that listens says of itself, in the folder where sessions are looked for. @*fd: keeps
 * it alive. (transfer full): its path */
static char *
write_session (const char *text, int *fd)
{
  g_autofree char *folder = g_build_filename (g_getenv ("XDG_RUNTIME_DIR"), "sonde", NULL);
  char *path = g_strdup_printf ("%s/%d.token", folder, getpid ());

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  *fd = g_open (path, O_RDWR | O_CLOEXEC, 0);
  g_assert_cmpint (flock (*fd, LOCK_EX | LOCK_NB), ==, 0);
  return path;
}

/* A run's name and step where they are known; sessions of older versions say only what they run. */
static void
test_sessions (void)
{
  static const struct
  {
    const char *text, *title, *detail;
  } rows[] = {
    { "token\nresnet20 · images\n/runs/cifar2\n1375\n", "Attach to “cifar2”, Step 1,375",
      "resnet20 · images, process " },
    { "token\nresnet20 · images\n/runs/cifar2\n0\n", "Attach to “cifar2”",
      "resnet20 · images, process " },
    { "token\nnet.onnx\n\n0\n", "Attach to “net.onnx” (Process ", "net.onnx, process " },
    { "token\nnet.onnx\n", "Attach to “net.onnx” (Process ", "net.onnx, process " },
  };
  const char *const none[] = { NULL };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      int fd;
      g_autofree char *path = write_session (rows[i].text, &fd);
      g_autoptr (GPtrArray) targets = find (none, NULL);

      g_assert_cmpuint (targets->len, ==, 1);
      g_assert_true (g_str_has_prefix (nth (targets, 0)->title, rows[i].title));
      g_assert_true (g_str_has_prefix (nth (targets, 0)->detail, rows[i].detail));
      g_assert_cmpint (nth (targets, 0)->pid, ==, getpid ());
      g_assert_null (nth (targets, 0)->subject);
      g_assert_cmpint (g_unlink (path), ==, 0);
      close (fd);
    }
}

/* Sessions of others would be found, too: none listens in a folder of the test's own. */
static void
use_own_folder (const char *folder)
{
  g_setenv ("XDG_RUNTIME_DIR", folder, TRUE);
}

int
main (int argc, char *argv[])
{
  g_autofree char *folder = sonde_test_folder_new ();
  int status;

  g_test_init (&argc, &argv, NULL);
  use_own_folder (folder);
  g_test_add_func ("/engine/frontend/launching/documents", test_documents);
  g_test_add_func ("/engine/frontend/launching/final-model", test_final_model);
  g_test_add_func ("/engine/frontend/launching/sessions", test_sessions);
  status = g_test_run ();
  sonde_test_folder_free (g_steal_pointer (&folder));
  return status;
}
