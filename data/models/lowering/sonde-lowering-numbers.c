/* SPDX-License-Identifier: Apache-2.0
 * Numbers that shapes are computed with. */
#include "data/models/lowering/sonde-lowering-numbers.h"

#include <string.h>

#include "data/base/sonde-checked.h"
#include "data/models/lowering/sonde-lowering-private.h"

#define UNKNOWN SONDE_LOWERING_UNKNOWN

/* n = −1: nothing is known. */
typedef struct
{
  int n;
  gint64 numbers[SONDE_LOWERING_MAX_NUMBERS];
} Numbers;

static gboolean
is_countable (const SondeType *type)
{
  return type->rank >= 0 && type->rank <= 1
         && (type->dtype == SONDE_DTYPE_BOOL || sonde_dtype_is_integer (type->dtype));
}

static int
read_constant (const SondeTensor *tensor, gint64 *numbers)
{
  gint64 n = sonde_tensor_n_elements (tensor);

  if (tensor->shape.rank > 1 || n > SONDE_LOWERING_MAX_NUMBERS
      || (tensor->dtype != SONDE_DTYPE_BOOL && !sonde_dtype_is_integer (tensor->dtype)))
    return -1;
  for (gint64 i = 0; i < n; i++)
    numbers[i] = sonde_tensor_get_int (tensor, i);
  return (int) n;
}

int
sonde_lowering_get_numbers (SondeLowering *lowering, SondeGraphValue *value, gint64 *numbers)
{
  const Numbers *known;

  while (value != NULL && value->outer != NULL)
    value = value->outer;
  if (value == NULL)
    return -1;
  if (sonde_lowering_get_constant (value) != NULL)
    return read_constant (sonde_lowering_get_constant (value), numbers);
  known = g_hash_table_lookup (lowering->numbers, value);
  if (known == NULL)
    return -1;
  memcpy (numbers, known->numbers, sizeof *numbers * (gsize) known->n);
  return known->n;
}

static Numbers
read_input (SondeLowering *lowering, const SondeNode *node, guint k)
{
  Numbers found;

  found.n = sonde_lowering_get_numbers (lowering, sonde_node_get_input (node, k), found.numbers);
  return found;
}

/* ---- rules --------------------------------------------------------------- */

/* All open, where the type says how many. */
static void
set_open (Numbers *to, const SondeType *type)
{
  gint64 n = type->rank == 0 ? 1 : type->dims[0].size;

  to->n = n >= 0 && n <= SONDE_LOWERING_MAX_NUMBERS ? (int) n : -1;
  for (int i = 0; i < to->n; i++)
    to->numbers[i] = UNKNOWN;
}

static void
count_shape (const SondeNode *node, Numbers *to)
{
  const SondeType *from = &sonde_node_get_input (node, 0)->type;
  gint64 start = MAX (sonde_node_get_int (node, "start", 0), 0);

  for (int i = 0; i < to->n; i++)
    if (start + i < from->rank && from->dims[start + i].size >= 0)
      to->numbers[i] = from->dims[start + i].size;
}

static void
count_elements (const SondeNode *node, Numbers *to)
{
  SondeShape shape;
  gint64 n;

  if (!sonde_type_get_shape (&sonde_node_get_input (node, 0)->type, &shape))
    return;
  n = sonde_shape_n_elements (&shape);
  to->numbers[0] = n >= 0 ? n : UNKNOWN;
}

static gint64
calculate (const char *op, gint64 a, gint64 b)
{
  gint64 result;

  if (a == UNKNOWN || b == UNKNOWN)
    return UNKNOWN;
  if (strcmp (op, "Add") == 0)
    return sonde_checked_add (&result, a, b) ? result : UNKNOWN;
  if (strcmp (op, "Sub") == 0)
    return sonde_checked_sub (&result, a, b) ? result : UNKNOWN;
  if (strcmp (op, "Mul") == 0)
    return sonde_checked_mul (&result, a, b) ? result : UNKNOWN;
  if (strcmp (op, "Div") == 0)
    return b != 0 && b != -1 ? a / b : UNKNOWN;
  if (strcmp (op, "Max") == 0)
    return MAX (a, b);
  if (strcmp (op, "Min") == 0)
    return MIN (a, b);
  if (strcmp (op, "Equal") == 0)
    return a == b;
  if (strcmp (op, "Less") == 0)
    return a < b;
  if (strcmp (op, "Greater") == 0)
    return a > b;
  return UNKNOWN;
}

static gint64
pick (const Numbers *from, int i)
{
  return from->n == 1 ? from->numbers[0] : i < from->n ? from->numbers[i] : UNKNOWN;
}

static void
combine (SondeLowering *lowering, const SondeNode *node, Numbers *to)
{
  const Numbers a = read_input (lowering, node, 0), b = read_input (lowering, node, 1);

  for (int i = 0; i < to->n; i++)
    to->numbers[i] = calculate (node->op, pick (&a, i), pick (&b, i));
}

static void
choose (SondeLowering *lowering, const SondeNode *node, Numbers *to)
{
  const Numbers condition = read_input (lowering, node, 0);
  const Numbers yes = read_input (lowering, node, 1), no = read_input (lowering, node, 2);

  for (int i = 0; i < to->n; i++)
    {
      gint64 chosen = pick (&condition, i);

      if (chosen != UNKNOWN)
        to->numbers[i] = pick (chosen != 0 ? &yes : &no, i);
    }
}

static void
copy (SondeLowering *lowering, const SondeNode *node, Numbers *to)
{
  const Numbers from = read_input (lowering, node, 0);

  for (int i = 0; i < to->n; i++)
    to->numbers[i] = pick (&from, i);
}

static void
slice (SondeLowering *lowering, const SondeNode *node, Numbers *to)
{
  const Numbers from = read_input (lowering, node, 0), start = read_input (lowering, node, 1);
  const Numbers step = read_input (lowering, node, 4);
  gint64 at = start.n == 1 ? start.numbers[0] : UNKNOWN, by = step.n == 1 ? step.numbers[0] : 1;

  if (at == UNKNOWN || from.n < 0 || ABS (by) > SONDE_LOWERING_MAX_NUMBERS)
    return;
  at = CLAMP (at < 0 ? at + from.n : at, 0, from.n - (by < 0));
  for (int i = 0; i < to->n; i++)
    {
      gint64 k = at + i * by;

      if (k >= 0 && k < from.n)
        to->numbers[i] = from.numbers[k];
    }
}

static void
gather (SondeLowering *lowering, const SondeNode *node, Numbers *to)
{
  const Numbers from = read_input (lowering, node, 0), indices = read_input (lowering, node, 1);

  for (int i = 0; i < to->n && i < indices.n; i++)
    {
      gint64 k = indices.numbers[i] < 0 && indices.numbers[i] != UNKNOWN
                     ? indices.numbers[i] + from.n
                     : indices.numbers[i];

      if (k >= 0 && k < from.n)
        to->numbers[i] = from.numbers[k];
    }
}

static void
join (SondeLowering *lowering, const SondeNode *node, Numbers *to)
{
  int n = 0;

  for (guint k = 0; k < node->inputs->len; k++)
    {
      const Numbers part = read_input (lowering, node, k);

      if (part.n < 0)
        return;
      for (int i = 0; i < part.n && n < to->n; i++)
        to->numbers[n++] = part.numbers[i];
    }
}

static void
reduce (SondeLowering *lowering, const SondeNode *node, Numbers *to)
{
  static const struct
  {
    const char *name, *op;
  } ops[] = {
    { "ReduceProd", "Mul" }, { "ReduceSum", "Add" }, { "ReduceMax", "Max" }, { "ReduceMin", "Min" }
  };
  const Numbers from = read_input (lowering, node, 0);
  const char *op = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (ops); i++)
    if (strcmp (node->op, ops[i].name) == 0)
      op = ops[i].op;
  if (op == NULL || to->n != 1 || from.n < 1)
    return;
  to->numbers[0] = from.numbers[0];
  for (int i = 1; i < from.n; i++)
    to->numbers[0] = calculate (op, to->numbers[0], from.numbers[i]);
}

static void
count_up (SondeLowering *lowering, const SondeNode *node, Numbers *to)
{
  const Numbers start = read_input (lowering, node, 0), step = read_input (lowering, node, 2);

  if (start.n != 1 || step.n != 1)
    return;
  for (int i = 0; i < to->n; i++)
    to->numbers[i]
        = calculate ("Add", start.numbers[0], calculate ("Mul", step.numbers[0], (gint64) i));
}

void
sonde_lowering_infer_numbers (SondeLowering *lowering, const SondeNode *node,
                              SondeGraphValue *value)
{
  const char *op = node->op;
  Numbers to;

  if (!is_countable (&value->type) || sonde_node_get_input (node, 0) == NULL
      || value->producer_output != 0)
    return;
  set_open (&to, &value->type);
  if (to.n < 0)
    return;
  if (strcmp (op, "Shape") == 0)
    count_shape (node, &to);
  else if (strcmp (op, "Size") == 0)
    count_elements (node, &to);
  else if (strcmp (op, "Slice") == 0)
    slice (lowering, node, &to);
  else if (strcmp (op, "Gather") == 0)
    gather (lowering, node, &to);
  else if (strcmp (op, "Concat") == 0)
    join (lowering, node, &to);
  else if (strcmp (op, "Where") == 0)
    choose (lowering, node, &to);
  else if (strcmp (op, "Range") == 0)
    count_up (lowering, node, &to);
  else if (g_str_has_prefix (op, "Reduce"))
    reduce (lowering, node, &to);
  else if (strstr (" Identity Cast Squeeze Unsqueeze Reshape Expand ", op) != NULL)
    copy (lowering, node, &to);
  else
    combine (lowering, node, &to);
  g_hash_table_insert (lowering->numbers, value, g_memdup2 (&to, sizeof to));
}
