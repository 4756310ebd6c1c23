/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/writer/sonde-policy-set-private.h"

#include <pthread.h>
#include <stdatomic.h>

#include "data/base/sonde-random.h"

typedef struct
{
  GPatternSpec *pattern;
  SondePolicy policy;
} Rule;

/* @rules: (element-type Rule); @tags: (element-type utf8 SondePolicy), NULL for a tag without a
 * rule */
struct _SondePolicySet
{
  atomic_bool active;
  pthread_mutex_t mutex;
  GArray *rules;
  GHashTable *tags;
};

SondePolicySet *
sonde_policy_set_new (void)
{
  SondePolicySet *set = g_new0 (SondePolicySet, 1);

  pthread_mutex_init (&set->mutex, NULL);
  set->rules = g_array_new (FALSE, FALSE, sizeof (Rule));
  set->tags = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return set;
}

void
sonde_policy_set_free (SondePolicySet *set)
{
  if (set == NULL)
    return;
  for (guint i = 0; i < set->rules->len; i++)
    g_pattern_spec_free (g_array_index (set->rules, Rule, i).pattern);
  g_array_unref (set->rules);
  g_hash_table_unref (set->tags);
  pthread_mutex_destroy (&set->mutex);
  g_free (set);
}

void
sonde_policy_set_add (SondePolicySet *set, const char *pattern, const SondePolicy *policy)
{
  const Rule rule = { g_pattern_spec_new (pattern), *policy };

  pthread_mutex_lock (&set->mutex);
  g_array_append_val (set->rules, rule);
  g_hash_table_remove_all (set->tags);
  atomic_store (&set->active, 1);
  pthread_mutex_unlock (&set->mutex);
}

/* Mutex held. */
static SondePolicy *
policy_of (SondePolicySet *set, const char *tag)
{
  SondePolicy *policy = NULL;

  if (g_hash_table_lookup_extended (set->tags, tag, NULL, (gpointer *) &policy))
    return policy;
  for (guint i = set->rules->len; i-- > 0 && policy == NULL;)
    {
      const Rule *rule = &g_array_index (set->rules, Rule, i);

      if (!g_pattern_spec_match_string (rule->pattern, tag))
        continue;
      policy = g_memdup2 (&rule->policy, sizeof *policy);
      policy->seed ^= sonde_random_stream (tag);
    }
  g_hash_table_insert (set->tags, g_strdup (tag), policy);
  return policy;
}

gboolean
sonde_policy_set_is_active (SondePolicySet *set)
{
  return atomic_load_explicit (&set->active, memory_order_relaxed);
}

gboolean
sonde_policy_set_wants (SondePolicySet *set, const SondeClock *clock, const char *tag, gint64 step)
{
  SondePolicy *policy;
  gboolean wants;

  if (!sonde_policy_set_is_active (set))
    return TRUE;
  pthread_mutex_lock (&set->mutex);
  policy = policy_of (set, tag);
  wants = policy == NULL || sonde_policy_wants (policy, step, sonde_clock_monotonic_ns (clock));
  pthread_mutex_unlock (&set->mutex);
  return wants;
}
