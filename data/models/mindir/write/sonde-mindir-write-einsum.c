/* SPDX-License-Identifier: Apache-2.0
 * Einsum as products of matrices: letters that both operands and the result have are the batch, those
 * that only the operands have are summed over. */
#include <string.h>

#include "data/models/mindir/sonde-mindir-term.h"
#include "data/models/mindir/write/sonde-mindir-writer.h"

#define IN(index) sonde_mindir_in (w, node, index)
#define CALL(primitive, ...) sonde_mindir_call (w, primitive, SONDE_NAMES (__VA_ARGS__))
#define VALUE(index) sonde_node_get_input (node, index)
#define MAX_OPERANDS 2

/**
 * Equation:
 * @terms: letters of the operands; @result: those of the result
 * @sizes: by letter
 */
typedef struct
{
  guint n;
  char terms[MAX_OPERANDS][SONDE_MAX_RANK + 1], result[SONDE_MAX_RANK + 1];
  gint64 sizes[128];
} Equation;

/* ---- the equation -------------------------------------------------------- */

/* Letters, each once. FALSE where there are others: a diagonal, an ellipsis. */
static gboolean
read_letters (const char *text, gsize length, char *letters)
{
  gsize n = 0;

  for (gsize i = 0; i < length; i++)
    {
      if (text[i] == ' ')
        continue;
      if (!g_ascii_isalpha (text[i]) || n == SONDE_MAX_RANK || memchr (letters, text[i], n) != NULL)
        return FALSE;
      letters[n++] = text[i];
    }
  letters[n] = '\0';
  return TRUE;
}

/* Without an arrow the result has the letters that are there once, in order. */
static void
make_result (Equation *equation)
{
  gsize n = 0;

  for (int letter = 'A'; letter <= 'z'; letter++)
    {
      guint count = 0;

      for (guint i = 0; i < equation->n; i++)
        count += strchr (equation->terms[i], letter) != NULL ? 1 : 0;
      if (count == 1 && n < SONDE_MAX_RANK)
        equation->result[n++] = (char) letter;
    }
  equation->result[n] = '\0';
}

static gboolean
read_equation (const SondeNode *node, Equation *equation)
{
  const char *text = sonde_node_get_string (node, "equation", ""), *arrow = strstr (text, "->");
  g_autofree char *left = arrow != NULL ? g_strndup (text, (gsize) (arrow - text)) : NULL;
  g_auto (GStrv) terms = g_strsplit (left != NULL ? left : text, ",", -1);

  equation->n = g_strv_length (terms);
  if (equation->n == 0 || equation->n > MAX_OPERANDS || equation->n != node->inputs->len)
    return FALSE;
  for (guint i = 0; i < equation->n; i++)
    if (!read_letters (terms[i], strlen (terms[i]), equation->terms[i]))
      return FALSE;
  if (arrow == NULL)
    make_result (equation);
  return arrow == NULL || read_letters (arrow + 2, strlen (arrow + 2), equation->result);
}

static gboolean
read_sizes (const SondeNode *node, Equation *equation)
{
  for (guint i = 0; i < equation->n; i++)
    {
      const SondeGraphValue *value = VALUE (i);
      const char *letters = equation->terms[i];

      if (value == NULL || value->type.rank != (int) strlen (letters))
        return FALSE;
      for (int d = 0; d < value->type.rank; d++)
        {
          gint64 *size = &equation->sizes[(guchar) letters[d]];

          if (value->type.dims[d].size < 0 || (*size != 0 && *size != value->type.dims[d].size))
            return FALSE;
          *size = value->type.dims[d].size;
        }
    }
  for (const char *letter = equation->result; *letter != '\0'; letter++)
    if (equation->sizes[(guchar) *letter] == 0)
      return FALSE;
  return TRUE;
}

/* ---- operands ------------------------------------------------------------ */

static gint64
multiply_sizes (const Equation *equation, const char *letters)
{
  gint64 product = 1;

  for (; *letters != '\0'; letters++)
    product *= equation->sizes[(guchar) *letters];
  return product;
}

/* @x with the letters @from, in the order @to. */
static const char *
reorder (SondeMindirWriter *w, const char *x, const char *from, const char *to)
{
  gint64 order[SONDE_MAX_RANK];
  const gsize n = strlen (to);

  if (strcmp (from, to) == 0)
    return x;
  for (gsize i = 0; i < n; i++)
    order[i] = strchr (from, to[i]) - from;
  return CALL ("Transpose", x, sonde_mindir_write_ints (w, order, n));
}

/* Sums over the letters that nobody else has; @letters loses them. */
static const char *
sum_alone (SondeMindirWriter *w, const char *x, char *letters, const char *other,
           const char *result)
{
  gint64 axes[SONDE_MAX_RANK];
  gsize n_axes = 0, n = 0;

  for (gsize i = 0; letters[i] != '\0'; i++)
    if (strchr (other, letters[i]) == NULL && strchr (result, letters[i]) == NULL)
      axes[n_axes++] = (gint64) i;
    else
      letters[n++] = letters[i];
  letters[n] = '\0';
  if (n_axes == 0)
    return x;
  return CALL ("ReduceSum", x, sonde_mindir_write_ints (w, axes, n_axes),
               sonde_mindir_write_bool (w, FALSE), sonde_mindir_write_bool (w, FALSE));
}

/* Adds to @to the letters of @from that @other has or has not. */
static void
pick_letters (const char *from, const char *other, gboolean has, char *to)
{
  gsize n = strlen (to);

  for (; *from != '\0'; from++)
    if ((strchr (other, *from) != NULL) == has)
      to[n++] = *from;
  to[n] = '\0';
}

/* ---- two operands -------------------------------------------------------- */

/* @x, in the order @letters, as [batch, @rows, @columns]. */
static const char *
make_matrix (SondeMindirWriter *w, const char *x, gint64 batch, gint64 rows, gint64 columns)
{
  const gint64 sizes[] = { batch, rows, columns };

  return CALL ("Reshape", x, sonde_mindir_write_ints (w, sizes, 3));
}

static const char *
arrange (SondeMindirWriter *w, const char *x, const char *letters, const char *first,
         const char *second, const char *third)
{
  g_autofree char *order = g_strconcat (first, second, third, NULL);

  return reorder (w, x, letters, order);
}

static const char *
multiply (SondeMindirWriter *w, const Equation *equation, const char *a, const char *b)
{
  const char *left = equation->terms[0], *right = equation->terms[1], *result = equation->result;
  char shared[SONDE_MAX_RANK + 1] = "", batch[SONDE_MAX_RANK + 1] = "";
  char inner[SONDE_MAX_RANK + 1] = "", rows[SONDE_MAX_RANK + 1] = "";
  char columns[SONDE_MAX_RANK + 1] = "";
  g_autofree char *order = NULL;
  gint64 sizes[3], all[SONDE_MAX_RANK];
  const char *y;

  pick_letters (left, right, TRUE, shared);
  pick_letters (shared, result, TRUE, batch);
  pick_letters (shared, result, FALSE, inner);
  pick_letters (left, right, FALSE, rows);
  pick_letters (right, left, FALSE, columns);
  sizes[0] = multiply_sizes (equation, batch);
  sizes[1] = multiply_sizes (equation, rows);
  sizes[2] = multiply_sizes (equation, columns);
  a = make_matrix (w, arrange (w, a, left, batch, rows, inner), sizes[0], sizes[1],
                   multiply_sizes (equation, inner));
  b = make_matrix (w, arrange (w, b, right, batch, inner, columns), sizes[0],
                   multiply_sizes (equation, inner), sizes[2]);
  y = CALL ("BatchMatMul", a, b, sonde_mindir_write_bool (w, FALSE),
            sonde_mindir_write_bool (w, FALSE));
  order = g_strconcat (batch, rows, columns, NULL);
  for (gsize i = 0; order[i] != '\0'; i++)
    all[i] = equation->sizes[(guchar) order[i]];
  y = CALL ("Reshape", y, sonde_mindir_write_ints (w, all, strlen (order)));
  return reorder (w, y, order, result);
}

static void
write_einsum (SondeMindirWriter *w, const SondeNode *node)
{
  Equation equation = { 0 };
  const char *operands[MAX_OPERANDS] = { NULL };

  if (!read_equation (node, &equation) || !read_sizes (node, &equation))
    {
      sonde_mindir_cannot (w, node,
                           N_ ("only one or two operands of known sizes without diagonals are "
                               "written"));
      return;
    }
  for (guint i = 0; i < equation.n; i++)
    operands[i] = sum_alone (w, IN (i), equation.terms[i],
                             equation.n == 2 ? equation.terms[1 - i] : "", equation.result);
  sonde_mindir_set (w, node, 0,
                    equation.n == 2 ? multiply (w, &equation, operands[0], operands[1])
                                    : reorder (w, operands[0], equation.terms[0], equation.result));
}

const SondeMindirWriteRow sonde_mindir_write_einsum_rows[] = {
  { "Einsum", write_einsum, NULL, 0 },
  { NULL, NULL, NULL, 0 },
};
