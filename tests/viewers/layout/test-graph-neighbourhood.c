/* SPDX-License-Identifier: Apache-2.0
 * A node with what is around it: nearest first, each once, the rest counted. */
#include "viewers/layout/sonde-graph-neighbourhood.h"

static SondeGraphValue *
add (SondeGraph *graph, const char *name, SondeGraphValue *first, SondeGraphValue *second)
{
  SondeGraphValue *inputs[] = { first, second };
  SondeNode *node
      = sonde_graph_add_node (graph, name, "", "Add", inputs, second != NULL ? 2 : 1, 1);

  return sonde_node_get_output (node, 0);
}

static SondeGraphValue *
add_input (SondeGraph *graph, const char *name)
{
  const SondeShape shape = sonde_shape_make (1, 2);
  const SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);

  return sonde_graph_add_input (graph, name, &type);
}

static void
assert_neighbour (GArray *list, guint i, const char *name, int column)
{
  const SondeGraphNeighbour *neighbour = &g_array_index (list, SondeGraphNeighbour, i);

  g_assert_cmpstr (neighbour->node != NULL ? neighbour->node->name : neighbour->value->name, ==,
                   name);
  g_assert_cmpint (neighbour->column, ==, column);
  g_assert_nonnull (neighbour->value);
}

/* x → a → b → c → d → e with a second way from a to c. */
static void
test_levels (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("chain");
  SondeGraphValue *x = add_input (graph, "x"), *a = add (graph, "a", x, NULL),
                  *b = add (graph, "b", a, NULL), *c = add (graph, "c", b, a),
                  *d = add (graph, "d", c, NULL);
  guint left_out[SONDE_NEIGHBOURHOOD_COLUMNS];
  g_autoptr (GArray) list = NULL;

  add (graph, "e", d, NULL);
  list = sonde_graph_list_neighbours (c->producer, left_out);
  g_assert_cmpuint (list->len, ==, 6);
  assert_neighbour (list, 0, "c", 2);
  assert_neighbour (list, 1, "b", 1);
  assert_neighbour (list, 2, "a", 1); /* not once more behind b */
  assert_neighbour (list, 3, "d", 3);
  assert_neighbour (list, 4, "x", 0);
  assert_neighbour (list, 5, "e", 4);
  for (int i = 0; i < SONDE_NEIGHBOURHOOD_COLUMNS; i++)
    g_assert_cmpuint (left_out[i], ==, 0);
}

static void
test_many (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("fan");
  SondeGraphValue *x = add_input (graph, "x"), *a = add (graph, "a", x, NULL);
  guint left_out[SONDE_NEIGHBOURHOOD_COLUMNS];
  g_autoptr (GArray) list = NULL;

  for (int i = 0; i < SONDE_NEIGHBOURHOOD_ROWS + 3; i++)
    {
      g_autofree char *name = g_strdup_printf ("user %d", i);

      add (graph, name, a, NULL);
    }
  list = sonde_graph_list_neighbours (a->producer, left_out);
  g_assert_cmpuint (list->len, ==, 2 + SONDE_NEIGHBOURHOOD_ROWS);
  g_assert_cmpuint (left_out[3], ==, 3);
  g_assert_cmpuint (left_out[1], ==, 0);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viewers/layout/graph-neighbourhood/levels", test_levels);
  g_test_add_func ("/viewers/layout/graph-neighbourhood/many", test_many);
  return g_test_run ();
}
