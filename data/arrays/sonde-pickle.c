/* SPDX-License-Identifier: Apache-2.0
 * The stack machine that a pickle is written for, without its imports and calls. Operations: Python's
 * Lib/pickletools.py. */
#include "data/arrays/sonde-pickle.h"

#include <string.h>

#include "data/base/sonde-error.h"

struct _SondePickle
{
  GPtrArray *values; /* (element-type SondePickleValue): all of them, owned */
  SondePickleValue *root;
};

/**
 * Machine:
 * @stack: (element-type SondePickleValue): NULL is a mark
 * @memo: number -> SondePickleValue
 * @here: where the operation begins
 */
typedef struct
{
  const guint8 *data;
  gsize length, at, here;
  const char *place;
  SondePickle *pickle;
  GPtrArray *stack;
  GHashTable *memo;
  GError **error;
} Machine;

/* ---- values -------------------------------------------------------------- */

static void
free_value (gpointer data)
{
  SondePickleValue *value = data;

  g_free (value->text);
  g_clear_pointer (&value->bytes, g_bytes_unref);
  g_clear_pointer (&value->items, g_ptr_array_unref);
  g_clear_pointer (&value->entries, g_ptr_array_unref);
  g_free (value);
}

void
sonde_pickle_free (SondePickle *pickle)
{
  if (pickle == NULL)
    return;
  g_ptr_array_unref (pickle->values);
  g_free (pickle);
}

const SondePickleValue *
sonde_pickle_get_root (const SondePickle *pickle)
{
  return pickle->root;
}

const GPtrArray *
sonde_pickle_value_get_call (const SondePickleValue *value, const char *name)
{
  const SondePickleValue *function, *arguments;

  if (value->kind != SONDE_PICKLE_CALL)
    return NULL;
  function = g_ptr_array_index (value->items, 0);
  arguments = g_ptr_array_index (value->items, 1);
  return function->kind == SONDE_PICKLE_NAME && g_str_equal (function->text, name)
             ? arguments->items
             : NULL;
}

/* ---- problems ------------------------------------------------------------ */

static gboolean
damaged (Machine *m, const char *what)
{
  sonde_set_error (m->error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED,
                   "%-s, offset %" PRIu64 ": %-s", m->place, (guint64) m->here, what);
  return FALSE;
}

static gboolean
is_short (Machine *m)
{
  return damaged (m, N_ ("the pickle ends too early"));
}

/* ---- bytes --------------------------------------------------------------- */

/* The next @n bytes; NULL with the error set. */
static const guint8 *
take (Machine *m, guint64 n)
{
  const guint8 *bytes = m->data + m->at;

  if (n > m->length - m->at)
    {
      is_short (m);
      return NULL;
    }
  m->at += n;
  return bytes;
}

/* An unsigned little-endian number of @n ≤ 8 bytes. */
static gboolean
take_number (Machine *m, guint n, guint64 *number)
{
  const guint8 *bytes = take (m, n);

  *number = 0;
  for (guint i = 0; bytes != NULL && i < n; i++)
    *number |= (guint64) bytes[i] << (8 * i);
  return bytes != NULL;
}

/* ---- the stack ----------------------------------------------------------- */

static SondePickleValue *
push (Machine *m, SondePickleKind kind)
{
  SondePickleValue *value;

  if (m->pickle->values->len == SONDE_PICKLE_MAX_VALUES)
    {
      sonde_set_error (m->error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "%-s, offset %" PRIu64 ": more than %d values in a pickle.", m->place,
                       (guint64) m->here, SONDE_PICKLE_MAX_VALUES);
      return NULL;
    }
  value = g_new0 (SondePickleValue, 1);
  value->kind = kind;
  g_ptr_array_add (m->pickle->values, value);
  g_ptr_array_add (m->stack, value);
  return value;
}

static SondePickleValue *
push_items (Machine *m, SondePickleKind kind)
{
  SondePickleValue *value = push (m, kind);

  if (value != NULL)
    value->items = g_ptr_array_new ();
  return value;
}

/* The uppermost value, which stays; NULL with the error set where there is none. */
static SondePickleValue *
top (Machine *m)
{
  SondePickleValue *value
      = m->stack->len > 0 ? g_ptr_array_index (m->stack, m->stack->len - 1) : NULL;

  if (value == NULL)
    damaged (m, N_ ("the pickle needs a value that it did not give"));
  return value;
}

static SondePickleValue *
pop (Machine *m)
{
  SondePickleValue *value = top (m);

  if (value != NULL)
    g_ptr_array_set_size (m->stack, (int) m->stack->len - 1);
  return value;
}

/* Index of the first value behind the uppermost mark, which goes when they are taken. */
static gboolean
find_mark (Machine *m, guint *first)
{
  guint i = m->stack->len;

  while (i > 0 && g_ptr_array_index (m->stack, i - 1) != NULL)
    i--;
  *first = i;
  return i > 0 || damaged (m, N_ ("the pickle needs a mark that it did not set"));
}

/* ---- simple values ------------------------------------------------------- */

static gboolean
push_int (Machine *m, gint64 integer)
{
  SondePickleValue *value = push (m, SONDE_PICKLE_INT);

  if (value != NULL)
    value->integer = integer;
  return value != NULL;
}

static gboolean
do_none (Machine *m, guint code)
{
  return push (m, SONDE_PICKLE_NONE) != NULL;
}

static gboolean
do_bool (Machine *m, guint code)
{
  SondePickleValue *value = push (m, SONDE_PICKLE_BOOL);

  if (value != NULL)
    value->integer = code == 0x88;
  return value != NULL;
}

static gboolean
do_int (Machine *m, guint code)
{
  guint64 number;

  if (!take_number (m, code == 'K' ? 1 : code == 'M' ? 2 : 4, &number))
    return FALSE;
  return push_int (m, code == 'J' ? (gint32) number : (gint64) number);
}

/* Two's complement of as many bytes as it says. */
static gboolean
do_long (Machine *m, guint code)
{
  guint64 n, number;

  if (!take_number (m, 1, &n))
    return FALSE;
  if (n > 8)
    {
      sonde_set_error (m->error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                       "%-s, offset %" PRIu64 ": a number of more than 64 bits.", m->place,
                       (guint64) m->here);
      return FALSE;
    }
  if (!take_number (m, (guint) n, &number))
    return FALSE;
  if (n > 0 && n < 8 && (number >> (8 * n - 1) & 1) != 0)
    number |= ~(guint64) 0 << (8 * n);
  return push_int (m, (gint64) number);
}

/* Big-endian, as nothing else. */
static gboolean
do_float (Machine *m, guint code)
{
  const guint8 *bytes = take (m, 8);
  SondePickleValue *value = bytes != NULL ? push (m, SONDE_PICKLE_FLOAT) : NULL;
  guint64 bits;

  if (value == NULL)
    return FALSE;
  memcpy (&bits, bytes, sizeof bits);
  bits = GUINT64_FROM_BE (bits);
  memcpy (&value->real, &bits, sizeof bits);
  return TRUE;
}

static gboolean
push_text (Machine *m, const guint8 *bytes, gsize n, SondePickleKind kind)
{
  SondePickleValue *value;

  if (!g_utf8_validate ((const char *) bytes, (gssize) n, NULL))
    return damaged (m, N_ ("a text is no UTF-8"));
  value = push (m, kind);
  if (value != NULL)
    value->text = g_strndup ((const char *) bytes, n);
  return value != NULL;
}

static gboolean
do_text (Machine *m, guint code)
{
  guint64 n;
  const guint8 *bytes;

  if (!take_number (m, code == 0x8c ? 1 : code == 'X' ? 4 : 8, &n))
    return FALSE;
  bytes = take (m, n);
  return bytes != NULL && push_text (m, bytes, n, SONDE_PICKLE_TEXT);
}

static gboolean
do_bytes (Machine *m, guint code)
{
  guint64 n;
  const guint8 *bytes;
  SondePickleValue *value;

  if (!take_number (m, code == 'C' ? 1 : code == 'B' ? 4 : 8, &n))
    return FALSE;
  bytes = take (m, n);
  value = bytes != NULL ? push (m, SONDE_PICKLE_BYTES) : NULL;
  if (value != NULL)
    value->bytes = g_bytes_new (bytes, n);
  return value != NULL;
}

/* ---- collections --------------------------------------------------------- */

static gboolean
do_mark (Machine *m, guint code)
{
  g_ptr_array_add (m->stack, NULL);
  return TRUE;
}

/* Those from @first on go to @items, and the mark before them goes. */
static void
move_items (Machine *m, guint first, GPtrArray *items)
{
  for (guint i = first; i < m->stack->len; i++)
    g_ptr_array_add (items, g_ptr_array_index (m->stack, i));
  g_ptr_array_set_size (m->stack, (int) first - 1);
}

static gboolean
do_empty (Machine *m, guint code)
{
  SondePickleKind kind = code == ')'   ? SONDE_PICKLE_TUPLE
                         : code == ']' ? SONDE_PICKLE_LIST
                                       : SONDE_PICKLE_SET;

  return push_items (m, kind) != NULL;
}

static gboolean
do_dict (Machine *m, guint code)
{
  SondePickleValue *value = push (m, SONDE_PICKLE_DICT);

  if (value != NULL)
    value->entries = g_ptr_array_new ();
  return value != NULL;
}

static gboolean
do_tuple (Machine *m, guint code)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  SondePickleValue *value;
  guint first;

  if (!find_mark (m, &first))
    return FALSE;
  move_items (m, first, items);
  value = push (m, SONDE_PICKLE_TUPLE);
  if (value != NULL)
    value->items = g_steal_pointer (&items);
  return value != NULL;
}

/* Of 1 to 3 values, without a mark. */
static gboolean
do_short_tuple (Machine *m, guint code)
{
  guint n = code - 0x84;
  g_autoptr (GPtrArray) items = g_ptr_array_new ();
  SondePickleValue *value;

  for (guint i = 0; i < n; i++)
    {
      SondePickleValue *item = pop (m);

      if (item == NULL)
        return FALSE;
      g_ptr_array_insert (items, 0, item);
    }
  value = push (m, SONDE_PICKLE_TUPLE);
  if (value != NULL)
    value->items = g_steal_pointer (&items);
  return value != NULL;
}

/* Where values that are added go: to a list, a set, or into what a call makes. */
static GPtrArray *
get_items (Machine *m, SondePickleValue *value)
{
  if (value->kind == SONDE_PICKLE_LIST || value->kind == SONDE_PICKLE_SET)
    return value->items;
  damaged (m, N_ ("values are added to what is no list"));
  return NULL;
}

static GPtrArray *
get_entries (Machine *m, SondePickleValue *value)
{
  if (value->kind == SONDE_PICKLE_CALL && value->entries == NULL)
    value->entries = g_ptr_array_new ();
  if (value->entries == NULL)
    damaged (m, N_ ("entries are added to what is no dictionary"));
  return value->entries;
}

/* The value below those behind @first and their mark. */
static SondePickleValue *
find_below (Machine *m, guint first)
{
  SondePickleValue *value = first >= 2 ? g_ptr_array_index (m->stack, first - 2) : NULL;

  if (value == NULL)
    damaged (m, N_ ("the pickle needs a value that it did not give"));
  return value;
}

static gboolean
do_append (Machine *m, guint code)
{
  SondePickleValue *item = pop (m), *list = item != NULL ? top (m) : NULL;
  GPtrArray *items = list != NULL ? get_items (m, list) : NULL;

  if (items == NULL)
    return FALSE;
  g_ptr_array_add (items, item);
  return TRUE;
}

static gboolean
do_appends (Machine *m, guint code)
{
  SondePickleValue *list;
  GPtrArray *items;
  guint first;

  if (!find_mark (m, &first))
    return FALSE;
  list = find_below (m, first);
  items = list != NULL ? get_items (m, list) : NULL;
  if (items == NULL)
    return FALSE;
  move_items (m, first, items);
  return TRUE;
}

static gboolean
do_set_item (Machine *m, guint code)
{
  SondePickleValue *value = pop (m), *key = value != NULL ? pop (m) : NULL;
  SondePickleValue *dict = key != NULL ? top (m) : NULL;
  GPtrArray *entries = dict != NULL ? get_entries (m, dict) : NULL;

  if (entries == NULL)
    return FALSE;
  g_ptr_array_add (entries, key);
  g_ptr_array_add (entries, value);
  return TRUE;
}

static gboolean
do_set_items (Machine *m, guint code)
{
  SondePickleValue *dict;
  GPtrArray *entries;
  guint first;

  if (!find_mark (m, &first))
    return FALSE;
  if ((m->stack->len - first) % 2 != 0)
    return damaged (m, N_ ("a key of a dictionary has no value"));
  dict = find_below (m, first);
  entries = dict != NULL ? get_entries (m, dict) : NULL;
  if (entries == NULL)
    return FALSE;
  move_items (m, first, entries);
  return TRUE;
}

static gboolean
do_pop (Machine *m, guint code)
{
  if (m->stack->len == 0)
    return top (m) != NULL;
  g_ptr_array_set_size (m->stack, (int) m->stack->len - 1);
  return TRUE;
}

/* ---- names, calls -------------------------------------------------------- */

/* Up to the end of a line. */
static const char *
take_line (Machine *m, gsize *n)
{
  const guint8 *begin = m->data + m->at, *end = memchr (begin, '\n', m->length - m->at);

  if (end == NULL)
    {
      is_short (m);
      return NULL;
    }
  *n = (gsize) (end - begin);
  m->at += *n + 1;
  return (const char *) begin;
}

static gboolean
push_name (Machine *m, const char *module, gsize n_module, const char *name, gsize n_name)
{
  g_autoptr (GString) whole = g_string_new_len (module, (gssize) n_module);

  g_string_append_c (whole, '.');
  g_string_append_len (whole, name, (gssize) n_name);
  return push_text (m, (const guint8 *) whole->str, whole->len, SONDE_PICKLE_NAME);
}

static gboolean
do_global (Machine *m, guint code)
{
  gsize n_module, n_name;
  const char *module = take_line (m, &n_module),
             *name = module != NULL ? take_line (m, &n_name) : NULL;

  return name != NULL && push_name (m, module, n_module, name, n_name);
}

static gboolean
do_stack_global (Machine *m, guint code)
{
  SondePickleValue *name = pop (m), *module = name != NULL ? pop (m) : NULL;

  if (module == NULL)
    return FALSE;
  if (name->kind != SONDE_PICKLE_TEXT || module->kind != SONDE_PICKLE_TEXT)
    return damaged (m, N_ ("a name is no text"));
  return push_name (m, module->text, strlen (module->text), name->text, strlen (name->text));
}

static gboolean
do_call (Machine *m, guint code)
{
  SondePickleValue *arguments = pop (m), *function = arguments != NULL ? pop (m) : NULL;
  SondePickleValue *value;

  if (function == NULL)
    return FALSE;
  if (arguments->kind != SONDE_PICKLE_TUPLE)
    return damaged (m, N_ ("the arguments of a call are no tuple"));
  value = push_items (m, SONDE_PICKLE_CALL);
  if (value == NULL)
    return FALSE;
  g_ptr_array_add (value->items, function);
  g_ptr_array_add (value->items, arguments);
  return TRUE;
}

static gboolean
do_build (Machine *m, guint code)
{
  SondePickleValue *state = pop (m), *value = state != NULL ? top (m) : NULL;

  if (value != NULL)
    value->state = state;
  return value != NULL;
}

static gboolean
do_persistent (Machine *m, guint code)
{
  SondePickleValue *id = pop (m),
                   *value = id != NULL ? push_items (m, SONDE_PICKLE_PERSISTENT) : NULL;

  if (value != NULL)
    g_ptr_array_add (value->items, id);
  return value != NULL;
}

/* ---- the memo ------------------------------------------------------------ */

static gboolean
do_put (Machine *m, guint code)
{
  guint64 number = g_hash_table_size (m->memo);
  SondePickleValue *value;

  if (code != 0x94 && !take_number (m, code == 'q' ? 1 : 4, &number))
    return FALSE;
  value = top (m);
  if (value != NULL)
    g_hash_table_insert (m->memo, GUINT_TO_POINTER ((guint) number), value);
  return value != NULL;
}

static gboolean
do_get (Machine *m, guint code)
{
  SondePickleValue *value;
  guint64 number;

  if (!take_number (m, code == 'h' ? 1 : 4, &number))
    return FALSE;
  value = g_hash_table_lookup (m->memo, GUINT_TO_POINTER ((guint) number));
  if (value == NULL)
    return damaged (m, N_ ("the pickle needs a value that it did not give"));
  g_ptr_array_add (m->stack, value);
  return TRUE;
}

/* ---- all of it ----------------------------------------------------------- */

static gboolean
do_protocol (Machine *m, guint code)
{
  guint64 number;

  if (!take_number (m, 1, &number))
    return FALSE;
  return number <= 5 || damaged (m, N_ ("a later protocol of pickles than 5"));
}

/* Its length says nothing that the operations do not. */
static gboolean
do_frame (Machine *m, guint code)
{
  return take (m, 8) != NULL;
}

static const struct
{
  guint8 code;
  gboolean (*apply) (Machine *m, guint code);
} operations[] = {
  { 'N', do_none },          { 0x88, do_bool },        { 0x89, do_bool },
  { 'K', do_int },           { 'M', do_int },          { 'J', do_int },
  { 0x8a, do_long },         { 'G', do_float },        { 'X', do_text },
  { 0x8c, do_text },         { 0x8d, do_text },        { 'C', do_bytes },
  { 'B', do_bytes },         { 0x8e, do_bytes },       { '(', do_mark },
  { ')', do_empty },         { ']', do_empty },        { 0x8f, do_empty },
  { '}', do_dict },          { 't', do_tuple },        { 0x85, do_short_tuple },
  { 0x86, do_short_tuple },  { 0x87, do_short_tuple }, { 'a', do_append },
  { 'e', do_appends },       { 0x90, do_appends },     { 's', do_set_item },
  { 'u', do_set_items },     { '0', do_pop },          { 'c', do_global },
  { 0x93, do_stack_global }, { 'R', do_call },         { 0x81, do_call },
  { 'b', do_build },         { 'Q', do_persistent },   { 'q', do_put },
  { 'r', do_put },           { 0x94, do_put },         { 'h', do_get },
  { 'j', do_get },           { 0x80, do_protocol },    { 0x95, do_frame },
};

static gboolean
apply (Machine *m, guint code)
{
  for (gsize i = 0; i < G_N_ELEMENTS (operations); i++)
    if (operations[i].code == code)
      return operations[i].apply (m, code);
  sonde_set_error (m->error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                   "%-s, offset %" PRIu64 ": operation 0x%02x of pickles is not supported.",
                   m->place, (guint64) m->here, code);
  return FALSE;
}

/* Up to the operation that ends it, behind which nothing is looked at. */
static gboolean
run (Machine *m)
{
  while (m->at < m->length)
    {
      guint code = m->data[m->at];

      m->here = m->at++;
      if (code == '.')
        return (m->pickle->root = pop (m)) != NULL;
      if (!apply (m, code))
        return FALSE;
    }
  m->here = m->length;
  return is_short (m);
}

SondePickle *
sonde_pickle_parse (const guint8 *data, gsize length, const char *place, GError **error)
{
  g_autoptr (SondePickle) pickle = g_new0 (SondePickle, 1);
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  g_autoptr (GHashTable) memo = g_hash_table_new (NULL, NULL);
  Machine machine = {
    .data = data,
    .length = length,
    .place = place,
    .pickle = pickle,
    .stack = stack,
    .memo = memo,
    .error = error,
  };

  pickle->values = g_ptr_array_new_with_free_func (free_value);
  return run (&machine) ? g_steal_pointer (&pickle) : NULL;
}
