/* SPDX-License-Identifier: Apache-2.0
 * The command table, abbreviations, help. */
#include "app/front/sonde-front-private.h"

#include <string.h>

#include "engine/live/sonde-nearest.h"

static const SondeFrontCommand commands[] = {
  { "break", "b", "NODE|VALUE|GLOB|op:TYPE|scope:GLOB|phase:P [before|after] [if EXPR]",
    "Stops before (or after) a node.", sonde_front_run_break },
  { "tbreak", "tb", "NODE|VALUE|GLOB|op:TYPE|scope:GLOB|phase:P [before|after] [if EXPR]",
    "A breakpoint that goes with its first stop.", sonde_front_run_tbreak },
  { "log", NULL, "NODE [before|after] \"TEXT {EXPR}\" [if EXPR]",
    "Says a text when a node comes by, without stopping.", sonde_front_run_log },
  { "info", "i", "breakpoints|watches|hits [ID]|values [GLOB]|edits|stack|state",
    "What there is, and where the run stands.", sonde_front_run_info },
  { "watch", "w", "EXPR|preset NAME [KEY=VALUE…]|preset recommended [on PATTERN] [inputs] [nostop]",
    "Stops when a value meets a condition.", sonde_front_run_watch },
  { "recheck", NULL, "[step:N]",
    "Looks at the values of now, or of an earlier step, with all watches.",
    sonde_front_run_recheck },
  { "enable", NULL, "[ID]", "Turns a breakpoint or watch (or all) on.", sonde_front_run_enable },
  { "disable", NULL, "[ID]", "Turns a breakpoint or watch (or all) off.", sonde_front_run_disable },
  { "ignore", NULL, "ID COUNT", "The next COUNT hits of a breakpoint or watch do not stop.",
    sonde_front_run_ignore },
  { "clear", NULL, "[ID]", "Removes a breakpoint or watch (or all).", sonde_front_run_clear },
  { "run", "r", "", "Starts, or starts again after the end.", sonde_front_run_run },
  { "continue", "c", "", "Goes on to the next breakpoint or the end.", sonde_front_run_continue },
  { "pause", NULL, "", "Stops before the next node (also Ctrl-C).", sonde_front_run_pause },
  { "step", "s", "[N]", "Executes one node, or N.", sonde_front_run_step },
  { "next", "n", "[N]", "Like step, but over a scope that begins here.", sonde_front_run_next },
  { "into", NULL, "[N]", "Like step, but into the body, function or fused step that is next.",
    sonde_front_run_into },
  { "out", NULL, "[N]", "Leaves the innermost fused step, scope, function or body.",
    sonde_front_run_out },
  { "until", "u", "NODE|step:N|iteration:N|phase:P|end:P|end",
    "Goes on to that place; P is forward, backward or optimiser.", sonde_front_run_until },
  { "back", NULL, "[N]", "Takes one executed node back, or N; also across training steps.",
    sonde_front_run_back },
  { "reverse", NULL, "", "Back to the nearest place before where a breakpoint or watch stops.",
    sonde_front_run_reverse },
  { "restart", NULL, "[NODE]", "Back to the beginning, or to before NODE in this run.",
    sonde_front_run_restart },
  { "rewind", NULL, "[FILE.npz]",
    "Saves the batch of this training step and goes back to before its first node.",
    sonde_front_run_rewind },
  { "up", NULL, "[N]", "Selects the frame around: names are looked up there first.",
    sonde_front_run_up },
  { "down", NULL, "[N]", "Selects the frame inside.", sonde_front_run_down },
  { "list", "l", "[NODE]", "The graph as text around the current node, or NODE.",
    sonde_front_run_list },
  { "print", "p", "VALUE[slice]|EXPR", "The elements of a value, or of an expression.",
    sonde_front_run_print },
  { "stats", NULL, "VALUE[slice]|EXPR", "Statistics of a value.", sonde_front_run_stats },
  { "save", NULL, "VALUE[slice]|EXPR FILE.npy", "Writes a value to a file.", sonde_front_run_save },
  { "display", NULL, "[VALUE[slice]|EXPR]", "Prints a value at every stop.",
    sonde_front_run_display },
  { "undisplay", NULL, "[NUMBER]", "Removes a display (or all).", sonde_front_run_undisplay },
  { "set", NULL, "VALUE[slice] = NUMBER|file:F.npy|EXPR",
    "Changes a value; what is computed from here on reads it.", sonde_front_run_set },
  { "attr", NULL, "NODE.KEY = VALUE", "Changes an attribute, in another branch.",
    sonde_front_run_attr },
  { "bypass", NULL, "NODE", "A node gives its first input, in another branch.",
    sonde_front_run_bypass },
  { "branch", NULL, "[NAME|new [NAME]|NUMBER]",
    "Lists branches; keeps the state under a name; goes to a branch.", sonde_front_run_branch },
  { "origin", NULL, "VALUE[index]", "Where a NaN or an infinity comes from.",
    sonde_front_run_origin },
  { "diverge", NULL,
    "--device D|--precision P|--reference [F.npz]|--model F.onnx|--weights F|--optimise off|--dump "
    "DIR",
    "Where this run parts from that reference; also --rtol R, --node GLOB, --threads N.",
    sonde_front_run_diverge },
  { "precision", NULL, "F.ini --tolerance T [--precision bf16|f16] [--value V]…",
    "The fewest nodes that must stay float32, written as a recipe.", sonde_front_run_precision },
  { "rerun", NULL, "NODE [--precision P|--device D|--reference] [--take]",
    "Computes one node again under another condition, and compares.", sonde_front_run_rerun },
  { "diff", NULL, "A B",
    "Compares values, expressions, VALUE@BRANCH, VALUE@prev, VALUE@run:DIR[:STEP], file:F.npy, or "
    "branches.",
    sonde_front_run_diff },
  { "capture", NULL, "save FILE.sondecap [VALUE|GLOB]…|open FILE.sondecap",
    "Keeps what is needed to run this moment elsewhere, or opens that.", sonde_front_run_capture },
  { "reduce", NULL, "FILE.onnx [NODE]",
    "Cuts out the smallest model that still fails, with its inputs.", sonde_front_run_reduce },
  { "detach", NULL, "", "Leaves; the run goes on.", sonde_front_run_detach },
  { "help", "h", "[COMMAND|expressions]", "What commands there are; what stands in expressions.",
    sonde_front_run_help },
  { "quit", "q", "", "Ends a launched run, leaves an attached one.", sonde_front_run_quit },
};

const SondeFrontCommand *
sonde_front_commands (guint *n)
{
  *n = G_N_ELEMENTS (commands);
  return commands;
}

static const char *
command_candidate (guint k, gpointer data)
{
  return commands[k].run != NULL ? commands[k].name : NULL;
}

static void
set_unknown_error (const char *word, GError **error)
{
  const char *nearest = sonde_nearest_name (word, command_candidate, G_N_ELEMENTS (commands), NULL);

  if (nearest != NULL)
    g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                 "There is no command “%s”; the nearest is “%s”.", word, nearest);
  else
    g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                 "There is no command “%s”; help lists them.", word);
}

/* The one command that begins with @word; NULL with @error for none and for several. */
static const SondeFrontCommand *
find_beginning (const char *word, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);
  const SondeFrontCommand *found = NULL;
  guint n = 0;

  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    if (g_str_has_prefix (commands[i].name, word))
      {
        if (commands[i].run != NULL)
          g_string_append_printf (names, "%s%s", n > 0 ? ", " : "", commands[i].name);
        /* one that works goes before those that are not there yet */
        if (found == NULL || (found->run == NULL && commands[i].run != NULL))
          found = &commands[i];
        n += commands[i].run != NULL;
      }
  if (found == NULL)
    set_unknown_error (word, error);
  if (n <= 1)
    return found;
  g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND, "“%s” may mean: %s.", word,
               names->str);
  return NULL;
}

const SondeFrontCommand *
sonde_front_find_command (const char *word, GError **error)
{
  const SondeFrontCommand *found = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (commands) && found == NULL; i++)
    if (g_str_equal (commands[i].name, word) || g_strcmp0 (commands[i].alias, word) == 0)
      found = &commands[i];
  if (found == NULL)
    found = find_beginning (word, error);
  if (found == NULL || found->run != NULL)
    return found;
  g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
               "“%s” is not in this version yet; the nearest is: %s.", found->name, found->instead);
  return NULL;
}

/* ---- help ---------------------------------------------------------------- */

static void
add_help (SondeFront *front, SondeFrontAnswer *answer, const SondeFrontCommand *command)
{
  g_autofree char *form = g_strdup_printf (
      "%s%s%s", command->name, *command->arguments != '\0' ? " " : "", command->arguments);

  if (front->options.json)
    {
      sonde_json_text_begin_object (&answer->json, NULL);
      sonde_json_text_string (&answer->json, "name", command->name);
      sonde_json_text_string (&answer->json, "arguments", command->arguments);
      sonde_json_text_string (&answer->json, "summary", command->summary);
      sonde_json_text_end_object (&answer->json);
    }
  else
    g_string_append_printf (answer->text, "%-48s %s\n", form, command->summary);
}

gboolean
sonde_front_run_help (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                      GError **error)
{
  gboolean expressions = strlen (arguments) >= 4 && g_str_has_prefix ("expressions", arguments);
  const SondeFrontCommand *only
      = !expressions && *arguments != '\0' ? sonde_front_find_command (arguments, error) : NULL;

  if (expressions)
    {
      sonde_front_answer_functions (front, answer);
      return TRUE;
    }
  if (*arguments != '\0' && only == NULL)
    return FALSE;
  if (front->options.json)
    sonde_json_text_begin_array (&answer->json, "commands");
  for (gsize i = 0; i < G_N_ELEMENTS (commands); i++)
    if (commands[i].run != NULL && (only == NULL || only == &commands[i]))
      add_help (front, answer, &commands[i]);
  if (front->options.json)
    sonde_json_text_end_array (&answer->json);
  return TRUE;
}
