/* SPDX-License-Identifier: Apache-2.0
 * Conditions and texts of breakpoints: looked at when the node comes by, and then only. */
#include <string.h>

#include "engine/debug/sonde-debugger-private.h"
#include "engine/debug/sonde-debugger-source.h"

#define SHOWN_ELEMENTS 8 /* of a tensor in a log line */

/* ---- texts: "loss {mean(x)}" --------------------------------------------- */

/* A piece of a text: as it stands, or an expression. */
typedef struct
{
  char *text;
  SondeExpression *expression;
} Piece;

static void
piece_free (void *data)
{
  Piece *piece = data;

  g_free (piece->text);
  sonde_expression_free (piece->expression);
  g_free (piece);
}

static Piece *
add_piece (GPtrArray *pieces)
{
  Piece *piece = g_new0 (Piece, 1);

  g_ptr_array_add (pieces, piece);
  return piece;
}

static gboolean
ends_name (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '\'' || (guchar) c >= 0x80;
}

/* Up to the } that closes the expression at @text; quotes may hold one. NULL when there is none. */
static const char *
end_of_expression (const char *text)
{
  char quote = '\0', before = ' ';

  for (; *text != '\0'; before = *text++)
    {
      if (quote == '\0' && *text == '}')
        return text;
      if (*text == quote)
        quote = '\0';
      /* P' holds no quote */
      else if (quote == '\0' && (*text == '"' || (*text == '\'' && !ends_name (before))))
        quote = *text;
    }
  return NULL;
}

/* @text: behind the {. Moves it behind the }. */
static gboolean
parse_inserted (GPtrArray *pieces, const char **text, GError **error)
{
  const char *end = end_of_expression (*text);
  g_autofree char *inside = end != NULL ? g_strndup (*text, (gsize) (end - *text)) : NULL;

  if (end == NULL)
    {
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                           "A “{” in the text is not closed; {{ stands for the character itself.");
      return FALSE;
    }
  add_piece (pieces)->expression = sonde_expression_parse (inside, error);
  *text = end + 1;
  return ((Piece *) g_ptr_array_index (pieces, pieces->len - 1))->expression != NULL;
}

static GPtrArray *
parse_text (const char *text, GError **error)
{
  g_autoptr (GPtrArray) pieces = g_ptr_array_new_with_free_func (piece_free);
  g_autoptr (GString) plain = g_string_new (NULL);

  while (*text != '\0')
    {
      gboolean doubled = (*text == '{' || *text == '}') && text[1] == *text;

      if (*text == '{' && !doubled)
        {
          add_piece (pieces)->text = g_strdup (plain->str);
          g_string_truncate (plain, 0);
          text++;
          if (!parse_inserted (pieces, &text, error))
            return NULL;
          continue;
        }
      g_string_append_c (plain, *text);
      text += doubled ? 2 : 1;
    }
  add_piece (pieces)->text = g_strdup (plain->str);
  return g_steal_pointer (&pieces);
}

static void
append_tensor (GString *text, const SondeTensor *tensor)
{
  gint64 n = sonde_tensor_n_elements (tensor);
  gboolean single = tensor->shape.rank == 0;

  if (!single)
    g_string_append_c (text, '[');
  for (gint64 i = 0; i < MIN (n, SHOWN_ELEMENTS); i++)
    {
      g_autofree char *element = sonde_tensor_format_element (tensor, i);

      g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", element);
    }
  if (!single)
    g_string_append (text, n > SHOWN_ELEMENTS ? ", …]" : "]");
}

static void
append_result (GString *text, const SondeExpressionResult *result)
{
  if (result->tensor != NULL)
    append_tensor (text, result->tensor);
  else if (result->dtype == SONDE_DTYPE_BOOL)
    g_string_append (text, result->truth ? "true" : "false");
  else if (result->number != result->number) /* whatever its sign */
    g_string_append (text, "nan");
  else
    g_string_append_printf (text, "%.9g", result->number);
}

static char *
format_text (const GPtrArray *pieces, SondeExpressionSource *source)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < pieces->len; i++)
    {
      const Piece *piece = g_ptr_array_index (pieces, i);
      g_auto (SondeExpressionResult) result = { 0 };
      g_autoptr (GError) error = NULL;

      if (piece->expression == NULL)
        g_string_append (text, piece->text);
      else if (sonde_expression_evaluate (piece->expression, source, &result, &error))
        append_result (text, &result);
      else
        g_string_append_printf (text, "{%s}", error->message);
    }
  return g_string_free (text, FALSE);
}

/* ---- what is armed ------------------------------------------------------- */

/* Every expression of @breakpoint, one after the other; NULL behind the last. */
static SondeExpression *
get_expression (const SondeArmedBreakpoint *breakpoint, guint k)
{
  SondeExpression *const conditions[] = { breakpoint->condition, breakpoint->hit_condition };

  for (guint i = 0; i < G_N_ELEMENTS (conditions); i++)
    if (conditions[i] != NULL && k-- == 0)
      return conditions[i];
  for (guint i = 0; breakpoint->log != NULL && i < breakpoint->log->len; i++)
    {
      const Piece *piece = g_ptr_array_index (breakpoint->log, i);

      if (piece->expression != NULL && k-- == 0)
        return piece->expression;
    }
  return NULL;
}

/* What @breakpoint reads is there, as far as it can be known: values of bodies that have not run
 * cannot. */
static gboolean
check_names (SondeDebugger *debugger, SondeArmedBreakpoint *breakpoint, GError **error)
{
  SondeExpression *expression;
  gboolean inside = sonde_debugger_count_inside (debugger, breakpoint->info.pattern) > 0;

  for (guint k = 0; !inside && (expression = get_expression (breakpoint, k)) != NULL; k++)
    for (guint r = 0; r < sonde_expression_get_n_references (expression); r++)
      {
        const SondeReference *reference = sonde_expression_get_reference (expression, r);
        g_autofree char *slice = NULL;
        SondeExecution *execution;

        if (reference->glob || g_str_equal (reference->name, "hits")
            || g_str_equal (reference->name, "step"))
          continue;
        if (sonde_debugger_find_value (debugger, reference->name, &execution, &slice, error)
            == NULL)
          return FALSE;
      }
  return TRUE;
}

/* One of @places is the step that makes what @reference names, or a node inside a body does. */
static gboolean
is_made_at (SondeDebugger *debugger, const SondeArmedBreakpoint *breakpoint,
            const SondeReference *reference, const GArray *places)
{
  g_autofree char *slice = NULL;
  SondeExecution *execution;
  SondeGraphValue *value
      = sonde_debugger_find_value (debugger, reference->name, &execution, &slice, NULL);
  int step = value != NULL && value->producer != NULL
                 ? sonde_plan_find_step (sonde_execution_get_plan (execution), value->producer)
                 : -1;

  if (sonde_places_make_inside (
          sonde_plan_get_graph (sonde_execution_get_plan (sonde_debugger_get_execution (debugger))),
          breakpoint->info.pattern, reference->name))
    return TRUE;
  for (guint i = 0;
       step >= 0 && execution == sonde_debugger_get_execution (debugger) && i < places->len; i++)
    if (g_array_index (places, SondePlace, i).step == (guint) step)
      return TRUE;
  return FALSE;
}

void
sonde_breakpoint_choose_moment (SondeDebugger *debugger, SondeArmedBreakpoint *breakpoint,
                                const GArray *places)
{
  SondeExpression *expression;

  for (guint k = 0; (expression = get_expression (breakpoint, k)) != NULL; k++)
    for (guint r = 0; r < sonde_expression_get_n_references (expression); r++)
      {
        const SondeReference *reference = sonde_expression_get_reference (expression, r);

        if (!reference->previous && !reference->glob
            && (g_str_equal (reference->name, breakpoint->info.pattern)
                || is_made_at (debugger, breakpoint, reference, places)))
          breakpoint->info.moment = SONDE_MOMENT_AFTER;
      }
}

gboolean
sonde_breakpoint_arm (SondeDebugger *debugger, SondeArmedBreakpoint *breakpoint,
                      const SondeBreakpointSpec *spec, GError **error)
{
  breakpoint->info.condition = g_strdup (spec->condition);
  breakpoint->info.hit_condition = g_strdup (spec->hit_condition);
  breakpoint->info.log = g_strdup (spec->log);
  if (spec->condition != NULL
      && (breakpoint->condition = sonde_expression_parse (spec->condition, error)) == NULL)
    return FALSE;
  if (spec->hit_condition != NULL
      && (breakpoint->hit_condition = sonde_expression_parse (spec->hit_condition, error)) == NULL)
    return FALSE;
  if (spec->log != NULL && (breakpoint->log = parse_text (spec->log, error)) == NULL)
    return FALSE;
  return check_names (debugger, breakpoint, error);
}

void
sonde_breakpoint_keep (SondeDebugger *debugger, SondeArmedBreakpoint *breakpoint)
{
  SondeExpression *expression;

  breakpoint->keeps = TRUE;
  for (guint k = 0; (expression = get_expression (breakpoint, k)) != NULL; k++)
    sonde_debugger_keep_references (debugger, expression,
                                    NULL); /* else it is unknown, and says why */
}

void
sonde_breakpoint_disarm (SondeDebugger *debugger, SondeArmedBreakpoint *breakpoint)
{
  SondeExpression *expression;

  for (guint k = 0; breakpoint->keeps && (expression = get_expression (breakpoint, k)) != NULL; k++)
    sonde_debugger_drop_references (debugger, expression);
  sonde_expression_free (breakpoint->condition);
  sonde_expression_free (breakpoint->hit_condition);
  g_clear_pointer (&breakpoint->log, g_ptr_array_unref);
  g_free (breakpoint->info.condition);
  g_free (breakpoint->info.hit_condition);
  g_free (breakpoint->info.log);
  g_free (breakpoint->info.note);
}

/* ---- when it comes by ---------------------------------------------------- */

/* TRUE when it holds, or cannot be evaluated: then it stops, as gdb does, and
 * debugger->condition_error says why. What is unknown does not hold; the breakpoint notes why. */
static gboolean
holds (SondeDebugger *debugger, SondeArmedBreakpoint *breakpoint, SondeExpression *expression,
       guint64 hits)
{
  SondeDebuggerSource source;
  g_auto (SondeExpressionResult) result = { 0 };
  g_autoptr (GError) error = NULL;

  if (expression == NULL)
    return TRUE;
  sonde_debugger_source_init (&source, debugger);
  source.has_hits = TRUE;
  source.hits = hits;
  if (sonde_expression_evaluate (expression, &source.source, &result, &error))
    return result.truth;
  g_free (breakpoint->info.note);
  breakpoint->info.note = g_strdup (error->message);
  if (g_error_matches (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE))
    return FALSE;
  if (breakpoint->log == NULL && debugger->condition_error == NULL)
    debugger->condition_error
        = g_strdup_printf ("Breakpoint %u: %s: %s", breakpoint->info.id,
                           sonde_expression_get_text (expression), error->message);
  return TRUE;
}

static void
say (SondeDebugger *debugger, SondeArmedBreakpoint *breakpoint, const char *node)
{
  SondeDebuggerSource source;
  g_autofree char *text = NULL;
  SondeLogLine line
      = { .breakpoint = breakpoint->info.id, .node = node, .moment = breakpoint->info.moment };

  if (debugger->log_callback == NULL)
    return;
  sonde_debugger_source_init (&source, debugger);
  source.has_hits = TRUE;
  source.hits = breakpoint->info.hits;
  text = format_text (breakpoint->log, &source.source);
  line.text = text;
  line.step = debugger->step;
  debugger->log_callback (&line, debugger->log_data);
}

gboolean
sonde_breakpoint_comes_by (SondeDebugger *debugger, SondeArmedBreakpoint *breakpoint,
                           const char *node)
{
  /* back again: nothing is counted or said a second time */
  if (sonde_debugger_is_going_back (debugger))
    return breakpoint->log == NULL
           && holds (debugger, breakpoint, breakpoint->condition, breakpoint->info.hits);
  breakpoint->info.hits++;
  if (!holds (debugger, breakpoint, breakpoint->condition, breakpoint->info.hits))
    return FALSE;
  breakpoint->held++;
  if (!holds (debugger, breakpoint, breakpoint->hit_condition, breakpoint->held))
    return FALSE;
  if (breakpoint->info.ignore > 0)
    {
      breakpoint->info.ignore--;
      return FALSE;
    }
  if (breakpoint->log == NULL)
    return TRUE;
  say (debugger, breakpoint, node);
  return FALSE;
}

void
sonde_debugger_set_log_callback (SondeDebugger *debugger, SondeDebuggerLog callback, gpointer data)
{
  debugger->log_callback = callback;
  debugger->log_data = data;
}
