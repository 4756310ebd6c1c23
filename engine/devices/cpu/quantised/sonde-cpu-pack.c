/* SPDX-License-Identifier: Apache-2.0
 * Plain weights of bytes into the order that oneDNN's integer products read: four of one dimension,
 * so for some tens of another. oneDNN's own loops move a byte at a time; here it is words of
 * four. */
#include "engine/devices/cpu/movement/sonde-cpu-copy.h"

#include <string.h>

#define QUADS                                                                                      \
  64 /* of a tile at most: four cache lines of the source where the four lie beside each other */
#define LINE 64
#define AHEAD                                                                                      \
  6 /* lanes: each begins far from the one before, so that the processor does not guess it */

typedef struct
{
  SondeKernel base;
  SondeDnnlQuads quads;
} PackKernel;

typedef struct
{
  const SondeDnnlQuads *quads;
  const guint8 *from;
  guint8 *to;
} PackCall;

/* One tile: @n quads of @lanes lanes at one place of the other dimensions. */
typedef struct
{
  const guint8 *from;
  guint8 *to;
  gint64 lanes, n;
  /* of the source: from lane to lane, and from one of the four to the next */
  gint64 lane_stride, quad_stride;
  gint64 row; /* bytes of a quad's lanes at the target */
} Tile;

static inline guint32
load_quad (const guint8 *from, gint64 stride)
{
  return (guint32) from[0] | (guint32) from[stride] << 8 | (guint32) from[2 * stride] << 16
         | (guint32) from[3 * stride] << 24;
}

static inline void
fetch_ahead (const guint8 *from, gint64 bytes)
{
  for (gint64 i = 0; i < bytes; i += LINE)
    __builtin_prefetch (from + i);
}

/* The four lie beside each other. */
static void
pack_words (const Tile *tile)
{
  const gint64 lanes = tile->lanes, n = tile->n, row = tile->row, stride = tile->lane_stride;

  for (gint64 l = 0; l < lanes; l++)
    {
      const guint8 *from = tile->from + l * stride;
      guint8 *to = tile->to + 4 * l;

      if (l + AHEAD < lanes)
        fetch_ahead (from + AHEAD * stride, 4 * n);
      for (gint64 k = 0; k < n; k++)
        memcpy (to + k * row, from + 4 * k, 4);
    }
}

/* The lanes lie beside each other. */
SONDE_CPU_CLONES static void
pack_lanes (const Tile *tile)
{
  for (gint64 k = 0; k < tile->n; k++)
    {
      const guint8 *from = tile->from + 4 * k * tile->quad_stride;
      guint32 *to = (guint32 *) (void *) (tile->to + k * tile->row);

      for (gint64 l = 0; l < tile->lanes; l++)
        to[l] = load_quad (from + l, tile->quad_stride);
    }
}

static void
pack_any (const Tile *tile)
{
  const gint64 lanes = tile->lanes, n = tile->n, row = tile->row, stride = tile->lane_stride,
               next = tile->quad_stride;

  for (gint64 l = 0; l < lanes; l++)
    {
      const guint8 *from = tile->from + l * stride;
      guint8 *to = tile->to + 4 * l;

      for (gint64 k = 0; k < n; k++)
        {
          guint32 quad = load_quad (from + 4 * k * next, next);

          memcpy (to + k * row, &quad, 4);
        }
    }
}

/* What is beyond the last lane or the last of four is zero. */
static void
pack_edge (const Tile *tile, gint64 lanes, gint64 left)
{
  for (gint64 k = 0; k < tile->n; k++)
    for (gint64 l = 0; l < tile->row / 4; l++)
      for (gint64 j = 0; j < 4; j++)
        tile->to[k * tile->row + 4 * l + j]
            = l < lanes && 4 * k + j < left
                  ? tile->from[l * tile->lane_stride + (4 * k + j) * tile->quad_stride]
                  : 0;
}

static void
pack_tile (const SondeDnnlQuads *q, const PackCall *call, gint64 block, gint64 first, gint64 n,
           gint64 place_from, gint64 place_to)
{
  gint64 lanes = MIN (q->lanes, q->n_lanes - block * q->lanes), left = q->n_quads - 4 * first;
  Tile tile = {
    .lanes = lanes,
    .n = n,
    .lane_stride = q->lane_from,
    .quad_stride = q->quad_from,
    .row = q->quads_inside == 1 ? q->quad_to : 4 * q->lanes,
    .from = call->from + block * q->lanes * q->lane_from + 4 * first * q->quad_from + place_from,
    .to = call->to + block * q->lane_to + first / q->quads_inside * q->quad_to + place_to,
  };

  if (lanes < q->lanes || left < 4 * tile.n)
    {
      gint64 row = tile.row;

      for (gint64 k = 0; k < tile.n; k++)
        {
          Tile one = tile;

          one.n = 1;
          one.row = 4 * q->lanes;
          one.from = tile.from + 4 * k * tile.quad_stride;
          one.to = tile.to + k * row;
          pack_edge (&one, lanes, left - 4 * k);
        }
    }
  else if (q->quad_from == 1)
    pack_words (&tile);
  else if (q->lane_from == 1)
    pack_lanes (&tile);
  else
    pack_any (&tile);
}

/* Blocks of lanes. Of the other dimensions all places of a tile together, which lie among each
 * other at the source. */
static void
pack_blocks (gint64 begin, gint64 end, gpointer data)
{
  const PackCall *call = data;
  const SondeDnnlQuads *q = call->quads;
  gint64 quads = q->padded_quads / 4, places = q->places[0] * q->places[1];
  gint64 most = q->quads_inside > 1 ? q->quads_inside : MAX (QUADS / places, 1);

  for (gint64 block = begin; block < end; block++)
    for (gint64 first = 0; first < quads; first += most)
      for (gint64 a = 0; a < q->places[0]; a++)
        for (gint64 b = 0; b < q->places[1]; b++)
          pack_tile (q, call, block, first, MIN (most, quads - first),
                     a * q->place_from[0] + b * q->place_from[1],
                     a * q->place_to[0] + b * q->place_to[1]);
}

static gboolean
run_pack (SondeCpuDevice *device, SondeKernel *base, const SondeRunArguments *arguments,
          GError **error)
{
  const SondeDnnlQuads *q = &((PackKernel *) base)->quads;
  PackCall call = { q, arguments->inputs[0], arguments->outputs[0] };
  gint64 blocks = (q->n_lanes + q->lanes - 1) / q->lanes;

  sonde_cpu_for (device, blocks, q->lanes * q->padded_quads * q->places[0] * q->places[1],
                 pack_blocks, &call);
  return TRUE;
}

SondeKernel *
sonde_cpu_prepare_pack (const SondeType *type, const SondeLayout *from, const SondeLayout *to)
{
  SondeDnnlQuads quads;
  PackKernel *kernel;
  SondeShape shape;

  if (from != NULL || to == NULL || sonde_dtype_size (type->dtype) != 1
      || !sonde_type_get_shape (type, &shape) || sonde_shape_n_elements (&shape) <= 0
      || !sonde_dnnl_read_quads (to, &shape, &quads))
    return NULL;

  kernel = g_new0 (PackKernel, 1);
  kernel->base.run = run_pack;
  kernel->quads = quads;
  return &kernel->base;
}
