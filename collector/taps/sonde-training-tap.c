/* SPDX-License-Identifier: Apache-2.0
 * Observer of a training. Scalars cost a copy into the writer's queue; histograms are made on the
 * trainer's thread from values that are in its caches, and only at the steps of the policy. */
#include "collector/taps/sonde-training-tap.h"

#include <math.h>

#define DEFAULT_MAX_IMAGES 8

/* @recording: histograms and images of the step that runs are wanted
 * @quiet: steps up to it are not recorded
 * @seen_step, @seen_position: plan steps of that training step that were recorded, so that going
 *   back in it does not record them again; @seen_recording: whether it was wanted */
struct _SondeTrainingTap
{
  SondeObserver observer;
  SondeTrainer *trainer;
  SondeSummaryWriter *writer;
  SondeTrainingTapOptions options;
  SondePolicy policy;
  gboolean recording;
  gint64 quiet, seen_step;
  guint seen_position;
  gboolean seen_recording;
};

/* ---- histograms ---------------------------------------------------------- */

static void
add_histogram (SondeTrainingTap *tap, const char *prefix, SondeGraphValue *named,
               SondeGraphValue *value, gint64 step)
{
  g_autofree char *tag = g_strconcat (prefix, "/", named->name, NULL);
  g_autoptr (SondeTensor) tensor
      = sonde_execution_read (sonde_trainer_get_execution (tap->trainer), value, NULL);
  SondeHistogram histogram;

  /* What cannot be read now is no reason to stop a training. */
  if (tensor == NULL)
    return;
  sonde_histogram_init (&histogram);
  sonde_histogram_add (&histogram, tensor);
  sonde_summary_writer_add_histogram (tap->writer, tag, step, &histogram);
}

static void
add_weights (SondeTrainingTap *tap, gint64 step)
{
  GPtrArray *parameters = sonde_trainer_get_parameters (tap->trainer);

  for (guint i = 0; i < parameters->len; i++)
    {
      SondeGraphValue *parameter = g_ptr_array_index (parameters, i);

      add_histogram (tap, "weights", parameter, parameter, step);
    }
}

/* ---- the observer -------------------------------------------------------- */

static SondeTrainingTap *
tap_of (SondeObserver *observer)
{
  return (SondeTrainingTap *) (void *) observer;
}

/* A gradient is alive right before the step that uses it up. */
static guint
tap_wants (SondeObserver *observer, SondeExecution *execution, guint step)
{
  const SondeTrainingTap *tap = tap_of (observer);
  const SondeStep *info = sonde_plan_get_step (sonde_execution_get_plan (execution), step);

  if (!tap->options.histograms || tap->options.every == 0 || info->phase != SONDE_PHASE_OPTIMISER)
    return SONDE_WANT_NOTHING;
  for (guint i = 0; i < info->n_inputs; i++)
    if (info->inputs[i] != NULL && info->inputs[i]->role == SONDE_ROLE_PARAMETER)
      return SONDE_WANT_BEFORE;
  return SONDE_WANT_NOTHING;
}

static SondeAnswer
tap_before (SondeObserver *observer, SondeExecution *execution, guint step)
{
  SondeTrainingTap *tap = tap_of (observer);
  const SondeStep *info;

  if (!tap->recording || step < tap->seen_position)
    return SONDE_ANSWER_CONTINUE;
  tap->seen_position = step + 1;
  info = sonde_plan_get_step (sonde_execution_get_plan (execution), step);
  for (guint i = 0; i < info->n_inputs; i++)
    {
      SondeGraphValue *parameter = info->inputs[i];
      SondeGraphValue *gradient = NULL;

      if (parameter != NULL && parameter->role == SONDE_ROLE_PARAMETER)
        gradient = sonde_trainer_get_gradient (tap->trainer, parameter);
      if (gradient != NULL)
        add_histogram (tap, "gradients", parameter, gradient,
                       (gint64) sonde_trainer_get_state (tap->trainer)->step + 1);
    }
  return SONDE_ANSWER_CONTINUE;
}

static SondeAnswer
tap_run_begins (SondeObserver *observer, SondeExecution *execution)
{
  SondeTrainingTap *tap = tap_of (observer);
  gint64 step = (gint64) sonde_trainer_get_state (tap->trainer)->step + 1;
  gboolean wanted = tap->options.histograms || tap->options.images;

  if (step <= tap->quiet)
    {
      tap->recording = FALSE;
      return SONDE_ANSWER_CONTINUE;
    }
  if (step == tap->seen_step) /* begun before, and gone back from; or another batch of it */
    {
      tap->recording
          = tap->seen_recording
            || (wanted && sonde_policy_wants (&tap->policy, step, sonde_clock_monotonic_ns (NULL)));
      tap->seen_recording = tap->recording;
      return SONDE_ANSWER_CONTINUE;
    }
  tap->recording
      = wanted && sonde_policy_wants (&tap->policy, step, sonde_clock_monotonic_ns (NULL));
  tap->seen_step = step;
  tap->seen_position = 0;
  tap->seen_recording = tap->recording;
  return SONDE_ANSWER_CONTINUE;
}

/* ---- sample images ------------------------------------------------------- */

/* Softmax over one row of logits, in double. */
static double
probability (SondeTensor *logits, gint64 row, gint64 class)
{
  const gint64 n = logits->shape.dims[1];
  double largest = -INFINITY, sum = 0;

  for (gint64 i = 0; i < n; i++)
    largest = fmax (largest, sonde_tensor_get_double (logits, row * n + i));
  for (gint64 i = 0; i < n; i++)
    sum += exp (sonde_tensor_get_double (logits, row * n + i) - largest);
  return exp (sonde_tensor_get_double (logits, row * n + class) - largest) / sum;
}

/* The first of the largest logits. */
static int
best_class (SondeTensor *logits, gint64 row)
{
  const gint64 n = logits->shape.dims[1];
  int best = 0;

  for (gint64 i = 1; i < n; i++)
    if (sonde_tensor_get_double (logits, row * n + i)
        > sonde_tensor_get_double (logits, row * n + best))
      best = (int) i;
  return best;
}

static char *
name_of_class (const SondeTrainingTap *tap, int class)
{
  const char *const *names = tap->options.class_names;

  return names != NULL && class >= 0 && class < (int) g_strv_length ((char **) names)
             ? g_strdup (names[class])
             : NULL;
}

static void
fill_prediction (const SondeTrainingTap *tap, SondeSampleNote *note, SondeTensor *logits,
                 gint64 row)
{
  note->predicted = -1;
  note->label_probability = note->predicted_probability = NAN;
  if (logits != NULL && logits->shape.rank == 2 && row < logits->shape.dims[0]
      && logits->shape.dims[1] > 0)
    {
      note->predicted = best_class (logits, row);
      note->predicted_probability = probability (logits, row, note->predicted);
      if (note->label >= 0 && note->label < logits->shape.dims[1])
        note->label_probability = probability (logits, row, note->label);
    }
  if (note->label_name == NULL)
    note->label_name = name_of_class (tap, note->label);
  if (note->predicted_name == NULL)
    note->predicted_name = name_of_class (tap, note->predicted);
}

static void
clear_note (SondeSampleNote *note)
{
  g_free (note->sample);
  g_free (note->label_name);
  g_free (note->predicted_name);
}

static void
add_images (SondeTrainingTap *tap, gint64 step)
{
  SondeTapSamples *samples = tap->options.samples;
  guint n = tap->options.max_images > 0 ? tap->options.max_images : DEFAULT_MAX_IMAGES;
  g_autoptr (SondeTensor) logits = NULL;

  logits = sonde_execution_read (sonde_trainer_get_execution (tap->trainer),
                                 sonde_trainer_get_logits (tap->trainer), NULL);
  for (guint i = 0; i < n; i++)
    {
      SondeSampleNote note = { .label = -1, .predicted = -1 };
      g_autoptr (SondeImage) image = NULL;

      if (!samples->get (samples, i, &image, &note))
        break;
      fill_prediction (tap, &note, logits, i);
      sonde_summary_writer_add_image (tap->writer, "samples", step, (int) i, image, &note);
      clear_note (&note);
    }
}

void
sonde_training_tap_set_quiet (SondeTrainingTap *tap, guint64 step)
{
  tap->quiet = (gint64) MIN (step, (guint64) G_MAXINT64);
}

/* ---- around steps -------------------------------------------------------- */

void
sonde_training_tap_step_done (SondeTrainingTap *tap)
{
  const gint64 step = (gint64) sonde_trainer_get_state (tap->trainer)->step;
  guint n_steps;
  const SondeStepScalars *steps = sonde_trainer_get_finished (tap->trainer, &n_steps);

  for (guint i = 0; i < n_steps; i++)
    {
      const SondeScalar scalars[4] = {
        { "loss", steps[i].loss },
        { "learning-rate", steps[i].learning_rate },
        { "gradient-norm", steps[i].gradient_norm },
        { "accuracy", steps[i].accuracy },
      };

      /* A loss that is NaN is a finding; an accuracy that is NaN does not exist: there are no
       * classes. */
      sonde_summary_writer_add_scalars (tap->writer, (gint64) steps[i].step, scalars,
                                        isnan (steps[i].accuracy) ? 3 : 4);
    }
  tap->seen_step = 0;
  if (!tap->recording)
    return;
  tap->recording = FALSE;
  if (tap->options.histograms)
    add_weights (tap, step);
  if (tap->options.images && tap->options.samples != NULL)
    add_images (tap, step);
}

void
sonde_training_tap_evaluated (SondeTrainingTap *tap)
{
  const SondeTrainerState *state = sonde_trainer_get_state (tap->trainer);
  g_autoptr (GPtrArray) tags = g_ptr_array_new_with_free_func (g_free);
  g_autofree SondeScalar *scalars = g_new (SondeScalar, 2 + state->n_metrics);
  gsize n = 0;

  scalars[n++] = (SondeScalar){ "test/loss", state->test_loss };
  if (!isnan (state->test_accuracy))
    scalars[n++] = (SondeScalar){ "test/accuracy", state->test_accuracy };
  for (guint i = 0; i < state->n_metrics; i++)
    {
      const char *name = sonde_trainer_get_metric_name (tap->trainer, i);

      /* A table has no number; accuracy is there already. */
      if (isnan (state->metrics[i]) || g_str_equal (name, "accuracy"))
        continue;
      g_ptr_array_add (tags, g_strconcat ("test/", name, NULL));
      scalars[n++] = (SondeScalar){ g_ptr_array_index (tags, tags->len - 1), state->metrics[i] };
    }
  sonde_summary_writer_add_scalars (tap->writer, (gint64) state->step, scalars, n);
}

/* ---- object -------------------------------------------------------------- */

SondeTrainingTap *
sonde_training_tap_new (SondeTrainer *trainer, SondeSummaryWriter *writer,
                        const SondeTrainingTapOptions *options)
{
  SondeTrainingTap *tap = g_new0 (SondeTrainingTap, 1);

  tap->observer = (SondeObserver){
    .wants = tap_wants, .before = tap_before, .run_begins = tap_run_begins, .without_old = TRUE
  };
  tap->trainer = trainer;
  tap->writer = writer;
  tap->options = *options;
  sonde_policy_init (&tap->policy, (gint64) MIN (options->every, (guint64) G_MAXINT64),
                     options->per_second);
  sonde_trainer_add_observer (trainer, &tap->observer);
  return tap;
}

void
sonde_training_tap_free (SondeTrainingTap *tap)
{
  if (tap == NULL)
    return;
  sonde_trainer_remove_observer (tap->trainer, &tap->observer);
  g_free (tap);
}
