/* SPDX-License-Identifier: Apache-2.0
 * Commands that look: values, lists, where it stands. */
#include "app/front/sonde-front-private.h"

#include <math.h>
#include <string.h>

#define LINES_A_LIST 10

/* ---- print, stats, save --------------------------------------------------------------------- */

void
sonde_front_answer_tensor (SondeFront              *front,
                           SondeFrontAnswer        *answer,
                           const SondeSessionReply *reply)
{
  g_autofree char *shape = sonde_shape_to_string (&reply->shape);

  if (front->options.json)
    {
      sonde_json_text_string (&answer->json, "name", reply->name);
      sonde_json_text_string (&answer->json, "dtype", sonde_dtype_name (reply->dtype));
      sonde_json_text_shape (&answer->json, "shape", &reply->shape);
      sonde_json_text_tensor (&answer->json, "data", reply->tensor);
      return;
    }
  g_string_append_printf (answer->text, "%s: %s %s\n", reply->name, sonde_dtype_name (reply->dtype), shape);
  sonde_front_append_tensor (answer->text, reply->tensor);
}

/* The whole argument, with a sentence when there is none. */
static char *
parse_value (const char *arguments,
             GError    **error)
{
  if (*arguments != '\0')
    return sonde_front_unquote (arguments);
  g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "Which value? info values lists them.");
  return NULL;
}

gboolean
sonde_front_run_print (SondeFront       *front,
                       const char       *arguments,
                       SondeFrontAnswer *answer,
                       GError          **error)
{
  g_autofree char *value = parse_value (arguments, error);
  g_autoptr (SondeSessionReply) reply = NULL;

  if (value == NULL)
    return FALSE;
  reply = sonde_front_call (front, sonde_session_request_tensor (value), error);
  if (reply == NULL)
    return FALSE;
  sonde_front_answer_tensor (front, answer, reply);
  return TRUE;
}

static void
json_statistics (SondeJsonText           *json,
                 const SondeSessionReply *reply)
{
  const SondeStatistics *statistics = &reply->statistics;

  sonde_json_text_string (json, "name", reply->name);
  sonde_json_text_string (json, "dtype", sonde_dtype_name (reply->dtype));
  sonde_json_text_shape (json, "shape", &reply->shape);
  sonde_json_text_int (json, "count", statistics->count);
  sonde_json_text_double (json, "min", statistics->min);
  sonde_json_text_double (json, "max", statistics->max);
  sonde_json_text_double (json, "mean", statistics->mean);
  sonde_json_text_double (json, "std", statistics->std);
  sonde_json_text_double (json, "abs_mean", statistics->abs_mean);
  sonde_json_text_int (json, "zeros", statistics->zeros);
  sonde_json_text_int (json, "negatives", statistics->negatives);
  sonde_json_text_int (json, "nan", statistics->nan);
  sonde_json_text_int (json, "pos_inf", statistics->pos_inf);
  sonde_json_text_int (json, "neg_inf", statistics->neg_inf);
}

static void
text_statistics (GString                 *text,
                 const SondeSessionReply *reply)
{
  const SondeStatistics *statistics = &reply->statistics;
  g_autofree char *shape = sonde_shape_to_string (&reply->shape);

  g_string_append_printf (text, "%s: %s %s, %" G_GINT64_FORMAT " elements\n", reply->name,
                          sonde_dtype_name (reply->dtype), shape, statistics->count);
  g_string_append_printf (text, "  min %.6g  max %.6g  mean %.6g  std %.6g  abs_mean %.6g\n", statistics->min,
                          statistics->max, statistics->mean, statistics->std, statistics->abs_mean);
  g_string_append_printf (text,
                          "  zeros %" G_GINT64_FORMAT "  negatives %" G_GINT64_FORMAT "  nan %" G_GINT64_FORMAT
                          "  pos_inf %" G_GINT64_FORMAT "  neg_inf %" G_GINT64_FORMAT "\n",
                          statistics->zeros, statistics->negatives, statistics->nan, statistics->pos_inf,
                          statistics->neg_inf);
}

gboolean
sonde_front_run_stats (SondeFront       *front,
                       const char       *arguments,
                       SondeFrontAnswer *answer,
                       GError          **error)
{
  g_autofree char *value = parse_value (arguments, error);
  g_autoptr (SondeSessionReply) reply = NULL;

  if (value == NULL)
    return FALSE;
  reply = sonde_front_call (front, sonde_session_request_statistics (value), error);
  if (reply == NULL)
    return FALSE;
  if (front->options.json)
    json_statistics (&answer->json, reply);
  else
    text_statistics (answer->text, reply);
  return TRUE;
}

gboolean
sonde_front_run_save (SondeFront       *front,
                      const char       *arguments,
                      SondeFrontAnswer *answer,
                      GError          **error)
{
  g_autofree char *file = NULL;
  g_autofree char *before = sonde_front_split_last (arguments, &file);
  g_autofree char *value = before != NULL ? sonde_front_unquote (before) : NULL;
  g_autofree char *path = NULL;
  g_autoptr (SondeSessionReply) reply = NULL;

  if (value == NULL || !g_str_has_suffix (file, ".npy"))
    {
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                           "Give a value and a file that ends in .npy: save VALUE FILE.npy.");
      return FALSE;
    }
  path = g_canonicalize_filename (file, NULL); /* the engine may be in another folder */
  reply = sonde_front_call (front, sonde_session_request_save (value, path), error);
  if (reply == NULL)
    return FALSE;
  if (front->options.json)
    {
      sonde_json_text_string (&answer->json, "name", reply->name);
      sonde_json_text_string (&answer->json, "file", file);
      sonde_json_text_string (&answer->json, "dtype", sonde_dtype_name (reply->dtype));
      sonde_json_text_shape (&answer->json, "shape", &reply->shape);
    }
  else
    g_string_append_printf (answer->text, "%s -> %s\n", reply->name, file);
  return TRUE;
}

/* ---- display -------------------------------------------------------------------------------- */

static void
answer_display (SondeFront       *front,
                SondeFrontAnswer *answer,
                guint             number,
                const char       *expression)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionReply) reply = sonde_front_call (front, sonde_session_request_tensor (expression), &error);

  if (!front->options.json)
    {
      g_string_append_printf (answer->text, "%u: ", number);
      if (reply != NULL)
        sonde_front_answer_tensor (front, answer, reply);
      else
        g_string_append_printf (answer->text, "%s: %s\n", expression, error->message);
      return;
    }
  sonde_json_text_begin_object (&answer->json, NULL);
  sonde_json_text_uint (&answer->json, "number", number);
  sonde_json_text_string (&answer->json, "expression", expression);
  if (reply != NULL)
    sonde_front_answer_tensor (front, answer, reply);
  else
    sonde_json_text_string (&answer->json, "error", error->message);
  sonde_json_text_end_object (&answer->json);
}

void
sonde_front_answer_displays (SondeFront       *front,
                             SondeFrontAnswer *answer)
{
  if (front->displays->len == 0)
    return;
  if (front->options.json)
    sonde_json_text_begin_array (&answer->json, "display");
  for (guint i = 0; i < front->displays->len; i++)
    if (g_ptr_array_index (front->displays, i) != NULL)
      answer_display (front, answer, i + 1, g_ptr_array_index (front->displays, i));
  if (front->options.json)
    sonde_json_text_end_array (&answer->json);
}

gboolean
sonde_front_run_display (SondeFront       *front,
                         const char       *arguments,
                         SondeFrontAnswer *answer,
                         GError          **error)
{
  if (*arguments != '\0')
    g_ptr_array_add (front->displays, sonde_front_unquote (arguments));
  sonde_front_answer_displays (front, answer);
  return TRUE;
}

gboolean
sonde_front_run_undisplay (SondeFront       *front,
                           const char       *arguments,
                           SondeFrontAnswer *answer,
                           GError          **error)
{
  guint64 number = 0;

  if (*arguments != '\0' && !sonde_front_parse_number (arguments, 1, "display", &number, error))
    return FALSE;
  if (number > front->displays->len)
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND, "There is no display %" G_GUINT64_FORMAT
                   ".", number);
      return FALSE;
    }
  if (number == 0)
    g_ptr_array_set_size (front->displays, 0);
  else
    g_clear_pointer (&front->displays->pdata[number - 1], g_free);
  return TRUE;
}

/* ---- list ----------------------------------------------------------------------------------- */

/* Position of the step that @node names, -1 when there is none. */
static int
find_step (const GPtrArray *steps,
           const char      *node)
{
  for (guint k = 0; k < steps->len; k++)
    {
      const SondeStepInfo *step = g_ptr_array_index (steps, k);

      if (g_str_equal (step->name, node) || g_strv_contains ((const char *const *) step->nodes, node)
          || g_strv_contains ((const char *const *) step->originals, node)
          || g_strv_contains ((const char *const *) step->outputs, node))
        return (int) k;
    }
  return -1;
}

/* Line to begin at: of @node, else after the last list, else around the current position. 0 with @error. */
static guint
first_line (SondeFront              *front,
            const SondeSessionReply *listing,
            const char              *node,
            guint                   *current,
            GError                 **error)
{
  g_autoptr (SondeSessionStatus) status = sonde_front_get_status (front, error);
  g_autoptr (SondeSessionReply) steps = NULL;
  guint line;
  int k;

  if (status == NULL)
    return 0;
  *current = status->stop.position < listing->n_lines ? listing->lines[status->stop.position] : 0;
  if (node == NULL)
    return front->listed_to > 0 ? front->listed_to + 1 : MAX (*current, LINES_A_LIST / 2) - LINES_A_LIST / 2 + 1;
  steps = sonde_front_call (front, sonde_session_request_steps (), error);
  if (steps == NULL)
    return 0;
  k = find_step (steps->steps, node);
  if (k < 0 || (guint) k >= listing->n_lines)
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                   "No executed node is called “%s”; info values lists the values.", node);
      return 0;
    }
  line = listing->lines[k];
  return MAX (line, LINES_A_LIST / 2) - LINES_A_LIST / 2 + 1;
}

static void
answer_line (SondeFront       *front,
             SondeFrontAnswer *answer,
             guint             number,
             const char       *text,
             gboolean          current)
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
sonde_front_run_list (SondeFront       *front,
                      const char       *arguments,
                      SondeFrontAnswer *answer,
                      GError          **error)
{
  g_autofree char *node = *arguments != '\0' ? sonde_front_unquote (arguments) : NULL;
  g_autoptr (SondeSessionReply) listing
      = sonde_front_call (front, sonde_session_request_listing (SONDE_SESSION_GRAPH_EXECUTED), error);
  g_auto (GStrv) lines = listing != NULL && listing->text != NULL ? g_strsplit (listing->text, "\n", -1) : NULL;
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

/* ---- info ----------------------------------------------------------------------------------- */

static const char *
role_name (SondeValueRole role)
{
  static const char *const names[] = {
    [SONDE_ROLE_NORMAL] = "value",      [SONDE_ROLE_INPUT] = "input", [SONDE_ROLE_PARAMETER] = "parameter",
    [SONDE_ROLE_CONSTANT] = "constant", [SONDE_ROLE_STATE] = "state",
  };

  return (guint) role < G_N_ELEMENTS (names) ? names[role] : "value";
}

static gboolean
info_values (SondeFront       *front,
             const char       *pattern,
             SondeFrontAnswer *answer,
             GError          **error)
{
  g_autoptr (SondeSessionReply) reply = sonde_front_call (front, sonde_session_request_values (pattern), error);

  if (reply == NULL)
    return FALSE;
  if (front->options.json)
    sonde_json_text_begin_array (&answer->json, "values");
  for (guint i = 0; i < reply->values->len; i++)
    {
      const SondeValueInfo *info = g_ptr_array_index (reply->values, i);

      if (!front->options.json)
        {
          g_string_append_printf (answer->text, "%s %-10s %s: %s\n", info->available ? "*" : " ",
                                  role_name (info->role), info->name, info->type);
          continue;
        }
      sonde_json_text_begin_object (&answer->json, NULL);
      sonde_json_text_string (&answer->json, "name", info->name);
      sonde_json_text_string (&answer->json, "type", info->type);
      sonde_json_text_string (&answer->json, "role", role_name (info->role));
      sonde_json_text_string (&answer->json, "node", info->producer);
      sonde_json_text_boolean (&answer->json, "available", info->available);
      sonde_json_text_end_object (&answer->json);
    }
  if (front->options.json)
    sonde_json_text_end_array (&answer->json);
  return TRUE;
}

static void
answer_frame (SondeFront       *front,
              SondeFrontAnswer *answer,
              guint             level,
              const char       *kind,
              const char       *name)
{
  if (!front->options.json)
    {
      g_string_append_printf (answer->text, "#%-2u %-5s %s\n", level, kind, name);
      return;
    }
  sonde_json_text_begin_object (&answer->json, NULL);
  sonde_json_text_uint (&answer->json, "level", level);
  sonde_json_text_string (&answer->json, "kind", kind);
  sonde_json_text_string (&answer->json, "name", name);
  sonde_json_text_end_object (&answer->json);
}

/* The node, its scopes from the inside, the graph. */
static gboolean
info_stack (SondeFront       *front,
            const char       *arguments,
            SondeFrontAnswer *answer,
            GError          **error)
{
  g_autoptr (SondeSessionStatus) status = sonde_front_get_status (front, error);
  g_autofree char *scope = NULL;
  guint level = 0;

  if (status == NULL)
    return FALSE;
  scope = g_strdup (status->stop.scope != NULL ? status->stop.scope : "");
  if (front->options.json)
    sonde_json_text_begin_array (&answer->json, "stack");
  answer_frame (front, answer, level++, "node", status->stop.node);
  while (*scope != '\0')
    {
      char *slash = strrchr (scope, '/');

      answer_frame (front, answer, level++, "scope", scope);
      *(slash != NULL ? slash : scope) = '\0';
    }
  answer_frame (front, answer, level, "graph", status->title != NULL ? status->title : "");
  if (front->options.json)
    sonde_json_text_end_array (&answer->json);
  return TRUE;
}

static void
json_state (SondeJsonText            *json,
            const SondeSessionStatus *status)
{
  const SondeStopInfo *stop = &status->stop;

  sonde_json_text_string (json, "state", sonde_session_state_name (status->state));
  sonde_json_text_string (json, "kind", status->kind == SONDE_ACTIVITY_TRAINING ? "training" : "inference");
  sonde_json_text_string (json, "title", status->title);
  sonde_json_text_string (json, "run", status->run_directory);
  sonde_json_text_int (json, "pid", status->pid);
  sonde_json_text_boolean (json, "in_control", status->in_control);
  sonde_json_text_string (json, "reason", stop->reason);
  sonde_json_text_string (json, "node", stop->node);
  sonde_json_text_string (json, "op", stop->op);
  sonde_json_text_string (json, "phase", sonde_phase_name (stop->phase));
  sonde_json_text_string (json, "when", sonde_moment_name (stop->moment));
  sonde_json_text_uint (json, "position", stop->position);
  sonde_json_text_uint (json, "positions", stop->n_steps);
  sonde_json_text_uint (json, "step", status->state == SONDE_SESSION_PAUSED ? stop->step : status->step);
  sonde_json_text_uint (json, "steps", status->total_steps);
  sonde_json_text_uint (json, "epoch", status->epoch);
  sonde_json_text_uint (json, "epochs", status->n_epochs);
  sonde_json_text_double (json, "loss", status->loss);
  sonde_json_text_double (json, "accuracy", status->accuracy);
  sonde_json_text_double (json, "learning_rate", status->learning_rate);
  if (status->state == SONDE_SESSION_ENDED)
    sonde_json_text_string (json, "status", status->end.status);
}

static void
text_state (GString                  *text,
            const SondeSessionStatus *status)
{
  const SondeStopInfo *stop = &status->stop;

  g_string_append_printf (text, "%s: %s", status->title != NULL ? status->title : "nothing open",
                          sonde_session_state_name (status->state));
  if (status->state == SONDE_SESSION_ENDED)
    g_string_append_printf (text, " (%s)", status->end.status);
  if (status->state != SONDE_SESSION_RUNNING && *stop->node != '\0')
    g_string_append_printf (text, ", %s %s (%s), %s", sonde_moment_name (stop->moment), stop->node, stop->op,
                            sonde_phase_name (stop->phase));
  g_string_append_c (text, '\n');
  if (status->kind == SONDE_ACTIVITY_TRAINING)
    g_string_append_printf (text,
                            "step %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT ", epoch %" G_GUINT64_FORMAT
                            " of %" G_GUINT64_FORMAT ", loss %.6g, accuracy %.4g, run %s\n",
                            status->step, status->total_steps, status->epoch, status->n_epochs, status->loss,
                            status->accuracy, status->run_directory != NULL ? status->run_directory : "-");
  if (!status->in_control)
    g_string_append (text, "Another client is in control; this one only looks.\n");
}

static gboolean
info_state (SondeFront       *front,
            const char       *arguments,
            SondeFrontAnswer *answer,
            GError          **error)
{
  g_autoptr (SondeSessionStatus) status = sonde_front_get_status (front, error);

  if (status == NULL)
    return FALSE;
  if (front->options.json)
    json_state (&answer->json, status);
  else
    text_state (answer->text, status);
  return TRUE;
}

static gboolean
info_breakpoints (SondeFront       *front,
                  const char       *arguments,
                  SondeFrontAnswer *answer,
                  GError          **error)
{
  return sonde_front_info_breakpoints (front, answer, error);
}

gboolean
sonde_front_run_info (SondeFront       *front,
                      const char       *arguments,
                      SondeFrontAnswer *answer,
                      GError          **error)
{
  static const struct
  {
    const char *name;
    SondeFrontRun *run;
  } topics[] = {
    { "breakpoints", info_breakpoints },
    { "values", info_values },
    { "stack", info_stack },
    { "state", info_state },
  };
  gsize length = strcspn (arguments, " \t");
  g_autofree char *word = g_strndup (arguments, length);
  const char *rest = arguments + length + strspn (arguments + length, " \t");
  guint found = 0, n = 0;

  for (guint i = 0; length > 0 && i < G_N_ELEMENTS (topics); i++)
    if (g_str_has_prefix (topics[i].name, word))
      {
        found = i;
        n++;
      }
  if (n == 1)
    return topics[found].run (front, rest, answer, error);
  if (g_str_has_prefix ("watches", word) && length > 0)
    g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                         "Watches are not in this version yet; the nearest is: info breakpoints.");
  else
    g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                         "Info about what? There are breakpoints, values [GLOB], stack, state.");
  return FALSE;
}
