/* SPDX-License-Identifier: Apache-2.0
 * Frames and the scopes around their nodes. */
#include "engine/debug/run/sonde-frames.h"

#include <string.h>

#include "engine/debug/run/sonde-step-scope.h"

/**
 * Level: a frame while it is put together; strings are lent until the run goes on
 * @execution: which runs at that level; of a fused step: the one whose step it is
 * @step_node: (nullable): the executed node of @at: its origins are nodes of the original graph
 */
typedef struct
{
  SondeFrameKind kind;
  SondeExecution *execution;
  const char *node, *op, *body;
  gint64 iteration;
  guint position, n_steps;
  SondeMoment moment;
  const char *at, *at_op;
  const SondeNode *step_node;
  const char *scope;
} Level;

/* ---- scopes -------------------------------------------------------------- */

static const SondeFunction *
find_function (const SondeGraph *model, const SondeNode *node)
{
  for (guint i = 0; i < model->functions->len; i++)
    {
      const SondeFunction *function = g_ptr_array_index (model->functions, i);

      if (g_strcmp0 (function->name, node->op) == 0
          && g_strcmp0 (function->domain, node->domain) == 0
          && g_strcmp0 (function->overload != NULL ? function->overload : "",
                        node->overload != NULL ? node->overload : "")
                 == 0)
        return function;
    }
  return NULL;
}

/* The node of @graph, or of functions called there, that became @scope. */
static const SondeNode *
find_call (const SondeGraph *model, const SondeGraph *graph, const char *scope)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (graph->nodes, i);
      const SondeFunction *function = node != NULL ? find_function (model, node) : NULL;
      g_autofree char *inside = function != NULL ? sonde_call_scope (node) : NULL;
      gsize length = function != NULL ? strlen (inside) : 0;

      if (function == NULL || strncmp (inside, scope, length) != 0)
        continue;
      if (scope[length] == '\0')
        return node;
      if (scope[length] == '/') /* shorter with every level */
        {
          const SondeNode *deeper = find_call (model, function->body, scope + length + 1);

          if (deeper != NULL)
            return deeper;
        }
    }
  return NULL;
}

/* An operator of ONNX that is a function by itself: what it became says so. */
static const char *
origin_call (const Level *frame, const char *scope)
{
  const SondeNode *node = frame->step_node;

  if (node == NULL || node->origin_kind != SONDE_ORIGIN_DECOMPOSED || node->origins->len == 0)
    return NULL;
  return g_str_has_suffix (g_ptr_array_index (node->origins, 0), scope)
             ? g_ptr_array_index (node->origins, 0)
             : NULL;
}

static SondeFrameScope *
make_scope (const SondeDebuggee *debuggee, const Level *frame, const char *scope)
{
  SondeFrameScope *made = g_new0 (SondeFrameScope, 1);
  SondeGraph *original = sonde_debuggee_original_of (debuggee, frame->execution);
  const SondeNode *call = original != NULL ? find_call (debuggee->original, original, scope) : NULL;
  const char *name = original != NULL && call == NULL ? origin_call (frame, scope) : NULL;

  if (name != NULL)
    call = sonde_graph_find_node (original, name);
  made->scope = g_strdup (scope);
  made->call = call != NULL ? g_strdup (call->name) : NULL;
  made->function = call != NULL ? g_strdup (call->op) : NULL;
  return made;
}

/* Scopes around the node of @frame that do not lie around the frame itself. */
static GPtrArray *
list_scopes (const SondeDebuggee *debuggee, const Level *frame)
{
  GPtrArray *scopes = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_frame_scope_free);
  const char *base = sonde_execution_scope (frame->execution);
  g_autofree char *scope = g_strdup (frame->scope != NULL ? frame->scope : "");

  while (*scope != '\0' && (base == NULL || !sonde_scope_contains (scope, base)))
    {
      char *slash = strrchr (scope, '/');

      g_ptr_array_add (scopes, make_scope (debuggee, frame, scope));
      *(slash != NULL ? slash : scope) = '\0';
    }
  return scopes;
}

/* ---- frames -------------------------------------------------------------- */

/* The step of @execution at its position, or its last one. */
static void
fill_position (const SondeDebuggee *debuggee, Level *frame)
{
  SondePlan *plan = sonde_execution_get_plan (frame->execution);
  const SondeStep *step;

  frame->n_steps = sonde_plan_get_n_steps (plan);
  frame->position = sonde_debuggee_position_of (debuggee, frame->execution);
  frame->moment = frame->position < frame->n_steps ? SONDE_MOMENT_BEFORE : SONDE_MOMENT_AFTER;
  frame->at = frame->at_op = "";
  if (frame->n_steps == 0)
    return;
  step = sonde_plan_get_step (plan, MIN (frame->position, frame->n_steps - 1));
  frame->at = step->name;
  frame->at_op = step->op;
  frame->step_node = step->n_nodes > 0 ? step->nodes[step->n_nodes - 1] : NULL;
  frame->scope = sonde_step_scope (step);
}

static Level
make_frame (const SondeDebuggee *debuggee, SondeExecution *execution)
{
  const SondeNode *node = sonde_execution_get_node (execution);
  Level frame
      = { .kind = node != NULL ? SONDE_FRAME_BODY : SONDE_FRAME_GRAPH, .execution = execution };

  frame.node = node != NULL ? node->name : "";
  frame.op = node != NULL ? node->op : "";
  frame.body = node != NULL ? sonde_execution_get_body_name (execution) : "";
  frame.iteration = node != NULL && !sonde_node_is (node, SONDE_OP_ID_IF)
                        ? sonde_execution_get_iteration (execution)
                        : -1;
  fill_position (debuggee, &frame);
  return frame;
}

static Level
make_fused_frame (const SondeStopRecord *record, const Level *around)
{
  const SondeStep *step
      = sonde_plan_get_step (sonde_execution_get_plan (around->execution), around->position);
  Level frame = *around;

  frame.kind = SONDE_FRAME_FUSED;
  frame.node = step->name;
  frame.op = step->op;
  frame.body = "fused";
  frame.iteration = -1;
  frame.position = record->group_node;
  frame.n_steps = step->n_nodes;
  frame.step_node = step->nodes[MIN (record->group_node, step->n_nodes - 1)];
  frame.at = frame.step_node->name;
  frame.at_op = frame.step_node->op;
  frame.scope = frame.step_node->scope;
  return frame;
}

/* The stop knows better: a node that the user named, and whether it is before or after one. */
static void
take_stop (const SondeStopRecord *record, Level *frame)
{
  SondePlan *plan = sonde_execution_get_plan (frame->execution);

  frame->at = record->node;
  frame->at_op = record->op;
  frame->moment = record->stop.moment;
  frame->scope = record->scope;
  if (frame->kind != SONDE_FRAME_FUSED && frame->moment == SONDE_MOMENT_AFTER
      && frame->position > 0)
    {
      const SondeStep *step = sonde_plan_get_step (plan, frame->position - 1);

      frame->step_node = step->n_nodes > 0 ? step->nodes[step->n_nodes - 1] : NULL;
    }
}

/* From the innermost outwards. (element-type Level) (transfer full) */
static GArray *
list_levels (const SondeDebuggee *debuggee, const SondeStopRecord *record)
{
  GArray *levels = g_array_new (FALSE, TRUE, sizeof (Level));
  SondeExecution *execution = sonde_debuggee_get_innermost (debuggee);

  for (; execution != NULL; execution = sonde_execution_get_parent (execution))
    {
      Level frame = make_frame (debuggee, execution);

      if (levels->len == 0 && record->in_group && frame.position < frame.n_steps)
        {
          Level fused = make_fused_frame (record, &frame);

          g_array_append_val (levels, fused);
        }
      g_array_append_val (levels, frame);
    }
  if (levels->len > 0 && sonde_stop_record_has_stopped (record))
    take_stop (record, &g_array_index (levels, Level, 0));
  return levels;
}

static char **
dup_originals (const SondeNode *node)
{
  guint n = node != NULL ? node->origins->len : 0;
  char **names = g_new0 (char *, n + 1);

  for (guint i = 0; i < n; i++)
    names[i] = g_strdup (g_ptr_array_index (node->origins, i));
  return names;
}

static SondeFrame *
frame_new (const SondeDebuggee *debuggee, const Level *level)
{
  SondeFrame *frame = g_new0 (SondeFrame, 1);

  frame->kind = level->kind;
  frame->node = g_strdup (level->node);
  frame->op = g_strdup (level->op);
  frame->body = g_strdup (level->body);
  frame->iteration = level->iteration;
  frame->position = level->position;
  frame->n_steps = level->n_steps;
  frame->moment = level->moment;
  frame->at = g_strdup (level->at);
  frame->at_op = g_strdup (level->at_op);
  frame->scope = g_strdup (level->scope);
  frame->originals = dup_originals (level->step_node);
  frame->scopes = list_scopes (debuggee, level);
  return frame;
}

GPtrArray *
sonde_frames_get (const SondeDebuggee *debuggee, const SondeStopRecord *record)
{
  g_autoptr (GArray) levels = list_levels (debuggee, record);
  GPtrArray *frames = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_frame_free);

  for (guint i = 0; i < levels->len; i++)
    g_ptr_array_add (frames, frame_new (debuggee, &g_array_index (levels, Level, i)));
  return frames;
}

SondeExecution *
sonde_frames_get_execution (const SondeDebuggee *debuggee, const SondeStopRecord *record,
                            guint level)
{
  g_autoptr (GArray) levels = list_levels (debuggee, record);

  return level < levels->len ? g_array_index (levels, Level, level).execution : NULL;
}

char *
sonde_frames_dup_selected_scope (const SondeDebuggee *debuggee, const SondeStopRecord *record)
{
  g_autoptr (GArray) levels = list_levels (debuggee, record);

  return record->selected < levels->len
             ? g_strdup (g_array_index (levels, Level, record->selected).scope)
             : NULL;
}

gboolean
sonde_frames_select (const SondeDebuggee *debuggee, SondeStopRecord *record, guint level,
                     GError **error)
{
  g_autoptr (GArray) frames = list_levels (debuggee, record);

  if (level < frames->len)
    {
      record->selected = level;
      return TRUE;
    }
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                   "There is no frame %u; info stack lists the %u that there are.", level,
                   frames->len);
  return FALSE;
}

SondeExecution *
sonde_frames_get_selected (const SondeDebuggee *debuggee, const SondeStopRecord *record)
{
  SondeExecution *execution = sonde_debuggee_get_innermost (debuggee);
  guint up = record->selected - (record->in_group && record->selected > 0 ? 1 : 0);

  while (up > 0 && execution != NULL && sonde_execution_get_parent (execution) != NULL)
    {
      execution = sonde_execution_get_parent (execution);
      up--;
    }
  return execution;
}
