/* SPDX-License-Identifier: Apache-2.0
 * Timeline and flame graph against reference images, light and dark; what is under the pointer; contrast of
 * labels; names with control characters. */
#include <string.h>

#include "data/traces/sonde-trace-builder.h"
#include "tests/support/sonde-test-image.h"
#include "viewers/paint/trace/sonde-flame-paint.h"
#include "viewers/paint/trace/sonde-timeline-paint.h"
#include "viewers/paint/trace/sonde-timeline-parts-private.h"

#define WIDTH 720
#define HEIGHT 300

static guint32
add_text (SondeTraceBuilder *builder, const char *text)
{
  return sonde_trace_builder_add_text (builder, text, strlen (text));
}

/* Two threads and a GPU; thousands of narrow spans, an arrow, an instant, a counter. */
static SondeTrace *
make_trace (void)
{
  static const char *const names[]
      = { "step", "aten::conv2d", "aten::relu", "evil\n\xe2\x80\xae name", "kernel" };
  g_autoptr (SondeTraceBuilder) builder = sonde_trace_builder_new (SONDE_TRACE_CHROME);
  guint32 labels[5], pid = add_text (builder, "77"), gpu = add_text (builder, "GPU 0");
  guint32 main_thread, worker, stream, id = add_text (builder, "1");
  guint64 place = 0;

  for (guint i = 0; i < 5; i++)
    labels[i] = sonde_trace_builder_add_label (builder, 0, add_text (builder, names[i]));
  main_thread = sonde_trace_builder_add_thread (builder, pid, pid, 0);
  worker = sonde_trace_builder_add_thread (builder, pid, add_text (builder, "78"), 0);
  stream = sonde_trace_builder_add_thread (builder, gpu, add_text (builder, "stream 7"), 0);
  sonde_trace_builder_name_process (builder, pid, add_text (builder, "python"));
  sonde_trace_builder_name_thread (builder, main_thread, add_text (builder, "main"));
  for (int s = 0; s < 3; s++)
    {
      gint64 t = s * 1000000;

      sonde_trace_builder_add_span (builder, main_thread, labels[0], t, t + 900000, place++);
      sonde_trace_builder_add_span (builder, main_thread, labels[1], t + 50000, t + 500000,
                                    place++);
      sonde_trace_builder_add_span (builder, main_thread, labels[2], t + 520000, t + 760000,
                                    place++);
      sonde_trace_builder_add_span (builder, main_thread, labels[3], t + 100000, t + 400000,
                                    place++);
      sonde_trace_builder_add_span (builder, stream, labels[4], t + 300000, t + 800000, place++);
      sonde_trace_builder_add_instant (builder, main_thread, labels[2], t + 950000, place++);
      sonde_trace_builder_add_point (builder, pid, add_text (builder, "queue"), 0, t,
                                     s == 1 ? 5 : 2);
    }
  for (int i = 0; i < 4000; i++)
    sonde_trace_builder_add_span (builder, worker, labels[1 + i % 2], 400000 + i * 500,
                                  400000 + i * 500 + (i < 2000 ? 450 : 50), place++);
  sonde_trace_builder_add_flow (builder, SONDE_TRACE_FLOW_START, SONDE_TRACE_BIND_ENCLOSING,
                                main_thread, labels[4], id, 60000, place++);
  sonde_trace_builder_add_flow (builder, SONDE_TRACE_FLOW_END, SONDE_TRACE_BIND_ENCLOSING, stream,
                                labels[4], id, 300000, place++);
  return sonde_trace_builder_finish (builder);
}

static void
test_timeline (void)
{
  g_autoptr (SondeTrace) trace = make_trace ();
  g_autoptr (SondeTimelineIndex) index = sonde_timeline_index_new (trace);
  g_autoptr (SondeLabelCache) labels = sonde_label_cache_new ();
  g_auto (SondeTimelinePlaces) places = { 0 };
  SondeTimelinePicture picture = {
    .index = index, .places = &places, .start_ns = -20000, .end_ns = 3000000, .labels = labels
  };
  SondeTimelineMarks marks = { .selected = 0,
                               .hovered = SONDE_TIMELINE_NONE,
                               .has_range = TRUE,
                               .range_start_ns = 2100000,
                               .range_end_ns = 2400000,
                               .pointer = 600 };

  sonde_timeline_places_init (&places, index);
  for (guint32 i = 0; i < trace->n_spans; i++)
    if (trace->arrows->len > 0 && i == g_array_index (trace->arrows, SondeTraceArrow, 0).from)
      marks.selected = i;
  for (int dark = 0; dark < 2; dark++)
    {
      const SondeTheme *theme = sonde_theme_get (dark);
      cairo_surface_t *image = sonde_test_image_new (WIDTH, HEIGHT);
      cairo_t *cr = cairo_create (image);

      sonde_paint_set_color (cr, &theme->card);
      cairo_paint (cr);
      sonde_paint_timeline (cr, theme, &picture, WIDTH, HEIGHT);
      sonde_paint_timeline_marks (cr, theme, &picture, &marks, WIDTH, HEIGHT);
      cairo_destroy (cr);
      sonde_test_image_check (image, dark ? "timeline-dark" : "timeline-light");
      cairo_surface_destroy (image);
    }
}

/* Before its first point a counter has no value, and nothing is drawn there. */
static void
test_late_counter (void)
{
  g_autoptr (SondeTraceBuilder) builder = sonde_trace_builder_new (SONDE_TRACE_CHROME);
  guint32 pid = add_text (builder, "1"),
          thread = sonde_trace_builder_add_thread (builder, pid, pid, 0);
  guint32 label = sonde_trace_builder_add_label (builder, 0, add_text (builder, "a"));
  g_autoptr (SondeTrace) trace = NULL;
  g_autoptr (SondeTimelineIndex) index = NULL;
  g_auto (SondeTimelinePlaces) places = { 0 };
  cairo_surface_t *image = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, 200, 44);
  cairo_t *cr = cairo_create (image);
  const cairo_rectangle_t area = { 0, 0, 200, 44 };
  SondeTimelinePicture picture = { .end_ns = 1000 };
  guint n_before = 0, n_after = 0;

  sonde_trace_builder_add_span (builder, thread, label, 0, 1000, 0);
  sonde_trace_builder_add_point (builder, pid, add_text (builder, "late"), 0, 500, 7);
  trace = sonde_trace_builder_finish (builder);
  index = sonde_timeline_index_new (trace);
  sonde_timeline_places_init (&places, index);
  picture.index = index;
  picture.places = &places;
  sonde_timeline_paint_series (cr, sonde_theme_get (FALSE), &picture, 0, &area, 0);
  cairo_destroy (cr);
  cairo_surface_flush (image);
  for (int y = 0; y < 44; y++)
    for (int x = 0; x < 200; x++)
      {
        const guint32 *row
            = (const guint32 *) (void *) (cairo_image_surface_get_data (image)
                                          + y * cairo_image_surface_get_stride (image));

        *(x < 98 ? &n_before : &n_after) += row[x] != 0;
      }
  g_assert_cmpuint (n_before, ==, 0);
  g_assert_cmpuint (n_after, >, 100);
  cairo_surface_destroy (image);
}

static void
test_flame (void)
{
  g_autoptr (SondeTrace) trace = make_trace ();
  g_autoptr (SondeTimelineIndex) index = sonde_timeline_index_new (trace);
  g_autoptr (SondeFlameTree) tree
      = sonde_flame_tree_new (index, trace->start_ns, trace->end_ns + 1, FALSE, NULL);
  SondeFlamePicture picture
      = { .tree = tree, .right = (double) sonde_flame_tree_get (tree, 0)->total, .found = "re" };
  guint32 hit;

  for (int dark = 0; dark < 2; dark++)
    {
      const SondeTheme *theme = sonde_theme_get (dark);
      cairo_surface_t *image = sonde_test_image_new (WIDTH, 120);
      cairo_t *cr = cairo_create (image);

      sonde_paint_set_color (cr, &theme->card);
      cairo_paint (cr);
      sonde_paint_flame (cr, theme, &picture, WIDTH, 120);
      sonde_paint_flame_marks (cr, theme, &picture, 1, 2, WIDTH, 120);
      cairo_destroy (cr);
      sonde_test_image_check (image, dark ? "flame-dark" : "flame-light");
      cairo_surface_destroy (image);
    }
  hit = sonde_flame_hit (&picture, WIDTH, 120, 3, SONDE_FLAME_ROW * 1.5);
  g_assert_cmpuint (hit, ==, 1);
  g_assert_cmpuint (sonde_flame_hit (&picture, WIDTH, 120, 3, SONDE_FLAME_ROW * 90), ==,
                    SONDE_TRACE_NONE);
}

/* Each span is found where it is said to stand. */
/* The first step beside the two others together: what is faster and slower, two names beyond noise. */
static void
test_difference (void)
{
  g_autoptr (SondeTrace) trace = make_trace ();
  g_autoptr (SondeTimelineIndex) index = sonde_timeline_index_new (trace);
  g_autoptr (SondeFlameTree) before = sonde_flame_tree_new (index, 0, 1000000, FALSE, NULL);
  g_autoptr (SondeFlameTree) after = sonde_flame_tree_new (index, 1000000, 3000000, FALSE, NULL);
  g_autoptr (GHashTable) sure = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (SondeFlameDifference) difference = NULL;
  SondeFlamePicture picture = { 0 };

  g_hash_table_add (sure, (gpointer) "aten::conv2d");
  g_hash_table_add (sure, (gpointer) "kernel");
  difference = sonde_flame_difference_new (&(SondeFlameSide){ before, 1 },
                                           &(SondeFlameSide){ after, 1 }, sure);
  picture
      = (SondeFlamePicture){ .tree = difference->tree,
                             .right = (double) sonde_flame_tree_get (difference->tree, 0)->total,
                             .difference = difference };
  for (int dark = 0; dark < 2; dark++)
    {
      const SondeTheme *theme = sonde_theme_get (dark);
      cairo_surface_t *image = sonde_test_image_new (WIDTH, 120);
      cairo_t *cr = cairo_create (image);

      sonde_paint_set_color (cr, &theme->card);
      cairo_paint (cr);
      sonde_paint_flame (cr, theme, &picture, WIDTH, 120);
      cairo_destroy (cr);
      sonde_test_image_check (image, dark ? "flame-difference-dark" : "flame-difference-light");
      cairo_surface_destroy (image);
    }
}

static void
test_hit (void)
{
  g_autoptr (SondeTrace) trace = make_trace ();
  g_autoptr (SondeTimelineIndex) index = sonde_timeline_index_new (trace);
  g_auto (SondeTimelinePlaces) places = { 0 };
  SondeTimelinePicture picture
      = { .index = index, .places = &places, .start_ns = 0, .end_ns = 3000000 };
  SondeTimelineHit hit;
  guint n = 0;

  sonde_timeline_places_init (&places, index);
  for (guint32 i = 0; i < trace->n_spans; i++)
    {
      cairo_rectangle_t box;

      if (!sonde_timeline_get_box (&picture, i, WIDTH, HEIGHT, &box) || box.width < 5)
        continue;
      sonde_timeline_hit (&picture, WIDTH, HEIGHT, box.x + box.width / 2, box.y + box.height / 2,
                          &hit);
      g_assert_cmpuint (hit.item, ==, i);
      g_assert_false (hit.on_names);
      n++;
    }
  g_assert_cmpuint (n, ==, 15);
  sonde_timeline_hit (&picture, WIDTH, HEIGHT, 20, SONDE_TIMELINE_TOP + 5, &hit);
  g_assert_true (hit.on_names);
  g_assert_cmpuint (hit.track, ==, 0);
  sonde_timeline_hit (&picture, WIDTH, HEIGHT, 20, HEIGHT + 5000, &hit);
  g_assert_cmpuint (hit.track, ==, SONDE_TIMELINE_NONE);
}

static void
test_contrast (void)
{
  for (int dark = 0; dark < 2; dark++)
    for (guint hue = 0; hue < SONDE_TRACE_N_COLORS; hue++)
      {
        const SondeTheme *theme = sonde_theme_get (dark);
        SondeColor ink = sonde_trace_get_ink (theme);
        const SondeColor *fill = sonde_trace_get_color (theme, hue);

        g_assert_cmpfloat (sonde_color_contrast (&ink, fill), >=, 4.5);
        for (guint other = 0; other < hue; other++)
          g_assert_true (memcmp (fill, sonde_trace_get_color (theme, other), sizeof *fill) != 0);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viewers/paint/trace/timeline", test_timeline);
  g_test_add_func ("/viewers/paint/trace/late-counter", test_late_counter);
  g_test_add_func ("/viewers/paint/trace/flame", test_flame);
  g_test_add_func ("/viewers/paint/trace/difference", test_difference);
  g_test_add_func ("/viewers/paint/trace/hit", test_hit);
  g_test_add_func ("/viewers/paint/trace/contrast", test_contrast);
  return g_test_run ();
}
