/* SPDX-License-Identifier: Apache-2.0
 * Quantised values, tensors that are made of sizes and numbers, and what chooses among elements. */
#include <math.h>
#include <string.h>

#include "data/models/mindir/sonde-mindir-term.h"
#include "data/models/mindir/write/sonde-mindir-writer.h"

#define IN(index) sonde_mindir_in (w, node, index)
#define CALL(primitive, ...) sonde_mindir_call (w, primitive, SONDE_NAMES (__VA_ARGS__))
#define VALUE(index) sonde_node_get_input (node, index)

static const char *
cast (SondeMindirWriter *w, const char *x, SondeDtype dtype)
{
  return CALL ("Cast", x, sonde_mindir_write_int (w, sonde_mindir_id_of_dtype (dtype)));
}

/* ---- quantised ----------------------------------------------------------- */

/* A list of numbers, one a channel, in a shape that goes with the input. */
static const char *
spread (SondeMindirWriter *w, const SondeNode *node, guint index)
{
  const SondeGraphValue *x = VALUE (0), *value = VALUE (index);
  gint64 axis = sonde_node_get_int (node, "axis", 1), sizes[SONDE_MAX_RANK];
  const int rank = x->type.rank;

  axis += axis < 0 ? rank : 0;
  if (value->type.rank != 1 || rank < 1 || axis < 0 || axis >= rank)
    return IN (index);
  for (int i = 0; i < rank; i++)
    sizes[i] = i == axis ? -1 : 1;
  return CALL ("Reshape", IN (index), sonde_mindir_write_ints (w, sizes, (gsize) rank));
}

static gboolean
is_by_channel (const SondeNode *node)
{
  const SondeGraphValue *x = VALUE (0), *scale = VALUE (1);

  return sonde_node_get_int (node, "block_size", 0) == 0 && x != NULL && scale != NULL
         && (scale->type.rank == 0 || (scale->type.rank == 1 && x->type.rank >= 0));
}

static gboolean
get_range (SondeDtype dtype, double *least, double *largest)
{
  static const struct
  {
    SondeDtype dtype;
    double least, largest;
  } ranges[] = { { SONDE_DTYPE_I8, -128, 127 },
                 { SONDE_DTYPE_U8, 0, 255 },
                 { SONDE_DTYPE_I16, -32768, 32767 },
                 { SONDE_DTYPE_U16, 0, 65535 } };

  for (guint i = 0; i < G_N_ELEMENTS (ranges); i++)
    if (ranges[i].dtype == dtype)
      {
        *least = ranges[i].least;
        *largest = ranges[i].largest;
        return TRUE;
      }
  return FALSE;
}

static void
write_quantise (SondeMindirWriter *w, const SondeNode *node)
{
  const SondeGraphValue *y = sonde_node_get_output (node, 0);
  double least, largest;
  const char *q;

  if (!is_by_channel (node) || y == NULL || !get_range (y->type.dtype, &least, &largest))
    {
      sonde_mindir_cannot (w, node, N_ ("MindSpore has not its form of quantised numbers"));
      return;
    }
  q = CALL ("Round", CALL ("Div", IN (0), spread (w, node, 1)), sonde_mindir_write_int (w, 0));
  if (VALUE (2) != NULL)
    q = CALL ("Add", q, cast (w, spread (w, node, 2), SONDE_DTYPE_F32));
  q = CALL ("Maximum", q, sonde_mindir_write_number (w, least, VALUE (0)));
  q = CALL ("Minimum", q, sonde_mindir_write_number (w, largest, VALUE (0)));
  sonde_mindir_set (w, node, 0, cast (w, q, y->type.dtype));
}

static void
write_dequantise (SondeMindirWriter *w, const SondeNode *node)
{
  const SondeGraphValue *y = sonde_node_get_output (node, 0);
  const char *x;

  if (!is_by_channel (node) || y == NULL || y->type.dtype == SONDE_DTYPE_INVALID)
    {
      sonde_mindir_cannot (w, node, N_ ("MindSpore has not its form of quantised numbers"));
      return;
    }
  x = cast (w, IN (0), y->type.dtype);
  if (VALUE (2) != NULL)
    x = CALL ("Sub", x, cast (w, spread (w, node, 2), y->type.dtype));
  sonde_mindir_set (w, node, 0, CALL ("Mul", x, spread (w, node, 1)));
}

/* ---- made of sizes ------------------------------------------------------- */

/* A number, not a tensor. */
static const char *
get_scalar (SondeMindirWriter *w, const SondeNode *node, guint index)
{
  const SondeTensor *known = sonde_mindir_known (node, index);

  if (known == NULL)
    return CALL ("TensorToScalar", IN (index));
  return sonde_dtype_is_integer (known->dtype)
             ? sonde_mindir_write_int (w, sonde_tensor_get_int (known, 0))
             : sonde_mindir_write_float (w, sonde_tensor_get_double (known, 0));
}

#define MAX_RANGE 1000000 /* MindSpore's own default */

static void
write_range (SondeMindirWriter *w, const SondeNode *node)
{
  sonde_mindir_set (w, node, 0,
                    CALL ("Range", get_scalar (w, node, 0), get_scalar (w, node, 1),
                          get_scalar (w, node, 2), sonde_mindir_write_int (w, MAX_RANGE)));
}

static void
write_constant_of_shape (SondeMindirWriter *w, const SondeNode *node)
{
  const SondeTensor *given = sonde_node_get_tensor (node, "value");
  g_autoptr (GArray) sizes = sonde_mindir_known_ints (node, 0, NULL);
  const SondeShape scalar = { .rank = 0 };
  g_autoptr (SondeTensor) value
      = sonde_tensor_new (given != NULL ? given->dtype : SONDE_DTYPE_F32, &scalar);
  const char *shape = NULL;

  if (given != NULL && sonde_tensor_n_elements (given) == 1)
    sonde_tensor_set_double (value, 0, sonde_tensor_get_double (given, 0));
  if (sizes != NULL)
    shape = sonde_mindir_write_ints (w, (const gint64 *) (const void *) sizes->data, sizes->len);
  else
    shape = CALL ("TensorToTuple", IN (0));
  sonde_mindir_set (w, node, 0, CALL ("FillV2", shape, sonde_mindir_write_tensor (w, value)));
}

static void
write_size (SondeMindirWriter *w, const SondeNode *node)
{
  const char *none = sonde_mindir_write_ints (w, NULL, 0);

  sonde_mindir_set (
      w, node, 0,
      CALL ("ReduceProd", CALL ("TensorShape", IN (0)), none, sonde_mindir_write_bool (w, FALSE)));
}

static void
write_cast_like (SondeMindirWriter *w, const SondeNode *node)
{
  const SondeGraphValue *like = VALUE (1);

  if (like == NULL || sonde_mindir_id_of_dtype (like->type.dtype) == 0)
    sonde_mindir_cannot (w, node, N_ ("MindSpore has not the type that it casts to"));
  else
    sonde_mindir_set (w, node, 0, cast (w, IN (0), like->type.dtype));
}

/* ---- functions of one value ---------------------------------------------- */

static void
write_thresholded (SondeMindirWriter *w, const SondeNode *node)
{
  const double alpha = sonde_node_get_float (node, "alpha", 1);
  const char *above = CALL ("Greater", IN (0), sonde_mindir_write_number (w, alpha, VALUE (0)));

  sonde_mindir_set (w, node, 0, CALL ("Select", above, IN (0), CALL ("ZerosLike", IN (0))));
}

/* ---- choosing ------------------------------------------------------------ */

/* Along a dimension it is a gathering of the places that are not zero. */
static void
write_compress (SondeMindirWriter *w, const SondeNode *node)
{
  const gboolean flat = sonde_node_find_attribute (node, "axis") == NULL;
  const gint64 all = -1, axis = sonde_node_get_int (node, "axis", 0);
  const char *x = IN (0), *places;

  if (flat && VALUE (0)->type.rank != 1)
    x = CALL ("Reshape", x, sonde_mindir_write_ints (w, &all, 1));
  places = CALL ("Reshape", CALL ("NonZero", IN (1)), sonde_mindir_write_ints (w, &all, 1));
  sonde_mindir_set (
      w, node, 0,
      CALL ("Gather", x, places, sonde_mindir_write_int (w, axis), sonde_mindir_write_int (w, 0)));
}

static void
write_eye (SondeMindirWriter *w, const SondeNode *node)
{
  const SondeGraphValue *y = sonde_node_get_output (node, 0);
  g_autoptr (GArray) sizes = sonde_mindir_sizes (y);
  const gint64 k = sonde_node_get_int (node, "k", 0);
  g_autoptr (SondeTensor) eye = NULL;
  SondeShape shape;

  if (sizes == NULL || sizes->len != 2)
    {
      sonde_mindir_cannot (w, node, N_ ("its sizes are not known before the net runs"));
      return;
    }
  sonde_type_get_shape (&y->type, &shape);
  eye = sonde_tensor_try_new (y->type.dtype, &shape, NULL, node->name, NULL);
  for (gint64 i = 0; eye != NULL && i < shape.dims[0]; i++)
    if (i + k >= 0 && i + k < shape.dims[1])
      sonde_tensor_set_double (eye, i * shape.dims[1] + i + k, 1);
  if (eye != NULL)
    sonde_mindir_set (w, node, 0, sonde_mindir_write_tensor (w, eye));
}

/* 1 where the first largest is. */
static void
write_hardmax (SondeMindirWriter *w, const SondeNode *node)
{
  const SondeGraphValue *x = VALUE (0);
  const int rank = x->type.rank;
  gint64 axis = sonde_node_get_int (node, "axis", -1);
  const char *place;

  axis += axis < 0 ? rank : 0;
  if (axis < 0 || axis >= rank || x->type.dims[axis].size < 0)
    {
      sonde_mindir_cannot (w, node, N_ ("its sizes are not known before the net runs"));
      return;
    }
  place = CALL ("Argmax", IN (0), sonde_mindir_write_int (w, axis),
                sonde_mindir_write_int (w, sonde_mindir_id_of_dtype (SONDE_DTYPE_I32)));
  sonde_mindir_set (w, node, 0,
                    CALL ("OneHot", place, sonde_mindir_write_int (w, x->type.dims[axis].size),
                          sonde_mindir_write_number (w, 1, x), sonde_mindir_write_number (w, 0, x),
                          sonde_mindir_write_int (w, axis == rank - 1 ? -1 : axis)));
}

static gint64
find_word (const char *word, const char *const *words)
{
  for (gint64 i = 0; words[i] != NULL; i++)
    if (strcmp (words[i], word) == 0)
      return i;
  return -1;
}

static void
write_grid_sample (SondeMindirWriter *w, const SondeNode *node)
{
  static const char *const modes[] = { "linear", "nearest", NULL };
  static const char *const paddings[] = { "zeros", "border", "reflection", NULL };
  const char *named = sonde_node_get_string (node, "mode", "linear");
  const gint64 mode = find_word (strcmp (named, "bilinear") == 0 ? "linear" : named, modes);
  const gint64 padding
      = find_word (sonde_node_get_string (node, "padding_mode", "zeros"), paddings);

  if (mode < 0 || padding < 0 || VALUE (0)->type.rank != 4)
    {
      sonde_mindir_cannot (w, node, N_ ("only plain images are written"));
      return;
    }
  sonde_mindir_set (
      w, node, 0,
      CALL ("GridSampler2D", IN (0), IN (1), sonde_mindir_write_int (w, mode),
            sonde_mindir_write_int (w, padding),
            sonde_mindir_write_bool (w, sonde_node_get_int (node, "align_corners", 0) != 0)));
}

const SondeMindirWriteRow sonde_mindir_write_value_rows[] = {
  { "QuantizeLinear", write_quantise, NULL, 0 },
  { "DequantizeLinear", write_dequantise, NULL, 0 },
  { "Range", write_range, NULL, 0 },
  { "ConstantOfShape", write_constant_of_shape, NULL, 0 },
  { "Size", write_size, NULL, 0 },
  { "CastLike", write_cast_like, NULL, 0 },
  { "ThresholdedRelu", write_thresholded, NULL, 0 },
  { "Compress", write_compress, NULL, 0 },
  { "EyeLike", write_eye, NULL, 0 },
  { "Hardmax", write_hardmax, NULL, 0 },
  { "GridSample", write_grid_sample, NULL, 0 },
  { NULL, NULL, NULL, 0 },
};
