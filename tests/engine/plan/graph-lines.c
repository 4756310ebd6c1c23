/* SPDX-License-Identifier: Apache-2.0
 * Small graphs written as lines of text. */
#include "tests/engine/plan/graph-lines.h"

#include "engine/ops/sonde-build.h"

#include <string.h>

static SondeShape
parse_shape (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "x", -1);
  gint64 dims[SONDE_MAX_RANK];
  int rank = 0;

  for (; parts[rank] != NULL; rank++)
    dims[rank] = g_ascii_strtoll (parts[rank], NULL, 10);
  return sonde_shape_from_array (rank, dims);
}

static SondeTensor *
random_tensor (const char *shape_text, double from, GRand *random)
{
  SondeShape shape = parse_shape (shape_text);
  SondeTensor *tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    sonde_tensor_set_double (tensor, i, g_rand_double_range (random, from, 1));
  return tensor;
}

/* "0.5", or "0.5@1x1x1" */
static SondeTensor *
one_number (const char *text)
{
  const char *shape_text = strchr (text, '@');
  SondeShape shape = shape_text != NULL ? parse_shape (shape_text + 1) : sonde_shape_scalar ();
  SondeTensor *tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  sonde_tensor_set_double (tensor, 0, g_ascii_strtod (text, NULL));
  return tensor;
}

static SondeTensor *
integer_list (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);
  SondeShape shape = sonde_shape_make (1, (gint64) g_strv_length (parts));
  SondeTensor *tensor = sonde_tensor_new (SONDE_DTYPE_I64, &shape);

  for (guint i = 0; parts[i] != NULL; i++)
    ((gint64 *) (void *) tensor->data)[i] = g_ascii_strtoll (parts[i], NULL, 10);
  return tensor;
}

static SondeGraphValue *
find_operand (SondeGraph *graph, const char *text, GRand *random)
{
  g_autoptr (SondeTensor) tensor = NULL;

  if (*text == ':')
    tensor = integer_list (text + 1);
  else if (*text == '=')
    tensor = one_number (text + 1);
  else if (*text == '#' || *text == '+')
    tensor = random_tensor (text + 1, *text == '+' ? 0.5 : -1, random);
  else
    return sonde_graph_find_value (graph, text);

  return sonde_graph_add_initialiser (graph, NULL, tensor,
                                      *text == '=' || *text == ':' ? SONDE_ROLE_CONSTANT
                                                                   : SONDE_ROLE_PARAMETER);
}

static void
set_attributes (SondeNode *node, const char *text)
{
  g_auto (GStrv) entries = g_strsplit (g_strstrip ((char *) text), " ", -1);

  for (char **entry = entries; *entry != NULL; entry++)
    {
      g_auto (GStrv) pair = g_strsplit (*entry, "=", 2);
      g_auto (GStrv) numbers = g_strsplit (pair[1], ",", -1);
      gint64 values[8];
      gsize n = 0;

      for (; numbers[n] != NULL && *numbers[n] != '\0'; n++)
        values[n] = g_ascii_strtoll (numbers[n], NULL, 10);
      if (g_ascii_isalpha (*pair[1]))
        sonde_node_set_string (node, pair[0], pair[1]);
      else if (strchr (pair[1], '.') != NULL)
        sonde_node_set_float (node, pair[0], g_ascii_strtod (pair[1], NULL));
      else if (n == 1 && !g_str_has_suffix (pair[1], ","))
        sonde_node_set_int (node, pair[0], values[0]);
      else
        sonde_node_set_ints (node, pair[0], values, n);
    }
}

static void
add_line (SondeGraph *graph, const char *line, GRand *random)
{
  g_auto (GStrv) halves = g_strsplit (line, "|", 2);
  g_auto (GStrv) sides = g_strsplit (halves[0], ">", 2);
  g_auto (GStrv) words = g_strsplit (g_strstrip (sides[0]), " ", -1);
  SondeGraphValue *inputs[8], *output;
  SondeNode *node;
  guint n = 0;

  for (; words[n + 1] != NULL; n++)
    inputs[n] = find_operand (graph, words[n + 1], random);
  output = sonde_graph_add_value (graph, g_strstrip (sides[1]), NULL);
  node = sonde_graph_add_node (graph, NULL, "", words[0], inputs, n, 0);
  sonde_node_set_output (graph, node, 0, output);
  if (halves[1] != NULL)
    set_attributes (node, halves[1]);
}

SondeGraph *
graph_of_lines (const char *name, const char *input, const char *const *lines)
{
  SondeGraph *graph = sonde_graph_new (name);
  SondeShape shape = parse_shape (input);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  g_autoptr (GRand) random = g_rand_new_with_seed (3);

  sonde_graph_set_opset (graph, "", 28);
  sonde_graph_add_input (graph, "x", &type);
  for (guint i = 0; lines[i] != NULL; i++)
    add_line (graph, lines[i], random);
  sonde_graph_add_output (graph, sonde_graph_find_value (graph, "y"));
  return graph;
}

SondeTensor *
graph_lines_random (const char *shape)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (11);

  return random_tensor (shape, -1, random);
}
