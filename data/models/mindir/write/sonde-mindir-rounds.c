/* SPDX-License-Identifier: Apache-2.0 */
#include "data/models/mindir/write/sonde-mindir-rounds.h"

#include <string.h>

#define CALL(primitive, ...) sonde_mindir_call (w, primitive, SONDE_NAMES (__VA_ARGS__))

const char *
sonde_mindir_write_whole (SondeMindirWriter *w, gint64 number)
{
  const SondeShape scalar = { .rank = 0 };
  g_autoptr (SondeTensor) tensor = sonde_tensor_new_from_data (SONDE_DTYPE_I64, &scalar, &number);

  return sonde_mindir_write_tensor (w, tensor);
}

static const char *
write_true (SondeMindirWriter *w)
{
  const SondeShape scalar = { .rank = 0 };
  const guint8 yes = 1;
  g_autoptr (SondeTensor) tensor = sonde_tensor_new_from_data (SONDE_DTYPE_BOOL, &scalar, &yes);

  return sonde_mindir_write_tensor (w, tensor);
}

static const SondeType *
scalar_of (SondeDtype dtype)
{
  static const SondeType number = { .kind = SONDE_VALUE_TENSOR, .dtype = SONDE_DTYPE_I64 };
  static const SondeType truth = { .kind = SONDE_VALUE_TENSOR, .dtype = SONDE_DTYPE_BOOL };

  return dtype == SONDE_DTYPE_I64 ? &number : &truth;
}

void
sonde_mindir_rounds_init (SondeMindirRounds *rounds, SondeMindirWriter *w, const char *going)
{
  rounds->names = g_ptr_array_new ();
  rounds->types = g_ptr_array_new ();
  rounds->limit = 0;
  sonde_mindir_rounds_add (rounds, sonde_mindir_write_whole (w, 0), scalar_of (SONDE_DTYPE_I64));
  sonde_mindir_rounds_add (rounds, going != NULL ? going : write_true (w),
                           scalar_of (SONDE_DTYPE_BOOL));
}

void
sonde_mindir_rounds_clear (SondeMindirRounds *rounds)
{
  g_clear_pointer (&rounds->names, g_ptr_array_unref);
  g_clear_pointer (&rounds->types, g_ptr_array_unref);
}

guint
sonde_mindir_rounds_add (SondeMindirRounds *rounds, const char *name, const SondeType *type)
{
  g_ptr_array_add (rounds->names, (gpointer) name);
  g_ptr_array_add (rounds->types, (gpointer) type);
  return rounds->names->len - 1;
}

void
sonde_mindir_rounds_set_limit (SondeMindirRounds *rounds, const char *limit)
{
  rounds->limit = sonde_mindir_rounds_add (rounds, limit, scalar_of (SONDE_DTYPE_I64));
}

static const char *const *
get_names (const SondeMindirRounds *rounds)
{
  return (const char *const *) rounds->names->pdata;
}

/* @names become the inputs of the function that begins. */
static void
begin (SondeMindirRounds *rounds, SondeMindirWriter *w, const char *function)
{
  sonde_mindir_function_begin (w, function);
  for (guint i = 0; i < rounds->names->len; i++)
    rounds->names->pdata[i] = (gpointer) sonde_mindir_function_input (w, rounds->types->pdata[i]);
}

/* What it all came to, as one tuple. */
static const char *
write_after (SondeMindirRounds *rounds, SondeMindirWriter *w)
{
  const char *after = sonde_mindir_function_new (w, "after");

  begin (rounds, w, after);
  sonde_mindir_function_end (w, get_names (rounds), rounds->names->len);
  return after;
}

static void
write_head (SondeMindirRounds *rounds, SondeMindirWriter *w, const char *after)
{
  const guint n = rounds->names->len;
  const char *going, *choice, *yes, *no;

  begin (rounds, w, rounds->head);
  going = rounds->names->pdata[SONDE_ROUND_GOING];
  if (rounds->limit != 0)
    going = CALL ("LogicalAnd", going,
                  CALL ("Less", rounds->names->pdata[SONDE_ROUND_NUMBER],
                        rounds->names->pdata[rounds->limit]));
  yes = sonde_mindir_partial (w, rounds->body, get_names (rounds), n);
  no = sonde_mindir_partial (w, after, get_names (rounds), n);
  choice = sonde_mindir_call_old (w, "Switch", SONDE_NAMES (going, yes, no));
  sonde_mindir_function_end (w, SONDE_NAMES (sonde_mindir_call_function (w, choice, NULL, 0)));
}

void
sonde_mindir_rounds_begin (SondeMindirRounds *rounds, SondeMindirWriter *w)
{
  const guint n = rounds->names->len;
  g_autofree const char **start = g_new (const char *, n);
  const char *result;

  for (guint i = 0; i < n; i++)
    start[i] = rounds->names->pdata[i];
  rounds->head = sonde_mindir_function_new (w, "while");
  rounds->body = sonde_mindir_function_new (w, "body");
  result = sonde_mindir_call_function (w, rounds->head, start, n);
  write_head (rounds, w, write_after (rounds, w));
  begin (rounds, w, rounds->body);
  rounds->result = result;
}

void
sonde_mindir_rounds_end (SondeMindirRounds *rounds, SondeMindirWriter *w)
{
  const char *next;

  rounds->names->pdata[SONDE_ROUND_NUMBER] = (gpointer) CALL (
      "Add", rounds->names->pdata[SONDE_ROUND_NUMBER], sonde_mindir_write_whole (w, 1));
  next = sonde_mindir_call_function (w, rounds->head, get_names (rounds), rounds->names->len);
  sonde_mindir_function_end (w, SONDE_NAMES (next));
  for (guint i = 0; i < rounds->names->len; i++)
    rounds->names->pdata[i] = (gpointer) sonde_mindir_item (w, rounds->result, i);
}

/* ---- parts --------------------------------------------------------------- */

const char *
sonde_mindir_pick (SondeMindirWriter *w, const char *x, const char *index, gint64 axis)
{
  return CALL ("Gather", x, index, sonde_mindir_write_int (w, axis), sonde_mindir_write_int (w, 0));
}

const char *
sonde_mindir_place (SondeMindirWriter *w, const char *x, const char *index, const char *part)
{
  static const gint64 one_by_one[] = { 1, 1 };

  index = CALL ("Reshape", index, sonde_mindir_write_ints (w, one_by_one, 2));
  part = CALL ("ExpandDims", part, sonde_mindir_write_int (w, 0));
  return CALL ("TensorScatterUpdate", x, index, part);
}

const char *
sonde_mindir_write_room (SondeMindirWriter *w, const SondeType *type, gint64 axis)
{
  SondeShape shape;
  g_autoptr (SondeTensor) zeros = NULL;
  gint64 n;

  if (!sonde_type_get_shape (type, &shape) || axis < 0 || axis >= shape.rank)
    return NULL;
  n = shape.dims[axis];
  memmove (shape.dims + 1, shape.dims, (gsize) axis * sizeof *shape.dims);
  shape.dims[0] = n;
  zeros = sonde_tensor_try_new (type->dtype, &shape, NULL, "scan output", NULL);
  return zeros != NULL ? sonde_mindir_write_tensor (w, zeros) : NULL;
}

const char *
sonde_mindir_leave_room (SondeMindirWriter *w, const char *room, gint64 axis, int rank)
{
  gint64 order[SONDE_MAX_RANK];

  if (axis == 0)
    return room;
  for (int i = 0; i < rank; i++)
    order[i] = i == axis ? 0 : i < axis ? i + 1 : i;
  return CALL ("Transpose", room, sonde_mindir_write_ints (w, order, (gsize) rank));
}
