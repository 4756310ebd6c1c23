/* SPDX-License-Identifier: Apache-2.0
 * Sequences and optionals, node by node. Expected: the operator texts of ONNX. */
#include "engine/ops/sonde-op.h"
#include "tests/support/sonde-test-tensor.h"

#include <string.h>

#define MOST_INPUTS 4

/**
 * Call: one node
 * @inputs: what its inputs hold, ended by NULL; &absent is an input that is left out
 */
typedef struct
{
  SondeGraph *graph;
  SondeNode *node;
  SondeValue *inputs[MOST_INPUTS];
  guint n;
} Call;

static void
call_clear (Call *call)
{
  for (guint k = 0; k < call->n; k++)
    g_clear_pointer (&call->inputs[k], sonde_value_unref);
  g_clear_pointer (&call->graph, sonde_graph_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Call, call_clear)

static void
call_init (Call *call, const char *op)
{
  *call = (Call){ .graph = sonde_graph_new ("test") };
  call->node = sonde_graph_add_node (call->graph, "node", "", op, NULL, 0, 1);
}

/* @value: (transfer full) (nullable) */
static void
call_take (Call *call, SondeValue *value)
{
  sonde_node_set_input (call->graph, call->node, call->n,
                        value ? sonde_graph_add_value (call->graph, "x", NULL) : NULL);
  call->inputs[call->n++] = value;
}

/* Without a shape: a scalar. */
static SondeTensor *
new_tensor (const char *text)
{
  g_autofree char *scalar
      = strchr (text, ':') == NULL ? g_strconcat ("scalar: ", text, NULL) : NULL;

  return sonde_test_tensor (SONDE_DTYPE_I64, scalar ? scalar : text);
}

static SondeValue *
tensor_value (const char *text)
{
  g_autoptr (SondeTensor) tensor = new_tensor (text);

  return sonde_value_new_tensor (tensor);
}

/* Texts, ended by NULL. */
static SondeValue *
sequence_value (const char *first, ...)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_value_unref);
  va_list texts;

  va_start (texts, first);
  for (const char *text = first; text != NULL; text = va_arg (texts, const char *))
    g_ptr_array_add (items, tensor_value (text));
  va_end (texts);
  return sonde_value_new_sequence ((SondeValue *const *) items->pdata, items->len);
}

static SondeValue *
call_run (Call *call)
{
  g_autoptr (GError) error = NULL;
  SondeValue *output = NULL;

  sonde_op_run_reference_values (call->node, call->inputs, call->n, 0, 0, &output, 1, &error);
  g_assert_no_error (error);
  g_assert_nonnull (output);
  return output;
}

static void
call_refused (Call *call, const char *sentence)
{
  g_autoptr (GError) error = NULL;
  SondeValue *output = NULL;

  g_assert_false (
      sonde_op_run_reference_values (call->node, call->inputs, call->n, 0, 0, &output, 1, &error));
  g_assert_null (output);
  g_assert_nonnull (error);
  g_assert_cmpint (error->domain, ==, SONDE_ENGINE_ERROR);
  if (strstr (error->message, sentence) == NULL)
    g_error ("“%s” lacks “%s”", error->message, sentence);
}

static void
assert_tensor (const SondeValue *value, const char *text)
{
  g_autoptr (SondeTensor) want = new_tensor (text);

  g_assert_cmpint (sonde_value_get_kind (value), ==, SONDE_VALUE_TENSOR);
  g_assert_true (sonde_tensor_equal (sonde_value_get_tensor (value), want));
}

/* Items by their texts, separated by '|'. */
static void
assert_sequence (const SondeValue *value, const char *texts)
{
  g_auto (GStrv) want = g_strsplit (texts, "|", -1);

  g_assert_cmpint (sonde_value_get_kind (value), ==, SONDE_VALUE_SEQUENCE);
  g_assert_cmpuint (sonde_value_get_n_items (value), ==, g_strv_length (want));
  for (gsize i = 0; want[i] != NULL; i++)
    assert_tensor (sonde_value_get_item (value, i), want[i]);
}

/* ---- changed and read ---------------------------------------------------- */

static void
test_insert (void)
{
  static const struct
  {
    const char *position, *want;
  } rows[] = {
    { NULL, "2: 1 2|1: 3|3: 7 8 9" }, { "0", "3: 7 8 9|2: 1 2|1: 3" },
    { "1", "2: 1 2|3: 7 8 9|1: 3" },  { "2", "2: 1 2|1: 3|3: 7 8 9" },
    { "-1", "2: 1 2|3: 7 8 9|1: 3" }, { "-2", "3: 7 8 9|2: 1 2|1: 3" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (Call) call;
      g_autoptr (SondeValue) got = NULL;

      call_init (&call, "SequenceInsert");
      call_take (&call, sequence_value ("2: 1 2", "1: 3", NULL));
      call_take (&call, tensor_value ("3: 7 8 9"));
      if (rows[i].position != NULL)
        call_take (&call, tensor_value (rows[i].position));
      got = call_run (&call);
      assert_sequence (got, rows[i].want);
      assert_sequence (call.inputs[0], "2: 1 2|1: 3");
    }
}

static void
test_insert_refused (void)
{
  static const char *const positions[] = { "3", "-3" };
  g_autoptr (SondeTensor) text = sonde_test_tensor (SONDE_DTYPE_F32, "1: 1");

  for (gsize i = 0; i < G_N_ELEMENTS (positions); i++)
    {
      g_auto (Call) call;

      call_init (&call, "SequenceInsert");
      call_take (&call, sequence_value ("1: 1", "1: 2", NULL));
      call_take (&call, tensor_value ("1: 3"));
      call_take (&call, tensor_value (positions[i]));
      call_refused (&call, "outside of a sequence of 2");
    }
  {
    g_auto (Call) call;

    call_init (&call, "SequenceInsert");
    call_take (&call, sequence_value ("1: 1", NULL));
    call_take (&call, sonde_value_new_tensor (text));
    call_refused (&call, "float32 tensor cannot go into a sequence of int64");
  }
}

static void
test_erase (void)
{
  static const struct
  {
    const char *position, *want;
  } rows[] = { { NULL, "1: 1|1: 2" }, { "0", "1: 2|1: 3" }, { "-2", "1: 1|1: 3" } };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (Call) call;
      g_autoptr (SondeValue) got = NULL;

      call_init (&call, "SequenceErase");
      call_take (&call, sequence_value ("1: 1", "1: 2", "1: 3", NULL));
      if (rows[i].position != NULL)
        call_take (&call, tensor_value (rows[i].position));
      got = call_run (&call);
      assert_sequence (got, rows[i].want);
    }
  {
    g_auto (Call) call;

    call_init (&call, "SequenceErase");
    call_take (&call, sequence_value (NULL));
    call_refused (&call, "outside of a sequence of 0");
  }
}

static void
test_read (void)
{
  g_auto (Call) at, length, empty, outside, no_sequence;
  g_autoptr (SondeValue) item = NULL, n = NULL, none = NULL;

  call_init (&at, "SequenceAt");
  call_take (&at, sequence_value ("1: 1", "2: 2 2", NULL));
  call_take (&at, tensor_value ("-1"));
  item = call_run (&at);
  assert_tensor (item, "2: 2 2");

  call_init (&length, "SequenceLength");
  call_take (&length, sequence_value ("1: 1", "2: 2 2", NULL));
  n = call_run (&length);
  assert_tensor (n, "2");

  call_init (&empty, "SequenceEmpty");
  none = call_run (&empty);
  g_assert_cmpuint (sonde_value_get_n_items (none), ==, 0);

  call_init (&outside, "SequenceAt");
  call_take (&outside, sequence_value ("1: 1", NULL));
  call_take (&outside, tensor_value ("1"));
  call_refused (&outside, "position 1 is outside of a sequence of 1");

  call_init (&no_sequence, "SequenceAt");
  call_take (&no_sequence, tensor_value ("1: 1"));
  call_take (&no_sequence, tensor_value ("0"));
  call_refused (&no_sequence, "not a sequence");
}

/* ---- cut and joined ------------------------------------------------------ */

static void
test_split (void)
{
  static const struct
  {
    const char *split;
    int axis, keepdims;
    const char *want;
  } rows[] = {
    { NULL, 1, 1, "2x1: 1 4|2x1: 2 5|2x1: 3 6" },
    { NULL, 1, 0, "2: 1 4|2: 2 5|2: 3 6" },
    { NULL, 0, 0, "3: 1 2 3|3: 4 5 6" },
    { "2", 1, 1, "2x2: 1 2 4 5|2x1: 3 6" },
    { "2", -1, 0, "2x2: 1 2 4 5|2x1: 3 6" },
    { "3: 1 0 2", 1, 1, "2x1: 1 4|2x0:|2x2: 2 3 5 6" },
    { "9", 0, 1, "2x3: 1 2 3 4 5 6" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (Call) call;
      g_autoptr (SondeValue) got = NULL;

      call_init (&call, "SplitToSequence");
      sonde_node_set_int (call.node, "axis", rows[i].axis);
      sonde_node_set_int (call.node, "keepdims", rows[i].keepdims);
      call_take (&call, tensor_value ("2x3: 1 2 3 4 5 6"));
      if (rows[i].split != NULL)
        call_take (&call, tensor_value (rows[i].split));
      got = call_run (&call);
      assert_sequence (got, rows[i].want);
    }
}

static void
test_split_refused (void)
{
  static const struct
  {
    const char *split;
    int axis;
    const char *sentence;
  } rows[] = {
    { "0", 0, "cannot be 0 long" },          { "-1", 0, "cannot be -1 long" },
    { "2: 1 2", 0, "do not add up" },        { "2: 3 -1", 0, "do not add up" },
    { "1x2: 1 1", 0, "one size or a list" }, { "1", 2, "axis" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (Call) call;

      call_init (&call, "SplitToSequence");
      sonde_node_set_int (call.node, "axis", rows[i].axis);
      call_take (&call, tensor_value ("2x3: 1 2 3 4 5 6"));
      call_take (&call, tensor_value (rows[i].split));
      call_refused (&call, rows[i].sentence);
    }
}

static void
test_concat (void)
{
  static const struct
  {
    int axis, new_axis;
    const char *want;
  } rows[] = {
    { 0, 0, "4x2: 1 2 3 4 5 6 7 8" },    { 1, 0, "2x4: 1 2 5 6 3 4 7 8" },
    { -1, 0, "2x4: 1 2 5 6 3 4 7 8" },   { 0, 1, "2x2x2: 1 2 3 4 5 6 7 8" },
    { 1, 1, "2x2x2: 1 2 5 6 3 4 7 8" },  { 2, 1, "2x2x2: 1 5 2 6 3 7 4 8" },
    { -1, 1, "2x2x2: 1 5 2 6 3 7 4 8" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (Call) call;
      g_autoptr (SondeValue) got = NULL;

      call_init (&call, "ConcatFromSequence");
      sonde_node_set_int (call.node, "axis", rows[i].axis);
      sonde_node_set_int (call.node, "new_axis", rows[i].new_axis);
      call_take (&call, sequence_value ("2x2: 1 2 3 4", "2x2: 5 6 7 8", NULL));
      got = call_run (&call);
      assert_tensor (got, rows[i].want);
    }
}

static void
test_concat_refused (void)
{
  g_auto (Call) empty, other;

  call_init (&empty, "ConcatFromSequence");
  call_take (&empty, sequence_value (NULL));
  call_refused (&empty, "empty");
  call_init (&other, "ConcatFromSequence");
  sonde_node_set_int (other.node, "new_axis", 1);
  call_take (&other, sequence_value ("2: 1 2", "3: 5 6 7", NULL));
  call_refused (&other, "item 1 does not fit item 0");
}

/* ---- optionals ----------------------------------------------------------- */

static gboolean
has_element (SondeValue *value) /* (transfer full) (nullable) */
{
  g_auto (Call) call;
  g_autoptr (SondeValue) got = NULL;

  call_init (&call, "OptionalHasElement");
  call_take (&call, value);
  got = call_run (&call);
  g_assert_cmpint (sonde_value_get_tensor (got)->dtype, ==, SONDE_DTYPE_BOOL);
  return sonde_tensor_get_int (sonde_value_get_tensor (got), 0) != 0;
}

static void
test_optional (void)
{
  g_auto (Call) make, get, nothing;
  g_autoptr (SondeValue) optional = NULL, content = NULL;

  call_init (&make, "Optional");
  call_take (&make, sequence_value ("1: 1", "1: 2", NULL));
  optional = call_run (&make);
  g_assert_cmpint (sonde_value_get_kind (optional), ==, SONDE_VALUE_OPTIONAL);
  call_init (&get, "OptionalGetElement");
  call_take (&get, sonde_value_ref (optional));
  content = call_run (&get);
  assert_sequence (content, "1: 1|1: 2");
  call_init (&nothing, "OptionalGetElement");
  call_take (&nothing, sonde_value_new_optional (NULL));
  call_refused (&nothing, "holds nothing");

  g_assert_true (has_element (sonde_value_ref (optional)));
  g_assert_true (has_element (tensor_value ("1: 1")));
  g_assert_true (has_element (sequence_value (NULL)));
  g_assert_false (has_element (sonde_value_new_optional (NULL)));
  g_assert_false (has_element (NULL));
}

static void
test_identity (void)
{
  g_auto (Call) call;
  g_autoptr (SondeValue) got = NULL;

  call_init (&call, "Identity");
  call_take (&call, sequence_value ("1: 1", "1: 2", NULL));
  got = call_run (&call);
  assert_sequence (got, "1: 1|1: 2");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/ops/sequence/insert", test_insert);
  g_test_add_func ("/engine/ops/sequence/insert-refused", test_insert_refused);
  g_test_add_func ("/engine/ops/sequence/erase", test_erase);
  g_test_add_func ("/engine/ops/sequence/read", test_read);
  g_test_add_func ("/engine/ops/sequence/split", test_split);
  g_test_add_func ("/engine/ops/sequence/split-refused", test_split_refused);
  g_test_add_func ("/engine/ops/sequence/concat", test_concat);
  g_test_add_func ("/engine/ops/sequence/concat-refused", test_concat_refused);
  g_test_add_func ("/engine/ops/sequence/optional", test_optional);
  g_test_add_func ("/engine/ops/sequence/identity", test_identity);
  return g_test_run ();
}
