/* SPDX-License-Identifier: Apache-2.0
 * What a training leaves in its record file, compared with what the trainer says itself. */
#include "collector/taps/sonde-training-tap.h"

#include <math.h>
#include <string.h>

#include "engine/nn/sonde-zoo.h"
#include "tests/collector/writer/run-folder.h"

#define N_SAMPLES 50 /* 3 batches of 16 and one of 2: two plans */
#define BATCH 16
#define N_STEPS 12
#define CLASSES 3

/* Pictures of 4×4 whose brightness tells the class. */
typedef struct
{
  SondeBatchSource base;
} Source;

static gint64
class_of (guint sample)
{
  return (sample * 7) % CLASSES;
}

static gboolean
load_batch (SondeBatchSource *source, gboolean test, guint epoch, guint batch, SondeTensor **inputs,
            SondeTensor **labels, GError **error)
{
  guint first = batch * BATCH, n = MIN (BATCH, (test ? source->n_test : source->n_samples) - first);
  const SondeShape shape = sonde_shape_make (4, (int) n, 1, 4, 4);
  const SondeShape flat = sonde_shape_make (1, (int) n);

  inputs[0] = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  *labels = sonde_tensor_new (SONDE_DTYPE_I64, &flat);
  for (guint i = 0; i < n; i++)
    {
      ((gint64 *) (void *) (*labels)->data)[i] = class_of (first + i);
      for (guint k = 0; k < 16; k++)
        ((float *) (void *) inputs[0]->data)[i * 16 + k]
            = (float) class_of (first + i) - 1.0f + 0.01f * (float) ((first + i * 3 + k * 5) % 17);
    }
  return TRUE;
}

static gboolean
get_sample (SondeTapSamples *samples, guint index, SondeImage **image, SondeSampleNote *note)
{
  if (index >= 4)
    return FALSE;
  *image = sonde_image_new (4, 4, 1);
  note->sample = g_strdup_printf ("sample %u", index);
  note->label = (int) class_of (index);
  return TRUE;
}

/* The trainer's own word, step by step. */
typedef struct
{
  SondeTrainerListener base;
  SondeTrainingTap *tap;
  SondeTrainerState states[N_STEPS];
  SondeTrainerState evaluations[N_STEPS];
  guint n, n_evaluations;
  SondeHistogram weights; /* of fc1.weight after the last recorded step */
} Listener;

static SondeAnswer
step_done (SondeTrainerListener *base, SondeTrainer *trainer)
{
  Listener *listener = (Listener *) base;

  sonde_training_tap_step_done (listener->tap);
  listener->states[listener->n++] = *sonde_trainer_get_state (trainer);
  if (listener->n == 10)
    {
      g_autoptr (SondeTensor) weight = sonde_trainer_read_parameter (trainer, "fc1.weight", NULL);

      sonde_histogram_init (&listener->weights);
      sonde_histogram_add (&listener->weights, weight);
    }
  return SONDE_ANSWER_CONTINUE;
}

static void
evaluated (SondeTrainerListener *base, SondeTrainer *trainer)
{
  Listener *listener = (Listener *) base;

  sonde_training_tap_evaluated (listener->tap);
  listener->evaluations[listener->n_evaluations++] = *sonde_trainer_get_state (trainer);
}

/* Trains and returns the records; @listener keeps what the trainer said. */
static GPtrArray *
train (Listener *listener, const SondeTrainingTapOptions *options)
{
  Source source = { { .n_samples = N_SAMPLES, .n_test = 20, .load = load_batch } };
  SondeTrainerOptions training = { .loss = "cross-entropy",
                                   .optimiser = "sgd",
                                   .learning_rate = 0.05,
                                   .momentum = 0.9,
                                   .steps = N_STEPS,
                                   .batch = BATCH,
                                   .seed = 1,
                                   .threads = 1 };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) model = sonde_zoo_build ("mlp", 1, 4, 4, CLASSES, 1, &error);
  g_autoptr (SondeTrainer) trainer = NULL;
  g_autofree char *path = NULL;
  SondeSummaryWriter *writer;
  GPtrArray *records;
  RunFolder run;

  g_assert_no_error (error);
  trainer = sonde_trainer_new (model, &source.base, &training, &error);
  g_assert_no_error (error);
  run_folder_init (&run);
  writer = sonde_summary_writer_open (run.run, NULL, &error);
  g_assert_no_error (error);
  path = g_strdup (sonde_summary_writer_get_path (writer));
  *listener = (Listener){ { step_done, NULL, evaluated },
                          sonde_training_tap_new (trainer, writer, options) };
  sonde_trainer_set_listener (trainer, &listener->base);
  g_assert_cmpint (sonde_trainer_run (trainer, &error), ==, SONDE_RUN_DONE);
  g_assert_no_error (error);
  sonde_training_tap_free (listener->tap);
  g_assert_true (sonde_summary_writer_close (writer, &error));
  g_assert_no_error (error);
  records = read_records (path, NULL);
  run_folder_clear (&run);
  return records;
}

static double
find_scalar (const SondeRecord *record, const char *tag)
{
  for (gsize i = 0; i < record->u.scalars.n; i++)
    if (strcmp (record->u.scalars.items[i].tag, tag) == 0)
      return record->u.scalars.items[i].value;
  g_error ("no scalar “%s” at step %" G_GINT64_FORMAT, tag, record->step);
}

/* Every step has all its scalars in one record, with all digits. */
static void
test_scalars (void)
{
  const SondeTrainingTapOptions options = { .every = 5 };
  Listener listener;
  g_autoptr (GPtrArray) records = train (&listener, &options);
  guint n = 0, n_evaluations = 0;

  for (guint i = 0; i < records->len; i++)
    {
      const SondeRecord *record = records->pdata[i];
      const SondeTrainerState *state = &listener.states[n];

      if (record->kind != SONDE_RECORD_SCALARS)
        {
          g_assert_cmpint (record->kind, ==,
                           i + 1 < records->len ? SONDE_RECORD_SESSION : SONDE_RECORD_END);
          continue;
        }
      /* An evaluation may stand in a record of its own or behind the scalars of its step. */
      if (g_str_has_prefix (record->u.scalars.items[record->u.scalars.n - 1].tag, "test/"))
        {
          state = &listener.evaluations[n_evaluations++];
          g_assert_cmpfloat (find_scalar (record, "test/loss"), ==, state->test_loss);
          g_assert_cmpfloat (find_scalar (record, "test/accuracy"), ==, state->test_accuracy);
          g_assert_cmpint (record->step, ==, (gint64) state->step);
        }
      if (strcmp (record->u.scalars.items[0].tag, "loss") != 0)
        continue;
      state = &listener.states[n++];
      g_assert_cmpint (record->step, ==, n);
      g_assert_cmpfloat (find_scalar (record, "loss"), ==, state->loss);
      g_assert_cmpfloat (find_scalar (record, "accuracy"), ==, state->accuracy);
      g_assert_cmpfloat (find_scalar (record, "gradient-norm"), ==, state->gradient_norm);
      g_assert_cmpfloat (find_scalar (record, "learning-rate"), ==, 0.05);
    }
  g_assert_cmpuint (n, ==, N_STEPS);
  g_assert_cmpuint (n_evaluations, ==, listener.n_evaluations);
  g_assert_cmpuint (n_evaluations, >=, 3);
}

static const SondeRecord *
find_tag (GPtrArray *records, SondeRecordKind kind, const char *tag, gint64 step)
{
  for (guint i = 0; i < records->len; i++)
    {
      const SondeRecord *record = records->pdata[i];

      if (record->kind == kind && record->step == step && g_strcmp0 (record->tag, tag) == 0)
        return record;
    }
  g_error ("no “%s” at step %" G_GINT64_FORMAT, tag, step);
}

/* At the policy's steps, one of each parameter's weights and gradient; the gradients' squares are
 * the gradient norm's. Step 4, 8 and 12 are of the small batch, which has a plan of its own. */
static void
test_histograms (void)
{
  static const char *const names[]
      = { "fc1.weight", "fc1.bias", "fc2.weight", "fc2.bias", "fc3.weight", "fc3.bias" };
  const SondeTrainingTapOptions options = { .every = 2, .histograms = TRUE };
  Listener listener;
  g_autoptr (GPtrArray) records = train (&listener, &options);

  for (gint64 step = 2; step <= N_STEPS; step += 2)
    {
      double sum = 0;

      for (guint i = 0; i < G_N_ELEMENTS (names); i++)
        {
          g_autofree char *weights = g_strconcat ("weights/", names[i], NULL);
          g_autofree char *gradients = g_strconcat ("gradients/", names[i], NULL);
          const SondeHistogram *of_weights
              = find_tag (records, SONDE_RECORD_HISTOGRAM, weights, step)->u.histogram;
          const SondeHistogram *of_gradients
              = find_tag (records, SONDE_RECORD_HISTOGRAM, gradients, step)->u.histogram;

          g_assert_cmpuint (sonde_histogram_count (of_weights), ==,
                            sonde_histogram_count (of_gradients));
          sum += of_gradients->sum_squares;
        }
      g_assert_cmpfloat_with_epsilon (sqrt (sum) / listener.states[step - 1].gradient_norm, 1,
                                      1e-5);
    }
  g_assert_cmpuint (count_kind (records, SONDE_RECORD_HISTOGRAM), ==,
                    2 * G_N_ELEMENTS (names) * N_STEPS / 2);
  /* The weights are those that the step left. */
  g_assert_cmpmem (
      find_tag (records, SONDE_RECORD_HISTOGRAM, "weights/fc1.weight", 10)->u.histogram,
      sizeof (SondeHistogram), &listener.weights, sizeof (SondeHistogram));
}

static void
test_images (void)
{
  static const char *const classes[] = { "dark", "grey", "light", NULL };
  SondeTapSamples samples = { get_sample };
  const SondeTrainingTapOptions options
      = { .every = 6, .images = TRUE, .samples = &samples, .class_names = classes };
  Listener listener;
  g_autoptr (GPtrArray) records = train (&listener, &options);
  guint n = 0;

  g_assert_cmpuint (count_kind (records, SONDE_RECORD_IMAGE), ==, 8);
  g_assert_cmpuint (count_kind (records, SONDE_RECORD_HISTOGRAM), ==, 0);
  for (guint i = 0; i < records->len; i++)
    {
      const SondeRecord *record = records->pdata[i];
      const SondeSampleNote *note = &record->u.image.note;

      if (record->kind != SONDE_RECORD_IMAGE)
        continue;
      g_assert_cmpstr (record->tag, ==, "samples");
      g_assert_cmpint (record->step, ==, n < 4 ? 6 : 12);
      g_assert_cmpint (record->u.image.index, ==, n % 4);
      /* The last batch has only two pictures: what is not in it has no prediction. */
      g_assert_cmpint (note->label, ==, class_of (n % 4));
      g_assert_cmpstr (note->label_name, ==, classes[note->label]);
      if (n < 6)
        {
          g_assert_cmpint (note->predicted, >=, 0);
          g_assert_cmpstr (note->predicted_name, ==, classes[note->predicted]);
          g_assert_cmpfloat (note->predicted_probability, >=, 1.0 / CLASSES);
          g_assert_cmpfloat (note->predicted_probability, >=, note->label_probability);
          g_assert_cmpfloat (note->label_probability, >, 0);
          g_assert_true ((note->predicted == note->label)
                         == (note->predicted_probability == note->label_probability));
        }
      else
        g_assert_cmpint (note->predicted, ==, -1);
      n++;
    }
}

/* Neither histograms nor images cost anything when nobody wants them. */
static void
test_nothing_wanted (void)
{
  const SondeTrainingTapOptions options = { .every = 0, .histograms = TRUE, .images = TRUE };
  Listener listener;
  g_autoptr (GPtrArray) records = train (&listener, &options);

  g_assert_cmpuint (count_kind (records, SONDE_RECORD_HISTOGRAM), ==, 0);
  g_assert_cmpuint (count_kind (records, SONDE_RECORD_SCALARS), >=, N_STEPS);
}

/* Recording does not change the training. */
static void
test_same_training (void)
{
  const SondeTrainingTapOptions everything = { .every = 1, .histograms = TRUE };
  const SondeTrainingTapOptions nothing = { .every = 0 };
  Listener with, without;
  g_autoptr (GPtrArray) first = train (&with, &everything);
  g_autoptr (GPtrArray) second = train (&without, &nothing);

  for (guint i = 0; i < N_STEPS; i++)
    g_assert_cmpmem (&with.states[i].loss, sizeof (double), &without.states[i].loss,
                     sizeof (double));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/collector/taps/training/scalars", test_scalars);
  g_test_add_func ("/collector/taps/training/histograms", test_histograms);
  g_test_add_func ("/collector/taps/training/images", test_images);
  g_test_add_func ("/collector/taps/training/nothing-wanted", test_nothing_wanted);
  g_test_add_func ("/collector/taps/training/same-training", test_same_training);
  return g_test_run ();
}
