/* SPDX-License-Identifier: Apache-2.0
 * The question for an origin, and its answer. */
#include "engine/debug/searches/sonde-origin-walk-private.h"

#include <math.h>
#include <string.h>

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
add_link (SondeOriginWalk *walk, const SondeOriginVisit *visit, GPtrArray *chain)
{
  SondeOriginLink *link = g_new0 (SondeOriginLink, 1);
  const SondeNode *node = visit->location.value->producer;
  SondeValue *content
      = sonde_origin_read (&walk->search, visit->location.frame, visit->location.value, NULL);
  SondeTensor *piece;

  link->element = visit->location.element;
  piece = content != NULL ? sonde_origin_find_piece (content, &link->element) : NULL;
  link->shape = piece != NULL ? piece->shape : sonde_shape_scalar ();
  link->value = g_strdup (visit->location.value->name);
  link->node = node != NULL ? name_of (&walk->search, node) : NULL;
  link->op = node != NULL ? g_strdup (node->op) : NULL;
  link->phase = node != NULL ? node->phase : SONDE_PHASE_FORWARD;
  link->iteration = visit->location.frame->iteration;
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
  g_autofree char *location = sonde_shape_format_index (&link->shape, link->element);
  const char *number = isnan (link->number) ? "nan" : link->number > 0 ? "inf" : "-inf";
  const gboolean trained = value->role == SONDE_ROLE_PARAMETER || value->role == SONDE_ROLE_STATE;

  origin->cause_value = g_strdup (link->value);
  origin->cause_shape = link->shape;
  origin->cause_element = link->element;
  origin->cause_number = link->number;
  origin->cause = link->shape.rank > 0
                      ? sonde_message_new ("the %-s %s holds %s at %s", describe_source (value),
                                           link->value, number, location)
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
outermost_name (const SondeOriginLocation *location)
{
  const SondeOriginFrame *frame = location->frame;
  const SondeNode *node = location->value->producer;

  for (; frame->parent != NULL; frame = frame->parent)
    node = frame->node;
  return frame->execution != NULL ? g_strdup (node->name) : NULL;
}

static SondeOrigin *
make_answer (SondeOriginWalk *walk)
{
  SondeOrigin *origin = g_new0 (SondeOrigin, 1);
  const SondeOriginVisit *last = &g_array_index (walk->visits, SondeOriginVisit, walk->best.visit);
  SondeNode *node = last->location.value->producer;
  g_autoptr (GPtrArray) inputs = NULL;
  g_autoptr (GArray) reach = NULL;

  origin->chain = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_origin_link_free);
  for (int i = walk->best.visit; i >= 0; i = g_array_index (walk->visits, SondeOriginVisit, i).from)
    add_link (walk, &g_array_index (walk->visits, SondeOriginVisit, i), origin->chain);
  if (node == NULL)
    {
      explain_source (origin, last->location.value);
      return origin;
    }
  origin->first_bad_node = name_of (&walk->search, node);
  origin->executed_node = outermost_name (&last->location);
  inputs = sonde_origin_read_inputs (&walk->search, last->location.frame, node, NULL);
  reach = inputs != NULL ? sonde_origin_walk_find_reach (walk, &last->location, inputs) : NULL;
  if (reach != NULL)
    sonde_origin_explain (origin, node, (SondeTensor *const *) inputs->pdata, reach,
                          last->location.value->type.dtype, last->number);
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
start (SondeOriginWalk *walk, SondeExecution *execution, SondeGraphValue *value, const char *index,
       GError **error)
{
  SondeOriginLocation location
      = { open_frame (&walk->search, execution), find_made (execution, value), 0 };
  g_autoptr (SondeTensor) tensor = NULL;

  /* ids of a body are those of its copy */
  if (location.frame != NULL && location.frame->execution == NULL)
    location.value = value->id < location.frame->graph->values->len
                         ? g_ptr_array_index (location.frame->graph->values, value->id)
                         : NULL;
  if (location.frame == NULL || location.value == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "“%s” lies in a body that cannot be run again.", value->name);
      return FALSE;
    }
  tensor = sonde_origin_read_tensor (&walk->search, location.frame, location.value, error);
  if (tensor == NULL)
    return FALSE;
  sonde_tensor_ref (tensor); /* what is read later may take its place */
  location.element = index != NULL && *index != '\0'
                         ? parse_index (index, &tensor->shape, value->name, error)
                         : find_first_bad (tensor, value->name, error);
  if (location.element < 0)
    return FALSE;
  if (sonde_origin_walk_reach (walk, &location, -1))
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                   "The element [%s] of %s is %g: finite, so that there is no origin to look for.",
                   index, value->name, sonde_tensor_get_double (tensor, location.element));
  return FALSE;
}

SondeOrigin *
sonde_origin_find (SondeExecution *execution, SondeGraph *original, SondeGraphValue *value,
                   const char *index, GError **error)
{
  g_auto (SondeOriginWalk) walk;

  sonde_origin_walk_init (&walk, original);
  if (!start (&walk, execution, value, index, error) || !sonde_origin_walk_back (&walk, error))
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
