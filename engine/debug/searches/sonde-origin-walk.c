/* SPDX-License-Identifier: Apache-2.0
 * The backward search. */
#include "engine/debug/searches/sonde-origin-walk-private.h"

#include <math.h>

#define MAX_VISITS 20000
#define MAX_VISITS_OF_VALUE 2  /* elements of one value */
#define MAX_SUSPECTS (1 << 20) /* of one element */

/* ---- elements of values -------------------------------------------------- */

SondeTensor *
sonde_origin_find_piece (SondeValue *content, gint64 *element)
{
  SondeTensor *tensor = sonde_value_get_tensor (content);

  if (tensor != NULL)
    return tensor->dtype != SONDE_DTYPE_STRING && *element < sonde_tensor_n_elements (tensor)
               ? tensor
               : NULL;
  for (gsize i = 0; i < sonde_value_get_n_items (content); i++)
    {
      SondeTensor *item = sonde_value_get_tensor (sonde_value_get_item (content, i));
      const gint64 n = item != NULL ? sonde_tensor_n_elements (item) : 0;

      if (*element < n)
        return item->dtype != SONDE_DTYPE_STRING ? item : NULL;
      *element -= n;
    }
  return NULL;
}

static gboolean
read_number (SondeOriginWalk *walk, const SondeOriginLocation *location, double *number)
{
  SondeValue *content = sonde_origin_read (&walk->search, location->frame, location->value, NULL);
  gint64 element = location->element;
  SondeTensor *piece = content != NULL ? sonde_origin_find_piece (content, &element) : NULL;

  if (piece == NULL)
    return FALSE;
  *number = sonde_tensor_get_double (piece, element);
  return TRUE;
}

/* ---- suspects ------------------------------------------------------------ */

typedef struct
{
  const SondeTensor *tensor;
  guint input;
  GArray *suspects;
} Collect;

static gboolean
collect (gint64 element, gpointer data)
{
  Collect *to = data;
  const SondeOriginSuspect suspect
      = { to->input, element, sonde_tensor_get_double (to->tensor, element) };

  if (!isfinite (suspect.number))
    g_array_append_val (to->suspects, suspect);
  return to->suspects->len < MAX_SUSPECTS;
}

static int
compare_suspects (gconstpointer a, gconstpointer b)
{
  const SondeOriginSuspect *left = a, *right = b;

  if (left->input != right->input)
    return left->input < right->input ? -1 : 1;
  return left->element < right->element ? -1 : left->element > right->element;
}

static GArray *
find_suspects (SondeTensor *const *inputs, const GArray *reach)
{
  GArray *suspects = g_array_new (FALSE, FALSE, sizeof (SondeOriginSuspect));

  for (guint i = 0; i < reach->len; i++)
    {
      const SondeReach *box = &g_array_index (reach, SondeReach, i);
      Collect to = { inputs[box->input], box->input, suspects };

      sonde_reach_foreach (box, &inputs[box->input]->shape, collect, &to);
    }
  g_array_sort (suspects, compare_suspects);
  return suspects;
}

/* Of inputs that are no tensors: what is bad in their items. */
static void
add_items (SondeOriginWalk *walk, SondeOriginFrame *frame, const SondeNode *node,
           SondeTensor *const *inputs, GArray *suspects)
{
  for (guint k = 0; k < node->inputs->len; k++)
    {
      SondeGraphValue *value = inputs[k] == NULL ? sonde_node_get_input (node, k) : NULL;
      SondeValue *content
          = value != NULL ? sonde_origin_read (&walk->search, frame, value, NULL) : NULL;
      gint64 before = 0;

      for (gsize i = 0; content != NULL && i < sonde_value_get_n_items (content); i++)
        {
          SondeTensor *item = sonde_value_get_tensor (sonde_value_get_item (content, i));
          const gint64 n = item != NULL && item->dtype != SONDE_DTYPE_STRING
                               ? sonde_tensor_n_elements (item)
                               : 0;

          for (gint64 e = 0; e < n && suspects->len < MAX_SUSPECTS; e++)
            {
              const SondeOriginSuspect suspect
                  = { k, before + e, sonde_tensor_get_double (item, e) };

              if (!isfinite (suspect.number))
                g_array_append_val (suspects, suspect);
            }
          before += item != NULL ? sonde_tensor_n_elements (item) : 0;
        }
    }
}

/* First and last of each input among those that are bad as the result is; infinities, where NaN
 * came of nothing else. */
static void
pick_by_kind (const GArray *suspects, double number, GArray *culprits)
{
  gboolean nan = FALSE;
  guint last = G_MAXUINT, count = 0;

  for (guint i = 0; i < suspects->len; i++)
    nan |= isnan (g_array_index (suspects, SondeOriginSuspect, i).number) != 0;
  nan = nan && isnan (number);
  for (guint i = 0; i < suspects->len; i++)
    {
      const SondeOriginSuspect *suspect = &g_array_index (suspects, SondeOriginSuspect, i);

      if ((isnan (suspect->number) != 0) != nan)
        continue;
      count = suspect->input == last ? count + 1 : 0;
      if (count < 2)
        g_array_append_vals (culprits, suspect, 1);
      else
        g_array_index (culprits, SondeOriginSuspect, culprits->len - 1) = *suspect;
      last = suspect->input;
    }
  if (culprits->len == 0)
    g_array_append_vals (culprits, suspects->data, 1);
}

/* ---- the walk ------------------------------------------------------------ */

static gint64
order_of (const SondeOriginLocation *location)
{
  const SondeOriginFrame *frame = location->frame;
  const SondeNode *node = location->value->producer;

  for (; frame->parent != NULL; frame = frame->parent)
    node = frame->node;
  if (frame->execution == NULL || node == NULL)
    return 0;
  return sonde_plan_find_step (sonde_execution_get_plan (frame->execution), node) + 1;
}

static void
offer (SondeOriginWalk *walk, int visit)
{
  const SondeOriginLocation *location
      = &g_array_index (walk->visits, SondeOriginVisit, visit).location;
  const SondeOriginBest found = { visit, order_of (location), location->frame->iteration };

  if (walk->best.visit < 0 || found.order < walk->best.order
      || (found.order == walk->best.order && found.iteration < walk->best.iteration))
    walk->best = found;
}

static guint
hash_location (gconstpointer data)
{
  const SondeOriginLocation *location = data;

  return g_direct_hash (location->value) * 31 + g_direct_hash (location->frame)
         + (guint) location->element * 2654435761u;
}

static gboolean
equal_locations (gconstpointer a, gconstpointer b)
{
  const SondeOriginLocation *left = a, *right = b;

  return left->frame == right->frame && left->value == right->value
         && left->element == right->element;
}

gboolean
sonde_origin_walk_reach (SondeOriginWalk *walk, const SondeOriginLocation *location, int from)
{
  SondeOriginVisit visit = { .location = *location, .from = from };
  const int index = (int) walk->visits->len;
  guint count;

  if (!read_number (walk, location, &visit.number) || isfinite (visit.number))
    return FALSE;
  if (!g_hash_table_add (walk->seen, g_memdup2 (location, sizeof *location)))
    return TRUE;
  count = GPOINTER_TO_UINT (g_hash_table_lookup (walk->counts, location->value));
  if (location->frame->iteration < 0 && count >= MAX_VISITS_OF_VALUE)
    return TRUE;
  g_hash_table_insert (walk->counts, location->value, GUINT_TO_POINTER (count + 1));
  g_array_append_val (walk->visits, visit);
  g_array_append_val (walk->open, index);
  return TRUE;
}

/* What nobody makes: of a body its input is followed, else the way ends here. */
static void
look_at_source (SondeOriginWalk *walk, int index)
{
  const SondeOriginLocation location
      = g_array_index (walk->visits, SondeOriginVisit, index).location;
  SondeOriginLocation outer;

  if (location.frame->parent == NULL || !sonde_origin_leave (&walk->search, &location, &outer)
      || !sonde_origin_walk_reach (walk, &outer, index))
    offer (walk, index);
}

static gboolean
is_opaque (const SondeNode *node)
{
  const SondeOpClass *klass = sonde_op_of_node (node);

  return klass == NULL || (klass->flags & (SONDE_OP_CONTROL | SONDE_OP_RANDOM)) != 0;
}

/* One input with one number: nothing else can be to blame. */
static gboolean
is_unary (const SondeNode *node, const GArray *suspects)
{
  return node->inputs->len == 1 && suspects->len == 1 && *node->domain == '\0'
         && (sonde_op_of_node (node)->flags & SONDE_OP_ELEMENTWISE) != 0;
}

static gboolean
has_items (const GArray *suspects, SondeTensor *const *inputs)
{
  for (guint i = 0; i < suspects->len; i++)
    if (inputs[g_array_index (suspects, SondeOriginSuspect, i).input] == NULL)
      return TRUE;
  return FALSE;
}

/* Whom of the suspects to follow. FALSE: nobody, the node did it. */
static gboolean
find_culprits (const SondeOriginVisit *visit, SondeTensor *const *inputs, const GArray *suspects,
               GArray *culprits)
{
  SondeNode *node = visit->location.value->producer;

  if (suspects->len == 0)
    return FALSE;
  if (sonde_dependency_is_strict (sonde_op_of_node (node)) || is_opaque (node)
      || has_items (suspects, inputs) || is_unary (node, suspects))
    {
      pick_by_kind (suspects, visit->number, culprits);
      return TRUE;
    }
  return sonde_origin_try (visit->location.frame, node, inputs,
                           visit->location.value->producer_output, visit->location.element,
                           visit->number, suspects, culprits);
}

GArray *
sonde_origin_walk_find_reach (SondeOriginWalk *walk, const SondeOriginLocation *location,
                              const GPtrArray *inputs)
{
  SondeNode *node = location->value->producer;
  GArray *reach = g_array_new (FALSE, FALSE, sizeof (SondeReach));
  SondeTensor *content
      = sonde_origin_read_tensor (&walk->search, location->frame, location->value, NULL);
  const SondeShape shape = content != NULL ? content->shape : sonde_shape_scalar ();

  sonde_dependency_reach (node, (SondeTensor *const *) inputs->pdata, inputs->len,
                          location->value->producer_output, &shape,
                          content != NULL ? location->element : 0, reach);
  return reach;
}

static gboolean
look_at_node (SondeOriginWalk *walk, int index, GError **error)
{
  const SondeOriginVisit visit = g_array_index (walk->visits, SondeOriginVisit, index);
  SondeNode *node = visit.location.value->producer;
  g_autoptr (GPtrArray) inputs
      = sonde_origin_read_inputs (&walk->search, visit.location.frame, node, error);
  g_autoptr (GArray) reach = NULL, suspects = NULL;
  g_autoptr (GArray) culprits = g_array_new (FALSE, FALSE, sizeof (SondeOriginSuspect));
  SondeOriginLocation inner;
  gboolean follows = FALSE;

  if (inputs == NULL)
    return FALSE;
  if ((sonde_node_is (node, SONDE_OP_ID_IF) || sonde_node_is (node, SONDE_OP_ID_LOOP)
       || sonde_node_is (node, SONDE_OP_ID_SCAN))
      && sonde_origin_enter (&walk->search, &visit.location, &inner)
      && sonde_origin_walk_reach (walk, &inner, index))
    return TRUE;
  reach = sonde_origin_walk_find_reach (walk, &visit.location, inputs);
  suspects = find_suspects ((SondeTensor *const *) inputs->pdata, reach);
  add_items (walk, visit.location.frame, node, (SondeTensor *const *) inputs->pdata, suspects);
  if (find_culprits (&visit, (SondeTensor *const *) inputs->pdata, suspects, culprits))
    for (guint i = 0; i < culprits->len; i++)
      {
        const SondeOriginSuspect *culprit = &g_array_index (culprits, SondeOriginSuspect, i);
        const SondeOriginLocation location
            = { visit.location.frame, sonde_node_get_input (node, culprit->input),
                culprit->element };

        follows |= sonde_origin_walk_reach (walk, &location, index);
      }
  if (!follows)
    offer (walk, index);
  return TRUE;
}

gboolean
sonde_origin_walk_back (SondeOriginWalk *walk, GError **error)
{
  while (walk->open->len > 0 && walk->visits->len < MAX_VISITS)
    {
      const int index = g_array_index (walk->open, int, walk->open->len - 1);
      SondeOriginVisit *visit = &g_array_index (walk->visits, SondeOriginVisit, index);

      g_array_set_size (walk->open, walk->open->len - 1);
      sonde_origin_resolve (&walk->search, &visit->location.frame, &visit->location.value);
      if (visit->location.value->producer == NULL)
        look_at_source (walk, index);
      else if (!look_at_node (walk, index, error))
        return FALSE;
    }
  if (walk->best.visit >= 0)
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
                   "The origin was not found within %d elements.", MAX_VISITS);
  return FALSE;
}

/* ---- life ---------------------------------------------------------------- */

void
sonde_origin_walk_init (SondeOriginWalk *walk, SondeGraph *original)
{
  *walk = (SondeOriginWalk){ .search = { .original = original }, .best = { .visit = -1 } };
  walk->search.frames = g_ptr_array_new_with_free_func (sonde_origin_frame_free);
  walk->visits = g_array_new (FALSE, FALSE, sizeof (SondeOriginVisit));
  walk->open = g_array_new (FALSE, FALSE, sizeof (int));
  walk->counts = g_hash_table_new (NULL, NULL);
  walk->seen = g_hash_table_new_full (hash_location, equal_locations, g_free, NULL);
}

void
sonde_origin_walk_clear (SondeOriginWalk *walk)
{
  g_clear_pointer (&walk->visits, g_array_unref);
  g_clear_pointer (&walk->open, g_array_unref);
  g_clear_pointer (&walk->counts, g_hash_table_unref);
  g_clear_pointer (&walk->seen, g_hash_table_unref);
  g_clear_pointer (&walk->search.frames, g_ptr_array_unref);
}
