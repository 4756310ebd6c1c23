/* SPDX-License-Identifier: Apache-2.0
 * A counter that outlives its execution, since values it counts may. */
#include "engine/plan/sonde-run-budget.h"

#include "data/base/sonde-checked.h"
#include "engine/ops/sonde-engine-error.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define ALIGNMENT 64

struct _SondeRunBudget
{
  _Atomic guint ref_count;
  _Atomic guint64 limit, used;
};

/* Memory of one tensor. */
typedef struct
{
  SondeRunBudget *budget;
  void *memory;
  gsize bytes;
} Block;

SondeRunBudget *
sonde_run_budget_new (void)
{
  SondeRunBudget *budget = g_new0 (SondeRunBudget, 1);
  gint64 pages = sysconf (_SC_PHYS_PAGES), page = sysconf (_SC_PAGESIZE);

  budget->ref_count = 1;
  budget->limit = pages > 0 && page > 0 ? (guint64) pages * (guint64) page / 2 : G_MAXUINT64;
  return budget;
}

SondeRunBudget *
sonde_run_budget_ref (SondeRunBudget *budget)
{
  budget->ref_count++;
  return budget;
}

void
sonde_run_budget_unref (SondeRunBudget *budget)
{
  if (budget != NULL && --budget->ref_count == 0)
    g_free (budget);
}

void
sonde_run_budget_set_limit (SondeRunBudget *budget, guint64 bytes)
{
  budget->limit = bytes;
}

gboolean
sonde_run_budget_take (SondeRunBudget *budget, gsize bytes, GError **error)
{
  guint64 used = atomic_fetch_add (&budget->used, bytes);
  guint64 limit = budget->limit;

  if (bytes <= limit && used <= limit - bytes)
    return TRUE;

  atomic_fetch_sub (&budget->used, bytes);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
                   "%zu bytes are needed for a value whose size is known only at run time; %" PRIu64
                   " are already in use and %" PRIu64 " are allowed",
                   bytes, used, limit);
  return FALSE;
}

void
sonde_run_budget_give_back (SondeRunBudget *budget, gsize bytes)
{
  atomic_fetch_sub (&budget->used, bytes);
}

static void
block_free (gpointer data)
{
  Block *block = data;

  sonde_run_budget_give_back (block->budget, block->bytes);
  sonde_run_budget_unref (block->budget);
  free (block->memory);
  g_free (block);
}

static gboolean
count_bytes (SondeDtype dtype, const SondeShape *shape, gsize *bytes, GError **error)
{
  gint64 n = sonde_shape_n_elements (shape);
  g_autofree char *text = NULL;

  if (n >= 0 && sonde_checked_mul (bytes, (gsize) n, sonde_dtype_size (dtype)))
    return TRUE;

  text = sonde_shape_to_string (shape);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
                   "a value of size %s has too many elements", text);
  return FALSE;
}

SondeTensor *
sonde_run_budget_allocate (SondeRunBudget *budget, SondeDtype dtype, const SondeShape *shape,
                           GError **error)
{
  void *memory = NULL;
  gsize bytes = 0;
  Block *block;

  if (!count_bytes (dtype, shape, &bytes, error) || !sonde_run_budget_take (budget, bytes, error))
    return NULL;

  if (posix_memalign (&memory, ALIGNMENT, MAX (bytes, ALIGNMENT)) != 0)
    {
      sonde_run_budget_give_back (budget, bytes);
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
                       "the system could not allocate %zu bytes of memory", bytes);
      return NULL;
    }

  block = g_new (Block, 1);
  *block = (Block){ sonde_run_budget_ref (budget), memory, bytes };
  return sonde_tensor_new_take (dtype, shape, memory, block_free, block);
}
