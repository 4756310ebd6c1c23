/* SPDX-License-Identifier: Apache-2.0
 * Facts of values where they lie. Parts of a fixed size are looked at on the device's threads and
 * put together in order, so that sums do not depend on how many threads there are. */
#include "engine/plan/execution/sonde-execution-read.h"

#define PART ((gsize) 1 << 16) /* elements; half of a second cache in float32 */

typedef struct
{
  const SondeFactsRequest *request;
  SondeDtype dtype;
  const guint8 *data, *previous;
  gsize n;
  SondeFacts *parts;
} Pass;

static void
look_at_part (gint64 part, gpointer data)
{
  const Pass *pass = data;
  gsize start = (gsize) part * PART, size = sonde_dtype_size (pass->dtype);

  sonde_facts_init (&pass->parts[part]);
  sonde_facts_add (&pass->parts[part], pass->request, pass->dtype, pass->data + start * size,
                   pass->previous != NULL ? pass->previous + start * size : NULL,
                   MIN (PART, pass->n - start));
}

static void
look (SondeDevice *device, Pass *pass, SondeFacts *facts)
{
  gint64 n_parts = (gint64) ((pass->n + PART - 1) / PART);
  g_autofree SondeFacts *parts = NULL;

  sonde_facts_init (facts);
  if (n_parts <= 1)
    {
      sonde_facts_add (facts, pass->request, pass->dtype, pass->data, pass->previous, pass->n);
      return;
    }

  pass->parts = parts = g_new (SondeFacts, (gsize) n_parts);
  if (device->klass->parts != NULL)
    device->klass->parts (device, n_parts, look_at_part, pass);
  else
    for (gint64 i = 0; i < n_parts; i++)
      look_at_part (i, pass);

  for (gint64 i = 0; i < n_parts; i++)
    sonde_facts_merge (facts, &parts[i]);
}

/* Both lie in memory, in the same order. */
static gboolean
find_pass (SondeExecution *execution, SondeGraphValue *value, SondeGraphValue *previous, Pass *pass)
{
  SondeDevice *device = execution->plan->device;
  const SondePlanSlot *slot, *other;
  guint index, previous_index;
  SondeShape shape, previous_shape;

  pass->data = sonde_execution_find_elements (execution, value, &index);
  if (pass->data == NULL)
    return FALSE;

  slot = sonde_plan_slot (execution->plan, index);
  sonde_type_get_shape (&slot->value->type, &shape);
  pass->dtype = slot->value->type.dtype;
  pass->n = sonde_shape_n_elements (&shape);
  if (previous == NULL)
    return TRUE;

  pass->previous = sonde_execution_find_elements (execution, previous, &previous_index);
  if (pass->previous == NULL)
    return FALSE;

  other = sonde_plan_slot (execution->plan, previous_index);
  if (other->value->type.dtype != pass->dtype
      || !sonde_type_get_shape (&other->value->type, &previous_shape)
      || !sonde_shape_equal (&shape, &previous_shape))
    return FALSE;

  return slot->layout == other->layout
         || (slot->layout != NULL && other->layout != NULL
             && device->klass->layout_equal (device, slot->layout, other->layout));
}

static SondeTensor *
read_tensor (SondeExecution *execution, SondeGraphValue *value, GError **error)
{
  g_autoptr (SondeTensor) tensor = sonde_execution_read (execution, value, error);

  if (tensor == NULL || tensor->dtype != SONDE_DTYPE_STRING)
    return g_steal_pointer (&tensor);

  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                   "Value “%s” holds strings, which have no statistics", value->name);
  return NULL;
}

gboolean
sonde_execution_read_facts (SondeExecution *execution, SondeGraphValue *value,
                            SondeGraphValue *previous, const SondeFactsRequest *request,
                            SondeFacts *facts, GError **error)
{
  g_autoptr (SondeTensor) now = NULL;
  g_autoptr (SondeTensor) before = NULL;
  Pass pass = { .request = request };

  if (find_pass (execution, value, previous, &pass))
    {
      look (execution->plan->device, &pass, facts);
      return TRUE;
    }

  now = read_tensor (execution, value, error);
  before = now != NULL && previous != NULL ? read_tensor (execution, previous, error) : NULL;
  if (now == NULL || (previous != NULL && before == NULL))
    return FALSE;

  if (before != NULL
      && (before->dtype != now->dtype || !sonde_shape_equal (&before->shape, &now->shape)))
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
                       "Values “%s” and “%s” are not of the same type and cannot be compared",
                       value->name, previous->name);
      return FALSE;
    }

  pass = (Pass){ .request = request,
                 .dtype = now->dtype,
                 .data = now->data,
                 .previous = before != NULL ? before->data : NULL,
                 .n = (gsize) sonde_tensor_n_elements (now) };
  look (execution->plan->device, &pass, facts);
  return TRUE;
}
