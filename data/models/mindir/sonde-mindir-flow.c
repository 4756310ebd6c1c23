/* SPDX-License-Identifier: Apache-2.0
 * Functions as a graph of last calls; every question is a walk or a fixed point over sets. */
#include "data/models/mindir/sonde-mindir-flow.h"

#include <string.h>

#define MAX_DEPTH 64

/* @next: per function (element-type guint); @always: per function the set of those that every way
 * comes to, as bits */
struct _SondeMindirFlow
{
  const SondeMindirFile *file;
  guint n, n_words;
  GArray **next;
  guint *barred;
  guint64 *always;
};

static const SondeMindirFunction *
get_function (const SondeMindirFlow *flow, guint id)
{
  return flow->file->functions->pdata[id];
}

/* ---- last calls ---------------------------------------------------------- */

static gboolean
passes_on (const SondeMindirNode *node)
{
  static const char *const names[] = { "Depend", "Load", "Return", "Identity", "StopGradient" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_strcmp0 (node->primitive, names[i]) == 0)
      return node->n_inputs > 0;
  return FALSE;
}

/* The functions that a value of @function may be. */
static void
add_closures (SondeMindirFlow *flow, const SondeMindirFunction *function, const char *name,
              guint depth)
{
  const SondeMindirFunction *called = sonde_mindir_file_find (flow->file, name);
  const SondeMindirNode *node = g_hash_table_lookup (function->index, name);
  guint first = 0, end = 1;

  if (called != NULL)
    g_array_append_val (flow->next[function->id], called->id);
  if (called != NULL || node == NULL || node->primitive == NULL || depth == MAX_DEPTH)
    return;
  if (strcmp (node->primitive, "Switch") == 0)
    first = 1, end = 3;
  else if (strcmp (node->primitive, "Partial") != 0 && !passes_on (node))
    return;
  for (guint i = first; i < MIN (end, node->n_inputs); i++)
    add_closures (flow, function, node->inputs[i], depth + 1);
}

static void
find_last_calls (SondeMindirFlow *flow, const SondeMindirFunction *function)
{
  const SondeMindirNode *node = g_hash_table_lookup (function->index, function->result);

  for (guint i = 0; node != NULL && passes_on (node) && i < function->n_nodes; i++)
    node = g_hash_table_lookup (function->index, node->inputs[0]);
  if (node != NULL && node->callee != NULL)
    add_closures (flow, function, node->callee, 0);
}

/* ---- what every way comes to --------------------------------------------- */

static guint64 *
get_set (const SondeMindirFlow *flow, guint id)
{
  return flow->always + (gsize) id * flow->n_words;
}

/* The set of @id from those it leads to. Returns whether it changed. */
static gboolean
narrow (SondeMindirFlow *flow, guint id)
{
  guint64 *set = get_set (flow, id);
  gboolean changed = FALSE;

  for (guint w = 0; w < flow->n_words; w++)
    {
      guint64 common = flow->next[id]->len > 0 ? G_MAXUINT64 : 0;

      for (guint i = 0; i < flow->next[id]->len; i++)
        common &= get_set (flow, g_array_index (flow->next[id], guint, i))[w];
      if (w == id / 64)
        common |= G_GUINT64_CONSTANT (1) << id % 64;
      changed = changed || common != set[w];
      set[w] = common;
    }
  return changed;
}

/* From the last: callees mostly follow their callers in the file, or precede them; a few rounds. */
static void
find_always (SondeMindirFlow *flow)
{
  gboolean changed = TRUE;

  memset (flow->always, 0xff, (gsize) flow->n * flow->n_words * sizeof *flow->always);
  for (guint round = 0; changed && round <= flow->n; round++)
    {
      changed = FALSE;
      for (guint i = flow->n; i-- > 0;)
        changed = narrow (flow, i) || changed;
    }
}

static gboolean
has (const SondeMindirFlow *flow, guint id, guint other)
{
  return (get_set (flow, id)[other / 64] >> other % 64 & 1) != 0;
}

/* Only of those that do exist. */
static guint
count_always (const SondeMindirFlow *flow, guint id)
{
  guint count = 0;

  for (guint i = 0; i < flow->n; i++)
    count += has (flow, id, i) ? 1 : 0;
  return count;
}

const SondeMindirFunction *
sonde_mindir_flow_join (const SondeMindirFlow *flow, const SondeMindirFunction *a,
                        const SondeMindirFunction *b, const SondeMindirFunction *target)
{
  const SondeMindirFunction *nearest = target;
  guint most = 0;

  for (guint i = 0; i < flow->n; i++)
    {
      guint count;

      if (!has (flow, a->id, i) || !has (flow, b->id, i) || flow->barred[i] > 0
          || (target != NULL && !has (flow, i, target->id)))
        continue;
      count = count_always (flow, i);
      if (count > most)
        {
          most = count;
          nearest = get_function (flow, i);
        }
    }
  return nearest;
}

/* ---- ways ---------------------------------------------------------------- */

typedef gboolean (*EndFunc) (const SondeMindirFlow *flow, guint id, guint other);

/* Does a way from the functions in @stack come to one that is an end? */
static gboolean
walk (const SondeMindirFlow *flow, GArray *stack, EndFunc is_end, guint other)
{
  g_autofree gboolean *seen = g_new0 (gboolean, flow->n);

  while (stack->len > 0)
    {
      guint id = g_array_index (stack, guint, stack->len - 1);

      g_array_set_size (stack, stack->len - 1);
      if (seen[id])
        continue;
      seen[id] = TRUE;
      if (is_end (flow, id, other))
        return TRUE;
      if (flow->barred[id] == 0 && id != other)
        g_array_append_vals (stack, flow->next[id]->data, flow->next[id]->len);
    }
  return FALSE;
}

static gboolean
walk_from (const SondeMindirFlow *flow, guint from, EndFunc is_end, guint other)
{
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (guint));

  g_array_append_val (stack, from);
  return walk (flow, stack, is_end, other);
}

static gboolean
is_other (G_GNUC_UNUSED const SondeMindirFlow *flow, guint id, guint other)
{
  return id == other;
}

static gboolean
returns (const SondeMindirFlow *flow, guint id, G_GNUC_UNUSED guint other)
{
  return flow->barred[id] == 0 && flow->next[id]->len == 0;
}

static gboolean
is_elsewhere (const SondeMindirFlow *flow, guint id, guint other)
{
  return id != other && (flow->barred[id] > 0 || flow->next[id]->len == 0);
}

gboolean
sonde_mindir_flow_leads (const SondeMindirFlow *flow, const SondeMindirFunction *from,
                         const SondeMindirFunction *to)
{
  return walk_from (flow, from->id, to != NULL ? is_other : returns,
                    to != NULL ? to->id : G_MAXUINT);
}

gboolean
sonde_mindir_flow_escapes (const SondeMindirFlow *flow, const SondeMindirFunction *from,
                           const SondeMindirFunction *to)
{
  return walk_from (flow, from->id, is_elsewhere, to->id);
}

gboolean
sonde_mindir_flow_is_loop (const SondeMindirFlow *flow, const SondeMindirFunction *function)
{
  const GArray *next = flow->next[function->id];
  g_autoptr (GArray) stack = g_array_new (FALSE, FALSE, sizeof (guint));

  g_array_append_vals (stack, next->data, next->len);
  return flow->barred[function->id] == 0 && walk (flow, stack, is_other, function->id);
}

void
sonde_mindir_flow_bar (SondeMindirFlow *flow, const SondeMindirFunction *function)
{
  flow->barred[function->id]++;
}

void
sonde_mindir_flow_unbar (SondeMindirFlow *flow, const SondeMindirFunction *function)
{
  g_assert (flow->barred[function->id] > 0);
  flow->barred[function->id]--;
}

/* ---- what a loop hands on ------------------------------------------------ */

#define UNSEEN G_MAXUINT
#define VARIES (G_MAXUINT - 1)

/* For each input of each function: which input of the head it is. @reached: called from the head, or
 * from one that is */
typedef struct
{
  const SondeMindirFlow *flow;
  const SondeMindirFunction *head;
  guint **origin;
  gboolean *reached;
  gboolean changed;
} Handing;

static guint
find_origin (const Handing *handing, const SondeMindirFunction *function, const char *name)
{
  for (guint i = 0; i < function->n_inputs; i++)
    if (strcmp (function->inputs[i].name, name) == 0)
      return handing->origin[function->id][i];
  return VARIES;
}

static void
hand (Handing *handing, const SondeMindirFunction *from, const SondeMindirFunction *to, guint index,
      const char *name)
{
  guint *now = &handing->origin[to->id][index];
  guint origin = find_origin (handing, from, name);

  if (origin == UNSEEN || *now == origin || *now == VARIES)
    return;
  *now = *now == UNSEEN ? origin : VARIES;
  handing->changed = TRUE;
}

static void
follow_node (Handing *handing, const SondeMindirFunction *function, const SondeMindirNode *node)
{
  const SondeMindirFile *file = handing->flow->file;
  const gboolean partial = g_strcmp0 (node->primitive, "Partial") == 0 && node->n_inputs > 0;
  const char *name = partial ? node->inputs[0] : node->callee;
  const SondeMindirFunction *to = name != NULL ? sonde_mindir_file_find (file, name) : NULL;
  const guint first = partial ? 1 : 0;

  if (to == NULL || (handing->flow->barred[to->id] > 0 && to != handing->head))
    return;
  handing->changed = handing->changed || !handing->reached[to->id];
  handing->reached[to->id] = TRUE;
  for (guint i = first; i < node->n_inputs && i - first < to->n_inputs; i++)
    hand (handing, function, to, i - first, node->inputs[i]);
}

static void
follow_all (Handing *handing)
{
  do
    {
      handing->changed = FALSE;
      for (guint f = 0; f < handing->flow->n; f++)
        {
          const SondeMindirFunction *function = get_function (handing->flow, f);

          for (guint i = 0; handing->reached[f] && i < function->n_nodes; i++)
            follow_node (handing, function, &function->nodes[i]);
        }
    }
  while (handing->changed);
}

static guint **
origins_new (const SondeMindirFlow *flow)
{
  guint **origin = g_new (guint *, flow->n);

  for (guint f = 0; f < flow->n; f++)
    {
      origin[f] = g_new (guint, MAX (get_function (flow, f)->n_inputs, 1));
      for (guint i = 0; i < get_function (flow, f)->n_inputs; i++)
        origin[f][i] = UNSEEN;
    }
  return origin;
}

/* Only calls from the loop count, not those that enter it. */
gboolean *
sonde_mindir_flow_find_fixed (const SondeMindirFlow *flow, const SondeMindirFunction *head)
{
  g_autofree gboolean *reached = g_new0 (gboolean, flow->n);
  Handing handing = { flow, head, origins_new (flow), reached, FALSE };
  gboolean *fixed = g_new0 (gboolean, MAX (head->n_inputs, 1));

  reached[head->id] = TRUE;
  for (guint i = 0; i < head->n_inputs; i++)
    handing.origin[head->id][i] = i;
  follow_all (&handing);
  for (guint i = 0; i < head->n_inputs; i++)
    fixed[i] = handing.origin[head->id][i] == i;
  for (guint f = 0; f < flow->n; f++)
    g_free (handing.origin[f]);
  g_free (handing.origin);
  return fixed;
}

/* ---- making -------------------------------------------------------------- */

SondeMindirFlow *
sonde_mindir_flow_new (const SondeMindirFile *file)
{
  SondeMindirFlow *flow = g_new0 (SondeMindirFlow, 1);

  flow->file = file;
  flow->n = file->functions->len;
  flow->n_words = (flow->n + 63) / 64;
  flow->next = g_new (GArray *, flow->n);
  flow->barred = g_new0 (guint, flow->n);
  flow->always = g_new (guint64, (gsize) flow->n * flow->n_words);
  for (guint i = 0; i < flow->n; i++)
    flow->next[i] = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint i = 0; i < flow->n; i++)
    find_last_calls (flow, get_function (flow, i));
  find_always (flow);
  return flow;
}

void
sonde_mindir_flow_free (SondeMindirFlow *flow)
{
  for (guint i = 0; i < flow->n; i++)
    g_array_unref (flow->next[i]);
  g_free (flow->next);
  g_free (flow->barred);
  g_free (flow->always);
  g_free (flow);
}
