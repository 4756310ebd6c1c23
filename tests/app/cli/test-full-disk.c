/* SPDX-License-Identifier: Apache-2.0
 * A disk that is full during training: a tmpfs of 700 KiB in a mount namespace of this process.
 * Where the machine allows none, a limit on file sizes stands in for the first test. */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "tests/app/cli/training-fixture.h"

typedef struct
{
  char *folder, *disk;
  gboolean is_mounted;
} Fixture;

static gboolean
write_file (const char *path, const char *text)
{
  int fd = open (path, O_WRONLY | O_CLOEXEC);
  gboolean done = fd >= 0 && write (fd, text, strlen (text)) == (ssize_t) strlen (text);

  if (fd >= 0)
    close (fd);
  return done;
}

/* Root needs a mount namespace, others a user namespace around it. Before any thread is started. */
static gboolean
make_namespace (void)
{
  g_autofree char *users = g_strdup_printf ("0 %u 1", getuid ());
  g_autofree char *groups = g_strdup_printf ("0 %u 1", getgid ());

  if (unshare (CLONE_NEWNS) != 0
      && (unshare (CLONE_NEWUSER | CLONE_NEWNS) != 0 || !write_file ("/proc/self/setgroups", "deny")
          || !write_file ("/proc/self/uid_map", users)
          || !write_file ("/proc/self/gid_map", groups)))
    return FALSE;
  return mount (NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  const gboolean *can_mount = data;

  fixture->folder = sonde_test_folder_new ();
  fixture->disk = g_build_filename (fixture->folder, "disk", NULL);
  g_assert_cmpint (g_mkdir (fixture->disk, 0700), ==, 0);
  fixture->is_mounted = *can_mount && mount ("tmpfs", fixture->disk, "tmpfs", 0, "size=700k") == 0;
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  if (fixture->is_mounted)
    g_assert_cmpint (umount (fixture->disk), ==, 0);
  sonde_test_folder_free (fixture->folder);
  g_free (fixture->disk);
}

/* What was written is whole and without holes; @steps were trained. */
static void
check_what_is_left (Fixture *fixture, const char *run, gint64 steps)
{
  g_autoptr (JsonNode) json = NULL;
  JsonArray *files
      = json_object_get_array_member (training_inspect (fixture->folder, run, &json), "files");
  JsonObject *file = json_array_get_object_element (files, 0);
  g_autoptr (GPtrArray) points = training_export (fixture->folder, run);
  g_autoptr (GPtrArray) losses = training_points (points, "loss");

  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (file, "damaged")), ==, 0);
  g_assert_cmpuint (losses->len, >, 100);
  g_assert_cmpint (losses->len, <, steps);
  for (guint i = 0; i < losses->len; i++)
    g_assert_cmpint (((TrainingPoint *) g_ptr_array_index (losses, i))->step, ==, i + 1);
}

static void
check_end (SondeTestProgram *program, gint64 steps)
{
  g_autoptr (JsonNode) json = NULL;

  sonde_test_assert_status (program, 1);
  json = sonde_test_parse_json (program->out);
  g_assert_cmpint (json_object_get_int_member (json_node_get_object (json), "steps"), ==, steps);
  sonde_test_assert_contains (program->err, "warning");
  sonde_test_assert_contains (program->err, "000001.sonde");
  sonde_test_assert_contains (program->err, "records (");
  sonde_test_assert_contains (program->err, "were lost");
}

static void
test_full (Fixture *fixture, gconstpointer data)
{
  g_autoptr (SondeTestProgram) program = NULL;

  if (!fixture->is_mounted)
    {
      g_test_skip ("no tmpfs can be mounted here");
      return;
    }
  program = sonde_test_run (fixture->folder, NULL, "train", "mlp", TRAINING_SMALL, "--set",
                            "train.steps=16000", "--run", "disk/r", "--json");
  check_end (program, 16000);
  sonde_test_assert_contains (program->err, "No space left");
  sonde_test_assert_contains (program->err, "final");
  check_what_is_left (fixture, "disk/r", 16000);
}

static void
test_file_limit (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = sonde_test_program_dup_path ();
  const char *const arguments[] = { "prlimit", "--fsize=600000",
                                    path,      "train",
                                    "mlp",     TRAINING_SMALL,
                                    "--set",   "train.steps=16000",
                                    "--set",   "record.histograms=false",
                                    "--set",   "record.images=false",
                                    "--run",   "r",
                                    "--json",  NULL };
  g_autofree char *prlimit = g_find_program_in_path ("prlimit");
  g_autoptr (SondeTestProgram) program = NULL;

  if (prlimit == NULL)
    {
      g_test_skip ("there is no prlimit");
      return;
    }
  program = sonde_test_start_any (fixture->folder, NULL, arguments);
  sonde_test_wait (program, 120);
  check_end (program, 16000);
  check_what_is_left (fixture, "r", 16000);
}

/* ---- room comes back ----------------------------------------------------- */

static gint64
count_lost (Fixture *fixture)
{
  g_autoptr (JsonNode) json = NULL;
  JsonArray *files
      = json_object_get_array_member (training_inspect (fixture->folder, "disk/r", &json), "files");

  return json_object_get_int_member (json_array_get_object_element (files, 0), "lost");
}

/* Large records (the graphs, 200 KB each) are lost and counted; small ones wait: no step is
 * missing. */
static void
test_room_comes_back (Fixture *fixture, gconstpointer data)
{
  const char *const arguments[] = { "train",
                                    "mlp",
                                    TRAINING_SMALL,
                                    "--set",
                                    "train.steps=100000000",
                                    "--set",
                                    "record.histograms=false",
                                    "--set",
                                    "record.images=false",
                                    "--set",
                                    "checkpoint.every=200",
                                    "--set",
                                    "checkpoint.keep=1",
                                    "--run",
                                    "disk/r",
                                    NULL };
  g_autofree char *checkpoints = g_build_filename (fixture->disk, "r", "checkpoints", NULL);
  g_autoptr (SondeTestProgram) program = NULL;
  g_autoptr (GPtrArray) points = NULL, losses = NULL;

  if (!fixture->is_mounted)
    {
      g_test_skip ("no tmpfs can be mounted here");
      return;
    }
  g_assert_cmpint (mount (NULL, fixture->disk, NULL, MS_REMOUNT, "size=32k"), ==, 0);
  program = sonde_test_start (fixture->folder, NULL, arguments);
  training_wait_for_text (program->err_path, "step-00000200", 60); /* this checkpoint is refused */
  g_assert_cmpint (mount (NULL, fixture->disk, NULL, MS_REMOUNT, "size=16m"), ==, 0);
  training_wait_for_text (program->err_path, "works again", 60);
  kill (program->pid, SIGTERM);
  sonde_test_wait (program, 60);
  sonde_test_assert_contains (program->err, "were lost");
  sonde_test_assert_status (program, 143);
  points = training_export (fixture->folder, "disk/r");
  losses = training_points (points, "loss");
  g_assert_cmpuint (losses->len, >=, 200);
  for (guint i = 0; i < losses->len; i++)
    g_assert_cmpint (((TrainingPoint *) g_ptr_array_index (losses, i))->step, ==, i + 1);
  g_assert_cmpint (count_lost (fixture), ==, 2);
}

int
main (int argc, char *argv[])
{
  gboolean can_mount = make_namespace ();

  g_test_init (&argc, &argv, NULL);
  g_test_add ("/app/cli/full-disk/full", Fixture, &can_mount, set_up, test_full, tear_down);
  g_test_add ("/app/cli/full-disk/file-limit", Fixture, &can_mount, set_up, test_file_limit,
              tear_down);
  g_test_add ("/app/cli/full-disk/room-comes-back", Fixture, &can_mount, set_up,
              test_room_comes_back, tear_down);
  return g_test_run ();
}
