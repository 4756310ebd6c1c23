/* SPDX-License-Identifier: Apache-2.0
 * Trainings that go back and forth: every place has the bits that it has in a training that only
 * goes forward, the weights at the end are the same, and nothing is recorded twice. */
#include <math.h>
#include <string.h>

#include "app/worker/sonde-training-job.h"
#include "app/worker/sonde-worker-host.h"
#include "data/arrays/sonde-npz.h"
#include "data/records/sonde-record-reader.h"
#include "engine/debug/sonde-reverse-execution.h"
#include "engine/debug/searches/sonde-origin.h"
#include "tests/support/sonde-test-program.h"

#define SMALL "data.workers=0", "train.threads=1", "record.every=1"

typedef struct
{
  const char *name, *model;
  const char *sets[14];
} Case;

static const Case cases[] = {
  { "momentum",
    "mlp",
    { SMALL, "data.source=glyphs:size=16", "data.train=22", "data.test=6", "data.batch=8",
      "train.epochs=2", "train.momentum=0.9" } },
  { "adam",
    "lenet",
    { SMALL, "data.source=glyphs:size=28", "data.train=10", "data.test=4", "data.batch=4",
      "train.epochs=2", "train.optimiser=adam", "train.learning-rate=0.01",
      "train.schedule=plateau:patience=1" } },
  { "accumulate",
    "mlp",
    { SMALL, "data.source=glyphs:size=16", "data.train=30", "data.test=4", "data.batch=4",
      "train.epochs=2", "train.accumulate=3", "train.momentum=0.9" } },
  { "normalised",
    "resnet20",
    { SMALL, "data.source=glyphs:size=16;channels=3", "data.train=6", "data.test=2", "data.batch=4",
      "train.epochs=2", "train.average=0.9" } },
  { "dropout",
    "transformer-encoder",
    { SMALL, "data.source=tokens:task=parity;length=6;vocabulary=5", "data.train=6", "data.test=2",
      "data.batch=4", "train.steps=4", "train.optimiser=adamw" } },
};

typedef struct
{
  char *folder, *run;
  SondeActivity *activity;
  SondeDebugger *debugger;
} Fixture;

/* ---- the job as a server has it ------------------------------------------ */

static SondeExecution *
target_execution (gpointer data)
{
  return ((SondeActivity *) data)->klass->get_execution (data);
}

static void
target_add (gpointer data, SondeObserver *observer)
{
  ((SondeActivity *) data)->klass->add_observer (data, observer);
}

static void
target_remove (gpointer data, SondeObserver *observer)
{
  ((SondeActivity *) data)->klass->remove_observer (data, observer);
}

static void
target_refresh (gpointer data)
{
  ((SondeActivity *) data)->klass->refresh_observers (data);
}

static const SondeDebuggerTarget target
    = { target_execution, target_add, target_remove, target_refresh };

static guint64
step_of (gpointer data)
{
  SondeSessionFacts facts;

  ((SondeActivity *) data)->klass->get_facts (data, &facts);
  return facts.step;
}

static void
fixture_init (Fixture *fixture, const Case *the_case, SondeMemoryMode memory)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeRecipe) recipe
      = sonde_worker_load_recipe (the_case->model, the_case->sets, &error);
  SondeTrainingJobOptions options = { .recipe = recipe, .memory = memory };
  g_autoptr (SondeTrainingJob) job = NULL;

  g_assert_no_error (error);
  fixture->folder = sonde_test_folder_new ();
  options.run = fixture->run = g_build_filename (fixture->folder, "run", NULL);
  job = sonde_training_job_open (&options, &error);
  g_assert_no_error (error);
  fixture->activity = sonde_training_job_dup_activity (job);
  fixture->activity->klass->keep_history (fixture->activity, TRUE);
  fixture->debugger = sonde_debugger_new (NULL);
  sonde_debugger_set_step_source (fixture->debugger, step_of, fixture->activity);
  sonde_debugger_set_history (fixture->debugger, fixture->activity->klass->history,
                              fixture->activity);
  sonde_debugger_attach (fixture->debugger, &target, fixture->activity);
}

static void
fixture_clear (Fixture *fixture)
{
  sonde_debugger_free (fixture->debugger);
  fixture->activity->klass->free (fixture->activity);
  sonde_test_folder_free (fixture->folder);
  g_free (fixture->run);
}

/* TRUE: it stopped; FALSE: it is at the end. */
static gboolean
go_on (Fixture *fixture, SondeResumeKind kind, guint64 count, const char *where)
{
  const SondeResume how = { .kind = kind, .count = count, .target = where };
  g_autoptr (GError) error = NULL;
  SondeRunResult result;

  sonde_debugger_resume (fixture->debugger, &how, &error);
  g_assert_no_error (error);
  result = sonde_debugger_is_going_back (fixture->debugger)
               ? sonde_debugger_run_back (fixture->debugger, &error)
               : fixture->activity->klass->run (fixture->activity, &error);
  g_assert_no_error (error);
  if (result == SONDE_RUN_DONE)
    sonde_debugger_run_is_over (fixture->debugger);
  return result == SONDE_RUN_PAUSED;
}

static SondeStopReason
go_back (Fixture *fixture, SondeBackKind kind, guint64 count)
{
  const SondeBack how = { .kind = kind, .count = count };
  g_autoptr (GError) error = NULL;
  SondeStop stop;

  sonde_debugger_go_back (fixture->debugger, &how, &error);
  g_assert_no_error (error);
  sonde_debugger_run_back (fixture->debugger, &error);
  g_assert_no_error (error);
  g_assert_true (sonde_debugger_has_stopped (fixture->debugger));
  sonde_debugger_get_stop (fixture->debugger, &stop);
  return stop.reason;
}

/* ---- places -------------------------------------------------------------- */

/* Step, position, and all that can be read there. (transfer full) */
static char *
describe (Fixture *fixture)
{
  SondeExecution *execution = sonde_debugger_get_execution (fixture->debugger);
  GPtrArray *values = sonde_plan_get_graph (sonde_execution_get_plan (execution))->values;
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA1);
  SondeStop stop;

  sonde_debugger_get_stop (fixture->debugger, &stop);
  for (guint i = 0; i < values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (values, i);
      g_autoptr (SondeTensor) tensor = value != NULL && value->role != SONDE_ROLE_CONSTANT
                                               && sonde_execution_is_available (execution, value)
                                           ? sonde_execution_read (execution, value, NULL)
                                           : NULL;

      if (tensor == NULL)
        continue;
      g_checksum_update (sum, (const guchar *) value->name, (gssize) strlen (value->name));
      g_checksum_update (sum, tensor->data, (gssize) sonde_tensor_n_bytes (tensor));
    }
  return g_strdup_printf ("%" G_GUINT64_FORMAT " %u of %u %s", stop.step, stop.position,
                          stop.n_steps, g_checksum_get_string (sum));
}

static char *
final_of (Fixture *fixture)
{
  g_autofree char *path = g_build_filename (fixture->run, "checkpoints", "final.npz", NULL),
                  *bytes = NULL;
  gsize length;

  g_file_get_contents (path, &bytes, &length, NULL);
  return g_compute_checksum_for_data (G_CHECKSUM_SHA1, (const guchar *) bytes, length);
}

static void
assert_final (Fixture *fixture, const char *expected)
{
  g_autofree char *sum = final_of (fixture);

  g_assert_cmpstr (sum, ==, expected);
}

/* Scalars in all session files of the run. */
static guint
count_scalars (Fixture *fixture)
{
  guint n = 0;

  for (guint session = 0; session < 5; session++)
    {
      g_autofree char *name = g_strdup_printf ("%06u.sonde", session),
                      *path = g_build_filename (fixture->run, "records", name, NULL);
      g_autoptr (SondeRecordReader) reader = sonde_record_reader_open (NULL, path, NULL);
      SondeRecord record = { 0 };

      while (reader != NULL
             && sonde_record_reader_next (reader, &record, NULL, NULL) == SONDE_FRAME_RECORD)
        {
          n += record.kind == SONDE_RECORD_SCALARS ? (guint) record.u.scalars.n : 0;
          sonde_record_clear (&record);
        }
    }
  return n;
}

/* All places of a training that only goes forward. (element-type utf8) */
static GPtrArray *
list_places (const Case *the_case, char **final, guint *n_scalars)
{
  GPtrArray *places = g_ptr_array_new_with_free_func (g_free);
  Fixture fixture;

  fixture_init (&fixture, the_case, SONDE_MEMORY_KEEP);
  while (go_on (&fixture, SONDE_RESUME_STEP, 1, NULL))
    g_ptr_array_add (places, describe (&fixture));
  *final = final_of (&fixture);
  *n_scalars = count_scalars (&fixture);
  fixture_clear (&fixture);
  return places;
}

/* places[k - 1] is k steps from the beginning */
static void
walk (Fixture *fixture, GPtrArray *places, guint seed)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);
  guint at = 1, most = places->len;

  go_on (fixture, SONDE_RESUME_STEP, 1, NULL);
  for (guint i = 0; i < 24; i++)
    {
      g_autofree char *place = NULL;
      guint n = (guint) g_rand_int_range (random, 1, (gint32) MAX (most / 3, 2));

      if (g_rand_boolean (random) && at + n <= most)
        {
          go_on (fixture, SONDE_RESUME_STEP, n, NULL);
          at += n;
        }
      else if (n < at)
        {
          g_assert_cmpint (go_back (fixture, SONDE_BACK_STEPS, n), ==, SONDE_STOP_STEP);
          at -= n;
        }
      place = describe (fixture);
      g_assert_cmpstr (place, ==, places->pdata[at - 1]);
    }
}

static void
test_walk (gconstpointer data)
{
  const Case *the_case = data;
  g_autofree char *final = NULL;
  guint n_scalars;
  g_autoptr (GPtrArray) places = list_places (the_case, &final, &n_scalars);
  Fixture fixture;

  g_assert_cmpuint (places->len, >, 40);
  fixture_init (&fixture, the_case, SONDE_MEMORY_KEEP);
  walk (&fixture, places, 3);
  g_assert_false (go_on (&fixture, SONDE_RESUME_CONTINUE, 1, NULL));
  assert_final (&fixture, final);
  g_assert_cmpint (go_back (&fixture, SONDE_BACK_STEPS, 5), ==, SONDE_STOP_STEP); /* from the end */
  {
    g_autofree char *place = describe (&fixture);

    g_assert_cmpstr (place, ==, places->pdata[places->len - 5]);
  }
  g_assert_cmpint (go_back (&fixture, SONDE_BACK_STEPS, 1000000), ==, SONDE_STOP_BEGINNING);
  g_assert_true (go_on (&fixture, SONDE_RESUME_UNTIL, 1, "step:3"));
  g_assert_true (go_on (&fixture, SONDE_RESUME_UNTIL, 1, "step:2")); /* that is back */
  g_assert_false (go_on (&fixture, SONDE_RESUME_CONTINUE, 1, NULL));
  assert_final (&fixture, final);
  g_assert_cmpuint (n_scalars, >, 0);
  g_assert_cmpuint (count_scalars (&fixture), ==, n_scalars);
  fixture_clear (&fixture);
}

/* ---- origins in earlier steps -------------------------------------------- */

/* 24 samples of 4 numbers; that of index 9 holds an infinity. */
static char *
write_samples (void)
{
  g_autofree char *folder = g_dir_make_tmp ("sonde-origin-XXXXXX", NULL);
  char *path = g_build_filename (folder, "samples.npz", NULL);
  SondeShape shape = sonde_shape_make (2, 24, 4), labels = sonde_shape_make (1, 24);
  g_autoptr (SondeTensor) x = sonde_tensor_new (SONDE_DTYPE_F32, &shape),
                          y = sonde_tensor_new (SONDE_DTYPE_I64, &labels);
  g_autoptr (SondeNamedTensors) arrays = sonde_named_tensors_new ();
  g_autoptr (GError) error = NULL;

  for (gint64 i = 0; i < 24 * 4; i++)
    sonde_tensor_set_double (x, i, 0.1 * (double) ((i * 7) % 19) - 0.9);
  for (gint64 i = 0; i < 24; i++)
    sonde_tensor_set_double (y, i, (double) (i % 2));
  sonde_tensor_set_double (x, 9 * 4 + 1, INFINITY);
  sonde_named_tensors_set (arrays, "x", x);
  sonde_named_tensors_set (arrays, "y", y);
  sonde_npz_write (NULL, path, arrays, &error);
  g_assert_no_error (error);
  return path;
}

/* Asked three steps later, and at the end, the chain ends at the batch; and the run goes on as if
 * nobody had asked. */
static void
test_origin (void)
{
  g_autofree char *samples = write_samples (),
                  *source = g_strconcat ("data.source=npz:", samples, NULL);
  Case the_case = { "origin",
                    "mlp",
                    { SMALL, source, "data.batch=4", "train.epochs=2", "train.momentum=0.9",
                      "train.on-nan=warn" } };
  g_autofree char *before = NULL, *after = NULL, *final = NULL;
  const SondeOriginLink *last;
  guint64 made = 0;
  Fixture fixture;

  fixture_init (&fixture, &the_case, SONDE_MEMORY_KEEP);
  while (go_on (&fixture, SONDE_RESUME_CONTINUE, 1, NULL))
    ;
  final = final_of (&fixture);
  for (guint round = 0; round < 2; round++)
    {
      g_autoptr (SondeOrigin) origin = NULL;
      g_autoptr (GError) error = NULL;
      SondeStop stop;

      if (round == 1)
        {
          g_assert_cmpint (go_back (&fixture, SONDE_BACK_RUN, 8), ==, SONDE_STOP_UNTIL);
          g_assert_true (go_on (&fixture, SONDE_RESUME_STEP, 3, NULL));
          before = describe (&fixture);
        }
      origin = sonde_debugger_trace_origin (fixture.debugger, "fc1.weight", NULL, NULL, &error);
      g_assert_no_error (error);
      last = g_ptr_array_index (origin->chain, origin->chain->len - 1);
      g_assert_true (round == 0 || last->step == made);
      made = last->step;
      g_assert_null (last->node);
      g_assert_true (isinf (last->number));
      g_assert_nonnull (strstr (sonde_message_get_english (origin->cause), "the input"));
      g_assert_cmpuint (made, >=, 1);
      g_assert_cmpuint (made, <=, 6);
      g_assert_cmpuint (origin->step, >, made);
      sonde_debugger_get_stop (fixture.debugger, &stop);
      g_assert_cmpuint (stop.step, ==, origin->step);
    }
  after = describe (&fixture);
  g_assert_cmpstr (before, ==, after);
  g_assert_false (go_on (&fixture, SONDE_RESUME_CONTINUE, 1, NULL));
  assert_final (&fixture, final);
  fixture_clear (&fixture);
  sonde_test_folder_free (g_path_get_dirname (samples));
}

/* The stops of a training with breakpoints, from the last to the first. */
static void
test_reverse (void)
{
  const SondeBreakpointSpec before = { .pattern = "op:*Softmax*" },
                            after = { .pattern = "fc2", .moment = SONDE_MOMENT_AFTER };
  g_autoptr (GPtrArray) stops = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  Fixture fixture;

  fixture_init (&fixture, &cases[0], SONDE_MEMORY_KEEP);
  sonde_debugger_add_breakpoint (fixture.debugger, &before, NULL);
  sonde_debugger_add_breakpoint (fixture.debugger, &after, &error);
  g_assert_no_error (error);
  while (go_on (&fixture, SONDE_RESUME_CONTINUE, 1, NULL))
    g_ptr_array_add (stops, describe (&fixture));
  g_assert_cmpuint (stops->len, >=, 6);
  for (guint at = stops->len; at > 0; at--)
    {
      g_autofree char *place = NULL;

      g_assert_cmpint (go_back (&fixture, SONDE_BACK_REVERSE, 0), ==, SONDE_STOP_BREAKPOINT);
      place = describe (&fixture);
      g_assert_cmpstr (place, ==, stops->pdata[at - 1]);
    }
  g_assert_cmpint (go_back (&fixture, SONDE_BACK_REVERSE, 0), ==, SONDE_STOP_BEGINNING);
  fixture_clear (&fixture);
}

/* The batch of a step as a file: what the training's inputs are there. */
static void
test_batch (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;
  g_autoptr (SondeNamedTensors) arrays = NULL;
  SondeExecution *execution;
  Fixture fixture;

  fixture_init (&fixture, &cases[0], SONDE_MEMORY_KEEP);
  go_on (&fixture, SONDE_RESUME_UNTIL, 1, "step:2");
  path = fixture.activity->klass->save_batch (fixture.activity, 2, NULL, &error);
  g_assert_no_error (error);
  g_assert_true (g_str_has_suffix (path, "captures/batch-step00000002.npz"));
  arrays = sonde_npz_read (NULL, path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (sonde_named_tensors_get_size (arrays), ==, 2);
  execution = sonde_debugger_get_execution (fixture.debugger);
  for (gsize i = 0; i < 2; i++)
    {
      SondeGraphValue *value
          = sonde_graph_find_value (sonde_plan_get_graph (sonde_execution_get_plan (execution)),
                                    sonde_named_tensors_get_name (arrays, i));
      g_autoptr (SondeTensor) tensor = sonde_execution_read (execution, value, &error);

      g_assert_no_error (error);
      g_assert_true (sonde_tensor_equal (tensor, sonde_named_tensors_get_tensor (arrays, i)));
    }
  fixture_clear (&fixture);
}

static void
set_first (Fixture *fixture, const char *name)
{
  SondeExecution *execution = sonde_debugger_get_execution (fixture->debugger);
  SondeGraphValue *value
      = sonde_graph_find_value (sonde_plan_get_graph (sonde_execution_get_plan (execution)), name);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeMessage) note = sonde_message_new_text ("set");
  g_autoptr (SondeTensor) old = sonde_execution_read (execution, value, &error),
                          tensor = sonde_tensor_copy (old);

  sonde_tensor_set_double (tensor, 0, 3.0);
  sonde_execution_write (execution, value, tensor, &error);
  g_assert_no_error (error);
  fixture->activity->klass->note_change (fixture->activity, note);
}

/* What was set in a step stays in the steps after it, whatever is gone back to there, and is gone
 * before it. */
static void
test_edits (void)
{
  g_autofree char *early = NULL, *early_again = NULL, *final = NULL, *other = NULL, *later = NULL,
                  *later_again = NULL, *last = NULL;
  guint n_scalars;
  g_autoptr (GPtrArray) places = list_places (&cases[0], &final, &n_scalars);
  Fixture fixture;

  fixture_init (&fixture, &cases[0], SONDE_MEMORY_KEEP);
  go_on (&fixture, SONDE_RESUME_UNTIL, 1, "step:2");
  early = describe (&fixture);
  set_first (&fixture, "fc1.bias");
  go_on (&fixture, SONDE_RESUME_UNTIL, 1, "step:3");
  go_on (&fixture, SONDE_RESUME_STEP, 5, NULL);
  later = describe (&fixture);
  g_assert_false (g_ptr_array_find_with_equal_func (places, later, g_str_equal, NULL));
  go_on (&fixture, SONDE_RESUME_CONTINUE, 1, NULL);
  other = final_of (&fixture);
  g_assert_cmpstr (other, !=, final);
  go_on (&fixture, SONDE_RESUME_UNTIL, 1, "step:3");
  go_on (&fixture, SONDE_RESUME_STEP, 5, NULL);
  later_again = describe (&fixture);
  g_assert_cmpstr (later_again, ==, later);
  go_on (&fixture, SONDE_RESUME_UNTIL, 1, "step:2"); /* before it was set */
  early_again = describe (&fixture);
  g_assert_cmpstr (early_again, ==, early);
  g_assert_false (go_on (&fixture, SONDE_RESUME_CONTINUE, 1, NULL));
  last = final_of (&fixture);
  g_assert_cmpstr (last, ==, final);
  fixture_clear (&fixture);
}

/* A training whose memory is used again: back in its step, and to earlier ones. */
static void
test_planned (void)
{
  g_autofree char *final = NULL;
  guint n_scalars;
  g_autoptr (GPtrArray) places = list_places (&cases[0], &final, &n_scalars);
  Fixture fixture;

  fixture_init (&fixture, &cases[0], SONDE_MEMORY_PLAN);
  go_on (&fixture, SONDE_RESUME_STEP, 20, NULL);
  g_assert_cmpint (go_back (&fixture, SONDE_BACK_STEPS, 7), ==, SONDE_STOP_STEP);
  go_on (&fixture, SONDE_RESUME_UNTIL, 1, "step:4");
  g_assert_cmpint (go_back (&fixture, SONDE_BACK_STEPS, 9), ==, SONDE_STOP_STEP);
  g_assert_cmpint (go_back (&fixture, SONDE_BACK_STEPS, 30), ==, SONDE_STOP_STEP);
  g_assert_false (go_on (&fixture, SONDE_RESUME_CONTINUE, 1, NULL));
  assert_final (&fixture, final);
  fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/worker/training-back/walk/", cases[i].name, NULL);

      g_test_add_data_func (path, &cases[i], test_walk);
    }
  g_test_add_func ("/worker/training-back/origin", test_origin);
  g_test_add_func ("/worker/training-back/reverse", test_reverse);
  g_test_add_func ("/worker/training-back/batch", test_batch);
  g_test_add_func ("/worker/training-back/planned", test_planned);
  g_test_add_func ("/worker/training-back/edits", test_edits);
  return g_test_run ();
}
