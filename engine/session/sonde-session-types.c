/* SPDX-License-Identifier: Apache-2.0
 * Names and ownership of the plain structs. */
#include "engine/session/sonde-session-types.h"

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
  };

  return (guint) kind < G_N_ELEMENTS (names) ? names[kind] : "unknown";
}

void
sonde_frame_info_free (SondeFrameInfo *info)
{
  g_free (info->node);
  g_free (info->op);
  g_free (info->body);
  g_free (info->at);
  g_free (info->at_op);
  g_free (info->scope);
  g_strfreev (info->originals);
  g_clear_pointer (&info->scopes, g_ptr_array_unref);
  g_free (info);
}

guint
sonde_stop_info_get_outermost (const SondeStopInfo *info)
{
  if (info->frames == NULL || info->frames->len == 0)
    return info->position;
  return ((const SondeFrameInfo *) g_ptr_array_index (info->frames, info->frames->len - 1))
      ->position;
}

static void
stop_info_clear (SondeStopInfo *info)
{
  g_clear_pointer (&info->frames, g_ptr_array_unref);
  g_free (info->node);
  g_free (info->op);
  g_free (info->scope);
  g_free (info->breakpoints);
  g_free (info->iterations);
  g_free (info->condition_error);
  g_clear_pointer (&info->watchpoints, g_ptr_array_unref);
  g_clear_pointer (&info->packed_watchpoints, g_bytes_unref);
}

static void
stop_info_copy_into (const SondeStopInfo *info, SondeStopInfo *copy)
{
  *copy = *info;
  copy->node = g_strdup (info->node);
  copy->op = g_strdup (info->op);
  copy->scope = g_strdup (info->scope);
  copy->breakpoints
      = g_memdup2 (info->breakpoints, info->n_breakpoints * sizeof *info->breakpoints);
  copy->iterations = g_memdup2 (info->iterations, info->n_iterations * sizeof *info->iterations);
  /* they do not change */
  copy->frames = info->frames != NULL ? g_ptr_array_ref (info->frames) : NULL;
  copy->condition_error = g_strdup (info->condition_error);
  copy->watchpoints = info->watchpoints != NULL ? g_ptr_array_ref (info->watchpoints) : NULL;
  copy->packed_watchpoints
      = info->packed_watchpoints != NULL ? g_bytes_ref (info->packed_watchpoints) : NULL;
}

SondeStopInfo *
sonde_stop_info_copy (const SondeStopInfo *info)
{
  SondeStopInfo *copy = g_new0 (SondeStopInfo, 1);

  stop_info_copy_into (info, copy);
  return copy;
}

void
sonde_stop_info_free (SondeStopInfo *info)
{
  if (info == NULL)
    return;
  stop_info_clear (info);
  g_free (info);
}

SondeSessionStatus *
sonde_session_status_copy (const SondeSessionStatus *status)
{
  SondeSessionStatus *copy = g_memdup2 (status, sizeof *status);

  stop_info_copy_into (&status->stop, &copy->stop);
  copy->end.message = g_strdup (status->end.message);
  copy->title = g_strdup (status->title);
  copy->run_directory = g_strdup (status->run_directory);
  return copy;
}

void
sonde_session_status_free (SondeSessionStatus *status)
{
  if (status == NULL)
    return;
  stop_info_clear (&status->stop);
  g_free (status->end.message);
  g_free (status->title);
  g_free (status->run_directory);
  g_free (status);
}

void
sonde_branch_info_free (SondeBranchInfo *info)
{
  if (info == NULL)
    return;
  g_free (info->name);
  g_free (info->text);
  g_free (info->node);
  g_free (info);
}

SondeStopCommand *
sonde_stop_command_new (const char *text, gboolean enabled)
{
  SondeStopCommand *command = g_new0 (SondeStopCommand, 1);

  command->text = g_utf8_make_valid (text, -1);
  command->enabled = enabled;
  return command;
}

void
sonde_stop_command_free (SondeStopCommand *command)
{
  if (command == NULL)
    return;
  g_free (command->text);
  g_free (command);
}

void
sonde_reduction_info_free (SondeReductionInfo *info)
{
  if (info == NULL)
    return;
  g_free (info->model);
  g_strfreev (info->names);
  g_strfreev (info->files);
  g_free (info->command);
  g_free (info->node);
  g_free (info->value);
  g_free (info);
}

void
sonde_session_reply_free (SondeSessionReply *reply)
{
  if (reply == NULL)
    return;
  sonde_session_status_free (reply->status);
  g_clear_pointer (&reply->breakpoints, g_ptr_array_unref);
  g_clear_pointer (&reply->watches, g_ptr_array_unref);
  g_clear_pointer (&reply->watch_hits, g_ptr_array_unref);
  g_clear_pointer (&reply->stops, g_ptr_array_unref);
  g_clear_pointer (&reply->steps, g_ptr_array_unref);
  g_clear_pointer (&reply->values, g_ptr_array_unref);
  g_clear_pointer (&reply->frames, g_ptr_array_unref);
  g_clear_pointer (&reply->tensor, sonde_tensor_unref);
  sonde_bins_free (reply->histogram);
  g_clear_pointer (&reply->bytes, g_bytes_unref);
  g_clear_pointer (&reply->edits, g_ptr_array_unref);
  g_clear_pointer (&reply->differences, g_ptr_array_unref);
  g_clear_pointer (&reply->branches, g_ptr_array_unref);
  sonde_origin_free (reply->origin);
  sonde_reduction_info_free (reply->reduction);
  g_free (reply->note);
  g_clear_pointer (&reply->divergence, sonde_divergence_free);
  g_clear_pointer (&reply->precision, sonde_precision_found_free);
  g_free (reply->name);
  g_free (reply->path);
  g_free (reply->text);
  g_free (reply->explanation);
  g_clear_pointer (&reply->result, g_variant_unref);
  g_clear_pointer (&reply->tensors, g_ptr_array_unref);
  g_free (reply->lines);
  g_free (reply);
}

SondeSessionEvent *
sonde_session_event_copy (const SondeSessionEvent *event)
{
  SondeSessionEvent *copy = g_new0 (SondeSessionEvent, 1);

  *copy = *event;
  copy->status = event->status != NULL ? sonde_session_status_copy (event->status) : NULL;
  copy->text = g_strdup (event->text);
  copy->node = g_strdup (event->node);
  copy->result = event->result != NULL ? g_variant_ref (event->result) : NULL;
  copy->tensors = event->tensors != NULL ? g_ptr_array_ref (event->tensors) : NULL;
  return copy;
}

void
sonde_session_event_free (SondeSessionEvent *event)
{
  if (event == NULL)
    return;
  sonde_session_status_free (event->status);
  g_free (event->text);
  g_free (event->node);
  g_clear_pointer (&event->result, g_variant_unref);
  g_clear_pointer (&event->tensors, g_ptr_array_unref);
  g_free (event);
}
