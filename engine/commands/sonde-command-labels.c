/* SPDX-License-Identifier: Apache-2.0
 * Words and lists in the user's language. */
#include "engine/commands/sonde-command-labels.h"

#include "data/base/sonde-text.h"

/* ---- words --------------------------------------------------------------- */

#define LABEL(table, k) ((guint) (k) < G_N_ELEMENTS (table) ? table[k] : table[0])

const char *
sonde_command_label_state (SondeSessionState state)
{
  static const char *const labels[] = {
    [SONDE_SESSION_EMPTY] = NC_ ("state of a session", "empty"),
    [SONDE_SESSION_LOADING] = NC_ ("state of a session", "loading"),
    [SONDE_SESSION_READY] = NC_ ("state of a session", "ready"),
    [SONDE_SESSION_RUNNING] = NC_ ("state of a session", "running"),
    [SONDE_SESSION_PAUSED] = NC_ ("state of a session", "paused"),
    [SONDE_SESSION_ENDED] = NC_ ("state of a session", "ended"),
  };

  return g_dpgettext2 (GETTEXT_PACKAGE, "state of a session", LABEL (labels, state));
}

const char *
sonde_command_label_result (SondeSessionResult result)
{
  static const char *const labels[] = {
    [SONDE_SESSION_DONE] = NC_ ("result of a run", "done"),
    [SONDE_SESSION_STOPPED] = NC_ ("result of a run", "stopped"),
    [SONDE_SESSION_FAILED] = NC_ ("result of a run", "failed"),
  };

  return g_dpgettext2 (GETTEXT_PACKAGE, "result of a run", LABEL (labels, result));
}

const char *
sonde_command_label_reason (SondeStopReason reason)
{
  static const char *const labels[] = {
    [SONDE_STOP_NONE] = NC_ ("reason of a stop", "none"),
    [SONDE_STOP_BREAKPOINT] = NC_ ("reason of a stop", "breakpoint"),
    [SONDE_STOP_STEP] = NC_ ("reason of a stop", "step"),
    [SONDE_STOP_UNTIL] = NC_ ("reason of a stop", "until"),
    [SONDE_STOP_PAUSE] = NC_ ("reason of a stop", "pause"),
    [SONDE_STOP_WATCHPOINT] = NC_ ("reason of a stop", "watchpoint"),
    [SONDE_STOP_BEGINNING] = NC_ ("reason of a stop", "beginning"),
    [SONDE_STOP_ERROR] = NC_ ("reason of a stop", "error"),
  };

  return g_dpgettext2 (GETTEXT_PACKAGE, "reason of a stop", LABEL (labels, reason));
}

const char *
sonde_command_label_phase (SondePhase phase)
{
  static const char *const labels[] = {
    [SONDE_PHASE_FORWARD] = NC_ ("phase of a training step", "forward"),
    [SONDE_PHASE_BACKWARD] = NC_ ("phase of a training step", "backward"),
    [SONDE_PHASE_OPTIMISER] = NC_ ("phase of a training step", "optimiser"),
  };

  return g_dpgettext2 (GETTEXT_PACKAGE, "phase of a training step", LABEL (labels, phase));
}

const char *
sonde_command_label_role (SondeValueRole role)
{
  static const char *const labels[] = {
    [SONDE_ROLE_NORMAL] = NC_ ("role of a value", "value"),
    [SONDE_ROLE_INPUT] = NC_ ("role of a value", "input"),
    [SONDE_ROLE_PARAMETER] = NC_ ("role of a value", "parameter"),
    [SONDE_ROLE_CONSTANT] = NC_ ("role of a value", "constant"),
    [SONDE_ROLE_STATE] = NC_ ("role of a value", "state"),
  };

  return g_dpgettext2 (GETTEXT_PACKAGE, "role of a value", LABEL (labels, role));
}

char *
sonde_command_format_place (SondeMoment moment, const char *node, const char *op)
{
  if (op == NULL)
    return moment == SONDE_MOMENT_AFTER ? g_strdup_printf (_ ("after %s"), node)
                                        : g_strdup_printf (_ ("before %s"), node);
  return moment == SONDE_MOMENT_AFTER ? g_strdup_printf (_ ("after %s (%s)"), node, op)
                                      : g_strdup_printf (_ ("before %s (%s)"), node, op);
}

/* ---- lists --------------------------------------------------------------- */

GPtrArray *
sonde_clauses_new (void)
{
  return g_ptr_array_new_with_free_func (g_free);
}

void
sonde_clauses_add (GPtrArray *clauses, const char *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_ptr_array_add (clauses, g_strdup_vprintf (format, arguments));
  va_end (arguments);
}

char *
sonde_clauses_join (const GPtrArray *clauses)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < clauses->len; i++)
    {
      if (i > 0)
        g_string_append (text, C_ ("between statements in a list", ", "));
      g_string_append (text, g_ptr_array_index (clauses, i));
    }
  return g_string_free (text, FALSE);
}

char *
sonde_command_join_nodes (char *const *names, guint most)
{
  const guint n = g_strv_length ((char **) names);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < MIN (n, most); i++)
    {
      if (i > 0)
        g_string_append (text, C_ ("between names in a list", ", "));
      g_string_append (text, names[i]);
    }
  if (n > most)
    return g_strdup_printf (P_ ("%s and %u more node", "%s and %u more nodes", n - most), text->str,
                            n - most);
  return g_strdup (text->str);
}

void
sonde_command_append_cell (GString *line, const char *text, guint width)
{
  guint columns = 0;

  g_string_append (line, text);
  for (const char *at = text; *at != '\0'; at = g_utf8_next_char (at))
    {
      gunichar c = g_utf8_get_char (at);

      columns += g_unichar_iszerowidth (c) ? 0 : g_unichar_iswide (c) ? 2 : 1;
    }
  for (; columns < width; columns++)
    g_string_append_c (line, ' ');
}
