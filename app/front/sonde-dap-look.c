/* SPDX-License-Identifier: Apache-2.0
 * The stack and its scopes. */
#include "app/front/sonde-dap-private.h"

#include <string.h>

/* ---- stackTrace ----------------------------------------------------------------------------- */

/* A frame of `info stack`: the node it stands at, in the graph, a body or a fused step. */
static void
append_frame (SondeDap      *dap,
              SondeJsonText *body,
              JsonObject    *frame,
              guint          id)
{
  const char *at = sonde_dap_get_string (frame, "at"), *node = sonde_dap_get_string (frame, "node");
  const char *branch = sonde_dap_get_string (frame, "body");
  gint64 iteration = sonde_dap_get_int (frame, "iteration", -1);
  g_autoptr (GString) text = g_string_new (at != NULL ? at : "");
  guint line = sonde_dap_line_of_node (dap, text->str);

  if (branch != NULL && node != NULL)
    g_string_append_printf (text, " in %s of %s", branch, node);
  if (iteration >= 0)
    g_string_append_printf (text, " (iteration %" G_GINT64_FORMAT ")", iteration);
  sonde_json_text_begin_object (body, NULL);
  sonde_json_text_uint (body, "id", id);
  sonde_json_text_string (body, "name", text->str);
  sonde_json_text_uint (body, "line", line > 0 ? line - !dap->lines_at_1 : 0);
  sonde_json_text_uint (body, "column", line > 0 ? dap->columns_at_1 : 0);
  if (line > 0)
    sonde_dap_append_source (dap, body);
  sonde_json_text_boolean (body, "canRestart", id == 1);
  sonde_json_text_string (body, "presentationHint", "normal");
  sonde_json_text_end_object (body);
}

gboolean
sonde_dap_stack_trace (SondeDap   *dap,
                       JsonNode   *request,
                       JsonObject *arguments,
                       GError    **error)
{
  g_autoptr (JsonObject) answer = NULL;
  JsonArray *frames;
  guint n, first = (guint) CLAMP (sonde_dap_get_int (arguments, "startFrame", 0), 0, G_MAXINT);
  guint levels = (guint) CLAMP (sonde_dap_get_int (arguments, "levels", 0), 0, G_MAXINT);
  SondeJsonText body;

  if (!sonde_dap_need_pause (dap, error))
    return FALSE;
  answer = sonde_dap_ask (dap, "info stack", error);
  if (answer == NULL)
    return FALSE;
  frames = sonde_dap_get_array (answer, "stack");
  n = frames != NULL ? json_array_get_length (frames) : 0;
  sonde_dap_body_init (&body);
  sonde_json_text_begin_array (&body, "stackFrames");
  for (guint i = first; i < n && (levels == 0 || i - first < levels); i++)
    {
      JsonNode *frame = json_array_get_element (frames, i);

      if (JSON_NODE_HOLDS_OBJECT (frame))
        append_frame (dap, &body, json_node_get_object (frame), i + 1);
    }
  sonde_json_text_end_array (&body);
  sonde_json_text_uint (&body, "totalFrames", n);
  sonde_dap_reply_body (dap, request, &body);
  return TRUE;
}

/* ---- scopes --------------------------------------------------------------------------------- */

/* Name of the node of frame @id. (transfer full) (nullable) */
static char *
node_of_frame (SondeDap *dap,
               gint64    id,
               GError  **error)
{
  g_autoptr (JsonObject) answer = sonde_dap_ask (dap, "info stack", error);
  JsonArray *frames = answer != NULL ? sonde_dap_get_array (answer, "stack") : NULL;
  JsonObject *frame;

  if (answer == NULL)
    return NULL;
  if (frames == NULL || id < 1 || id > json_array_get_length (frames))
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND, "There is no frame %" G_GINT64_FORMAT ".", id);
      return NULL;
    }
  frame = json_array_get_object_element (frames, (guint) id - 1);
  return g_strdup (sonde_dap_get_string (frame, "at"));
}

static void
append_scope (SondeDap             *dap,
              SondeJsonText        *body,
              const char           *node,
              const char           *name,
              const char           *hint,
              SondeDapReferenceKind kind,
              gboolean              expensive)
{
  sonde_json_text_begin_object (body, NULL);
  sonde_json_text_string (body, "name", name);
  if (hint != NULL)
    sonde_json_text_string (body, "presentationHint", hint);
  sonde_json_text_uint (body, "variablesReference", sonde_dap_add_reference (dap, kind, node, NULL, NULL));
  sonde_json_text_boolean (body, "expensive", expensive);
  sonde_json_text_end_object (body);
}

gboolean
sonde_dap_scopes (SondeDap   *dap,
                  JsonNode   *request,
                  JsonObject *arguments,
                  GError    **error)
{
  g_autofree char *node = NULL;
  SondeJsonText body;

  if (!sonde_dap_need_pause (dap, error))
    return FALSE;
  node = node_of_frame (dap, sonde_dap_get_int (arguments, "frameId", 1), error);
  if (node == NULL)
    return FALSE;
  sonde_dap_body_init (&body);
  sonde_json_text_begin_array (&body, "scopes");
  append_scope (dap, &body, node, "Inputs", "arguments", SONDE_DAP_INPUTS, FALSE);
  append_scope (dap, &body, node, "Outputs", "returnValue", SONDE_DAP_OUTPUTS, FALSE);
  append_scope (dap, &body, node, "Attributes", NULL, SONDE_DAP_ATTRIBUTES, FALSE);
  append_scope (dap, &body, node, "Weights", NULL, SONDE_DAP_WEIGHTS, FALSE);
  append_scope (dap, &body, node, "Statistics", NULL, SONDE_DAP_STATISTICS, TRUE);
  sonde_json_text_end_array (&body);
  sonde_dap_reply_body (dap, request, &body);
  return TRUE;
}
