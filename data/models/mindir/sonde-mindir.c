/* SPDX-License-Identifier: Apache-2.0
 * A file's functions as one graph. */
#include "data/models/mindir/sonde-mindir.h"

#include <string.h>

#include "data/models/mindir/sonde-mindir-lower.h"

#define MAX_FUNCTIONS 4096

/* ---- inputs and outputs -------------------------------------------------- */

/* The net's own parameters stand in the outermost graph, those that something reads. */
static void
add_parameters (SondeMindirLowering *lowering)
{
  const SondeMindirFile *file = lowering->file;
  g_autoptr (GHashTable) read = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint f = 0; f < file->functions->len; f++)
    {
      const SondeMindirFunction *function = file->functions->pdata[f];

      g_hash_table_add (read, (gpointer) function->result);
      for (guint i = 0; i < function->n_nodes; i++)
        for (guint k = 0; k < function->nodes[i].n_inputs; k++)
          g_hash_table_add (read, (gpointer) function->nodes[i].inputs[k]);
    }
  for (guint i = 0; i < file->parameters->len; i++)
    {
      const SondeMindirParameter *parameter
          = &g_array_index (file->parameters, SondeMindirParameter, i);
      const char *name = sonde_mindir_unique (lowering, parameter->label);

      if (g_hash_table_contains (read, parameter->name))
        g_hash_table_insert (
            lowering->parameters, (gpointer) parameter->name,
            (gpointer) sonde_mindir_term_of (
                lowering, sonde_lowering_constant (lowering->l, name, parameter->tensor)));
    }
}

static GPtrArray *
add_inputs (SondeMindirLowering *lowering, const SondeMindirFunction *top)
{
  GPtrArray *arguments = g_ptr_array_new ();

  for (guint i = 0; i < top->n_inputs; i++)
    {
      const SondeMindirInput *input = &top->inputs[i];
      SondeGraphValue *value = NULL;

      if (!input->monad)
        value = sonde_lowering_add_input (lowering->l, sonde_mindir_unique (lowering, input->label),
                                          &input->type);
      g_ptr_array_add (arguments, (gpointer) sonde_mindir_term_of (lowering, value));
    }
  return arguments;
}

/* A tuple's items one by one; what is no tensor is none. */
static void
add_outputs (SondeMindirLowering *lowering, const SondeMindirTerm *term, guint *n)
{
  g_autofree char *name = NULL;
  SondeGraphValue *value;

  if (term->kind == SONDE_MINDIR_TERM_TUPLE)
    {
      for (guint i = 0; i < term->n; i++)
        add_outputs (lowering, term->items[i], n);
      return;
    }
  value = sonde_mindir_term_to_value (lowering, term, SONDE_DTYPE_INVALID);
  if (value == NULL)
    return;
  name = g_strdup_printf ("output_%u", (*n)++);
  sonde_lowering_add_output (lowering->l, value, name);
}

/* ---- the report ---------------------------------------------------------- */

static gboolean
changes_state (const SondeMindirNode *node)
{
  return node->primitive != NULL && g_str_has_prefix (node->primitive, "Assign");
}

static gboolean
is_read (const SondeMindirFunction *function, const SondeMindirNode *writer, const char *name)
{
  for (guint i = 0; i < function->n_nodes; i++)
    for (guint k = 0; k < function->nodes[i].n_inputs; k++)
      if (&function->nodes[i] != writer && strcmp (function->nodes[i].inputs[k], name) == 0)
        return TRUE;
  return FALSE;
}

/* What nothing asked for has no effect on the outputs, unless it changes a parameter that is read. */
static void
report_unasked (SondeMindirLowering *lowering, const SondeMindirFunction *function,
                const SondeMindirNode *node)
{
  const char *op = node->primitive != NULL ? node->primitive : "call";

  sonde_lowering_begin (lowering->l, node->label, op, node->scope);
  if (changes_state (node) && node->n_inputs > 0 && is_read (function, node, node->inputs[0]))
    sonde_lowering_refuse (
        lowering->l, NULL, 0, 1,
        sonde_message_new (
            "it changes the parameter “%s” while the net runs, which a model that is "
            "only computed cannot do",
            sonde_mindir_label (node->inputs[0])),
        sonde_message_new ("give the value as an input and an output of the net"));
  else
    sonde_lowering_mark (lowering->l, SONDE_LOWERED_DROPPED);
  sonde_lowering_end (lowering->l);
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static void
report_constants (SondeMindirLowering *lowering)
{
  GHashTableIter iter;
  gpointer name;
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  g_hash_table_iter_init (&iter, lowering->file->constants);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    g_ptr_array_add (names, name);
  g_ptr_array_sort (names, compare_names);
  for (guint i = 0; i < names->len; i++)
    {
      sonde_lowering_begin (lowering->l, names->pdata[i], "Constant", NULL);
      sonde_lowering_end (lowering->l);
    }
}

/* A node of a function that is called twice is one row. */
static void
merge_repeats (SondeMindirLowering *lowering)
{
  GPtrArray *nodes = sonde_lowering_get_conversion (lowering->l)->nodes;
  g_autoptr (GHashTable) rows = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < nodes->len;)
    {
      SondeConvertedNode *node = nodes->pdata[i];
      const char *label = g_hash_table_lookup (lowering->repeats, node->name);
      SondeConvertedNode *first = label != NULL ? g_hash_table_lookup (rows, label) : NULL;

      if (first == NULL)
        {
          g_hash_table_insert (rows, node->name, node);
          i++;
          continue;
        }
      g_ptr_array_extend (first->to, node->to, NULL, NULL);
      g_ptr_array_remove_index (nodes, i);
    }
}

static void
complete_report (SondeMindirLowering *lowering)
{
  const SondeMindirFile *file = lowering->file;

  for (guint f = 0; f < file->functions->len; f++)
    {
      const SondeMindirFunction *function = file->functions->pdata[f];

      for (guint i = 0; i < function->n_nodes; i++)
        if (!g_hash_table_contains (lowering->seen, &function->nodes[i]))
          report_unasked (lowering, function, &function->nodes[i]);
    }
  report_constants (lowering);
  merge_repeats (lowering);
}

/* ---- all ----------------------------------------------------------------- */

/* A tensor of no type is nothing that a file can say. */
static void
forget_half_types (SondeGraph *graph)
{
  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = graph->values->pdata[i];

      if (value != NULL && value->type.kind == SONDE_VALUE_TENSOR
          && value->type.dtype == SONDE_DTYPE_INVALID)
        value->type = sonde_type_unknown ();
    }
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const SondeNode *node = graph->nodes->pdata[i];

      for (guint k = 0; node != NULL && k < node->attributes->len; k++)
        {
          const SondeAttribute *attribute = node->attributes->pdata[k];

          if (attribute->kind == SONDE_ATTRIBUTE_GRAPH)
            forget_half_types (attribute->u.graph);
        }
    }
}

static void
lower (SondeMindirLowering *lowering)
{
  const SondeMindirFunction *top = lowering->file->functions->pdata[0];
  g_autoptr (GPtrArray) arguments = NULL;
  SondeMindirTerm *closure;
  const SondeMindirTerm *result;
  const SondeMindirNode call = { .name = top->name, .label = top->name };
  guint n_outputs = 0;

  arguments = add_inputs (lowering, top);
  add_parameters (lowering);
  closure = sonde_mindir_term_new (lowering, SONDE_MINDIR_TERM_CLOSURE, 0);
  closure->function = top;
  result = sonde_mindir_run (lowering, closure, (const SondeMindirTerm *const *) arguments->pdata,
                             arguments->len, &call);
  if (sonde_lowering_has_failed (lowering->l))
    return;
  add_outputs (lowering, result, &n_outputs);
  complete_report (lowering);
  forget_half_types (sonde_lowering_get_graph (lowering->l));
}

static void
lowering_init (SondeMindirLowering *lowering, const SondeMindirFile *file, SondeLowering *l)
{
  lowering->file = file;
  lowering->l = l;
  lowering->flow = sonde_mindir_flow_new (file);
  lowering->scopes = g_ptr_array_new_with_free_func (sonde_mindir_scope_free);
  lowering->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  lowering->repeats = g_hash_table_new (g_str_hash, g_str_equal);
  lowering->seen = g_hash_table_new (NULL, NULL);
  lowering->parameters = g_hash_table_new (g_str_hash, g_str_equal);
  lowering->tensors = g_hash_table_new (NULL, NULL);
  lowering->active = g_new0 (guint, file->functions->len);
  lowering->terms = g_ptr_array_new_with_free_func (sonde_mindir_term_free);
  lowering->values = g_ptr_array_new_with_free_func (g_free);
}

static void
lowering_clear (SondeMindirLowering *lowering)
{
  sonde_mindir_flow_free (lowering->flow);
  g_ptr_array_unref (lowering->scopes);
  g_hash_table_unref (lowering->repeats);
  g_hash_table_unref (lowering->names);
  g_hash_table_unref (lowering->seen);
  g_hash_table_unref (lowering->parameters);
  g_hash_table_unref (lowering->tensors);
  g_ptr_array_unref (lowering->terms);
  g_ptr_array_unref (lowering->values);
  g_free (lowering->active);
}

static void
read_file (SondeLowering *l, const SondeMindirFile *file)
{
  SondeConversion *report = sonde_lowering_get_conversion (l);
  SondeMindirLowering lowering = { 0 };

  if (file->functions->len > MAX_FUNCTIONS)
    {
      sonde_lowering_fail (l, SONDE_DATA_ERROR_LIMIT,
                           "it has %u functions; this version follows %d", file->functions->len,
                           MAX_FUNCTIONS);
      return;
    }
  report->format_version = g_strdup (file->version);
  report->producer = g_strstrip (g_strdup_printf ("%s %s", file->producer, file->producer_version));
  lowering_init (&lowering, file, l);
  lower (&lowering);
  lowering_clear (&lowering);
}

void
sonde_mindir_read (SondeLowering *lowering, const SondeIo *io, const char *path)
{
  GError *error = NULL;
  g_autoptr (SondeMindirFile) file = sonde_mindir_file_read (io, path, &error);

  if (file != NULL)
    read_file (lowering, file);
  else
    sonde_lowering_take_error (lowering, error);
}

void
sonde_mindir_parse (SondeLowering *lowering, const guint8 *data, gsize length)
{
  GError *error = NULL;
  g_autoptr (SondeMindirFile) file
      = sonde_mindir_file_parse (data, length, sonde_lowering_get_path (lowering), &error);

  if (file != NULL)
    read_file (lowering, file);
  else
    sonde_lowering_take_error (lowering, error);
}
