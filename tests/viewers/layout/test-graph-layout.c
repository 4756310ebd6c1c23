/* SPDX-License-Identifier: Apache-2.0
 * What a layout must always be: no box on another, every edge downward and past all boxes. And
 * graphs whose best layout is known. */
#include "viewers/layout/sonde-graph-layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/base/sonde-error.h"

typedef struct
{
  SondeLayoutBox *boxes;
  guint n_boxes;
  GArray *edges; /* SondeLayoutEdge */
  SondeGraphLayout *layout;
} Picture;

static Picture
picture_new (guint n_boxes)
{
  Picture picture = { g_new0 (SondeLayoutBox, n_boxes + 1), n_boxes,
                      g_array_new (FALSE, TRUE, sizeof (SondeLayoutEdge)), NULL };

  for (guint i = 0; i < n_boxes; i++)
    {
      picture.boxes[i].width = 80 + i * 7 % 60;
      picture.boxes[i].height = 24 + i * 5 % 30;
    }
  return picture;
}

static void
picture_clear (Picture *picture)
{
  g_free (picture->boxes);
  g_array_unref (picture->edges);
  sonde_graph_layout_free (picture->layout);
}

static void
add_edge (Picture *picture, guint from, guint to)
{
  SondeLayoutEdge edge = { .from = from, .to = to };

  g_array_append_val (picture->edges, edge);
}

static SondeLayoutEdge *
edge_at (Picture *picture, guint i)
{
  return &g_array_index (picture->edges, SondeLayoutEdge, i);
}

static void
compute (Picture *picture, const SondeLayoutOptions *options)
{
  g_autoptr (GError) error = NULL;

  g_clear_pointer (&picture->layout, sonde_graph_layout_free);
  picture->layout = sonde_graph_layout_compute (picture->boxes, picture->n_boxes,
                                                (SondeLayoutEdge *) (void *) picture->edges->data,
                                                picture->edges->len, options, NULL, &error);
  g_assert_no_error (error);
}

/* ---- what must always be true -------------------------------------------- */

static int
compare_boxes (const void *a, const void *b)
{
  const SondeLayoutBox *left = *(SondeLayoutBox *const *) a, *right = *(SondeLayoutBox *const *) b;

  return left->y < right->y ? -1 : left->y > right->y;
}

/* Sorted by y, a box can only meet those that begin before it ends. */
static void
check_boxes (Picture *picture)
{
  g_autofree SondeLayoutBox **sorted = g_new (SondeLayoutBox *, picture->n_boxes + 1);

  for (guint i = 0; i < picture->n_boxes; i++)
    {
      SondeLayoutBox *box = sorted[i] = &picture->boxes[i];

      g_assert_true (isfinite (box->x) && isfinite (box->y));
      g_assert_cmpfloat (box->x, >=, -1e-6);
      g_assert_cmpfloat (box->y, >=, -1e-6);
      g_assert_cmpfloat (box->x + box->width, <=, picture->layout->width + 1e-6);
      g_assert_cmpfloat (box->y + box->height, <=, picture->layout->height + 1e-6);
    }
  qsort (sorted, picture->n_boxes, sizeof *sorted, compare_boxes);
  for (guint i = 0; i < picture->n_boxes; i++)
    for (guint k = i + 1;
         k < picture->n_boxes && sorted[k]->y < sorted[i]->y + sorted[i]->height - 1e-6; k++)
      g_assert_true (sorted[k]->x >= sorted[i]->x + sorted[i]->width - 1e-6
                     || sorted[i]->x >= sorted[k]->x + sorted[k]->width - 1e-6);
}

static gboolean
on_rim (const SondeLayoutBox *box, const SondeLayoutPoint *point, gboolean below)
{
  return point->x >= box->x - 1e-6 && point->x <= box->x + box->width + 1e-6
         && fabs (point->y - (below ? box->y + box->height : box->y)) < 1e-6;
}

static void
check_edge (Picture *picture, SondeLayoutEdge *edge)
{
  const SondeLayoutPoint *points = edge->points;

  g_assert_true (on_rim (&picture->boxes[edge->from], &points[0], TRUE));
  g_assert_true (on_rim (&picture->boxes[edge->to], &points[edge->n_points - 1], FALSE));
  g_assert_cmpuint (picture->boxes[edge->from].layer, <, picture->boxes[edge->to].layer);
  if (edge->is_stub)
    {
      g_assert_cmpuint (edge->n_points, ==, 2);
      return;
    }
  g_assert_cmpuint (edge->n_points % 3, ==, 1);
  g_assert_cmpuint (edge->n_points, >=, 4);
  for (guint i = 1; i < edge->n_points; i++)
    g_assert_cmpfloat (points[i].y, >=, points[i - 1].y - 1e-6);
}

static SondeLayoutPoint
point_on_curve (const SondeLayoutPoint *p, double t)
{
  double a = (1 - t) * (1 - t) * (1 - t), b = 3 * (1 - t) * (1 - t) * t;
  double c = 3 * (1 - t) * t * t, d = t * t * t;

  return (SondeLayoutPoint){ a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
                             a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y };
}

static void
check_clear_of_boxes (Picture *picture, SondeLayoutEdge *edge)
{
  for (guint i = 0; !edge->is_stub && i + 3 < edge->n_points; i += 3)
    for (double t = 0.05; t < 1; t += 0.1)
      {
        SondeLayoutPoint at = point_on_curve (&edge->points[i], t);

        for (guint k = 0; k < picture->n_boxes; k++)
          {
            const SondeLayoutBox *box = &picture->boxes[k];

            g_assert_false (at.x > box->x + 1e-6 && at.x < box->x + box->width - 1e-6
                            && at.y > box->y + 1e-6 && at.y < box->y + box->height - 1e-6);
          }
      }
}

static void
check (Picture *picture)
{
  check_boxes (picture);
  for (guint i = 0; i < picture->edges->len; i++)
    {
      check_edge (picture, edge_at (picture, i));
      if (picture->n_boxes <= 300)
        check_clear_of_boxes (picture, edge_at (picture, i));
    }
}

/* ---- known graphs -------------------------------------------------------- */

static double
centre (const Picture *picture, guint box)
{
  return picture->boxes[box].x + picture->boxes[box].width / 2;
}

static void
test_chain (void)
{
  Picture picture = picture_new (6);

  for (guint i = 0; i + 1 < 6; i++)
    add_edge (&picture, i, i + 1);
  compute (&picture, NULL);
  check (&picture);
  for (guint i = 0; i < 6; i++)
    {
      g_assert_cmpuint (picture.boxes[i].layer, ==, i);
      g_assert_cmpfloat_with_epsilon (centre (&picture, i), centre (&picture, 0), 1e-6);
    }
  g_assert_cmpuint (edge_at (&picture, 0)->n_points, ==, 4); /* straight */
  g_assert_cmpuint (picture.layout->n_layers, ==, 6);
  picture_clear (&picture);
}

/* A residual block: the long edge runs beside the boxes and stays straight in the middle. */
static void
test_skip (void)
{
  Picture picture = picture_new (5);
  const SondeLayoutEdge *skip = NULL;

  for (guint i = 0; i + 1 < 5; i++)
    add_edge (&picture, i, i + 1);
  add_edge (&picture, 0, 4);
  compute (&picture, NULL);
  check (&picture);
  g_assert_cmpuint (picture.layout->n_crossings, ==, 0);
  skip = edge_at (&picture, 4);
  g_assert_cmpuint (skip->n_points, <=, 1 + 3 * 5);
  for (guint i = 1; i < 3; i++)
    g_assert_cmpfloat_with_epsilon (centre (&picture, i), centre (&picture, i + 1), 1e-6);
  picture_clear (&picture);
}

static void
add_edges (Picture *picture, const char *text) /* "0-1 0-2" */
{
  g_auto (GStrv) words = g_strsplit (text, " ", -1);

  for (guint i = 0; words[i] != NULL; i++)
    {
      char *end = NULL;
      guint from = (guint) strtoul (words[i], &end, 10);

      add_edge (picture, from, (guint) strtoul (end + 1, NULL, 10));
    }
}

static void
test_crossings (void)
{
  static const struct
  {
    guint n;
    const char *edges;
    guint n_crossings;
  } cases[] = {
    { 4, "0-1 0-2 1-3 2-3", 0 },                     /* diamond */
    { 4, "0-3 1-2", 0 },                             /* two parts */
    { 6, "0-5 1-4 2-3 0-4 1-5 2-5", 1 },             /* has a K2,2 */
    { 4, "0-2 0-3 1-2 1-3", 1 },                     /* K2,2 */
    { 6, "0-3 0-4 0-5 1-3 1-4 1-5 2-3 2-4 2-5", 9 }, /* K3,3 in two layers */
    { 7, "0-1 0-2 1-3 1-4 2-5 2-6", 0 },             /* tree */
    { 8, "0-4 1-5 2-6 3-7 0-5 1-6 2-7", 0 },         /* zigzag */
    { 9, "0-2 1-2 0-3 1-4 2-5 3-6 4-7 5-8 6-8 7-8", 0 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      Picture picture = picture_new (cases[i].n);

      add_edges (&picture, cases[i].edges);
      compute (&picture, NULL);
      check (&picture);
      g_assert_cmpuint (picture.layout->n_crossings, ==, cases[i].n_crossings);
      picture_clear (&picture);
    }
}

/* Mixed up trees have a layout without crossings. */
static void
test_shuffled_tree (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);

  for (int round = 0; round < 20; round++)
    {
      const guint n = 127;
      Picture picture = picture_new (n);
      guint name[127];

      for (guint i = 0; i < n; i++)
        name[i] = i;
      for (guint i = n; i-- > 1;)
        {
          guint k = (guint) g_rand_int_range (rand, 0, (gint32) i + 1), swap = name[i];

          name[i] = name[k];
          name[k] = swap;
        }
      for (guint i = 1; i < n; i++)
        add_edge (&picture, name[(i - 1) / 2], name[i]);
      compute (&picture, NULL);
      check (&picture);
      g_assert_cmpuint (picture.layout->n_crossings, ==, 0);
      picture_clear (&picture);
    }
}

/* A constant stands above the box that reads it, not at the top of the picture. */
static void
test_constants (void)
{
  Picture picture = picture_new (7);

  add_edges (&picture, "0-1 1-2 2-3 3-4 5-4 6-2");
  compute (&picture, NULL);
  check (&picture);
  g_assert_cmpuint (picture.boxes[5].layer, ==, 3);
  g_assert_cmpuint (picture.boxes[6].layer, ==, 1);
  picture_clear (&picture);
}

/* So does what is made of constants alone, with all of it. */
static void
test_light_tree (void)
{
  Picture picture = picture_new (11);

  add_edges (&picture, "0-1 1-2 2-3 3-4 4-5 5-6 7-9 8-9 9-10 10-6");
  compute (&picture, NULL);
  check (&picture);
  g_assert_cmpuint (picture.boxes[9].layer, ==, 4);
  g_assert_cmpuint (picture.boxes[7].layer, ==, 3);
  picture_clear (&picture);
}

static void
test_doubled (void)
{
  Picture picture = picture_new (2);

  add_edges (&picture, "0-1 0-1 0-1");
  compute (&picture, NULL);
  check (&picture);
  g_assert_true (edge_at (&picture, 0)->points == edge_at (&picture, 2)->points);
  picture_clear (&picture);
}

static void
test_parts (void)
{
  Picture picture = picture_new (30);

  add_edges (&picture, "0-1 1-2 2-3 3-4 10-11 11-12");
  compute (&picture, NULL);
  check (&picture);
  g_assert_cmpfloat (picture.layout->width, <, 3000); /* not all in a row */
  picture_clear (&picture);
}

static void
test_cycle (void)
{
  Picture picture = picture_new (4);
  const SondeLayoutEdge *back = NULL, *loop = NULL;

  add_edges (&picture, "0-1 1-2 2-0 2-3 3-3");
  compute (&picture, NULL);
  check_boxes (&picture);
  g_assert_cmpuint (picture.boxes[0].layer, ==, 0);
  back = edge_at (&picture, 2);
  g_assert_true (on_rim (&picture.boxes[2], &back->points[0], FALSE));
  g_assert_true (on_rim (&picture.boxes[0], &back->points[back->n_points - 1], TRUE));
  loop = edge_at (&picture, 4);
  g_assert_true (loop->is_stub);
  g_assert_true (on_rim (&picture.boxes[3], &loop->points[0], TRUE));
  g_assert_true (on_rim (&picture.boxes[3], &loop->points[1], FALSE));
  picture_clear (&picture);
}

static void
test_stubs (void)
{
  Picture picture = picture_new (20);
  SondeLayoutOptions options = { .max_span = 5 };

  for (guint i = 0; i + 1 < 20; i++)
    add_edge (&picture, i, i + 1);
  add_edges (&picture, "0-5 0-6 0-19");
  compute (&picture, &options);
  check (&picture);
  g_assert_false (edge_at (&picture, 19)->is_stub);
  g_assert_true (edge_at (&picture, 20)->is_stub);
  g_assert_true (edge_at (&picture, 21)->is_stub);
  picture_clear (&picture);
}

static void
test_sideways (void)
{
  Picture down = picture_new (9), right = picture_new (9);
  SondeLayoutOptions options = { .sideways = TRUE };

  for (guint i = 0; i < 9; i++)
    {
      right.boxes[i].width = down.boxes[i].height;
      right.boxes[i].height = down.boxes[i].width;
    }
  add_edges (&down, "0-1 0-2 1-3 2-3 0-3 3-4 5-4 4-8 8-8");
  add_edges (&right, "0-1 0-2 1-3 2-3 0-3 3-4 5-4 4-8 8-8");
  compute (&down, NULL);
  compute (&right, &options);
  g_assert_cmpfloat (down.layout->width, ==, right.layout->height);
  for (guint i = 0; i < 9; i++)
    {
      g_assert_cmpfloat (down.boxes[i].x, ==, right.boxes[i].y);
      g_assert_cmpfloat (down.boxes[i].y, ==, right.boxes[i].x);
    }
  for (guint i = 0; i < down.edges->len; i++)
    for (guint k = 0; k < edge_at (&down, i)->n_points; k++)
      g_assert_cmpfloat (edge_at (&down, i)->points[k].x, ==, edge_at (&right, i)->points[k].y);
  picture_clear (&down);
  picture_clear (&right);
}

static void
test_empty (void)
{
  Picture picture = picture_new (0);
  Picture one = picture_new (1);

  compute (&picture, NULL);
  g_assert_cmpfloat (picture.layout->width, ==, 0);
  compute (&one, NULL);
  check (&one);
  g_assert_cmpfloat (one.layout->width, ==, one.boxes[0].width);
  picture_clear (&picture);
  picture_clear (&one);
}

/* ---- random graphs ------------------------------------------------------- */

/* Each box reads up to three of the @window boxes before it. */
static Picture
random_picture (guint n, guint window, GRand *rand)
{
  Picture picture = picture_new (n);

  for (guint i = 1; i < n; i++)
    for (int k = g_rand_int_range (rand, 0, 4); k > 0; k--)
      add_edge (&picture,
                (guint) g_rand_int_range (rand, i > window ? (gint32) (i - window) : 0, (gint32) i),
                i);
  return picture;
}

static void
test_random (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (11);

  for (int round = 0; round < 150; round++)
    {
      guint n = (guint) g_rand_int_range (rand, 1, 120);
      Picture picture = random_picture (n, (guint) g_rand_int_range (rand, 1, 30), rand);

      compute (&picture, NULL);
      check (&picture);
      picture_clear (&picture);
    }
}

static void
test_same_again (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (12), again = g_rand_new_with_seed (12);
  Picture first = random_picture (400, 20, rand), second = random_picture (400, 20, again);

  compute (&first, NULL);
  compute (&second, NULL);
  for (guint i = 0; i < 400; i++)
    {
      g_assert_cmpfloat (first.boxes[i].x, ==, second.boxes[i].x);
      g_assert_cmpfloat (first.boxes[i].y, ==, second.boxes[i].y);
    }
  g_assert_cmpuint (first.layout->n_crossings, ==, second.layout->n_crossings);
  compute (&second, NULL); /* what came out the last time does not go in */
  for (guint i = 0; i < 400; i++)
    g_assert_cmpfloat (first.boxes[i].x, ==, second.boxes[i].x);
  picture_clear (&first);
  picture_clear (&second);
}

/* ---- size ---------------------------------------------------------------- */

static void
time_layout (Picture *picture, const char *what)
{
  gint64 start = g_get_monotonic_time ();

  compute (picture, NULL);
  g_test_message ("%s: %u boxes, %u edges, %" G_GUINT64_FORMAT " crossings, %.0f ms", what,
                  picture->n_boxes, picture->edges->len, picture->layout->n_crossings,
                  (double) (g_get_monotonic_time () - start) / 1e3);
}

static void
test_long_chain (void)
{
  Picture picture = picture_new (100000);

  for (guint i = 0; i + 1 < picture.n_boxes; i++)
    add_edge (&picture, i, i + 1);
  time_layout (&picture, "chain");
  check (&picture);
  picture_clear (&picture);
}

/* Decoder blocks as exporters write them; three values are read by every block. */
static void
test_decoder (void)
{
  const guint block = 50, n_blocks = 200;
  Picture picture = picture_new (3 + block * n_blocks);

  for (guint b = 0; b < n_blocks; b++)
    {
      guint base = 3 + b * block;

      for (guint i = 0; i < block; i++)
        if (base + i > 3)
          add_edge (&picture, base + i - 1, base + i);
      for (guint i = 0; i + 12 < block; i += 6)
        add_edge (&picture, base + i, base + i + 11);
      for (guint i = 0; i < 3; i++)
        add_edge (&picture, i, base + 5 * i + 4);
    }
  time_layout (&picture, "decoder");
  check (&picture);
  picture_clear (&picture);
}

static void
test_wide (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (13);
  Picture local = random_picture (10000, 40, rand), spread = random_picture (10000, 10000, rand);

  time_layout (&local, "local");
  check (&local);
  time_layout (&spread, "spread");
  check (&spread);
  picture_clear (&local);
  picture_clear (&spread);
}

static void
test_star (void)
{
  Picture picture = picture_new (20001);

  for (guint i = 1; i < picture.n_boxes; i++)
    add_edge (&picture, i % 2 ? 0 : i, i % 2 ? i : 0);
  time_layout (&picture, "star");
  check_boxes (&picture);
  picture_clear (&picture);
}

static void
test_many_parts (void)
{
  Picture picture = picture_new (20000);

  for (guint i = 0; i < picture.n_boxes; i += 2)
    add_edge (&picture, i, i + 1);
  time_layout (&picture, "pairs");
  check (&picture);
  g_assert_cmpfloat (picture.layout->width, <, 10 * picture.layout->height);
  picture_clear (&picture);
}

/* ---- errors -------------------------------------------------------------- */

static void
test_invalid (void)
{
  g_autoptr (GError) error = NULL;
  SondeLayoutBox boxes[] = { { .width = 1, .height = 1 }, { .width = 1, .height = NAN } };
  SondeLayoutEdge edges[] = { { .from = 0, .to = 2 } };

  g_assert_null (sonde_graph_layout_compute (boxes, 1, edges, 1, NULL, NULL, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID);
  g_assert_nonnull (strstr (error->message, "edge 0"));
  g_clear_error (&error);
  g_assert_null (sonde_graph_layout_compute (boxes, 2, NULL, 0, NULL, NULL, &error));
  g_assert_nonnull (strstr (error->message, "box 1"));
}

static void
test_cancelled (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GRand) rand = g_rand_new_with_seed (14);
  _Atomic gboolean cancelled = TRUE;
  Picture picture = random_picture (1000, 30, rand);

  g_assert_null (sonde_graph_layout_compute (picture.boxes, picture.n_boxes, edge_at (&picture, 0),
                                             picture.edges->len, NULL, &cancelled, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_CANCELLED);
  picture_clear (&picture);
}

/* ---- for frames ---------------------------------------------------------- */

/* 0 → 1 → 2 → 3, 0 → 3, 4 → 3, 1 → 5: 0 and 4 stand first, 5 last. */
static void
test_pins (void)
{
  Picture picture = picture_new (6);

  add_edge (&picture, 0, 1);
  add_edge (&picture, 1, 2);
  add_edge (&picture, 2, 3);
  add_edge (&picture, 0, 3);
  add_edge (&picture, 4, 3);
  add_edge (&picture, 1, 5);
  picture.boxes[0].pin = picture.boxes[4].pin = SONDE_LAYOUT_FIRST;
  picture.boxes[5].pin = SONDE_LAYOUT_LAST;
  compute (&picture, NULL);
  check_boxes (&picture);
  for (guint i = 0; i < picture.edges->len; i++)
    check_edge (&picture, edge_at (&picture, i));
  g_assert_cmpuint (picture.boxes[0].layer, ==, 0);
  g_assert_cmpuint (picture.boxes[4].layer, ==, 0); /* without a pin it would stand above 3 */
  g_assert_cmpuint (picture.boxes[5].layer, ==, 3);
  picture_clear (&picture);
}

/* 0 → 1 → 2, 0 → 3: 1 should stand last and cannot, as 2 reads it: a frame that is left and entered again. */
static void
test_pin_with_reader (void)
{
  Picture picture = picture_new (4);

  add_edge (&picture, 0, 1);
  add_edge (&picture, 1, 2);
  add_edge (&picture, 0, 3);
  picture.boxes[1].pin = picture.boxes[3].pin = SONDE_LAYOUT_LAST;
  compute (&picture, NULL);
  check_boxes (&picture);
  for (guint i = 0; i < picture.edges->len; i++)
    check_edge (&picture, edge_at (&picture, i));
  g_assert_cmpuint (picture.boxes[1].layer, ==, 1);
  g_assert_cmpuint (picture.boxes[3].layer, ==, 2);
  picture_clear (&picture);
}

/* Two edges between the same boxes, each where it has to be. */
static void
test_rims (void)
{
  Picture picture = picture_new (2);

  add_edge (&picture, 0, 1);
  add_edge (&picture, 0, 1);
  add_edge (&picture, 0, 1);
  edge_at (&picture, 0)->to_at = 70;
  edge_at (&picture, 1)->to_at = 10;
  edge_at (&picture, 1)->from_at = 20;
  compute (&picture, NULL);
  for (guint i = 0; i < 3; i++)
    check_edge (&picture, edge_at (&picture, i));
  for (guint i = 0; i < 2; i++)
    {
      const SondeLayoutEdge *edge = edge_at (&picture, i);

      g_assert_cmpfloat_with_epsilon (edge->points[edge->n_points - 1].x,
                                      picture.boxes[1].x + edge->to_at, 1e-6);
    }
  g_assert_cmpfloat_with_epsilon (edge_at (&picture, 1)->points[0].x, picture.boxes[0].x + 20,
                                  1e-6);
  picture_clear (&picture);
}

/* A chain of which each box reads the first one: far ones do not have it drawn to them. */
static void
test_far (void)
{
  Picture picture = picture_new (30);
  SondeLayoutOptions options = { .far_span = 8, .n_far = 4 };

  for (guint i = 1; i < 30; i++)
    add_edge (&picture, i - 1, i);
  for (guint i = 2; i < 30; i++)
    add_edge (&picture, 0, i);
  add_edge (&picture, 1, 20); /* one of a kind */
  compute (&picture, &options);
  for (guint i = 29; i < 29 + 28; i++)
    g_assert_cmpint (edge_at (&picture, i)->is_stub, ==, edge_at (&picture, i)->to > 8);
  g_assert_false (edge_at (&picture, 29 + 28)->is_stub);
  picture_clear (&picture);
}

static void
test_row (void)
{
  Picture picture = picture_new (40);
  SondeLayoutOptions options = { .in_row = TRUE };

  compute (&picture, &options);
  check_boxes (&picture);
  for (guint i = 0; i < 40; i++)
    g_assert_cmpfloat (picture.boxes[i].y, ==, 0);
  picture_clear (&picture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viewers/layout/graph/chain", test_chain);
  g_test_add_func ("/viewers/layout/graph/skip", test_skip);
  g_test_add_func ("/viewers/layout/graph/crossings", test_crossings);
  g_test_add_func ("/viewers/layout/graph/shuffled-tree", test_shuffled_tree);
  g_test_add_func ("/viewers/layout/graph/constants", test_constants);
  g_test_add_func ("/viewers/layout/graph/light-tree", test_light_tree);
  g_test_add_func ("/viewers/layout/graph/doubled", test_doubled);
  g_test_add_func ("/viewers/layout/graph/parts", test_parts);
  g_test_add_func ("/viewers/layout/graph/cycle", test_cycle);
  g_test_add_func ("/viewers/layout/graph/stubs", test_stubs);
  g_test_add_func ("/viewers/layout/graph/sideways", test_sideways);
  g_test_add_func ("/viewers/layout/graph/empty", test_empty);
  g_test_add_func ("/viewers/layout/graph/random", test_random);
  g_test_add_func ("/viewers/layout/graph/same-again", test_same_again);
  g_test_add_func ("/viewers/layout/graph/long-chain", test_long_chain);
  g_test_add_func ("/viewers/layout/graph/decoder", test_decoder);
  g_test_add_func ("/viewers/layout/graph/wide", test_wide);
  g_test_add_func ("/viewers/layout/graph/star", test_star);
  g_test_add_func ("/viewers/layout/graph/many-parts", test_many_parts);
  g_test_add_func ("/viewers/layout/graph/pins", test_pins);
  g_test_add_func ("/viewers/layout/graph/pin-with-reader", test_pin_with_reader);
  g_test_add_func ("/viewers/layout/graph/rims", test_rims);
  g_test_add_func ("/viewers/layout/graph/far", test_far);
  g_test_add_func ("/viewers/layout/graph/row", test_row);
  g_test_add_func ("/viewers/layout/graph/invalid", test_invalid);
  g_test_add_func ("/viewers/layout/graph/cancelled", test_cancelled);
  return g_test_run ();
}
