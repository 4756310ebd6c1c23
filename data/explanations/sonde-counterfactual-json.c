/* SPDX-License-Identifier: Apache-2.0
 * Both ends of FOLDER/hoc/GOAL/CLASS/NAME.json. Reading makes the tables of a record, whose numbers
 * sonde-counterfactual.c checks. */
#include "data/explanations/sonde-counterfactual.h"

#include <math.h>

#include <json-glib/json-glib.h>

#include "data/arrays/sonde-json-text.h"
#include "data/arrays/sonde-json.h"
#include "data/base/sonde-error.h"
#include "data/json/sonde-json-depth.h"
#include "data/explanations/sonde-json-members.h"

#define MAX_NESTING 64

/* ---- writing ------------------------------------------------------------- */

static void
add_box (JsonBuilder *builder, const SondeBox *box)
{
  const int numbers[] = { box->x, box->y, box->width, box->height };

  json_builder_begin_array (builder);
  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    json_builder_add_int_value (builder, numbers[i]);
  json_builder_end_array (builder);
}

static void
add_boxes (JsonBuilder *builder, const GArray *boxes)
{
  json_builder_begin_array (builder);
  for (guint i = 0; i < boxes->len; i++)
    add_box (builder, &g_array_index (boxes, SondeBox, i));
  json_builder_end_array (builder);
}

static void
add_sizes (JsonBuilder *builder, const char *name, const int *sizes, guint n)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_array (builder);
  for (guint i = 0; i < n; i++)
    json_builder_add_int_value (builder, sizes[i]);
  json_builder_end_array (builder);
}

/* The steps inside step @parent (-1: those of the first layer). Depth is at most the number of
 * layers. */
static void
add_tree (JsonBuilder *builder, const GArray *steps, int parent)
{
  json_builder_begin_array (builder);
  for (guint i = 0; i < steps->len; i++)
    {
      const SondeCounterfactualWindow *step = &g_array_index (steps, SondeCounterfactualWindow, i);

      if (step->parent != parent)
        continue;
      json_builder_begin_object (builder);
      sonde_json_set_int (builder, "layer", step->layer);
      sonde_json_set_int (builder, "order", step->order);
      json_builder_set_member_name (builder, "box");
      add_box (builder, &step->box);
      sonde_json_set_double (builder, "out", step->after);
      sonde_json_set_double (builder, "change", step->change);
      json_builder_set_member_name (builder, "children");
      add_tree (builder, steps, (int) i);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
add_result (JsonBuilder *builder, const SondeCounterfactual *result)
{
  sonde_json_set_string (builder, "result", sonde_occlusion_status_name (result->status));
  sonde_json_set_double (builder, "threshold", result->threshold);
  sonde_json_set_double (builder, "original", result->original);
  json_builder_set_member_name (builder, "layer_out");
  json_builder_begin_array (builder);
  for (guint l = 0; l < result->layers->len; l++)
    sonde_json_add_double (builder, result->layer_out[l]);
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "boxes");
  json_builder_begin_array (builder);
  for (guint l = 0; l < result->layers->len; l++)
    add_boxes (builder, g_ptr_array_index (result->layers, l));
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "tree");
  add_tree (builder, result->steps, -1);
  if (result->pruned != NULL)
    {
      json_builder_set_member_name (builder, "pruned");
      add_boxes (builder, result->pruned);
      sonde_json_set_double (builder, "pruned_out", result->pruned_out);
    }
  if (result->layers->len > 0)
    sonde_json_set_double (builder, "area", result->area);
  sonde_json_set_int (builder, "candidates_evaluated", result->n_candidates);
  sonde_json_set_int (builder, "evaluations", result->n_evaluations);
  sonde_json_set_int (builder, "pictures_scored", result->n_scored);
  if (result->note != NULL)
    sonde_json_set_string (builder, "note", sonde_message_get_english (result->note));
}

char *
sonde_counterfactual_to_json (const SondeCounterfactualSearch *search, GPtrArray *results)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) root = NULL;

  json_builder_begin_object (builder);
  sonde_json_set_string (builder, "by", sonde_occlusion_goal_name (search->goal));
  sonde_json_set_string (builder, "score", search->score);
  sonde_json_set_int (builder, "target", (guint64) search->target);
  sonde_json_set_string (builder, "mask", search->mask);
  add_sizes (builder, "windows", search->windows, search->n_layers);
  add_sizes (builder, "strides", search->strides, search->n_layers);
  add_result (builder, g_ptr_array_index (results, 0));
  if (results->len > 1)
    {
      json_builder_set_member_name (builder, "thresholds");
      json_builder_begin_array (builder);
      for (guint i = 0; i < results->len; i++)
        {
          json_builder_begin_object (builder);
          add_result (builder, g_ptr_array_index (results, i));
          json_builder_end_object (builder);
        }
      json_builder_end_array (builder);
    }
  json_builder_end_object (builder);
  root = json_builder_get_root (builder);
  return sonde_json_node_to_text (root, TRUE);
}

/* ---- reading ------------------------------------------------------------- */

/* A step, and the one whose box it lies in: index into the list of all, -1: none. */
typedef struct
{
  JsonObject *object;
  int parent;
  double order;
} Step;

/* Appends the four numbers of a box; NaN, which no box has, where they are not. */
static void
append_box (GArray *row, JsonNode *node)
{
  JsonArray *box = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

  for (guint i = 0; i < 4; i++)
    {
      double number = box != NULL && json_array_get_length (box) == 4
                          ? sonde_json_to_number (json_array_get_element (box, i))
                          : NAN;

      g_array_append_val (row, number);
    }
}

/* @width: of a row, 0: a list of numbers. Takes @values. */
static SondeTensor *
make_table (GArray *values, int width)
{
  SondeShape shape = width > 0 ? sonde_shape_make (2, (int) values->len / width, width)
                               : sonde_shape_make (1, (int) values->len);
  SondeTensor *table = sonde_tensor_new (SONDE_DTYPE_F64, &shape);

  for (guint i = 0; i < values->len; i++)
    ((double *) (void *) table->data)[i] = g_array_index (values, double, i);
  g_array_unref (values);
  return table;
}

static SondeTensor *
make_boxes (JsonObject *object)
{
  JsonArray *layers = sonde_json_get_array (object, "boxes");
  GArray *values = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint l = 0; layers != NULL && l < json_array_get_length (layers); l++)
    {
      JsonNode *layer = json_array_get_element (layers, l);
      JsonArray *boxes = JSON_NODE_HOLDS_ARRAY (layer) ? json_node_get_array (layer) : NULL;

      for (guint i = 0; boxes != NULL && i < json_array_get_length (boxes); i++)
        {
          double at = l;

          g_array_append_val (values, at);
          append_box (values, json_array_get_element (boxes, i));
        }
    }
  return make_table (values, 5);
}

static SondeTensor *
make_numbers (JsonArray *numbers)
{
  GArray *values = g_array_new (FALSE, FALSE, sizeof (double));

  for (guint i = 0; numbers != NULL && i < json_array_get_length (numbers); i++)
    {
      double number = sonde_json_to_number (json_array_get_element (numbers, i));

      g_array_append_val (values, number);
    }
  return make_table (values, 0);
}

/* (nullable) */
static SondeTensor *
make_pruned (JsonArray *boxes)
{
  GArray *values = boxes != NULL ? g_array_new (FALSE, FALSE, sizeof (double)) : NULL;

  for (guint i = 0; boxes != NULL && i < json_array_get_length (boxes); i++)
    append_box (values, json_array_get_element (boxes, i));
  return boxes != NULL ? make_table (values, 4) : NULL;
}

static void
append_steps (GArray *steps, JsonArray *list, int parent)
{
  for (guint i = 0; list != NULL && i < json_array_get_length (list); i++)
    {
      JsonNode *node = json_array_get_element (list, i);
      Step step = { JSON_NODE_HOLDS_OBJECT (node) ? json_node_get_object (node) : NULL, parent, 0 };

      if (step.object == NULL)
        continue;
      step.order = sonde_json_get_number (step.object, "order");
      g_array_append_val (steps, step);
    }
}

static int
compare_order (gconstpointer a, gconstpointer b, gpointer data)
{
  const Step *steps = data;
  double x = steps[*(const guint *) a].order, y = steps[*(const guint *) b].order;

  return x < y ? -1 : x > y;
}

/* Of the tree, in the order in which they were taken. */
static SondeTensor *
make_steps (JsonObject *object)
{
  g_autoptr (GArray) steps = g_array_new (FALSE, FALSE, sizeof (Step));
  GArray *values = g_array_new (FALSE, FALSE, sizeof (double));
  g_autofree guint *order = NULL, *places = NULL;

  append_steps (steps, sonde_json_get_array (object, "tree"), -1);
  for (guint i = 0; i < steps->len; i++) /* grows */
    append_steps (steps, sonde_json_get_array (g_array_index (steps, Step, i).object, "children"),
                  (int) i);
  order = g_new (guint, steps->len + 1);
  places = g_new (guint, steps->len + 1);
  for (guint i = 0; i < steps->len; i++)
    order[i] = i;
  g_qsort_with_data (order, (int) steps->len, sizeof *order, compare_order, steps->data);
  for (guint i = 0; i < steps->len; i++)
    places[order[i]] = i;
  for (guint i = 0; i < steps->len; i++)
    {
      const Step *step = &g_array_index (steps, Step, order[i]);
      const double head[] = { sonde_json_get_number (step->object, "layer"),
                              step->parent < 0 ? -1 : (double) places[step->parent] };
      double out = sonde_json_get_number (step->object, "out");

      g_array_append_vals (values, head, G_N_ELEMENTS (head));
      append_box (values, json_object_get_member (step->object, "box"));
      g_array_append_val (values, out);
    }
  return make_table (values, 7);
}

SondeCounterfactual *
sonde_counterfactual_parse_json (GBytes *json, const char *name, GError **error)
{
  g_autoptr (JsonParser) parser = sonde_json_parse (json, name, MAX_NESTING, error);
  g_autoptr (SondeCounterfactual) boxes = NULL;
  SondeCounterfactualTables tables;
  const char *note;
  JsonObject *object;
  double target, candidates;
  gboolean good;

  if (parser == NULL)
    return NULL;
  object = json_node_get_object (json_parser_get_root (parser));
  boxes = sonde_counterfactual_new ();
  target = sonde_json_get_number (object, "target");
  candidates = sonde_json_get_number (object, "candidates_evaluated");
  boxes->spec = g_strdup ("");
  boxes->mask = g_strdup (sonde_json_get_text (object, "mask"));
  note = sonde_json_get_text (object, "note");
  boxes->note = note != NULL ? sonde_message_new_text (note) : NULL;
  boxes->target = target >= 0 && target <= G_MAXINT ? (int) target : -1;
  boxes->threshold = sonde_json_get_number (object, "threshold");
  boxes->original = sonde_json_get_number (object, "original");
  boxes->pruned_out = sonde_json_get_number (object, "pruned_out");
  boxes->area = sonde_json_get_number (object, "area");
  boxes->n_candidates = candidates >= 0 && candidates < 1e15 ? (guint64) candidates : 0;
  tables = (SondeCounterfactualTables){ make_boxes (object),
                                        make_numbers (sonde_json_get_array (object, "layer_out")),
                                        make_pruned (sonde_json_get_array (object, "pruned")),
                                        make_steps (object) };
  good = sonde_counterfactual_set_names (boxes, sonde_json_get_text (object, "by"),
                                         sonde_json_get_text (object, "result"), error)
         && sonde_counterfactual_take_tables (boxes, &tables, error);
  sonde_tensor_unref (tables.boxes);
  sonde_tensor_unref (tables.outputs);
  g_clear_pointer (&tables.pruned, sonde_tensor_unref);
  sonde_tensor_unref (tables.steps);
  if (good)
    return g_steal_pointer (&boxes);
  sonde_prefix_error (error, "%s: ", name);
  return NULL;
}
