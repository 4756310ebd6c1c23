/* SPDX-License-Identifier: Apache-2.0
 * The stack of subgraphs, functions and fused nodes, and selecting a frame of it. */
#include "engine/commands/sonde-command-table.h"

/* ---- JSON ---------------------------------------------------------------- */

static void
json_scopes (const SondeFrame *frame, JsonBuilder *builder)
{
  sonde_json_begin_array (builder, "scopes");
  for (guint i = 0; i < frame->scopes->len; i++)
    {
      const SondeFrameScope *scope = g_ptr_array_index (frame->scopes, i);

      json_builder_begin_object (builder);
      sonde_json_set_string (builder, "scope", scope->scope);
      sonde_json_set_string (builder, "call", scope->call);
      sonde_json_set_string (builder, "function", scope->function);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static const char *
null_if_empty (const char *text)
{
  return *text != '\0' ? text : NULL;
}

static void
json_frame (const SondeFrame *frame, guint level, JsonBuilder *builder)
{
  sonde_json_set_int (builder, "level", level);
  sonde_json_set_string (builder, "kind", sonde_frame_kind_name (frame->kind));
  sonde_json_set_string (builder, "node", null_if_empty (frame->node));
  sonde_json_set_string (builder, "op", null_if_empty (frame->op));
  sonde_json_set_string (builder, "body", null_if_empty (frame->body));
  if (frame->iteration >= 0)
    sonde_json_set_int (builder, "iteration", frame->iteration);
  else
    sonde_json_set_string (builder, "iteration", NULL);
  sonde_json_set_int (builder, "position", frame->position);
  sonde_json_set_int (builder, "steps", frame->n_steps);
  sonde_json_set_string (builder, "at", frame->at);
  sonde_json_set_string (builder, "at_op", frame->at_op);
  sonde_json_set_string (builder, "when", sonde_moment_name (frame->moment));
  sonde_json_set_string (builder, "scope", frame->scope);
  sonde_command_json_texts (frame->originals, "originals", builder);
  json_scopes (frame, builder);
}

void
sonde_command_json_stack (const GPtrArray *frames, JsonBuilder *builder)
{
  sonde_json_begin_array (builder, "stack");
  for (guint i = 0; frames != NULL && i < frames->len; i++)
    {
      json_builder_begin_object (builder);
      json_frame (g_ptr_array_index (frames, i), i, builder);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
stack_to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  sonde_command_json_stack (result->frames.frames, builder);
  sonde_json_set_int (builder, "selected", result->frames.selected);
}

static void
frame_to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  json_frame (g_ptr_array_index (result->frames.frames, result->frames.selected),
              result->frames.selected, builder);
}

/* ---- text ---------------------------------------------------------------- */

void
sonde_command_add_iterations (const GPtrArray *frames, GPtrArray *clauses)
{
  for (guint i = frames != NULL ? frames->len : 0; i > 0; i--)
    {
      const SondeFrame *frame = g_ptr_array_index (frames, i - 1);

      if (frame->iteration >= 0)
        sonde_clauses_add (clauses, _ ("iteration %" PRIi64 " of %s"), frame->iteration,
                           frame->node);
    }
}

static gboolean
is_itself (const SondeFrame *frame)
{
  return frame->originals[0] == NULL
         || (frame->originals[1] == NULL && g_str_equal (frame->originals[0], frame->at));
}

/* Which node of what. */
static void
add_position (const SondeFrame *frame, GPtrArray *clauses)
{
  const guint number = MIN (frame->position + 1, frame->n_steps);

  if (frame->kind == SONDE_FRAME_FUSED)
    sonde_clauses_add (clauses, _ ("node %u of %u of the fused node %s (%s)"), number,
                       frame->n_steps, frame->node, frame->op);
  else if (frame->kind == SONDE_FRAME_BODY)
    sonde_clauses_add (clauses, _ ("node %u of %u in %s of %s (%s)"), number, frame->n_steps,
                       frame->body, frame->node, frame->op);
  else
    sonde_clauses_add (clauses, _ ("node %u of %u"), number, frame->n_steps);
}

/* @innermost: it stands in this one, not in a frame further in. (transfer full) */
static char *
describe (const SondeFrame *frame, gboolean innermost)
{
  g_autoptr (GPtrArray) clauses = sonde_clauses_new ();
  g_autofree char *place = sonde_command_format_place (frame->moment, frame->at, frame->at_op);

  if (frame->kind == SONDE_FRAME_MODULE)
    sonde_clauses_add (clauses, _ ("inside %s (%s)"), frame->at, frame->at_op);
  else if (frame->kind == SONDE_FRAME_PYTHON)
    sonde_clauses_add (clauses, "%s: %s", frame->at, frame->at_op);
  else if (!innermost)
    sonde_clauses_add (clauses, _ ("inside %s (%s)"), frame->at, frame->at_op);
  else
    sonde_clauses_add (clauses, "%s", place);
  if (sonde_frame_kind_has_position (frame->kind))
    add_position (frame, clauses);
  if (frame->iteration >= 0)
    sonde_clauses_add (clauses, _ ("iteration %" PRIi64), frame->iteration);
  return sonde_clauses_join (clauses);
}

/* No frame of a graph lies further in: modules and lines of a program lie around its one graph. */
static gboolean
is_innermost (const GPtrArray *frames, guint level)
{
  for (guint i = 0; i < level; i++)
    if (sonde_frame_kind_has_position (((SondeFrame *) g_ptr_array_index (frames, i))->kind))
      return FALSE;
  return TRUE;
}

static void
text_frame (const GPtrArray *frames, guint level, gboolean selected, GString *text)
{
  const SondeFrame *frame = g_ptr_array_index (frames, level);
  g_autofree char *description = describe (frame, is_innermost (frames, level));

  g_string_append_printf (text, "%s #%-2u %s\n", selected ? "=>" : "  ", level, description);
  if (!is_itself (frame))
    {
      g_autofree char *names
          = sonde_command_join_nodes (frame->originals, g_strv_length (frame->originals));

      g_string_append_printf (text, _ ("         original nodes: %s\n"), names);
    }
  for (guint i = 0; i < frame->scopes->len; i++)
    {
      const SondeFrameScope *scope = g_ptr_array_index (frame->scopes, i);

      if (scope->function != NULL)
        g_string_append_printf (text, _ ("         in function %s, called by %s\n"),
                                scope->function, scope->call);
      else
        g_string_append_printf (text, _ ("         in scope %s\n"), scope->scope);
    }
}

static void
stack_to_text (const SondeCommandResult *result, GString *text)
{
  for (guint i = 0; i < result->frames.frames->len; i++)
    text_frame (result->frames.frames, i, i == result->frames.selected, text);
}

static void
frame_to_text (const SondeCommandResult *result, GString *text)
{
  text_frame (result->frames.frames, result->frames.selected, TRUE, text);
}

/* ---- running ------------------------------------------------------------- */

static void
frames_clear (SondeCommandResult *result)
{
  g_ptr_array_unref (result->frames.frames);
}

static const SondeCommandResultClass stack_class = { stack_to_text, stack_to_json, frames_clear };
static const SondeCommandResultClass frame_class = { frame_to_text, frame_to_json, frames_clear };

static SondeCommandResult *
make_result (SondeCommandResultKind kind, const SondeCommandResultClass *class,
             SondeSessionReply *reply)
{
  SondeCommandResult *result = sonde_command_result_new (kind, class);

  result->frames.frames = g_steal_pointer (&reply->frames);
  result->frames.selected = reply->selected;
  return result;
}

static SondeCommandResult *
run_stack (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  g_autoptr (SondeSessionReply) reply
      = sonde_command_runner_call (runner, sonde_session_request_frames (), error);

  return reply != NULL ? make_result (SONDE_COMMAND_RESULT_STACK, &stack_class, reply) : NULL;
}

static SondeCommandResult *
select_frame (SondeCommandRunner *runner, guint level, GError **error)
{
  g_autoptr (SondeSessionReply) reply
      = sonde_command_runner_call (runner, sonde_session_request_select_frame (level), error);

  if (reply == NULL || reply->selected >= reply->frames->len)
    return NULL;
  sonde_command_runner_set_listed (runner, 0);
  return make_result (SONDE_COMMAND_RESULT_FRAME, &frame_class, reply);
}

static void
refuse_move (gboolean up, GError **error)
{
  if (up)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                     "The outermost frame is already selected; use down to select an inner frame.");
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                     "The innermost frame is already selected; use up to select an outer frame.");
}

static SondeCommandResult *
run_move (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  gboolean up = command->class == &sonde_command_class_up;
  guint64 count = ((const SondeNumberCommand *) command)->number;
  g_autoptr (SondeSessionReply) reply
      = sonde_command_runner_call (runner, sonde_session_request_frames (), error);
  guint n, selected;

  if (reply == NULL)
    return NULL;
  n = reply->frames->len;
  selected = reply->selected;
  if (n == 0 || (up ? selected + 1 >= n : selected == 0))
    {
      refuse_move (up, error);
      return NULL;
    }
  return select_frame (runner,
                       up ? selected + (guint) MIN (count, n - 1 - selected)
                          : selected - (guint) MIN (count, selected),
                       error);
}

/* ---- commands ------------------------------------------------------------ */

static gboolean
parse_move (SondeCommand *command, const char *arguments, GError **error)
{
  return sonde_number_command_parse (command, arguments, 1, N_ ("count"), error);
}

static void
format_move (const SondeCommand *command, GString *line)
{
  const SondeNumberCommand *self = (const SondeNumberCommand *) command;

  if (self->number > 1)
    g_string_append_printf (line, " %" PRIu64, self->number);
}

SondeCommand *
sonde_command_new_info_stack (void)
{
  return sonde_command_new (&sonde_command_class_info_stack);
}

SondeCommand *
sonde_command_new_select_frame (int count)
{
  return sonde_number_command_new (count < 0 ? &sonde_command_class_down : &sonde_command_class_up,
                                   (guint64) ABS ((gint64) count));
}

const SondeCommandClass sonde_command_class_info_stack
    = { .name = "info", .topic = "stack", .alias = "i", .arguments = "", .run = run_stack };

const SondeCommandClass sonde_command_class_up
    = { .name = "up",
        .arguments = "[N]",
        .summary = N_ ("Select the enclosing frame; names are looked up there first."),
        .effect = SONDE_COMMAND_CHANGES,
        .size = sizeof (SondeNumberCommand),
        .parse = parse_move,
        .format = format_move,
        .run = run_move };

const SondeCommandClass sonde_command_class_down = { .name = "down",
                                                     .arguments = "[N]",
                                                     .summary = N_ ("Select the inner frame."),
                                                     .effect = SONDE_COMMAND_CHANGES,
                                                     .size = sizeof (SondeNumberCommand),
                                                     .parse = parse_move,
                                                     .format = format_move,
                                                     .run = run_move };
