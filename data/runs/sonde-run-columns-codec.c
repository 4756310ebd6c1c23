/* SPDX-License-Identifier: Apache-2.0
 * Columns <-> bytes of the index. A cache of this machine: host byte order, no versions (the schema
 * number of the index is theirs too). */
#include "data/runs/sonde-run-columns-private.h"

#include <string.h>

/* How a column is written. */
typedef enum
{
  FORM_STRIDE,  /* first value and common distance */
  FORM_DELTA32, /* first value, then differences as gint32 */
  FORM_RAW,
  FORM_FLOAT32, /* doubles that are float32 values */
} Form;

typedef struct
{
  guint32 n; /* points in all columns */
  guint32 forms[4]; /* steps, walls, values, sessions */
} Head;

/* ---- writing -------------------------------------------------------------------------------- */

static Form
choose_integer_form (const gint64 *values,
                     guint         n)
{
  gint64 stride, difference;
  gboolean constant = TRUE, narrow = TRUE;

  if (n < 2)
    return FORM_RAW;
  if (__builtin_sub_overflow (values[1], values[0], &stride))
    return FORM_RAW;
  for (guint i = 1; i < n; i++)
    {
      if (__builtin_sub_overflow (values[i], values[i - 1], &difference))
        return FORM_RAW;
      constant &= difference == stride;
      narrow &= difference >= G_MININT32 && difference <= G_MAXINT32;
    }
  return constant ? FORM_STRIDE : narrow ? FORM_DELTA32 : FORM_RAW;
}

static void
append (GByteArray *out,
        const void *data,
        gsize       length)
{
  g_byte_array_append (out, data, length);
}

static Form
append_integers (GByteArray   *out,
                 const gint64 *values,
                 guint         n)
{
  Form form = choose_integer_form (values, n);

  if (form == FORM_RAW)
    append (out, values, n * sizeof (gint64));
  else
    append (out, values, sizeof (gint64));
  if (form == FORM_STRIDE)
    append (out, &(gint64) { values[1] - values[0] }, sizeof (gint64));
  if (form == FORM_DELTA32)
    for (guint i = 1; i < n; i++)
      append (out, &(gint32) { values[i] - values[i - 1] }, sizeof (gint32));
  return form;
}

static gboolean
are_float32 (const double *values,
             guint         n)
{
  for (guint i = 0; i < n; i++)
    {
      volatile float narrow = values[i];
      double back = narrow;

      if (memcmp (&back, &values[i], sizeof back) != 0)
        return FALSE;
    }
  return TRUE;
}

static Form
append_values (GByteArray   *out,
               const double *values,
               guint         n)
{
  if (!are_float32 (values, n))
    {
      append (out, values, n * sizeof (double));
      return FORM_RAW;
    }
  for (guint i = 0; i < n; i++)
    append (out, &(float) { values[i] }, sizeof (float));
  return FORM_FLOAT32;
}

static Form
append_sessions (GByteArray    *out,
                 const guint32 *sessions,
                 guint          n)
{
  gboolean constant = TRUE;

  for (guint i = 1; i < n; i++)
    constant &= sessions[i] == sessions[0];
  append (out, sessions, (constant ? 1 : n) * sizeof (guint32));
  return constant ? FORM_STRIDE : FORM_RAW;
}

GBytes *
sonde_columns_serialise (const SondeColumns *columns,
                         guint               n)
{
  g_autoptr (GByteArray) out = g_byte_array_sized_new (sizeof (Head) + n * 28);
  Head head = { .n = n };

  append (out, &head, sizeof head);
  head.forms[0] = append_integers (out, columns->steps, n);
  head.forms[1] = append_integers (out, columns->walls, n);
  head.forms[2] = append_values (out, columns->values, n);
  head.forms[3] = append_sessions (out, columns->sessions, n);
  memcpy (out->data, &head, sizeof head);
  return g_byte_array_free_to_bytes (g_steal_pointer (&out));
}

/* ---- reading -------------------------------------------------------------------------------- */

/* @n_stored points are in the bytes, the first @n are wanted. */
typedef struct
{
  const guint8 *data;
  gsize length;
  guint n_stored, n;
} Input;

/* The next @length bytes, or NULL. */
static const guint8 *
take (Input *input,
      gsize  length)
{
  const guint8 *data = input->data;

  if (input->length < length)
    return NULL;
  input->data += length;
  input->length -= length;
  return data;
}

static gboolean
read_integers (Input  *input,
               Form    form,
               gint64 *values)
{
  gsize tail = form == FORM_STRIDE ? sizeof (gint64) : (input->n_stored - 1) * sizeof (gint32);
  const guint8 *data;
  gint64 stride;
  gint32 difference;

  if (form == FORM_RAW)
    {
      data = take (input, input->n_stored * sizeof (gint64));
      if (data)
        memcpy (values, data, input->n * sizeof (gint64));
      return data != NULL;
    }
  data = form == FORM_FLOAT32 ? NULL : take (input, sizeof (gint64) + tail);
  if (!data)
    return FALSE;
  memcpy (values, data, sizeof (gint64));
  data += sizeof (gint64);
  memcpy (&stride, data, MIN (tail, sizeof stride));
  for (guint i = 1; i < input->n; i++)
    {
      if (form == FORM_DELTA32)
        {
          memcpy (&difference, data + (i - 1) * sizeof difference, sizeof difference);
          stride = difference;
        }
      values[i] = (gint64) ((guint64) values[i - 1] + (guint64) stride);
    }
  return TRUE;
}

static gboolean
read_values (Input  *input,
             Form    form,
             double *values)
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
read_sessions (Input   *input,
               Form     form,
               guint32 *sessions)
{
  const guint8 *data = take (input, (form == FORM_RAW ? input->n_stored : 1) * sizeof (guint32));

  if (!data)
    return FALSE;
  for (guint i = 0; i < input->n; i++)
    memcpy (&sessions[i], data + (form == FORM_RAW ? i * sizeof (guint32) : 0), sizeof (guint32));
  return TRUE;
}

SondeColumns *
sonde_columns_parse (const void *data,
                     gsize       length,
                     guint       n)
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
  if (!read_integers (&input, head.forms[0], columns->steps) ||
      !read_integers (&input, head.forms[1], columns->walls) ||
      !read_values (&input, head.forms[2], columns->values) ||
      !read_sessions (&input, head.forms[3], columns->sessions) || input.length > 0)
    return NULL;
  return g_steal_pointer (&columns);
}
