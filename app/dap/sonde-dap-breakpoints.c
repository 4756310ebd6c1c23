/* SPDX-License-Identifier: Apache-2.0
 * Breakpoints on lines, on names, on values, and conditions that an editor calls exceptions. Each
 * set replaces the one of its kind that was before. */
#include "app/dap/sonde-dap-private.h"

#include <string.h>

/* ---- sets ---------------------------------------------------------------- */

static void
clear_ids (SondeDap *dap, GArray *ids)
{
  for (guint i = 0; i < ids->len; i++)
    {
      g_autofree char *line = g_strdup_printf ("clear %u", g_array_index (ids, guint, i));
      /* one that went with its stop is gone */
      g_autoptr (JsonObject) answer = sonde_dap_ask (dap, line, NULL);
    }
  g_array_set_size (ids, 0);
}

static gboolean
holds_id (const GArray *ids, guint id)
{
  for (guint i = 0; i < ids->len; i++)
    if (g_array_index (ids, guint, i) == id)
      return TRUE;
  return FALSE;
}

/* The "Breakpoint" of one entry: made by @line, or not. @at: line of the listing, 0: none */
static void
add_one (SondeDap *dap, SondeJsonText *body, GArray *ids, const char *line, guint at)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonObject) answer = sonde_dap_ask (dap, line, &error);
  guint id = answer != NULL ? (guint) sonde_dap_get_int (answer, "id", 0) : 0;

  sonde_json_text_begin_object (body, NULL);
  sonde_json_text_boolean (body, "verified", answer != NULL);
  if (id > 0)
    sonde_json_text_uint (body, "id", id);
  if (id > 0)
    g_array_append_val (ids, id);
  if (at > 0)
    {
      sonde_json_text_uint (body, "line", at - !dap->lines_at_1);
      sonde_dap_append_source (dap, body);
    }
  if (error != NULL)
    sonde_json_text_string (body, "message", error->message);
  sonde_json_text_end_object (body);
}

static void
add_refused (SondeJsonText *body, const char *message)
{
  sonde_json_text_begin_object (body, NULL);
  sonde_json_text_boolean (body, "verified", FALSE);
  sonde_json_text_string (body, "message", message);
  sonde_json_text_end_object (body);
}

/* "5" means from the fifth hit on; ">= 5", "% 2 == 0" stand behind "hits". Joined with the
 * condition. (transfer full) (nullable) */
static char *
join_conditions (const char *condition, const char *hits)
{
  g_autofree char *count = NULL;

  if (condition != NULL && *condition == '\0')
    condition = NULL;
  if (hits != NULL && *hits != '\0')
    count = g_strdup_printf (g_ascii_isdigit (*hits) ? "hits >= %s" : "hits %s", hits);
  if (condition == NULL || count == NULL)
    return g_strdup (condition != NULL ? condition : count);
  return g_strdup_printf ("(%s) && (%s)", condition, count);
}

/* The line that sets a breakpoint of an entry on @pattern. (transfer full) */
static char *
line_of_entry (JsonObject *entry, const char *pattern)
{
  const char *log = sonde_dap_get_string (entry, "logMessage");
  g_autofree char *condition = join_conditions (sonde_dap_get_string (entry, "condition"),
                                                sonde_dap_get_string (entry, "hitCondition"));
  g_autofree char *quoted
      = strchr (pattern, ' ') != NULL ? sonde_dap_quote (pattern) : g_strdup (pattern);

  if (log != NULL && *log != '\0')
    {
      g_auto (GStrv) parts = g_strsplit (log, "\"", -1);
      g_autofree char *text = g_strjoinv ("'", parts); /* the command's own quotes */

      return g_strdup_printf ("log %s \"%s\"%s%s", quoted, text, condition != NULL ? " if " : "",
                              condition != NULL ? condition : "");
    }
  return g_strdup_printf ("break %s%s%s", quoted, condition != NULL ? " if " : "",
                          condition != NULL ? condition : "");
}

static JsonObject *
entry_of (JsonArray *entries, guint i)
{
  JsonNode *node = json_array_get_element (entries, i);

  return JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL;
}

static guint
count_of (JsonArray *entries)
{
  return entries != NULL ? json_array_get_length (entries) : 0;
}

/* ---- lines and names ----------------------------------------------------- */

gboolean
sonde_dap_set_breakpoints (SondeDap *dap, JsonNode *request, JsonObject *arguments, GError **error)
{
  JsonObject *source = sonde_dap_get_object (arguments, "source");
  JsonArray *entries = sonde_dap_get_array (arguments, "breakpoints");
  gboolean ours = source != NULL && sonde_dap_is_listing (dap, source);
  SondeJsonText body;

  if (ours)
    clear_ids (dap, dap->source_breakpoints);
  sonde_dap_body_init (&body);
  sonde_json_text_begin_array (&body, "breakpoints");
  for (guint i = 0; i < count_of (entries); i++)
    {
      JsonObject *entry = entry_of (entries, i);
      gint64 line = entry != NULL ? sonde_dap_get_int (entry, "line", 0) + !dap->lines_at_1 : 0;
      guint found = 0;
      const char *node
          = ours && entry != NULL
                ? sonde_dap_node_on_line (dap, (guint) CLAMP (line, 0, G_MAXINT), &found)
                : NULL;
      g_autofree char *command = node != NULL ? line_of_entry (entry, node) : NULL;

      if (command != NULL)
        add_one (dap, &body, dap->source_breakpoints, command, found);
      else
        add_refused (&body, ours ? "No node is computed on this line or below."
                                 : "This file is not the listing of the network that is debugged.");
    }
  sonde_json_text_end_array (&body);
  sonde_dap_reply_body (dap, request, &body);
  return TRUE;
}

gboolean
sonde_dap_set_function_breakpoints (SondeDap *dap, JsonNode *request, JsonObject *arguments,
                                    GError **error)
{
  JsonArray *entries = sonde_dap_get_array (arguments, "breakpoints");
  SondeJsonText body;

  clear_ids (dap, dap->function_breakpoints);
  sonde_dap_body_init (&body);
  sonde_json_text_begin_array (&body, "breakpoints");
  for (guint i = 0; i < count_of (entries); i++)
    {
      JsonObject *entry = entry_of (entries, i);
      const char *name = entry != NULL ? sonde_dap_get_string (entry, "name") : NULL;
      g_autofree char *command = name != NULL ? line_of_entry (entry, name) : NULL;

      if (command != NULL)
        add_one (dap, &body, dap->function_breakpoints, command, 0);
      else
        add_refused (&body, "A name, a glob, op:TYPE or scope:NAME is needed.");
    }
  sonde_json_text_end_array (&body);
  sonde_dap_reply_body (dap, request, &body);
  return TRUE;
}

/* ---- values -------------------------------------------------------------- */

/* Name of the value that a variable or an expression stands for; NULL when it is none. */
static const char *
value_of_data (SondeDap *dap, JsonObject *arguments)
{
  gint64 number = sonde_dap_get_int (arguments, "variablesReference", 0);
  const char *name = sonde_dap_get_string (arguments, "name");

  if (number > 0 && number <= dap->references->len)
    {
      const SondeDapReference *reference = g_ptr_array_index (dap->references, (guint) number - 1);

      if (reference->value != NULL)
        return reference->value; /* an element: the whole value is watched */
    }
  return name;
}

gboolean
sonde_dap_data_breakpoint_info (SondeDap *dap, JsonNode *request, JsonObject *arguments,
                                GError **error)
{
  const char *name = value_of_data (dap, arguments);
  SondeJsonText body;

  sonde_dap_body_init (&body);
  sonde_json_text_string (&body, "dataId", name);
  if (name != NULL)
    {
      g_autofree char *text
          = g_strdup_printf ("%s, when it holds a NaN or an infinity, or by a condition", name);

      sonde_json_text_string (&body, "description", text);
    }
  else
    sonde_json_text_string (&body, "description", "Only values can be watched.");
  sonde_json_text_begin_array (&body, "accessTypes");
  sonde_json_text_string (&body, NULL, "write");
  sonde_json_text_end_array (&body);
  sonde_json_text_boolean (&body, "canPersist", TRUE);
  sonde_dap_reply_body (dap, request, &body);
  return TRUE;
}

/* A condition as it is ("absmax(x) > 1e4"), or one that begins with an operator or is short of the
 * value ("nan > 0"). */
static char *
watch_line (const char *value, const char *condition)
{
  if (condition == NULL || *condition == '\0')
    return g_strdup_printf ("watch nan(\"%s\") > 0 || inf(\"%s\") > 0", value, value);
  if (strchr ("<>=!", *condition) != NULL)
    return g_strdup_printf ("watch \"%s\" %s", value, condition);
  return g_strdup_printf ("watch %s", condition);
}

gboolean
sonde_dap_set_data_breakpoints (SondeDap *dap, JsonNode *request, JsonObject *arguments,
                                GError **error)
{
  JsonArray *entries = sonde_dap_get_array (arguments, "breakpoints");
  SondeJsonText body;

  clear_ids (dap, dap->data_breakpoints);
  sonde_dap_body_init (&body);
  sonde_json_text_begin_array (&body, "breakpoints");
  for (guint i = 0; i < count_of (entries); i++)
    {
      JsonObject *entry = entry_of (entries, i);
      const char *value = entry != NULL ? sonde_dap_get_string (entry, "dataId") : NULL;
      g_autofree char *command
          = value != NULL ? watch_line (value, sonde_dap_get_string (entry, "condition")) : NULL;

      if (command != NULL)
        add_one (dap, &body, dap->data_breakpoints, command, 0);
      else
        add_refused (&body, "Which value? dataBreakpointInfo gives the \"dataId\".");
    }
  sonde_json_text_end_array (&body);
  sonde_dap_reply_body (dap, request, &body);
  return TRUE;
}

/* ---- conditions that are always there ------------------------------------ */

static const struct
{
  const char *filter, *label, *description, *line;
} filters[] = {
  { "overflow", "NaN or infinity", "Any value that holds a NaN or an infinity",
    "watch preset tensor_overflow" },
  { "all-zero", "All zero", "Any value whose elements are all zero",
    "watch preset tensor_all_zero" },
  { "weight", "Weight overflow", "Any weight that holds a NaN or an infinity",
    "watch preset weight_overflow" },
  { "gradient", "Gradient exploded", "Any gradient that holds a NaN or an infinity",
    "watch preset gradient_exploding" },
  { "vanishing", "Gradient vanished", "Any gradient whose mean magnitude is below 1e-9",
    "watch preset gradient_vanishing abs_mean_lt=1e-9" },
  { "recommended", "Recommended set", "Every condition of the recommended set",
    "watch preset recommended" },
};

void
sonde_dap_append_exception_filters (SondeJsonText *body)
{
  sonde_json_text_begin_array (body, "exceptionBreakpointFilters");
  for (gsize i = 0; i < G_N_ELEMENTS (filters); i++)
    {
      sonde_json_text_begin_object (body, NULL);
      sonde_json_text_string (body, "filter", filters[i].filter);
      sonde_json_text_string (body, "label", filters[i].label);
      sonde_json_text_string (body, "description", filters[i].description);
      sonde_json_text_boolean (body, "default", FALSE);
      sonde_json_text_boolean (body, "supportsCondition", TRUE);
      sonde_json_text_string (body, "conditionDescription",
                              "values it looks at: a glob, op:TYPE, kind:gradient …");
      sonde_json_text_end_object (body);
    }
  sonde_json_text_end_array (body);
}

static void
clear_exception_watches (SondeDap *dap)
{
  g_autoptr (GList) ids = g_hash_table_get_keys (dap->exception_watches);

  for (GList *l = ids; l != NULL; l = l->next)
    {
      g_autofree char *line = g_strdup_printf ("clear %u", GPOINTER_TO_UINT (l->data));
      g_autoptr (JsonObject) answer = sonde_dap_ask (dap, line, NULL);
    }
  g_hash_table_remove_all (dap->exception_watches);
}

/* Notes the watches that @answer says were made: one "id", or several. */
static void
note_watches (SondeDap *dap, JsonObject *answer, const char *label)
{
  JsonArray *watches = sonde_dap_get_array (answer, "watches");
  gint64 id = sonde_dap_get_int (answer, "id", 0);

  if (id > 0)
    g_hash_table_insert (dap->exception_watches, GUINT_TO_POINTER ((guint) id), g_strdup (label));
  for (guint i = 0; i < count_of (watches); i++)
    {
      JsonObject *watch = entry_of (watches, i);

      if (watch != NULL && (id = sonde_dap_get_int (watch, "id", 0)) > 0)
        g_hash_table_insert (dap->exception_watches, GUINT_TO_POINTER ((guint) id),
                             g_strdup (label));
    }
}

static void
add_filter (SondeDap *dap, SondeJsonText *body, const char *name, const char *condition)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonObject) answer = NULL;

  for (gsize i = 0; name != NULL && i < G_N_ELEMENTS (filters); i++)
    if (g_str_equal (filters[i].filter, name))
      {
        g_autofree char *line
            = g_strconcat (filters[i].line, condition != NULL && *condition != '\0' ? " on " : "",
                           condition, NULL);

        answer = sonde_dap_ask (dap, line, &error);
        if (answer != NULL)
          note_watches (dap, answer, filters[i].label);
      }
  sonde_json_text_begin_object (body, NULL);
  sonde_json_text_boolean (body, "verified", answer != NULL);
  if (answer == NULL)
    sonde_json_text_string (body, "message",
                            error != NULL ? error->message : "There is no such condition.");
  sonde_json_text_end_object (body);
}

gboolean
sonde_dap_set_exception_breakpoints (SondeDap *dap, JsonNode *request, JsonObject *arguments,
                                     GError **error)
{
  JsonArray *names = sonde_dap_get_array (arguments, "filters");
  JsonArray *options = sonde_dap_get_array (arguments, "filterOptions");
  SondeJsonText body;

  clear_exception_watches (dap);
  sonde_dap_body_init (&body);
  sonde_json_text_begin_array (&body, "breakpoints");
  for (guint i = 0; i < count_of (names); i++)
    {
      JsonNode *name = json_array_get_element (names, i);

      add_filter (dap, &body, JSON_NODE_HOLDS_VALUE (name) ? json_node_get_string (name) : NULL,
                  NULL);
    }
  for (guint i = 0; i < count_of (options); i++)
    {
      JsonObject *option = entry_of (options, i);

      add_filter (dap, &body, sonde_dap_get_string (option, "filterId"),
                  sonde_dap_get_string (option, "condition"));
    }
  sonde_json_text_end_array (&body);
  sonde_dap_reply_body (dap, request, &body);
  return TRUE;
}

/* ---- what stopped it ----------------------------------------------------- */

/* The first watchpoint hit of a stop. (nullable) */
static JsonObject *
first_hit (JsonObject *answer)
{
  JsonArray *hits = sonde_dap_get_array (answer, "watchpoints");

  return count_of (hits) > 0 ? entry_of (hits, 0) : NULL;
}

const char *
sonde_dap_reason_of_ids (SondeDap *dap, JsonObject *answer)
{
  JsonArray *breakpoints = sonde_dap_get_array (answer, "breakpoints");
  JsonObject *hit = first_hit (answer);

  if (hit != NULL
      && g_hash_table_contains (dap->exception_watches,
                                GUINT_TO_POINTER ((guint) sonde_dap_get_int (hit, "id", 0))))
    return "exception";
  if (count_of (breakpoints) > 0
      && holds_id (dap->function_breakpoints, (guint) json_array_get_int_element (breakpoints, 0)))
    return "function breakpoint";
  return NULL;
}

/* "parameter actual (limit threshold) of value" of a hit. (transfer full) */
static char *
describe_hit (JsonObject *hit)
{
  GString *text = g_string_new (sonde_dap_get_string (hit, "value"));
  JsonNode *actual = json_object_get_member (hit, "actual"),
           *threshold = json_object_get_member (hit, "threshold");
  const char *parameter = sonde_dap_get_string (hit, "parameter");
  g_autofree char *actual_text = actual != NULL ? json_to_string (actual, FALSE) : NULL;
  g_autofree char *threshold_text = threshold != NULL ? json_to_string (threshold, FALSE) : NULL;

  if (parameter != NULL)
    g_string_append_printf (text, ": %s", parameter);
  if (actual_text != NULL)
    g_string_append_printf (text, " is %s", actual_text);
  if (threshold_text != NULL)
    g_string_append_printf (text, ", limit %s", threshold_text);
  return g_string_free (text, FALSE);
}

gboolean
sonde_dap_exception_info (SondeDap *dap, JsonNode *request, JsonObject *arguments, GError **error)
{
  JsonObject *hit = dap->stop != NULL ? first_hit (dap->stop) : NULL;
  g_autofree char *description = hit != NULL ? describe_hit (hit) : NULL;
  const char *label
      = hit != NULL ? g_hash_table_lookup (
            dap->exception_watches, GUINT_TO_POINTER ((guint) sonde_dap_get_int (hit, "id", 0)))
                    : NULL;
  SondeJsonText body;

  if (hit == NULL)
    {
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                           "The run has not stopped at a condition.");
      return FALSE;
    }
  sonde_dap_body_init (&body);
  sonde_json_text_string (&body, "exceptionId", label != NULL ? label : "watchpoint");
  sonde_json_text_string (&body, "description", description);
  sonde_json_text_string (&body, "breakMode", "always");
  sonde_dap_reply_body (dap, request, &body);
  return TRUE;
}
