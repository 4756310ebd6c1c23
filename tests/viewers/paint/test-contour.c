/* SPDX-License-Identifier: Apache-2.0
 * Levels, heights between grid points, bands and lines of contours. */
#include <math.h>

#include "tests/support/sonde-test-image.h"
#include "viewers/paint/landscape/sonde-contour-labels.h"
#include "viewers/paint/landscape/sonde-surface.h"

#define N 9
#define WIDTH 420
#define HEIGHT 380

typedef struct
{
  double x[N], y[N], z[N * N];
  SondeContour contour;
} Fixture;

/* z = x + 10 y on [-1, 1] × [-1, 1]: the surface is a plane, so bilinear heights are exact. */
static void
set_up (Fixture *fixture)
{
  for (int i = 0; i < N; i++)
    fixture->x[i] = fixture->y[i] = -1 + 2.0 * i / (N - 1);
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++)
      fixture->z[i * N + k] = fixture->x[k] + 10 * fixture->y[i];
  fixture->contour = (SondeContour){
    .x = fixture->x,
    .y = fixture->y,
    .z = fixture->z,
    .n_x = N,
    .n_y = N,
    .chosen = -1,
    .end_x = NAN,
    .end_y = NAN,
    .x_low = -1,
    .x_high = 1,
    .y_low = -1,
    .y_high = 1,
    .z_title = "loss",
  };
}

static cairo_surface_t *
paint (const Fixture *fixture)
{
  cairo_surface_t *picture = sonde_test_image_new (WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (picture);

  sonde_paint_contour (cr, sonde_theme_get (FALSE), &fixture->contour, WIDTH, HEIGHT);
  cairo_destroy (cr);
  return picture;
}

static void
test_heights (void)
{
  Fixture fixture;

  set_up (&fixture);
  for (double x = -1; x <= 1; x += 0.13)
    for (double y = -1; y <= 1; y += 0.17)
      g_assert_cmpfloat_with_epsilon (sonde_contour_value_at (&fixture.contour, x, y), x + 10 * y,
                                      1e-12);
  g_assert_cmpfloat_with_epsilon (sonde_contour_value_at (&fixture.contour, 1, 1), 11, 1e-12);
  g_assert_true (isnan (sonde_contour_value_at (&fixture.contour, 1.01, 0)));
  fixture.z[0] = NAN;
  g_assert_true (isnan (sonde_contour_value_at (&fixture.contour, -0.9, -0.9)));
  g_assert_false (isnan (sonde_contour_value_at (&fixture.contour, 0.9, 0.9)));
}

static void
test_levels (void)
{
  Fixture fixture;
  SondeContourLevels levels;

  set_up (&fixture);
  g_assert_true (sonde_contour_find_levels (&fixture.contour, &levels));
  g_assert_false (levels.logarithmic);
  g_assert_cmpfloat (levels.low, ==, -11);
  g_assert_cmpfloat (levels.high, ==, 11);
  g_assert_cmpint (levels.n, >=, 4);
  for (int i = 1; i < levels.n; i++)
    g_assert_cmpfloat_with_epsilon (levels.levels[i] - levels.levels[i - 1],
                                    levels.levels[1] - levels.levels[0], 1e-9);

  for (int i = 0; i < N * N; i++)
    fixture.z[i] = pow (10, fixture.z[i] / 5); /* 4.4 decades */
  g_assert_true (sonde_contour_find_levels (&fixture.contour, &levels));
  g_assert_true (levels.logarithmic);
  g_assert_cmpint (levels.n, <=, SONDE_CONTOUR_MAX_LEVELS);
  for (int i = 2; i < levels.n; i++)
    g_assert_cmpfloat_with_epsilon (levels.levels[i] / levels.levels[i - 1],
                                    levels.levels[1] / levels.levels[0], 1e-9);

  for (int i = 0; i < N * N; i++)
    fixture.z[i] = NAN;
  g_assert_false (sonde_contour_find_levels (&fixture.contour, &levels));
  for (int i = 0; i < N * N; i++)
    fixture.z[i] = 3;
  g_assert_true (sonde_contour_find_levels (&fixture.contour, &levels));
  g_assert_cmpint (levels.n, ==, 0);
}

/* Dark at the bottom, bright at the top, as many bands on the way up as levels say. */
static void
test_bands (void)
{
  Fixture fixture;
  cairo_surface_t *picture;
  cairo_rectangle_t area;
  int x, n_changes = 0, n_levels = 0;
  guint32 before;
  SondeContourLevels levels;

  set_up (&fixture);
  sonde_contour_find_levels (&fixture.contour, &levels);
  picture = paint (&fixture);
  sonde_contour_get_area (WIDTH, HEIGHT, &area);
  x = (int) (area.x + area.width * 0.95); /* beside the values, which stand in the middle */
  g_assert_cmpint (sonde_test_image_distance (picture, (int) area.x + 16,
                                              (int) (area.y + area.height) - 3, 0x440154),
                   <, 12);
  g_assert_cmpint (sonde_test_image_distance (picture, (int) (area.x + area.width) - 5,
                                              (int) area.y + 4, 0xfde725),
                   <, 12);
  before = sonde_test_image_get (picture, x, (int) area.y + 4);
  for (int y = (int) area.y + 5; y < (int) (area.y + area.height) - 4; y++)
    {
      guint32 color = sonde_test_image_get (picture, x, y);

      /* A line darkens its pixels; what counts is the colour behind it. */
      if (color == sonde_test_image_get (picture, x, y + 1)
          && color == sonde_test_image_get (picture, x, y - 1) && color != before)
        {
          n_changes++;
          before = color;
        }
    }
  for (int i = 0; i < levels.n; i++)
    n_levels += fabs (levels.levels[i] - 0.9)
                < 9.5; /* in that column the heights go from -9.1 to 10.9 */
  g_assert_cmpint (n_levels, >=, 3);
  g_assert_cmpint (n_changes, ==, n_levels);
  cairo_surface_destroy (picture);
}

/* Lines of x + 10 y: straight, one a level, from side to side, and where they belong. */
static void
test_lines (void)
{
  Fixture fixture;
  g_autoptr (SondeContourLines) lines = NULL, none = NULL;
  const SondeContourLine *line;

  set_up (&fixture);
  lines = sonde_contour_lines_new (fixture.z, N, N, 2.25);
  g_assert_cmpuint (lines->lines->len, ==, 1);
  line = &g_array_index (lines->lines, SondeContourLine, 0);
  g_assert_cmpuint (line->n, ==, lines->points->len);
  for (guint i = 0; i < line->n; i++)
    {
      const SondeContourPoint *point = &g_array_index (lines->points, SondeContourPoint, i);

      g_assert_cmpfloat_with_epsilon (-1 + point->x / 4 + 10 * (-1 + point->y / 4), 2.25, 1e-9);
    }
  none = sonde_contour_lines_new (fixture.z, N, N, 12);
  g_assert_cmpuint (none->lines->len, ==, 0);
}

static guint
count_closed (const SondeContourLines *lines)
{
  guint n = 0;

  for (guint i = 0; i < lines->lines->len; i++)
    {
      const SondeContourLine *line = &g_array_index (lines->lines, SondeContourLine, i);
      const SondeContourPoint *points
          = (const SondeContourPoint *) (void *) lines->points->data + line->first;

      n += line->n > 4 && points[0].x == points[line->n - 1].x
           && points[0].y == points[line->n - 1].y;
    }
  return n;
}

/* Around two hills: two lines, each back where it began; none around what is unknown. */
static void
test_closed_lines (void)
{
  Fixture fixture;
  g_autoptr (SondeContourLines) lines = NULL, broken = NULL;

  set_up (&fixture);
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++)
      fixture.z[i * N + k] = exp (-hypot (k - 2.3, i - 2.2)) + exp (-hypot (k - 6.2, i - 6.1));
  lines = sonde_contour_lines_new (fixture.z, N, N, 0.4);
  g_assert_cmpuint (lines->lines->len, ==, 2);
  g_assert_cmpuint (count_closed (lines), ==, 2);
  fixture.z[2 * N + 2] = NAN;
  broken = sonde_contour_lines_new (fixture.z, N, N, 0.4);
  g_assert_cmpuint (count_closed (broken), ==, 1);
}

/* As many digits at the ends as between them. */
static void
test_digits (void)
{
  Fixture fixture;
  SondeContourLevels levels;
  g_autofree char *low = NULL, *high = NULL;

  set_up (&fixture);
  for (int i = 0; i < N * N; i++)
    fixture.z[i] = 2.3 + fixture.z[i] * 5e-5;
  sonde_contour_find_levels (&fixture.contour, &levels);
  low = sonde_contour_format (&levels, levels.low);
  high = sonde_contour_format (&levels, levels.high);
  g_assert_cmpstr (low, ==, "2.29945");
  g_assert_cmpstr (high, ==, "2.30055");
  g_assert_cmpfloat (levels.lowest_x, ==, -1);
  g_assert_cmpfloat (levels.lowest_y, ==, -1);
}

/* A scale that was chosen holds; where a height is not positive it cannot. */
static void
test_scale (void)
{
  Fixture fixture;
  SondeContourLevels levels;

  set_up (&fixture);
  fixture.contour.scale = SONDE_CONTOUR_LOGARITHMIC;
  sonde_contour_find_levels (&fixture.contour, &levels);
  g_assert_false (levels.logarithmic);
  for (int i = 0; i < N * N; i++)
    fixture.z[i] += 12;
  sonde_contour_find_levels (&fixture.contour, &levels);
  g_assert_true (levels.logarithmic);
  g_assert_cmpint (levels.n, >=, 7);
  fixture.contour.scale = SONDE_CONTOUR_LINEAR;
  for (int i = 0; i < N * N; i++)
    fixture.z[i] = pow (10, fixture.z[i]);
  sonde_contour_find_levels (&fixture.contour, &levels);
  g_assert_false (levels.logarithmic);
}

/* Limits for several surfaces: levels and colours follow them, what is lowest does not. */
static void
test_shared_limits (void)
{
  Fixture fixture;
  SondeContourLevels own, shared;

  set_up (&fixture);
  sonde_contour_find_levels (&fixture.contour, &own);
  fixture.contour.level_low = -40;
  fixture.contour.level_high = 40;
  g_assert_true (sonde_contour_find_levels (&fixture.contour, &shared));
  g_assert_cmpfloat (shared.low, ==, -40);
  g_assert_cmpfloat (shared.high, ==, 40);
  g_assert_cmpfloat (shared.least, ==, -11);
  g_assert_cmpfloat (shared.largest, ==, 11);
  g_assert_cmpfloat (shared.lowest_x, ==, -1);
  g_assert_cmpfloat (shared.levels[1] - shared.levels[0], >, own.levels[1] - own.levels[0]);
}

/* A long straight line has its value once in the middle, turned with it, and none where a mark stands. */
static void
test_labels (void)
{
  static const cairo_rectangle_t area = { 0, 0, 400, 300 };
  SondeContourPoint points[41];
  SondeContourLine line = { 0, 41 };
  SondeContourLines lines
      = { g_array_new (FALSE, FALSE, sizeof *points), g_array_new (FALSE, FALSE, sizeof line) };
  g_autoptr (GArray) labels = sonde_contour_labels_new (), beside = sonde_contour_labels_new ();
  const SondeContourLabel *label;

  for (int i = 0; i < 41; i++)
    points[i] = (SondeContourPoint){ 50 + 7.5 * i, 40 + 5 * i };
  g_array_append_vals (lines.points, points, 41);
  g_array_append_val (lines.lines, line);
  sonde_contour_labels_add (labels, &lines, "0.50", 3, &area, NULL, 0);
  g_assert_cmpuint (labels->len, ==, 1);
  label = &g_array_index (labels, SondeContourLabel, 0);
  g_assert_cmpstr (label->text, ==, "0.50");
  g_assert_cmpint (label->level, ==, 3);
  g_assert_cmpfloat_with_epsilon (label->x, 200, 12);
  g_assert_cmpfloat_with_epsilon (label->angle, atan2 (5, 7.5), 1e-6);
  sonde_contour_labels_add (beside, &lines, "0.50", 3, &area, &points[20], 1);
  g_assert_cmpuint (beside->len, ==, 1);
  label = &g_array_index (beside, SondeContourLabel, 0);
  g_assert_cmpfloat (hypot (label->x - 200, label->y - 140), >, label->width / 2 + 20);
  g_array_unref (lines.points);
  g_array_unref (lines.lines);
}

static void
test_path_and_nothing (void)
{
  static const double path_x[] = { -0.8, 0.2, 0.6 }, path_y[] = { 0.8, 0.1, -0.5 };
  Fixture fixture;
  cairo_surface_t *without, *with, *message;
  cairo_rectangle_t area;
  int x, y;

  set_up (&fixture);
  without = paint (&fixture);
  fixture.contour.path_x = path_x;
  fixture.contour.path_y = path_y;
  fixture.contour.n_path = 3;
  fixture.contour.end_x = 0.6;
  fixture.contour.end_y = -0.5;
  with = paint (&fixture);
  sonde_contour_get_area (WIDTH, HEIGHT, &area);
  x = (int) (area.x + area.width * 0.6);
  y = (int) (area.y + area.height * 0.45);
  g_assert_true (sonde_test_image_has (with, x - 4, y - 4, 8, 8, 0xffffff, 30));
  g_assert_false (sonde_test_image_has (without, x - 4, y - 4, 8, 8, 0xffffff, 30));
  fixture.contour.message = "Nothing here";
  message = paint (&fixture);
  g_assert_cmpint (sonde_test_image_count_ink (message, 0, 0, WIDTH, HEIGHT / 2 - 12), ==, 0);
  g_assert_cmpint (sonde_test_image_count_ink (message, 0, HEIGHT / 2 - 12, WIDTH, 24), >, 20);
  cairo_surface_destroy (without);
  cairo_surface_destroy (with);
  cairo_surface_destroy (message);
}

/* ---- in space ------------------------------------------------------------ */

/* From above the surface lies as the map does: right is right, up is up. */
static void
test_from_above (void)
{
  static const SondeSurfaceCamera above = { 0, 90, 1 };
  Fixture fixture;
  double left, right, low, high, px, py, x, y;

  set_up (&fixture);
  g_assert_true (
      sonde_surface_place (&fixture.contour, &above, WIDTH, HEIGHT, -0.5, -0.5, &left, &low));
  g_assert_true (
      sonde_surface_place (&fixture.contour, &above, WIDTH, HEIGHT, 0.5, 0.5, &right, &high));
  g_assert_cmpfloat (left, <, right);
  g_assert_cmpfloat (low, >, high);
  g_assert_cmpfloat_with_epsilon (right - left, low - high, 1e-6);
  g_assert_true (
      sonde_surface_place (&fixture.contour, &above, WIDTH, HEIGHT, 0.25, -0.75, &px, &py));
  g_assert_true (sonde_surface_pick (&fixture.contour, &above, WIDTH, HEIGHT, px + 1, py, &x, &y));
  g_assert_cmpfloat (x, ==, 0.25);
  g_assert_cmpfloat (y, ==, -0.75);
  g_assert_false (sonde_surface_pick (&fixture.contour, &above, WIDTH, HEIGHT, 1, 1, &x, &y));
}

/* A ridge in the middle hides what is behind it, from either side, but not its own top. */
static void
test_hidden (void)
{
  static const SondeSurfaceCamera front = { 0, 15, 1 }, back = { 180, 15, 1 };
  Fixture fixture;
  double px, py;

  set_up (&fixture);
  for (int i = 0; i < N * N; i++)
    fixture.z[i] = i / N == N / 2 ? 1 : 0;
  g_assert_true (sonde_surface_place (&fixture.contour, &front, WIDTH, HEIGHT, 0, -0.9, &px, &py));
  g_assert_false (sonde_surface_place (&fixture.contour, &front, WIDTH, HEIGHT, 0, 0.5, &px, &py));
  g_assert_true (sonde_surface_place (&fixture.contour, &front, WIDTH, HEIGHT, 0, 0, &px, &py));
  g_assert_false (sonde_surface_place (&fixture.contour, &back, WIDTH, HEIGHT, 0, -0.5, &px, &py));
  g_assert_true (sonde_surface_place (&fixture.contour, &back, WIDTH, HEIGHT, 0, 0.9, &px, &py));
  fixture.z[0] = NAN;
  g_assert_false (sonde_surface_place (&fixture.contour, &front, WIDTH, HEIGHT, -1, -1, &px, &py));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viewers/paint/contour/heights", test_heights);
  g_test_add_func ("/viewers/paint/contour/levels", test_levels);
  g_test_add_func ("/viewers/paint/contour/bands", test_bands);
  g_test_add_func ("/viewers/paint/contour/path", test_path_and_nothing);
  g_test_add_func ("/viewers/paint/contour/lines", test_lines);
  g_test_add_func ("/viewers/paint/contour/closed-lines", test_closed_lines);
  g_test_add_func ("/viewers/paint/contour/digits", test_digits);
  g_test_add_func ("/viewers/paint/contour/scale", test_scale);
  g_test_add_func ("/viewers/paint/contour/labels", test_labels);
  g_test_add_func ("/viewers/paint/contour/from-above", test_from_above);
  g_test_add_func ("/viewers/paint/contour/hidden", test_hidden);
  g_test_add_func ("/viewers/paint/contour/shared-limits", test_shared_limits);
  return g_test_run ();
}
