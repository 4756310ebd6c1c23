/* SPDX-License-Identifier: Apache-2.0
 * What a hook said that could not do what it was asked for. */
#include "collector/live/sonde-program-private.h"

void
sonde_program_set_problem (SondeProgram *program, const char *problem)
{
  g_free (program->problem);
  program->problem = g_utf8_make_valid (problem, -1);
}

void
sonde_live_program_take_problem (SondeProgram *program, int answer, const char *name,
                                 GError **error)
{
  static const int codes[] = { [SONDE_PROGRAM_UNKNOWN] = SONDE_ENGINE_ERROR_NOT_FOUND,
                               [SONDE_PROGRAM_ABSENT] = SONDE_ENGINE_ERROR_STATE,
                               [SONDE_PROGRAM_UNABLE] = SONDE_ENGINE_ERROR_UNSUPPORTED };
  int code = answer > 0 && answer < (int) G_N_ELEMENTS (codes) ? codes[answer]
                                                               : SONDE_ENGINE_ERROR_UNSUPPORTED;
  g_autofree char *problem = g_steal_pointer (&program->problem);

  if (problem != NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, code, "%s", problem);
  else if (code == SONDE_ENGINE_ERROR_NOT_FOUND)
    sonde_set_error (error, SONDE_ENGINE_ERROR, code, "There is no value “%s”.", name);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, code, "“%s” cannot be had now.", name);
}
