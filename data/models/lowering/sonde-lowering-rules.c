/* SPDX-License-Identifier: Apache-2.0
 * What the rules read and write. */
#include "data/models/lowering/sonde-lowering-rules.h"

SondeType
sonde_rule_type_of (const SondeNode *node, guint k)
{
  const SondeGraphValue *value = sonde_node_get_input (node, k);

  return value != NULL ? value->type : sonde_type_unknown ();
}

void
sonde_rule_set_rank (SondeType *type, int rank)
{
  type->rank = rank <= SONDE_MAX_RANK ? rank : -1;
  for (int i = 0; i < type->rank; i++)
    type->dims[i] = (SondeDimension){ .size = -1 };
}

void
sonde_rule_set_size (SondeType *type, gint64 axis, gint64 size)
{
  axis += axis < 0 ? type->rank : 0;
  if (axis >= 0 && axis < type->rank)
    type->dims[axis] = (SondeDimension){ .size = MAX (size, -1) };
}

gint64
sonde_rule_size_of (const SondeType *type, int i)
{
  return i >= 0 && i < type->rank ? type->dims[i].size : -1;
}

gint64
sonde_rule_count_elements (const SondeType *type)
{
  SondeShape shape;

  return sonde_type_get_shape (type, &shape) ? sonde_shape_n_elements (&shape) : -1;
}

gboolean
sonde_rule_find_axes (SondeLowering *l, const SondeNode *node, guint k, int rank, gboolean *is_axis)
{
  gint64 numbers[SONDE_LOWERING_MAX_NUMBERS];
  int n = sonde_lowering_get_numbers (l, sonde_node_get_input (node, k), numbers);

  for (int i = 0; i < rank; i++)
    is_axis[i] = FALSE;
  for (int i = 0; i < n; i++)
    {
      gint64 axis = numbers[i] < 0 ? numbers[i] + rank : numbers[i];

      if (numbers[i] == SONDE_LOWERING_UNKNOWN || axis < 0 || axis >= rank)
        return FALSE;
      is_axis[axis] = TRUE;
    }
  return n >= 0;
}

static SondeDimension
broadcast_dimension (SondeDimension a, SondeDimension b)
{
  if (a.size == 1)
    return b;
  if (b.size == 1)
    return a;
  return a.size >= 0 ? a : b;
}

void
sonde_rule_broadcast (SondeType *type, const SondeType *other)
{
  SondeType result = *type;

  if (type->rank < 0 || other->rank < 0)
    {
      type->rank = -1;
      return;
    }
  sonde_rule_set_rank (&result, MAX (type->rank, other->rank));
  for (int i = 1; i <= result.rank; i++)
    {
      const SondeDimension one = { .size = 1 };

      result.dims[result.rank - i]
          = broadcast_dimension (i <= type->rank ? type->dims[type->rank - i] : one,
                                 i <= other->rank ? other->dims[other->rank - i] : one);
    }
  *type = result;
}
