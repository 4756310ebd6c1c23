/* SPDX-License-Identifier: Apache-2.0
 * Letting the run go on. */
#include "engine/debug/sonde-debugger-private.h"

/* Stands inside the present step: nothing runs. */
static void
stand_inside (SondeDebugger *debugger, const SondeInside *inside)
{
  sonde_debugger_forget_stop (debugger);
  if (inside->entered == NULL)
    {
      sonde_debugger_look_at_node (debugger, inside->execution, inside->position, inside->node);
      return;
    }
  sonde_debugger_set_stop (debugger, inside->execution, inside->position, SONDE_MOMENT_BEFORE, NULL,
                           SONDE_STOP_STEP);
  debugger->record.entered = inside->entered;
}

gboolean
sonde_debugger_resume (SondeDebugger *debugger, const SondeResume *asked, GError **error)
{
  SondeResume resume = *asked;
  SondeInside inside;
  guint64 behind;

  if (sonde_debugger_get_execution (debugger) == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "Nothing is open to run.");
      return FALSE;
    }
  resume.count = MAX (resume.count, 1);
  if (resume.kind == SONDE_RESUME_UNTIL && g_strcmp0 (resume.target, "end") == 0)
    resume.kind = SONDE_RESUME_OUT;
  if (sonde_stepper_go_inside (&debugger->stepper, &resume, &inside))
    {
      stand_inside (debugger, &inside);
      return TRUE;
    }
  sonde_travel_forget (&debugger->travel);
  if (!sonde_stepper_start (&debugger->stepper, &resume, &behind, error))
    return FALSE;
  if (behind > 0) /* until a step that has been */
    {
      const SondeBack back = { .kind = SONDE_BACK_RUN, .count = behind };

      return sonde_debugger_go_back (debugger, &back, error);
    }
  sonde_stop_record_leave (&debugger->record);
  sonde_debugger_forget_stop (debugger);
  sonde_subject_refresh (&debugger->subject);
  return TRUE;
}
