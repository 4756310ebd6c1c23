/* SPDX-License-Identifier: Apache-2.0
 * Into the bodies of If, Loop and Scan and out again. Iterations that are over run again, with the
 * reference kernels; what is carried from one to the next is kept. */
#include "engine/debug/searches/sonde-origin-private.h"

#include <string.h>

#include "engine/ops/control/sonde-op-control.h"

#define MAX_ITERATIONS 100000

/* Iterations that ran: of If one. NULL: it did not run, or cannot. */
static GPtrArray *
iterations_of (SondeOriginFrame *parent, SondeNode *node)
{
  return g_hash_table_lookup (parent->bodies, node);
}

static SondeOriginFrame *
find_frame (SondeOriginFrame *parent, SondeNode *node, gint64 iteration)
{
  GPtrArray *frames = iterations_of (parent, node);

  return frames != NULL && iteration >= 0 && iteration < frames->len
             ? g_ptr_array_index (frames, iteration)
             : NULL;
}

static void
add_frame (SondeOriginFrame *parent, SondeNode *node, SondeOriginFrame *frame)
{
  GPtrArray *frames = iterations_of (parent, node);

  if (frames == NULL)
    {
      frames = g_ptr_array_new ();
      g_hash_table_insert (parent->bodies, node, frames);
    }
  g_ptr_array_add (frames, frame);
}

static gboolean
is_true (SondeValue *value)
{
  SondeTensor *tensor = sonde_value_get_tensor (value);

  return tensor == NULL || sonde_control_is_true (tensor);
}

static SondeValue *
read_input (SondeOriginSearch *search, SondeOriginFrame *frame, const SondeNode *node, guint k)
{
  SondeGraphValue *value = k < node->inputs->len ? sonde_node_get_input (node, k) : NULL;

  return value != NULL ? sonde_origin_read (search, frame, value, NULL) : NULL;
}

/* A frame whose body's inputs are @values. */
static SondeOriginFrame *
open_iteration (SondeOriginSearch *search, SondeOriginFrame *parent, SondeNode *node,
                SondeGraph *graph, gint64 iteration, GPtrArray *values)
{
  SondeOriginFrame *frame = sonde_origin_frame_new (search, NULL, graph, parent, node, iteration);

  frame->bound = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) sonde_value_unref);
  for (guint k = 0; k < graph->inputs->len && k < values->len; k++)
    if (values->pdata[k] != NULL)
      g_hash_table_insert (frame->bound, g_ptr_array_index (graph->inputs, k),
                           sonde_value_ref (values->pdata[k]));
  add_frame (parent, node, frame);
  return frame;
}

/* Results @first … @first + n - 1 of the body's run. FALSE when one cannot be computed. */
static gboolean
take_results (SondeOriginSearch *search, SondeOriginFrame *frame, guint first, guint n,
              GPtrArray *values)
{
  for (guint k = first; k < first + n; k++)
    {
      SondeGraphValue *output
          = k < frame->graph->outputs->len ? g_ptr_array_index (frame->graph->outputs, k) : NULL;
      SondeValue *value = output != NULL ? sonde_origin_read (search, frame, output, NULL) : NULL;

      if (value == NULL)
        return FALSE;
      g_ptr_array_add (values, sonde_value_ref (value));
    }
  return TRUE;
}

static SondeValue *
make_scalar (const SondeGraphValue *formal, SondeDtype dtype, gint64 number)
{
  SondeShape shape = { .rank = formal->type.rank == 1 ? 1 : 0, .dims = { 1 } };
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (dtype, &shape);

  sonde_tensor_set_double (tensor, 0, (double) number);
  return sonde_value_new_tensor (tensor);
}

/* ---- Loop ---------------------------------------------------------------- */

/* Frames of all iterations, in order. Returns: how many; -1 when they cannot be run. */
static gint64
run_loop (SondeOriginSearch *search, SondeOriginFrame *parent, SondeNode *node, SondeGraph *graph)
{
  const guint n_carried = node->inputs->len > 2 ? node->inputs->len - 2 : 0;
  SondeTensor *trips = sonde_value_get_tensor (read_input (search, parent, node, 0));
  const gint64 length = trips != NULL && sonde_tensor_n_elements (trips) == 1
                            ? sonde_tensor_get_int (trips, 0)
                            : G_MAXINT64;
  gboolean goes_on = is_true (read_input (search, parent, node, 1));
  g_autoptr (GPtrArray) carried
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_value_unref);
  gint64 i;

  if (graph->inputs->len != n_carried + 2 || graph->outputs->len < n_carried + 1)
    return -1;
  for (guint k = 0; k < n_carried; k++)
    {
      SondeValue *value = read_input (search, parent, node, k + 2);

      g_ptr_array_add (carried, value != NULL ? sonde_value_ref (value) : NULL);
    }
  for (i = 0; i < length && goes_on; i++)
    {
      g_autoptr (GPtrArray) values
          = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_value_unref);
      g_autoptr (GPtrArray) results
          = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_value_unref);
      SondeOriginFrame *frame;

      if (i == MAX_ITERATIONS)
        return -1;
      g_ptr_array_add (values,
                       make_scalar (g_ptr_array_index (graph->inputs, 0), SONDE_DTYPE_I64, i));
      g_ptr_array_add (values,
                       make_scalar (g_ptr_array_index (graph->inputs, 1), SONDE_DTYPE_BOOL, 1));
      for (guint k = 0; k < n_carried; k++)
        g_ptr_array_add (values,
                         carried->pdata[k] != NULL ? sonde_value_ref (carried->pdata[k]) : NULL);
      frame = open_iteration (search, parent, node, graph, i, values);
      if (!take_results (search, frame, 0, n_carried + 1, results))
        return -1;
      g_hash_table_remove_all (frame->known); /* computed again where the chain leads through it */
      goes_on = is_true (results->pdata[0]);
      sonde_value_unref (g_ptr_array_steal_index (results, 0));
      g_ptr_array_unref (carried);
      carried = g_steal_pointer (&results);
    }
  return i;
}

/* ---- Scan ---------------------------------------------------------------- */

typedef struct
{
  guint n_states, n_scanned;
} Parts;

static gboolean
find_parts (const SondeNode *node, const SondeGraph *graph, Parts *parts)
{
  const gint64 n_scanned = sonde_node_get_int (node, "num_scan_inputs", 0);
  const guint n = node->inputs->len;

  if (n_scanned < 1 || n_scanned > n || graph->inputs->len != n
      || graph->outputs->len < n - (guint) n_scanned)
    return FALSE;
  *parts = (Parts){ n - (guint) n_scanned, (guint) n_scanned };
  return TRUE;
}

static gint64
list_entry (const SondeNode *node, const char *name, guint k)
{
  gsize n = 0;
  const gint64 *list = sonde_node_get_ints (node, name, &n);

  return list != NULL && k < n ? list[k] : 0;
}

/* Axis and entry of scanned input (or output) @k at @iteration of @length. FALSE: there is none. */
static gboolean
find_entry (const SondeNode *node, gboolean output, guint k, int rank, gint64 length,
            gint64 iteration, int *axis, gint64 *entry)
{
  const gint64 given = list_entry (node, output ? "scan_output_axes" : "scan_input_axes", k);

  if (given < -rank || given >= rank)
    return FALSE;
  *axis = (int) (given < 0 ? given + rank : given);
  *entry = list_entry (node, output ? "scan_output_directions" : "scan_input_directions", k) != 0
               ? length - 1 - iteration
               : iteration;
  return *entry >= 0 && *entry < length;
}

static SondeValue *
cut_entry (SondeTensor *tensor, int axis, gint64 index)
{
  SondeShape shape = { .rank = tensor->shape.rank - 1 };
  g_autoptr (SondeTensor) view = NULL, plain = NULL;
  gint64 strides[SONDE_MAX_RANK];

  for (int d = 0; d < shape.rank; d++)
    {
      shape.dims[d] = tensor->shape.dims[d < axis ? d : d + 1];
      strides[d] = tensor->strides[d < axis ? d : d + 1];
    }
  view = sonde_tensor_view (tensor, &shape, strides, index * tensor->strides[axis]);
  plain = sonde_tensor_contiguous (view);
  return sonde_value_new_tensor (plain);
}

/* Length of the first scanned input. */
static gint64
scan_length (SondeOriginSearch *search, SondeOriginFrame *parent, const SondeNode *node,
             const Parts *parts)
{
  SondeTensor *tensor = sonde_value_get_tensor (read_input (search, parent, node, parts->n_states));
  const gint64 given = list_entry (node, "scan_input_axes", 0);

  if (tensor == NULL || given < -tensor->shape.rank || given >= tensor->shape.rank)
    return -1;
  return tensor->shape.dims[given < 0 ? given + tensor->shape.rank : given];
}

static gint64
run_scan (SondeOriginSearch *search, SondeOriginFrame *parent, SondeNode *node, SondeGraph *graph)
{
  g_autoptr (GPtrArray) states
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_value_unref);
  Parts parts;
  gint64 length;

  if (!find_parts (node, graph, &parts))
    return -1;
  length = scan_length (search, parent, node, &parts);
  if (length > MAX_ITERATIONS)
    return -1;
  for (guint k = 0; k < parts.n_states; k++)
    {
      SondeValue *value = read_input (search, parent, node, k);

      g_ptr_array_add (states, value != NULL ? sonde_value_ref (value) : NULL);
    }
  for (gint64 i = 0; i < length; i++)
    {
      g_autoptr (GPtrArray) values
          = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_value_unref);
      g_autoptr (GPtrArray) results
          = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_value_unref);
      SondeOriginFrame *frame;

      for (guint k = 0; k < parts.n_states; k++)
        g_ptr_array_add (values,
                         states->pdata[k] != NULL ? sonde_value_ref (states->pdata[k]) : NULL);
      for (guint k = 0; k < parts.n_scanned; k++)
        {
          SondeTensor *tensor
              = sonde_value_get_tensor (read_input (search, parent, node, parts.n_states + k));
          gint64 entry;
          int axis;

          if (tensor == NULL
              || !find_entry (node, FALSE, k, tensor->shape.rank, length, i, &axis, &entry)
              || tensor->shape.dims[axis] != length)
            return -1;
          g_ptr_array_add (values, cut_entry (tensor, axis, entry));
        }
      frame = open_iteration (search, parent, node, graph, i, values);
      if (!take_results (search, frame, 0, parts.n_states, results))
        return -1;
      g_hash_table_remove_all (frame->known);
      g_ptr_array_unref (states);
      states = g_steal_pointer (&results);
    }
  return length;
}

/* ---- in and out ---------------------------------------------------------- */

/* Runs the iterations once; -1 when they cannot be run. */
static gint64
count_iterations (SondeOriginSearch *search, SondeOriginFrame *parent, SondeNode *node)
{
  SondeGraph *graph = sonde_node_get_graph (node, "body");
  gint64 n;

  if (g_hash_table_contains (parent->bodies, node))
    return iterations_of (parent, node) != NULL ? (gint64) iterations_of (parent, node)->len : -1;
  if (graph == NULL)
    return -1;
  n = sonde_node_is (node, SONDE_OP_ID_LOOP) ? run_loop (search, parent, node, graph)
                                             : run_scan (search, parent, node, graph);
  if (n < 0)
    g_hash_table_insert (parent->bodies, node, NULL);
  return n;
}

SondeOriginFrame *
sonde_origin_find_body (SondeOriginSearch *search, SondeOriginFrame *parent, SondeNode *node,
                        gint64 iteration)
{
  SondeGraph *graph;
  SondeValue *condition;

  if (!sonde_node_is (node, SONDE_OP_ID_IF))
    return count_iterations (search, parent, node) > iteration
               ? find_frame (parent, node, iteration)
               : NULL;
  if (find_frame (parent, node, 0) != NULL)
    return find_frame (parent, node, 0);
  condition = read_input (search, parent, node, 0);
  graph = sonde_node_get_graph (node, is_true (condition) ? "then_branch" : "else_branch");
  if (condition == NULL || graph == NULL)
    return NULL;
  add_frame (parent, node, sonde_origin_frame_new (search, NULL, graph, parent, node, -1));
  return find_frame (parent, node, 0);
}

/* Place of @element without @axis, and its entry there. */
static gint64
take_axis (const SondeShape *shape, int axis, gint64 element, gint64 *entry)
{
  gint64 after = 1;

  for (int d = axis + 1; d < shape->rank; d++)
    after *= shape->dims[d];
  *entry = element / after % shape->dims[axis];
  return element / after / shape->dims[axis] * after + element % after;
}

static gint64
put_axis (const SondeShape *shape, int axis, gint64 element, gint64 entry)
{
  gint64 after = 1;

  for (int d = axis + 1; d < shape->rank; d++)
    after *= shape->dims[d];
  return (element / after * shape->dims[axis] + entry) * after + element % after;
}

static gboolean
set_place (SondeOriginLocation *location, SondeOriginFrame *frame, GPtrArray *values, guint k,
           gint64 element)
{
  if (frame == NULL || k >= values->len || values->pdata[k] == NULL)
    return FALSE;
  *location = (SondeOriginLocation){ frame, values->pdata[k], element };
  return TRUE;
}

gboolean
sonde_origin_enter (SondeOriginSearch *search, const SondeOriginLocation *outer,
                    SondeOriginLocation *inner)
{
  SondeNode *node = outer->value->producer;
  const gboolean loop = sonde_node_is (node, SONDE_OP_ID_LOOP);
  const guint k = outer->value->producer_output;
  SondeTensor *content = sonde_origin_read_tensor (search, outer->frame, outer->value, NULL);
  const SondeShape shape = content != NULL ? content->shape : sonde_shape_scalar ();
  SondeOriginFrame *frame;
  Parts parts;
  guint n_carried;
  gint64 n, entry, element;
  int axis = 0;

  if (sonde_node_is (node, SONDE_OP_ID_IF))
    {
      frame = sonde_origin_find_body (search, outer->frame, node, -1);
      return frame != NULL && set_place (inner, frame, frame->graph->outputs, k, outer->element);
    }
  n = count_iterations (search, outer->frame, node);
  if (n < 0 || content == NULL
      || (!loop && !find_parts (node, sonde_node_get_graph (node, "body"), &parts)))
    return FALSE;
  n_carried = !loop ? parts.n_states : node->inputs->len > 2 ? node->inputs->len - 2 : 0;
  if (k < n_carried && n == 0)
    return set_place (inner, outer->frame, node->inputs, loop ? k + 2 : k, outer->element);
  if (k < n_carried)
    {
      frame = find_frame (outer->frame, node, n - 1);
      return frame != NULL
             && set_place (inner, frame, frame->graph->outputs, loop ? k + 1 : k, outer->element);
    }
  if (shape.rank < 1
      || (!loop && !find_entry (node, TRUE, k - n_carried, shape.rank, n, 0, &axis, &entry)))
    return FALSE;
  element = take_axis (&shape, axis, outer->element, &entry);
  if (!loop && list_entry (node, "scan_output_directions", k - n_carried) != 0)
    entry = n - 1 - entry;
  frame = find_frame (outer->frame, node, entry);
  return frame != NULL
         && set_place (inner, frame, frame->graph->outputs, loop ? k + 1 : k, element);
}

gboolean
sonde_origin_leave (SondeOriginSearch *search, const SondeOriginLocation *inner,
                    SondeOriginLocation *outer)
{
  SondeOriginFrame *frame = inner->frame;
  const gboolean loop = sonde_node_is (frame->node, SONDE_OP_ID_LOOP);
  SondeTensor *content;
  SondeShape shape;
  Parts parts = { 0 };
  gint64 entry;
  guint k = 0;
  int axis;

  while (k < frame->graph->inputs->len && frame->graph->inputs->pdata[k] != inner->value)
    k++;
  if (k == frame->graph->inputs->len || frame->iteration < 0 || (loop && k < 2)
      || (!loop && !find_parts (frame->node, frame->graph, &parts)))
    return FALSE;
  if (loop || k < parts.n_states)
    {
      SondeOriginFrame *before = frame->iteration > 0
                                     ? find_frame (frame->parent, frame->node, frame->iteration - 1)
                                     : NULL;

      return before != NULL
                 ? set_place (outer, before, frame->graph->outputs, loop ? k - 1 : k,
                              inner->element)
                 : set_place (outer, frame->parent, frame->node->inputs, k, inner->element);
    }
  content = sonde_origin_read_tensor (search, frame->parent, sonde_node_get_input (frame->node, k),
                                      NULL);
  if (content == NULL)
    return FALSE;
  shape = content->shape;
  return find_entry (frame->node, FALSE, k - parts.n_states, shape.rank,
                     scan_length (search, frame->parent, frame->node, &parts), frame->iteration,
                     &axis, &entry)
         && set_place (outer, frame->parent, frame->node->inputs, k,
                       put_axis (&shape, axis, inner->element, entry));
}
