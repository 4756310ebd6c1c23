/* SPDX-License-Identifier: Apache-2.0
 * JSON becomes the tables of a record: what can be in them is checked there. */
#include "app/pages/sonde-explained-boxes.h"

#include <math.h>

#include <json-glib/json-glib.h>

#include "data/base/sonde-error.h"
#include "data/base/sonde-json-depth.h"
#include "explain/study/sonde-study-record.h"

#define MAX_NESTING 64

/* A step, and the one whose box it lies in: index into the list of all, -1: none. */
typedef struct
{
  JsonObject *object;
  int parent;
  double order;
} Step;

/* NaN where there is no number. */
static double
number_of (JsonNode *node)
{
  GType type = node != NULL && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_value_type (node)
                                                            : G_TYPE_INVALID;

  return type == G_TYPE_INT64    ? (double) json_node_get_int (node)
         : type == G_TYPE_DOUBLE ? json_node_get_double (node)
                                 : NAN;
}

static double
get_number (JsonObject *object, const char *name)
{
  return number_of (json_object_get_member (object, name));
}

/* (nullable): lent */
static const char *
get_text (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);

  return node != NULL && JSON_NODE_HOLDS_VALUE (node)
                 && json_node_get_value_type (node) == G_TYPE_STRING
             ? json_node_get_string (node)
             : NULL;
}

/* (nullable): lent */
static JsonArray *
get_array (JsonObject *object, const char *name)
{
  JsonNode *node = json_object_get_member (object, name);

  return node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
}

/* Appends the four numbers of a box; NaN, which no box has, where they are not. */
static void
append_box (GArray *row, JsonNode *node)
{
  JsonArray *box = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;

  for (guint i = 0; i < 4; i++)
    {
      double number = box != NULL && json_array_get_length (box) == 4
                          ? number_of (json_array_get_element (box, i))
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
  JsonArray *layers = get_array (object, "boxes");
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
      double number = number_of (json_array_get_element (numbers, i));

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
      step.order = get_number (step.object, "order");
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

  append_steps (steps, get_array (object, "tree"), -1);
  for (guint i = 0; i < steps->len; i++) /* grows */
    append_steps (steps, get_array (g_array_index (steps, Step, i).object, "children"), (int) i);
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
      const double head[] = { get_number (step->object, "layer"),
                              step->parent < 0 ? -1 : (double) places[step->parent] };
      double out = get_number (step->object, "out");

      g_array_append_vals (values, head, G_N_ELEMENTS (head));
      append_box (values, json_object_get_member (step->object, "box"));
      g_array_append_val (values, out);
    }
  return make_table (values, 7);
}

static void
fill_record (SondeRecord *record, JsonObject *object)
{
  double target = get_number (object, "target"),
         candidates = get_number (object, "candidates_evaluated");

  record->kind = SONDE_RECORD_COUNTERFACTUAL;
  record->u.counterfactual.goal = g_strdup (get_text (object, "by"));
  record->u.counterfactual.result = g_strdup (get_text (object, "result"));
  record->u.counterfactual.mask = g_strdup (get_text (object, "mask"));
  record->u.counterfactual.remark = g_strdup (get_text (object, "note"));
  record->u.counterfactual.target = target >= 0 && target <= G_MAXINT ? (int) target : -1;
  record->u.counterfactual.threshold = get_number (object, "threshold");
  record->u.counterfactual.original = get_number (object, "original");
  record->u.counterfactual.masked = NAN;
  record->u.counterfactual.pruned_output = get_number (object, "pruned_out");
  record->u.counterfactual.area = get_number (object, "area");
  record->u.counterfactual.candidates
      = candidates >= 0 && candidates < 1e15 ? (guint64) candidates : 0;
  record->u.counterfactual.boxes = make_boxes (object);
  record->u.counterfactual.outputs = make_numbers (get_array (object, "layer_out"));
  record->u.counterfactual.pruned = make_pruned (get_array (object, "pruned"));
  record->u.counterfactual.steps = make_steps (object);
}

SondeStudyBoxes *
sonde_explained_boxes_parse (GBytes *json, const char *name, GError **error)
{
  gsize n;
  const char *text = g_bytes_get_data (json, &n);
  g_autoptr (JsonParser) parser = json_parser_new_immutable ();
  g_autoptr (GError) failure = NULL;
  SondeRecord record = { 0 };
  SondeStudyBoxes *boxes;

  if (!sonde_json_is_shallow ((const guint8 *) text, n, MAX_NESTING))
    {
      g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT, "%s: nested deeper than %d.",
                   name, MAX_NESTING);
      return NULL;
    }
  if (!json_parser_load_from_data (parser, text, (gssize) n, &failure)
      || json_parser_get_root (parser) == NULL
      || !JSON_NODE_HOLDS_OBJECT (json_parser_get_root (parser)))
    {
      g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED, "%s is no JSON object%s%s",
                   name, failure != NULL ? ": " : ".", failure != NULL ? failure->message : "");
      return NULL;
    }
  fill_record (&record, json_node_get_object (json_parser_get_root (parser)));
  boxes = sonde_study_boxes_from_record (&record, error);
  if (boxes == NULL)
    g_prefix_error (error, "%s: ", name);
  sonde_record_clear (&record);
  return boxes;
}
