/* SPDX-License-Identifier: Apache-2.0
 * The engine's debugger as what a server debugs. */
#include "engine/session/activity/sonde-activity-session.h"

SondeExecution *
sonde_serve_pick_frame (SondeSessionServer *server, guint32 frame, GError **error)
{
  SondeDebugger *debugger = sonde_activity_session_of (server)->debugger;
  SondeExecution *execution;

  if (frame == 0)
    return sonde_debugger_get_execution (debugger);
  if (frame == G_MAXUINT32)
    return sonde_debugger_get_selected_execution (debugger);
  execution = sonde_debugger_get_frame_execution (debugger, frame - 1);
  if (execution == NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "There is no frame %u; info stack lists those that there are.", frame - 1);
  return execution;
}

/* ---- the debugger as a target -------------------------------------------- */

typedef struct
{
  SondeLiveTarget base; /* first member */
  SondeActivitySession *session;
} ActivityTarget;

static SondeActivitySession *
session_of (SondeLiveTarget *target)
{
  return ((ActivityTarget *) target)->session;
}

static SondeDebugger *
debugger_of (SondeLiveTarget *target)
{
  return session_of (target)->debugger;
}

static void
interrupt (SondeLiveTarget *target)
{
  SondeActivitySession *session = session_of (target);

  session->activity->klass->interrupt (session->activity);
  sonde_debugger_interrupt (session->debugger);
}

static void
get_stop (SondeLiveTarget *target, SondeStop *stop)
{
  sonde_debugger_get_stop (debugger_of (target), stop);
}

static GPtrArray *
get_frames (SondeLiveTarget *target)
{
  SondeActivity *activity = session_of (target)->activity;
  GPtrArray *frames = sonde_debugger_get_frames (debugger_of (target));
  const SondeFrame *innermost = frames->len > 0 ? g_ptr_array_index (frames, 0) : NULL;

  if (innermost != NULL && activity->klass->list_callers != NULL)
    g_ptr_array_extend_and_steal (frames, activity->klass->list_callers (activity, innermost->at));
  return frames;
}

static guint
get_selected (SondeLiveTarget *target)
{
  return sonde_debugger_get_selected (debugger_of (target));
}

static gboolean
select_frame (SondeLiveTarget *target, guint level, GError **error)
{
  return sonde_debugger_select_frame (debugger_of (target), level, error);
}

static gboolean
resume (SondeLiveTarget *target, const SondeResume *how, GError **error)
{
  return sonde_debugger_resume (debugger_of (target), how, error);
}

static void
stop_here (SondeLiveTarget *target)
{
  sonde_debugger_stop_here (debugger_of (target));
}

static gboolean
has_stopped (SondeLiveTarget *target)
{
  return sonde_debugger_has_stopped (debugger_of (target));
}

static const SondeBreakpoint *
add_breakpoint (SondeLiveTarget *target, const SondeBreakpointSpec *spec, GError **error)
{
  return sonde_debugger_add_breakpoint (debugger_of (target), spec, error);
}

static GPtrArray *
get_breakpoints (SondeLiveTarget *target)
{
  return sonde_debugger_get_breakpoints (debugger_of (target));
}

static gboolean
remove_stop (SondeLiveTarget *target, guint id, GError **error)
{
  return sonde_debugger_remove_breakpoint (debugger_of (target), id, error);
}

static gboolean
enable (SondeLiveTarget *target, guint id, gboolean enabled, GError **error)
{
  return sonde_debugger_enable_breakpoint (debugger_of (target), id, enabled, error);
}

static gboolean
ignore (SondeLiveTarget *target, guint id, guint64 count, GError **error)
{
  return sonde_debugger_ignore_breakpoint (debugger_of (target), id, count, error);
}

static GPtrArray *
add_watches (SondeLiveTarget *target, const char *text, GError **error)
{
  return sonde_debugger_add_watches (debugger_of (target), text, error);
}

static GPtrArray *
get_watches (SondeLiveTarget *target)
{
  return sonde_debugger_get_watches (debugger_of (target));
}

static GPtrArray *
get_watch_hits (SondeLiveTarget *target, guint id)
{
  return sonde_debugger_get_watch_hits (debugger_of (target), id);
}

static GPtrArray *
recheck (SondeLiveTarget *target, guint64 step, gboolean may_go, GError **error)
{
  SondeActivitySession *session = session_of (target);

  /* what was set by hand would be lost by reverse execution */
  if (may_go && sonde_changes_get_edits (session->changes)->len == 0)
    return sonde_debugger_recheck_again (session->debugger, step, error);
  return sonde_debugger_recheck (session->debugger, step, error);
}

static const SondeLiveTargetClass target_class = {
  .interrupt = interrupt,
  .get_stop = get_stop,
  .get_frames = get_frames,
  .get_selected = get_selected,
  .select_frame = select_frame,
  .resume = resume,
  .stop_here = stop_here,
  .has_stopped = has_stopped,
  .add_breakpoint = add_breakpoint,
  .get_breakpoints = get_breakpoints,
  .remove = remove_stop,
  .enable = enable,
  .ignore = ignore,
  .add_watches = add_watches,
  .get_watches = get_watches,
  .get_watch_hits = get_watch_hits,
  .recheck = recheck,
};

SondeLiveTarget *
sonde_activity_target_new (SondeActivitySession *session)
{
  ActivityTarget *target = g_new0 (ActivityTarget, 1);

  target->base.klass = &target_class;
  target->session = session;
  return &target->base;
}
