/* SPDX-License-Identifier: Apache-2.0
 * From watches to targets: what is looked at after (or before) which step of one plan. Watches on
 * the same value share its facts. */
#include "engine/debug/watches/sonde-watch-targets.h"

#include "engine/debug/watches/sonde-watch-names.h"

static void
target_free (gpointer data)
{
  SondeWatchTarget *target = data;

  g_ptr_array_unref (target->passes);
  g_array_unref (target->checks);
  g_free (target);
}

SondeWatchTargets *
sonde_watch_targets_new (SondePlan *plan)
{
  SondeWatchTargets *table = g_new0 (SondeWatchTargets, 1);

  sonde_watch_plan_init (&table->watched, plan);
  table->n_steps = sonde_plan_get_n_steps (plan);
  table->targets = g_ptr_array_new_with_free_func (target_free);
  table->index = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  table->at_begin = g_ptr_array_new ();
  table->before = g_new0 (GPtrArray *, table->n_steps + 1);
  table->after = g_new0 (GPtrArray *, table->n_steps + 1);
  return table;
}

void
sonde_watch_targets_free (SondeWatchTargets *table)
{
  for (guint k = 0; k < table->n_steps; k++)
    {
      g_clear_pointer (&table->before[k], g_ptr_array_unref);
      g_clear_pointer (&table->after[k], g_ptr_array_unref);
    }
  g_free (table->before);
  g_free (table->after);
  g_ptr_array_unref (table->at_begin);
  g_hash_table_unref (table->index);
  g_ptr_array_unref (table->targets);
  sonde_watch_plan_clear (&table->watched);
  g_free (table);
}

static GPtrArray *
list_of (SondeWatchTargets *table, const SondeWatchTarget *target)
{
  GPtrArray **lists = target->before ? table->before : table->after;

  if (target->step == SONDE_NEVER_MADE)
    return table->at_begin;
  if (lists[target->step] == NULL)
    lists[target->step] = g_ptr_array_new ();
  return lists[target->step];
}

/* The one for the same value, place and steps, made when there is none. */
static SondeWatchTarget *
take_target (SondeWatchTargets *table, const SondeWatchTarget *wanted)
{
  g_autofree char *key = g_strdup_printf ("%u %u %u %d %d", wanted->value->id, wanted->subject->id,
                                          wanted->step, wanted->before, wanted->initial);
  SondeWatchTarget *target = g_hash_table_lookup (table->index, key);

  if (target != NULL)
    return target;
  target = g_memdup2 (wanted, sizeof *wanted);
  target->passes = g_ptr_array_new_with_free_func (g_rc_box_release);
  target->checks = g_array_new (FALSE, FALSE, sizeof (SondeWatchCheck));
  g_hash_table_insert (table->index, g_steal_pointer (&key), target);
  g_ptr_array_add (table->targets, target);
  g_ptr_array_add (list_of (table, target), target);
  return target;
}

/* ---- what facts a check needs -------------------------------------------- */

guint
sonde_watch_place_range (SondeFactsRequest *request, const SondeFactsRange *range)
{
  for (guint i = 0; i < request->n_ranges; i++)
    if (request->ranges[i].low == range->low && request->ranges[i].high == range->high)
      return i;
  if (request->n_ranges < SONDE_FACTS_MAX)
    request->ranges[request->n_ranges++] = *range;
  else
    return SONDE_FACTS_MAX;
  return request->n_ranges - 1;
}

guint
sonde_watch_place_tolerance (SondeFactsRequest *request, const SondeFactsTolerance *tolerance)
{
  for (guint i = 0; i < request->n_tolerances; i++)
    if (request->tolerances[i].relative == tolerance->relative
        && request->tolerances[i].absolute == tolerance->absolute)
      return i;
  if (request->n_tolerances < SONDE_FACTS_MAX)
    request->tolerances[request->n_tolerances++] = *tolerance;
  else
    return SONDE_FACTS_MAX;
  return request->n_tolerances - 1;
}

/* In the first pass that has room for what the condition asks. */
static void
place_check (SondeWatchTarget *target, SondeWatchCheck *check)
{
  SondeFactsRange range;
  SondeFactsTolerance tolerance;
  gboolean has_range = sonde_condition_get_range (&check->watch->condition, &range);
  gboolean has_tolerance = sonde_condition_get_tolerance (&check->watch->condition, &tolerance);

  for (check->pass = 0;; check->pass++)
    {
      SondeFactsRequest *request;

      if (check->pass == target->passes->len)
        g_ptr_array_add (target->passes, g_rc_box_new0 (SondeFactsRequest));
      request = g_ptr_array_index (target->passes, check->pass);
      check->range = has_range ? sonde_watch_place_range (request, &range) : 0;
      check->tolerance = has_tolerance ? sonde_watch_place_tolerance (request, &tolerance) : 0;
      if (check->range < SONDE_FACTS_MAX && check->tolerance < SONDE_FACTS_MAX)
        return;
    }
}

/* ---- adding -------------------------------------------------------------- */

static void
add_check (SondeWatchTargets *table, const SondeWatchTarget *wanted, SondeArmedWatch *watch)
{
  SondeWatchTarget *target = take_target (table, wanted);
  SondeWatchCheck check = { .watch = watch };

  if (watch->expression == NULL)
    place_check (target, &check);
  g_array_append_val (target->checks, check);
}

/* After the step that makes it, but not before @earliest. A weight or state that is updated in this
 * plan: after its update, with what it was. */
static gboolean
add_output (SondeWatchTargets *table, SondeGraphValue *value, guint earliest,
            SondeArmedWatch *watch)
{
  const SondeConditionClass *klass = watch->condition.klass;
  SondeGraphValue *update = g_hash_table_lookup (table->watched.updates, value);
  SondeWatchTarget wanted = { .value = value,
                              .previous = value->update_of,
                              .subject = value,
                              .initial = klass != NULL && klass->initial };

  if (wanted.initial)
    wanted.previous = NULL;
  if (update != NULL && !wanted.initial)
    {
      wanted.value = update;
      wanted.previous = value;
    }
  else if (klass != NULL && klass->needs_previous && wanted.previous == NULL
           && watch->info.pattern == NULL)
    return FALSE; /* not trained */

  wanted.step = table->watched.step_of[wanted.value->id];
  if (wanted.step == SONDE_NEVER_MADE && wanted.value->producer != NULL
      && wanted.value->constant == NULL && !wanted.value->recorded)
    return FALSE; /* no step of this plan makes it */
  if (earliest != SONDE_NEVER_MADE)
    wanted.step = wanted.step != SONDE_NEVER_MADE ? MAX (wanted.step, earliest) : earliest;
  add_check (table, &wanted, watch);
  return TRUE;
}

/* Before the first node that reads it and is meant. */
static gboolean
add_input (SondeWatchTargets *table, SondeGraphValue *value, SondeArmedWatch *watch)
{
  SondeWatchTarget wanted
      = { .value = value, .subject = value, .step = SONDE_NEVER_MADE, .before = TRUE };
  gboolean found = FALSE;

  for (guint i = 0; i < value->users->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (value->users, i);
      int step = sonde_plan_find_step (table->watched.plan, node);
      gboolean recorded = sonde_node_is_recorded (node);

      if ((step < 0 && !recorded) || !sonde_watch_reads (node, value, watch->info.pattern))
        continue;
      found = TRUE;
      if (!recorded)
        wanted.step = MIN (wanted.step, (guint) step);
    }
  if (!found)
    return FALSE;
  add_check (table, &wanted, watch);
  return TRUE;
}

/* When the last of the values that it reads has been made. */
static guint
add_expression (SondeWatchTargets *table, SondeArmedWatch *watch)
{
  SondeWatchTarget wanted = { 0 };
  g_autoptr (GPtrArray) values = NULL;
  SondeGraphValue *last;
  guint step, n = 0;

  if (!sonde_watch_last_read (&table->watched, watch, &last, &step))
    return 0;
  if (watch->info.pattern == NULL)
    {
      wanted = (SondeWatchTarget){ .value = last, .subject = last, .step = step };
      add_check (table, &wanted, watch);
      return 1;
    }

  values = sonde_watch_find_values (&table->watched, watch->info.pattern, SONDE_TARGET_TENSOR,
                                    watch->info.on_inputs);
  for (guint i = 0; i < values->len; i++)
    n += watch->info.on_inputs ? add_input (table, g_ptr_array_index (values, i), watch)
                               : add_output (table, g_ptr_array_index (values, i), step, watch);
  return n;
}

guint
sonde_watch_targets_add (SondeWatchTargets *table, SondeArmedWatch *watch)
{
  g_autoptr (GPtrArray) values = NULL;
  guint n = 0;

  if (watch->expression != NULL)
    return add_expression (table, watch);

  values = sonde_watch_find_values (&table->watched, watch->info.pattern,
                                    watch->condition.klass->target, watch->info.on_inputs);
  for (guint i = 0; i < values->len; i++)
    n += watch->info.on_inputs
             ? add_input (table, g_ptr_array_index (values, i), watch)
             : add_output (table, g_ptr_array_index (values, i), SONDE_NEVER_MADE, watch);
  return n;
}
