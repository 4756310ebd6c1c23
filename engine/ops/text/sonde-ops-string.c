/* SPDX-License-Identifier: Apache-2.0
 * Strings: joined, cut, normalised, matched. Letters are Unicode's, case is mapped letter by letter
 * whatever the process's locale is; bytes that are no UTF-8 are left as they are. Source: the
 * operator texts of ONNX; what whitespace is and how it cuts is Python's str.split(). */
#include "engine/ops/text/sonde-string-private.h"
#include "data/base/sonde-text.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include "data/base/sonde-checked.h"
#include "engine/ops/sonde-strided.h"

#include <string.h>

#define MOST_BYTES ((gint64) 1 << 30) /* of the strings that one node makes */

#define invalid(error, ...)                                                                        \
  (sonde_set_error ((error), SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID, __VA_ARGS__), FALSE)

/* ---- shared -------------------------------------------------------------- */

gboolean
sonde_infer_need_string (const SondeInferContext *context, guint k, GError **error)
{
  const SondeType *type = sonde_infer_input (context, k);

  if (type == NULL || type->dtype == SONDE_DTYPE_INVALID || type->dtype == SONDE_DTYPE_STRING)
    return TRUE;
  return sonde_infer_fail (error, "input %u is %s, but must be of strings", k,
                           sonde_dtype_name (type->dtype));
}

SondeTensor *
sonde_kernel_new_output (const SondeValueContext *context,
                         gboolean (*rule) (SondeInferContext *context, GError **error), guint k,
                         GError **error)
{
  g_autofree SondeType *types = g_new0 (SondeType, context->n_outputs + 1);
  SondeShape shape;

  if (!sonde_kernel_infer_values (context, rule, types, error))
    return NULL;
  if (!sonde_type_get_shape (&types[k], &shape) || types[k].dtype == SONDE_DTYPE_INVALID)
    {
      (void) sonde_infer_fail (error, "an input is not a tensor");
      return NULL;
    }
  return sonde_tensor_try_new (types[k].dtype, &shape, NULL, N_ ("an output"), error);
}

void
sonde_kernel_give (const SondeValueContext *context, guint k, SondeTensor *tensor)
{
  if (k < context->n_outputs && sonde_node_get_output (context->node, k) != NULL)
    context->outputs[k] = sonde_value_new_tensor (tensor);
}

/* ---- joined -------------------------------------------------------------- */

static gboolean
infer_concat (SondeInferContext *context, GError **error)
{
  if (!sonde_infer_need_string (context, 0, error) || !sonde_infer_need_string (context, 1, error))
    return FALSE;
  return !sonde_infer_ready (context, 2)
         || sonde_infer_broadcast (&context->inputs[0], &context->inputs[1], &context->outputs[0],
                                   error);
}

static gboolean
compute_concat (const SondeValueContext *context, GError **error)
{
  g_autoptr (SondeTensor) z = sonde_kernel_new_output (context, infer_concat, 0, error);
  SondeTensor *x = sonde_value_get_tensor (context->inputs[0]),
              *y = sonde_value_get_tensor (context->inputs[1]);
  gint64 strides[2][SONDE_MAX_RANK];
  const gint64 *const both[] = { strides[0], strides[1] };
  gint64 at = 0, bytes = 0;
  SondeStrided loop;
  SondeCursor cursor;

  if (z == NULL)
    return FALSE;
  sonde_strided_broadcast (&x->shape, &z->shape, strides[0]);
  sonde_strided_broadcast (&y->shape, &z->shape, strides[1]);
  sonde_strided_init (&loop, &z->shape, 2, both);
  if (sonde_strided_start (&loop, &cursor))
    do
      for (gint64 i = 0; i < loop.dims[loop.rank - 1]; i++)
        {
          const char *a = sonde_text_at (x, cursor.offsets[0] + i * loop.strides[0][loop.rank - 1]);
          const char *b = sonde_text_at (y, cursor.offsets[1] + i * loop.strides[1][loop.rank - 1]);

          bytes += (gint64) strlen (a) + (gint64) strlen (b);
          if (bytes > MOST_BYTES)
            return invalid (error, "the joined strings would be longer than 1 GiB");
          sonde_text_take (z, at++, g_strconcat (a, b, NULL));
        }
    while (sonde_strided_next (&loop, &cursor));
  sonde_kernel_give (context, 0, z);
  return TRUE;
}

/* ---- cut ----------------------------------------------------------------- */

/* Bytes of the whitespace letter that @text starts with; 0: none. */
static gsize
space_length (const char *text)
{
  gunichar letter = g_utf8_get_char_validated (text, -1);

  if (letter == (gunichar) -1 || letter == (gunichar) -2 || letter == 0)
    return 0;
  if ((letter >= 9 && letter <= 13) || (letter >= 0x1c && letter <= 0x20) || letter == 0x85
      || g_unichar_isspace (letter))
    return (gsize) (g_utf8_next_char (text) - text);
  return 0;
}

static const char *
skip_space (const char *text)
{
  gsize n;

  while ((n = space_length (text)) > 0)
    text += n;
  return text;
}

/* Part @text starts with, and where the next one starts; FALSE after the last. @last: the part is
 * all that is left */
static gboolean
next_part (const char **text, const char *delimiter, /* "": whitespace */
           gboolean last, const char **part, gsize *length)
{
  const char *end = NULL;

  if (*text == NULL)
    return FALSE;
  if (*delimiter != '\0')
    {
      end = last ? NULL : strstr (*text, delimiter);
      *part = *text;
      *length = end ? (gsize) (end - *text) : strlen (*text);
      *text = end ? end + strlen (delimiter) : NULL;
      return TRUE;
    }
  *part = skip_space (*text);
  if (**part == '\0')
    return FALSE;
  for (end = *part; *end != '\0' && (last || space_length (end) == 0); end++)
    ;
  *length = (gsize) (end - *part);
  *text = end;
  return TRUE;
}

/* Cuts, or only counts when @parts is NULL. */
static gint64
cut (const char *text, const char *delimiter, gint64 most, /* cuts; negative: any number */
     SondeTensor *parts, gint64 at)
{
  const char *part = NULL;
  gsize length = 0;
  gint64 n = 0;

  for (; next_part (&text, delimiter, most >= 0 && n >= most, &part, &length); n++)
    if (parts != NULL)
      sonde_text_take (parts, at + n, g_strndup (part, length));
  return n;
}

static gboolean
infer_split (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];

  if (!sonde_infer_need_string (context, 0, error))
    return FALSE;
  if (!sonde_infer_ready (context, 1))
    return TRUE;
  if (x->rank >= SONDE_MAX_RANK)
    return sonde_infer_fail (error, "the result would have more than %d dimensions",
                             SONDE_MAX_RANK);
  context->outputs[0] = *x;
  context->outputs[0].dims[context->outputs[0].rank++] = (SondeDimension){ .size = -1 };
  if (context->n_outputs > 1)
    {
      context->outputs[1] = *x;
      context->outputs[1].dtype = SONDE_DTYPE_I64;
    }
  return TRUE;
}

static gboolean
compute_split (const SondeValueContext *context, GError **error)
{
  const char *delimiter = sonde_node_get_string (context->node, "delimiter", "");
  gint64 most = sonde_node_get_int (context->node, "maxsplit", -1), columns = 0, n = 0;
  SondeTensor *x = sonde_value_get_tensor (context->inputs[0]);
  g_autoptr (SondeTensor) counts = NULL, parts = NULL;
  SondeShape shape;

  if (!sonde_kernel_infer_values (context, infer_split, NULL, error))
    return FALSE;
  if (x == NULL)
    return invalid (error, "input 0 is not a tensor");
  counts
      = sonde_tensor_try_new (SONDE_DTYPE_I64, &x->shape, NULL, N_ ("the numbers of parts"), error);
  if (counts == NULL)
    return FALSE;
  n = sonde_tensor_n_elements (x);
  for (gint64 i = 0; i < n; i++)
    {
      gint64 *count = (gint64 *) (void *) counts->data + i;

      *count = cut (sonde_text_at (x, i), delimiter, most, NULL, 0);
      columns = MAX (columns, *count);
    }
  shape = x->shape;
  shape.dims[shape.rank++] = columns;
  parts = sonde_tensor_try_new (SONDE_DTYPE_STRING, &shape, NULL, N_ ("the parts"), error);
  if (parts == NULL)
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    (void) cut (sonde_text_at (x, i), delimiter, most, parts, i * columns);
  sonde_kernel_give (context, 0, parts);
  sonde_kernel_give (context, 1, counts);
  return TRUE;
}

/* ---- normalised ---------------------------------------------------------- */

typedef enum
{
  CASE_NONE,
  CASE_LOWER,
  CASE_UPPER,
} CaseChange;

/* Turkish and Azeri have an i with and one without a dot, each in both cases. */
static gboolean
has_dotless_i (const SondeNode *node)
{
  const char *locale = sonde_node_get_string (node, "locale", "en_US");

  return g_str_has_prefix (locale, "tr") || g_str_has_prefix (locale, "az");
}

static gunichar
change_letter (gunichar letter, CaseChange change, gboolean dotless)
{
  if (dotless && change == CASE_LOWER && (letter == 'I' || letter == 0x130))
    return letter == 'I' ? 0x131 : 'i';
  if (dotless && change == CASE_UPPER && (letter == 'i' || letter == 0x131))
    return letter == 'i' ? 0x130 : 'I';
  return change == CASE_LOWER ? g_unichar_tolower (letter) : g_unichar_toupper (letter);
}

static char *
change_case (const char *text, CaseChange change, gboolean dotless)
{
  g_autoptr (GString) changed = NULL;

  if (change == CASE_NONE)
    return g_strdup (text);
  changed = g_string_sized_new (strlen (text) + 1);
  while (*text != '\0')
    {
      gunichar letter = g_utf8_get_char_validated (text, -1);

      if (letter == (gunichar) -1 || letter == (gunichar) -2)
        {
          g_string_append_c (changed, *text++);
          continue;
        }
      g_string_append_unichar (changed, change_letter (letter, change, dotless));
      text = g_utf8_next_char (text);
    }
  return g_string_free (g_steal_pointer (&changed), FALSE);
}

static CaseChange
case_change (const SondeNode *node)
{
  const char *action = sonde_node_get_string (node, "case_change_action", "NONE");

  return strcmp (action, "LOWER") == 0   ? CASE_LOWER
         : strcmp (action, "UPPER") == 0 ? CASE_UPPER
                                         : CASE_NONE;
}

static gboolean
infer_normalize (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  const SondeAttribute *stopwords = sonde_node_find_attribute (context->node, "stopwords");

  if (!sonde_infer_need_string (context, 0, error))
    return FALSE;
  if (!sonde_infer_ready (context, 1))
    return TRUE;
  if (x->rank < 1 || x->rank > 2 || (x->rank == 2 && x->dims[0].size >= 0 && x->dims[0].size != 1))
    return sonde_infer_fail (error,
                             "input 0 must be a list of strings, or one in a matrix of one row");
  context->outputs[0] = *x;
  if (stopwords != NULL && stopwords->n > 0)
    context->outputs[0].dims[x->rank - 1] = (SondeDimension){ .size = -1 };
  return TRUE;
}

/* Words as they are compared. Returns: (transfer full): a set */
static GHashTable *
stopword_set (const SondeNode *node, CaseChange fold, gboolean dotless)
{
  const SondeAttribute *stopwords = sonde_node_find_attribute (node, "stopwords");
  GHashTable *set = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (gsize i = 0;
       stopwords != NULL && stopwords->kind == SONDE_ATTRIBUTE_STRINGS && i < stopwords->n; i++)
    g_hash_table_add (set, change_case (stopwords->u.strings[i], fold, dotless));
  return set;
}

static gboolean
compute_normalize (const SondeValueContext *context, GError **error)
{
  CaseChange change = case_change (context->node);
  CaseChange fold
      = sonde_node_get_int (context->node, "is_case_sensitive", 0) ? CASE_NONE : CASE_LOWER;
  gboolean dotless = has_dotless_i (context->node);
  g_autoptr (GHashTable) stopwords = stopword_set (context->node, fold, dotless);
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  SondeTensor *x = sonde_value_get_tensor (context->inputs[0]);
  g_autoptr (SondeTensor) y = NULL;
  SondeShape shape;

  if (!sonde_kernel_infer_values (context, infer_normalize, NULL, error))
    return FALSE;
  if (x == NULL)
    return invalid (error, "input 0 is not a tensor");
  for (gint64 i = 0; i < sonde_tensor_n_elements (x); i++)
    {
      g_autofree char *folded = change_case (sonde_text_at (x, i), fold, dotless);

      if (!g_hash_table_contains (stopwords, folded))
        g_ptr_array_add (words, change_case (sonde_text_at (x, i), change, dotless));
    }
  if (words->len == 0 && g_hash_table_size (stopwords) > 0)
    g_ptr_array_add (words, g_strdup (""));
  shape = x->shape;
  shape.dims[shape.rank - 1] = words->len;
  y = sonde_tensor_try_new (SONDE_DTYPE_STRING, &shape, NULL, N_ ("the words"), error);
  if (y == NULL)
    return FALSE;
  for (guint i = 0; i < words->len; i++)
    sonde_text_take (y, i, g_steal_pointer (&words->pdata[i]));
  sonde_kernel_give (context, 0, y);
  return TRUE;
}

/* ---- rows ---------------------------------------------------------------- */

static const char *const case_choices[] = { "LOWER", "UPPER", "NONE", NULL };
static const SondeAttributeRule normalize_rules[] = {
  { "case_change_action", SONDE_ATTRIBUTE_STRING, FALSE, 0, 0, case_choices },
  { "is_case_sensitive", SONDE_ATTRIBUTE_INT, FALSE, 0, 1 },
  { "locale", SONDE_ATTRIBUTE_STRING },
  { "stopwords", SONDE_ATTRIBUTE_STRINGS },
  { NULL },
};
static const SondeAttributeRule split_rules[] = {
  { "delimiter", SONDE_ATTRIBUTE_STRING },
  { "maxsplit", SONDE_ATTRIBUTE_INT },
  { NULL },
};

const SondeOpClass sonde_ops_string[] = {
  {
      .domain = "",
      .name = "StringConcat",
      .since = 20,
      .min_inputs = 2,
      .max_inputs = 2,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_DATA,
      .flags = SONDE_OP_DYNAMIC,
      .infer = infer_concat,
      .compute_values = compute_concat,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
  },
  {
      .domain = "",
      .name = "StringNormalizer",
      .since = 10,
      .min_inputs = 1,
      .max_inputs = 1,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_DATA,
      .flags = SONDE_OP_DYNAMIC,
      .attributes = normalize_rules,
      .infer = infer_normalize,
      .compute_values = compute_normalize,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
  },
  {
      .domain = "",
      .name = "StringSplit",
      .since = 20,
      .min_inputs = 1,
      .max_inputs = 1,
      .min_outputs = 1,
      .max_outputs = 2,
      .family = SONDE_FAMILY_DATA,
      .flags = SONDE_OP_DYNAMIC,
      .attributes = split_rules,
      .infer = infer_split,
      .compute_values = compute_split,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
  },
  { .name = NULL },
};
