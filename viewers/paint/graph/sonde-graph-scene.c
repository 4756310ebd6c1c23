/* SPDX-License-Identifier: Apache-2.0
 * From a graph to boxes, texts and routed edges. */
#include <math.h>

#include "data/base/sonde-text.h"
#include "viewers/paint/graph/sonde-graph-paint-private.h"
#include "viewers/paint/sonde-text-paint.h"

/* Builds the arrays of a scene. */
typedef struct
{
  SondeGraphScene *scene;
  GArray *boxes, *texts, *edges;
  GPtrArray *labels;
  GArray *controls;  /* gboolean, of edges */
  GArray *orders;    /* SondeLayoutEdge: control edges, sorted in at the end */
  int *box_of_value; /* box that makes it, by value id; -1 */
} Builder;

static int
add_box (Builder *builder, SondeNode *node, SondeGraphValue *value, SondeGraphText text)
{
  SondeGraphBox box = { node, value, 0, 0, 0, 0 };

  g_array_append_val (builder->boxes, box);
  g_array_append_val (builder->texts, text);
  return (int) builder->boxes->len - 1;
}

static void
measure (SondeGraphBox *box, SondeGraphText *text)
{
  double width;

  text->title_width = ceil (sonde_text_measure (SONDE_FONT_STRONG, text->title, NULL));
  width = text->title_width;
  if (*text->name != '\0')
    width += SONDE_GRAPH_TITLE_GAP + sonde_text_measure (SONDE_FONT_SMALL, text->name, NULL);
  for (guint i = 0; i < text->n_details; i++)
    width = fmax (width, sonde_text_measure (SONDE_FONT_SMALL, text->details[i], NULL));
  width = fmin (fmax (width, 44), SONDE_GRAPH_MAX_WIDTH) + SONDE_GRAPH_SLACK;
  box->width = ceil (width + 2 * SONDE_GRAPH_BOX_PADDING);
  box->height = SONDE_GRAPH_TITLE_HEIGHT;
  if (text->n_details > 0)
    box->height += SONDE_GRAPH_LINE_HEIGHT * text->n_details + 4;
}

static void
add_edge (Builder *builder, int from, int to, SondeGraphValue *value)
{
  SondeLayoutEdge edge = { (guint) from, (guint) to, NULL, 0, FALSE };
  gboolean control = FALSE;

  if (sonde_graph_is_control (value))
    {
      g_array_append_val (builder->orders, edge);
      return;
    }
  g_array_append_val (builder->edges, edge);
  g_array_append_val (builder->controls, control);
  g_ptr_array_add (builder->labels, sonde_graph_shape_text (&value->type));
}

/* Whether a node that is shown reads it, or it leaves the graph again. */
static gboolean
is_read (SondeGraph *graph, const SondeGraphValue *value, guint phases)
{
  for (guint i = 0; i < value->users->len; i++)
    {
      const SondeNode *user = g_ptr_array_index (value->users, i);

      if ((phases & (1u << user->phase)) != 0)
        return TRUE;
    }
  return (value->captures != NULL && value->captures->len > 0)
         || g_ptr_array_find (graph->outputs, value, NULL);
}

static void
add_nodes (Builder *builder, SondeGraph *graph, guint phases)
{
  for (guint i = 0; i < graph->inputs->len; i++)
    {
      SondeGraphValue *input = g_ptr_array_index (graph->inputs, i);
      SondeGraphText text = { .title = g_strdup (_ ("Input")),
                              .name = g_strdup (input->name),
                              .family = SONDE_FAMILY_DATA };

      /* An initialiser that is also an input stands in its reader; an input without a visible reader is
       * left out below. */
      if (!sonde_graph_is_inside (input) && is_read (graph, input, phases))
        builder->box_of_value[input->id] = add_box (builder, NULL, input, text);
      else
        {
          g_free (text.title);
          g_free (text.name);
        }
    }
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      SondeNode *node = g_ptr_array_index (graph->nodes, i);
      int box;

      if (node == NULL || (phases & (1u << node->phase)) == 0 || sonde_graph_is_constant (node))
        continue;
      box = add_box (builder, node, NULL, sonde_graph_text_of_node (node));
      for (guint k = 0; k < node->outputs->len; k++)
        if (sonde_node_get_output (node, k) != NULL)
          builder->box_of_value[sonde_node_get_output (node, k)->id] = box;
    }
}

/* From the makers of what the subgraphs of a node read of this graph. */
static void
add_captures (Builder *builder, const SondeNode *node, int box)
{
  for (guint i = 0; i < node->attributes->len; i++)
    {
      const SondeAttribute *attribute = g_ptr_array_index (node->attributes, i);
      SondeGraph *graph = attribute->kind == SONDE_ATTRIBUTE_GRAPH ? attribute->u.graph : NULL;

      for (guint k = 0; graph != NULL && k < graph->values->len; k++)
        {
          SondeGraphValue *value = g_ptr_array_index (graph->values, k);
          SondeGraphValue *outer = value != NULL ? value->outer : NULL;

          if (outer != NULL && builder->box_of_value[outer->id] >= 0)
            add_edge (builder, builder->box_of_value[outer->id], box, outer);
        }
    }
}

static void
add_edges (Builder *builder, SondeGraph *graph)
{
  guint n_inner = builder->boxes->len;

  for (guint b = 0; b < n_inner; b++)
    {
      SondeNode *node = g_array_index (builder->boxes, SondeGraphBox, b).node;

      for (guint k = 0; node != NULL && k < node->inputs->len; k++)
        {
          SondeGraphValue *input = sonde_node_get_input (node, k);

          if (input != NULL && builder->box_of_value[input->id] >= 0)
            add_edge (builder, builder->box_of_value[input->id], (int) b, input);
        }
      if (node != NULL)
        add_captures (builder, node, (int) b);
    }
  for (guint i = 0; i < graph->outputs->len; i++)
    {
      SondeGraphValue *output = g_ptr_array_index (graph->outputs, i);
      SondeGraphText text = { .title = g_strdup (_ ("Output")),
                              .name = g_strdup (output->name),
                              .family = SONDE_FAMILY_DATA };
      int from = builder->box_of_value[output->id];

      if (from >= 0)
        add_edge (builder, from, add_box (builder, NULL, output, text), output);
      else if (output->producer != NULL && sonde_graph_is_constant (output->producer))
        add_box (builder, NULL, output, text);
      else
        {
          g_free (text.title);
          g_free (text.name);
        }
    }
}

/* What only waits for another node does not pull it out of its layer: one control edge places a box
 * that has no other edge, all the rest are stubs behind those that are laid out. */
static void
add_orders (Builder *builder)
{
  g_autofree gboolean *placed = g_new0 (gboolean, MAX (builder->boxes->len, 1));

  for (guint e = 0; e < builder->edges->len; e++)
    {
      const SondeLayoutEdge *edge = &g_array_index (builder->edges, SondeLayoutEdge, e);

      placed[edge->from] = placed[edge->to] = TRUE;
    }
  for (guint round = 0; round < 2; round++)
    {
      for (guint i = 0; i < builder->orders->len; i++)
        {
          SondeLayoutEdge *edge = &g_array_index (builder->orders, SondeLayoutEdge, i);
          gboolean control = TRUE, places = !placed[edge->from] || !placed[edge->to];

          /* Taken in the first round: an edge from a box to itself stands for it. */
          if (edge->from == edge->to || (round == 0 && !places))
            continue;
          placed[edge->from] = placed[edge->to] = TRUE;
          g_array_append_val (builder->edges, *edge);
          g_array_append_val (builder->controls, control);
          g_ptr_array_add (builder->labels, NULL);
          edge->to = edge->from;
        }
      if (round == 0)
        builder->scene->n_laid_out = builder->edges->len;
    }
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
      scene->edges[e].is_stub = TRUE;
    }
}

static void
index_names (SondeGraphScene *scene)
{
  scene->names = g_hash_table_new (g_str_hash, g_str_equal);
  for (guint b = 0; b < scene->n_boxes; b++)
    {
      SondeNode *node = scene->boxes[b].node;
      gpointer index = GUINT_TO_POINTER (b + 1);

      if (node == NULL && scene->boxes[b].value->producer == NULL)
        g_hash_table_insert (scene->names, scene->boxes[b].value->name, index);
      for (guint k = 0; node != NULL && k < node->outputs->len; k++)
        if (sonde_node_get_output (node, k) != NULL)
          g_hash_table_insert (scene->names, sonde_node_get_output (node, k)->name, index);
    }
  /* What stands inside a box is found there. */
  for (guint b = 0; b < scene->n_boxes; b++)
    for (guint k = 0; scene->boxes[b].node != NULL && k < scene->boxes[b].node->inputs->len; k++)
      {
        SondeGraphValue *input = sonde_node_get_input (scene->boxes[b].node, k);

        if (input == NULL || !sonde_graph_is_inside (input)
            || g_hash_table_contains (scene->names, input->name))
          continue;
        g_hash_table_insert (scene->names, input->name, GUINT_TO_POINTER (b + 1));
        if (input->producer != NULL)
          g_hash_table_insert (scene->names, input->producer->name, GUINT_TO_POINTER (b + 1));
      }
  /* A node's own name goes before a value's. */
  for (guint b = 0; b < scene->n_boxes; b++)
    if (scene->boxes[b].node != NULL)
      g_hash_table_insert (scene->names, scene->boxes[b].node->name, GUINT_TO_POINTER (b + 1));
}

static gboolean
lay_out (SondeGraphScene *scene, const _Atomic gboolean *cancelled, GError **error)
{
  g_autofree SondeLayoutBox *boxes = g_new0 (SondeLayoutBox, MAX (scene->n_boxes, 1));
  SondeLayoutOptions options = { .box_gap = 24, .layer_gap = 26 };

  for (guint b = 0; b < scene->n_boxes; b++)
    {
      measure (&scene->boxes[b], &scene->texts[b]);
      boxes[b].width = scene->boxes[b].width;
      boxes[b].height = scene->boxes[b].height;
    }
  scene->layout = sonde_graph_layout_compute (boxes, scene->n_boxes, scene->edges,
                                              scene->n_laid_out, &options, cancelled, error);
  for (guint b = 0; scene->layout != NULL && b < scene->n_boxes; b++)
    {
      scene->boxes[b].x = boxes[b].x;
      scene->boxes[b].y = boxes[b].y;
    }
  if (scene->layout != NULL)
    place_stubs (scene);
  return scene->layout != NULL;
}

SondeGraphScene *
sonde_graph_scene_new (SondeGraph *graph, guint phases, const _Atomic gboolean *cancelled,
                       GError **error)
{
  g_autoptr (SondeGraphScene) scene = g_new0 (SondeGraphScene, 1);
  g_autofree int *box_of_value = g_new (int, MAX (graph->values->len, 1));
  Builder builder = { scene,
                      g_array_new (FALSE, FALSE, sizeof (SondeGraphBox)),
                      g_array_new (FALSE, FALSE, sizeof (SondeGraphText)),
                      g_array_new (FALSE, FALSE, sizeof (SondeLayoutEdge)),
                      g_ptr_array_new (),
                      g_array_new (FALSE, FALSE, sizeof (gboolean)),
                      g_array_new (FALSE, FALSE, sizeof (SondeLayoutEdge)),
                      box_of_value };

  scene->graph = sonde_graph_ref (graph);
  for (guint i = 0; i < graph->values->len; i++)
    box_of_value[i] = -1;
  add_nodes (&builder, graph, phases);
  add_edges (&builder, graph);
  add_orders (&builder);
  scene->n_boxes = builder.boxes->len;
  scene->n_edges = builder.edges->len;
  scene->boxes = (SondeGraphBox *) (void *) g_array_free (builder.boxes, FALSE);
  scene->texts = (SondeGraphText *) (void *) g_array_free (builder.texts, FALSE);
  scene->edges = (SondeLayoutEdge *) (void *) g_array_free (builder.edges, FALSE);
  scene->labels = (char **) g_ptr_array_free (builder.labels, FALSE);
  scene->controls = (gboolean *) (void *) g_array_free (builder.controls, FALSE);
  g_array_unref (builder.orders);
  index_names (scene);
  return lay_out (scene, cancelled, error) ? g_steal_pointer (&scene) : NULL;
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
  g_free (scene->stubs);
  g_clear_pointer (&scene->names, g_hash_table_unref);
  g_clear_pointer (&scene->layout, sonde_graph_layout_free);
  sonde_graph_unref (scene->graph);
  g_free (scene);
}

void
sonde_graph_scene_get_size (const SondeGraphScene *scene, double *width, double *height)
{
  *width = scene->layout->width;
  *height = scene->layout->height;
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
sonde_graph_scene_find (const SondeGraphScene *scene, const char *name)
{
  return (int) GPOINTER_TO_UINT (g_hash_table_lookup (scene->names, name)) - 1;
}

int
sonde_graph_scene_pick (const SondeGraphScene *scene, double x, double y)
{
  for (guint b = 0; b < scene->n_boxes; b++)
    {
      const SondeGraphBox *box = &scene->boxes[b];

      if (x >= box->x && y >= box->y && x < box->x + box->width && y < box->y + box->height)
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
