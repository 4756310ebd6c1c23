/* SPDX-License-Identifier: Apache-2.0
 * How oneDNN lays tensors out: plain, channels last, strided, blocked. */
#include "engine/devices/cpu/dnnl/sonde-dnnl-private.h"

/* What oneDNN computes in; anything else of a size it can move is moved as one of these. */
static const dnnl_data_type_t data_types[] = {
  [SONDE_DTYPE_INVALID] = dnnl_f32, [SONDE_DTYPE_F32] = dnnl_f32, [SONDE_DTYPE_BF16] = dnnl_bf16,
  [SONDE_DTYPE_I8] = dnnl_s8,       [SONDE_DTYPE_U8] = dnnl_u8,   [SONDE_DTYPE_I32] = dnnl_s32,
};

dnnl_data_type_t
sonde_dnnl_data_type (SondeDtype dtype)
{
  dnnl_data_type_t type
      = (gsize) dtype < G_N_ELEMENTS (data_types) ? data_types[dtype] : dnnl_data_type_undef;

  if (type == dnnl_data_type_undef && sonde_dtype_size (dtype) == 4)
    return dnnl_s32;
  if (type == dnnl_data_type_undef && sonde_dtype_size (dtype) == 2)
    return dnnl_bf16;
  return type == dnnl_data_type_undef && sonde_dtype_size (dtype) == 1 ? dnnl_u8 : type;
}

gboolean
sonde_dnnl_moves (SondeDtype dtype)
{
  return sonde_dnnl_data_type (dtype) != dnnl_data_type_undef;
}

SondeLayout *
sonde_layout_new (const dnnl_memory_desc_t *desc, gboolean channels_last)
{
  SondeLayout *layout = g_new0 (SondeLayout, 1);

  layout->ref_count = 1;
  layout->channels_last = channels_last;
  layout->bytes = dnnl_memory_desc_get_size (desc);
  layout->desc = g_memdup2 (desc, sizeof (dnnl_memory_desc_t));
  return layout;
}

SondeLayout *
sonde_layout_ref (SondeLayout *layout)
{
  layout->ref_count++;
  return layout;
}

void
sonde_layout_unref (SondeLayout *layout)
{
  if (layout == NULL || --layout->ref_count > 0)
    return;

  g_free (layout->desc);
  g_free (layout->plain);
  g_free (layout);
}

/* Of which plain value: a square matrix packed as it is or transposed has the same layout and other
 * numbers in it. */
static gboolean
has_same_plain (const SondeLayout *a, const SondeLayout *b)
{
  const dnnl_memory_desc_t *desc = a->desc, *one = a->plain, *other = b->plain;
  dnnl_memory_desc_t usual;

  if (one == NULL && other == NULL)
    return TRUE;
  usual = sonde_dnnl_plain_desc (desc->ndims, desc->dims);
  usual.data_type = desc->data_type;
  return dnnl_memory_desc_equal (one != NULL ? one : &usual, other != NULL ? other : &usual);
}

gboolean
sonde_layout_equal (const SondeLayout *a, const SondeLayout *b)
{
  return a == b
         || (a != NULL && b != NULL && dnnl_memory_desc_equal (a->desc, b->desc)
             && has_same_plain (a, b));
}

dnnl_memory_desc_t
sonde_dnnl_plain_desc_of (SondeDtype dtype, int rank, const gint64 *dims)
{
  dnnl_memory_desc_t desc;
  dnnl_dims_t sizes = { 0 }, strides = { 0 };
  gint64 stride = 1;

  for (int i = rank - 1; i >= 0; i--)
    {
      sizes[i] = dims[i];
      strides[i] = stride;
      stride *= MAX (dims[i], 1);
    }

  dnnl_memory_desc_init_by_strides (&desc, rank, sizes, sonde_dnnl_data_type (dtype), strides);
  return desc;
}

dnnl_memory_desc_t
sonde_dnnl_plain_desc (int rank, const gint64 *dims)
{
  return sonde_dnnl_plain_desc_of (SONDE_DTYPE_F32, rank, dims);
}

dnnl_memory_desc_t
sonde_dnnl_channels_last_desc (SondeDtype dtype, const SondeShape *shape)
{
  dnnl_memory_desc_t desc;
  dnnl_dims_t sizes = { 0 }, strides = { 0 };
  gint64 stride = shape->dims[1];

  for (int i = shape->rank - 1; i >= 2; i--)
    {
      strides[i] = stride;
      stride *= shape->dims[i];
    }

  strides[1] = 1;
  strides[0] = stride;
  for (int i = 0; i < shape->rank; i++)
    sizes[i] = shape->dims[i];

  dnnl_memory_desc_init_by_strides (&desc, shape->rank, sizes, sonde_dnnl_data_type (dtype),
                                    strides);
  return desc;
}

SondeLayout *
sonde_dnnl_channels_last (SondeDtype dtype, const SondeShape *shape)
{
  gint64 space = 1;
  dnnl_memory_desc_t desc;

  if (shape->rank < 3 || shape->rank > 5 || sonde_dnnl_data_type (dtype) == dnnl_data_type_undef)
    return NULL;

  for (int i = 2; i < shape->rank; i++)
    space *= shape->dims[i];
  if (shape->dims[1] == 1 || space == 1 || space * shape->dims[0] * shape->dims[1] == 0)
    return NULL;

  desc = sonde_dnnl_channels_last_desc (dtype, shape);
  return sonde_layout_new (&desc, TRUE);
}

SondeLayout *
sonde_dnnl_strided (SondeDtype dtype, const SondeShape *shape, const gint64 *strides)
{
  dnnl_dims_t sizes = { 0 }, steps = { 0 };
  dnnl_memory_desc_t desc, plain;

  for (int i = 0; i < shape->rank; i++)
    {
      sizes[i] = shape->dims[i];
      steps[i] = strides[i];
    }

  plain = sonde_dnnl_plain_desc_of (dtype, shape->rank, shape->dims);
  dnnl_memory_desc_init_by_strides (&desc, shape->rank, sizes, sonde_dnnl_data_type (dtype), steps);
  return dnnl_memory_desc_equal (&desc, &plain) ? NULL : sonde_layout_new (&desc, FALSE);
}

char *
sonde_layout_describe (const SondeLayout *layout)
{
  static const char *const channels_last[] = { "nwc", "nhwc", "ndhwc" };
  const dnnl_memory_desc_t *desc;
  const dnnl_blocking_desc_t *blocking;
  g_autoptr (GString) text = NULL;

  if (layout == NULL)
    return g_strdup ("plain");

  desc = layout->desc;
  if (layout->channels_last)
    return g_strdup (channels_last[desc->ndims - 3]);

  /* Outer dimensions by falling stride, upper case where they are blocked; then the blocks. */
  text = g_string_new (NULL);
  blocking = &desc->format_desc.blocking;
  for (int k = 0; k < desc->ndims; k++)
    {
      int next = 0;
      gboolean blocked = FALSE;

      for (int i = 0; i < desc->ndims; i++)
        {
          int larger = 0;

          for (int j = 0; j < desc->ndims; j++)
            larger += blocking->strides[j] > blocking->strides[i]
                      || (blocking->strides[j] == blocking->strides[i] && j < i);
          next = larger == k ? i : next;
        }

      for (int i = 0; i < blocking->inner_nblks; i++)
        blocked = blocked || blocking->inner_idxs[i] == next;
      g_string_append_c (text, (blocked ? 'A' : 'a') + next);
    }

  for (int i = 0; i < blocking->inner_nblks; i++)
    g_string_append_printf (text, "%d%c", (int) blocking->inner_blks[i],
                            'a' + (int) blocking->inner_idxs[i]);

  return g_string_free (g_steal_pointer (&text), FALSE);
}

dnnl_memory_desc_t
sonde_dnnl_strided_desc (SondeDtype dtype, int rank, const gint64 *dims, const gint64 *strides)
{
  dnnl_memory_desc_t desc;
  dnnl_dims_t sizes = { 0 }, steps = { 0 };

  for (int i = 0; i < rank; i++)
    {
      sizes[i] = dims[i];
      steps[i] = strides[i];
    }

  dnnl_memory_desc_init_by_strides (&desc, rank, sizes, sonde_dnnl_data_type (dtype), steps);
  return desc;
}

/* What @dims are beside the blocked two, the innermost last; at most two of more than one
 * element. */
static gboolean
read_places (const dnnl_memory_desc_t *desc, const gint64 *plain, SondeDnnlQuads *quads)
{
  const gint64 *strides = desc->format_desc.blocking.strides;
  int n = 0;

  for (int d = 0; d < desc->ndims; d++)
    {
      if (d == quads->lane || d == quads->quad || desc->dims[d] == 1)
        continue;
      if (n == 2 || desc->padded_dims[d] != desc->dims[d])
        return FALSE;
      quads->places[n] = desc->dims[d];
      quads->place_from[n] = plain[d];
      quads->place_to[n++] = strides[d];
    }

  for (; n < 2; n++)
    quads->places[n] = 1;
  return TRUE;
}

gboolean
sonde_dnnl_read_quads (const SondeLayout *layout, const SondeShape *shape, SondeDnnlQuads *quads)
{
  const dnnl_memory_desc_t *desc = layout->desc;
  const dnnl_blocking_desc_t *blocking = &desc->format_desc.blocking;
  int n = blocking->inner_nblks;
  gint64 plain[SONDE_MAX_RANK];

  *quads = (SondeDnnlQuads){ .quads_inside = 1 };
  if (layout->channels_last || layout->plain != NULL || desc->format_kind != dnnl_blocked
      || desc->extra.flags != 0 || desc->ndims != shape->rank || desc->offset0 != 0
      || (n != 2 && n != 3) || blocking->inner_blks[n - 1] != 4)
    return FALSE;

  quads->quad = (int) blocking->inner_idxs[n - 1];
  quads->lane = (int) blocking->inner_idxs[n - 2];
  quads->lanes = blocking->inner_blks[n - 2];
  if (n == 3)
    quads->quads_inside = blocking->inner_blks[0];
  if (quads->lane == quads->quad || (n == 3 && blocking->inner_idxs[0] != quads->quad))
    return FALSE;

  for (int d = 0; d < desc->ndims; d++)
    if (desc->padded_offsets[d] != 0 || desc->dims[d] != shape->dims[d])
      return FALSE;

  plain[shape->rank - 1] = 1;
  for (int d = shape->rank - 1; d > 0; d--)
    plain[d - 1] = plain[d] * shape->dims[d];
  quads->n_lanes = desc->dims[quads->lane];
  quads->n_quads = desc->dims[quads->quad];
  quads->padded_quads = desc->padded_dims[quads->quad];
  quads->lane_from = plain[quads->lane];
  quads->quad_from = plain[quads->quad];
  quads->lane_to = blocking->strides[quads->lane];
  quads->quad_to = blocking->strides[quads->quad];
  return read_places (desc, plain, quads);
}
