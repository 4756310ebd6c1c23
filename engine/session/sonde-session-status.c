/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/session/sonde-session-status.h"

const char *
sonde_session_state_name (SondeSessionState state)
{
  static const char *const names[] = {
    [SONDE_SESSION_EMPTY] = "empty",   [SONDE_SESSION_LOADING] = "loading",
    [SONDE_SESSION_READY] = "ready",   [SONDE_SESSION_RUNNING] = "running",
    [SONDE_SESSION_PAUSED] = "paused", [SONDE_SESSION_ENDED] = "ended",
  };

  return (guint) state < G_N_ELEMENTS (names) ? names[state] : "unknown";
}

const char *
sonde_activity_kind_name (SondeActivityKind kind)
{
  static const char *const names[] = {
    [SONDE_ACTIVITY_INFERENCE] = "inference",
    [SONDE_ACTIVITY_TRAINING] = "training",
    [SONDE_ACTIVITY_DUMP] = "dump",
    [SONDE_ACTIVITY_PYTORCH] = "pytorch",
  };

  return (guint) kind < G_N_ELEMENTS (names) ? names[kind] : "unknown";
}

gboolean
sonde_activity_kind_has_steps (SondeActivityKind kind)
{
  return kind == SONDE_ACTIVITY_TRAINING || kind == SONDE_ACTIVITY_PYTORCH;
}

const char *
sonde_session_result_name (SondeSessionResult result)
{
  static const char *const names[] = {
    [SONDE_SESSION_DONE] = "done",
    [SONDE_SESSION_STOPPED] = "stopped",
    [SONDE_SESSION_FAILED] = "failed",
  };

  return (guint) result < G_N_ELEMENTS (names) ? names[result] : "unknown";
}

SondeSessionStatus *
sonde_session_status_copy (const SondeSessionStatus *status)
{
  SondeSessionStatus *copy = g_memdup2 (status, sizeof *status);

  sonde_stop_copy_into (&status->stop, &copy->stop);
  copy->end.message = sonde_message_copy (status->end.message);
  copy->facts.title = g_strdup (status->facts.title);
  copy->facts.run_directory = g_strdup (status->facts.run_directory);
  return copy;
}

void
sonde_session_status_free (SondeSessionStatus *status)
{
  if (status == NULL)
    return;
  sonde_stop_clear (&status->stop);
  sonde_message_free (status->end.message);
  g_free (status->facts.title);
  g_free (status->facts.run_directory);
  g_free (status);
}
