/* SPDX-License-Identifier: Apache-2.0
 * From a graph to boxes, texts and routed edges; how they are found. */
#include "data/base/sonde-text.h"
#include "viewers/paint/graph/sonde-graph-nest-private.h"

/* ---- making it ----------------------------------------------------------- */

/* What stands beside a line: the shape of what flows, or how much does; at the end of a stub, whose line
 * nobody can follow, where it comes from. */
static char *
make_label (const SondeGraphLink *link)
{
  if (link->is_order)
    return NULL;
  if (link->is_stub)
    return sonde_graph_short_name (link->value);
  if ((link->to & SONDE_GRAPH_PORT_BIT) != 0 || link->to_port != SONDE_GRAPH_NO_PORT)
    return NULL; /* the line goes on */
  if (link->n_values > 1)
    return g_strdup_printf (P_ ("%u tensor", "%u tensors", link->n_values), link->n_values);
  return sonde_graph_shape_text (&link->value->type);
}

static guint
box_at_end (const SondeGraphNest *nest, guint vertex)
{
  return vertex & SONDE_GRAPH_PORT_BIT
             ? sonde_graph_nest_port (nest, vertex & ~SONDE_GRAPH_PORT_BIT)->frame
             : vertex;
}

static void
add_edge (SondeGraphScene *scene, const SondeGraphNest *nest, const SondeGraphLink *link)
{
  SondeLayoutEdge *edge = &scene->edges[scene->n_edges];

  edge->from
      = (link->from & SONDE_GRAPH_PORT_BIT) != 0 ? link->source : box_at_end (nest, link->from);
  edge->to = box_at_end (nest, link->to);
  edge->is_stub = link->is_stub || link->is_left_out;
  edge->n_points = link->n_points;
  edge->points = scene->points + link->first_point;
  scene->labels[scene->n_edges] = make_label (link);
  scene->controls[scene->n_edges++] = link->is_order;
}

/* Near the right end of both rims, where no arrow of data ends. */
static void
place_stubs (SondeGraphScene *scene)
{
  scene->stubs = g_new (SondeLayoutPoint, 2 * (scene->n_edges - scene->n_laid_out) + 1);
  for (guint e = scene->n_laid_out; e < scene->n_edges; e++)
    {
      SondeLayoutPoint *points = &scene->stubs[2 * (e - scene->n_laid_out)];
      const SondeGraphBox *from = &scene->boxes[scene->edges[e].from],
                          *to = &scene->boxes[scene->edges[e].to];

      points[0] = (SondeLayoutPoint){ from->x + from->width - SONDE_GRAPH_BOX_PADDING,
                                      from->y + from->height };
      points[1] = (SondeLayoutPoint){ to->x + to->width - SONDE_GRAPH_BOX_PADDING, to->y };
      scene->edges[e].points = points;
      scene->edges[e].n_points = 2;
    }
}

static void
take_nest (SondeGraphScene *scene, SondeGraphNest *nest)
{
  guint n = nest->links->len;

  scene->n_boxes = nest->boxes->len;
  scene->boxes = (SondeGraphBox *) (void *) g_array_free (nest->boxes, FALSE);
  scene->texts = (SondeGraphText *) (void *) g_array_free (nest->texts, FALSE);
  scene->points = g_memdup2 (nest->points->data, nest->points->len * sizeof (SondeLayoutPoint));
  scene->edges = g_new0 (SondeLayoutEdge, n + 1);
  scene->labels = g_new0 (char *, n + 1);
  scene->controls = g_new0 (gboolean, n + 1);
  for (guint i = 0; i < n; i++)
    if (!sonde_graph_nest_link (nest, i)->is_left_out)
      add_edge (scene, nest, sonde_graph_nest_link (nest, i));
  scene->n_laid_out = scene->n_edges;
  for (guint i = 0; i < n; i++)
    if (sonde_graph_nest_link (nest, i)->is_left_out)
      add_edge (scene, nest, sonde_graph_nest_link (nest, i));
  place_stubs (scene);
}

static SondeGraphScene *
make_scene (SondeGraph *graph, guint phases, SondeGraphFolding *folding,
            const _Atomic gboolean *cancelled, GError **error)
{
  g_autoptr (SondeGraphScene) scene = g_new0 (SondeGraphScene, 1);
  SondeGraphNest nest = { .scene = scene, .folding = folding };
  gboolean done;

  scene->graph = sonde_graph_ref (graph);
  scene->folding = folding;
  scene->box_of_input = g_hash_table_new (NULL, NULL);
  scene->box_of_node = g_new (int, graph->nodes->len + 1);
  for (guint i = 0; i < graph->nodes->len; i++)
    scene->box_of_node[i] = -1;
  sonde_graph_nest_fill (&nest, graph, phases);
  done = sonde_graph_nest_lay_out (&nest, cancelled, error);
  take_nest (scene, &nest);
  sonde_graph_nest_clear (&nest);
  return done ? g_steal_pointer (&scene) : NULL;
}

SondeGraphScene *
sonde_graph_scene_new (SondeGraph *graph, guint phases, const _Atomic gboolean *cancelled,
                       GError **error)
{
  return make_scene (graph, phases, NULL, cancelled, error);
}

SondeGraphScene *
sonde_graph_scene_new_nested (SondeGraph *graph, guint phases, const SondeGraphFolding *folding,
                              const _Atomic gboolean *cancelled, GError **error)
{
  return make_scene (graph, phases,
                     folding != NULL ? sonde_graph_folding_copy (folding)
                                     : sonde_graph_folding_new (graph, phases),
                     cancelled, error);
}

void
sonde_graph_scene_free (SondeGraphScene *scene)
{
  if (scene == NULL)
    return;
  for (guint b = 0; b < scene->n_boxes; b++)
    {
      g_free (scene->texts[b].title);
      g_free (scene->texts[b].name);
      for (guint i = 0; i < scene->texts[b].n_details; i++)
        g_free (scene->texts[b].details[i]);
    }
  for (guint e = 0; e < scene->n_edges; e++)
    g_free (scene->labels[e]);
  g_free (scene->boxes);
  g_free (scene->texts);
  g_free (scene->edges);
  g_free (scene->labels);
  g_free (scene->controls);
  g_free (scene->points);
  g_free (scene->stubs);
  g_free (scene->box_of_node);
  g_clear_pointer (&scene->box_of_input, g_hash_table_unref);
  sonde_graph_folding_free (scene->folding);
  sonde_graph_unref (scene->graph);
  g_free (scene);
}

/* ---- looking at it ------------------------------------------------------- */

SondeGraph *
sonde_graph_scene_get_graph (const SondeGraphScene *scene)
{
  return scene->graph;
}

const SondeGraphFolding *
sonde_graph_scene_get_folding (const SondeGraphScene *scene)
{
  return scene->folding;
}

void
sonde_graph_scene_get_size (const SondeGraphScene *scene, double *width, double *height)
{
  *width = scene->width;
  *height = scene->height;
}

guint
sonde_graph_scene_get_n_boxes (const SondeGraphScene *scene)
{
  return scene->n_boxes;
}

const SondeGraphBox *
sonde_graph_scene_get_box (const SondeGraphScene *scene, guint index)
{
  g_return_val_if_fail (index < scene->n_boxes, NULL);
  return &scene->boxes[index];
}

int
sonde_graph_scene_find_node (const SondeGraphScene *scene, const SondeNode *node)
{
  return node->id < scene->graph->nodes->len ? scene->box_of_node[node->id] : -1;
}

/* What stands inside a box is found there: in the first of those that read it. */
static int
find_reader (const SondeGraphScene *scene, const SondeGraphValue *value)
{
  int first = -1;

  for (guint i = 0; i < value->users->len; i++)
    {
      int box = sonde_graph_scene_find_node (scene, g_ptr_array_index (value->users, i));

      if (box >= 0 && (first < 0 || box < first))
        first = box;
    }
  return first;
}

static int
find_value (const SondeGraphScene *scene, const SondeGraphValue *value)
{
  gpointer input = g_hash_table_lookup (scene->box_of_input, value);
  int box = value->producer != NULL ? sonde_graph_scene_find_node (scene, value->producer) : -1;

  if (input != NULL)
    return (int) GPOINTER_TO_UINT (input) - 1;
  return box < 0 && sonde_graph_is_inside (value) ? find_reader (scene, value) : box;
}

int
sonde_graph_scene_find (const SondeGraphScene *scene, const char *name)
{
  const SondeNode *node = sonde_graph_find_node (scene->graph, name);
  const SondeGraphValue *value = sonde_graph_find_value (scene->graph, name);
  int box = node != NULL ? sonde_graph_scene_find_node (scene, node) : -1;

  if (box < 0 && value != NULL)
    box = find_value (scene, value);
  if (box < 0 && node != NULL && node->outputs->len > 0 && sonde_node_get_output (node, 0) != NULL)
    box = find_value (scene, sonde_node_get_output (node, 0));
  return box;
}

/* A frame is only its head: the rest of it belongs to what it holds. */
int
sonde_graph_scene_pick (const SondeGraphScene *scene, double x, double y)
{
  for (guint b = scene->n_boxes; b-- > 0;)
    {
      const SondeGraphBox *box = &scene->boxes[b];
      double height = box->is_open ? SONDE_GRAPH_FRAME_HEAD : box->height;

      if (x >= box->x && y >= box->y && x < box->x + box->width && y < box->y + height)
        return (int) b;
    }
  return -1;
}

gboolean
sonde_graph_scene_touches (const SondeGraphScene *scene, double x0, double y0, double x1, double y1)
{
  for (guint b = 0; b < scene->n_boxes; b++)
    {
      const SondeGraphBox *box = &scene->boxes[b];

      if (box->x < x1 && box->y < y1 && box->x + box->width > x0 && box->y + box->height > y0)
        return TRUE;
    }
  return FALSE;
}
