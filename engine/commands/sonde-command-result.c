/* SPDX-License-Identifier: Apache-2.0
 * Results, and the line of JSON that an answer or an event is. */
#include "engine/commands/sonde-command-result.h"

#include "engine/commands/sonde-command-class.h"

SondeCommandResult *
sonde_command_result_new (SondeCommandResultKind kind, const SondeCommandResultClass *class)
{
  SondeCommandResult *result = g_new0 (SondeCommandResult, 1);

  result->kind = kind;
  result->class = class;
  return result;
}

void
sonde_command_result_free (SondeCommandResult *result)
{
  if (result == NULL)
    return;
  if (result->class->clear != NULL)
    result->class->clear (result);
  g_free (result);
}

void
sonde_command_result_to_text (const SondeCommandResult *result, GString *text)
{
  if (result->class->to_text != NULL)
    result->class->to_text (result, text);
}

void
sonde_command_result_to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  if (result->class->to_json != NULL)
    result->class->to_json (result, builder);
}

/* ---- lines --------------------------------------------------------------- */

char *
sonde_command_answer_to_json (const char *name, const SondeCommandResult *result,
                              const GError *error)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  if (name != NULL)
    {
      sonde_json_set_boolean (builder, "ok", result != NULL);
      sonde_json_set_string (builder, "command", name);
    }
  if (result != NULL)
    sonde_command_result_to_json (result, builder);
  else
    sonde_json_set_string (builder, "error", error->message);
  json_builder_end_object (builder);
  return sonde_json_to_line (builder);
}

/* (nullable) */
static const char *
name_of_event (const SondeSessionEvent *event)
{
  if (event->text == NULL)
    return NULL;
  switch (event->kind)
    {
    case SONDE_SESSION_EVENT_LOG:
      return event->node != NULL ? "log" : NULL;
    case SONDE_SESSION_EVENT_SILENT:
      return "silent";
    case SONDE_SESSION_EVENT_ANSWERS:
      return "answers";
    case SONDE_SESSION_EVENT_PROGRESS:
      return "progress";
    default:
      return NULL;
    }
}

char *
sonde_command_event_to_json (const SondeSessionEvent *event, int pid)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  const char *name = name_of_event (event);

  if (name == NULL)
    return NULL;
  json_builder_begin_object (builder);
  sonde_json_set_string (builder, "event", name);
  if (event->kind == SONDE_SESSION_EVENT_LOG)
    {
      sonde_json_set_string (builder, "node", event->node);
      sonde_json_set_string (builder, "when", sonde_moment_name (event->moment));
      sonde_json_set_int (builder, "step", (gint64) event->step);
      sonde_json_set_int (builder, "breakpoint", event->breakpoint);
    }
  else
    sonde_json_set_int (builder, "pid", pid);
  sonde_json_set_string (builder, "text", event->text);
  if (event->kind == SONDE_SESSION_EVENT_PROGRESS && event->fraction >= 0)
    sonde_json_set_double (builder, "fraction", event->fraction);
  json_builder_end_object (builder);
  return sonde_json_to_line (builder);
}

/* ---- parts that several results have ------------------------------------- */

void
sonde_command_json_names (const GPtrArray *names, const char *name, JsonBuilder *builder)
{
  sonde_json_begin_array (builder, name);
  for (guint i = 0; i < names->len; i++)
    sonde_json_add_string (builder, names->pdata[i]);
  json_builder_end_array (builder);
}

void
sonde_command_json_texts (char *const *texts, const char *name, JsonBuilder *builder)
{
  sonde_json_begin_array (builder, name);
  for (; texts != NULL && *texts != NULL; texts++)
    sonde_json_add_string (builder, *texts);
  json_builder_end_array (builder);
}

void
sonde_command_json_index (const SondeShape *shape, gint64 element, const char *name,
                          JsonBuilder *builder)
{
  gint64 index[SONDE_MAX_RANK];

  for (int d = shape->rank - 1; d >= 0; d--)
    {
      index[d] = element % MAX (shape->dims[d], 1);
      element /= MAX (shape->dims[d], 1);
    }
  sonde_json_begin_array (builder, name);
  for (int d = 0; d < shape->rank; d++)
    json_builder_add_int_value (builder, index[d]);
  json_builder_end_array (builder);
}
