/* SPDX-License-Identifier: Apache-2.0
 * What becomes of a training whose loss or gradients are not finite: it ends, is counted, or goes
 * back. */
#include "engine/nn/sonde-trainer-private.h"

#include <math.h>

#define MOST_ROLL_BACKS 10

/* The first parameter, in the order of the graph, that is not finite any more. (nullable) */
static const char *
find_not_finite (SondeTrainer *trainer)
{
  GPtrArray *parameters = trainer->current->training->parameters;

  for (guint i = 0; i < parameters->len; i++)
    {
      SondeGraphValue *parameter = g_ptr_array_index (parameters, i);
      SondeStatistics statistics;

      if (sonde_execution_read_statistics (trainer->current->execution, parameter, &statistics,
                                           NULL)
          && statistics.nan + statistics.pos_inf + statistics.neg_inf > 0)
        return parameter->name;
    }
  return NULL;
}

static gboolean
roll_back (SondeTrainer *trainer, GError **error)
{
  SondeTrainerListener *listener = trainer->listener;
  guint64 from = trainer->state.step;
  guint64 n = trainer->state.n_rolled_back + 1, n_not_finite = trainer->state.n_not_finite;
  double factor = trainer->rate_factor * 0.5;

  if (n > MOST_ROLL_BACKS)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "The training was rolled back %d times, and its loss or gradients are still "
                       "not finite after step %" PRIu64 ".",
                       MOST_ROLL_BACKS, from);
      return FALSE;
    }
  if (listener == NULL || listener->roll_back == NULL
      || !listener->roll_back (listener, trainer, error))
    {
      if (error != NULL && *error == NULL)
        sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                         "The loss or the gradients are not finite after step %" PRIu64
                         ", and there is no earlier state to go back to.",
                         from);
      return FALSE;
    }
  /* What was brought back knows nothing of this time. */
  trainer->state.n_rolled_back = n;
  trainer->state.n_not_finite = n_not_finite;
  trainer->rate_factor = factor;
  return TRUE;
}

/* @parameter: (nullable): the first one that is not finite */
static void
describe (const SondeTrainerState *state, const char *parameter, GError **error)
{
  if (isfinite (state->loss) && parameter != NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                     "The gradients are not finite (loss %g, gradient norm %g); the first "
                     "parameter it reached is “%s”. A smaller learning rate or clipping may help; "
                     "the debugger finds where it began.",
                     state->loss, state->gradient_norm, parameter);
  else if (isfinite (state->loss))
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                     "The gradients are not finite (loss %g, gradient norm %g). A smaller learning "
                     "rate or clipping may help; the debugger finds where it began.",
                     state->loss, state->gradient_norm);
  else if (parameter != NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                     "The loss is not finite (loss %g, gradient norm %g); the first parameter it "
                     "reached is “%s”. A smaller learning rate or clipping may help; the debugger "
                     "finds where it began.",
                     state->loss, state->gradient_norm, parameter);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                     "The loss is not finite (loss %g, gradient norm %g). A smaller learning rate "
                     "or clipping may help; the debugger finds where it began.",
                     state->loss, state->gradient_norm);
}

gboolean
sonde_trainer_meet_not_finite (SondeTrainer *trainer, GError **error)
{
  SondeTrainerState *state = &trainer->state;

  state->n_not_finite++;
  if (trainer->options.on_nan == SONDE_NAN_WARN)
    return TRUE;
  if (trainer->options.on_nan == SONDE_NAN_ROLL_BACK)
    return roll_back (trainer, error);
  describe (state, find_not_finite (trainer), error);
  return FALSE;
}
