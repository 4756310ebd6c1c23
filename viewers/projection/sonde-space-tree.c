/* SPDX-License-Identifier: Apache-2.0
 * The order of points is that of their Morton keys, so that a cell is a range. */
#include "viewers/projection/sonde-space-tree.h"

#include <math.h>

#include "viewers/projection/sonde-lanes.h"

#define BITS 16 /* of a key, a dimension */
#define RADIX 11

SondeSpaceTree *
sonde_space_tree_new (gsize n, int dims)
{
  SondeSpaceTree *tree = g_new0 (SondeSpaceTree, 1);

  tree->n = n;
  tree->dims = dims;
  tree->order = g_new (guint32, n);
  tree->other_order = g_new (guint32, n);
  tree->keys = g_new (guint64, n);
  tree->other_keys = g_new (guint64, n);
  tree->places = g_new0 (float, 3 * n + SONDE_LANES);
  return tree;
}

void
sonde_space_tree_free (SondeSpaceTree *tree)
{
  if (tree == NULL)
    return;
  g_free (tree->order);
  g_free (tree->other_order);
  g_free (tree->keys);
  g_free (tree->other_keys);
  g_free (tree->places);
  g_free (tree->cells);
  g_free (tree->groups);
  g_free (tree);
}

/* ---- order --------------------------------------------------------------- */

/* The bits of @x, @dims places apart. */
static guint64
spread (guint64 x, int dims)
{
  if (dims == 2)
    {
      x = (x | x << 8) & 0x00ff00ff;
      x = (x | x << 4) & 0x0f0f0f0f;
      x = (x | x << 2) & 0x33333333;
      return (x | x << 1) & 0x55555555;
    }
  x = (x | x << 16) & 0x0000ff0000ff;
  x = (x | x << 8) & 0x00f00f00f00f;
  x = (x | x << 4) & 0x0c30c30c30c3;
  return (x | x << 2) & 0x249249249249;
}

static void
make_keys (SondeSpaceTree *tree, const float *places)
{
  float low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
  float side = 0, scale;

  for (gsize i = 0; i < tree->n; i++)
    for (int k = 0; k < tree->dims; k++)
      {
        low[k] = MIN (low[k], places[i * tree->dims + k]);
        high[k] = MAX (high[k], places[i * tree->dims + k]);
      }
  for (int k = 0; k < tree->dims; k++)
    side = MAX (side, high[k] - low[k]);
  scale = side > 0 ? ((1 << BITS) - 1) / side : 0;
  for (gsize i = 0; i < tree->n; i++)
    {
      tree->order[i] = (guint32) i;
      tree->keys[i] = 0;
      for (int k = 0; k < tree->dims; k++)
        tree->keys[i]
            |= spread ((guint64) ((places[i * tree->dims + k] - low[k]) * scale), tree->dims) << k;
    }
}

static void
sort_by (SondeSpaceTree *tree, int shift)
{
  guint32 starts[(1 << RADIX) + 1] = { 0 }, mask = (1 << RADIX) - 1;
  guint64 *keys = tree->keys;
  guint32 *order = tree->order;

  for (gsize i = 0; i < tree->n; i++)
    starts[(keys[i] >> shift & mask) + 1]++;
  for (guint32 digit = 0; digit < mask; digit++)
    starts[digit + 1] += starts[digit];
  for (gsize i = 0; i < tree->n; i++)
    {
      guint32 to = starts[keys[i] >> shift & mask]++;

      tree->other_keys[to] = keys[i];
      tree->other_order[to] = order[i];
    }
  tree->keys = tree->other_keys;
  tree->order = tree->other_order;
  tree->other_keys = keys;
  tree->other_order = order;
}

/* ---- cells --------------------------------------------------------------- */

static void
add_groups (SondeSpaceTree *tree, guint32 first, guint32 n)
{
  for (guint32 at = 0; at < n; at += SONDE_SPACE_LEAF)
    {
      if (tree->n_groups + 2 > tree->groups_room)
        {
          tree->groups_room = MAX (2 * tree->groups_room, 1024);
          tree->groups = g_renew (guint32, tree->groups, tree->groups_room);
        }
      tree->groups[tree->n_groups++] = first + at;
    }
}

static gsize
add_cell (SondeSpaceTree *tree, guint32 first, guint32 n)
{
  if (tree->n_cells == tree->cells_room)
    {
      tree->cells_room = MAX (2 * tree->cells_room, 1024);
      tree->cells = g_renew (SondeSpaceCell, tree->cells, tree->cells_room);
    }
  tree->cells[tree->n_cells] = (SondeSpaceCell){ .first = first, .n = n };
  return tree->n_cells++;
}

static void
measure_cell (const SondeSpaceTree *tree, SondeSpaceCell *cell)
{
  for (int k = 0; k < tree->dims; k++)
    {
      const float *places = &tree->places[(gsize) k * tree->n + cell->first];
      float low = places[0], high = places[0], sum = 0;

      for (guint32 i = 0; i < cell->n; i++)
        {
          low = MIN (low, places[i]);
          high = MAX (high, places[i]);
          sum += places[i] - places[0];
        }
      cell->centre[k] = places[0] + sum / (float) cell->n;
      cell->width = MAX (cell->width, high - low);
    }
}

/* The cell of a range whose keys agree above @shift, and its subtree; at most BITS deep. */
static void
build_cell (SondeSpaceTree *tree, guint32 first, guint32 n, int shift)
{
  gsize cell = add_cell (tree, first, n);
  guint64 mask = (1u << tree->dims) - 1;

  measure_cell (tree, &tree->cells[cell]);
  if (n <= SONDE_SPACE_LEAF || shift < 0)
    {
      tree->cells[cell].leaf = TRUE;
      add_groups (tree, first, n);
    }
  else
    for (guint32 at = first, end = first; at < first + n; at = end)
      {
        while (end < first + n
               && (tree->keys[end] >> shift & mask) == (tree->keys[at] >> shift & mask))
          end++;
        build_cell (tree, at, end - at, shift - tree->dims);
      }
  tree->cells[cell].next = (guint32) tree->n_cells;
}

void
sonde_space_tree_build (SondeSpaceTree *tree, const float *places)
{
  make_keys (tree, places);
  for (int shift = 0; shift < BITS * tree->dims; shift += RADIX)
    sort_by (tree, shift);
  for (gsize i = 0; i < tree->n; i++)
    for (int k = 0; k < tree->dims; k++)
      tree->places[(gsize) k * tree->n + i] = places[(gsize) tree->order[i] * tree->dims + k];
  tree->n_cells = tree->n_groups = 0;
  build_cell (tree, 0, (guint32) tree->n, (BITS - 1) * tree->dims);
  tree->groups[tree->n_groups] = (guint32) tree->n;
}

/* ---- forces -------------------------------------------------------------- */

#define LIST 512

/* What acts on a group: points with a weight each. */
typedef struct
{
  float places[3][LIST], weights[LIST];
  int n;
} Actors;

/* The group's points, and what acted on them so far. */
typedef struct
{
  float places[3][SONDE_LANES], forces[3][SONDE_LANES], sums[SONDE_LANES];
} Patients;

static inline __attribute__ ((always_inline)) void
act_in (const Actors *actors, Patients *patients, int dims)
{
  SondeLanes place[3], force[3], sum, difference[3] = { 0 };

  SONDE_LANES_LOAD (sum, patients->sums);
  for (int k = 0; k < dims; k++)
    {
      SONDE_LANES_LOAD (place[k], patients->places[k]);
      SONDE_LANES_LOAD (force[k], patients->forces[k]);
    }
  for (int a = 0; a < actors->n; a++)
    {
      SondeLanes q = { 0 }, weighted;

      q += 1;
      for (int k = 0; k < dims; k++)
        {
          difference[k] = place[k] - actors->places[k][a];
          q += difference[k] * difference[k];
        }
      q = 1 / q;
      weighted = q * actors->weights[a];
      sum += weighted;
      weighted *= q;
      for (int k = 0; k < dims; k++)
        force[k] += weighted * difference[k];
    }
  SONDE_LANES_STORE (patients->sums, sum);
  for (int k = 0; k < dims; k++)
    SONDE_LANES_STORE (patients->forces[k], force[k]);
}

SONDE_LANES_CLONES static void
act (const Actors *actors, Patients *patients, int dims)
{
  if (dims == 2)
    act_in (actors, patients, 2);
  else
    act_in (actors, patients, 3);
}

static void
add_actor (const SondeSpaceTree *tree, Actors *actors, Patients *patients, const float place[3],
           guint32 n)
{
  if (actors->n == LIST)
    {
      act (actors, patients, tree->dims);
      actors->n = 0;
    }
  for (int k = 0; k < tree->dims; k++)
    actors->places[k][actors->n] = place[k];
  actors->weights[actors->n++] = (float) n;
}

static void
add_leaf (const SondeSpaceTree *tree, const SondeSpaceCell *leaf, Actors *actors,
          Patients *patients)
{
  for (guint32 i = leaf->first; i < leaf->first + leaf->n; i++)
    {
      float place[3] = { 0 };

      for (int k = 0; k < tree->dims; k++)
        place[k] = tree->places[(gsize) k * tree->n + i];
      add_actor (tree, actors, patients, place, 1);
    }
}

/* Square of the distance of a point from the box. */
static float
get_square (const float low[3], const float high[3], const float place[3], int dims)
{
  float square = 0;

  for (int k = 0; k < dims; k++)
    {
      float beside = MAX (MAX (low[k] - place[k], place[k] - high[k]), 0);

      square += beside * beside;
    }
  return square;
}

/* Missing points repeat the first one. */
static void
take_group (const SondeSpaceTree *tree, guint32 first, guint32 n, Patients *patients, float low[3],
            float high[3])
{
  memset (patients, 0, sizeof *patients);
  for (int k = 0; k < tree->dims; k++)
    {
      const float *places = &tree->places[(gsize) k * tree->n + first];

      low[k] = high[k] = places[0];
      for (guint32 i = 0; i < SONDE_LANES; i++)
        {
          patients->places[k][i] = places[i < n ? i : 0];
          low[k] = MIN (low[k], patients->places[k][i]);
          high[k] = MAX (high[k], patients->places[k][i]);
        }
    }
}

double
sonde_space_tree_repel (const SondeSpaceTree *tree, gsize group, float angle, float *forces)
{
  guint32 first = tree->groups[group], n = tree->groups[group + 1] - first;
  float low[3], high[3];
  double sum = 0;
  Patients patients;
  Actors actors;

  actors.n = 0;
  take_group (tree, first, n, &patients, low, high);
  for (gsize at = 0; at < tree->n_cells;)
    {
      const SondeSpaceCell *cell = &tree->cells[at];
      gboolean far = cell->width * cell->width
                     < angle * angle * get_square (low, high, cell->centre, tree->dims);

      if (far)
        add_actor (tree, &actors, &patients, cell->centre, cell->n);
      else if (cell->leaf)
        add_leaf (tree, cell, &actors, &patients);
      at = far || cell->leaf ? cell->next : at + 1;
    }
  act (&actors, &patients, tree->dims);
  for (guint32 i = 0; i < n; i++)
    {
      sum += (double) patients.sums[i] - 1; /* itself */
      for (int k = 0; k < tree->dims; k++)
        forces[(gsize) tree->order[first + i] * tree->dims + k] = patients.forces[k][i];
    }
  return sum;
}
