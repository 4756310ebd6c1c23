/* SPDX-License-Identifier: Apache-2.0
 * The list of watches: their text, their hits, and what becomes of a hit. */
#include "engine/live/sonde-watch-table.h"

#include <string.h>

/* ---- text ---------------------------------------------------------------- */

void
sonde_armed_watch_free (SondeArmedWatch *watch)
{
  if (watch == NULL)
    return;
  sonde_expression_free (watch->expression);
  sonde_watch_hit_free (watch->info.last);
  g_free (watch->info.text);
  g_free (watch->info.pattern);
  g_free (watch);
}

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
  /* A quoted pattern may hold the word itself. */
  char *on = g_str_has_suffix (info->text, "\"") ? g_strrstr (info->text, " on \"") : NULL;
  char *pattern;
  gsize length;

  if (on == NULL)
    on = g_strrstr (info->text, " on ");
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

SondeArmedWatch *
sonde_armed_watch_new (const char *text, GError **error)
{
  g_autoptr (SondeArmedWatch) watch = g_new0 (SondeArmedWatch, 1);
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
        return g_steal_pointer (&watch);
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "“inputs” needs to know of which nodes: … on PATTERN inputs.");
    }
  return NULL;
}

gboolean
sonde_watch_text_is_recommended (const char *text, gboolean *nostop)
{
  g_auto (GStrv) words = g_strsplit_set (text, " \t", -1);
  g_autoptr (GString) joined = g_string_new (NULL);

  for (guint i = 0; words[i] != NULL; i++)
    if (*words[i] != '\0')
      g_string_append_printf (joined, "%s ", words[i]);
  *nostop = g_str_equal (joined->str, "preset recommended nostop ");
  return *nostop || g_str_equal (joined->str, "preset recommended ");
}

const char *
sonde_armed_watch_target_name (const SondeArmedWatch *watch)
{
  return watch->expression != NULL ? N_ ("tensor")
                                   : sonde_condition_target_name (watch->condition.klass->target);
}

/* ---- the list ------------------------------------------------------------ */

static void
free_watch (gpointer watch)
{
  sonde_armed_watch_free (watch);
}

static void
free_hit (gpointer hit)
{
  sonde_watch_hit_free (hit);
}

void
sonde_watch_table_init (SondeWatchTable *table)
{
  table->list = g_ptr_array_new_with_free_func (free_watch);
  table->stops = g_ptr_array_new_with_free_func (free_hit);
  g_queue_init (&table->hits);
}

void
sonde_watch_table_clear (SondeWatchTable *table)
{
  g_queue_clear_full (&table->hits, free_hit);
  g_clear_pointer (&table->stops, g_ptr_array_unref);
  g_clear_pointer (&table->list, g_ptr_array_unref);
}

gboolean
sonde_watch_table_has_room (const SondeWatchTable *table, GError **error)
{
  if (table->list->len < SONDE_DEBUGGER_MAX_WATCHES)
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
                   "There are %u watches already; clear some first.", table->list->len);
  return FALSE;
}

void
sonde_watch_table_add (SondeWatchTable *table, SondeArmedWatch *watch, guint id)
{
  watch->info.id = id;
  g_ptr_array_add (table->list, watch);
}

gboolean
sonde_watch_table_change (SondeWatchTable *table, guint id, SondeWatchChange change, guint64 value)
{
  gboolean found = FALSE;

  for (guint i = table->list->len; i > 0; i--)
    {
      SondeArmedWatch *watch = g_ptr_array_index (table->list, i - 1);

      if (id != 0 && watch->info.id != id)
        continue;
      found = TRUE;
      if (change == SONDE_WATCH_ENABLE)
        watch->info.enabled = value != 0;
      else if (change == SONDE_WATCH_IGNORE)
        watch->info.ignore = value;
      else
        g_ptr_array_remove_index (table->list, i - 1);
    }
  return found;
}

/* ---- hits ---------------------------------------------------------------- */

gboolean
sonde_watch_table_note (SondeWatchTable *table, SondeArmedWatch *watch, SondeWatchHit *hit,
                        gboolean again)
{
  gboolean stops = FALSE;

  if (again)
    {
      stops = hit->unchecked == 0 && !watch->info.log_only;
      if (stops)
        g_ptr_array_add (table->stops, hit);
      else
        sonde_watch_hit_free (hit);
      return stops;
    }
  if (g_queue_get_length (&table->hits) >= SONDE_DEBUGGER_MAX_WATCH_HITS)
    sonde_watch_hit_free (g_queue_pop_head (&table->hits));
  g_queue_push_tail (&table->hits, hit);
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
    g_ptr_array_add (table->stops, sonde_watch_hit_copy (hit));
  return stops;
}

void
sonde_watch_table_forget_stop (SondeWatchTable *table)
{
  g_ptr_array_set_size (table->stops, 0);
}

GPtrArray *
sonde_watch_table_get_hits (const SondeWatchTable *table, guint id)
{
  GPtrArray *hits = g_ptr_array_new ();

  for (const GList *l = table->hits.head; l != NULL; l = l->next)
    if (id == 0 || ((const SondeWatchHit *) l->data)->watch == id)
      g_ptr_array_add (hits, l->data);
  return hits;
}
