/* SPDX-License-Identifier: Apache-2.0
 * What the values of each plugin are, and the contents of those made of numbers: histograms,
 * tensors, PR curves, meshes. What fits no plugin's form is a plain tensor, never an error. */
#include "data/records/tensorboard/sonde-tensorboard-private.h"

#include <math.h>

#include "data/base/sonde-error.h"
#include "data/records/sonde-record-text.h"
#include "data/records/tensorboard.pb-c.h"
#include "data/records/tensorboard/sonde-graph-def-private.h"
#include "data/wire/sonde-wire-decode.h"

#define DTYPE_FLOAT 1
#define DTYPE_DOUBLE 2
#define DTYPE_STRING 7

/* ---- kinds --------------------------------------------------------------- */

static gboolean
is_matrix (const SondeTensorProto *tensor, gint64 rows, gint64 columns)
{
  return tensor->rank == 2 && (rows < 0 || tensor->dims[0] == rows)
         && (columns < 0 || tensor->dims[1] == columns) && tensor->dtype != DTYPE_STRING
         && sonde_tensor_proto_get_dtype (tensor->dtype, NULL) != SONDE_DTYPE_INVALID;
}

/* Without metadata, or before they were seen: by what the tensor looks like. */
static SondePlugin
guess (const SondeTensorProto *tensor)
{
  SondeBytes string = { 0 };
  double number;
  int width, height;

  if (tensor->dtype == DTYPE_STRING)
    {
      if (tensor->rank == 1 && sonde_tensor_get_string (tensor, 2, &string)
          && sonde_picture_sniff (string, &width, &height))
        return SONDE_PLUGIN_IMAGES;
      if (sonde_tensor_get_string (tensor, 0, &string) && string.length >= 12
          && memcmp (string.at, "RIFF", 4) == 0)
        return SONDE_PLUGIN_AUDIO;
      return SONDE_PLUGIN_TEXT;
    }
  if (sonde_tensor_proto_get_number (tensor, &number))
    return SONDE_PLUGIN_SCALARS;
  if (tensor->dtype != DTYPE_FLOAT && tensor->dtype != DTYPE_DOUBLE)
    return SONDE_PLUGIN_TENSOR;
  if (is_matrix (tensor, -1, 3))
    return SONDE_PLUGIN_HISTOGRAMS;
  return is_matrix (tensor, 6, -1) ? SONDE_PLUGIN_PR_CURVES : SONDE_PLUGIN_TENSOR;
}

/* What the plugin's values are; TENSOR when this one has not its form. */
static SondeRecordKind
kind_of_tensor (SondePlugin plugin, const SondeTensorProto *tensor, guint *n)
{
  const gboolean is_string = tensor->dtype == DTYPE_STRING;
  const guint64 n_strings = sonde_tensor_proto_count_strings (tensor);

  switch (plugin)
    {
    case SONDE_PLUGIN_HISTOGRAMS:
      return is_matrix (tensor, -1, 3) ? SONDE_RECORD_HISTOGRAM : SONDE_RECORD_TENSOR;
    case SONDE_PLUGIN_PR_CURVES:
      return is_matrix (tensor, 6, -1) ? SONDE_RECORD_PR_CURVE : SONDE_RECORD_TENSOR;
    case SONDE_PLUGIN_MESH:
      return is_string ? SONDE_RECORD_TENSOR : SONDE_RECORD_MESH;
    case SONDE_PLUGIN_IMAGES:
      *n = (guint) MIN (n_strings, G_MAXUINT) - (n_strings > 2 ? 2 : 0);
      if (is_string && n_strings > 2)
        return SONDE_RECORD_IMAGE;
      *n = 1;
      return SONDE_RECORD_OTHER; /* a step with no picture */
    case SONDE_PLUGIN_AUDIO:
      *n = (guint) MIN (tensor->rank == 2 && tensor->dims[1] == 2 ? n_strings / 2 : n_strings,
                        G_MAXUINT);
      if (is_string && *n > 0)
        return SONDE_RECORD_AUDIO;
      *n = 1;
      return SONDE_RECORD_OTHER;
    case SONDE_PLUGIN_TEXT:
      return is_string ? SONDE_RECORD_TEXT : SONDE_RECORD_TENSOR;
    case SONDE_PLUGIN_CUSTOM_SCALARS:
      return n_strings > 0 ? SONDE_RECORD_CUSTOM_SCALARS : SONDE_RECORD_TENSOR;
    case SONDE_PLUGIN_GRAPHS:
    case SONDE_PLUGIN_GRAPH_RUN_METADATA_GRAPH:
    case SONDE_PLUGIN_GRAPH_KERAS_MODEL:
      return n_strings > 0 ? SONDE_RECORD_GRAPH : SONDE_RECORD_TENSOR;
    case SONDE_PLUGIN_GRAPH_RUN_METADATA:
      *n = n_strings > 0 ? 2 : 1;
      return n_strings > 0 ? SONDE_RECORD_RUN_METADATA : SONDE_RECORD_TENSOR;
    case SONDE_PLUGIN_OTHER:
      return SONDE_RECORD_OTHER;
    default:
      return sonde_tensor_proto_get_dtype (tensor->dtype, NULL) != SONDE_DTYPE_INVALID
                 ? SONDE_RECORD_TENSOR
                 : SONDE_RECORD_OTHER;
    }
}

guint
sonde_plugin_classify (SondePlugin plugin, const SondeEventValue *value, SondeRecordKind *kind,
                       double *number)
{
  guint n = 1;

  *number = value->number;
  *kind = SONDE_RECORD_OTHER;
  if (value->form == SONDE_FORM_NUMBER)
    return 0;
  if (plugin == SONDE_PLUGIN_HPARAMS)
    *kind = SONDE_RECORD_HPARAMS;
  else if (value->form == SONDE_FORM_IMAGE)
    *kind = SONDE_RECORD_IMAGE;
  else if (value->form == SONDE_FORM_AUDIO)
    *kind = SONDE_RECORD_AUDIO;
  else if (value->form == SONDE_FORM_HISTOGRAM)
    *kind = SONDE_RECORD_HISTOGRAM;
  else if (value->form == SONDE_FORM_TENSOR)
    {
      if (plugin == SONDE_PLUGIN_NOT_SAID)
        plugin = guess (&value->tensor);
      if (plugin == SONDE_PLUGIN_SCALARS && sonde_tensor_proto_get_number (&value->tensor, number))
        return 0;
      *kind = kind_of_tensor (plugin, &value->tensor, &n);
    }
  return n;
}

/* ---- histograms ---------------------------------------------------------- */

static gboolean
check_buckets (const double *limits, const double *counts, gsize n, GError **error)
{
  for (gsize i = 0; i < n; i++)
    {
      if (isnan (limits[i]) || (i > 0 && limits[i] < limits[i - 1]))
        return sonde_record_damaged (
            error, "The limits of the histogram do not increase at bucket %zu", i);
      if (!(counts[i] >= 0))
        return sonde_record_damaged (error, "Bucket %zu of the histogram has the count %g", i,
                                     counts[i]);
    }
  return TRUE;
}

/* Empty outer buckets go, the outermost edges are then the smallest and largest number; their own
 * are often ±DBL_MAX. (As TensorBoard's data_compat.py does.) */
static gboolean
read_buckets (const SondePluginValue *value, SondeRecord *record, GError **error)
{
  const SondeBytes message = value->value->content;
  const Tensorboard__HistogramProto *histogram
      = sonde_wire_decode (&tensorboard__histogram_proto__descriptor, message.at, message.length,
                           NULL, NULL, value->arena, error);
  const double *limits, *counts;
  gsize start = 0, end;
  SondeBins *bins;

  if (histogram == NULL)
    return FALSE;
  limits = histogram->bucket_limit;
  counts = histogram->bucket;
  end = histogram->n_bucket;
  if (histogram->n_bucket_limit != end)
    return sonde_record_damaged (error, "Histogram has %zu limits but %zu counts",
                                 histogram->n_bucket_limit, end);
  if (!check_buckets (limits, counts, end, error))
    return FALSE;
  while (start < end && counts[start] <= 0)
    start++;
  while (end > start && counts[end - 1] <= 0)
    end--;
  bins = record->u.bins = sonde_bins_new (end - start);
  if (bins == NULL)
    return sonde_record_damaged (error, "Not enough memory for a histogram of %zu buckets",
                                 end - start);
  for (gsize i = 0; i < bins->n; i++)
    {
      bins->lefts[i] = i == 0 ? histogram->min : limits[start + i - 1];
      bins->rights[i] = i + 1 == bins->n ? histogram->max : limits[start + i];
      bins->counts[i] = counts[start + i];
    }
  bins->min = histogram->min;
  bins->max = histogram->max;
  bins->count = histogram->num;
  bins->sum = histogram->sum;
  bins->sum_squares = histogram->sum_squares;
  return TRUE;
}

static SondeTensor *
make_tensor (const SondePluginValue *value, SondeDtype dtype, GError **error)
{
  SondeBudget budget;
  g_autoptr (SondeTensor) tensor = NULL;

  sonde_budget_init (&budget, SONDE_BUDGET_PARSE_BYTES, N_ ("a record"));
  tensor = sonde_tensor_proto_to_tensor (&value->value->tensor, &budget, N_ ("tensor of the value"),
                                         error);
  if (tensor == NULL || dtype == SONDE_DTYPE_INVALID || tensor->dtype == dtype)
    return g_steal_pointer (&tensor);
  return sonde_tensor_try_cast (tensor, dtype, N_ ("tensor of the value"), error);
}

/* [k, 3]: left, right, count. */
static gboolean
read_rows (const SondePluginValue *value, SondeRecord *record, GError **error)
{
  g_autoptr (SondeTensor) rows = make_tensor (value, SONDE_DTYPE_F64, error);
  const double *row;
  SondeBins *bins;

  if (rows == NULL)
    return FALSE;
  bins = record->u.bins = sonde_bins_new ((gsize) rows->shape.dims[0]);
  if (bins == NULL)
    return sonde_record_damaged (error, "Not enough memory for a histogram of %" PRIi64 " buckets",
                                 rows->shape.dims[0]);
  row = (const double *) rows->data;
  for (gsize i = 0; i < bins->n; i++, row += 3)
    {
      if (isnan (row[0]) || isnan (row[1]) || !(row[2] >= 0))
        return sonde_record_damaged (error, "Row %zu of the histogram is %g, %g, %g", i, row[0],
                                     row[1], row[2]);
      bins->lefts[i] = row[0];
      bins->rights[i] = row[1];
      bins->counts[i] = row[2];
    }
  return TRUE;
}

gboolean
sonde_plugin_read_histogram (const SondePluginValue *value, SondeRecord *record, GError **error)
{
  return value->value->form == SONDE_FORM_HISTOGRAM ? read_buckets (value, record, error)
                                                    : read_rows (value, record, error);
}

/* ---- other numbers ------------------------------------------------------- */

gboolean
sonde_plugin_read_pr_curve (const SondePluginValue *value, SondeRecord *record, GError **error)
{
  record->u.pr_curve.rows = make_tensor (value, SONDE_DTYPE_F64, error);
  return record->u.pr_curve.rows != NULL;
}

static gboolean
read_tensor (const SondePluginValue *value, SondeRecord *record, GError **error)
{
  record->u.tensor = make_tensor (value, SONDE_DTYPE_INVALID, error);
  return record->u.tensor != NULL;
}

gboolean
sonde_plugin_read_mesh (const SondePluginValue *value, SondeRecord *record, GError **error)
{
  static const SondeDtype dtypes[]
      = { SONDE_DTYPE_INVALID, SONDE_DTYPE_F32, SONDE_DTYPE_I32, SONDE_DTYPE_U8 };
  const Tensorboard__MeshPluginData *mesh
      = sonde_wire_decode (&tensorboard__mesh_plugin_data__descriptor, value->content.at,
                           value->content.length, NULL, NULL, value->arena, error);

  if (mesh == NULL)
    return FALSE;
  record->u.mesh.name = sonde_record_dup_bytes (mesh->name);
  if (mesh->content_type < G_N_ELEMENTS (dtypes))
    record->u.mesh.part = (SondeMeshPart) mesh->content_type;
  if (mesh->json_config.len > 0)
    record->u.mesh.settings = sonde_record_dup_bytes (mesh->json_config);
  record->u.mesh.values = make_tensor (value, dtypes[record->u.mesh.part], error);
  return record->u.mesh.values != NULL;
}

/* ---- all ----------------------------------------------------------------- */

/* Whoever it is for understands it; shown are the tensor, if it is one, and the bytes. */
static gboolean
read_other (const SondePluginValue *value, SondeRecord *record, GError **error)
{
  const SondeEventValue *of = value->value;
  SondeBytes content = value->content;

  record->u.other.plugin = g_strdup (value->plugin_name != NULL ? value->plugin_name : "");
  record->u.other.bytes
      = value->content.length + (of->form != SONDE_FORM_NONE ? of->content.length : 0);
  if (of->form == SONDE_FORM_TENSOR)
    record->u.other.tensor = make_tensor (value, SONDE_DTYPE_INVALID, NULL);
  if (content.length == 0 && record->u.other.tensor == NULL && of->form != SONDE_FORM_NONE)
    content = of->content;
  if (content.length > 0)
    record->u.other.content = g_bytes_new (content.at, content.length);
  return TRUE;
}

static gboolean
read_run_metadata (const SondePluginValue *value, SondeRecord *record, GError **error)
{
  SondeBytes message;

  if (!sonde_plugin_get_string (value, 0, &message, error))
    return FALSE;
  record->u.run_metadata.message = g_bytes_new (message.at, message.length);
  return TRUE;
}

gboolean
sonde_plugin_read (const SondePluginValue *value, SondeRecord *record, GError **error)
{
  static gboolean (*const readers[SONDE_N_RECORD_KINDS]) (const SondePluginValue *, SondeRecord *,
                                                          GError **)
      = {
          [SONDE_RECORD_HISTOGRAM] = sonde_plugin_read_histogram,
          [SONDE_RECORD_IMAGE] = sonde_plugin_read_image,
          [SONDE_RECORD_AUDIO] = sonde_plugin_read_audio,
          [SONDE_RECORD_TEXT] = sonde_plugin_read_text,
          [SONDE_RECORD_TENSOR] = read_tensor,
          [SONDE_RECORD_GRAPH] = sonde_plugin_read_graph,
          [SONDE_RECORD_HPARAMS] = sonde_plugin_read_hparams,
          [SONDE_RECORD_PR_CURVE] = sonde_plugin_read_pr_curve,
          [SONDE_RECORD_MESH] = sonde_plugin_read_mesh,
          [SONDE_RECORD_CUSTOM_SCALARS] = sonde_plugin_read_custom_scalars,
          [SONDE_RECORD_RUN_METADATA] = read_run_metadata,
          [SONDE_RECORD_OTHER] = read_other,
        };

  return readers[record->kind](value, record, error);
}

/* ---- graphs -------------------------------------------------------------- */

gboolean
sonde_plugin_read_graph (const SondePluginValue *value, SondeRecord *record, GError **error)
{
  SondeBytes bytes;

  if (!sonde_plugin_get_string (value, 0, &bytes, error))
    return FALSE;
  if (value->plugin == SONDE_PLUGIN_GRAPHS)
    return sonde_event_read_graph (bytes, record, error);
  record->u.graph.graph = value->plugin == SONDE_PLUGIN_GRAPH_KERAS_MODEL
                              ? sonde_keras_json_to_graph (bytes, error)
                              : sonde_graph_def_of_run_metadata (bytes, error);
  return record->u.graph.graph != NULL;
}
