/* SPDX-License-Identifier: Apache-2.0
 * Whoever wrote the tables, their numbers are checked. */
#include "data/explanations/sonde-counterfactual.h"

#include <math.h>

#include "data/base/sonde-error.h"

#define MOST_BOXES 65536
#define MOST_STEPS 4096
#define MOST_PIXELS 65536.0

static const char *const goals[] = { "unmasking", "masking", "flip" };
static const char *const statuses[] = { "ok", "no-valid-result", "below-threshold" };

const char *
sonde_occlusion_goal_name (SondeOcclusionGoal goal)
{
  return goals[goal];
}

const char *
sonde_occlusion_status_name (SondeOcclusionStatus status)
{
  return statuses[status];
}

/* ---- life ---------------------------------------------------------------- */

SondeCounterfactual *
sonde_counterfactual_new (void)
{
  SondeCounterfactual *boxes = g_new0 (SondeCounterfactual, 1);

  boxes->layers = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  boxes->steps = g_array_new (FALSE, FALSE, sizeof (SondeCounterfactualWindow));
  boxes->threshold = boxes->original = boxes->masked = boxes->pruned_out = boxes->area = NAN;
  return boxes;
}

void
sonde_counterfactual_free (SondeCounterfactual *counterfactual)
{
  if (counterfactual == NULL)
    return;
  g_free (counterfactual->spec);
  g_clear_pointer (&counterfactual->layers, g_ptr_array_unref);
  g_clear_pointer (&counterfactual->pruned, g_array_unref);
  g_clear_pointer (&counterfactual->steps, g_array_unref);
  g_free (counterfactual->mask);
  sonde_message_free (counterfactual->note);
  g_free (counterfactual);
}

double
sonde_counterfactual_measure_area (const SondeCounterfactual *boxes, int width, int height)
{
  const GArray *list = boxes->pruned != NULL ? boxes->pruned
                       : boxes->layers->len > 0
                           ? g_ptr_array_index (boxes->layers, boxes->layers->len - 1)
                           : NULL;
  gsize row = (gsize) MAX (width, 0) + 1, n = 0;
  g_autofree int *change
      = list != NULL && width > 0 && height > 0 ? g_new0 (int, row *((gsize) height + 1)) : NULL;

  /* Where boxes begin and end, summed along both axes: how many boxes cover a pixel. Boxes of
   * others may be many and large. */
  for (guint i = 0; change != NULL && i < list->len; i++)
    {
      const SondeBox *box = &g_array_index (list, SondeBox, i);
      gsize x0 = (gsize) MIN (box->x, width), x1 = (gsize) MIN (box->x + box->width, width);
      gsize y0 = (gsize) MIN (box->y, height), y1 = (gsize) MIN (box->y + box->height, height);

      change[y0 * row + x0]++;
      change[y0 * row + x1]--;
      change[y1 * row + x0]--;
      change[y1 * row + x1]++;
    }
  for (int y = 0; change != NULL && y < height; y++)
    for (gsize x = 0, at = (gsize) y * row; x < row; x++, at++)
      {
        change[at] += (x > 0 ? change[at - 1] : 0) + (y > 0 ? change[at - row] : 0)
                      - (x > 0 && y > 0 ? change[at - row - 1] : 0);
        n += change[at] > 0;
      }
  return change != NULL ? (double) n / ((double) width * height) : NAN;
}

/* ---- to tables ----------------------------------------------------------- */

static SondeTensor *
make_table (gint64 n, int width)
{
  SondeShape shape
      = width > 0 ? sonde_shape_make (2, (int) n, width) : sonde_shape_make (1, (int) n);

  return sonde_tensor_new (SONDE_DTYPE_F64, &shape);
}

static double *
row_of (SondeTensor *table, gint64 i)
{
  return (double *) (void *) table->data + i * (table->shape.rank == 2 ? table->shape.dims[1] : 1);
}

static void
put_box (double *to, const SondeBox *box)
{
  to[0] = box->x;
  to[1] = box->y;
  to[2] = box->width;
  to[3] = box->height;
}

static SondeTensor *
make_boxes_table (const SondeCounterfactual *boxes)
{
  gint64 n = 0;
  SondeTensor *table;

  for (guint l = 0; l < boxes->layers->len; l++)
    n += ((GArray *) g_ptr_array_index (boxes->layers, l))->len;
  table = make_table (n, 5);
  n = 0;
  for (guint l = 0; l < boxes->layers->len; l++)
    {
      const GArray *list = g_ptr_array_index (boxes->layers, l);

      for (guint i = 0; i < list->len; i++, n++)
        {
          row_of (table, n)[0] = l;
          put_box (row_of (table, n) + 1, &g_array_index (list, SondeBox, i));
        }
    }
  return table;
}

static SondeTensor *
make_steps_table (const SondeCounterfactual *boxes)
{
  SondeTensor *table = make_table (boxes->steps->len, 7);

  for (guint i = 0; i < boxes->steps->len; i++)
    {
      const SondeCounterfactualWindow *step
          = &g_array_index (boxes->steps, SondeCounterfactualWindow, i);
      double *row = row_of (table, i);

      row[0] = step->layer;
      row[1] = step->parent;
      put_box (row + 2, &step->box);
      row[6] = step->after;
    }
  return table;
}

void
sonde_counterfactual_make_tables (const SondeCounterfactual *counterfactual,
                                  SondeCounterfactualTables *tables)
{
  const SondeCounterfactual *boxes = counterfactual;

  tables->boxes = make_boxes_table (boxes);
  tables->outputs = make_table (boxes->layers->len, 0);
  for (guint l = 0; l < boxes->layers->len; l++)
    *row_of (tables->outputs, l) = boxes->layer_out[l];
  tables->steps = make_steps_table (boxes);
  tables->pruned = boxes->pruned != NULL ? make_table (boxes->pruned->len, 4) : NULL;
  for (guint i = 0; boxes->pruned != NULL && i < boxes->pruned->len; i++)
    put_box (row_of (tables->pruned, i), &g_array_index (boxes->pruned, SondeBox, i));
}

/* ---- from files of anyone ------------------------------------------------ */

static gboolean
refuse (GError **error, const char *what)
{
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "The counterfactual regions are invalid: %-s.", what);
  return FALSE;
}

/* The index of a word; -1: it is none of them. */
static int
find_word (const char *word, const char *const *words, int n)
{
  for (int i = 0; i < n; i++)
    if (g_strcmp0 (word, words[i]) == 0)
      return i;
  return -1;
}

gboolean
sonde_counterfactual_set_names (SondeCounterfactual *counterfactual, const char *goal,
                                const char *status, GError **error)
{
  int g = find_word (goal, goals, G_N_ELEMENTS (goals)),
      s = find_word (status, statuses, G_N_ELEMENTS (statuses));

  if (g < 0 || s < 0)
    return refuse (error, g < 0 ? N_ ("unknown goal") : N_ ("unknown result"));
  counterfactual->goal = (SondeOcclusionGoal) g;
  counterfactual->status = (SondeOcclusionStatus) s;
  return TRUE;
}

/* A whole number within pixels. */
static gboolean
take_pixels (double value, double least, int *pixels)
{
  if (!(value >= least && value <= MOST_PIXELS) || value != floor (value))
    return FALSE;
  *pixels = (int) value;
  return TRUE;
}

static gboolean
take_box (const double *from, SondeBox *box)
{
  return take_pixels (from[0], 0, &box->x) && take_pixels (from[1], 0, &box->y)
         && take_pixels (from[2], 1, &box->width) && take_pixels (from[3], 1, &box->height);
}

static gboolean
take_layers (SondeCounterfactual *boxes, const SondeCounterfactualTables *tables)
{
  SondeTensor *outputs = tables->outputs;
  g_autoptr (SondeTensor) table = sonde_tensor_contiguous (tables->boxes);
  gint64 n = sonde_tensor_n_elements (outputs);

  if (n > SONDE_OCCLUSION_MAX_LAYERS || table->shape.dims[0] > MOST_BOXES)
    return FALSE;
  for (gint64 l = 0; l < n; l++)
    {
      boxes->layer_out[l] = sonde_tensor_get_double (outputs, l);
      g_ptr_array_add (boxes->layers, g_array_new (FALSE, FALSE, sizeof (SondeBox)));
    }
  for (gint64 i = 0; i < table->shape.dims[0]; i++)
    {
      const double *row = row_of (table, i);
      SondeBox box;

      if (!(row[0] >= 0 && row[0] < (double) n) || !take_box (row + 1, &box))
        return FALSE;
      g_array_append_val ((GArray *) g_ptr_array_index (boxes->layers, (guint) row[0]), box);
    }
  return TRUE;
}

static gboolean
take_pruned (SondeCounterfactual *boxes, const SondeCounterfactualTables *tables)
{
  g_autoptr (SondeTensor) table
      = tables->pruned != NULL ? sonde_tensor_contiguous (tables->pruned) : NULL;

  if (table == NULL)
    return TRUE;
  if (table->shape.dims[0] > MOST_BOXES)
    return FALSE;
  boxes->pruned = g_array_new (FALSE, FALSE, sizeof (SondeBox));
  for (gint64 i = 0; i < table->shape.dims[0]; i++)
    {
      SondeBox box;

      if (!take_box (row_of (table, i), &box))
        return FALSE;
      g_array_append_val (boxes->pruned, box);
    }
  return TRUE;
}

static gboolean
take_steps (SondeCounterfactual *boxes, const SondeCounterfactualTables *tables)
{
  g_autoptr (SondeTensor) table = sonde_tensor_contiguous (tables->steps);

  if (table->shape.dims[0] > MOST_STEPS)
    return FALSE;
  for (gint64 i = 0; i < table->shape.dims[0]; i++)
    {
      const double *row = row_of (table, i);
      SondeCounterfactualWindow step = { .after = row[6], .change = NAN, .order = (guint) i };

      if (!(row[0] >= 0 && row[0] < SONDE_OCCLUSION_MAX_LAYERS)
          || !(row[1] >= -1 && row[1] < (double) i) || row[1] != floor (row[1])
          || !take_box (row + 2, &step.box))
        return FALSE;
      step.layer = (guint) row[0];
      step.parent = (int) row[1];
      g_array_append_val (boxes->steps, step);
    }
  return TRUE;
}

gboolean
sonde_counterfactual_take_tables (SondeCounterfactual *counterfactual,
                                  const SondeCounterfactualTables *tables, GError **error)
{
  if (!take_layers (counterfactual, tables) || !take_pruned (counterfactual, tables))
    return refuse (error, N_ ("invalid layer or region"));
  return take_steps (counterfactual, tables) || refuse (error, N_ ("invalid step"));
}

gboolean
sonde_counterfactual_add_layer (SondeCounterfactual *counterfactual, double output,
                                const int *boxes, gsize n, GError **error)
{
  GArray *list = g_array_new (FALSE, FALSE, sizeof (SondeBox));
  guint l = counterfactual->layers->len;

  g_ptr_array_add (counterfactual->layers, list);
  if (l >= SONDE_OCCLUSION_MAX_LAYERS || n > MOST_BOXES)
    return refuse (error, N_ ("too many layers or regions"));
  counterfactual->layer_out[l] = output;
  for (gsize i = 0; i < n; i++)
    {
      const double numbers[]
          = { boxes[4 * i], boxes[4 * i + 1], boxes[4 * i + 2], boxes[4 * i + 3] };
      SondeBox box;

      if (!take_box (numbers, &box))
        return refuse (error, N_ ("invalid region"));
      g_array_append_val (list, box);
    }
  return TRUE;
}
