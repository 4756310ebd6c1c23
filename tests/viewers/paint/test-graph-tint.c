/* SPDX-License-Identifier: Apache-2.0
 * Colours of a graph by numbers and kinds: the fill that is drawn is that of the number, the key says what it
 * means. */
#include <math.h>

#include "tests/support/sonde-test-image.h"
#include "viewers/paint/graph/sonde-graph-tint.h"
#include "viewers/paint/sonde-color-map.h"

/* x → a → b → c, Relu each. */
static SondeGraph *
make_graph (void)
{
  SondeGraph *graph = sonde_graph_new ("chain");
  SondeGraphValue *value = sonde_graph_add_input (graph, "x", NULL);

  for (const char *name = "abc"; *name != '\0'; name++)
    {
      const char letter[] = { *name, '\0' };

      value = sonde_node_get_output (sonde_graph_add_node (graph, letter, "", "Relu", &value, 1, 1),
                                     0);
    }
  sonde_graph_add_output (graph, value);
  return graph;
}

static char *
format (double value)
{
  return g_strdup_printf ("%g px", value);
}

/* a: 0, b: 10, c: not known. */
static SondeGraphTint *
make_amounts (const SondeGraph *graph)
{
  SondeGraphTint *tint = sonde_graph_tint_new (graph, "Width", format);

  tint->values[sonde_graph_find_node (graph, "a")->id] = 0;
  tint->values[sonde_graph_find_node (graph, "b")->id] = 10;
  return tint;
}

static guint
find (const SondeGraphScene *scene, const char *name)
{
  int box = sonde_graph_scene_find (scene, name);

  g_assert_cmpint (box, >=, 0);
  return (guint) box;
}

static void
assert_color (const SondeColor *a, const SondeColor *b)
{
  g_assert_cmpfloat (fabs (a->red - b->red) + fabs (a->green - b->green) + fabs (a->blue - b->blue),
                     <, 0.02);
}

/* A px beside the left border of a box, before its words. */
static SondeColor
paint_and_look (const SondeGraphScene *scene, const SondeTheme *theme,
                const SondeGraphShades *shades, guint index)
{
  const SondeGraphBox *box = sonde_graph_scene_get_box (scene, index);
  cairo_surface_t *picture = sonde_test_image_new (8, 8);
  cairo_t *cr = cairo_create (picture);
  guint32 pixel;

  cairo_translate (cr, -box->x, 4 - box->y - box->height / 2);
  sonde_paint_graph (cr, theme, scene, NULL, shades);
  cairo_destroy (cr);
  pixel = sonde_test_image_get (picture, 4, 4);
  cairo_surface_destroy (picture);
  return (SondeColor){ (pixel >> 16 & 255) / 255.0, (pixel >> 8 & 255) / 255.0,
                       (pixel & 255) / 255.0, 1 };
}

static void
test_amounts (gconstpointer data)
{
  const SondeTheme *theme = sonde_theme_get (data != NULL);
  g_autoptr (SondeGraph) graph = make_graph ();
  g_autoptr (SondeGraphScene) scene
      = sonde_graph_scene_new (graph, SONDE_GRAPH_SCENE_FORWARD, NULL, NULL);
  g_autoptr (SondeGraphTint) tint = make_amounts (graph);
  g_autoptr (SondeGraphShades) shades = sonde_graph_shades_new (tint, scene);
  SondeColor high = sonde_color_map_get (SONDE_COLOR_MAP_VIRIDIS, theme->dark ? 1 : 0);
  static const char *const names[] = { "a", "b", "c" };

  g_assert_cmpfloat (shades->high, ==, 10);
  g_assert_true (shades->has_unknown);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      guint box = find (scene, names[i]);
      SondeColor ink, fill = sonde_graph_shades_get_fill (shades, theme, box, &ink);
      SondeColor drawn = paint_and_look (scene, theme, shades, box);

      assert_color (&drawn, &fill);
      g_assert_cmpfloat (sonde_color_contrast (&ink, &fill), >=, 4.5);
      if (i == 0) /* near the card */
        g_assert_cmpfloat (sonde_color_contrast (&fill, &theme->card), <, 1.6);
      if (i == 1)
        assert_color (&fill, &high);
    }
}

static void
assert_words (char *text, const char *expected)
{
  g_assert_cmpstr (text, ==, expected);
  g_free (text);
}

static void
test_words (void)
{
  g_autoptr (SondeGraph) graph = make_graph ();
  g_autoptr (SondeGraphScene) scene
      = sonde_graph_scene_new (graph, SONDE_GRAPH_SCENE_FORWARD, NULL, NULL);
  g_autoptr (SondeGraphTint) tint = make_amounts (graph);
  g_autoptr (SondeGraphShades) shades = sonde_graph_shades_new (tint, scene);

  assert_words (sonde_graph_shades_describe_box (shades, find (scene, "b")), "Width: 10 px");
  assert_words (sonde_graph_shades_describe_box (shades, find (scene, "c")), "Width: not known");
  assert_words (sonde_graph_shades_describe (shades), "Width, 0 px to 10 px");
}

static void
test_kinds (void)
{
  const SondeTheme *theme = sonde_theme_get (FALSE);
  g_autoptr (SondeGraph) graph = make_graph ();
  g_autoptr (SondeGraphScene) scene
      = sonde_graph_scene_new (graph, SONDE_GRAPH_SCENE_FORWARD, NULL, NULL);
  g_autoptr (SondeGraphTint) tint = sonde_graph_tint_new (graph, "Kind", NULL);
  g_autoptr (SondeGraphShades) shades = NULL;
  SondeColor ink, fills[3];

  g_assert_false (sonde_graph_tint_tells (tint));
  g_assert_cmpuint (sonde_graph_tint_add_kind (tint, "round", 4), ==, 0);
  g_assert_cmpuint (sonde_graph_tint_add_kind (tint, "square", G_MININT), ==, 1);
  g_assert_cmpuint (sonde_graph_tint_add_kind (tint, "round", 7), ==, 0);
  tint->values[sonde_graph_find_node (graph, "a")->id] = 0;
  tint->values[sonde_graph_find_node (graph, "b")->id] = 1;
  tint->values[sonde_graph_find_node (graph, "c")->id] = 0;
  g_assert_true (sonde_graph_tint_tells (tint));
  shades = sonde_graph_shades_new (tint, scene);
  g_assert_false (shades->has_unknown);
  for (guint i = 0; i < 3; i++)
    {
      const char name[] = { (char) ('a' + i), '\0' };

      fills[i] = sonde_graph_shades_get_fill (shades, theme, find (scene, name), &ink);
    }
  assert_color (&fills[0], &fills[2]);
  g_assert_cmpfloat (fabs (fills[0].red - fills[1].red) + fabs (fills[0].green - fills[1].green)
                         + fabs (fills[0].blue - fills[1].blue),
                     >, 0.1);
  assert_words (sonde_graph_shades_describe_box (shades, find (scene, "b")), "Kind: square");
  assert_words (sonde_graph_shades_describe (shades), "Kind");
}

static void
assert_between (double low, double x, double high)
{
  g_assert_cmpfloat (low, <, x);
  g_assert_cmpfloat (x, <, high);
}

/* The fill shows how much of a node is of its kind, and a closed scope has that of its worst node. */
static void
test_shares (void)
{
  const SondeTheme *theme = sonde_theme_get (FALSE);
  g_autoptr (SondeGraph) graph = make_graph ();
  g_autoptr (SondeGraphScene) scene
      = sonde_graph_scene_new (graph, SONDE_GRAPH_SCENE_FORWARD, NULL, NULL);
  g_autoptr (SondeGraphTint) tint = sonde_graph_tint_new (graph, "Health", NULL);
  g_autoptr (SondeGraphShades) shades = NULL;
  SondeColor ink, little, much;
  double narrow, wide, height;

  sonde_graph_tint_add_kind (tint, "zero", 4);
  sonde_graph_tint_set_ranked (tint, sonde_graph_find_node (graph, "a")->id, 0, 0.1, 0.1);
  sonde_graph_tint_set_ranked (tint, sonde_graph_find_node (graph, "b")->id, 0, 0.625, 0.625);
  sonde_graph_tint_set_ranked (tint, sonde_graph_find_node (graph, "c")->id, 0, 0, NAN);
  shades = sonde_graph_shades_new (tint, scene);
  little = sonde_graph_shades_get_fill (shades, theme, find (scene, "a"), &ink);
  much = sonde_graph_shades_get_fill (shades, theme, find (scene, "b"), &ink);
  assert_between (1, sonde_color_contrast (&little, &theme->card),
                  sonde_color_contrast (&much, &theme->card));
  assert_words (sonde_graph_shades_describe_box (shades, find (scene, "b")),
                "Health: zero, 62.5 %");
  assert_words (sonde_graph_shades_describe_box (shades, find (scene, "c")), "Health: zero");
  sonde_graph_key_get_size (shades, &wide, &height);
  g_clear_pointer (&tint->shares, g_free);
  sonde_graph_shades_free (g_steal_pointer (&shades));
  shades = sonde_graph_shades_new (tint, scene);
  sonde_graph_key_get_size (shades, &narrow, &height);
  g_assert_cmpfloat (wide, >, narrow + 18); /* “, up to 62.5 %”, and the ramp */
}

/* What is drawn stays in the size that was told, and says something. */
static void
test_key (void)
{
  g_autoptr (SondeGraph) graph = make_graph ();
  g_autoptr (SondeGraphScene) scene
      = sonde_graph_scene_new (graph, SONDE_GRAPH_SCENE_FORWARD, NULL, NULL);
  g_autoptr (SondeGraphTint) tint = make_amounts (graph);
  g_autoptr (SondeGraphShades) shades = sonde_graph_shades_new (tint, scene);
  cairo_surface_t *picture = sonde_test_image_new (300, 200);
  cairo_t *cr = cairo_create (picture);
  double width, height;
  int w, h;

  sonde_graph_key_get_size (shades, &width, &height);
  sonde_paint_graph_key (cr, sonde_theme_get (FALSE), shades, 0, 0);
  cairo_destroy (cr);
  w = (int) ceil (width) + 1;
  h = (int) ceil (height) + 1;
  g_assert_cmpint (sonde_test_image_count_ink (picture, 0, 0, w, h), >, 500);
  g_assert_cmpint (sonde_test_image_count_ink (picture, w, 0, 300 - w, 200), ==, 0);
  g_assert_cmpint (sonde_test_image_count_ink (picture, 0, h, 300, 200 - h), ==, 0);
  cairo_surface_destroy (picture);
}

static void
test_other_graph (void)
{
  g_autoptr (SondeGraph) graph = make_graph (), other = make_graph ();
  g_autoptr (SondeGraphScene) scene
      = sonde_graph_scene_new (graph, SONDE_GRAPH_SCENE_FORWARD, NULL, NULL);
  g_autoptr (SondeGraphTint) tint = make_amounts (other);

  g_assert_null (sonde_graph_shades_new (tint, scene));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/viewers/paint/graph-tint/amounts/light", NULL, test_amounts);
  g_test_add_data_func ("/viewers/paint/graph-tint/amounts/dark", "dark", test_amounts);
  g_test_add_func ("/viewers/paint/graph-tint/words", test_words);
  g_test_add_func ("/viewers/paint/graph-tint/kinds", test_kinds);
  g_test_add_func ("/viewers/paint/graph-tint/shares", test_shares);
  g_test_add_func ("/viewers/paint/graph-tint/key", test_key);
  g_test_add_func ("/viewers/paint/graph-tint/other-graph", test_other_graph);
  return g_test_run ();
}
