/* SPDX-License-Identifier: Apache-2.0
 * The graph as text, around the current node or another. */
#include <string.h>

#include "engine/commands/sonde-command-table.h"
#include "engine/live/sonde-live-node.h"

#define LINES_A_LIST 10

/* Position of the step that @node names, -1 when there is none. */
static int
find_step (const GPtrArray *steps, const char *node)
{
  for (guint k = 0; k < steps->len; k++)
    {
      const SondeStepInfo *step = g_ptr_array_index (steps, k);

      if (g_str_equal (step->name, node)
          || g_strv_contains ((const char *const *) step->nodes, node)
          || g_strv_contains ((const char *const *) step->originals, node)
          || g_strv_contains ((const char *const *) step->outputs, node))
        return (int) k;
    }
  return -1;
}

static gboolean
lies_in (const char *scope, const char *module)
{
  const gsize length = strlen (module);

  return scope != NULL && strncmp (scope, module, length) == 0
         && (scope[length] == '\0' || scope[length] == '.' || scope[length] == '/');
}

/* The step that @node names, or the first in the module of that name; -1 when there is none. */
static int
find_step_or_module (const GPtrArray *steps, const char *node)
{
  g_autofree char *plain = sonde_live_name_without_first (node);
  int found = find_step (steps, node);

  if (found < 0)
    found = find_step (steps, plain);
  for (guint k = 0; found < 0 && k < steps->len; k++)
    if (lies_in (((const SondeStepInfo *) g_ptr_array_index (steps, k))->scope, plain))
      found = (int) k;
  return found;
}

static SondeSessionRequest *
in_selected (SondeSessionRequest *request)
{
  return sonde_session_request_in_frame (request, SONDE_SESSION_FRAME_SELECTED);
}

/* Inside a fused step: that of the step. */
static guint
position_of_selected (const SondeSessionReply *frames)
{
  const SondeFrame *frame = NULL;

  for (guint i = frames->selected; i < frames->frames->len; i++)
    {
      frame = g_ptr_array_index (frames->frames, i);
      if (frame->kind != SONDE_FRAME_FUSED)
        break;
    }
  return frame != NULL ? frame->position : 0;
}

/* The line of a node in a body, which the listing of the graph around shows: it begins with the
 * node's name. 0: none */
static guint
find_line (const char *text, const char *node)
{
  g_auto (GStrv) lines = g_strsplit (text != NULL ? text : "", "\n", -1);
  gsize length = strlen (node);

  for (guint i = 0; lines[i] != NULL; i++)
    {
      const char *line = lines[i] + strspn (lines[i], " ");

      if (strncmp (line, node, length) == 0 && line[length] == ':')
        return i + 1;
    }
  return 0;
}

static guint
line_before (guint line)
{
  return MAX (line, LINES_A_LIST / 2) - LINES_A_LIST / 2 + 1;
}

/* Line to begin at: of @node, else after the last list, else around the current position. 0 with
 * @error. */
static guint
first_line (SondeCommandRunner *runner, const SondeSessionReply *listing, const char *node,
            guint *current, GError **error)
{
  g_autoptr (SondeSessionReply) frames
      = sonde_command_runner_call (runner, sonde_session_request_frames (), error);
  g_autoptr (SondeSessionReply) steps = NULL;
  guint line, position, listed = sonde_command_runner_get_listed (runner);
  int k;

  if (frames == NULL)
    return 0;
  position = position_of_selected (frames);
  *current = position < listing->n_lines ? listing->lines[position] : 0;
  if (node == NULL)
    return listed > 0 ? listed + 1 : line_before (*current);
  steps = sonde_command_runner_call (runner, in_selected (sonde_session_request_steps ()), error);
  if (steps == NULL)
    return 0;
  k = find_step_or_module (steps->steps, node);
  line = k >= 0 && (guint) k < listing->n_lines ? listing->lines[k]
                                                : find_line (listing->text, node);
  if (line > 0)
    return line_before (line);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                   "No executed node is named “%s”; use info nodes to list the nodes.", node);
  return 0;
}

/* ---- the result ---------------------------------------------------------- */

static void
to_text (const SondeCommandResult *result, GString *text)
{
  const SondeCommandListing *listing = &result->listing;

  for (guint i = 0; listing->lines[i] != NULL; i++)
    g_string_append_printf (text, "%s%5u  %s\n",
                            listing->first + i == listing->current ? "=>" : "  ",
                            listing->first + i, listing->lines[i]);
}

static void
to_json (const SondeCommandResult *result, JsonBuilder *builder)
{
  const SondeCommandListing *listing = &result->listing;

  sonde_json_begin_array (builder, "lines");
  for (guint i = 0; listing->lines[i] != NULL; i++)
    {
      json_builder_begin_object (builder);
      sonde_json_set_int (builder, "line", listing->first + i);
      sonde_json_set_string (builder, "text", listing->lines[i]);
      sonde_json_set_boolean (builder, "current", listing->first + i == listing->current);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
result_clear (SondeCommandResult *result)
{
  g_strfreev (result->listing.lines);
}

static const SondeCommandResultClass result_class = { to_text, to_json, result_clear };

/* ---- the command --------------------------------------------------------- */

/* Lines of @listing, without an empty last one. (transfer full) (array zero-terminated=1) */
static char **
split_lines (const SondeSessionReply *listing)
{
  char **lines = g_strsplit (listing->text != NULL ? listing->text : "", "\n", -1);
  guint n = g_strv_length (lines);

  if (n > 0 && *lines[n - 1] == '\0')
    g_clear_pointer (&lines[n - 1], g_free);
  return lines;
}

static SondeCommandResult *
run (const SondeCommand *command, SondeCommandRunner *runner, GError **error)
{
  g_autoptr (SondeSessionReply) listing = sonde_command_runner_call (
      runner, in_selected (sonde_session_request_listing (SONDE_SESSION_GRAPH_EXECUTED)), error);
  g_auto (GStrv) lines = listing != NULL ? split_lines (listing) : NULL;
  g_autoptr (GPtrArray) shown = g_ptr_array_new ();
  guint current = 0, first, n_lines;
  SondeCommandResult *result;

  if (listing == NULL)
    return NULL;
  n_lines = g_strv_length (lines);
  first = first_line (runner, listing, ((const SondeTextCommand *) command)->text, &current, error);
  if (first == 0)
    return NULL;
  if (first > n_lines)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                       "The listing ends at line %u; use list NODE to show a node.", n_lines);
      return NULL;
    }
  for (guint i = first; i < first + LINES_A_LIST && i <= n_lines; i++)
    g_ptr_array_add (shown, lines[i - 1]);
  sonde_command_runner_set_listed (runner, first + shown->len - 1);
  g_ptr_array_add (shown, NULL);
  result = sonde_command_result_new (SONDE_COMMAND_RESULT_LISTING, &result_class);
  result->listing = (SondeCommandListing){ g_strdupv ((char **) shown->pdata), first, current };
  return result;
}

SondeCommand *
sonde_command_new_list (const char *node)
{
  return sonde_text_command_new (&sonde_command_class_list, node);
}

const SondeCommandClass sonde_command_class_list
    = { .name = "list",
        .alias = "l",
        .arguments = "[NODE]",
        .summary = N_ ("List the graph around the current node, or around NODE."),
        .size = sizeof (SondeTextCommand),
        .parse = sonde_text_command_parse,
        .format = sonde_text_command_format,
        .run = run,
        .clear = sonde_text_command_clear };
