/* SPDX-License-Identifier: Apache-2.0
 * Columns <-> bytes of the index. A cache of this machine: host byte order, no versions (the schema
 * number of the index is theirs too). */
#include "data/runs/sonde-run-columns-private.h"

#include <string.h>

/* How a column of integers is written: FORM_RAW, or the first value, the smallest difference of
 * neighbours, and how far each difference is above it in so many bytes: none for equal
 * distances. */
typedef enum
{
  FORM_DELTA0 = 0,
  FORM_DELTA1 = 1,
  FORM_DELTA2 = 2,
  FORM_DELTA4 = 4,
  FORM_RAW = 8,
  FORM_FLOAT32 = 9, /* doubles that are float32 values */
} Form;

typedef struct
{
  guint32 n;        /* points in all columns */
  guint32 forms[4]; /* steps, walls, values, sessions */
} Head;

/* ---- writing ------------------------------------------------------------- */

/* @smallest: (out): difference. Loops without a way out, so that they become vector code. */
static Form
choose_integer_form (const gint64 *values, guint n, gint64 *smallest)
{
  gint64 low = G_MAXINT64, high = G_MININT64;
  guint64 range, overflown = 0;

  if (n < 2)
    return FORM_RAW;
  for (guint i = 1; i < n; i++)
    {
      gint64 difference = (gint64) ((guint64) values[i] - (guint64) values[i - 1]);

      overflown |= (guint64) ((values[i] ^ values[i - 1]) & (values[i] ^ difference));
      low = difference < low ? difference : low;
      high = difference > high ? difference : high;
    }
  *smallest = low;
  range = (guint64) high - (guint64) low;
  if (overflown >> 63 || range > G_MAXUINT32)
    return FORM_RAW;
  return range == 0             ? FORM_DELTA0
         : range <= G_MAXUINT8  ? FORM_DELTA1
         : range <= G_MAXUINT16 ? FORM_DELTA2
                                : FORM_DELTA4;
}

static guint8 *
put (guint8 *at, const void *data, gsize length)
{
  memcpy (at, data, length);
  return at + length;
}

/* One loop a width. The bytes are not aligned: they go through a buffer that is. */
#define DEFINE_PUT_DELTAS(type)                                                                    \
  static guint8 *put_deltas_##type (guint8 *at, const gint64 *values, guint n, gint64 smallest)    \
  {                                                                                                \
    type deltas[SONDE_BLOCK_POINTS];                                                               \
    for (guint i = 1; i < n; i++)                                                                  \
      deltas[i - 1] = (type) ((guint64) values[i] - (guint64) values[i - 1] - (guint64) smallest); \
    return put (at, deltas, (n - 1) * sizeof (type));                                              \
  }

DEFINE_PUT_DELTAS (guint8)
DEFINE_PUT_DELTAS (guint16)
DEFINE_PUT_DELTAS (guint32)

static guint8 *
put_integers (guint8 *at, const gint64 *values, guint n, guint32 *form)
{
  gint64 smallest = 0;

  *form = choose_integer_form (values, n, &smallest);
  if (*form == FORM_RAW)
    return put (at, values, n * sizeof (gint64));
  at = put (at, values, sizeof (gint64));
  at = put (at, &smallest, sizeof smallest);
  if (*form == FORM_DELTA1)
    return put_deltas_guint8 (at, values, n, smallest);
  if (*form == FORM_DELTA2)
    return put_deltas_guint16 (at, values, n, smallest);
  return *form == FORM_DELTA4 ? put_deltas_guint32 (at, values, n, smallest) : at;
}

static guint8 *
put_values (guint8 *at, const double *values, guint n, guint32 *form)
{
  float narrow[SONDE_BLOCK_POINTS];
  guint64 different = 0;

  for (guint i = 0; i < n; i++)
    {
      double back;
      guint64 bits, back_bits;

      narrow[i] = (float) values[i];
      back = narrow[i];
      memcpy (&bits, &values[i], sizeof bits);
      memcpy (&back_bits, &back, sizeof back_bits);
      different |= bits ^ back_bits;
    }
  *form = different ? FORM_RAW : FORM_FLOAT32;
  return different ? put (at, values, n * sizeof (double)) : put (at, narrow, n * sizeof (float));
}

static guint8 *
put_sessions (guint8 *at, const guint32 *sessions, guint n, guint32 *form)
{
  guint32 different = 0;

  for (guint i = 1; i < n; i++)
    different |= sessions[i] ^ sessions[0];
  *form = different ? FORM_RAW : FORM_DELTA0;
  return put (at, sessions, (different ? n : 1) * sizeof (guint32));
}

GBytes *
sonde_columns_serialise (const SondeColumns *columns, guint n)
{
  guint8 *bytes = g_malloc (sizeof (Head) + 16 + n * (3 * sizeof (gint64) + sizeof (guint32)));
  guint8 *at = bytes + sizeof (Head);
  Head head = { .n = n };

  at = put_integers (at, columns->steps, n, &head.forms[0]);
  at = put_integers (at, columns->walls, n, &head.forms[1]);
  at = put_values (at, columns->values, n, &head.forms[2]);
  at = put_sessions (at, columns->sessions, n, &head.forms[3]);
  memcpy (bytes, &head, sizeof head);
  return g_bytes_new_take (bytes, at - bytes);
}

/* ---- reading ------------------------------------------------------------- */

/* @n_stored points are in the bytes, the first @n are wanted. */
typedef struct
{
  const guint8 *data;
  gsize length;
  guint n_stored, n;
} Input;

/* The next @length bytes, or NULL. */
static const guint8 *
take (Input *input, gsize length)
{
  const guint8 *data = input->data;

  if (input->length < length)
    return NULL;
  input->data += length;
  input->length -= length;
  return data;
}

/* Differences above the smallest, one loop a width; host byte order, and that is little-endian here as in record
 * files. */
#define DEFINE_ADD_DELTAS(type)                                                                    \
  static void add_deltas_##type (const guint8 *data, guint n, gint64 smallest, gint64 *values)     \
  {                                                                                                \
    guint64 value = (guint64) values[0];                                                           \
    for (guint i = 1; i < n; i++, data += sizeof (type))                                           \
      {                                                                                            \
        type delta;                                                                                \
        memcpy (&delta, data, sizeof delta);                                                       \
        value += (guint64) smallest + delta;                                                       \
        values[i] = (gint64) value;                                                                \
      }                                                                                            \
  }

DEFINE_ADD_DELTAS (guint8)
DEFINE_ADD_DELTAS (guint16)
DEFINE_ADD_DELTAS (guint32)

static void
add_equal_deltas (guint n, gint64 smallest, gint64 *values)
{
  guint64 value = (guint64) values[0];

  for (guint i = 1; i < n; i++)
    values[i] = (gint64) (value + i * (guint64) smallest);
}

static gboolean
read_integers (Input *input, Form form, gint64 *values)
{
  const guint8 *data;
  gint64 smallest;

  if (form == FORM_RAW)
    {
      data = take (input, input->n_stored * sizeof (gint64));
      if (data)
        memcpy (values, data, input->n * sizeof (gint64));
      return data != NULL;
    }
  if (form != FORM_DELTA0 && form != FORM_DELTA1 && form != FORM_DELTA2 && form != FORM_DELTA4)
    return FALSE;
  data = take (input, 2 * sizeof (gint64) + (gsize) (input->n_stored - 1) * form);
  if (!data)
    return FALSE;
  memcpy (values, data, sizeof (gint64));
  memcpy (&smallest, data + sizeof (gint64), sizeof smallest);
  data += 2 * sizeof (gint64);
  if (form == FORM_DELTA0)
    add_equal_deltas (input->n, smallest, values);
  else if (form == FORM_DELTA1)
    add_deltas_guint8 (data, input->n, smallest, values);
  else if (form == FORM_DELTA2)
    add_deltas_guint16 (data, input->n, smallest, values);
  else
    add_deltas_guint32 (data, input->n, smallest, values);
  return TRUE;
}

static gboolean
read_values (Input *input, Form form, double *values)
{
  const guint8 *data;
  float narrow;

  if (form != FORM_RAW && form != FORM_FLOAT32)
    return FALSE;
  data = take (input, input->n_stored * (form == FORM_RAW ? sizeof (double) : sizeof (float)));
  if (!data)
    return FALSE;
  if (form == FORM_RAW)
    memcpy (values, data, input->n * sizeof (double));
  else
    for (guint i = 0; i < input->n; i++)
      {
        memcpy (&narrow, data + i * sizeof narrow, sizeof narrow);
        values[i] = narrow;
      }
  return TRUE;
}

static gboolean
read_sessions (Input *input, Form form, guint32 *sessions)
{
  const guint8 *data = take (input, (form == FORM_RAW ? input->n_stored : 1) * sizeof (guint32));

  if (!data)
    return FALSE;
  for (guint i = 0; i < input->n; i++)
    memcpy (&sessions[i], data + (form == FORM_RAW ? i * sizeof (guint32) : 0), sizeof (guint32));
  return TRUE;
}

SondeColumns *
sonde_columns_parse (const void *data, gsize length, guint n)
{
  g_autoptr (SondeColumns) columns = NULL;
  Input input = { data, length, 0, n };
  const guint8 *bytes = take (&input, sizeof (Head));
  Head head;

  if (!bytes)
    return NULL;
  memcpy (&head, bytes, sizeof head);
  input.n_stored = head.n;
  if (n == 0 || n > head.n || head.n > SONDE_BLOCK_POINTS)
    return NULL;
  columns = sonde_columns_new (n);
  if (!read_integers (&input, head.forms[0], columns->steps)
      || !read_integers (&input, head.forms[1], columns->walls)
      || !read_values (&input, head.forms[2], columns->values)
      || !read_sessions (&input, head.forms[3], columns->sessions) || input.length > 0)
    return NULL;
  return g_steal_pointer (&columns);
}
