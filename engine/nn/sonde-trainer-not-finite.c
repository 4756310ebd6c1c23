/* SPDX-License-Identifier: Apache-2.0
 * A training whose loss or gradients are not finite: how it goes back, or the error that ends it. */
#include "engine/nn/sonde-trainer-instance-private.h"
#include "engine/nn/sonde-trainer-progress-private.h"

#include <math.h>

#define MOST_ROLL_BACKS 10

/* The first parameter, in the order of the graph, that is not finite any more. (nullable) */
static const char *
find_not_finite (const SondeTrainerInstance *instance)
{
  GPtrArray *parameters = instance->training->parameters;

  for (guint i = 0; i < parameters->len; i++)
    {
      SondeGraphValue *parameter = g_ptr_array_index (parameters, i);
      SondeStatistics statistics;

      if (sonde_execution_read_statistics (instance->execution, parameter, &statistics, NULL)
          && statistics.nan + statistics.pos_inf + statistics.neg_inf > 0)
        return parameter->name;
    }
  return NULL;
}

gboolean
sonde_trainer_roll_back (SondeTrainer *trainer, SondeTrainerProgress *progress,
                         SondeTrainerListener *listener, GError **error)
{
  guint64 from = progress->state.step;
  guint64 n = progress->state.n_rolled_back + 1, n_not_finite = progress->state.n_not_finite;
  double factor = progress->rate_factor * 0.5;

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
  progress->state.n_rolled_back = n;
  progress->state.n_not_finite = n_not_finite;
  progress->rate_factor = factor;
  return TRUE;
}

void
sonde_trainer_set_not_finite_error (const SondeTrainerInstance *instance,
                                    const SondeTrainerState *state, GError **error)
{
  const char *parameter = find_not_finite (instance);

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
