/* SPDX-License-Identifier: Apache-2.0
 * What a person types: expressions, and in the console the whole command table; changing values;
 * raw bytes. */
#include "app/dap/sonde-dap-private.h"

#include <string.h>

#define MAX_READ ((gint64) 4 << 20)

/* ---- evaluate ------------------------------------------------------------ */

/* Commands that wait for a stop: they go to the runner, and the stop is an event. */
static gboolean
resumes (const char *command)
{
  static const char *const names[] = { "run", "continue", "step",    "next",   "until",   "into",
                                       "out", "back",     "reverse", "rewind", "restart", NULL };

  return g_strv_contains (names, command);
}

static gboolean
changes (const char *command)
{
  static const char *const names[]
      = { "set", "attr", "bypass", "branch", "up", "down", "rerun", NULL };

  return g_strv_contains (names, command);
}

/* The command that @text is a line of; NULL when it is an expression. */
static const SondeFrontCommand *
command_of (const char *text)
{
  gsize length = strcspn (text, " \t");
  g_autofree char *word = g_strndup (text, length);
  const char *rest = text + length + strspn (text + length, " \t");

  /* "mean (x)", "x > 1" and the like are expressions, whatever begins with their first word */
  if (*word == '\0' || *rest == '(' || (*rest != '\0' && strchr ("<>=!+*/%&|", *rest) != NULL)
      || strpbrk (word, "()[]<>=!+*/%&|'\"") != NULL)
    return NULL;
  return sonde_front_find_command (word, NULL);
}

static void
tell_changed (SondeDap *dap)
{
  if (dap->sends_invalidated)
    sonde_dap_send_event (dap, "invalidated", "{\"areas\":[\"all\"]}");
}

static gboolean
evaluate_command (SondeDap *dap, JsonNode *request, const SondeFrontCommand *command,
                  const char *line, GError **error)
{
  g_autofree char *text = NULL;
  SondeJsonText body;

  if (g_str_equal (command->name, "quit") || g_str_equal (command->name, "detach"))
    {
      sonde_dap_reply (dap, request, "{\"result\":\"\",\"variablesReference\":0}");
      sonde_dap_tell_end (dap, 0);
      return TRUE;
    }
  if (resumes (command->name))
    {
      if (!sonde_dap_need_pause (dap, error))
        return FALSE;
      sonde_dap_reply (dap, request, "{\"result\":\"\",\"variablesReference\":0}");
      sonde_dap_send_event (dap, "continued", "{\"threadId\":1,\"allThreadsContinued\":true}");
      sonde_dap_run_line (dap, line, NULL);
      return TRUE;
    }
  text = g_strchomp (sonde_dap_ask_text (dap, line));
  sonde_dap_body_init (&body);
  sonde_json_text_string (&body, "result", text);
  sonde_json_text_uint (&body, "variablesReference", 0);
  sonde_dap_reply_body (dap, request, &body);
  if (changes (command->name))
    tell_changed (dap);
  return TRUE;
}

static gboolean
is_value (SondeDap *dap, const char *text)
{
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_call (dap->client, sonde_session_request_statistics (text), -1, NULL);

  return reply != NULL;
}

/* The answer of `print`: a number, or the elements as they come. */
static gboolean
evaluate_expression (SondeDap *dap, JsonNode *request, const char *text, GError **error)
{
  g_autofree char *line = g_strconcat ("print ", text, NULL), *plain = NULL;
  g_autoptr (JsonObject) answer = NULL;
  SondeJsonText body;
  JsonNode *data;

  if (is_value (dap, text))
    {
      sonde_dap_body_init (&body);
      sonde_dap_append_value (dap, &body, "result", text, "");
      sonde_dap_reply_body (dap, request, &body);
      return TRUE;
    }
  answer = sonde_dap_ask (dap, line, error);
  if (answer == NULL)
    return FALSE;
  data = json_object_get_member (answer, "data");
  plain = data != NULL ? json_to_string (data, FALSE) : g_strdup ("");
  sonde_dap_body_init (&body);
  sonde_json_text_string (&body, "result", plain);
  sonde_json_text_string (&body, "type", sonde_dap_get_string (answer, "dtype"));
  sonde_json_text_uint (&body, "variablesReference", 0);
  sonde_dap_reply_body (dap, request, &body);
  return TRUE;
}

gboolean
sonde_dap_evaluate (SondeDap *dap, JsonNode *request, JsonObject *arguments, GError **error)
{
  const char *given = sonde_dap_get_string (arguments, "expression"),
             *context = sonde_dap_get_string (arguments, "context");
  g_autofree char *text = g_strstrip (g_strdup (given != NULL ? given : ""));
  const SondeFrontCommand *command = NULL;

  if (context == NULL || g_str_equal (context, "repl"))
    command = command_of (text);
  if (command != NULL && (context != NULL || !is_value (dap, text)))
    return evaluate_command (dap, request, command, text, error);
  if (*text != '\0')
    return evaluate_expression (dap, request, text, error);
  g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "There is nothing to evaluate.");
  return FALSE;
}

gboolean
sonde_dap_completions (SondeDap *dap, JsonNode *request, JsonObject *arguments, GError **error)
{
  const char *given = sonde_dap_get_string (arguments, "text");
  gint64 column = sonde_dap_get_int (arguments, "column", 1) - dap->columns_at_1;
  const char *text = given != NULL ? given : "";
  glong characters = g_utf8_strlen (text, -1);
  const char *end = g_utf8_offset_to_pointer (text, CLAMP (column, 0, characters));
  g_autofree char *line = g_strndup (text, (gsize) (end - text));
  const char *space = strrchr (line, ' ');
  const char *word = space != NULL ? space + 1 : line;
  g_auto (GStrv) names = sonde_front_complete (dap->front, line, word);
  SondeJsonText body;

  sonde_dap_body_init (&body);
  sonde_json_text_begin_array (&body, "targets");
  for (guint i = 0; names[i] != NULL; i++)
    {
      sonde_json_text_begin_object (&body, NULL);
      sonde_json_text_string (&body, "label", names[i]);
      sonde_json_text_int (&body, "start", g_utf8_strlen (line, word - line));
      sonde_json_text_int (&body, "length", g_utf8_strlen (word, -1));
      sonde_json_text_end_object (&body);
    }
  sonde_json_text_end_array (&body);
  sonde_dap_reply_body (dap, request, &body);
  return TRUE;
}

/* ---- changing ------------------------------------------------------------ */

static gboolean
set_value (SondeDap *dap, JsonNode *request, const char *place, const char *value, GError **error)
{
  g_autofree char *line = g_strdup_printf ("set %s = %s", place, value);
  g_autoptr (JsonObject) answer = sonde_dap_ask (dap, line, error);
  SondeJsonText body;

  if (answer == NULL)
    return FALSE;
  sonde_dap_body_init (&body);
  sonde_dap_append_value (dap, &body, "value", place, "");
  sonde_dap_reply_body (dap, request, &body);
  tell_changed (dap);
  return TRUE;
}

/* "[3]" below a value, or a value of a scope. */
static char *
place_of_variable (SondeDap *dap, gint64 number, const char *name)
{
  const SondeDapReference *reference = number >= 1 && number <= dap->references->len
                                           ? g_ptr_array_index (dap->references, (guint) number - 1)
                                           : NULL;
  g_autofree char *index = NULL;

  if (reference == NULL || reference->kind != SONDE_DAP_ELEMENTS)
    return g_strdup (name);
  index = g_strndup (name + (*name == '['), strcspn (name + (*name == '['), "]"));
  return g_strdup_printf ("%s[%s%s%s]", reference->value, reference->indices,
                          *reference->indices != '\0' ? ", " : "", index);
}

gboolean
sonde_dap_set_variable (SondeDap *dap, JsonNode *request, JsonObject *arguments, GError **error)
{
  const char *name = sonde_dap_get_string (arguments, "name"),
             *value = sonde_dap_get_string (arguments, "value");
  g_autofree char *place
      = name != NULL
            ? place_of_variable (dap, sonde_dap_get_int (arguments, "variablesReference", 0), name)
            : NULL;

  if (place != NULL && value != NULL)
    return sonde_dap_need_pause (dap, error) && set_value (dap, request, place, value, error);
  g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "A name and a value are needed.");
  return FALSE;
}

gboolean
sonde_dap_set_expression (SondeDap *dap, JsonNode *request, JsonObject *arguments, GError **error)
{
  const char *place = sonde_dap_get_string (arguments, "expression"),
             *value = sonde_dap_get_string (arguments, "value");

  if (place != NULL && value != NULL)
    return sonde_dap_need_pause (dap, error) && set_value (dap, request, place, value, error);
  g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "An expression and a value are needed.");
  return FALSE;
}

/* ---- raw bytes ----------------------------------------------------------- */

gboolean
sonde_dap_read_memory (SondeDap *dap, JsonNode *request, JsonObject *arguments, GError **error)
{
  const char *place = sonde_dap_get_string (arguments, "memoryReference");
  gint64 offset = sonde_dap_get_int (arguments, "offset", 0),
         count = sonde_dap_get_int (arguments, "count", 0);
  g_autoptr (SondeSessionReply) reply = NULL;
  g_autoptr (SondeTensor) tensor = NULL;
  g_autofree char *encoded = NULL;
  gint64 size, readable;
  SondeJsonText body;

  if (place == NULL)
    {
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                           "A memory reference is a value's name.");
      return FALSE;
    }
  reply = sonde_session_client_call (dap->client, sonde_session_request_tensor (place), -1, error);
  if (reply == NULL)
    return FALSE;
  tensor = reply->tensor != NULL && reply->dtype != SONDE_DTYPE_STRING
               ? sonde_tensor_contiguous (reply->tensor)
               : NULL;
  size = tensor != NULL ? (gint64) sonde_tensor_n_bytes (tensor) : 0;
  readable = offset >= 0 && offset < size ? MIN (MIN (MAX (count, 0), MAX_READ), size - offset) : 0;
  encoded = readable > 0
                ? g_base64_encode ((const guchar *) tensor->data + offset, (gsize) readable)
                : NULL;
  sonde_dap_body_init (&body);
  {
    g_autofree char *address
        = g_strdup_printf ("0x%" G_GINT64_MODIFIER "x", (guint64) MAX (offset, 0));

    sonde_json_text_string (&body, "address", address);
  }
  sonde_json_text_int (&body, "unreadableBytes", MAX (count, 0) - readable);
  if (encoded != NULL)
    sonde_json_text_string (&body, "data", encoded);
  sonde_dap_reply_body (dap, request, &body);
  return TRUE;
}
