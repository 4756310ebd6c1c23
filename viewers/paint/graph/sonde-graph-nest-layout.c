/* SPDX-License-Identifier: Apache-2.0
 * Places from the inside out: what is in a frame is laid out as a graph of its own, then the frame is a box
 * of that size in the next one. Lines pass the sides of a frame where its ports are. */
#include <math.h>

#include "viewers/paint/graph/sonde-graph-nest-private.h"

#define FRAME_PADDING 14
#define PORT_WIDTH 6
#define FAR_SPAN 8 /* layers, from which on what many read is not drawn to each of them */
#define MANY_READERS 4

/**
 * Places: vertices and links by frame; entry 0 of the tables is for what stands in none
 * @box_first, @port_first, @link_first: [n_boxes + 2]: ranges of the lists
 * @number: of a box or port (behind the boxes) in the layout of its frame
 * @x, @y: of boxes, from the upper left corner of what is in their frame
 */
typedef struct
{
  SondeGraphNest *nest;
  guint n_boxes, n_ports;
  guint *box_first, *box_list, *port_first, *port_list, *link_first, *link_list;
  guint *number;
  double *x, *y;
  double width, height; /* of all */
} Places;

/* ---- by frame ------------------------------------------------------------ */

typedef int (*FrameOf) (const SondeGraphNest *nest, guint i);

static int
frame_of_box (const SondeGraphNest *nest, guint box)
{
  return sonde_graph_nest_box (nest, box)->frame;
}

static int
frame_of_port (const SondeGraphNest *nest, guint port)
{
  return (int) sonde_graph_nest_port (nest, port)->frame;
}

static int
frame_of_link (const SondeGraphNest *nest, guint link)
{
  return sonde_graph_nest_link (nest, link)->frame;
}

/* The @n things, those of one frame after each other. @first: (out): where they begin */
static guint *
group (const Places *places, guint n, FrameOf frame_of, guint **first)
{
  guint *list = g_new (guint, n + 1), *at = g_new0 (guint, places->n_boxes + 3);

  for (guint i = 0; i < n; i++)
    at[frame_of (places->nest, i) + 3]++;
  for (guint f = 0; f <= places->n_boxes; f++)
    at[f + 2] += at[f + 1];
  for (guint i = 0; i < n; i++)
    list[at[frame_of (places->nest, i) + 2]++] = i;
  *first = at;
  return list;
}

/* ---- one frame ----------------------------------------------------------- */

static guint
number_of (const Places *places, guint vertex)
{
  return places
      ->number[vertex & SONDE_GRAPH_PORT_BIT ? places->n_boxes + (vertex & ~SONDE_GRAPH_PORT_BIT)
                                             : vertex];
}

static double
place_of_port (const Places *places, guint port)
{
  return port != SONDE_GRAPH_NO_PORT ? sonde_graph_nest_port (places->nest, port)->x : 0;
}

/* Ports, then boxes, so that among equals lines come from the left. */
static SondeLayoutBox *
list_vertices (Places *places, guint f, guint *n)
{
  guint n_ports = places->port_first[f + 1] - places->port_first[f];
  guint n_inner = places->box_first[f + 1] - places->box_first[f];
  SondeLayoutBox *vertices = g_new0 (SondeLayoutBox, n_ports + n_inner + 1);

  *n = 0;
  for (guint i = 0; i < n_ports; i++, (*n)++)
    {
      guint port = places->port_list[places->port_first[f] + i];

      places->number[places->n_boxes + port] = *n;
      vertices[*n] = (SondeLayoutBox){ .width = PORT_WIDTH,
                                       .pin = sonde_graph_nest_port (places->nest, port)->is_out
                                                  ? SONDE_LAYOUT_LAST
                                                  : SONDE_LAYOUT_FIRST };
    }
  for (guint i = 0; i < n_inner; i++, (*n)++)
    {
      guint box = places->box_list[places->box_first[f] + i];

      places->number[box] = *n;
      vertices[*n].width = sonde_graph_nest_box (places->nest, box)->width;
      vertices[*n].height = sonde_graph_nest_box (places->nest, box)->height;
    }
  return vertices;
}

static SondeLayoutEdge *
list_edges (const Places *places, guint f, guint *n)
{
  guint n_links = places->link_first[f + 1] - places->link_first[f];
  SondeLayoutEdge *edges = g_new0 (SondeLayoutEdge, n_links + 1);

  *n = 0;
  for (guint i = 0; i < n_links; i++)
    {
      const SondeGraphLink *link
          = sonde_graph_nest_link (places->nest, places->link_list[places->link_first[f] + i]);

      if (!link->is_left_out)
        edges[(*n)++] = (SondeLayoutEdge){ .from = number_of (places, link->from),
                                           .to = number_of (places, link->to),
                                           .from_at = place_of_port (places, link->from_port),
                                           .to_at = place_of_port (places, link->to_port) };
    }
  return edges;
}

static void
take_edges (const Places *places, guint f, const SondeLayoutEdge *edges)
{
  guint n = 0;

  for (guint i = places->link_first[f]; i < places->link_first[f + 1]; i++)
    {
      SondeGraphLink *link = sonde_graph_nest_link (places->nest, places->link_list[i]);

      if (link->is_left_out)
        continue;
      link->is_stub = edges[n].is_stub;
      link->first_point = places->nest->points->len;
      link->n_points = edges[n].n_points;
      g_array_append_vals (places->nest->points, edges[n].points, edges[n].n_points);
      n++;
    }
}

/* Its size by what is in it and by its head; what is narrower than the head stands in the middle. */
static void
take_size (Places *places, guint f, const SondeGraphLayout *layout)
{
  SondeGraphBox *frame = sonde_graph_nest_box (places->nest, f - 1);
  double inner = fmax (layout->width, frame->width - 2 * FRAME_PADDING);
  double left = FRAME_PADDING + (inner - layout->width) / 2;

  frame->width = inner + 2 * FRAME_PADDING;
  frame->height = SONDE_GRAPH_FRAME_HEAD + layout->height + 2 * FRAME_PADDING;
  frame->inner_x = left;
  frame->inner_y = SONDE_GRAPH_FRAME_HEAD + FRAME_PADDING;
  for (guint i = places->port_first[f]; i < places->port_first[f + 1]; i++)
    sonde_graph_nest_port (places->nest, places->port_list[i])->x += left;
}

/* @f: box of the frame + 1; 0: what stands in none */
static gboolean
lay_out_frame (Places *places, guint f, const _Atomic gboolean *cancelled, GError **error)
{
  const SondeLayoutOptions options = {
    .box_gap = 24, .layer_gap = 26, .far_span = FAR_SPAN, .n_far = MANY_READERS, .in_row = f > 0
  };
  guint n_vertices, n_edges;
  g_autofree SondeLayoutBox *vertices = list_vertices (places, f, &n_vertices);
  g_autofree SondeLayoutEdge *edges = list_edges (places, f, &n_edges);
  g_autoptr (SondeGraphLayout) layout = sonde_graph_layout_compute (
      vertices, n_vertices, edges, n_edges, &options, cancelled, error);
  guint n_ports = places->port_first[f + 1] - places->port_first[f];

  if (layout == NULL)
    return FALSE;
  for (guint i = 0; i < n_ports; i++)
    sonde_graph_nest_port (places->nest, places->port_list[places->port_first[f] + i])->x
        = vertices[i].x + PORT_WIDTH / 2.0;
  for (guint i = places->box_first[f]; i < places->box_first[f + 1]; i++)
    {
      const SondeLayoutBox *vertex = &vertices[n_ports + i - places->box_first[f]];

      places->x[places->box_list[i]] = vertex->x;
      places->y[places->box_list[i]] = vertex->y;
    }
  take_edges (places, f, edges);
  if (f > 0)
    take_size (places, f, layout);
  else
    {
      places->width = layout->width;
      places->height = layout->height;
    }
  return TRUE;
}

/* ---- from the outside in ------------------------------------------------- */

/* Upper left corner of what is in the frame. */
static SondeLayoutPoint
get_inner_corner (const SondeGraphNest *nest, int frame)
{
  const SondeGraphBox *box = frame >= 0 ? sonde_graph_nest_box (nest, (guint) frame) : NULL;

  return box != NULL ? (SondeLayoutPoint){ box->x + box->inner_x, box->y + box->inner_y }
                     : (SondeLayoutPoint){ 0, 0 };
}

static void
place_boxes (const Places *places)
{
  for (guint b = 0; b < places->n_boxes; b++)
    {
      SondeGraphBox *box = sonde_graph_nest_box (places->nest, b);
      SondeLayoutPoint corner = get_inner_corner (places->nest, box->frame);

      box->x = corner.x + places->x[b];
      box->y = corner.y + places->y[b];
    }
}

static void
add_straight (GArray *points, double x, double y0, double y1)
{
  SondeLayoutPoint piece[] = { { x, y0 + (y1 - y0) / 3 }, { x, y1 - (y1 - y0) / 3 }, { x, y1 } };

  g_array_append_vals (points, piece, G_N_ELEMENTS (piece));
}

/* The line of @link; from and to the sides of the frame where its ports are. */
static void
place_link (SondeGraphNest *nest, SondeGraphLink *link, GArray *points)
{
  const SondeGraphBox *frame
      = link->frame >= 0 ? sonde_graph_nest_box (nest, (guint) link->frame) : NULL;
  SondeLayoutPoint corner = get_inner_corner (nest, link->frame);
  guint first = points->len;

  for (guint i = 0; i < link->n_points; i++)
    {
      SondeLayoutPoint point
          = g_array_index (nest->points, SondeLayoutPoint, link->first_point + i);

      point.x += corner.x;
      point.y += corner.y;
      if (i == 0 && !link->is_stub && (link->from & SONDE_GRAPH_PORT_BIT) != 0)
        {
          SondeLayoutPoint start = { point.x, frame->y };

          g_array_append_val (points, start);
          add_straight (points, point.x, frame->y, point.y);
          continue;
        }
      g_array_append_val (points, point);
    }
  if (link->n_points > 0 && !link->is_stub && (link->to & SONDE_GRAPH_PORT_BIT) != 0)
    {
      SondeLayoutPoint end = g_array_index (points, SondeLayoutPoint, points->len - 1);

      add_straight (points, end.x, end.y, frame->y + frame->height);
    }
  link->first_point = first;
  link->n_points = points->len - first;
}

static void
place_links (SondeGraphNest *nest)
{
  GArray *points = g_array_new (FALSE, FALSE, sizeof (SondeLayoutPoint));

  for (guint i = 0; i < nest->links->len; i++)
    place_link (nest, sonde_graph_nest_link (nest, i), points);
  g_array_unref (nest->points);
  nest->points = points;
}

/* ---- all of it ----------------------------------------------------------- */

static gboolean
lay_out_all (Places *places, const _Atomic gboolean *cancelled, GError **error)
{
  /* A frame has a greater number than the one around it. */
  for (guint b = places->n_boxes; b-- > 0;)
    if (sonde_graph_nest_box (places->nest, b)->is_open
        && !lay_out_frame (places, b + 1, cancelled, error))
      return FALSE;
  return lay_out_frame (places, 0, cancelled, error);
}

gboolean
sonde_graph_nest_lay_out (SondeGraphNest *nest, const _Atomic gboolean *cancelled, GError **error)
{
  Places places = { .nest = nest, .n_boxes = nest->boxes->len, .n_ports = nest->ports->len };
  gboolean done;

  for (guint b = 0; b < places.n_boxes; b++)
    sonde_graph_measure_box (sonde_graph_nest_box (nest, b),
                             &g_array_index (nest->texts, SondeGraphText, b));
  places.box_list = group (&places, places.n_boxes, frame_of_box, &places.box_first);
  places.port_list = group (&places, places.n_ports, frame_of_port, &places.port_first);
  places.link_list = group (&places, nest->links->len, frame_of_link, &places.link_first);
  places.number = g_new0 (guint, places.n_boxes + places.n_ports + 1);
  places.x = g_new0 (double, places.n_boxes + 1);
  places.y = g_new0 (double, places.n_boxes + 1);
  done = lay_out_all (&places, cancelled, error);
  if (done)
    {
      nest->scene->width = places.width;
      nest->scene->height = places.height;
      place_boxes (&places);
      place_links (nest);
    }
  g_free (places.box_list);
  g_free (places.box_first);
  g_free (places.port_list);
  g_free (places.port_first);
  g_free (places.link_list);
  g_free (places.link_first);
  g_free (places.number);
  g_free (places.x);
  g_free (places.y);
  return done;
}
