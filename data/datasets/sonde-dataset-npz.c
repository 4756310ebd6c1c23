/* SPDX-License-Identifier: Apache-2.0
 * Ready batches in an .npz: x0, y0, x1, y1 … They go to the model as they are; sample by sample
 * they can be looked at as numbers. Without an x0 the arrays are samples
 * (sonde-dataset-arrays.c). */
#include "data/datasets/sonde-dataset-sources.h"

#include <string.h>

#include "data/arrays/sonde-npz.h"
#include "data/base/sonde-checked.h"
#include "data/base/sonde-error.h"
#include "data/datasets/sonde-dataset-arrays.h"
#include "data/datasets/sonde-dataset-request.h"

#define MAX_CLASSES 100000

typedef struct
{
  SondeDataset base;
  SondeNamedTensors *arrays; /* owned */
  guint n_batches;
  guint *begins; /* number of the first sample of each batch, and one behind the last; owned */
} Ready;

static const SondeDatasetClass ready_class;

static SondeTensor *
array_of (const Ready *ready, char letter, guint batch)
{
  char name[16];

  g_snprintf (name, sizeof name, "%c%u", letter, batch);
  return sonde_named_tensors_lookup (ready->arrays, name);
}

static gboolean
fail (GError **error, const char *path, guint batch, const char *reason)
{
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID, "“%s”, batch %u: %-s", path,
                   batch, reason);
  return FALSE;
}

/* As x0 but for the number of samples. */
static gboolean
like_first (const SondeTensor *first, const SondeTensor *x)
{
  SondeShape shape = x->shape;

  if (shape.rank > 0)
    shape.dims[0] = first->shape.dims[0];
  return x->dtype == first->dtype && sonde_shape_equal (&shape, &first->shape);
}

static gboolean
check_batch (const Ready *ready, const char *path, guint batch, GError **error)
{
  const SondeTensor *first = array_of (ready, 'x', 0);
  const SondeTensor *x = array_of (ready, 'x', batch);
  const SondeTensor *y = array_of (ready, 'y', batch);

  if (y == NULL)
    return fail (error, path, batch, N_ ("there is an x but no y"));
  if (x->dtype == SONDE_DTYPE_STRING || y->dtype == SONDE_DTYPE_STRING)
    return fail (error, path, batch, N_ ("strings cannot be samples"));
  if (x->shape.rank == 0 || x->shape.dims[0] == 0 || sonde_tensor_n_elements (x) == 0)
    return fail (error, path, batch, N_ ("x holds no samples; its first dimension counts them"));
  if (!like_first (first, x))
    return fail (error, path, batch, N_ ("x has another shape or dtype than x0"));
  if (y->shape.rank == 0 || y->shape.dims[0] != x->shape.dims[0])
    return fail (error, path, batch, N_ ("x and y hold different numbers of samples"));
  return TRUE;
}

/* Whoever takes them counts batches from the number of samples and the size of the first. */
static gboolean
check_sizes (const Ready *ready, const char *path, GError **error)
{
  gint64 first = array_of (ready, 'x', 0)->shape.dims[0];

  for (guint i = 1; i < ready->n_batches; i++)
    {
      gint64 n = array_of (ready, 'x', i)->shape.dims[0];

      if (n > first || (n < first && i + 1 < ready->n_batches))
        return fail (
            error, path, i,
            N_ ("it holds another number of samples than batch 0; only the last may hold fewer"));
    }
  return TRUE;
}

static gboolean
check_batches (Ready *ready, const char *path, GError **error)
{
  gint64 n = 0;

  while (array_of (ready, 'x', ready->n_batches) != NULL)
    ready->n_batches++;
  ready->begins = g_new0 (guint, ready->n_batches + 1);
  for (guint i = 0; i < ready->n_batches; i++)
    {
      if (!check_batch (ready, path, i, error))
        return FALSE;
      n += array_of (ready, 'x', i)->shape.dims[0];
      if (n > G_MAXINT)
        return fail (error, path, i, N_ ("too many samples"));
      ready->begins[i + 1] = (guint) n;
    }
  ready->base.n = (guint) n;
  return check_sizes (ready, path, error);
}

/* [n, C, H, W] are images of any number of channels up to 4, all else is one row. */
static gboolean
find_shape (Ready *ready, const char *path, GError **error)
{
  const SondeTensor *x = array_of (ready, 'x', 0);
  gint64 elements = sonde_tensor_n_elements (x) / x->shape.dims[0];
  gboolean image = x->shape.rank == 4 && x->shape.dims[1] <= 4;

  if (elements > G_MAXINT / 8)
    return fail (error, path, 0, N_ ("a sample has too many elements"));
  ready->base.channels = image ? (int) x->shape.dims[1] : 1;
  ready->base.height = image ? (int) x->shape.dims[2] : 1;
  ready->base.width = image ? (int) x->shape.dims[3] : (int) elements;
  ready->base.test_begin = -1;
  for (int c = 0; c < 4; c++)
    ready->base.std[c] = 1;
  return TRUE;
}

static void
name_classes (Ready *ready)
{
  gint64 n = 0;

  for (guint i = 0; i < ready->base.n; i++)
    n = MAX (n, ready_class.get_label (&ready->base, i) + 1);
  sonde_dataset_number_classes (&ready->base, n <= MAX_CLASSES ? (guint) n : 0);
}

SondeDataset *
sonde_dataset_npz_open (SondeDatasetRequest *request, GError **error)
{
  g_autoptr (SondeNamedTensors) arrays
      = sonde_npz_read (request->options->io, request->argument, error);
  g_autoptr (SondeDataset) dataset = NULL;
  Ready *ready;

  if (arrays == NULL)
    return NULL;
  if (sonde_named_tensors_lookup (arrays, "x0") == NULL)
    return sonde_dataset_arrays_new (request, g_steal_pointer (&arrays), request->argument, error);
  ready = g_new0 (Ready, 1);
  dataset = &ready->base;
  dataset->klass = &ready_class;
  ready->arrays = g_steal_pointer (&arrays);
  if (!check_batches (ready, request->argument, error)
      || !find_shape (ready, request->argument, error))
    return NULL;
  name_classes (ready);
  return g_steal_pointer (&dataset);
}

/* The batch that holds *@sample, which becomes its position there. */
static guint
batch_of (const Ready *ready, guint *sample)
{
  guint low = 0, high = ready->n_batches;

  while (high - low > 1)
    {
      guint middle = (low + high) / 2;

      *(ready->begins[middle] <= *sample ? &low : &high) = middle;
    }
  *sample -= ready->begins[low];
  return low;
}

static gboolean
ready_fill (SondeDataset *dataset, guint sample, void *into, GError **error)
{
  Ready *ready = (Ready *) dataset;
  guint batch = batch_of (ready, &sample);
  const SondeTensor *x = array_of (ready, 'x', batch); /* contiguous, as all arrays out of a file */
  gsize n = (gsize) (sonde_tensor_n_elements (x) / x->shape.dims[0]);

  sonde_dtype_convert (x->dtype, x->data + sample * n * sonde_dtype_size (x->dtype),
                       SONDE_DTYPE_F32, into, n);
  return TRUE;
}

static gint64
ready_get_label (SondeDataset *dataset, guint sample)
{
  Ready *ready = (Ready *) dataset;
  guint batch = batch_of (ready, &sample);
  const SondeTensor *y = array_of (ready, 'y', batch);

  if (y->shape.rank != 1 || !sonde_dtype_is_integer (y->dtype))
    return -1;
  return MAX (sonde_tensor_get_int (y, sample), -1);
}

static char *
ready_dup_name (SondeDataset *dataset, guint sample)
{
  guint batch = batch_of ((Ready *) dataset, &sample);

  return g_strdup_printf ("x%u[%u]", batch, sample);
}

static guint
ready_get_n (SondeDataset *dataset)
{
  return ((Ready *) dataset)->n_batches;
}

static void
ready_get (SondeDataset *dataset, guint batch, SondeTensor **x, SondeTensor **y)
{
  *x = array_of ((Ready *) dataset, 'x', batch);
  *y = array_of ((Ready *) dataset, 'y', batch);
}

static void
ready_free (SondeDataset *dataset)
{
  Ready *ready = (Ready *) dataset;

  sonde_named_tensors_free (ready->arrays);
  g_free (ready->begins);
  g_free (ready);
}

static const SondeDatasetClass ready_class = {
  .name = "npz",
  .free = ready_free,
  .fill = ready_fill,
  .get_label = ready_get_label,
  .dup_name = ready_dup_name,
  .get_n_ready = ready_get_n,
  .get_ready = ready_get,
};
