/* SPDX-License-Identifier: Apache-2.0
 * The stack and its scopes. */
#include "app/dap/sonde-dap-private.h"

#include <string.h>

/* ---- stackTrace ---------------------------------------------------------- */

/**
 * Frame: one of the editor's; strings owned
 * @name: what it shows; @node: (nullable): whose values its scopes show; NULL of a label
 */
typedef struct
{
  char *name, *node;
} Frame;

static void
frame_clear (gpointer data)
{
  Frame *frame = data;

  g_free (frame->name);
  g_free (frame->node);
}

static void
add_frame (GArray *frames, char *name, /* (transfer full) */
           const char *node)
{
  Frame frame = { name, g_strdup (node) };

  g_array_append_val (frames, frame);
}

/* Scopes and functions around a node, from the inside. */
static void
add_labels (GArray *frames, JsonObject *level)
{
  JsonArray *scopes = sonde_dap_get_array (level, "scopes");

  for (guint i = 0; scopes != NULL && i < json_array_get_length (scopes); i++)
    {
      JsonObject *scope = json_array_get_object_element (scopes, i);
      const char *function = sonde_dap_get_string (scope, "function"),
                 *name = sonde_dap_get_string (scope, "scope");

      add_frame (frames,
                 function != NULL ? g_strdup_printf ("%s (function %s)", name, function)
                                  : g_strdup (name),
                 NULL);
    }
}

/* The levels of `info stack`: the innermost node, the loops and branches it is in, each with its
 * scopes, the graph. */
static GArray *
list_frames (SondeDap *dap, GError **error)
{
  g_autoptr (JsonObject) answer = sonde_dap_ask (dap, "info stack", error);
  JsonArray *levels = answer != NULL ? sonde_dap_get_array (answer, "stack") : NULL;
  GArray *frames;
  const char *branch = NULL;
  gint64 iteration = -1;

  if (levels == NULL)
    return NULL;
  frames = g_array_new (FALSE, FALSE, sizeof (Frame));
  g_array_set_clear_func (frames, frame_clear);
  for (guint i = 0; i < json_array_get_length (levels); i++)
    {
      JsonObject *level = json_array_get_object_element (levels, i);
      const char *at = sonde_dap_get_string (level, "at");
      g_autoptr (GString) name = g_string_new (at);

      if (branch != NULL)
        g_string_append_printf (name, " %s", branch);
      if (iteration >= 0)
        g_string_append_printf (name, " (iteration %" G_GINT64_FORMAT ")", iteration);
      add_frame (frames, g_strdup (name->str), at);
      add_labels (frames, level);
      branch = sonde_dap_get_string (level, "body");
      iteration = sonde_dap_get_int (level, "iteration", -1);
    }
  add_frame (frames, g_strdup (dap->title), NULL);
  return frames;
}

static void
append_frame (SondeDap *dap, SondeJsonText *body, const Frame *frame, guint id)
{
  guint line = sonde_dap_line_of_node (dap, frame->node);

  sonde_json_text_begin_object (body, NULL);
  sonde_json_text_uint (body, "id", id);
  sonde_json_text_string (body, "name", frame->name);
  sonde_json_text_uint (body, "line", line > 0 ? line - !dap->lines_at_1 : 0);
  sonde_json_text_uint (body, "column", line > 0 ? dap->columns_at_1 : 0);
  if (line > 0)
    sonde_dap_append_source (dap, body);
  sonde_json_text_boolean (body, "canRestart", id == 1);
  sonde_json_text_string (body, "presentationHint", frame->node == NULL ? "label" : "normal");
  sonde_json_text_end_object (body);
}

gboolean
sonde_dap_stack_trace (SondeDap *dap, JsonNode *request, JsonObject *arguments, GError **error)
{
  g_autoptr (GArray) frames = NULL;
  guint first = (guint) CLAMP (sonde_dap_get_int (arguments, "startFrame", 0), 0, G_MAXINT);
  guint levels = (guint) CLAMP (sonde_dap_get_int (arguments, "levels", 0), 0, G_MAXINT);
  SondeJsonText body;

  if (!sonde_dap_need_pause (dap, error))
    return FALSE;
  frames = list_frames (dap, error);
  if (frames == NULL)
    return FALSE;
  sonde_dap_body_init (&body);
  sonde_json_text_begin_array (&body, "stackFrames");
  for (guint i = first; i < frames->len && (levels == 0 || i - first < levels); i++)
    append_frame (dap, &body, &g_array_index (frames, Frame, i), i + 1);
  sonde_json_text_end_array (&body);
  sonde_json_text_uint (&body, "totalFrames", frames->len);
  sonde_dap_reply_body (dap, request, &body);
  return TRUE;
}

/* ---- scopes -------------------------------------------------------------- */

/* Name of the node of frame @id; "" of a label. (transfer full) (nullable) */
static char *
node_of_frame (SondeDap *dap, gint64 id, GError **error)
{
  g_autoptr (GArray) frames = list_frames (dap, error);
  const char *node;

  if (frames == NULL)
    return NULL;
  if (id < 1 || id > frames->len)
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                   "There is no frame %" G_GINT64_FORMAT ".", id);
      return NULL;
    }
  node = g_array_index (frames, Frame, (guint) id - 1).node;
  return g_strdup (node != NULL ? node : "");
}

static void
append_scope (SondeDap *dap, SondeJsonText *body, const char *node, const char *name,
              const char *hint, SondeDapReferenceKind kind, gboolean expensive)
{
  sonde_json_text_begin_object (body, NULL);
  sonde_json_text_string (body, "name", name);
  if (hint != NULL)
    sonde_json_text_string (body, "presentationHint", hint);
  sonde_json_text_uint (body, "variablesReference",
                        sonde_dap_add_reference (dap, kind, node, NULL, NULL));
  sonde_json_text_boolean (body, "expensive", expensive);
  sonde_json_text_end_object (body);
}

gboolean
sonde_dap_scopes (SondeDap *dap, JsonNode *request, JsonObject *arguments, GError **error)
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
  if (*node == '\0') /* a label has no values of its own */
    {
      sonde_json_text_end_array (&body);
      sonde_dap_reply_body (dap, request, &body);
      return TRUE;
    }
  append_scope (dap, &body, node, "Inputs", "arguments", SONDE_DAP_INPUTS, FALSE);
  append_scope (dap, &body, node, "Outputs", "returnValue", SONDE_DAP_OUTPUTS, FALSE);
  append_scope (dap, &body, node, "Attributes", NULL, SONDE_DAP_ATTRIBUTES, FALSE);
  append_scope (dap, &body, node, "Weights", NULL, SONDE_DAP_WEIGHTS, FALSE);
  append_scope (dap, &body, node, "Statistics", NULL, SONDE_DAP_STATISTICS, TRUE);
  sonde_json_text_end_array (&body);
  sonde_dap_reply_body (dap, request, &body);
  return TRUE;
}
