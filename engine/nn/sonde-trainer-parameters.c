/* SPDX-License-Identifier: Apache-2.0
 * Parameters and states of a training by name, and what else a resumed run needs. */
#include "engine/nn/sonde-trainer-instance-private.h"
#include "engine/nn/sonde-trainer-progress-private.h"

#include <math.h>
#include <string.h>

/* A parameter or a state by name. */
static SondeGraphValue *
find_variable (SondeTrainer *trainer, const char *name, GError **error)
{
  SondeGraphValue *value = sonde_graph_find_value (sonde_trainer_get_graph (trainer), name);

  if (value != NULL && (value->role == SONDE_ROLE_PARAMETER || value->role == SONDE_ROLE_STATE))
    return value;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                   "The model has no parameter or state “%s”.", name);
  return NULL;
}

static void
add_names (GPtrArray *names, const GPtrArray *values)
{
  for (guint i = 0; i < values->len; i++)
    g_ptr_array_add (names, g_strdup (((SondeGraphValue *) g_ptr_array_index (values, i))->name));
}

char **
sonde_trainer_list_parameters (SondeTrainer *trainer, gboolean with_state)
{
  SondeTrainingGraph *training = sonde_trainer_get_instance (trainer)->training;
  GPtrArray *names = g_ptr_array_new ();

  add_names (names, training->parameters);
  add_names (names, training->frozen);
  for (guint i = 0; with_state && i < training->graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (training->graph->values, i);

      if (value != NULL && value->role == SONDE_ROLE_STATE)
        g_ptr_array_add (names, g_strdup (value->name));
    }
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (names, FALSE);
}

SondeTensor *
sonde_trainer_read_parameter (SondeTrainer *trainer, const char *name, GError **error)
{
  SondeGraphValue *value = find_variable (trainer, name, error);

  return value != NULL ? sonde_execution_read (sonde_trainer_get_execution (trainer), value, error)
                       : NULL;
}

SondeTensor *
sonde_trainer_read_average (SondeTrainer *trainer, const char *name, GError **error)
{
  g_autofree char *average = g_strdup_printf ("state(%s, average)", name);
  SondeGraphValue *value = sonde_graph_find_value (sonde_trainer_get_graph (trainer), average);

  return sonde_trainer_read_parameter (trainer, value != NULL ? average : name, error);
}

gboolean
sonde_trainer_write_parameter (SondeTrainer *trainer, const char *name, SondeTensor *tensor,
                               GError **error)
{
  SondeGraphValue *value = find_variable (trainer, name, error);

  return value != NULL
         && sonde_execution_write (sonde_trainer_get_execution (trainer), value, tensor, error);
}

SondeGraphValue *
sonde_trainer_get_logits (SondeTrainer *trainer)
{
  return sonde_trainer_get_instance (trainer)->training->logits;
}

GPtrArray *
sonde_trainer_get_parameters (SondeTrainer *trainer)
{
  return sonde_trainer_get_instance (trainer)->training->parameters;
}

SondeGraphValue *
sonde_trainer_get_gradient (SondeTrainer *trainer, SondeGraphValue *parameter)
{
  SondeTrainingGraph *training = sonde_trainer_get_instance (trainer)->training;
  guint index;

  return g_ptr_array_find (training->parameters, parameter, &index)
             ? g_ptr_array_index (training->gradients, index)
             : NULL;
}

/* ---- progress ------------------------------------------------------------ */

/* Numbers of the vector, in this order, then the schedule's state. */
typedef struct
{
  double version, step, samples, rate_factor, n_not_finite, n_rolled_back, stopped_early, best,
      n_worse;
  double evaluated, test_loss, test_accuracy; /* after this step */
} Progress;

#define PROGRESS_VERSION 2.0
#define N_PROGRESS (sizeof (Progress) / sizeof (double))

SondeTensor *
sonde_trainer_dup_progress (SondeTrainer *trainer)
{
  const SondeTrainerProgress *now = sonde_trainer_get_progress (trainer);
  const SondeTrainerState *state = &now->state;
  g_autoptr (SondeTensor) schedule = sonde_schedule_dup_state (now->schedule);
  Progress progress = {
    .version = PROGRESS_VERSION,
    .step = (double) state->step,
    .samples = (double) state->samples,
    .rate_factor = now->rate_factor,
    .n_not_finite = (double) state->n_not_finite,
    .n_rolled_back = (double) state->n_rolled_back,
    .stopped_early = state->stopped_early,
    .best = now->early_stop.best,
    .n_worse = (double) now->early_stop.n_worse,
    .evaluated = now->evaluated_at == state->step,
    .test_loss = state->test_loss,
    .test_accuracy = state->test_accuracy,
  };
  gint64 n_schedule = sonde_tensor_n_elements (schedule);
  SondeShape shape = sonde_shape_make (1, (int) (N_PROGRESS + (gsize) n_schedule));
  SondeTensor *tensor = sonde_tensor_new (SONDE_DTYPE_F64, &shape);

  memcpy (tensor->data, &progress, sizeof progress);
  memcpy ((double *) (void *) tensor->data + N_PROGRESS, schedule->data,
          (gsize) n_schedule * sizeof (double));
  return tensor;
}

static guint64
count_of (double number)
{
  return number > 0 && number < 0x1p53 ? (guint64) number : 0;
}

gboolean
sonde_trainer_set_progress (SondeTrainer *trainer, SondeTensor *tensor, GError **error)
{
  SondeTrainerProgress *now = sonde_trainer_get_progress (trainer);
  g_autoptr (SondeTensor) mine = sonde_schedule_dup_state (now->schedule);
  g_autoptr (SondeTensor) schedule = NULL;
  gint64 n_schedule = sonde_tensor_n_elements (mine);
  SondeShape shape = sonde_shape_make (1, (int) n_schedule);
  SondeTrainerState *state = &now->state;
  Progress progress;

  if (tensor->dtype != SONDE_DTYPE_F64
      || sonde_tensor_n_elements (tensor) != (gint64) N_PROGRESS + n_schedule
      || sonde_tensor_get_double (tensor, 0) != PROGRESS_VERSION)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                       "This is not the progress of a training: it has %" PRIi64
                       " numbers instead of %" PRIi64 ", or is of another version.",
                       sonde_tensor_n_elements (tensor), (gint64) N_PROGRESS + n_schedule);
      return FALSE;
    }
  for (gsize i = 0; i < N_PROGRESS; i++)
    ((double *) &progress)[i] = sonde_tensor_get_double (tensor, (gint64) i);
  schedule = sonde_tensor_new (SONDE_DTYPE_F64, &shape);
  for (gint64 i = 0; i < n_schedule; i++)
    sonde_tensor_set_double (schedule, i,
                             sonde_tensor_get_double (tensor, (gint64) N_PROGRESS + i));
  if (!sonde_schedule_set_state (now->schedule, schedule, error))
    return FALSE;
  sonde_trainer_seek (trainer, count_of (progress.step));
  state->samples = count_of (progress.samples);
  state->n_not_finite = count_of (progress.n_not_finite);
  state->n_rolled_back = count_of (progress.n_rolled_back);
  state->stopped_early = progress.stopped_early != 0.0;
  now->rate_factor = progress.rate_factor > 0.0 ? progress.rate_factor : 1.0;
  now->early_stop.best = progress.best;
  now->early_stop.n_worse = count_of (progress.n_worse);
  now->evaluated_at = progress.evaluated != 0.0 ? state->step : G_MAXUINT64;
  state->test_loss = progress.test_loss;
  state->test_accuracy = progress.test_accuracy;
  return TRUE;
}
