/* SPDX-License-Identifier: Apache-2.0
 * Each painter once, light and dark, against a reference image that a person has looked at. After
 * a change that is meant: SONDE_WRITE_REFERENCES=1 meson test -C build viewers/paint/references,
 * then look at what git says. */
#include <math.h>

#include "tests/support/sonde-test-image.h"
#include "viewers/paint/sonde-box-paint.h"
#include "viewers/paint/sonde-chart-sheet.h"
#include "viewers/paint/sonde-color-map.h"
#include "viewers/paint/sonde-confusion-paint.h"
#include "viewers/paint/landscape/sonde-surface.h"
#include "viewers/paint/curve/sonde-cursor-paint.h"
#include "viewers/paint/curve/sonde-value-sheet.h"
#include "viewers/paint/distribution/sonde-distribution.h"
#include "viewers/paint/graph/sonde-graph-tint.h"
#include "viewers/paint/media/sonde-image-pair.h"
#include "viewers/paint/sonde-map-paint.h"
#include "viewers/paint/profile/sonde-memory-paint.h"
#include "viewers/paint/sonde-mesh.h"
#include "viewers/paint/sonde-probability-paint.h"
#include "viewers/paint/sonde-radar.h"
#include "viewers/paint/sonde-scatter.h"
#include "viewers/paint/sonde-tensor-image.h"
#include "viewers/paint/sonde-wave.h"

typedef void (*Painter) (cairo_t *cr, const SondeTheme *theme, int width, int height);

/* ---- charts -------------------------------------------------------------- */

#define N_POINTS 60

static void
fill_points (SondeChartBucket *points, double phase)
{
  for (int i = 0; i < N_POINTS; i++)
    {
      double y = exp (-i / 20.0) * (1 + 0.2 * sin (i + phase)) + 0.05 * phase;

      points[i] = (SondeChartBucket){
        .x0 = i, .x1 = i, .min = y - 0.02, .max = y + 0.02, .first = y, .last = y, .count = 1
      };
    }
}

static SondeChart
make_chart (const SondeTheme *theme, SondeAxisKind kind, SondeChartBucket points[2][N_POINTS],
            SondeChartSeries series[2])
{
  for (int k = 0; k < 2; k++)
    {
      fill_points (points[k], k);
      series[k] = (SondeChartSeries){ .stroke = sonde_theme_series (theme, (guint) k),
                                      .raw = points[k],
                                      .n_raw = N_POINTS };
    }
  return (SondeChart){ .x = { SONDE_AXIS_STEP, 0, N_POINTS - 1, "step" },
                       .y = { kind, kind == SONDE_AXIS_LOG ? -2 : 0,
                              kind == SONDE_AXIS_LOG ? 0.2 : 1.25, "loss" },
                       .series = series,
                       .n_series = 2 };
}

static void
paint_chart (cairo_t *cr, const SondeTheme *theme, int width, int height)
{
  SondeChartBucket points[2][N_POINTS];
  SondeChartSeries series[2];
  SondeChart chart = make_chart (theme, SONDE_AXIS_LINEAR, points, series);

  sonde_paint_chart (cr, theme, &chart, width, height);
}

/* Labels that have no room even with an exponent each: the power of ten stands above them. */
static void
paint_tiny_chart (cairo_t *cr, const SondeTheme *theme, int width, int height)
{
  SondeChartBucket points[2][N_POINTS];
  SondeChartSeries series[2];
  SondeChart chart = make_chart (theme, SONDE_AXIS_LINEAR, points, series);

  for (int i = 0; i < N_POINTS; i++)
    {
      double y = -5e-5 + 1e-5 * sin (i / 9.0);

      points[0][i] = (SondeChartBucket){
        .x0 = i, .x1 = i, .min = y, .max = y, .first = y, .last = y, .count = 1
      };
    }
  chart.n_series = 1;
  chart.y = (SondeAxis){ SONDE_AXIS_LINEAR, -6.1e-5, -3.9e-5, NULL };
  sonde_paint_chart (cr, theme, &chart, width, height);
}

static void
paint_sheet (cairo_t *cr, const SondeTheme *theme, int width, int height)
{
  SondeChartBucket points[2][2][N_POINTS];
  SondeChartSeries series[2][2];
  SondeChartPanel panels[]
      = { { "loss", make_chart (theme, SONDE_AXIS_LINEAR, points[0], series[0]) },
          { "loss, logarithmic", make_chart (theme, SONDE_AXIS_LOG, points[1], series[1]) } };
  SondeLegendEntry entries[]
      = { { "run a", sonde_theme_series (theme, 0) }, { "run b", sonde_theme_series (theme, 1) } };
  SondeChartSheet sheet = { panels, 2, entries, 2 };

  sonde_paint_chart_sheet (cr, theme, &sheet, width, height);
}

/* A and B with the table below, as an image for a file has them. */
static void
paint_cursors (cairo_t *cr, const SondeTheme *theme, int width, int height)
{
  static const char *const titles[] = { "At A", "At B", "B − A" };
  static const char *const cells[][3]
      = { { "0.8519", "0.1713", "-0.6806" }, { "0.9047", "– ended at 31", "–" } };
  g_autoptr (SondeValueSheet) sheet
      = sonde_value_sheet_new ("A: step 5 · B: step 40", titles, G_N_ELEMENTS (titles));
  int room = sonde_value_sheet_measure (2, TRUE);
  cairo_rectangle_t area;

  for (guint i = 0; i < 2; i++)
    {
      SondeStroke stroke = sonde_theme_series (theme, i);

      sonde_value_sheet_take (sheet, &stroke, i == 0 ? "run a" : "run b",
                              g_strdupv ((char *[]){ (char *) cells[i][0], (char *) cells[i][1],
                                                     (char *) cells[i][2], NULL }));
    }
  sheet->n_left_out = 3;
  paint_chart (cr, theme, width, height - room);
  sonde_chart_get_area (width, height - room, &area);
  sonde_paint_cursors (cr, theme, &area,
                       &(SondeCursors){ area.x + area.width * 5 / (N_POINTS - 1),
                                        area.x + area.width * 40 / (N_POINTS - 1), TRUE, TRUE });
  sonde_paint_value_sheet (cr, theme, sheet, 0, height - room, width);
}

/* Scrolled to the second name, the third one hidden, the keys at the fourth. */
static void
paint_legend (cairo_t *cr, const SondeTheme *theme, int width, int height)
{
  static const char *const names[] = { "first", "baseline", "larger batch", "rate 0.1", "ninth" };
  SondeLegendEntry entries[12];

  for (guint i = 0; i < G_N_ELEMENTS (entries); i++)
    entries[i] = (SondeLegendEntry){ .label = names[i % G_N_ELEMENTS (names)],
                                     .stroke = sonde_theme_series (theme, 2 * i),
                                     .is_hidden = i == 2,
                                     .has_focus = i == 3 };
  sonde_paint_legend_from (cr, theme, entries, G_N_ELEMENTS (entries), 1, 8, 4, width - 16, 2);
}

static void
paint_wave (cairo_t *cr, const SondeTheme *theme, int width, int height)
{
  float samples[4000];
  SondeWave wave = { .samples = samples, .n_frames = 4000, .n_channels = 1, .rate = 8000 };

  for (int i = 0; i < 4000; i++)
    samples[i] = (float) (sin (i * 0.05) * exp (-i / 1500.0));
  wave.high = 0.5;
  wave.color = sonde_theme_series (theme, 0).color;
  sonde_paint_wave (cr, theme, &wave, width, height);
}

/* ---- distributions ------------------------------------------------------- */

#define N_ROWS 8

static void
paint_distribution (cairo_t *cr, const SondeTheme *theme, SondeDistributionKind kind, int width,
                    int height)
{
  SondeDistributionRow rows[N_ROWS];
  SondeBins *bins[N_ROWS];
  SondeDistribution distribution = { .kind = kind, .rows = rows, .n_rows = N_ROWS };

  for (int r = 0; r < N_ROWS; r++)
    {
      SondeShape shape = sonde_shape_make (1, 2000);
      g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F64, &shape);
      g_autofree SondeHistogram *histogram = g_new0 (SondeHistogram, 1);

      for (int i = 0; i < 2000; i++)
        ((double *) tensor->data)[i] = 0.2 * r + (0.3 + 0.1 * r) * sin (i * 0.7) * cos (i * 0.31);
      sonde_histogram_init (histogram);
      sonde_histogram_add (histogram, tensor);
      rows[r].step = 100 * r;
      rows[r].bins = bins[r] = sonde_bins_from_histogram (histogram);
    }
  distribution.color = sonde_theme_series (theme, 0).color;
  sonde_distribution_get_range (rows, N_ROWS, &distribution.x_low, &distribution.x_high);
  if (kind != SONDE_DISTRIBUTION_RIDGES)
    {
      distribution.y_low = distribution.x_low;
      distribution.y_high = distribution.x_high;
      distribution.x_low = 0;
      distribution.x_high = 100 * (N_ROWS - 1);
    }
  sonde_paint_distribution (cr, theme, &distribution, width, height);
  for (int r = 0; r < N_ROWS; r++)
    sonde_bins_free (bins[r]);
}

static void
paint_ridges (cairo_t *cr, const SondeTheme *theme, int width, int height)
{
  paint_distribution (cr, theme, SONDE_DISTRIBUTION_RIDGES, width, height);
}

static void
paint_heat (cairo_t *cr, const SondeTheme *theme, int width, int height)
{
  paint_distribution (cr, theme, SONDE_DISTRIBUTION_HEAT, width, height);
}

static void
paint_bands (cairo_t *cr, const SondeTheme *theme, int width, int height)
{
  paint_distribution (cr, theme, SONDE_DISTRIBUTION_BANDS, width, height);
}

/* ---- planes and points --------------------------------------------------- */

#define SIDE 17

/* x² + 2 y² with a path down to the middle, from above or in space. */
static void
paint_landscape (cairo_t *cr, const SondeTheme *theme, int width, int height, gboolean solid)
{
  static const SondeSurfaceCamera camera = { 35, 35, 1 };
  static const double path[] = { 0.9, 0.6, 0.2, 0 };
  static const char *const labels[] = { "step 0", "step 10", "step 20", "step 30" };
  double axis[SIDE], z[SIDE * SIDE];
  SondeContour contour = { .x = axis,
                           .y = axis,
                           .z = z,
                           .n_x = SIDE,
                           .n_y = SIDE,
                           .path_x = path,
                           .path_y = path,
                           .n_path = 4,
                           .path_labels = labels,
                           .chosen = 2,
                           .end_label = "step 30: loss 0",
                           .x_low = -1,
                           .x_high = 1,
                           .y_low = -1,
                           .y_high = 1,
                           .x_title = "x",
                           .y_title = "y",
                           .z_title = "loss" };

  for (int i = 0; i < SIDE; i++)
    axis[i] = -1 + 2.0 * i / (SIDE - 1);
  for (int i = 0; i < SIDE * SIDE; i++)
    z[i] = pow (axis[i % SIDE], 2) + 2 * pow (axis[i / SIDE], 2);
  if (solid)
    sonde_paint_surface (cr, theme, &contour, &camera, width, height);
  else
    sonde_paint_contour (cr, theme, &contour, width, height);
}

static void
paint_contour (cairo_t *cr, const SondeTheme *theme, int width, int height)
{
  paint_landscape (cr, theme, width, height, FALSE);
}

static void
paint_surface (cairo_t *cr, const SondeTheme *theme, int width, int height)
{
  paint_landscape (cr, theme, width, height, TRUE);
}

static void
paint_mesh (cairo_t *cr, const SondeTheme *theme, int width, int height)
{
  static const float vertices[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  static const gint32 faces[] = { 0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3 };
  SondeMesh mesh = { .vertices = vertices,
                     .n_vertices = 4,
                     .faces = faces,
                     .n_faces = 4,
                     .yaw = 30,
                     .pitch = 20,
                     .zoom = 1 };

  sonde_paint_mesh (cr, theme, &mesh, width, height);
}

static void
paint_scatter (cairo_t *cr, const SondeTheme *theme, int width, int height)
{
  static const char *const names[] = { "cat", "dog", "emu" };
  double xy[2 * 90];
  int kinds[90];
  SondeScatter scatter = { .xy = xy, .n_points = 90, .kinds = kinds, .n_kinds = 3, .names = names };

  for (int i = 0; i < 90; i++)
    {
      kinds[i] = i % 3;
      xy[2 * i] = width * (0.2 + 0.25 * (i % 3) + 0.1 * sin (i * 1.7));
      xy[2 * i + 1] = height * (0.5 + 0.35 * cos (i * 2.3));
    }
  sonde_paint_scatter (cr, theme, &scatter);
  sonde_paint_scatter_ring (cr, theme, xy[0], xy[1]);
  sonde_paint_scatter_legend (cr, theme, &scatter, width - 6, 6);
}

static void
paint_radar (cairo_t *cr, const SondeTheme *theme, int width, int height)
{
  static const char *const axes[] = { "deletion", "insertion", "sensitivity", "sparsity", "time" };
  static const char *const names[] = { "gradient", "LRP" };
  static const double values[] = { 0.9, 0.5, 0.25, 1, 0.7, 0.4, NAN, 0.8, 0.3, 0.6 };
  SondeRadar radar = { axes, names, 5, 2, values, NULL, 0 };

  sonde_paint_radar (cr, theme, &radar, 0, 0, width, height);
}

/* ---- images and tensors -------------------------------------------------- */

static SondeImage *
make_image (int phase)
{
  SondeImage *image = sonde_image_new (16, 12, 3);

  for (int i = 0; i < 16 * 12 * 3; i++)
    image->pixels[i] = (guint8) ((i * 13 + phase * 90) % 256);
  return image;
}

static SondeTensor *
make_plane (int rows, int columns)
{
  SondeShape shape = sonde_shape_make (2, rows, columns);
  SondeTensor *plane = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (int i = 0; i < rows * columns; i++)
    ((float *) plane->data)[i] = (float) sin (i * 0.4) * (float) (i % columns) / (float) columns;
  ((float *) plane->data)[5] = NAN;
  return plane;
}

static void
paint_map (cairo_t *cr, const SondeTheme *theme, int width, int height)
{
  g_autoptr (SondeImage) image = make_image (0);
  g_autoptr (SondeTensor) map = make_plane (12, 16);
  SondeMapImage drawing = { .image = image, .map = map, .blend = 0.8 };

  sonde_paint_map (cr, theme, &drawing, 0, 0, width, height);
}

static void
paint_tensor (cairo_t *cr, const SondeTheme *theme, int width, int height)
{
  g_autoptr (SondeTensor) tensor = make_plane (9, 16);
  g_autoptr (SondeTensorImage) drawing = sonde_tensor_image_new (tensor);

  sonde_paint_tensor (cr, theme, drawing, 0, 0, width, height);
}

static void
paint_boxes (cairo_t *cr, const SondeTheme *theme, int width, int height)
{
  static const SondeBox boxes[] = { { 1, 1, 5, 4 }, { 8, 5, 6, 6 } };
  g_autoptr (SondeImage) image = make_image (0);
  SondeBoxImage drawing = { .image = image, .boxes = boxes, .n_boxes = 2, .newest = 1 };

  sonde_paint_boxes (cr, theme, &drawing, 0, 0, width, height);
}

static void
paint_box_trace (cairo_t *cr, const SondeTheme *theme, int width, int height)
{
  static const double values[] = { 0.92, 0.9, 0.71, 0.7, 0.35, 0.1 };
  SondeBoxTrace trace = { values, 6, 4, 0.5, "p(“cat”)" };

  sonde_paint_box_trace (cr, theme, &trace, 8, 12, width - 16, height - 16);
}

static void
paint_color_legends (cairo_t *cr, const SondeTheme *theme, int width, int height)
{
  for (int map = 0; map < SONDE_N_COLOR_MAPS; map++)
    sonde_paint_color_legend (cr, theme, (SondeColorMap) map, -1.5, 1.5, 20, 8 + 36 * map,
                              width - 40, 10);
}

/* ---- memory -------------------------------------------------------------- */

/* Six steps of a training in 12 KiB; what is made in step 1 is kept for the last. */
static void
paint_memory (cairo_t *cr, const SondeTheme *theme, SondeMemoryPlotKind kind, int width, int height)
{
  static const SondeLifetime lifetimes[] = {
    { "w", NULL, NULL, NULL, NULL, SONDE_MEMORY_OF_WEIGHT, 0, 2048, 0, 5 },
    { "m", NULL, NULL, NULL, NULL, SONDE_MEMORY_OF_OPTIMISER, 2048, 2048, 0, 5 },
    { "x", NULL, NULL, NULL, NULL, SONDE_MEMORY_OF_INPUT, 4096, 1024, 0, 5 },
    { "a", "relu", NULL, "relu.grad", NULL, SONDE_MEMORY_OF_ACTIVATION, 5120, 4096, 1, 4 },
    { "b", "conv", NULL, "loss", NULL, SONDE_MEMORY_OF_ACTIVATION, 9216, 2048, 2, 3 },
    { "workspace(conv)", "conv", NULL, NULL, NULL, SONDE_MEMORY_OF_WORKSPACE, 11264, 1024, 2, 2 },
    { "grad(b)", "loss", NULL, "conv.grad", NULL, SONDE_MEMORY_OF_GRADIENT, 11264, 1024, 3, 4 },
    { "grad(w)", "conv.grad", NULL, "update", NULL, SONDE_MEMORY_OF_GRADIENT, 9216, 2048, 4, 5 },
  };
  static const char *const steps[] = { "norm", "relu", "conv", "loss", "conv.grad", "update" };
  guint64 held[] = { 12288, 12288, 12288, 12288, 12288, 12288 };
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (SondeLifetime));
  SondeMemoryTimeline timeline = { .n_steps = 6,
                                   .steps = steps,
                                   .held_bytes = held,
                                   .lifetimes = all,
                                   .peak_bytes = 12288,
                                   .peak_step = 2 };
  SondeMemoryPlot plot = { .kind = kind, .timeline = &timeline, .selected = 3 };

  g_array_append_vals (all, lifetimes, G_N_ELEMENTS (lifetimes));
  sonde_memory_timeline_count (&timeline, 2, timeline.by_kind);
  sonde_memory_plot_fit (&plot);
  sonde_paint_memory_plot (cr, theme, &plot, width, height);
}

static void
paint_memory_stack (cairo_t *cr, const SondeTheme *theme, int width, int height)
{
  paint_memory (cr, theme, SONDE_MEMORY_STACK, width, height);
}

static void
paint_memory_blocks (cairo_t *cr, const SondeTheme *theme, int width, int height)
{
  paint_memory (cr, theme, SONDE_MEMORY_BLOCKS, width, height);
}

/* ---- classes ------------------------------------------------------------- */

static void
paint_probabilities (cairo_t *cr, const SondeTheme *theme, int width, int height)
{
  static const SondeProbabilityRow rows[] = { { "cat", "true label", 0.25, 0.5, FALSE, TRUE },
                                              { "dog", NULL, 0.7, NAN, TRUE, FALSE },
                                              { "emu", NULL, NAN, NAN, FALSE, FALSE } };

  sonde_paint_probabilities (cr, theme, rows, 3, 6, 6, width - 12);
}

static void
paint_confusion (cairo_t *cr, const SondeTheme *theme, int width, int height)
{
  static const guint counts[] = { 40, 3, 0, 6, 30, 2, 1, 0, 35 };
  char *names[] = { (char *) "cat", (char *) "dog", (char *) "emu" };
  guint order[3] = { 0 };
  g_autoptr (SondeConfusion) cells = sonde_confusion_new_from_counts (counts, 3);
  SondeConfusionMatrix matrix = { .n = 3, .names = names, .cells = cells, .order = order };
  SondeConfusionPlace place = { 84, 40, 36, 84, 40, 108, 108 };

  sonde_confusion_update (&matrix, FALSE);
  sonde_confusion_paint (cr, theme, &matrix, &place);
}

/* ---- graphs -------------------------------------------------------------- */

static SondeGraphValue *
add_node (SondeGraph *graph, const char *name, const char *op, SondeGraphValue *first,
          SondeGraphValue *second)
{
  SondeGraphValue *inputs[] = { first, second };
  SondeNode *node = sonde_graph_add_node (graph, name, "", op, inputs, second != NULL ? 2 : 1, 1);

  return sonde_node_get_output (node, 0);
}

static SondeGraphScene *
make_scene (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("reference");
  SondeShape shape = sonde_shape_make (4, 1, 3, 8, 8);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  SondeGraphValue *input = sonde_graph_add_input (graph, "input", &type);
  SondeGraphValue *relu = add_node (graph, "relu", "Relu", input, NULL);
  SondeGraphValue *left = add_node (graph, "left", "MaxPool", relu, NULL);
  SondeGraphValue *sum = add_node (graph, "sum", "Add", left, relu);

  sonde_graph_add_output (graph, add_node (graph, "total", "ReduceSum", sum, NULL));
  return sonde_graph_scene_new (graph, SONDE_GRAPH_SCENE_FORWARD, NULL, NULL);
}

static void
paint_graph (cairo_t *cr, const SondeTheme *theme, int width, int height)
{
  g_autoptr (SondeGraphScene) scene = make_scene ();
  double w, h, scale;

  sonde_paint_graph_legend (cr, theme, scene, 6, 6);
  sonde_graph_scene_get_size (scene, &w, &h);
  scale = MIN ((width - 110) / w, height / h);
  cairo_translate (cr, 110, 0);
  cairo_scale (cr, scale, scale);
  sonde_paint_graph (cr, theme, scene, NULL, NULL);
}

static char *
format_ms (double value)
{
  return g_strdup_printf ("%g ms", value);
}

/* Four nodes with their times, one without. */
static void
paint_graph_times (cairo_t *cr, const SondeTheme *theme, int width, int height)
{
  g_autoptr (SondeGraphScene) scene = make_scene ();
  const SondeGraph *graph = sonde_graph_scene_get_graph (scene);
  g_autoptr (SondeGraphTint) tint = sonde_graph_tint_new (graph, "Time", format_ms);
  g_autoptr (SondeGraphShades) shades = NULL;
  double w, h, scale;

  tint->values[sonde_graph_find_node (graph, "relu")->id] = 0.5;
  tint->values[sonde_graph_find_node (graph, "left")->id] = 4;
  tint->values[sonde_graph_find_node (graph, "sum")->id] = 8;
  shades = sonde_graph_shades_new (tint, scene);
  sonde_paint_graph_key (cr, theme, shades, 6, 6);
  sonde_graph_scene_get_size (scene, &w, &h);
  scale = MIN ((width - 140) / w, height / h);
  cairo_translate (cr, 140, 0);
  cairo_scale (cr, scale, scale);
  sonde_paint_graph (cr, theme, scene, NULL, shades);
}

static void
paint_overview (cairo_t *cr, const SondeTheme *theme, int width, int height)
{
  g_autoptr (SondeGraphScene) scene = make_scene ();
  double w, h, scale;

  sonde_graph_scene_get_size (scene, &w, &h);
  scale = MIN (width / w, height / h);
  cairo_scale (cr, scale, scale);
  sonde_paint_graph_overview (cr, theme, scene, NULL, NULL, scale);
}

static void
paint_states (cairo_t *cr, const SondeTheme *theme, int width, int height)
{
  for (int state = 0; state < SONDE_N_STATES; state++)
    sonde_paint_state (cr, theme, (SondeState) state, 12 + 24 * state, height / 2.0, 16);
}

/* ---- all of them --------------------------------------------------------- */

/* A bright square that moved by two pixels, over a ramp. */
static SondeImage *
make_square (int x0)
{
  SondeImage *image = sonde_image_new (16, 12, 3);

  for (int y = 0; y < 12; y++)
    for (int x = 0; x < 16; x++)
      {
        guint8 *pixel = image->pixels + (y * 16 + x) * 3;
        gboolean inside = x >= x0 && x < x0 + 6 && y >= 3 && y < 9;

        pixel[0] = inside ? 250 : (guint8) (40 + 10 * x);
        pixel[1] = inside ? 230 : (guint8) (40 + 14 * y);
        pixel[2] = inside ? 60 : 120;
      }
  return image;
}

static void
paint_pair (cairo_t *cr, const SondeTheme *theme, SondeImagePairMode mode, int width, int height)
{
  g_autoptr (SondeImage) first = make_square (3), second = make_square (5);
  SondeImagePair *pair = sonde_image_pair_new ();
  cairo_rectangle_t pane, world;
  double scale;

  sonde_image_pair_set_images (pair, first, second);
  sonde_image_pair_set_names (pair, "a · step 3", "a · step 5");
  sonde_image_pair_get_pane (mode, width, height, 0, &pane);
  scale = fmin (pane.width / 16, pane.height / 12);
  world = (cairo_rectangle_t){ 8 - pane.width / scale / 2, 6 - pane.height / scale / 2,
                               pane.width / scale, pane.height / scale };
  sonde_paint_image_pair (cr, theme, pair, mode, &world, 0.4, width, height);
  sonde_image_pair_free (pair);
}

static void
paint_pair_beside (cairo_t *cr, const SondeTheme *theme, int width, int height)
{
  paint_pair (cr, theme, SONDE_IMAGE_PAIR_BESIDE, width, height);
}

static void
paint_pair_divider (cairo_t *cr, const SondeTheme *theme, int width, int height)
{
  paint_pair (cr, theme, SONDE_IMAGE_PAIR_DIVIDER, width, height);
}

static void
paint_pair_difference (cairo_t *cr, const SondeTheme *theme, int width, int height)
{
  paint_pair (cr, theme, SONDE_IMAGE_PAIR_DIFFERENCE, width, height);
}

static void
paint_pair_magnitude (cairo_t *cr, const SondeTheme *theme, int width, int height)
{
  paint_pair (cr, theme, SONDE_IMAGE_PAIR_MAGNITUDE, width, height);
}

static const struct
{
  const char *name;
  Painter paint;
  int width, height;
} cases[] = {
  { "chart", paint_chart, 300, 180 },
  { "tiny-chart", paint_tiny_chart, 300, 180 },
  { "sheet", paint_sheet, 420, 220 },
  { "cursors", paint_cursors, 340, 290 },
  { "legend", paint_legend, 340, 48 },
  { "wave", paint_wave, 240, 120 },
  { "ridges", paint_ridges, 240, 180 },
  { "heat", paint_heat, 240, 180 },
  { "bands", paint_bands, 240, 180 },
  { "contour", paint_contour, 240, 200 },
  { "surface", paint_surface, 240, 200 },
  { "mesh", paint_mesh, 160, 140 },
  { "scatter", paint_scatter, 220, 140 },
  { "radar", paint_radar, 260, 200 },
  { "map", paint_map, 160, 120 },
  { "image-pair-beside", paint_pair_beside, 280, 130 },
  { "image-pair-divider", paint_pair_divider, 180, 140 },
  { "image-pair-difference", paint_pair_difference, 180, 160 },
  { "image-pair-magnitude", paint_pair_magnitude, 180, 160 },
  { "tensor", paint_tensor, 160, 90 },
  { "boxes", paint_boxes, 160, 120 },
  { "box-trace", paint_box_trace, 220, 120 },
  { "color-legends", paint_color_legends, 200, 150 },
  { "probabilities", paint_probabilities, 260, 90 },
  { "confusion", paint_confusion, 250, 200 },
  { "memory-stack", paint_memory_stack, 460, 220 },
  { "memory-blocks", paint_memory_blocks, 460, 220 },
  { "graph", paint_graph, 300, 260 },
  { "graph-times", paint_graph_times, 330, 260 },
  { "overview", paint_overview, 60, 120 },
  { "states", paint_states, 124, 24 },
};

static void
test_case (const void *data)
{
  const gsize i = GPOINTER_TO_SIZE (data) / 2;
  const gboolean dark = GPOINTER_TO_SIZE (data) % 2;
  const SondeTheme *theme = sonde_theme_get (dark);
  g_autofree char *name = g_strdup_printf ("%s-%s", cases[i].name, dark ? "dark" : "light");
  cairo_surface_t *image = sonde_test_image_new (cases[i].width, cases[i].height);
  cairo_t *cr = cairo_create (image);

  sonde_paint_set_color (cr, &theme->card);
  cairo_paint (cr);
  cases[i].paint (cr, theme, cases[i].width, cases[i].height);
  cairo_destroy (cr);
  sonde_test_image_check (image, name);
  cairo_surface_destroy (image);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < 2 * G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/viewers/paint/references/%s/%s", cases[i / 2].name,
                                               i % 2 ? "dark" : "light");

      g_test_add_data_func (path, GSIZE_TO_POINTER (i), test_case);
    }
  return g_test_run ();
}
