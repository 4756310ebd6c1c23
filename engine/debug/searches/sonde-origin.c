/* SPDX-License-Identifier: Apache-2.0
 * The way back: a list of elements still to be looked at, each with the one it was found from. */
#include "engine/debug/searches/sonde-origin-private.h"

#include <math.h>
#include <string.h>

#define MAX_VISITS 20000
#define MAX_VISITS_OF_VALUE 2  /* elements of one value */
#define MAX_SUSPECTS (1 << 20) /* of one element */

/**
 * Visit: an element that was reached
 * @from: index of the visit it was reached from, -1 of the first
 */
typedef struct
{
  SondeOriginPlace place;
  double number;
  int from;
} Visit;

/**
 * Best: the earliest origin so far
 * @visit: index; -1: none
 * @order: of its node in the run, 0 for what was there before; then by @iteration
 */
typedef struct
{
  int visit;
  gint64 order, iteration;
} Best;

typedef struct
{
  SondeOriginSearch search; /* first member */
  GArray *visits;
  GArray *open;       /* (element-type int): visits that were not looked at */
  GHashTable *counts; /* of visits, by value */
  GHashTable *seen;   /* (element-type SondeOriginPlace): as they were reached */
  Best best;
} Walk;

static void
walk_clear (Walk *walk)
{
  g_clear_pointer (&walk->visits, g_array_unref);
  g_clear_pointer (&walk->open, g_array_unref);
  g_clear_pointer (&walk->counts, g_hash_table_unref);
  g_clear_pointer (&walk->seen, g_hash_table_unref);
  g_clear_pointer (&walk->search.frames, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Walk, walk_clear)

/* ---- elements of values -------------------------------------------------- */

/* The tensor of @content that holds element @element, counted through the items of a sequence. */
static SondeTensor *
find_piece (SondeValue *content, gint64 *element)
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
read_number (Walk *walk, const SondeOriginPlace *place, double *number)
{
  SondeValue *content = sonde_origin_read (&walk->search, place->frame, place->value, NULL);
  gint64 element = place->element;
  SondeTensor *piece = content != NULL ? find_piece (content, &element) : NULL;

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
add_items (Walk *walk, SondeOriginFrame *frame, const SondeNode *node, SondeTensor *const *inputs,
           GArray *suspects)
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
order_of (const SondeOriginPlace *place)
{
  const SondeOriginFrame *frame = place->frame;
  const SondeNode *node = place->value->producer;

  for (; frame->parent != NULL; frame = frame->parent)
    node = frame->node;
  if (frame->execution == NULL || node == NULL)
    return 0;
  return sonde_plan_find_step (sonde_execution_get_plan (frame->execution), node) + 1;
}

static void
offer (Walk *walk, int visit)
{
  const SondeOriginPlace *place = &g_array_index (walk->visits, Visit, visit).place;
  const Best found = { visit, order_of (place), place->frame->iteration };

  if (walk->best.visit < 0 || found.order < walk->best.order
      || (found.order == walk->best.order && found.iteration < walk->best.iteration))
    walk->best = found;
}

static guint
hash_place (gconstpointer data)
{
  const SondeOriginPlace *place = data;

  return g_direct_hash (place->value) * 31 + g_direct_hash (place->frame)
         + (guint) place->element * 2654435761u;
}

static gboolean
equal_places (gconstpointer a, gconstpointer b)
{
  const SondeOriginPlace *left = a, *right = b;

  return left->frame == right->frame && left->value == right->value
         && left->element == right->element;
}

/* FALSE: it is finite, or cannot be read. */
static gboolean
reach_place (Walk *walk, const SondeOriginPlace *place, int from)
{
  Visit visit = { .place = *place, .from = from };
  const int index = (int) walk->visits->len;
  guint count;

  if (!read_number (walk, place, &visit.number) || isfinite (visit.number))
    return FALSE;
  if (!g_hash_table_add (walk->seen, g_memdup2 (place, sizeof *place)))
    return TRUE;
  count = GPOINTER_TO_UINT (g_hash_table_lookup (walk->counts, place->value));
  if (place->frame->iteration < 0 && count >= MAX_VISITS_OF_VALUE)
    return TRUE;
  g_hash_table_insert (walk->counts, place->value, GUINT_TO_POINTER (count + 1));
  g_array_append_val (walk->visits, visit);
  g_array_append_val (walk->open, index);
  return TRUE;
}

/* What nobody makes: of a body its input is followed, else the way ends here. */
static void
look_at_source (Walk *walk, int index)
{
  const SondeOriginPlace place = g_array_index (walk->visits, Visit, index).place;
  SondeOriginPlace outer;

  if (place.frame->parent == NULL || !sonde_origin_leave (&walk->search, &place, &outer)
      || !reach_place (walk, &outer, index))
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
find_culprits (const Visit *visit, SondeTensor *const *inputs, const GArray *suspects,
               GArray *culprits)
{
  SondeNode *node = visit->place.value->producer;

  if (suspects->len == 0)
    return FALSE;
  if (sonde_dependency_is_strict (sonde_op_of_node (node)) || is_opaque (node)
      || has_items (suspects, inputs) || is_unary (node, suspects))
    {
      pick_by_kind (suspects, visit->number, culprits);
      return TRUE;
    }
  return sonde_origin_try (visit->place.frame, node, inputs, visit->place.value->producer_output,
                           visit->place.element, visit->number, suspects, culprits);
}

/* Boxes of the elements that @place was made of: of a sequence, everything. (transfer full) */
static GArray *
find_reach (Walk *walk, const SondeOriginPlace *place, const GPtrArray *inputs)
{
  SondeNode *node = place->value->producer;
  GArray *reach = g_array_new (FALSE, FALSE, sizeof (SondeReach));
  SondeTensor *content = sonde_origin_read_tensor (&walk->search, place->frame, place->value, NULL);
  const SondeShape shape = content != NULL ? content->shape : sonde_shape_scalar ();

  sonde_dependency_reach (node, (SondeTensor *const *) inputs->pdata, inputs->len,
                          place->value->producer_output, &shape,
                          content != NULL ? place->element : 0, reach);
  return reach;
}

static gboolean
look_at_node (Walk *walk, int index, GError **error)
{
  const Visit visit = g_array_index (walk->visits, Visit, index);
  SondeNode *node = visit.place.value->producer;
  g_autoptr (GPtrArray) inputs
      = sonde_origin_read_inputs (&walk->search, visit.place.frame, node, error);
  g_autoptr (GArray) reach = NULL, suspects = NULL;
  g_autoptr (GArray) culprits = g_array_new (FALSE, FALSE, sizeof (SondeOriginSuspect));
  SondeOriginPlace inner;
  gboolean follows = FALSE;

  if (inputs == NULL)
    return FALSE;
  if ((sonde_node_is_op (node, "If") || sonde_node_is_op (node, "Loop")
       || sonde_node_is_op (node, "Scan"))
      && sonde_origin_enter (&walk->search, &visit.place, &inner)
      && reach_place (walk, &inner, index))
    return TRUE;
  reach = find_reach (walk, &visit.place, inputs);
  suspects = find_suspects ((SondeTensor *const *) inputs->pdata, reach);
  add_items (walk, visit.place.frame, node, (SondeTensor *const *) inputs->pdata, suspects);
  if (find_culprits (&visit, (SondeTensor *const *) inputs->pdata, suspects, culprits))
    for (guint i = 0; i < culprits->len; i++)
      {
        const SondeOriginSuspect *culprit = &g_array_index (culprits, SondeOriginSuspect, i);
        const SondeOriginPlace place
            = { visit.place.frame, sonde_node_get_input (node, culprit->input), culprit->element };

        follows |= reach_place (walk, &place, index);
      }
  if (!follows)
    offer (walk, index);
  return TRUE;
}

static gboolean
walk_back (Walk *walk, GError **error)
{
  while (walk->open->len > 0 && walk->visits->len < MAX_VISITS)
    {
      const int index = g_array_index (walk->open, int, walk->open->len - 1);
      Visit *visit = &g_array_index (walk->visits, Visit, index);

      g_array_set_size (walk->open, walk->open->len - 1);
      sonde_origin_resolve (&walk->search, &visit->place.frame, &visit->place.value);
      if (visit->place.value->producer == NULL)
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

/* ---- the answer ---------------------------------------------------------- */

/* As in the user's model, for what legalising made of it; what stands in a function keeps its own
 * name, "call/inner". */
static char *
name_of (const SondeOriginSearch *search, const SondeNode *node)
{
  const char *origin
      = node->origins->len > 0 ? g_ptr_array_index (node->origins, node->origins->len - 1) : NULL;

  if (search->original == NULL || node->phase != SONDE_PHASE_FORWARD || origin == NULL
      || sonde_graph_find_node (search->original, node->name) != NULL
      || sonde_graph_find_node (search->original, origin) == NULL
      || (g_str_has_prefix (node->name, origin) && node->name[strlen (origin)] == '/'))
    return g_strdup (node->name);
  return g_strdup (origin);
}

static void
add_link (Walk *walk, const Visit *visit, GPtrArray *chain)
{
  SondeOriginLink *link = g_new0 (SondeOriginLink, 1);
  const SondeNode *node = visit->place.value->producer;
  SondeValue *content
      = sonde_origin_read (&walk->search, visit->place.frame, visit->place.value, NULL);
  SondeTensor *piece;

  link->element = visit->place.element;
  piece = content != NULL ? find_piece (content, &link->element) : NULL;
  link->shape = piece != NULL ? piece->shape : sonde_shape_scalar ();
  link->value = g_strdup (visit->place.value->name);
  link->node = node != NULL ? name_of (&walk->search, node) : NULL;
  link->op = node != NULL ? g_strdup (node->op) : NULL;
  link->phase = node != NULL ? node->phase : SONDE_PHASE_FORWARD;
  link->iteration = visit->place.frame->iteration;
  link->number = visit->number;
  g_ptr_array_insert (chain, 0, link);
}

static const char *
describe_source (const SondeGraphValue *value)
{
  switch (value->role)
    {
    case SONDE_ROLE_PARAMETER:
      return N_ ("parameter");
    case SONDE_ROLE_STATE:
      return N_ ("state");
    case SONDE_ROLE_CONSTANT:
      return N_ ("constant");
    default:
      return N_ ("input");
    }
}

static void
explain_source (SondeOrigin *origin, const SondeGraphValue *value)
{
  const SondeOriginLink *link = g_ptr_array_index (origin->chain, origin->chain->len - 1);
  g_autofree char *place = sonde_shape_format_index (&link->shape, link->element);
  const char *number = isnan (link->number) ? "nan" : link->number > 0 ? "inf" : "-inf";
  const gboolean trained = value->role == SONDE_ROLE_PARAMETER || value->role == SONDE_ROLE_STATE;

  origin->cause_value = g_strdup (link->value);
  origin->cause_shape = link->shape;
  origin->cause_element = link->element;
  origin->cause_number = link->number;
  origin->cause = link->shape.rank > 0
                      ? sonde_message_new ("the %-s %s holds %s at %s", describe_source (value),
                                           link->value, number, place)
                      : sonde_message_new ("the %-s %s holds %s", describe_source (value),
                                           link->value, number);
  if (trained)
    sonde_message_add_part (origin->cause,
                            N_ (" before this step began: an earlier step made it; go back one "
                                "step and ask again"),
                            (const char *const[]){ NULL });
}

/* The node of the run that it is, or in whose body it lies. */
static char *
outermost_name (const SondeOriginPlace *place)
{
  const SondeOriginFrame *frame = place->frame;
  const SondeNode *node = place->value->producer;

  for (; frame->parent != NULL; frame = frame->parent)
    node = frame->node;
  return frame->execution != NULL ? g_strdup (node->name) : NULL;
}

static SondeOrigin *
make_answer (Walk *walk)
{
  SondeOrigin *origin = g_new0 (SondeOrigin, 1);
  const Visit *last = &g_array_index (walk->visits, Visit, walk->best.visit);
  SondeNode *node = last->place.value->producer;
  g_autoptr (GPtrArray) inputs = NULL;
  g_autoptr (GArray) reach = NULL;

  origin->chain = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_origin_link_free);
  for (int i = walk->best.visit; i >= 0; i = g_array_index (walk->visits, Visit, i).from)
    add_link (walk, &g_array_index (walk->visits, Visit, i), origin->chain);
  if (node == NULL)
    {
      explain_source (origin, last->place.value);
      return origin;
    }
  origin->first_bad_node = name_of (&walk->search, node);
  origin->executed_node = outermost_name (&last->place);
  inputs = sonde_origin_read_inputs (&walk->search, last->place.frame, node, NULL);
  reach = inputs != NULL ? find_reach (walk, &last->place, inputs) : NULL;
  if (reach != NULL)
    sonde_origin_explain (origin, node, (SondeTensor *const *) inputs->pdata, reach,
                          last->place.value->type.dtype, last->number);
  return origin;
}

/* ---- the question -------------------------------------------------------- */

/* "3, -1" -> the element; -1 with @error. */
static gint64
parse_index (const char *text, const SondeShape *shape, const char *name, GError **error)
{
  g_auto (GStrv) words = g_strsplit (text, ",", -1);
  g_autofree char *sizes = sonde_shape_to_string (shape);
  gint64 element = 0;

  for (int d = 0; d < (int) g_strv_length (words); d++)
    {
      gint64 position = 0;

      if (d >= shape->rank
          || !g_ascii_string_to_signed (g_strstrip (words[d]), 10, G_MININT32, G_MAXINT64,
                                        &position, NULL)
          || position < -shape->dims[d] || position >= shape->dims[d])
        {
          sonde_set_error (
              error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
              "“[%s]” is no element of %s, which is %s: give one number for each dimension.", text,
              name, sizes);
          return -1;
        }
      element = element * shape->dims[d] + (position < 0 ? position + shape->dims[d] : position);
    }
  if ((int) g_strv_length (words) == shape->rank)
    return element;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "“[%s]” has %u numbers, but %s is %s: give one number for each dimension.", text,
                   g_strv_length (words), name, sizes);
  return -1;
}

static gint64
find_first_bad (const SondeTensor *tensor, const char *name, GError **error)
{
  const gint64 n = sonde_tensor_n_elements (tensor);

  for (gint64 i = 0; i < n && sonde_dtype_has_fractions (tensor->dtype); i++)
    if (!isfinite (sonde_tensor_get_double (tensor, i)))
      return i;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                   "All %" PRIi64 " elements of %s are finite: there is no origin to look for.", n,
                   name);
  return -1;
}

/* The frame of @execution; of a body: computed again in that of the run around it. */
static SondeOriginFrame *
open_frame (SondeOriginSearch *search, SondeExecution *execution)
{
  SondeExecution *parent = sonde_execution_get_parent (execution);
  SondeOriginFrame *outer;

  if (parent == NULL)
    return sonde_origin_frame_new (search, execution,
                                   sonde_plan_get_graph (sonde_execution_get_plan (execution)),
                                   NULL, NULL, -1);
  outer = open_frame (search, parent); /* as deep as subgraphs nest */
  return outer != NULL
             ? sonde_origin_find_body (search, outer, sonde_execution_get_node (execution),
                                       sonde_execution_get_iteration (execution))
             : NULL;
}

/* What a finished run left in a parameter is what its update made. */
static SondeGraphValue *
find_made (SondeExecution *execution, SondeGraphValue *value)
{
  const SondeGraph *graph = sonde_plan_get_graph (sonde_execution_get_plan (execution));

  if (sonde_execution_is_running (execution) || value->producer != NULL
      || sonde_execution_get_position (execution)
             < sonde_plan_get_n_steps (sonde_execution_get_plan (execution)))
    return value;
  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *other = g_ptr_array_index (graph->values, i);

      if (other != NULL && other->update_of == value)
        return other;
    }
  return value;
}

static gboolean
start (Walk *walk, SondeExecution *execution, SondeGraphValue *value, const char *index,
       GError **error)
{
  SondeOriginPlace place
      = { open_frame (&walk->search, execution), find_made (execution, value), 0 };
  g_autoptr (SondeTensor) tensor = NULL;

  /* ids of a body are those of its copy */
  if (place.frame != NULL && place.frame->execution == NULL)
    place.value = value->id < place.frame->graph->values->len
                      ? g_ptr_array_index (place.frame->graph->values, value->id)
                      : NULL;
  if (place.frame == NULL || place.value == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "“%s” lies in a body that cannot be run again.", value->name);
      return FALSE;
    }
  tensor = sonde_origin_read_tensor (&walk->search, place.frame, place.value, error);
  if (tensor == NULL)
    return FALSE;
  sonde_tensor_ref (tensor); /* what is read later may take its place */
  place.element = index != NULL && *index != '\0'
                      ? parse_index (index, &tensor->shape, value->name, error)
                      : find_first_bad (tensor, value->name, error);
  if (place.element < 0)
    return FALSE;
  if (reach_place (walk, &place, -1))
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                   "The element [%s] of %s is %g: finite, so that there is no origin to look for.",
                   index, value->name, sonde_tensor_get_double (tensor, place.element));
  return FALSE;
}

SondeOrigin *
sonde_origin_find (SondeExecution *execution, SondeGraph *original, SondeGraphValue *value,
                   const char *index, GError **error)
{
  g_auto (Walk) walk = { .search = { .original = original }, .best = { .visit = -1 } };

  walk.search.frames = g_ptr_array_new_with_free_func (sonde_origin_frame_free);
  walk.visits = g_array_new (FALSE, FALSE, sizeof (Visit));
  walk.open = g_array_new (FALSE, FALSE, sizeof (int));
  walk.counts = g_hash_table_new (NULL, NULL);
  walk.seen = g_hash_table_new_full (hash_place, equal_places, g_free, NULL);
  if (!start (&walk, execution, value, index, error) || !walk_back (&walk, error))
    return NULL;
  return make_answer (&walk);
}

void
sonde_origin_set_step (SondeOrigin *origin, guint64 step)
{
  origin->step = step;
  for (guint i = 0; i < origin->chain->len; i++)
    ((SondeOriginLink *) g_ptr_array_index (origin->chain, i))->step = step;
}

SondeOrigin *
sonde_debugger_find_origin (SondeDebugger *debugger, const char *text, GError **error)
{
  g_autofree char *slice = NULL;
  SondeExecution *execution = NULL;
  SondeGraphValue *value = sonde_debugger_find_value (debugger, text, &execution, &slice, error);
  SondeOrigin *origin;
  SondeStop stop;

  if (value == NULL)
    return NULL;
  origin
      = sonde_origin_find (execution, sonde_debugger_get_original (debugger), value, slice, error);
  sonde_debugger_get_stop (debugger, &stop);
  if (origin != NULL)
    sonde_origin_set_step (origin, stop.step);
  return origin;
}
