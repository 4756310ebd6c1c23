/* SPDX-License-Identifier: Apache-2.0
 * Values that are kept and read in the run too. Made where they stay, each would be written to
 * memory that is not in the cache, which reads it first, and would drive the weights out of the
 * cache. So where much is kept, such a value is made in memory that the next values use again, and
 * a copy is stored past the cache as soon as it is there: its copy. */
#include "engine/plan/sonde-plan-build.h"

/* Less kept than this stays in the cache. */
#define LEAST_TOTAL ((gsize) 8 << 20)
/* A value of more has left the cache near the core before it is copied. */
#define LEAST_BYTES ((gsize) 16 << 10)
#define MOST_BYTES ((gsize) 3 << 19)

/* By slot whose content is looked at. */
typedef struct
{
  gboolean *kept, *read;
  guint *copies;
  gsize total;
} KeptCopies;

static gboolean
is_kept (const SondePlan *plan, guint index)
{
  const SondeGraphValue *value = sonde_plan_slot (plan, index)->value;

  return plan->stays[value->id] && plan->slot_of_value[value->id] == index;
}

static gsize
count_bytes (const SondePlan *plan, const SondePlanSlot *slot)
{
  return slot->storage == SONDE_STORAGE_ARENA
             ? plan->device->klass->layout_bytes (plan->device, &slot->value->type, slot->layout)
             : 0;
}

static void
find_uses (const SondePlan *plan, KeptCopies *copies)
{
  for (guint i = 0; i < plan->slots->len; i++)
    {
      const guint source = sonde_plan_slot (plan, i)->source;

      if (is_kept (plan, i) && !copies->kept[source])
        {
          copies->kept[source] = TRUE;
          copies->total += count_bytes (plan, sonde_plan_slot (plan, source));
        }
    }

  for (guint k = 0; k < plan->steps->len; k++)
    {
      const SondePlanStep *step = sonde_plan_step (plan, k);

      for (guint i = 0; i < step->n_input_slots && step->kind != SONDE_STEP_VIEW; i++)
        if (step->input_slots[i] != SONDE_NO_SLOT)
          copies->read[sonde_plan_slot (plan, step->input_slots[i])->source] = TRUE;
    }
}

/* A slot of the same value and layout as slot @index, ahead of it in the list of the value's
 * slots. */
static guint
add_like (SondePlan *plan, guint index)
{
  const SondePlanSlot *slot = sonde_plan_slot (plan, index);
  const SondeDeviceClass *klass = plan->device->klass;
  SondeLayout *layout
      = slot->layout != NULL ? klass->layout_ref (plan->device, slot->layout) : NULL;
  guint copy = sonde_plan_add_slot (plan, slot->value, layout, SONDE_STORAGE_ARENA);

  sonde_plan_slot (plan, copy)->produced_by = slot->produced_by;
  if (plan->slot_of_value[slot->value->id] == index)
    {
      plan->slot_of_value[slot->value->id] = copy;
      sonde_plan_slot (plan, copy)->next = index;
    }
  return copy;
}

static gboolean
wants_copy (const SondePlan *plan, const KeptCopies *copies, guint index)
{
  const SondePlanSlot *slot = sonde_plan_slot (plan, index);
  const gsize bytes = count_bytes (plan, slot);

  return copies->kept[index] && copies->read[index] && slot->root == index
         && slot->produced_by != SONDE_NEVER && slot->partner == SONDE_NO_SLOT
         && bytes >= LEAST_BYTES && bytes <= MOST_BYTES;
}

static void
add_copy (SondePlan *plan, KeptCopies *copies, guint index)
{
  SondePlanStep *step = sonde_plan_step (plan, sonde_plan_slot (plan, index)->produced_by);
  guint copy = add_like (plan, index);

  copies->copies[index] = copy;
  step->stores = g_renew (guint, step->stores, 2 * (step->n_stores + 1));
  step->stores[2 * step->n_stores] = index;
  step->stores[2 * step->n_stores++ + 1] = copy;
}

/* What is kept and only another look at a value with a copy looks at the copy. */
static void
turn_view (SondePlan *plan, const KeptCopies *copies, guint index)
{
  const guint source = sonde_plan_slot (plan, index)->source;
  SondePlanSlot *view;

  if (source == index || copies->copies[source] == SONDE_NO_SLOT || !is_kept (plan, index))
    return;

  view = sonde_plan_slot (plan, add_like (plan, index));
  view->source = view->root = copies->copies[source];
}

void
sonde_plan_add_kept_copies (SondePlan *plan)
{
  const guint n = plan->slots->len;
  g_autofree gboolean *kept = g_new0 (gboolean, n + 1), *read = g_new0 (gboolean, n + 1);
  g_autofree guint *slots = g_new (guint, n + 1);
  KeptCopies copies = { kept, read, slots, 0 };

  if (plan->memory != SONDE_MEMORY_PLAN || plan->device->klass->stores == NULL
      || !plan->device->klass->stores (plan->device))
    return;

  find_uses (plan, &copies);
  if (copies.total < LEAST_TOTAL)
    return;

  for (guint i = 0; i < n; i++)
    {
      slots[i] = SONDE_NO_SLOT;
      if (wants_copy (plan, &copies, i))
        add_copy (plan, &copies, i);
    }
  for (guint i = 0; i < n; i++)
    turn_view (plan, &copies, i);
}
