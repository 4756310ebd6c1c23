/* SPDX-License-Identifier: Apache-2.0 */
#include "data/profiles/sonde-operator-types.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/profiles/sonde-profile-operators.h"
#include "data/profiles/sonde-rank-test.h"

/* ---- calls --------------------------------------------------------------- */

/* Whether @op stands for @one: itself, or the type of it. */
static gboolean
stands_for (const SondeProfileOperator *op, const SondeProfileOperator *one)
{
  return op->label != SONDE_TRACE_NONE ? op->label == one->label : strcmp (op->op, one->op) == 0;
}

static int
compare_durations (gconstpointer a, gconstpointer b, gpointer data)
{
  const SondeTraceSpan *x = &((const SondeTrace *) data)->spans[*(const guint32 *) a];
  const SondeTraceSpan *y = &((const SondeTrace *) data)->spans[*(const guint32 *) b];
  const gint64 left = x->end_ns - x->start_ns, right = y->end_ns - y->start_ns;

  if (left != right)
    return (left < right) - (left > right);
  return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

GArray *
sonde_operator_list_calls (const SondeProfile *profile, const SondeProfileOperator *op)
{
  const SondeTrace *trace = profile->trace;
  GArray *calls = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_autofree guint8 *wanted = g_new0 (guint8, trace->labels->len + 1);

  for (guint i = 0; i < profile->operators->len; i++)
    {
      const SondeProfileOperator *one = sonde_profile_get_operator (profile, i);

      if (one->label != SONDE_TRACE_NONE && stands_for (op, one))
        wanted[one->label] = 1;
    }
  for (gsize i = 0; i < trace->n_spans; i++)
    if (wanted[trace->spans[i].label] && !sonde_profile_is_repeated (trace, trace->spans[i].thread))
      {
        const guint32 span = (guint32) i;

        g_array_append_val (calls, span);
      }
  g_array_sort_with_data (calls, compare_durations, profile->trace);
  return calls;
}

/* ---- sums ---------------------------------------------------------------- */

/* While types are summed up. @flops, @bytes: NaN once one is not known
 * @on_device: a device computes, the times are not those of the operations
 * @class_ns: of each class */
typedef struct
{
  SondeOperatorType type;
  double flops, bytes;
  gboolean on_device;
  double class_ns[SONDE_OPERATOR_N_CLASSES];
  GArray *durations; /* double */
} Sum;

static void
free_sum (gpointer data)
{
  g_array_unref (((Sum *) data)->durations);
  g_free (data);
}

static Sum *
new_sum (const SondeProfileOperator *op)
{
  Sum *sum = g_new0 (Sum, 1);

  sum->type.sum.op = op->op;
  sum->type.sum.category = op->category;
  sum->type.sum.label = SONDE_TRACE_NONE;
  sum->type.sum.first_ns = G_MAXINT64;
  sum->durations = g_array_new (FALSE, FALSE, sizeof (double));
  return sum;
}

static double
known_cost (gint64 cost, guint64 n_calls)
{
  return cost >= 0 ? (double) cost * (double) n_calls : NAN;
}

static void
add_operator (Sum *sum, const SondeProfileOperator *op)
{
  SondeProfileOperator *all = &sum->type.sum;

  sum->type.n_operators++;
  all->first_ns = MIN (all->first_ns, op->first_ns);
  all->n_calls += op->n_calls;
  all->self_ns += op->self_ns;
  all->total_ns += op->total_ns;
  all->mean_calls += op->mean_calls;
  all->mean_self_ns += op->mean_self_ns;
  all->share += op->share;
  all->limit_ns += op->limit_ns;
  all->n_told += op->n_told;
  all->told_flops += op->told_flops;
  all->told_self_ns += op->told_self_ns;
  all->n_moving += op->n_moving;
  all->told_bytes += op->told_bytes;
  all->moving_self_ns += op->moving_self_ns;
  sum->flops += op->facts != NULL ? known_cost (op->facts->flops, op->n_calls) : NAN;
  sum->bytes += op->facts != NULL ? known_cost (op->facts->bytes, op->n_calls) : NAN;
  sum->class_ns[op->operator_class] += isfinite (op->mean_self_ns) ? op->mean_self_ns : 0;
}

static void
finish_sum (Sum *sum)
{
  SondeProfileOperator *all = &sum->type.sum;
  const double *durations = (const double *) sum->durations->data;

  all->gflops = all->told_self_ns > 0 && !sum->on_device
                    ? all->told_flops / (double) all->told_self_ns
                : all->self_ns > 0 ? sum->flops / (double) all->self_ns
                                   : NAN;
  all->gbs = all->moving_self_ns > 0 && !sum->on_device
                 ? all->told_bytes / (double) all->moving_self_ns
             : all->self_ns > 0 ? sum->bytes / (double) all->self_ns
                                : NAN;
  all->p50_ns = sonde_quantile (durations, sum->durations->len, 0.5);
  all->p95_ns = sonde_quantile (durations, sum->durations->len, 0.95);
  all->operator_class = SONDE_OPERATOR_CLASS_UNKNOWN;
  for (guint i = 0; i < SONDE_OPERATOR_N_CLASSES; i++)
    if (sum->class_ns[i] > sum->class_ns[all->operator_class])
      all->operator_class = i;
}

static void
add_durations (const SondeProfile *profile, GHashTable *sums)
{
  const SondeTrace *trace = profile->trace;
  g_autofree Sum **by_label = g_new0 (Sum *, trace->labels->len + 1);

  for (guint i = 0; i < profile->operators->len; i++)
    {
      const SondeProfileOperator *op = sonde_profile_get_operator (profile, i);

      if (op->label != SONDE_TRACE_NONE)
        by_label[op->label] = g_hash_table_lookup (sums, op->op);
    }
  for (gsize i = 0; i < trace->n_spans; i++)
    {
      const SondeTraceSpan *span = &trace->spans[i];
      const double lasts = (double) (span->end_ns - span->start_ns);

      if (by_label[span->label] != NULL && !sonde_profile_is_repeated (trace, span->thread))
        g_array_append_val (by_label[span->label]->durations, lasts);
    }
}

static int
compare_types (gconstpointer a, gconstpointer b)
{
  const SondeOperatorType *x = a, *y = b;

  if (x->sum.share != y->sum.share)
    return (x->sum.share < y->sum.share) - (x->sum.share > y->sum.share);
  return strcmp (x->sum.op, y->sum.op);
}

GArray *
sonde_operator_types_new (const SondeProfile *profile)
{
  GArray *types = g_array_new (FALSE, FALSE, sizeof (SondeOperatorType));
  g_autoptr (GHashTable) sums = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, free_sum);
  GHashTableIter iter;
  gpointer sum;

  for (guint i = 0; i < profile->operators->len; i++)
    {
      const SondeProfileOperator *op = sonde_profile_get_operator (profile, i);

      sum = g_hash_table_lookup (sums, op->op);
      if (sum == NULL)
        {
          sum = new_sum (op);
          ((Sum *) sum)->on_device = profile->device.n_devices > 0;
          g_hash_table_insert (sums, (gpointer) op->op, sum);
        }
      add_operator (sum, op);
    }
  add_durations (profile, sums);
  g_hash_table_iter_init (&iter, sums);
  while (g_hash_table_iter_next (&iter, NULL, &sum))
    {
      finish_sum (sum);
      g_array_append_val (types, ((Sum *) sum)->type);
    }
  g_array_sort (types, compare_types);
  return types;
}
