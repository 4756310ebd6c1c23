/* SPDX-License-Identifier: Apache-2.0
 * The gradient of Einsum is Einsum: of dy and the other operands, to the letters of the operand.
 * Letters that only the operand has (it was summed over them) are repeated; a letter that it has
 * twice (a diagonal) gets an identity matrix to put dy on. */
#include "engine/ops/sonde-gradient-rules.h"
#include "engine/ops/math/sonde-einsum-private.h"

#include <string.h>

/**
 * Writer: writes an equation
 * @letters: by label, 0: none yet
 * @n: letters in use
 */
typedef struct
{
  char letters[SONDE_EINSUM_LABELS];
  int n;
  gboolean full;
  GString *text;
  GPtrArray *operands;
} Writer;

static void
writer_clear (Writer *writer)
{
  if (writer->text != NULL)
    g_string_free (writer->text, TRUE);
  g_clear_pointer (&writer->operands, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Writer, writer_clear)

static char
new_letter (Writer *writer)
{
  if (writer->n == SONDE_EINSUM_LETTERS)
    {
      writer->full = TRUE;
      return 'a';
    }
  writer->n++;
  return (char) (writer->n <= 26 ? 'a' + writer->n - 1 : 'A' + writer->n - 27);
}

static char
letter_of (Writer *writer, guint8 label)
{
  if (writer->letters[label] == 0)
    writer->letters[label] = new_letter (writer);
  return writer->letters[label];
}

static void
write_operand (Writer *writer, const SondeEinsumTerm *term, SondeGraphValue *value)
{
  if (writer->operands->len > 0)
    g_string_append_c (writer->text, ',');
  for (int d = 0; d < term->n; d++)
    g_string_append_c (writer->text, letter_of (writer, term->labels[d]));
  g_ptr_array_add (writer->operands, value);
}

/* An identity matrix whose side is dimension @d of @x. */
static void
write_identity (Writer *writer, SondeGradientContext *context, SondeGraphValue *x, int d, char row,
                char column)
{
  const gint64 twice[] = { d, d };
  SondeGraphValue *shape
      = OP2 ("Gather", OP1 ("Shape", x), sonde_build_ints (context->graph, twice, 2));
  SondeGraphValue *square = OP1 ("ConstantOfShape", shape), *eye = NULL;

  eye = OP1 ("EyeLike", square);
  sonde_node_set_int (eye->producer, "dtype", sonde_dtype_to_onnx (x->type.dtype));
  g_string_append_printf (writer->text, ",%c%c", row, column);
  g_ptr_array_add (writer->operands, sonde_rule_infer (context, eye));
}

static gboolean
occurs (const SondeEinsumTerm *term, int end, guint8 label)
{
  for (int d = 0; d < end; d++)
    if (term->labels[d] == label)
      return TRUE;
  return FALSE;
}

/* Some operand but @k, or the result, has the label. */
static gboolean
comes_from_outside (const SondeEinsum *einsum, guint k, guint8 label)
{
  for (guint i = 0; i < einsum->n; i++)
    if (i != k && occurs (&einsum->terms[i], einsum->terms[i].n, label))
      return TRUE;
  return occurs (&einsum->output, einsum->output.n, label);
}

static gboolean
has_twice (const SondeEinsumTerm *term, guint8 label)
{
  int count = 0;

  for (int d = 0; d < term->n; d++)
    count += term->labels[d] == label;
  return count > 1;
}

/* The target term; @missing: (out): dimensions of the operand that it lacks. Returns: how many of
 * those */
static gsize
write_target (Writer *writer, SondeGradientContext *context, const SondeEinsum *einsum, guint k,
              gint64 *missing)
{
  const SondeEinsumTerm *term = &einsum->terms[k];
  g_autoptr (GString) target = g_string_new ("->");
  gsize n = 0;

  for (int d = 0; d < term->n; d++)
    {
      guint8 label = term->labels[d];
      char letter = 0;

      if (occurs (term, d, label))
        {
          letter = new_letter (writer);
          write_identity (writer, context, sonde_rule_x (context, k), d, letter_of (writer, label),
                          letter);
        }
      else if (comes_from_outside (einsum, k, label) || has_twice (term, label))
        letter = letter_of (writer, label);
      if (letter != 0)
        g_string_append_c (target, letter);
      else
        missing[n++] = d;
    }
  g_string_append_len (writer->text, target->str, (gssize) target->len);
  return n;
}

/* Every size of @value is known to be that of @x. */
static gboolean
has_shape_of (const SondeGraphValue *value, const SondeGraphValue *x)
{
  gboolean same = value->type.rank == x->type.rank;

  for (int d = 0; d < x->type.rank && same; d++)
    same = value->type.dims[d].size >= 0 && value->type.dims[d].size == x->type.dims[d].size;
  return same;
}

static SondeGraphValue *
differentiate (SondeGradientContext *context, const SondeEinsum *einsum, guint k)
{
  g_auto (Writer) writer = { .text = g_string_new (NULL), .operands = g_ptr_array_new () };
  SondeGraphValue *x = sonde_rule_x (context, k), *dx = NULL;
  gint64 missing[SONDE_MAX_RANK];
  gsize n;

  write_operand (&writer, &einsum->output, sonde_rule_dy (context));
  for (guint i = 0; i < einsum->n; i++)
    if (i != k)
      write_operand (&writer, &einsum->terms[i], sonde_rule_x (context, i));
  n = write_target (&writer, context, einsum, k, missing);
  if (writer.full)
    return NULL;
  dx = sonde_build_op (context->graph, NULL, "", "Einsum", writer.operands->len,
                       (SondeGraphValue **) writer.operands->pdata);
  sonde_node_set_string (dx->producer, "equation", writer.text->str);
  dx = sonde_rule_infer (context, dx);
  if (n > 0)
    dx = OP2 ("Unsqueeze", dx, sonde_build_ints (context->graph, missing, n));
  if (!has_shape_of (dx, x))
    dx = sonde_rule_unbroadcast (context, OP2 ("Expand", dx, OP1 ("Shape", x)), x);
  return dx;
}

gboolean
sonde_gradient_einsum (SondeGradientContext *context, GError **error)
{
  guint n = context->node->inputs->len;
  g_autofree int *ranks = g_new0 (int, n + 1);
  g_auto (SondeEinsum) einsum = { 0 };

  for (guint k = 0; k < n; k++)
    ranks[k] = sonde_rule_x (context, k)->type.rank;
  for (guint k = 0; k < n; k++)
    if (ranks[k] < 0)
      {
        sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                         "node “%s” (Einsum): no gradient without the ranks of its inputs",
                         context->node->name);
        return FALSE;
      }
  if (!sonde_einsum_read (&einsum, sonde_node_get_string (context->node, "equation", ""), ranks, n,
                          error))
    return FALSE;
  for (guint k = 0; k < n; k++)
    {
      if (!context->wanted[k])
        continue;
      context->input_gradients[k] = differentiate (context, &einsum, k);
      if (context->input_gradients[k] != NULL)
        continue;
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                       "node “%s” (Einsum): its gradient would need more than %d letters",
                       context->node->name, SONDE_EINSUM_LETTERS);
      return FALSE;
    }
  return TRUE;
}
