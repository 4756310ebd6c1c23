/* SPDX-License-Identifier: Apache-2.0
 * The list of watches: their text, their hits, and what becomes of a hit. */
#include "engine/debug/sonde-watch-private.h"

#include <string.h>

static void
watch_free (gpointer data)
{
  SondeArmedWatch *watch = data;

  sonde_expression_free (watch->expression);
  sonde_watch_hit_free (watch->info.last);
  g_free (watch->info.text);
  g_free (watch->info.pattern);
  g_free (watch);
}

SondeWatchList *
sonde_debugger_watch_list (SondeDebugger *debugger)
{
  SondeWatchList *list = debugger->watches;

  if (list != NULL)
    return list;
  list = debugger->watches = g_new0 (SondeWatchList, 1);
  sonde_watch_observer_init (&list->observer);
  list->debugger = debugger;
  list->watches = g_ptr_array_new_with_free_func (watch_free);
  list->tables = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) sonde_watch_table_free);
  list->stops = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_watch_hit_free);
  list->past = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, sonde_watch_past_free);
  list->kept = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, sonde_watch_kept_free);
  return list;
}

void
sonde_watch_list_free (SondeWatchList *list)
{
  if (list == NULL)
    return;
  g_hash_table_unref (list->kept);
  g_hash_table_unref (list->past);
  g_queue_clear_full (&list->hits, (GDestroyNotify) sonde_watch_hit_free);
  g_ptr_array_unref (list->stops);
  g_hash_table_unref (list->tables);
  g_ptr_array_unref (list->watches);
  g_free (list);
}

SondeWatchTable *
sonde_watch_list_table (SondeWatchList *list, SondePlan *plan)
{
  SondeWatchTable *table = g_hash_table_lookup (list->tables, plan);

  if (table != NULL)
    return table;
  table = sonde_watch_table_new (plan);
  for (guint i = 0; i < list->watches->len; i++)
    {
      SondeArmedWatch *watch = g_ptr_array_index (list->watches, i);

      if (watch->info.enabled)
        sonde_watch_table_add (table, watch);
    }
  g_hash_table_insert (list->tables, plan, table);
  return table;
}

void
sonde_watch_list_attach (SondeWatchList *list)
{
  SondeDebugger *debugger = list->debugger;

  if (list->attached || debugger->target == NULL)
    return;
  list->attached = TRUE;
  debugger->target->add_observer (debugger->target_data, &list->observer);
}

void
sonde_watch_list_detach (SondeWatchList *list)
{
  SondeDebugger *debugger = list->debugger;

  if (!list->attached)
    return;
  list->attached = FALSE;
  debugger->target->remove_observer (debugger->target_data, &list->observer);
  g_hash_table_remove_all (list->tables);
}

void
sonde_watch_list_forget_stop (SondeWatchList *list)
{
  if (list != NULL)
    g_ptr_array_set_size (list->stops, 0);
}

void
sonde_watch_list_restarted (SondeWatchList *list)
{
  if (list == NULL)
    return;
  g_hash_table_remove_all (list->past);
  g_hash_table_remove_all (list->kept);
}

/* ---- text ---------------------------------------------------------------- */

/* The words behind @text, "… on PATTERN inputs nostop", are cut off and understood. */
static gboolean
cut_word (char *text, const char *word)
{
  gsize length = strlen (text), n = strlen (word);

  if (length <= n || !g_str_has_suffix (text, word) || !g_ascii_isspace (text[length - n - 1]))
    return FALSE;
  text[length - n] = '\0';
  g_strchomp (text);
  return TRUE;
}

static void
cut_pattern (SondeWatch *info)
{
  char *on = g_strrstr (info->text, " on ");
  char *pattern;
  gsize length;

  if (on == NULL)
    return;
  pattern = g_strstrip (g_strdup (on + strlen (" on ")));
  length = strlen (pattern);
  if (length >= 2 && pattern[0] == '"' && pattern[length - 1] == '"')
    {
      pattern[length - 1] = '\0';
      memmove (pattern, pattern + 1, length - 1);
    }
  *on = '\0';
  g_strchomp (info->text);
  info->pattern = pattern;
}

static gboolean
parse_what (SondeArmedWatch *watch, GError **error)
{
  static const char preset[] = "preset";
  const char *rest = watch->info.text + strlen (preset);

  if (!g_str_has_prefix (watch->info.text, preset) || (*rest != '\0' && !g_ascii_isspace (*rest)))
    {
      watch->expression = sonde_expression_parse (watch->info.text, error);
      return watch->expression != NULL;
    }
  return sonde_condition_parse (&watch->condition, rest, error);
}

static SondeArmedWatch *
parse_watch (const char *text, GError **error)
{
  SondeArmedWatch *watch = g_new0 (SondeArmedWatch, 1);
  gboolean more = TRUE;

  watch->info.text = g_strstrip (g_strdup (text));
  watch->info.enabled = TRUE;
  while (more)
    {
      gboolean inputs = cut_word (watch->info.text, "inputs"),
               nostop = cut_word (watch->info.text, "nostop");

      watch->info.on_inputs |= inputs;
      watch->info.log_only |= nostop;
      more = inputs || nostop;
    }
  cut_pattern (&watch->info);

  if (parse_what (watch, error))
    {
      if (!watch->info.on_inputs || watch->info.pattern != NULL)
        return watch;
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                           "“inputs” needs to know of which nodes: … on PATTERN inputs.");
    }
  watch_free (watch);
  return NULL;
}

/* ---- adding -------------------------------------------------------------- */

static void
set_nothing_error (SondeArmedWatch *watch, SondeGraph *graph, GError **error)
{
  const char *pattern = watch->info.pattern,
             *nearest = pattern != NULL ? sonde_nearest_in_graph (pattern, graph) : NULL;
  const char *target = watch->expression != NULL
                           ? "tensor"
                           : sonde_condition_target_name (watch->condition.klass->target);

  if (error != NULL && *error != NULL)
    return;
  if (pattern == NULL)
    g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                 "There is no %s here that %s could look at.", target, watch->info.text);
  else if (nearest != NULL && strpbrk (pattern, "*?[:") == NULL)
    g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                 "No %s is called “%s”; the nearest name is “%s”.", target, pattern, nearest);
  else
    g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                 "No %s matches “%s”; info values lists names, op:TYPE and "
                 "kind:weight|gradient|activation|update|state|input|"
                 "output|tensor are understood too.",
                 target, pattern);
}

/* What it looks at is in bodies, whose plans come when they first run. */
static gboolean
is_inside (const SondeArmedWatch *watch, const SondeGraph *graph)
{
  if (watch->info.pattern == NULL)
    return watch->expression != NULL && sonde_expression_get_n_references (watch->expression) > 0;
  return sonde_watch_matches_inside (graph, watch->info.pattern,
                                     watch->expression != NULL ? SONDE_TARGET_TENSOR
                                                               : watch->condition.klass->target);
}

/* In all plans that have run, and in the present one. */
static gboolean
arm (SondeWatchList *list, SondeArmedWatch *watch, GError **error)
{
  SondePlan *plan = sonde_execution_get_plan (sonde_debugger_get_execution (list->debugger));
  SondeGraph *graph = sonde_plan_get_graph (plan);
  SondeWatchTable *present = sonde_watch_list_table (list, plan);
  GHashTableIter iter;
  gpointer table;

  if (watch->expression != NULL && !sonde_watch_check_names (present, watch, error))
    return FALSE;
  watch->info.n_values = sonde_watch_table_add (present, watch);
  if (watch->info.n_values == 0 && !is_inside (watch, graph))
    {
      set_nothing_error (watch, graph, error);
      return FALSE;
    }
  g_hash_table_iter_init (&iter, list->tables);
  while (g_hash_table_iter_next (&iter, NULL, &table))
    if (table != present)
      sonde_watch_table_add (table, watch);
  return TRUE;
}

static gboolean
add_watch (SondeDebugger *debugger, const char *text, GPtrArray *added, GError **error)
{
  SondeWatchList *list = sonde_debugger_watch_list (debugger);
  SondeArmedWatch *watch;

  if (list->watches->len >= SONDE_DEBUGGER_MAX_WATCHES)
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
                   "There are %u watches already; clear some first.", list->watches->len);
      return FALSE;
    }
  watch = parse_watch (text, error);
  if (watch == NULL)
    return FALSE;
  if (!arm (list, watch, error))
    {
      watch_free (watch);
      return FALSE;
    }
  watch->info.id = ++debugger->next_id;
  g_ptr_array_add (list->watches, watch);
  g_ptr_array_add (added, watch);
  return TRUE;
}

/* "preset recommended [nostop]" */
static gboolean
is_recommended (const char *text, gboolean *nostop)
{
  g_auto (GStrv) words = g_strsplit_set (text, " \t", -1);
  g_autoptr (GString) joined = g_string_new (NULL);

  for (guint i = 0; words[i] != NULL; i++)
    if (*words[i] != '\0')
      g_string_append_printf (joined, "%s ", words[i]);
  *nostop = g_str_equal (joined->str, "preset recommended nostop ");
  return *nostop || g_str_equal (joined->str, "preset recommended ");
}

GPtrArray *
sonde_debugger_add_watches (SondeDebugger *debugger, const char *text, GError **error)
{
  SondeExecution *execution = sonde_debugger_get_execution (debugger);
  g_autoptr (GPtrArray) added = g_ptr_array_new ();
  g_auto (GStrv) texts = NULL;
  gboolean nostop;

  if (execution == NULL)
    {
      g_set_error_literal (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                           "Nothing is open that could be watched.");
      return NULL;
    }
  if (!is_recommended (text, &nostop))
    {
      if (!add_watch (debugger, text, added, error))
        return NULL;
    }
  else
    {
      texts = sonde_watch_recommend (sonde_execution_get_plan (execution));
      for (guint i = 0; texts[i] != NULL; i++)
        {
          g_autofree char *whole = g_strconcat (texts[i], nostop ? " nostop" : NULL, NULL);

          if (!add_watch (debugger, whole, added, error)
              && !g_error_matches (*error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND))
            return NULL;
          g_clear_error (error);
        }
    }
  sonde_watch_list_attach (debugger->watches);
  sonde_debugger_refresh (debugger);
  return g_steal_pointer (&added);
}

GPtrArray *
sonde_debugger_get_watches (SondeDebugger *debugger)
{
  return sonde_debugger_watch_list (debugger)->watches;
}

/* ---- changing ------------------------------------------------------------ */

static void
apply (SondeArmedWatch *watch, SondeWatchChange change, guint64 value)
{
  if (change == SONDE_WATCH_ENABLE)
    watch->info.enabled = value != 0;
  else if (change == SONDE_WATCH_IGNORE)
    watch->info.ignore = value;
}

gboolean
sonde_watch_list_change (SondeWatchList *list, guint id, SondeWatchChange change, guint64 value)
{
  gboolean found = FALSE;

  if (list == NULL)
    return FALSE;
  for (guint i = list->watches->len; i > 0; i--)
    {
      SondeArmedWatch *watch = g_ptr_array_index (list->watches, i - 1);

      if (id != 0 && watch->info.id != id)
        continue;
      found = TRUE;
      apply (watch, change, value);
      if (change != SONDE_WATCH_IGNORE)
        g_hash_table_remove_all (list->tables); /* made again with those that are on */
      if (change == SONDE_WATCH_REMOVE)
        g_ptr_array_remove_index (list->watches, i - 1);
    }
  return found;
}

/* ---- hits ---------------------------------------------------------------- */

gboolean
sonde_watch_list_note (SondeWatchList *list, SondeArmedWatch *watch, SondeWatchHit *hit)
{
  gboolean stops = FALSE;

  if (sonde_debugger_is_going_back (list->debugger)) /* nothing is counted a second time */
    {
      stops = hit->unchecked == 0 && !watch->info.log_only;
      if (stops)
        g_ptr_array_add (list->stops, hit);
      else
        sonde_watch_hit_free (hit);
      return stops;
    }
  if (g_queue_get_length (&list->hits) >= SONDE_DEBUGGER_MAX_WATCH_HITS)
    sonde_watch_hit_free (g_queue_pop_head (&list->hits));
  g_queue_push_tail (&list->hits, hit);
  if (hit->unchecked != 0)
    {
      watch->info.unchecked++;
      return FALSE;
    }

  watch->info.hits++;
  sonde_watch_hit_free (watch->info.last);
  watch->info.last = sonde_watch_hit_copy (hit);
  if (watch->info.ignore > 0)
    watch->info.ignore--;
  else
    stops = !watch->info.log_only;
  if (stops)
    g_ptr_array_add (list->stops, sonde_watch_hit_copy (hit));
  return stops;
}

GPtrArray *
sonde_debugger_get_watch_hits (SondeDebugger *debugger, guint id)
{
  SondeWatchList *list = sonde_debugger_watch_list (debugger);
  GPtrArray *hits = g_ptr_array_new ();

  for (const GList *l = list->hits.head; l != NULL; l = l->next)
    if (id == 0 || ((const SondeWatchHit *) l->data)->watch == id)
      g_ptr_array_add (hits, l->data);
  return hits;
}
