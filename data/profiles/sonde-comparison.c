/* SPDX-License-Identifier: Apache-2.0
 * Two profiles of the same thing. */
#include <math.h>
#include <string.h>

#include <xxhash.h>

#include "data/profiles/sonde-comparison.h"
#include "data/profiles/sonde-rank-test.h"

#define MAX_P 0.01
#define MIN_CHANGE 0.05

/* ---- which operators are the same ---------------------------------------- */

/* What an operator is called: its node, or its type where nodes are not told. */
static const char *
get_name (const SondeProfileOperator *op)
{
  return op->node != NULL ? op->node : op->op;
}

static guint
hash_operator (gconstpointer data)
{
  const SondeProfileOperator *op = data;
  guint64 hash = XXH3_64bits (get_name (op), strlen (get_name (op)));

  hash = XXH3_64bits_withSeed (op->op, strlen (op->op), hash);
  return XXH3_64bits_withSeed (op->category, strlen (op->category), hash);
}

static gboolean
are_same (gconstpointer a, gconstpointer b)
{
  const SondeProfileOperator *x = a, *y = b;

  return strcmp (get_name (x), get_name (y)) == 0 && strcmp (x->op, y->op) == 0
         && strcmp (x->category, y->category) == 0;
}

/* By type, then by scope (what stands before the last slash of the node), then by when they ran. */
static int
compare_scopes (const SondeProfileOperator *x, const SondeProfileOperator *y)
{
  const char *x_end = strrchr (x->node, '/'), *y_end = strrchr (y->node, '/');
  gsize n = x_end != NULL ? x_end - x->node : 0, m = y_end != NULL ? y_end - y->node : 0;
  int order = strcmp (x->category, y->category);

  if (order == 0)
    order = strcmp (x->op, y->op);
  if (order == 0)
    order = strncmp (x->node, y->node, MIN (n, m));
  return order != 0 ? order : (n > m) - (n < m);
}

static int
compare_positions (gconstpointer a, gconstpointer b)
{
  const SondeProfileOperator *x = *(SondeProfileOperator *const *) a;
  const SondeProfileOperator *y = *(SondeProfileOperator *const *) b;
  int order = compare_scopes (x, y);

  return order != 0 ? order : (x->first_ns > y->first_ns) - (x->first_ns < y->first_ns);
}

static void
collect_nodes (const SondeProfile *profile, GHashTable *pairs, GPtrArray *list)
{
  for (guint i = 0; i < profile->operators->len; i++)
    {
      const SondeProfileOperator *op = sonde_profile_get_operator (profile, i);

      if (op->node != NULL && !g_hash_table_contains (pairs, op))
        g_ptr_array_add (list, (gpointer) op);
    }
  g_ptr_array_sort (list, compare_positions);
}

/* Pairs what is left: the k-th operator of a type in a scope with the k-th there on the other side. */
static void
pair_by_position (const SondeProfile *base, const SondeProfile *other, GHashTable *pairs)
{
  g_autoptr (GPtrArray) left = g_ptr_array_new (), right = g_ptr_array_new ();

  collect_nodes (base, pairs, left);
  collect_nodes (other, pairs, right);
  for (guint i = 0, k = 0; i < left->len && k < right->len;)
    {
      gpointer a = g_ptr_array_index (left, i), b = g_ptr_array_index (right, k);
      int order = compare_scopes (a, b);

      if (order == 0)
        {
          g_hash_table_insert (pairs, a, b);
          g_hash_table_insert (pairs, b, a);
        }
      i += order <= 0;
      k += order >= 0;
    }
}

/* (transfer full): of each operator of either side that has one the other's; by identity */
static GHashTable *
pair_operators (const SondeProfile *base, const SondeProfile *other)
{
  GHashTable *pairs = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) left = g_hash_table_new (hash_operator, are_same);

  for (guint i = 0; i < other->operators->len; i++)
    g_hash_table_add (left, (gpointer) sonde_profile_get_operator (other, i));
  for (guint i = 0; i < base->operators->len; i++)
    {
      const SondeProfileOperator *op = sonde_profile_get_operator (base, i);
      const SondeProfileOperator *same = g_hash_table_lookup (left, op);

      if (same == NULL)
        continue;
      g_hash_table_insert (pairs, (gpointer) op, (gpointer) same);
      g_hash_table_insert (pairs, (gpointer) same, (gpointer) op);
      g_hash_table_remove (left, op);
    }
  pair_by_position (base, other, pairs);
  return pairs;
}

/* ---- numbers ------------------------------------------------------------- */

static SondeComparedOperator
compare (const double *base, guint n_base, const double *other, guint n_other)
{
  SondeComparedOperator result = {
    .base_ns = sonde_quantile (base, n_base, 0.5),
    .other_ns = sonde_quantile (other, n_other, 0.5),
    .p = sonde_rank_test (base, n_base, other, n_other),
  };

  result.ratio = result.other_ns / result.base_ns;
  return result;
}

static gboolean
is_significant (const SondeComparedOperator *compared, const SondeProfile *base,
                const SondeProfile *other)
{
  return compared->p < MAX_P && fabs (compared->ratio - 1) >= MIN_CHANGE
         && base->n_kept >= SONDE_COMPARISON_MIN_STEPS
         && other->n_kept >= SONDE_COMPARISON_MIN_STEPS;
}

/* The operators of both, then those that were removed, then those that were added. */
static void
match (SondeProfileComparison *comparison, const SondeProfile *base, const SondeProfile *other)
{
  g_autoptr (GHashTable) pairs = pair_operators (base, other);
  g_autoptr (GArray) removed = g_array_new (FALSE, FALSE, sizeof (SondeComparedOperator));

  for (guint i = 0; i < base->operators->len; i++)
    {
      const SondeProfileOperator *op = sonde_profile_get_operator (base, i);
      const SondeProfileOperator *same = g_hash_table_lookup (pairs, op);
      SondeComparedOperator compared = { .p = 1, .ratio = NAN, .other_ns = NAN };

      if (same != NULL)
        compared = compare (op->step_self_ns, base->n_kept, same->step_self_ns, other->n_kept);
      else
        compared.base_ns = sonde_quantile (op->step_self_ns, base->n_kept, 0.5);
      compared.base_op = op;
      compared.other_op = same;
      g_array_append_val (same != NULL ? comparison->operators : removed, compared);
    }
  g_array_append_vals (comparison->operators, removed->data, removed->len);
  for (guint i = 0; i < other->operators->len; i++)
    {
      const SondeProfileOperator *op = sonde_profile_get_operator (other, i);
      SondeComparedOperator added
          = { .other_op = op,
              .p = 1,
              .ratio = NAN,
              .base_ns = NAN,
              .other_ns = sonde_quantile (op->step_self_ns, other->n_kept, 0.5) };

      if (!g_hash_table_contains (pairs, op))
        g_array_append_val (comparison->operators, added);
    }
}

/* Adjusts the p of the operators of both, which stand first, and says which are significant. */
static void
judge (SondeProfileComparison *comparison, const SondeProfile *base, const SondeProfile *other)
{
  SondeComparedOperator *list = (SondeComparedOperator *) comparison->operators->data;
  g_autofree double *p = g_new (double, comparison->operators->len + 1);
  g_autofree double *ratios = g_new (double, comparison->operators->len + 1);
  guint n = 0, n_ratios = 0;

  for (; n < comparison->operators->len && list[n].base_op != NULL && list[n].other_op != NULL; n++)
    {
      p[n] = list[n].p;
      if (isfinite (list[n].ratio))
        ratios[n_ratios++] = list[n].ratio;
    }
  sonde_rank_test_adjust (p, n);
  for (guint i = 0; i < n; i++)
    {
      list[i].p = p[i];
      list[i].significant = is_significant (&list[i], base, other);
      comparison->n_significant += list[i].significant;
    }
  comparison->common_ratio = sonde_quantile (ratios, n_ratios, 0.5);
}

SondeProfileComparison *
sonde_profile_comparison_new (const SondeProfile *base, const SondeProfile *other)
{
  SondeProfileComparison *comparison = g_new0 (SondeProfileComparison, 1);

  comparison->operators = g_array_new (FALSE, FALSE, sizeof (SondeComparedOperator));
  comparison->wall = compare (base->step_ns, base->n_kept, other->step_ns, other->n_kept);
  comparison->wall.significant = is_significant (&comparison->wall, base, other);
  comparison->too_few_steps = MIN (base->n_kept, other->n_kept) < SONDE_COMPARISON_FEW_STEPS;
  match (comparison, base, other);
  judge (comparison, base, other);
  return comparison;
}

void
sonde_profile_comparison_free (SondeProfileComparison *comparison)
{
  if (comparison == NULL)
    return;
  g_array_unref (comparison->operators);
  g_free (comparison);
}
