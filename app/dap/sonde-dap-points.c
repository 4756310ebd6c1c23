/* SPDX-License-Identifier: Apache-2.0
 * Breakpoints on lines, names and values, and conditions, which DAP calls exceptions. Each request
 * replaces the set of its predecessor. */
#include "app/dap/sonde-dap-points.h"

#include <math.h>
#include <string.h>

#include "engine/ops/sonde-engine-error.h"

/* ---- a set --------------------------------------------------------------- */

/**
 * Entry: one requested breakpoint
 * @question: index of its question, -1: refused because of @why (static, marked by N_())
 * @line: of the listing, 0: none; @label: (nullable) (static): of an exception filter, marked by N_()
 */
typedef struct
{
  int question;
  const char *why, *label;
  guint line;
} Entry;

/* A set that is being made. */
typedef struct
{
  SondeDapBreakpointSet set;
  GArray *entries;
  GPtrArray *questions;
} Making;

/* Removes the previous breakpoints of the set; they and the new ones change in one go. */
static Making *
making_new (SondeDap *dap, SondeDapBreakpointSet set, gboolean replace)
{
  Making *making = g_new0 (Making, 1);
  g_autoptr (GArray) old
      = replace ? sonde_dap_breakpoints_steal (dap->breakpoints, set) : g_array_new (0, 0, 1);

  making->set = set;
  making->entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  making->questions = g_ptr_array_new ();
  for (guint i = 0; i < old->len; i++) /* temporary ones may be gone */
    sonde_dap_tell (dap, sonde_session_request_remove_breakpoint (g_array_index (old, guint, i)));
  return making;
}

/* @question: (transfer full) */
static void
add (Making *making, SondeSessionRequest *question, guint line, const char *label)
{
  Entry entry = { (int) making->questions->len, NULL, label, line };

  g_ptr_array_add (making->questions, question);
  g_array_append_val (making->entries, entry);
}

static void
refuse (Making *making, const char *why)
{
  Entry entry = { -1, why, NULL, 0 };

  g_array_append_val (making->entries, entry);
}

/* Notes the ids that came of it. Returns: the first, 0: none */
static guint
note_ids (SondeDap *dap, const Making *making, const Entry *entry, const SondeSessionReply *reply)
{
  guint first = 0;

  for (guint i = 0; reply->breakpoints != NULL && i < reply->breakpoints->len; i++)
    {
      const SondeBreakpoint *info = g_ptr_array_index (reply->breakpoints, i);

      first = first > 0 ? first : info->id;
      sonde_dap_breakpoints_add (dap->breakpoints, making->set, info->id, entry->label);
    }
  for (guint i = 0; reply->watches != NULL && i < reply->watches->len; i++)
    {
      const SondeWatch *info = g_ptr_array_index (reply->watches, i);

      first = first > 0 ? first : info->id;
      sonde_dap_breakpoints_add (dap->breakpoints, making->set, info->id, entry->label);
    }
  return first;
}

static void
append_breakpoint (SondeDap *dap, JsonBuilder *body, const Making *making, const Entry *entry,
                   const SondeDapAnswer *answer)
{
  const SondeSessionReply *reply = answer != NULL ? answer->reply : NULL;
  guint id = reply != NULL ? note_ids (dap, making, entry, reply) : 0;

  json_builder_begin_object (body);
  sonde_json_set_boolean (body, "verified", reply != NULL);
  if (id > 0)
    sonde_json_set_int (body, "id", id);
  if (entry->line > 0)
    {
      sonde_json_set_int (body, "line", entry->line - !dap->lines_at_1);
      sonde_json_begin_object (body, "source");
      sonde_dap_source_append (dap->source, body);
      json_builder_end_object (body);
    }
  if (reply == NULL)
    sonde_json_set_string (body, "message",
                           answer != NULL ? sonde_error_get_text (answer->error) : _ (entry->why));
  json_builder_end_object (body);
}

static void
take_made (SondeDapRequest *request, GPtrArray *answers, gpointer data)
{
  Making *making = data;
  JsonBuilder *body = sonde_dap_body_new ();

  sonde_json_begin_array (body, "breakpoints");
  for (guint i = 0; i < making->entries->len; i++)
    {
      const Entry *entry = &g_array_index (making->entries, Entry, i);

      append_breakpoint (request->dap, body, making, entry,
                         entry->question >= 0 ? g_ptr_array_index (answers, (guint) entry->question)
                                              : NULL);
    }
  json_builder_end_array (body);
  g_array_unref (making->entries);
  g_free (making);
  sonde_dap_request_reply (request, body);
}

static void
make (SondeDapRequest *request, Making *making)
{
  sonde_dap_ask_all (request, making->questions, take_made, making);
}

/* ---- lines and names ----------------------------------------------------- */

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

/* Of an entry of the editor, on @pattern. */
static SondeSessionRequest *
make_breakpoint (JsonObject *entry, const char *pattern)
{
  const char *log = sonde_dap_get_string (entry, "logMessage");
  g_autofree char *condition = join_conditions (sonde_dap_get_string (entry, "condition"),
                                                sonde_dap_get_string (entry, "hitCondition"));
  const SondeBreakpointSpec spec = { .pattern = pattern,
                                     .either = TRUE,
                                     .condition = condition,
                                     .log = log != NULL && *log != '\0' ? log : NULL };

  return sonde_session_request_add_breakpoint (&spec);
}

void
sonde_dap_set_breakpoints (SondeDapRequest *request)
{
  SondeDap *dap = request->dap;
  JsonObject *source = sonde_dap_get_object (request->arguments, "source");
  JsonArray *entries = sonde_dap_get_array (request->arguments, "breakpoints");
  gboolean ours = source != NULL && sonde_dap_source_is (dap->source, source);
  Making *making = making_new (dap, SONDE_DAP_SET_LINES, ours);

  for (guint i = 0; i < sonde_dap_get_length (entries); i++)
    {
      JsonObject *entry = sonde_dap_get_element (entries, i);
      guint line = sonde_dap_get_uint (entry, "line", 0) + !dap->lines_at_1, found = 0;
      const char *node
          = ours && entry != NULL ? sonde_dap_source_find_node (dap->source, line, &found) : NULL;

      if (node != NULL)
        add (making, make_breakpoint (entry, node), found, NULL);
      else
        refuse (making, ours ? N_ ("There is no node on this line or below.")
                             : N_ ("This file is not the listing of the debugged model."));
    }
  make (request, making);
}

void
sonde_dap_set_function_breakpoints (SondeDapRequest *request)
{
  JsonArray *entries = sonde_dap_get_array (request->arguments, "breakpoints");
  Making *making = making_new (request->dap, SONDE_DAP_SET_NAMES, TRUE);

  for (guint i = 0; i < sonde_dap_get_length (entries); i++)
    {
      JsonObject *entry = sonde_dap_get_element (entries, i);
      const char *name = sonde_dap_get_string (entry, "name");

      if (name != NULL && *name != '\0')
        add (making, make_breakpoint (entry, name), 0, NULL);
      else
        refuse (making, N_ ("A name, a glob, op:TYPE or scope:NAME is required."));
    }
  make (request, making);
}

void
sonde_dap_breakpoint_locations (SondeDapRequest *request)
{
  const SondeDap *dap = request->dap;
  guint base = !dap->lines_at_1;
  guint line = sonde_dap_get_uint (request->arguments, "line", 0) + base, found = 0;
  guint last = sonde_dap_get_uint (request->arguments, "endLine", line - base) + base;
  JsonBuilder *body = sonde_dap_body_new ();

  sonde_json_begin_array (body, "breakpoints");
  while (sonde_dap_source_find_node (dap->source, line, &found) != NULL && found <= last)
    {
      json_builder_begin_object (body);
      sonde_json_set_int (body, "line", found - base);
      json_builder_end_object (body);
      line = found + 1;
    }
  json_builder_end_array (body);
  sonde_dap_request_reply (request, body);
}

/* ---- values -------------------------------------------------------------- */

void
sonde_dap_data_breakpoint_info (SondeDapRequest *request)
{
  const SondeDapReference *reference = sonde_dap_variables_find (
      request->dap->variables, sonde_dap_get_int (request->arguments, "variablesReference", 0));
  /* elements cannot be watched, only whole values */
  const char *name = reference != NULL && reference->value != NULL
                         ? reference->value
                         : sonde_dap_get_string (request->arguments, "name");
  JsonBuilder *body = sonde_dap_body_new ();
  g_autofree char *text
      = name != NULL ? g_strdup_printf (
            _ ("Stop when %s contains a NaN or an infinity, or meets a condition"), name)
                     : g_strdup (_ ("Only values can be watched."));

  sonde_json_set_string (body, "dataId", name);
  sonde_json_set_string (body, "description", text);
  sonde_json_begin_array (body, "accessTypes");
  json_builder_add_string_value (body, "write");
  json_builder_end_array (body);
  sonde_json_set_boolean (body, "canPersist", TRUE);
  sonde_dap_request_reply (request, body);
}

/* A condition as it is ("absmax(x) > 1e4"), or one that begins with an operator and lacks the
 * value ("> 0"). */
static SondeSessionRequest *
make_watch (const char *value, const char *condition)
{
  g_autofree char *text = NULL;

  if (condition == NULL || *condition == '\0')
    text = g_strdup_printf ("nan(\"%s\") > 0 || inf(\"%s\") > 0", value, value);
  else if (strchr ("<>=!", *condition) != NULL)
    text = g_strdup_printf ("\"%s\" %s", value, condition);
  else
    text = g_strdup (condition);
  return sonde_session_request_add_watch (text);
}

void
sonde_dap_set_data_breakpoints (SondeDapRequest *request)
{
  JsonArray *entries = sonde_dap_get_array (request->arguments, "breakpoints");
  Making *making = making_new (request->dap, SONDE_DAP_SET_VALUES, TRUE);

  for (guint i = 0; i < sonde_dap_get_length (entries); i++)
    {
      JsonObject *entry = sonde_dap_get_element (entries, i);
      const char *value = sonde_dap_get_string (entry, "dataId");

      if (value != NULL)
        add (making, make_watch (value, sonde_dap_get_string (entry, "condition")), 0, NULL);
      else
        refuse (making, N_ ("The value is missing: use the \"dataId\" of dataBreakpointInfo."));
    }
  make (request, making);
}

/* ---- exception filters --------------------------------------------------- */

/* @watch: NULL: a breakpoint at errors */
static const struct
{
  const char *filter, *label, *description, *watch;
} filters[] = {
  { "error", N_ ("Error"), N_ ("A node that fails, in a PyTorch program"), NULL },
  { "overflow", N_ ("NaN or infinity"), N_ ("Any value that contains a NaN or an infinity"),
    "preset tensor_overflow" },
  { "all-zero", N_ ("All zero"), N_ ("Any value whose elements are all zero"),
    "preset tensor_all_zero" },
  { "weight", N_ ("Weight overflow"), N_ ("Any weight that contains a NaN or an infinity"),
    "preset weight_overflow" },
  { "gradient", N_ ("Exploding gradient"), N_ ("Any gradient that contains a NaN or an infinity"),
    "preset gradient_exploding" },
  { "vanishing", N_ ("Vanishing gradient"), N_ ("Any gradient whose mean magnitude is below 1e-9"),
    "preset gradient_vanishing abs_mean_lt=1e-9" },
  { "recommended", N_ ("Recommended set"), N_ ("Every condition of the recommended set"),
    "preset recommended" },
};

void
sonde_dap_append_exception_filters (JsonBuilder *body)
{
  sonde_json_begin_array (body, "exceptionBreakpointFilters");
  for (gsize i = 0; i < G_N_ELEMENTS (filters); i++)
    {
      json_builder_begin_object (body);
      sonde_json_set_string (body, "filter", filters[i].filter);
      sonde_json_set_string (body, "label", _ (filters[i].label));
      sonde_json_set_string (body, "description", _ (filters[i].description));
      sonde_json_set_boolean (body, "default", FALSE);
      sonde_json_set_boolean (body, "supportsCondition", TRUE);
      sonde_json_set_string (body, "conditionDescription",
                             filters[i].watch != NULL
                                 ? _ ("Values to check: a glob, op:TYPE, kind:gradient …")
                                 : _ ("A condition: step > 10"));
      json_builder_end_object (body);
    }
  json_builder_end_array (body);
}

/* Of filter @i; @on: (nullable): on which values; of errors: under which condition */
static SondeSessionRequest *
make_filter (gsize i, const char *on)
{
  const SondeBreakpointSpec errors
      = { .pattern = SONDE_BREAKPOINT_ERRORS, .either = TRUE, .condition = on };
  g_autofree char *text = NULL;

  if (filters[i].watch == NULL)
    return sonde_session_request_add_breakpoint (&errors);
  text = g_strconcat (filters[i].watch, on != NULL ? " on " : NULL, on, NULL);
  return sonde_session_request_add_watch (text);
}

/* @name, @condition: (nullable) */
static void
add_filter (Making *making, const char *name, const char *condition)
{
  if (condition != NULL && *condition == '\0')
    condition = NULL;
  for (gsize i = 0; name != NULL && i < G_N_ELEMENTS (filters); i++)
    if (g_str_equal (filters[i].filter, name))
      {
        add (making, make_filter (i, condition), 0, filters[i].label);
        return;
      }
  refuse (making, N_ ("There is no such condition."));
}

void
sonde_dap_set_exception_breakpoints (SondeDapRequest *request)
{
  JsonArray *names = sonde_dap_get_array (request->arguments, "filters");
  JsonArray *options = sonde_dap_get_array (request->arguments, "filterOptions");
  Making *making = making_new (request->dap, SONDE_DAP_SET_CONDITIONS, TRUE);

  for (guint i = 0; i < sonde_dap_get_length (names); i++)
    {
      JsonNode *name = json_array_get_element (names, i);

      add_filter (making, JSON_NODE_HOLDS_VALUE (name) ? json_node_get_string (name) : NULL, NULL);
    }
  for (guint i = 0; i < sonde_dap_get_length (options); i++)
    {
      JsonObject *option = sonde_dap_get_element (options, i);

      add_filter (making, sonde_dap_get_string (option, "filterId"),
                  sonde_dap_get_string (option, "condition"));
    }
  make (request, making);
}

/* ---- the reason of a stop -------------------------------------------------- */

/* (transfer full) */
static char *
describe_hit (const SondeWatchHit *hit)
{
  const char *parameter = hit->parameter != NULL ? hit->parameter : hit->condition;
  g_autofree char *unchecked = sonde_unchecked_to_string (hit->unchecked);

  if (hit->unchecked != 0)
    return g_strdup_printf (_ ("%s: %s not checked (%s)"), hit->value, parameter, unchecked);
  if (isnan (hit->threshold))
    return g_strdup_printf (_ ("%s: %s is %.9g"), hit->value, parameter, hit->actual);
  return g_strdup_printf (_ ("%s: %s is %.9g, limit %.9g"), hit->value, parameter, hit->actual,
                          hit->threshold);
}

static void
reply_with_exception (SondeDapRequest *request, const char *id, const char *description)
{
  JsonBuilder *body = sonde_dap_body_new ();

  sonde_json_set_string (body, "exceptionId", id);
  sonde_json_set_string (body, "description", description);
  sonde_json_set_string (body, "breakMode", "always");
  sonde_dap_request_reply (request, body);
}

void
sonde_dap_exception_info (SondeDapRequest *request)
{
  const SondeDap *dap = request->dap;
  const GPtrArray *hits = dap->status->stop.watchpoints;
  const SondeWatchHit *hit = hits != NULL && hits->len > 0 ? g_ptr_array_index (hits, 0) : NULL;
  g_autofree char *description = hit != NULL ? describe_hit (hit) : NULL;
  const char *label
      = hit != NULL ? sonde_dap_breakpoints_get_label (dap->breakpoints, hit->watch) : NULL;

  if (dap->status->stop.error != NULL)
    reply_with_exception (request, _ ("Error"), dap->status->stop.error);
  else if (hit != NULL)
    reply_with_exception (request, label != NULL ? _ (label) : "watchpoint", description);
  else
    sonde_dap_request_refuse (request, SONDE_ENGINE_ERROR_STATE,
                              N_ ("The run has not stopped at a condition."));
}
