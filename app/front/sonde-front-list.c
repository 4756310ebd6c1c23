/* SPDX-License-Identifier: Apache-2.0
 * The graph as text, around the current node or another. */
#include "app/front/sonde-front-private.h"

#include <string.h>

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

/* Line to begin at: of @node, else after the last list, else around the current position. 0 with
 * @error. */
static guint
first_line (SondeFront *front, const SondeSessionReply *listing, const char *node, guint *current,
            GError **error)
{
  g_autoptr (SondeSessionReply) frames
      = sonde_front_call (front, sonde_session_request_frames (), error);
  g_autoptr (SondeSessionReply) steps = NULL;
  guint line, position;
  int k;

  if (frames == NULL)
    return 0;
  position = position_of_selected (frames);
  *current = position < listing->n_lines ? listing->lines[position] : 0;
  if (node == NULL)
    return front->listed_to > 0 ? front->listed_to + 1
                                : MAX (*current, LINES_A_LIST / 2) - LINES_A_LIST / 2 + 1;
  steps = sonde_front_call (front, in_selected (sonde_session_request_steps ()), error);
  if (steps == NULL)
    return 0;
  k = find_step (steps->steps, node);
  line = k >= 0 && (guint) k < listing->n_lines ? listing->lines[k]
                                                : find_line (listing->text, node);
  if (line == 0)
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                   "No executed node is called “%s”; info values lists the values.", node);
      return 0;
    }
  return MAX (line, LINES_A_LIST / 2) - LINES_A_LIST / 2 + 1;
}

static void
answer_line (SondeFront *front, SondeFrontAnswer *answer, guint number, const char *text,
             gboolean current)
{
  if (!front->options.json)
    {
      g_string_append_printf (answer->text, "%s%5u  %s\n", current ? "=>" : "  ", number, text);
      return;
    }
  sonde_json_text_begin_object (&answer->json, NULL);
  sonde_json_text_uint (&answer->json, "line", number);
  sonde_json_text_string (&answer->json, "text", text);
  sonde_json_text_boolean (&answer->json, "current", current);
  sonde_json_text_end_object (&answer->json);
}

gboolean
sonde_front_run_list (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                      GError **error)
{
  g_autofree char *node = *arguments != '\0' ? sonde_front_unquote (arguments) : NULL;
  g_autoptr (SondeSessionReply) listing = sonde_front_call (
      front, in_selected (sonde_session_request_listing (SONDE_SESSION_GRAPH_EXECUTED)), error);
  g_auto (GStrv) lines
      = listing != NULL && listing->text != NULL ? g_strsplit (listing->text, "\n", -1) : NULL;
  guint n_lines = lines != NULL ? g_strv_length (lines) : 0;
  guint current = 0, first;

  if (listing == NULL)
    return FALSE;
  if (n_lines > 0 && *lines[n_lines - 1] == '\0')
    n_lines--;
  first = first_line (front, listing, node, &current, error);
  if (first == 0)
    return FALSE;
  if (first > n_lines)
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                   "The listing ends at line %u; list NODE goes to a node.", n_lines);
      return FALSE;
    }
  if (front->options.json)
    sonde_json_text_begin_array (&answer->json, "lines");
  for (guint i = first; i < first + LINES_A_LIST && i <= n_lines; i++)
    {
      answer_line (front, answer, i, lines[i - 1], i == current);
      front->listed_to = i;
    }
  if (front->options.json)
    sonde_json_text_end_array (&answer->json);
  return TRUE;
}
