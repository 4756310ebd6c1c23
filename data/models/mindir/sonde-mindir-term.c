/* SPDX-License-Identifier: Apache-2.0
 * Terms, arguments by name, results. */
#include "data/models/mindir/sonde-mindir-term.h"

#include <string.h>

#include "data/models/mindir/sonde-mindir-lower.h"

/* ---- terms --------------------------------------------------------------- */

void
sonde_mindir_term_free (gpointer data)
{
  SondeMindirTerm *term = data;

  g_free (term->items);
  g_free (term);
}

SondeMindirTerm *
sonde_mindir_term_new (SondeMindirLowering *lowering, SondeMindirTermKind kind, guint n)
{
  SondeMindirTerm *term = g_new0 (SondeMindirTerm, 1);

  g_ptr_array_add (lowering->terms, term);
  term->kind = kind;
  term->n = n;
  term->items = g_new0 (const SondeMindirTerm *, MAX (n, 1));
  return term;
}

const SondeMindirTerm *
sonde_mindir_term_of (SondeMindirLowering *lowering, SondeGraphValue *value)
{
  SondeMindirTerm *term = sonde_mindir_term_new (
      lowering, value != NULL ? SONDE_MINDIR_TERM_VALUE : SONDE_MINDIR_TERM_NOTHING, 0);

  term->value = value;
  return term;
}

const SondeMindirTerm *
sonde_mindir_term_of_constant (SondeMindirLowering *lowering, const SondeMindirValue *constant)
{
  SondeMindirTermKind kind = constant->kind == SONDE_MINDIR_MONAD ? SONDE_MINDIR_TERM_NOTHING
                                                                  : SONDE_MINDIR_TERM_CONSTANT;
  SondeMindirTerm *term;

  if (constant->kind != SONDE_MINDIR_SEQUENCE)
    {
      term = sonde_mindir_term_new (lowering, kind, 0);
      term->constant = constant;
      return term;
    }
  term = sonde_mindir_term_new (lowering, SONDE_MINDIR_TERM_TUPLE, constant->n);
  for (guint i = 0; i < constant->n; i++)
    term->items[i] = sonde_mindir_term_of_constant (lowering, &constant->items[i]);
  return term;
}

const SondeMindirTerm *
sonde_mindir_term_of_int (SondeMindirLowering *lowering, gint64 number)
{
  SondeMindirValue *value = g_new0 (SondeMindirValue, 1);

  g_ptr_array_add (lowering->values, value);
  value->kind = SONDE_MINDIR_INT;
  value->i = number;
  return sonde_mindir_term_of_constant (lowering, value);
}

/* The tensor of a term that is known. (nullable) */
static const SondeTensor *
peek_tensor (const SondeMindirTerm *term)
{
  if (term->kind == SONDE_MINDIR_TERM_VALUE)
    return sonde_lowering_get_constant (term->value);
  if (term->kind == SONDE_MINDIR_TERM_CONSTANT && term->constant->kind == SONDE_MINDIR_TENSOR)
    return term->constant->tensor;
  return NULL;
}

static gboolean
add_tensor_ints (const SondeTensor *tensor, GArray *ints)
{
  if (!sonde_dtype_is_integer (tensor->dtype) && tensor->dtype != SONDE_DTYPE_BOOL)
    return FALSE;
  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    {
      gint64 number = sonde_tensor_get_int (tensor, i);

      g_array_append_val (ints, number);
    }
  return TRUE;
}

gboolean
sonde_mindir_term_get_ints (const SondeMindirTerm *term, GArray *ints)
{
  const SondeTensor *tensor = peek_tensor (term);

  if (tensor != NULL)
    return add_tensor_ints (tensor, ints);
  if (term->kind == SONDE_MINDIR_TERM_CONSTANT && term->constant->kind == SONDE_MINDIR_INT)
    {
      g_array_append_val (ints, term->constant->i);
      return TRUE;
    }
  if (term->kind != SONDE_MINDIR_TERM_TUPLE)
    return FALSE;
  for (guint i = 0; i < term->n; i++)
    if (!sonde_mindir_term_get_ints (term->items[i], ints))
      return FALSE;
  return TRUE;
}

gboolean
sonde_mindir_term_get_double (const SondeMindirTerm *term, double *number)
{
  const SondeTensor *tensor = peek_tensor (term);
  const SondeMindirValue *constant = term->constant;

  if (tensor != NULL && tensor->dtype != SONDE_DTYPE_STRING
      && sonde_tensor_n_elements (tensor) == 1)
    *number = sonde_tensor_get_double (tensor, 0);
  else if (term->kind != SONDE_MINDIR_TERM_CONSTANT)
    return FALSE;
  else if (constant->kind == SONDE_MINDIR_INT)
    *number = (double) constant->i;
  else if (constant->kind == SONDE_MINDIR_FLOAT)
    *number = constant->f;
  else
    return FALSE;
  return TRUE;
}

static SondeDtype
dtype_of_number (const SondeMindirValue *constant)
{
  return constant->kind == SONDE_MINDIR_FLOAT ? SONDE_DTYPE_F32
         : constant->is_bool                  ? SONDE_DTYPE_BOOL
                                              : SONDE_DTYPE_I64;
}

/* Once in the outermost graph; in each subgraph that is read before. */
static SondeGraphValue *
tensor_to_value (SondeMindirLowering *lowering, const SondeMindirValue *constant)
{
  SondeGraphValue *value = g_hash_table_lookup (lowering->tensors, constant);
  const char *name = constant->name != NULL ? constant->name : "constant";

  if (value != NULL || constant->tensor == NULL)
    return value;
  value = sonde_lowering_constant (lowering->l, sonde_mindir_unique (lowering, name),
                                   constant->tensor);
  if (lowering->depth == 0)
    g_hash_table_insert (lowering->tensors, (gpointer) constant, value);
  return value;
}

/* Tensors of the file keep their type: only plain numbers take that of @dtype. */
static SondeGraphValue *
constant_to_value (SondeMindirLowering *lowering, const SondeMindirValue *constant,
                   SondeDtype dtype)
{
  double number = constant->kind == SONDE_MINDIR_INT ? (double) constant->i : constant->f;

  if (constant->kind == SONDE_MINDIR_TENSOR)
    return tensor_to_value (lowering, constant);
  if (constant->kind != SONDE_MINDIR_INT && constant->kind != SONDE_MINDIR_FLOAT)
    return NULL;
  if (dtype == SONDE_DTYPE_INVALID)
    dtype = dtype_of_number (constant);
  if (dtype == SONDE_DTYPE_I64 && constant->kind == SONDE_MINDIR_INT)
    return sonde_lowering_int (lowering->l, constant->i);
  return sonde_lowering_number (lowering->l, dtype, number);
}

/* Numbers that the net computes, one of them at least. */
static SondeGraphValue *
pack (SondeMindirLowering *lowering, const SondeMindirTerm *tuple, SondeDtype dtype)
{
  g_autofree SondeGraphValue **parts = g_new0 (SondeGraphValue *, MAX (tuple->n, 1));
  const gint64 one = 1;
  SondeGraphValue *shape = sonde_lowering_ints (lowering->l, &one, 1);
  SondeGraphValue *packed;

  for (guint i = 0; i < tuple->n; i++)
    {
      SondeGraphValue *item = sonde_mindir_term_to_value (lowering, tuple->items[i], dtype);

      if (item == NULL)
        return NULL;
      if (dtype != SONDE_DTYPE_INVALID && item->constant == NULL)
        {
          item = sonde_lowering_op (lowering->l, "Cast", SONDE_VALUES (item));
          sonde_node_set_int (item->producer, "to", 7);
        }
      parts[i] = sonde_lowering_op (lowering->l, "Reshape", SONDE_VALUES (item, shape));
    }
  packed = sonde_lowering_op (lowering->l, "Concat", parts, tuple->n);
  sonde_node_set_int (packed->producer, "axis", 0);
  return sonde_mindir_typed (packed, dtype, 1);
}

static SondeGraphValue *
tuple_to_value (SondeMindirLowering *lowering, const SondeMindirTerm *tuple, SondeDtype dtype)
{
  g_autoptr (GArray) ints = g_array_new (FALSE, FALSE, sizeof (gint64));
  SondeShape shape = sonde_shape_make (1, (gint64) tuple->n);
  g_autoptr (SondeTensor) tensor = NULL;

  if (sonde_mindir_term_get_ints (tuple, ints))
    return sonde_lowering_ints (lowering->l, (const gint64 *) (const void *) ints->data, ints->len);
  tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  for (guint i = 0; i < tuple->n; i++)
    {
      double number;

      if (!sonde_mindir_term_get_double (tuple->items[i], &number))
        return pack (lowering, tuple, SONDE_DTYPE_I64);
      sonde_tensor_set_double (tensor, i, number);
    }
  return sonde_lowering_constant (lowering->l, sonde_mindir_unique (lowering, "numbers"), tensor);
}

SondeGraphValue *
sonde_mindir_term_to_value (SondeMindirLowering *lowering, const SondeMindirTerm *term,
                            SondeDtype dtype)
{
  if (term->kind == SONDE_MINDIR_TERM_VALUE)
    return term->value;
  if (term->kind == SONDE_MINDIR_TERM_CONSTANT)
    return constant_to_value (lowering, term->constant, dtype);
  return term->kind == SONDE_MINDIR_TERM_TUPLE ? tuple_to_value (lowering, term, dtype) : NULL;
}

/* ---- arguments ----------------------------------------------------------- */

/* Place of @name among the words of @arguments; −1. */
static int
find_argument (const char *arguments, const char *name)
{
  const gsize length = strlen (name);
  int index = 0;

  for (const char *at = arguments; at != NULL; index++)
    {
      if (strncmp (at, name, length) == 0 && (at[length] == ' ' || at[length] == '\0'))
        return index;
      at = strchr (at, ' ');
      at = at != NULL ? at + 1 : NULL;
    }
  return -1;
}

static gboolean
is_none (const SondeMindirTerm *term)
{
  return term->kind == SONDE_MINDIR_TERM_NOTHING
         || (term->kind == SONDE_MINDIR_TERM_CONSTANT && term->constant->kind == SONDE_MINDIR_NONE);
}

const SondeMindirTerm *
sonde_mindir_argument (SondeMindirCall *call, const char *name)
{
  int index = find_argument (call->row->arguments, name);
  const SondeMindirValue *attribute;

  if (index >= 0 && (guint) index < call->n)
    return is_none (call->inputs[index]) ? NULL : call->inputs[index];
  attribute = sonde_mindir_node_attribute (call->node, name);
  return attribute != NULL && attribute != call->node->output
                 && attribute->kind != SONDE_MINDIR_NONE
             ? sonde_mindir_term_of_constant (call->lowering, attribute)
             : NULL;
}

gboolean
sonde_mindir_has (SondeMindirCall *call, const char *name)
{
  return sonde_mindir_argument (call, name) != NULL;
}

/* What goes on when an argument is missing: nothing will be kept of it. */
static SondeGraphValue *
stand_in (SondeMindirCall *call)
{
  return sonde_graph_add_value (sonde_lowering_get_graph (call->l), NULL, NULL);
}

static void
refuse_argument (SondeMindirCall *call, const char *name, const char *what)
{
  if (call->refused)
    return;
  call->refused = TRUE;
  sonde_lowering_fail (call->l, SONDE_DATA_ERROR_DAMAGED, "argument “%s” %-s", name, what);
}

SondeGraphValue *
sonde_mindir_tensor_or_null (SondeMindirCall *call, const char *name)
{
  const SondeMindirTerm *term = sonde_mindir_argument (call, name);

  return term != NULL ? sonde_mindir_term_to_value (call->lowering, term, SONDE_DTYPE_INVALID)
                      : NULL;
}

SondeGraphValue *
sonde_mindir_tensor (SondeMindirCall *call, const char *name)
{
  SondeGraphValue *value = sonde_mindir_tensor_or_null (call, name);

  if (value != NULL)
    return value;
  refuse_argument (call, name, N_ ("is missing, or is no tensor"));
  return stand_in (call);
}

SondeGraphValue *
sonde_mindir_tensor_like (SondeMindirCall *call, const char *name, SondeGraphValue *like)
{
  const SondeMindirTerm *term = sonde_mindir_argument (call, name);
  SondeGraphValue *value;

  if (term == NULL || term->kind == SONDE_MINDIR_TERM_VALUE)
    return sonde_mindir_tensor (call, name);
  value = sonde_mindir_term_to_value (call->lowering, term, like->type.dtype);
  return value != NULL ? value : stand_in (call);
}

static gboolean
get_number (SondeMindirCall *call, const char *name, double *number)
{
  const SondeMindirTerm *term = sonde_mindir_argument (call, name);

  if (term == NULL)
    return FALSE;
  if (sonde_mindir_term_get_double (term, number))
    return TRUE;
  refuse_argument (call, name, N_ ("is not a number that is known before the net runs"));
  return FALSE;
}

gint64
sonde_mindir_int (SondeMindirCall *call, const char *name, gint64 fallback)
{
  const SondeMindirTerm *term = sonde_mindir_argument (call, name);
  g_autoptr (GArray) ints = g_array_new (FALSE, FALSE, sizeof (gint64));

  if (term == NULL)
    return fallback;
  if (sonde_mindir_term_get_ints (term, ints) && ints->len == 1)
    return g_array_index (ints, gint64, 0);
  refuse_argument (call, name, N_ ("is not a whole number that is known before the net runs"));
  return fallback;
}

gboolean
sonde_mindir_flag (SondeMindirCall *call, const char *name, gboolean fallback)
{
  return sonde_mindir_int (call, name, fallback) != 0;
}

double
sonde_mindir_number (SondeMindirCall *call, const char *name, double fallback)
{
  double number = fallback;

  return get_number (call, name, &number) ? number : fallback;
}

const char *
sonde_mindir_text (SondeMindirCall *call, const char *name, const char *fallback)
{
  const SondeMindirTerm *term = sonde_mindir_argument (call, name);

  return term != NULL && term->kind == SONDE_MINDIR_TERM_CONSTANT
                 && term->constant->kind == SONDE_MINDIR_STRING
             ? term->constant->string
             : fallback;
}

GArray *
sonde_mindir_ints (SondeMindirCall *call, const char *name)
{
  const SondeMindirTerm *term = sonde_mindir_argument (call, name);
  g_autoptr (GArray) ints = g_array_new (FALSE, FALSE, sizeof (gint64));

  if (term == NULL)
    return NULL;
  if (!sonde_mindir_term_get_ints (term, ints))
    {
      refuse_argument (call, name, N_ ("has numbers that are not known before the net runs"));
      return NULL;
    }
  return g_steal_pointer (&ints);
}

GPtrArray *
sonde_mindir_tensors (SondeMindirCall *call, guint n_last)
{
  GPtrArray *values = g_ptr_array_new ();
  const gboolean packed = call->n > 0 && call->inputs[0]->kind == SONDE_MINDIR_TERM_TUPLE;
  const SondeMindirTerm **terms = packed ? call->inputs[0]->items : call->inputs;
  guint n = packed ? call->inputs[0]->n : call->n - MIN (call->n, n_last);

  for (guint i = 0; i < n; i++)
    {
      SondeGraphValue *value
          = sonde_mindir_term_to_value (call->lowering, terms[i], SONDE_DTYPE_INVALID);

      if (value != NULL)
        g_ptr_array_add (values, value);
    }
  if (values->len == 0)
    {
      refuse_argument (call, "x", N_ ("is missing, or is no tensor"));
      g_ptr_array_add (values, stand_in (call));
    }
  return values;
}

/* ---- results ------------------------------------------------------------- */

const SondeMindirTerm *
sonde_mindir_give (SondeMindirCall *call, SondeGraphValue *value)
{
  return sonde_mindir_term_of (call->lowering, value);
}

const SondeMindirTerm *
sonde_mindir_give_tuple (SondeMindirCall *call, SondeGraphValue *const *values, guint n)
{
  SondeMindirTerm *tuple = sonde_mindir_term_new (call->lowering, SONDE_MINDIR_TERM_TUPLE, n);

  for (guint i = 0; i < n; i++)
    tuple->items[i] = sonde_mindir_term_of (call->lowering, values[i]);
  return tuple;
}

static void
add_inputs (SondeMindirCall *call, GPtrArray *values)
{
  for (guint i = 0; i < call->n; i++)
    {
      SondeGraphValue *value
          = sonde_mindir_term_to_value (call->lowering, call->inputs[i], SONDE_DTYPE_INVALID);

      if (value != NULL)
        g_ptr_array_add (values, value);
    }
}

/* The node as it is, with what is known of its attributes. */
static void
keep_attributes (SondeNode *node, const SondeMindirNode *source)
{
  for (guint i = 0; i < source->n_attributes; i++)
    {
      const SondeMindirValue *value = &source->attributes[i];

      if (value->name == NULL || value == source->output)
        continue;
      if (value->kind == SONDE_MINDIR_INT)
        sonde_node_set_int (node, value->name, value->i);
      else if (value->kind == SONDE_MINDIR_FLOAT)
        sonde_node_set_float (node, value->name, value->f);
      else if (value->kind == SONDE_MINDIR_STRING)
        sonde_node_set_string (node, value->name, value->string);
    }
}

const SondeMindirTerm *
sonde_mindir_refuse (SondeMindirCall *call, const char *what, const char *advice)
{
  g_autoptr (GPtrArray) values = g_ptr_array_new ();
  const SondeMindirValue *output = call->node->output;
  const guint n = output != NULL && output->kind == SONDE_MINDIR_SEQUENCE ? MAX (output->n, 1) : 1;
  g_autofree SondeGraphValue **made = g_new0 (SondeGraphValue *, n);
  SondeNode *node;

  add_inputs (call, values);
  node = sonde_lowering_refuse (call->l, (SondeGraphValue *const *) values->pdata, values->len, n,
                                sonde_message_new ("%-s", what),
                                advice != NULL ? sonde_message_new ("%-s", advice) : NULL);
  keep_attributes (node, call->node);
  for (guint i = 0; i < n; i++)
    made[i] = sonde_node_get_output (node, i);
  return n > 1 ? sonde_mindir_give_tuple (call, made, n) : sonde_mindir_give (call, made[0]);
}

/* ---- types --------------------------------------------------------------- */

SondeGraphValue *
sonde_mindir_typed (SondeGraphValue *value, SondeDtype dtype, int rank)
{
  value->type.kind = SONDE_VALUE_TENSOR;
  if (value->type.dtype == SONDE_DTYPE_INVALID)
    value->type.dtype = dtype;
  if (value->type.rank < 0 && rank >= 0)
    {
      value->type.rank = rank;
      for (int i = 0; i < rank; i++)
        value->type.dims[i] = (SondeDimension){ .size = -1 };
    }
  return value;
}

int
sonde_mindir_rank (SondeMindirCall *call, const SondeGraphValue *value)
{
  if (value->type.kind == SONDE_VALUE_TENSOR && value->type.rank >= 0)
    return value->type.rank;
  if (!call->refused)
    sonde_lowering_fail (call->l, SONDE_DATA_ERROR_UNSUPPORTED,
                         "the file does not say how many dimensions “%s” has; export the model "
                         "again with MindSpore",
                         value->name);
  call->refused = TRUE;
  return -1;
}

SondeDtype
sonde_mindir_dtype (const SondeGraphValue *value)
{
  return value->type.dtype != SONDE_DTYPE_INVALID ? value->type.dtype : SONDE_DTYPE_F32;
}

static const struct
{
  gint64 id;
  SondeDtype dtype;
} type_ids[] = {
  { 30, SONDE_DTYPE_BOOL }, { 32, SONDE_DTYPE_I8 },  { 33, SONDE_DTYPE_I16 },
  { 34, SONDE_DTYPE_I32 },  { 35, SONDE_DTYPE_I64 }, { 37, SONDE_DTYPE_U8 },
  { 38, SONDE_DTYPE_U16 },  { 39, SONDE_DTYPE_U32 }, { 40, SONDE_DTYPE_U64 },
  { 42, SONDE_DTYPE_F16 },  { 43, SONDE_DTYPE_F32 }, { 44, SONDE_DTYPE_F64 },
  { 45, SONDE_DTYPE_BF16 },
};

SondeDtype
sonde_mindir_dtype_of_id (gint64 id)
{
  for (guint i = 0; i < G_N_ELEMENTS (type_ids); i++)
    if (type_ids[i].id == id)
      return type_ids[i].dtype;
  return SONDE_DTYPE_INVALID;
}

gint64
sonde_mindir_id_of_dtype (SondeDtype dtype)
{
  for (guint i = 0; i < G_N_ELEMENTS (type_ids); i++)
    if (type_ids[i].dtype == dtype)
      return type_ids[i].id;
  return 0;
}
