/* SPDX-License-Identifier: Apache-2.0
 * A buffer that grows by doubling, or has the right size from the start. */
#include "engine/plan/sonde-stack.h"

#include "data/base/sonde-checked.h"
#include "engine/ops/sonde-engine-error.h"

#include <stdlib.h>
#include <string.h>

#define FIRST 8

/**
 * SondeStack:
 * @item_bytes: of one tensor
 * @taken: bytes of the budget that @memory stands for; @strings: those of strings beside it
 */
struct _SondeStack
{
  SondeRunBudget *budget;
  gint64 expected;
  SondeDtype dtype;
  SondeShape shape;
  gsize item_bytes;
  guint8 *memory;
  gsize taken, strings;
  gint64 n, capacity;
};

SondeStack *
sonde_stack_new (SondeRunBudget *budget, gint64 expected)
{
  SondeStack *stack = g_new0 (SondeStack, 1);

  stack->budget = sonde_run_budget_ref (budget);
  stack->expected = expected;
  return stack;
}

/* Strings are owned while they lie here. */
static void
free_strings (SondeStack *stack)
{
  char **strings = (char **) (void *) stack->memory;
  gsize n = stack->dtype == SONDE_DTYPE_STRING
                ? (gsize) stack->n * stack->item_bytes / sizeof (char *)
                : 0;

  for (gsize i = 0; i < n; i++)
    g_free (strings[i]);
}

void
sonde_stack_free (SondeStack *stack)
{
  if (stack == NULL)
    return;

  free_strings (stack);
  free (stack->memory);
  sonde_run_budget_give_back (stack->budget, stack->taken);
  sonde_run_budget_unref (stack->budget);
  g_free (stack);
}

gsize
sonde_stack_get_bytes (const SondeStack *stack)
{
  return stack->taken + stack->strings;
}

static gboolean
resize (SondeStack *stack, gint64 capacity, GError **error)
{
  gsize bytes, more;
  void *memory;

  if (!sonde_checked_mul (&bytes, (gsize) capacity, stack->item_bytes))
    bytes = G_MAXSIZE / 2;
  more = bytes > stack->taken ? bytes - stack->taken : 0;
  if (!sonde_run_budget_take (stack->budget, more, error))
    return FALSE;

  stack->taken += more;
  memory = realloc (stack->memory, MAX (bytes, 1));
  if (memory == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
                       "the system could not allocate %zu bytes of memory", bytes);
      return FALSE;
    }

  stack->memory = memory;
  stack->capacity = capacity;
  return TRUE;
}

static gboolean
check_type (SondeStack *stack, const SondeTensor *tensor, GError **error)
{
  g_autofree char *first = NULL, *other = NULL;

  if (stack->dtype == tensor->dtype && sonde_shape_equal (&stack->shape, &tensor->shape))
    return TRUE;

  first = sonde_shape_to_string (&stack->shape);
  other = sonde_shape_to_string (&tensor->shape);
  sonde_set_error (
      error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
      "iteration %" PRIi64 " returns %s %s for a scan output, but the first returned %s %s",
      stack->n, sonde_dtype_name (tensor->dtype), other, sonde_dtype_name (stack->dtype), first);
  return FALSE;
}

static void
copy_item (SondeStack *stack, const SondeTensor *tensor)
{
  guint8 *to = stack->memory + (gsize) stack->n * stack->item_bytes;
  char **strings = (char **) (void *) to;

  memcpy (to, tensor->data, stack->item_bytes);
  for (gsize i = 0; tensor->dtype == SONDE_DTYPE_STRING && i < stack->item_bytes / sizeof (char *);
       i++)
    {
      strings[i] = g_strdup (strings[i]);
      stack->strings += strings[i] != NULL ? strlen (strings[i]) + 1 : 0;
    }
}

gboolean
sonde_stack_append (SondeStack *stack, SondeTensor *tensor, GError **error)
{
  g_autoptr (SondeTensor) plain = sonde_tensor_contiguous (tensor);

  if (stack->n == 0)
    {
      stack->dtype = tensor->dtype;
      stack->shape = tensor->shape;
      stack->item_bytes = sonde_tensor_n_bytes (tensor);
    }

  if (!check_type (stack, plain, error))
    return FALSE;

  if (stack->n == stack->capacity
      && !resize (stack,
                  stack->n == 0 && stack->expected > 0 ? MIN (stack->expected, 1 << 20)
                                                       : MAX (2 * stack->n, FIRST),
                  error))
    return FALSE;

  copy_item (stack, plain);
  stack->n++;
  return TRUE;
}

/* ---- the whole ----------------------------------------------------------- */

/* Blocks of @inner bytes: item i, block o goes to block o, item i. */
static void
arrange (const SondeStack *stack, gsize outer, gsize inner, gboolean reverse, guint8 *to)
{
  for (gint64 i = 0; i < stack->n; i++)
    {
      gint64 from = reverse ? stack->n - 1 - i : i;

      for (gsize o = 0; o < outer; o++)
        memcpy (to + (o * (gsize) stack->n + (gsize) i) * inner,
                stack->memory + (gsize) from * stack->item_bytes + o * inner, inner);
    }
}

SondeTensor *
sonde_stack_finish (SondeStack *stack, gint64 axis, gboolean reverse, GError **error)
{
  SondeShape shape = { .rank = stack->shape.rank + 1 };
  gint64 at = axis < 0 ? axis + shape.rank : axis;
  gsize outer = 1;
  SondeTensor *tensor;

  if (stack->n == 0)
    return NULL;

  if (at < 0 || at >= shape.rank || shape.rank > SONDE_MAX_RANK)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                       "axis %" PRIi64
                       " is not an axis of a scan output of values with %d dimensions",
                       axis, stack->shape.rank);
      return NULL;
    }

  for (int d = 0; d < shape.rank; d++)
    shape.dims[d] = d == at ? stack->n : stack->shape.dims[d < at ? d : d - 1];
  for (int d = 0; d < at; d++)
    outer *= (gsize) shape.dims[d];

  if (stack->dtype == SONDE_DTYPE_STRING)
    {
      g_autofree guint8 *order = g_malloc ((gsize) stack->n * stack->item_bytes + 1);

      arrange (stack, outer, outer > 0 ? stack->item_bytes / outer : 0, reverse, order);
      return sonde_tensor_new_from_data (stack->dtype, &shape, order);
    }

  tensor = sonde_run_budget_allocate (stack->budget, stack->dtype, &shape, error);
  if (tensor != NULL && stack->item_bytes > 0)
    arrange (stack, outer, stack->item_bytes / outer, reverse, tensor->data);
  return tensor;
}
