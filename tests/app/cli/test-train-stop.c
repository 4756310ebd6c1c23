/* SPDX-License-Identifier: Apache-2.0
 * Trainings that end early and go on: signals, --resume. */
#include <signal.h>
#include <string.h>

#include "tests/app/cli/training-fixture.h"

/* ---- signals ------------------------------------------------------------- */

/* All that was recorded is readable, and the steps have no hole. */
static void
check_records (const char *folder, gint64 steps)
{
  g_autoptr (JsonNode) json = NULL;
  JsonArray *files = json_object_get_array_member (training_inspect (folder, "r", &json), "files");
  JsonObject *file = json_array_get_object_element (files, 0);
  g_autoptr (GPtrArray) points = training_export (folder, "r");
  g_autoptr (GPtrArray) losses = training_points (points, "loss");

  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (file, "damaged")), ==, 0);
  g_assert_false (json_object_get_boolean_member (file, "waiting"));
  g_assert_cmpint (losses->len, ==, steps);
  for (guint i = 0; i < losses->len; i++)
    g_assert_cmpint (((TrainingPoint *) g_ptr_array_index (losses, i))->step, ==, i + 1);
}

static void
test_signal (gconstpointer data)
{
  int number = GPOINTER_TO_INT (data);
  char *folder = sonde_test_folder_new ();
  const char *const arguments[] = { "train",
                                    "mlp",
                                    TRAINING_SMALL,
                                    "--set",
                                    "train.steps=100000000",
                                    "--set",
                                    "checkpoint.every=10",
                                    "--run",
                                    "r",
                                    "--json",
                                    NULL };
  g_autofree char *checkpoint
      = g_build_filename (folder, "r", "checkpoints", "step-00000010.npz", NULL);
  g_autoptr (SondeTestProgram) program = sonde_test_start (folder, NULL, arguments);
  g_autoptr (SondeNamedTensors) weights = NULL;
  g_autoptr (JsonNode) json = NULL;
  gint64 steps;

  training_wait_for_file (checkpoint, 60);
  kill (program->pid, number);
  sonde_test_wait (program, 60);
  sonde_test_assert_status (program, 128 + number);
  json = sonde_test_parse_json (program->out);
  steps = json_object_get_int_member (json_node_get_object (json), "steps");
  g_assert_cmpint (steps, >=, 10);
  weights = training_weights (folder, "r", "final");
  check_records (folder, steps);
  sonde_test_folder_free (folder);
}

/* ---- going on ------------------------------------------------------------ */

static void
train (const char *folder, const char *run, const char *steps, const char *resume)
{
  g_autofree char *set = g_strconcat ("train.steps=", steps, NULL);
  g_autoptr (SondeTestProgram) program
      = sonde_test_run (folder, NULL, "train", "mlp", TRAINING_SMALL, "--set", set, "--set",
                        "checkpoint.every=5", "--run", run, resume);

  sonde_test_assert_status (program, 0);
}

/* 30 steps at once, and 13 (in the middle of an epoch), then the rest. */
static void
test_resume (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeNamedTensors) whole = NULL, parts = NULL;
  g_autoptr (GPtrArray) whole_points = NULL, part_points = NULL, whole_losses = NULL,
                        part_losses = NULL;

  train (folder, "whole", "30", NULL);
  train (folder, "parts", "13", NULL);
  train (folder, "parts", "30", "--resume");
  whole = training_weights (folder, "whole", "final");
  parts = training_weights (folder, "parts", "final");
  training_assert_equal_weights (parts, whole);
  whole_points = training_export (folder, "whole");
  part_points = training_export (folder, "parts");
  whole_losses = training_points (whole_points, "loss");
  part_losses = training_points (part_points, "loss");
  g_assert_cmpuint (part_losses->len, ==, 30);
  g_assert_cmpuint (whole_losses->len, ==, 30);
  for (guint i = 0; i < 30; i++)
    {
      const TrainingPoint *a = g_ptr_array_index (whole_losses, i),
                          *b = g_ptr_array_index (part_losses, i);

      g_assert_cmpint (a->step, ==, i + 1);
      g_assert_cmpint (b->step, ==, i + 1);
      g_assert_cmpfloat (a->value, ==, b->value);
    }
  sonde_test_folder_free (folder);
}

static void
test_resume_adds_a_session (void)
{
  char *folder = sonde_test_folder_new ();
  g_autoptr (JsonNode) json = NULL;
  JsonArray *files;

  train (folder, "r", "5", NULL);
  train (folder, "r", "9", "--resume");
  files = json_object_get_array_member (training_inspect (folder, "r", &json), "files");
  g_assert_cmpuint (json_array_get_length (files), ==, 2);
  g_assert_cmpstr (json_object_get_string_member (json_array_get_object_element (files, 1), "path"),
                   ==, "records/000002.sonde");
  sonde_test_folder_free (folder);
}

/* A signal, then --resume: as if nothing had happened. */
static void
test_resume_after_signal (void)
{
  char *folder = sonde_test_folder_new ();
  const char *const arguments[] = {
    "train", "mlp", TRAINING_SMALL, "--set", "train.steps=100000000", "--set", "checkpoint.every=5",
    "--run", "r",   "--json",       NULL
  };
  g_autofree char *checkpoint
      = g_build_filename (folder, "r", "checkpoints", "step-00000005.npz", NULL);
  g_autoptr (SondeTestProgram) program = sonde_test_start (folder, NULL, arguments);
  g_autoptr (SondeNamedTensors) whole = NULL, parts = NULL;
  g_autoptr (JsonNode) json = NULL;
  g_autofree char *steps = NULL;

  training_wait_for_file (checkpoint, 60);
  kill (program->pid, SIGINT);
  sonde_test_wait (program, 60);
  sonde_test_assert_status (program, 130);
  json = sonde_test_parse_json (program->out);
  steps = g_strdup_printf ("%" G_GINT64_FORMAT,
                           json_object_get_int_member (json_node_get_object (json), "steps") + 10);
  train (folder, "r", steps, "--resume");
  train (folder, "whole", steps, NULL);
  whole = training_weights (folder, "whole", "final");
  parts = training_weights (folder, "r", "final");
  training_assert_equal_weights (parts, whole);
  sonde_test_folder_free (folder);
}

/* ---- killed at any moment ------------------------------------------------ */

#define KILLED_STEPS 60
#define KILLED_SET                                                                                 \
  TRAINING_SMALL, "--set", "train.steps=60", "--set", "checkpoint.every=2", "--set",               \
      "checkpoint.keep=0", "--set", "train.optimiser=adam", "--set", "train.learning-rate=0.002",  \
      "--set", "record.every=7", "--set", "train.schedule=plateau:patience=0;threshold=1",         \
      "--set", "checkpoint.best=loss"

/* Starts or goes on, and sends @number as soon as the weights of step @from are there: while their
 * state is being written, or a little later, or at the start when an earlier run came so far. */
static void
kill_run (const char *folder, const char *model, gboolean first, guint from, int number)
{
  const char *const arguments[]
      = { "train", model, KILLED_SET, "--run", "killed", first ? NULL : "--resume", NULL };
  g_autofree char *checkpoint
      = g_strdup_printf ("%s/killed/checkpoints/step-%08u.npz", folder, from);
  g_autoptr (SondeTestProgram) program = sonde_test_start (folder, NULL, arguments);

  training_wait_for_file (checkpoint, 60);
  kill (program->pid, number);
  sonde_test_wait (program, 60);
  if (program->status != 0) /* it may have been through */
    sonde_test_assert_status (program, 128 + number);
}

static void
assert_equal_files (const char *folder, const char *file)
{
  g_autofree char *killed = g_strdup_printf ("%s/killed/checkpoints/%s", folder, file);
  g_autofree char *whole = g_strdup_printf ("%s/whole/checkpoints/%s", folder, file);
  g_autofree char *a = NULL, *b = NULL;
  gsize n_a, n_b;

  g_assert_true (g_file_get_contents (killed, &a, &n_a, NULL));
  g_assert_true (g_file_get_contents (whole, &b, &n_b, NULL));
  g_assert_cmpmem (a, n_a, b, n_b);
}

/* What was recorded of a tag is, step for step, what the unbroken run recorded. */
static void
assert_equal_points (const char *folder, const char *tag)
{
  g_autoptr (GPtrArray) killed = training_export (folder, "killed"),
                        whole = training_export (folder, "whole");
  g_autoptr (GPtrArray) got = training_points (killed, tag), want = training_points (whole, tag);
  g_autoptr (GHashTable) values = g_hash_table_new (g_direct_hash, g_direct_equal);

  for (guint i = 0; i < want->len; i++)
    {
      TrainingPoint *point = g_ptr_array_index (want, i);

      g_hash_table_insert (values, GINT_TO_POINTER ((int) point->step), point);
    }
  for (guint i = 0; i < got->len; i++)
    {
      const TrainingPoint *point = g_ptr_array_index (got, i);
      const TrainingPoint *other
          = g_hash_table_lookup (values, GINT_TO_POINTER ((int) point->step));

      g_assert_nonnull (other);
      g_assert_cmpfloat (point->value, ==, other->value);
    }
  g_assert_cmpuint (got->len, >=, want->len);
}

static void
check_killed (const char *folder, const char *model)
{
  g_autoptr (SondeTestProgram) last
      = sonde_test_run (folder, NULL, "train", model, KILLED_SET, "--run", "killed", "--resume");

  sonde_test_assert_status (last, 0);
  assert_equal_files (folder, "final.npz");
  assert_equal_files (folder, "final.state.npz");
  assert_equal_files (folder, "best.npz");
  assert_equal_points (folder, "loss");
  assert_equal_points (folder, "learning-rate");
  assert_equal_points (folder, "test/accuracy");
}

/* Four times, or as often as SONDE_KILLS (scripts/kill-training) says; after the last step a new
 * run begins. */
static void
test_killed (gconstpointer data)
{
  const char *setting = g_getenv ("SONDE_KILLS");
  guint kills = setting != NULL ? (guint) g_ascii_strtoull (setting, NULL, 10) : 4, done = 0,
        step = 0;
  char *folder = sonde_test_folder_new ();
  g_autofree char *run = g_build_filename (folder, "killed", NULL);
  g_autoptr (GRand) random = g_rand_new_with_seed (kills);
  g_autoptr (SondeTestProgram) whole
      = sonde_test_run (folder, NULL, "train", data, KILLED_SET, "--run", "whole");

  sonde_test_assert_status (whole, 0);
  while (done < kills || step > 0)
    {
      guint next = step + 2 * (guint) g_rand_int_range (random, 1, 10);

      if (done < kills && next < KILLED_STEPS)
        {
          kill_run (folder, data, step == 0, next, done % 3 == 2 ? SIGTERM : SIGKILL);
          step = next;
          done++;
          continue;
        }
      check_killed (folder, data);
      sonde_test_remove (run);
      step = 0;
    }
  sonde_test_folder_free (folder);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/app/cli/train-stop/sigint", GINT_TO_POINTER (SIGINT), test_signal);
  g_test_add_data_func ("/app/cli/train-stop/sigterm", GINT_TO_POINTER (SIGTERM), test_signal);
  g_test_add_func ("/app/cli/train-stop/resume", test_resume);
  g_test_add_func ("/app/cli/train-stop/resume-adds-a-session", test_resume_adds_a_session);
  g_test_add_func ("/app/cli/train-stop/resume-after-signal", test_resume_after_signal);
  g_test_add_data_func ("/app/cli/train-stop/killed/mlp", "mlp", test_killed);
  g_test_add_data_func ("/app/cli/train-stop/killed/lenet", "lenet", test_killed);
  return g_test_run ();
}
