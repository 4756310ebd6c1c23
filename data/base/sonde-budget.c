/* SPDX-License-Identifier: Apache-2.0
 * Budgets: one atomic counter each. */
#include "data/base/sonde-budget.h"

#include "data/base/sonde-checked.h"
#include "data/base/sonde-error.h"

void
sonde_budget_init (SondeBudget *budget, guint64 limit, const char *name)
{
  budget->limit = limit;
  budget->name = name;
  atomic_init (&budget->used, 0);
}

static gboolean
refuse (SondeBudget *budget, guint64 bytes, const char *what, GError **error)
{
  g_autofree char *wanted = g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *limit = g_format_size_full (budget->limit, G_FORMAT_SIZE_IEC_UNITS);

  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                   "%-s needs %s, which goes past the limit of %s for %-s", what, wanted, limit,
                   budget->name);
  return FALSE;
}

gboolean
sonde_budget_take (SondeBudget *budget, guint64 bytes, const char *what, GError **error)
{
  guint64 used, wanted;

  if (budget == NULL)
    return TRUE;

  used = atomic_load_explicit (&budget->used, memory_order_relaxed);
  do
    {
      if (!sonde_checked_add (&wanted, used, bytes) || wanted > budget->limit)
        return refuse (budget, bytes, what, error);
    }
  while (!atomic_compare_exchange_weak (&budget->used, &used, wanted));

  return TRUE;
}

void
sonde_budget_give_back (SondeBudget *budget, guint64 bytes)
{
  guint64 before;

  if (budget == NULL)
    return;

  before = atomic_fetch_sub (&budget->used, bytes);
  g_assert (before >= bytes);
}

void *
sonde_try_alloc (SondeBudget *budget, guint64 bytes, const char *what, GError **error)
{
  void *memory = NULL;

  if (!sonde_budget_take (budget, bytes, what, error))
    return NULL;

  if (bytes <= G_MAXSSIZE)
    memory = g_try_malloc (MAX (bytes, 1));

  if (memory == NULL)
    {
      g_autofree char *wanted = g_format_size_full (bytes, G_FORMAT_SIZE_IEC_UNITS);

      sonde_budget_give_back (budget, bytes);
      sonde_set_error (error, SONDE_DATA_ERROR,
                       bytes > SONDE_BUDGET_PARSE_BYTES ? SONDE_DATA_ERROR_LIMIT
                                                        : SONDE_DATA_ERROR_NO_MEMORY,
                       "%-s needs %s, more than the system has free", what, wanted);
    }
  return memory;
}
