/* SPDX-License-Identifier: Apache-2.0
 * Arithmetic where C has no answer: division by zero, the smallest integer by -1, shifts by the
 * width, casts of what does not fit. The answers are those of docs/engine.md, the same on every
 * device, for single elements and long vectors. */
#include "engine/devices/sonde-device.h"

#include <math.h>
#include <string.h>

static const SondeDtype integers[] = {
  SONDE_DTYPE_I8,  SONDE_DTYPE_U8,  SONDE_DTYPE_I16, SONDE_DTYPE_U16,
  SONDE_DTYPE_I32, SONDE_DTYPE_U32, SONDE_DTYPE_I64, SONDE_DTYPE_U64,
};
static const SondeDtype floats[]
    = { SONDE_DTYPE_F16, SONDE_DTYPE_BF16, SONDE_DTYPE_F32, SONDE_DTYPE_F64 };
static const gint64 lengths[] = { 1, 7, 64, 100003 };

/* ---- running ------------------------------------------------------------- */

/* @elements: @n of them, repeated to @length */
static SondeTensor *
repeat (SondeDtype dtype, const void *elements, gsize n, gint64 length)
{
  SondeShape shape = sonde_shape_make (1, (int) length);
  SondeTensor *tensor = sonde_tensor_new (dtype, &shape);
  gsize size = sonde_dtype_size (dtype);

  for (gint64 i = 0; i < length; i++)
    memcpy (tensor->data + (gsize) i * size, (const guint8 *) elements + (gsize) i % n * size,
            size);
  return tensor;
}

typedef struct
{
  const char *op;
  const char *attribute; /* (nullable): of an integer */
  gint64 number;
  const char *text; /* of a string (nullable) */
} Operation;

static void
run_on (SondeDevice *device, const Operation *operation, SondeTensor **inputs, guint n_inputs,
        const char *wanted, gconstpointer want, gsize n, SondeDtype result)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("edges");
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) y = NULL;
  SondeGraphValue *values[2];
  SondeType type;
  SondeNode *node;

  for (guint i = 0; i < n_inputs; i++)
    {
      g_autofree char *name = g_strdup_printf ("x%u", i);

      type = sonde_type_tensor (inputs[i]->dtype, &inputs[i]->shape);
      values[i] = sonde_graph_add_input (graph, name, &type);
    }
  node = sonde_graph_add_node (graph, "node", "", operation->op, values, n_inputs, 1);
  if (operation->attribute != NULL && operation->text != NULL)
    sonde_node_set_string (node, operation->attribute, operation->text);
  else if (operation->attribute != NULL)
    sonde_node_set_int (node, operation->attribute, operation->number);
  g_assert_true (sonde_op_infer_node (node, NULL, &type, NULL, &error));
  sonde_node_get_output (node, 0)->type = type;
  sonde_device_run_node (device, node, inputs, 0, 0, &y, &error);
  g_assert_no_error (error);
  g_assert_cmpint (y->dtype, ==, result);
  for (gint64 i = 0; i < sonde_tensor_n_elements (y); i++)
    {
      gsize size = sonde_dtype_size (result);
      g_autoptr (SondeTensor) one
          = repeat (result, (const guint8 *) want + (gsize) i % n * size, 1, 1);
      g_autofree char *got = sonde_tensor_format_element (y, i),
                      *should = sonde_tensor_format_element (one, 0);

      if (memcmp (y->data + (gsize) i * size, one->data, size) != 0)
        {
          g_test_message ("%s, %s, element %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
                          ": %s instead of %s (%s)",
                          operation->op, sonde_dtype_name (inputs[0]->dtype), i,
                          sonde_tensor_n_elements (y), got, should, wanted);
          g_test_fail ();
          return;
        }
      if (i >= 300)
        i += 997;
    }
}

/* @elements: of the inputs; @want: of the result */
static void
check (const Operation *operation, SondeDtype dtype, const void *a, const void *b, /* (nullable) */
       gsize n, SondeDtype result, const void *want)
{
  static const char *const names[] = { "reference", "cpu" };

  for (gsize d = 0; d < G_N_ELEMENTS (names); d++)
    {
      g_autoptr (SondeDevice) device = sonde_device_open (names[d], d == 0 ? 1 : 2, NULL);

      for (gsize l = 0; l < G_N_ELEMENTS (lengths); l++)
        {
          g_autoptr (SondeTensor) x = repeat (dtype, a, n, lengths[l]);
          g_autoptr (SondeTensor) y = b != NULL ? repeat (dtype, b, n, lengths[l]) : NULL;
          SondeTensor *inputs[] = { x, y };

          run_on (device, operation, inputs, b != NULL ? 2 : 1, names[d], want, n, result);
        }
    }
}

/* ---- integers ------------------------------------------------------------ */

static void
limits_of (SondeDtype dtype, gint64 *least, guint64 *most)
{
  guint bits = 8 * (guint) sonde_dtype_size (dtype);
  gboolean has_sign = sonde_dtype_is_signed (dtype);

  *most = has_sign ? (G_GUINT64_CONSTANT (1) << (bits - 1)) - 1 : G_MAXUINT64 >> (64 - bits);
  *least = has_sign ? -(gint64) *most - 1 : 0;
}

/* @number's low bytes as an element. */
static void
put (SondeDtype dtype, guint64 number, guint8 *elements, gsize i)
{
  gsize size = sonde_dtype_size (dtype);

  memcpy (elements + i * size, &number, size); /* little endian, as all that Sonde runs on */
}

typedef enum
{
  SMALLEST,
  LARGEST,
  MINUS_ONE,
  NUMBER
} Kind;

typedef struct
{
  Kind kind;
  gint64 number;
} Term;

static guint64
value_of (SondeDtype dtype, const Term *term)
{
  gint64 least;
  guint64 most;

  limits_of (dtype, &least, &most);
  return term->kind == SMALLEST  ? (guint64) least
         : term->kind == LARGEST ? most
                                 : (guint64) term->number;
}

#define N(number)                                                                                  \
  {                                                                                                \
    NUMBER, number                                                                                 \
  }
#define MIN_                                                                                       \
  {                                                                                                \
    SMALLEST, 0                                                                                    \
  }
#define MAX_                                                                                       \
  {                                                                                                \
    LARGEST, 0                                                                                     \
  }

static const struct
{
  Operation operation;
  gboolean only_signed, only_unsigned;
  gsize n;
  Term a[6], b[6], want[6];
} integer_rows[] = {
  { { "Div" },
    TRUE,
    FALSE,
    6,
    { N (7), N (0), MIN_, MIN_, MAX_, N (-7) },
    { N (0), N (0), N (-1), N (0), N (-1), N (2) },
    { N (0), N (0), MIN_, N (0), N (-127), N (-3) } },
  { { "Div" },
    FALSE,
    TRUE,
    4,
    { N (7), N (0), MAX_, N (9) },
    { N (0), N (0), N (0), N (2) },
    { N (0), N (0), N (0), N (4) } },
  { { "Mod" },
    TRUE,
    FALSE,
    6,
    { N (7), MIN_, MIN_, N (-7), N (7), N (-7) },
    { N (0), N (0), N (-1), N (3), N (-3), N (-3) },
    { N (0), N (0), N (0), N (2), N (-2), N (-1) } },
  { { "Mod", "fmod", 1 },
    TRUE,
    FALSE,
    5,
    { N (7), MIN_, MIN_, N (-7), N (7) },
    { N (0), N (0), N (-1), N (3), N (-3) },
    { N (0), N (0), N (0), N (-1), N (1) } },
  { { "Mod" },
    FALSE,
    TRUE,
    3,
    { N (7), N (0), MAX_ },
    { N (0), N (0), N (0) },
    { N (0), N (0), N (0) } },
  { { "Neg" }, TRUE, FALSE, 2, { MIN_, N (5) }, { N (0), N (0) }, { MIN_, N (-5) } },
  { { "Abs" }, TRUE, FALSE, 2, { MIN_, N (-5) }, { N (0), N (0) }, { MIN_, N (5) } },
  { { "BitShift", "direction", 0, "LEFT" },
    FALSE,
    TRUE,
    4,
    { N (1), N (1), MAX_, N (3) },
    { N (64), N (200), N (64), N (1) },
    { N (0), N (0), N (0), N (6) } },
  { { "BitShift", "direction", 0, "RIGHT" },
    FALSE,
    TRUE,
    4,
    { N (1), MAX_, MAX_, N (6) },
    { N (64), N (200), N (64), N (1) },
    { N (0), N (0), N (0), N (3) } },
  { { "Add" }, TRUE, FALSE, 2, { MAX_, MIN_ }, { N (1), N (-1) }, { MIN_, MAX_ } },
  { { "Sub" }, TRUE, FALSE, 2, { MIN_, MAX_ }, { N (1), N (-1) }, { MAX_, MIN_ } },
  { { "Mul" }, TRUE, FALSE, 2, { MIN_, MAX_ }, { N (-1), N (2) }, { MIN_, N (-2) } },
  { { "Pow" },
    TRUE,
    FALSE,
    6,
    { N (2), N (1), N (-1), N (0), N (0), N (-2) },
    { N (-1), N (-3), N (-3), N (-1), N (0), N (3) },
    { N (0), N (1), N (-1), N (0), N (1), N (-8) } },
};

static void
test_integers (void)
{
  for (gsize r = 0; r < G_N_ELEMENTS (integer_rows); r++)
    for (gsize t = 0; t < G_N_ELEMENTS (integers); t++)
      {
        gboolean has_sign = sonde_dtype_is_signed (integers[t]),
                 pow = g_str_equal (integer_rows[r].operation.op, "Pow");
        gboolean unary = g_str_equal (integer_rows[r].operation.op, "Neg")
                         || g_str_equal (integer_rows[r].operation.op, "Abs");
        guint8 a[64], b[64], want[64];

        if ((integer_rows[r].only_signed && !has_sign)
            || (integer_rows[r].only_unsigned && has_sign)
            || (pow && integers[t] != SONDE_DTYPE_I32 && integers[t] != SONDE_DTYPE_I64))
          continue;
        for (gsize i = 0; i < integer_rows[r].n; i++)
          {
            Term quotient = integer_rows[r].want[i];

            put (integers[t], value_of (integers[t], &integer_rows[r].a[i]), a, i);
            put (integers[t], value_of (integers[t], &integer_rows[r].b[i]), b, i);
            put (integers[t],
                 quotient.number == -127 ? -value_of (integers[t], &(Term){ LARGEST, 0 })
                                         : value_of (integers[t], &quotient),
                 want, i);
          }
        check (&integer_rows[r].operation, integers[t], a, unary ? NULL : b, integer_rows[r].n,
               integers[t], want);
      }
}

/* ---- casts --------------------------------------------------------------- */

static void
put_float (SondeDtype dtype, double number, guint8 *elements, gsize i)
{
  sonde_dtype_convert (SONDE_DTYPE_F64, &number, dtype, elements + i * sonde_dtype_size (dtype), 1);
}

/* Towards zero; not a number is 0, what does not fit the nearest limit. */
static guint64
fit (SondeDtype dtype, double number)
{
  gint64 least;
  guint64 most;

  limits_of (dtype, &least, &most);
  if (isnan (number))
    return 0;
  if (number <= (double) least)
    return (guint64) least;
  if (number >= (double) most)
    return most;
  return number < 0 ? (guint64) (gint64) number : (guint64) number;
}

static void
test_casts_to_integers (void)
{
  static const double numbers[] = { NAN, INFINITY, -INFINITY, 1e30, -1e30, 300.5, -300.5, -1,
                                    1.9, -1.9,     65000,     3e9,  -3e9,  1e19,  -0.0 };

  for (gsize f = 0; f < G_N_ELEMENTS (floats); f++)
    for (gsize t = 0; t < G_N_ELEMENTS (integers); t++)
      {
        const Operation cast = { "Cast", "to", sonde_dtype_to_onnx (integers[t]) };
        guint8 a[8 * G_N_ELEMENTS (numbers)], want[8 * G_N_ELEMENTS (numbers)];

        for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
          {
            double rounded;

            put_float (floats[f], numbers[i], a, i);
            sonde_dtype_convert (floats[f], a + i * sonde_dtype_size (floats[f]), SONDE_DTYPE_F64,
                                 &rounded, 1);
            put (integers[t], fit (integers[t], rounded), want, i);
          }
        check (&cast, floats[f], a, NULL, G_N_ELEMENTS (numbers), integers[t], want);
      }
}

/* Integers wrap; bool is whether there is anything, NaN too. */
static void
test_casts_of_integers (void)
{
  static const gint64 numbers[]
      = { 0,   1,     -1,     127,        128,        -129,       255,
          256, 65535, -32769, G_MAXINT32, G_MININT32, G_MAXINT64, G_MININT64 };

  for (gsize f = 0; f < G_N_ELEMENTS (integers); f++)
    for (gsize t = 0; t < G_N_ELEMENTS (integers); t++)
      {
        const Operation cast = { "Cast", "to", sonde_dtype_to_onnx (integers[t]) };
        guint8 a[8 * G_N_ELEMENTS (numbers)], want[8 * G_N_ELEMENTS (numbers)];

        for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
          {
            guint64 number = (guint64) numbers[i];
            guint bits = 64 - 8 * (guint) sonde_dtype_size (integers[f]);

            put (integers[f], number, a, i);
            number = sonde_dtype_is_signed (integers[f])
                         ? (guint64) ((gint64) (number << bits) >> bits)
                         : number << bits >> bits;
            put (integers[t], number, want, i);
          }
        check (&cast, integers[f], a, NULL, G_N_ELEMENTS (numbers), integers[t], want);
      }
}

static void
test_casts_to_bool (void)
{
  static const double numbers[] = { NAN, INFINITY, 0, -0.0, 0.25, -2 };
  static const guint8 want[] = { 1, 1, 0, 0, 1, 1 };
  const Operation cast = { "Cast", "to", sonde_dtype_to_onnx (SONDE_DTYPE_BOOL) };

  for (gsize f = 0; f < G_N_ELEMENTS (floats); f++)
    {
      guint8 a[8 * G_N_ELEMENTS (numbers)];

      for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
        put_float (floats[f], numbers[i], a, i);
      check (&cast, floats[f], a, NULL, G_N_ELEMENTS (numbers), SONDE_DTYPE_BOOL, want);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/devices/edges/integers", test_integers);
  g_test_add_func ("/engine/devices/edges/casts-to-integers", test_casts_to_integers);
  g_test_add_func ("/engine/devices/edges/casts-of-integers", test_casts_of_integers);
  g_test_add_func ("/engine/devices/edges/casts-to-bool", test_casts_to_bool);
  return g_test_run ();
}
