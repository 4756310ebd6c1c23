/* SPDX-License-Identifier: Apache-2.0
 * The list of breakpoints, and what becomes of a run that comes by one. */
#include "engine/live/sonde-breakpoint-table.h"

/* ---- one breakpoint ------------------------------------------------------ */

SondeArmedBreakpoint *
sonde_armed_breakpoint_new (const SondeBreakpointSpec *spec, GError **error)
{
  g_autoptr (SondeArmedBreakpoint) breakpoint = g_new0 (SondeArmedBreakpoint, 1);

  breakpoint->info.pattern = g_strdup (spec->pattern);
  breakpoint->info.moment = spec->either ? SONDE_MOMENT_BEFORE : spec->moment;
  breakpoint->info.temporary = spec->temporary;
  breakpoint->info.ignore = spec->ignore;
  breakpoint->info.enabled = TRUE;
  breakpoint->info.condition = g_strdup (spec->condition);
  breakpoint->info.hit_condition = g_strdup (spec->hit_condition);
  breakpoint->info.log = g_strdup (spec->log);
  if (spec->condition != NULL
      && (breakpoint->condition = sonde_expression_parse (spec->condition, error)) == NULL)
    return NULL;
  if (spec->hit_condition != NULL
      && (breakpoint->hit_condition = sonde_expression_parse (spec->hit_condition, error)) == NULL)
    return NULL;
  if (spec->log != NULL && (breakpoint->log = sonde_log_text_parse (spec->log, error)) == NULL)
    return NULL;
  return g_steal_pointer (&breakpoint);
}

void
sonde_armed_breakpoint_free (SondeArmedBreakpoint *breakpoint)
{
  if (breakpoint == NULL)
    return;
  if (breakpoint->places != NULL)
    breakpoint->free_places (breakpoint->places);
  sonde_expression_free (breakpoint->condition);
  sonde_expression_free (breakpoint->hit_condition);
  sonde_log_text_free (breakpoint->log);
  g_free (breakpoint->info.pattern);
  g_free (breakpoint->info.condition);
  g_free (breakpoint->info.hit_condition);
  g_free (breakpoint->info.log);
  sonde_message_free (breakpoint->info.note);
  g_free (breakpoint);
}

SondeExpression *
sonde_armed_breakpoint_get_expression (const SondeArmedBreakpoint *breakpoint, guint k)
{
  SondeExpression *const conditions[] = { breakpoint->condition, breakpoint->hit_condition };

  for (guint i = 0; i < G_N_ELEMENTS (conditions); i++)
    if (conditions[i] != NULL && k-- == 0)
      return conditions[i];
  return breakpoint->log != NULL ? sonde_log_text_get_expression (breakpoint->log, k) : NULL;
}

/* ---- the list ------------------------------------------------------------ */

static void
free_element (gpointer breakpoint)
{
  sonde_armed_breakpoint_free (breakpoint);
}

void
sonde_breakpoint_table_init (SondeBreakpointTable *table)
{
  *table = (SondeBreakpointTable){ .list = g_ptr_array_new_with_free_func (free_element) };
}

void
sonde_breakpoint_table_clear (SondeBreakpointTable *table)
{
  sonde_breakpoint_table_remove (table, 0);
  g_clear_pointer (&table->list, g_ptr_array_unref);
}

gboolean
sonde_breakpoint_table_has_room (const SondeBreakpointTable *table, GError **error)
{
  if (table->list->len < SONDE_DEBUGGER_MAX_BREAKPOINTS)
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
                   "There are %u breakpoints already; clear some first.", table->list->len);
  return FALSE;
}

void
sonde_breakpoint_table_add (SondeBreakpointTable *table, SondeArmedBreakpoint *breakpoint, guint id)
{
  breakpoint->info.id = id;
  g_ptr_array_add (table->list, breakpoint);
}

static void
remove_at (SondeBreakpointTable *table, guint index)
{
  if (table->removed != NULL)
    table->removed (g_ptr_array_index (table->list, index), table->removed_data);
  g_ptr_array_remove_index (table->list, index);
}

gboolean
sonde_breakpoint_table_remove (SondeBreakpointTable *table, guint id)
{
  guint before = table->list->len;

  for (guint i = table->list->len; i > 0; i--)
    {
      const SondeBreakpoint *breakpoint = g_ptr_array_index (table->list, i - 1);

      if (id == 0 || breakpoint->id == id)
        remove_at (table, i - 1);
    }
  return id == 0 || table->list->len < before;
}

void
sonde_breakpoint_table_drop_temporary (SondeBreakpointTable *table, const GArray *ids)
{
  for (guint i = table->list->len; i > 0; i--)
    {
      const SondeBreakpoint *breakpoint = g_ptr_array_index (table->list, i - 1);
      gboolean hit = FALSE;

      for (guint h = 0; h < ids->len; h++)
        hit = hit || g_array_index (ids, guint, h) == breakpoint->id;
      if (hit && breakpoint->temporary)
        remove_at (table, i - 1);
    }
}

gboolean
sonde_breakpoint_table_enable (SondeBreakpointTable *table, guint id, gboolean enabled)
{
  gboolean found = id == 0;

  for (guint i = 0; i < table->list->len; i++)
    {
      SondeBreakpoint *breakpoint = g_ptr_array_index (table->list, i);

      if (id != 0 && breakpoint->id != id)
        continue;
      breakpoint->enabled = enabled;
      found = TRUE;
    }
  return found;
}

gboolean
sonde_breakpoint_table_ignore (SondeBreakpointTable *table, guint id, guint64 count)
{
  gboolean found = id == 0;

  for (guint i = 0; i < table->list->len; i++)
    {
      SondeBreakpoint *breakpoint = g_ptr_array_index (table->list, i);

      if (id != 0 && breakpoint->id != id)
        continue;
      breakpoint->ignore = count;
      found = TRUE;
    }
  return found;
}

/* ---- when a run comes by ------------------------------------------------- */

/* The place's values, and the bare name "hits". */
typedef struct
{
  SondeExpressionSource base; /* first member */
  SondeExpressionSource *values;
  guint64 hits;
} HitSource;

static SondeTensor *
get_tensor (SondeExpressionSource *base, const SondeReference *reference, GError **error)
{
  SondeExpressionSource *values = ((HitSource *) base)->values;

  return values->get_tensor (values, reference, error);
}

static gboolean
get_statistics (SondeExpressionSource *base, const SondeReference *reference,
                SondeStatistics *statistics, GError **error)
{
  SondeExpressionSource *values = ((HitSource *) base)->values;

  return values->get_statistics (values, reference, statistics, error);
}

static char **
list_values (SondeExpressionSource *base, const char *glob, GError **error)
{
  SondeExpressionSource *values = ((HitSource *) base)->values;

  return values->list_values (values, glob, error);
}

static gboolean
get_number (SondeExpressionSource *base, const char *name, double *number)
{
  HitSource *source = (HitSource *) base;

  if (!g_str_equal (name, "hits"))
    return source->values->get_number != NULL
           && source->values->get_number (source->values, name, number);
  *number = (double) source->hits;
  return TRUE;
}

static void
hit_source_init (HitSource *source, SondeExpressionSource *values, guint64 hits)
{
  *source = (HitSource){ .values = values, .hits = hits };
  source->base.get_tensor = get_tensor;
  source->base.get_statistics = values->get_statistics != NULL ? get_statistics : NULL;
  source->base.list_values = values->list_values != NULL ? list_values : NULL;
  source->base.get_number = get_number;
}

static gboolean
holds (SondeArmedBreakpoint *breakpoint, SondeExpression *expression, guint64 hits,
       const SondePassing *passing)
{
  HitSource source;
  g_auto (SondeExpressionResult) result = { 0 };
  g_autoptr (GError) error = NULL;

  if (expression == NULL)
    return TRUE;
  hit_source_init (&source, passing->source, hits);
  if (sonde_expression_evaluate (expression, &source.base, &result, &error))
    return result.truth;
  sonde_message_free (breakpoint->info.note);
  breakpoint->info.note = sonde_error_dup_message (error);
  if (g_error_matches (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE))
    return FALSE;
  if (breakpoint->log == NULL && *passing->condition_error == NULL)
    {
      *passing->condition_error
          = sonde_message_new ("Cannot evaluate the condition “%s” of breakpoint %u: ",
                               sonde_expression_get_text (expression), breakpoint->info.id);
      sonde_message_append (*passing->condition_error, breakpoint->info.note);
    }
  return TRUE;
}

static void
say (const SondeBreakpointTable *table, const SondeArmedBreakpoint *breakpoint,
     const SondePassing *passing)
{
  HitSource source;
  g_autofree char *text = NULL;
  SondeLogLine line = { .breakpoint = breakpoint->info.id,
                        .node = passing->node,
                        .moment = breakpoint->info.moment,
                        .step = passing->step };

  if (table->log == NULL)
    return;
  hit_source_init (&source, passing->source, breakpoint->info.hits);
  text = sonde_log_text_format (breakpoint->log, &source.base);
  line.text = text;
  table->log (&line, table->log_data);
}

gboolean
sonde_breakpoint_table_pass (SondeBreakpointTable *table, SondeArmedBreakpoint *breakpoint,
                             const SondePassing *passing)
{
  if (passing->again)
    return breakpoint->log == NULL
           && holds (breakpoint, breakpoint->condition, breakpoint->info.hits, passing);
  breakpoint->info.hits++;
  if (!holds (breakpoint, breakpoint->condition, breakpoint->info.hits, passing))
    return FALSE;
  breakpoint->held++;
  if (!holds (breakpoint, breakpoint->hit_condition, breakpoint->held, passing))
    return FALSE;
  if (breakpoint->info.ignore > 0)
    {
      breakpoint->info.ignore--;
      return FALSE;
    }
  if (breakpoint->log == NULL)
    return TRUE;
  say (table, breakpoint, passing);
  return FALSE;
}
