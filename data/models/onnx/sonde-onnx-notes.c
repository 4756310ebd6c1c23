/* SPDX-License-Identifier: Apache-2.0
 * What a graph of ours knows and ONNX has no field for: phase, origins, version of a single node,
 * roles and updates of values. It travels as metadata, so that other programs still read the
 * file. */
#include "data/models/onnx/sonde-onnx-notes.h"

#include <math.h>
#include <string.h>

#include "data/models/onnx/sonde-onnx-graph.h"

#define PHASE "sonde.phase"
#define ORIGIN "sonde.origin"
#define ORIGINS "sonde.origins" /* names, one a line */
#define ORIGIN_INPUT "sonde.origin-input"
#define VERSION "sonde.version"
#define SCOPE "sonde.scope"
#define SOURCE "sonde.source" /* operator, name and place (or none), one a line */
#define EXACT                                                                                      \
  "sonde.exact." /* and an attribute's name: its numbers, which ONNX would round to float32 */
#define ROLE "sonde.role"
#define UPDATE_OF "sonde.update-of"
#define TORCH_SCOPES "pkg.torch.onnx.name_scopes" /* of PyTorch's exporter */
#define MOST_SCOPES 64

static const char *const origin_names[] = {
  [SONDE_ORIGIN_SOURCE] = "source",       [SONDE_ORIGIN_LEGALISED] = "legalised",
  [SONDE_ORIGIN_FOLDED] = "folded",       [SONDE_ORIGIN_FUSED] = "fused",
  [SONDE_ORIGIN_INSERTED] = "inserted",   [SONDE_ORIGIN_GRADIENT] = "gradient",
  [SONDE_ORIGIN_OPTIMISER] = "optimiser", [SONDE_ORIGIN_DECOMPOSED] = "decomposed",
  [SONDE_ORIGIN_LOSS] = "loss",
};

static const char *const role_names[] = {
  [SONDE_ROLE_NORMAL] = "normal",       [SONDE_ROLE_INPUT] = "input",
  [SONDE_ROLE_PARAMETER] = "parameter", [SONDE_ROLE_CONSTANT] = "constant",
  [SONDE_ROLE_STATE] = "state",
};

static int
index_of (const char *const *names, guint n, const char *name)
{
  for (guint i = 0; i < n; i++)
    if (strcmp (names[i], name) == 0)
      return (int) i;
  return -1;
}

/* ---- writing ------------------------------------------------------------- */

static void
describe_number (const char *key, int number, SondeOnnxEntry entry, gpointer data)
{
  char text[16];

  g_snprintf (text, sizeof text, "%d", number);
  entry (key, text, data);
}

static void
describe_origins (const SondeNode *node, SondeOnnxEntry entry, gpointer data)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < node->origins->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? "\n" : "", (char *) node->origins->pdata[i]);
  if (node->origins->len > 0)
    entry (ORIGINS, text->str, data);
}

static void
describe_source (const SondeNode *node, SondeOnnxEntry entry, gpointer data)
{
  const SondeNodeSource *source = node->source;
  g_autofree char *text = source == NULL ? NULL
                                         : g_strdup_printf ("%s\n%s\n%s", source->op, source->name,
                                                            source->place ? source->place : "");

  if (text != NULL)
    entry (SOURCE, text, data);
}

/* Of a FLOAT or FLOATS: where its numbers are; NULL for other kinds. */
static const double *
numbers_of (const SondeAttribute *attribute, gsize *n)
{
  *n = attribute->kind == SONDE_ATTRIBUTE_FLOAT ? 1 : attribute->n;
  if (attribute->kind == SONDE_ATTRIBUTE_FLOAT)
    return &attribute->u.f;
  return attribute->kind == SONDE_ATTRIBUTE_FLOATS ? attribute->u.floats : NULL;
}

static void
describe_exact (const SondeAttribute *attribute, SondeOnnxEntry entry, gpointer data)
{
  g_autofree char *key = g_strconcat (EXACT, attribute->name, NULL);
  g_autoptr (GString) text = g_string_new (NULL);
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  gboolean rounds = FALSE;
  gsize n;
  const double *numbers = numbers_of (attribute, &n);

  for (gsize i = 0; numbers != NULL && i < n; i++)
    {
      rounds = rounds || (isfinite (numbers[i]) && (double) (float) numbers[i] != numbers[i]);
      g_string_append_printf (text, "%s%s", i > 0 ? " " : "",
                              g_ascii_dtostr (buffer, sizeof buffer, numbers[i]));
    }
  if (rounds)
    entry (g_intern_string (key), text->str, data); /* keys are kept as they are */
}

void
sonde_onnx_describe_node (const SondeGraph *graph, const SondeNode *node, SondeOnnxEntry entry,
                          gpointer data)
{
  if (node->phase != SONDE_PHASE_FORWARD)
    entry (PHASE, sonde_phase_name (node->phase), data);
  if (node->origin_kind != SONDE_ORIGIN_SOURCE)
    entry (ORIGIN, origin_names[node->origin_kind], data);
  if (node->origin_kind == SONDE_ORIGIN_GRADIENT)
    describe_number (ORIGIN_INPUT, node->origin_input, entry, data);
  describe_origins (node, entry, data);
  if (node->version != sonde_graph_get_opset (graph, node->domain))
    describe_number (VERSION, node->version, entry, data);
  describe_source (node, entry, data);
  if (g_strcmp0 (node->scope, sonde_scope_of_name (node->name)) != 0)
    entry (SCOPE, node->scope ? node->scope : "", data);
  for (guint i = 0; i < node->attributes->len; i++)
    describe_exact (g_ptr_array_index (node->attributes, i), entry, data);
}

static SondeValueRole
usual_role (const SondeGraph *graph, const SondeGraphValue *value)
{
  if (value->constant != NULL && value->producer == NULL)
    return sonde_graph_initialiser_role (value);
  return g_ptr_array_find (graph->inputs, value, NULL) ? SONDE_ROLE_INPUT : SONDE_ROLE_NORMAL;
}

void
sonde_onnx_describe_value (const SondeGraph *graph, const SondeGraphValue *value,
                           SondeOnnxEntry entry, gpointer data)
{
  if (value->role != usual_role (graph, value))
    entry (ROLE, role_names[value->role], data);
  if (value->update_of != NULL)
    entry (UPDATE_OF, value->update_of->name, data);
}

/* ---- reading ------------------------------------------------------------- */

static void
add_origins (SondeNode *node, const char *text)
{
  g_auto (GStrv) names = g_strsplit (text, "\n", -1);

  for (guint i = 0; names[i] != NULL; i++)
    g_ptr_array_add (node->origins, g_strdup (names[i]));
}

static void
apply_source (SondeNode *node, const char *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", 3);

  if (g_strv_length (lines) == 3)
    sonde_node_set_source (node, lines[1], lines[0], *lines[2] != '\0' ? lines[2] : NULL);
}

/* Only numbers that are those of the attribute but for the rounding: another program may have
 * changed it since. */
static void
apply_exact (SondeNode *node, const char *name, const char *text)
{
  SondeAttribute *attribute = sonde_node_find_attribute (node, name);
  g_auto (GStrv) words = g_strsplit (text, " ", -1);
  gsize n = 0;
  double *numbers = attribute != NULL ? (double *) numbers_of (attribute, &n) : NULL;

  if (numbers == NULL || g_strv_length (words) != n)
    return;
  for (gsize i = 0; i < n; i++)
    {
      double exact = g_ascii_strtod (words[i], NULL);

      if ((float) exact == (float) numbers[i])
        numbers[i] = exact;
    }
}

static void
apply_to_node (SondeNode *node, const char *key, const char *value)
{
  int found = 0;

  if (strcmp (key, PHASE) == 0)
    {
      for (int phase = 0; phase <= SONDE_PHASE_OPTIMISER; phase++)
        if (strcmp (sonde_phase_name (phase), value) == 0)
          node->phase = phase;
    }
  else if (strcmp (key, ORIGIN) == 0)
    {
      found = index_of (origin_names, G_N_ELEMENTS (origin_names), value);
      node->origin_kind = found >= 0 ? (SondeOriginKind) found : node->origin_kind;
    }
  else if (strcmp (key, ORIGINS) == 0)
    add_origins (node, value);
  else if (strcmp (key, ORIGIN_INPUT) == 0)
    node->origin_input = (int) CLAMP (g_ascii_strtoll (value, NULL, 10), 0, G_MAXINT);
  else if (strcmp (key, VERSION) == 0)
    node->version = (int) CLAMP (g_ascii_strtoll (value, NULL, 10), 0, G_MAXINT);
  else if (strcmp (key, SOURCE) == 0)
    apply_source (node, value);
  else if (strcmp (key, SCOPE) == 0)
    node->scope = *value != '\0' ? g_intern_string (value) : NULL;
  else if (g_str_has_prefix (key, EXACT))
    apply_exact (node, key + strlen (EXACT), value);
}

static gboolean
is_text (const Onnx__StringStringEntryProto *entry)
{
  return entry->key != NULL && entry->value != NULL && g_utf8_validate (entry->value, -1, NULL);
}

static gboolean
is_ours (const Onnx__StringStringEntryProto *entry)
{
  return is_text (entry) && g_str_has_prefix (entry->key, "sonde.");
}

/* The next string of a list as Python prints it; @text moves behind it. (transfer full) (nullable):
 * there is none */
static char *
take_quoted (const char **text)
{
  const char *begin = strpbrk (*text, "'\""),
             *end = begin != NULL ? strchr (begin + 1, *begin) : NULL;

  if (end == NULL)
    return NULL;
  *text = end + 1;
  return g_strndup (begin + 1, (gsize) (end - begin - 1));
}

/* "['', 'layers', 'layers.0', 'linear_3']", the modules around a node and what it computes, is the scope
 * "layers/0". */
static void
apply_torch_scopes (SondeNode *node, const char *text)
{
  g_autoptr (GString) scope = g_string_new (NULL);
  g_autofree char *path = g_strdup (""), *part = take_quoted (&text);

  for (guint depth = 0; part != NULL && depth < MOST_SCOPES; depth++)
    {
      char *next = take_quoted (&text);
      gsize length = strlen (path);
      gboolean is_below = length > 0 && strncmp (part, path, length) == 0 && part[length] == '.';

      if (next != NULL && *part != '\0') /* the last one is no module */
        {
          g_string_append_printf (scope, "%s%s", scope->len > 0 ? "/" : "",
                                  is_below ? part + length + 1 : part);
          g_free (path);
          path = g_strdup (part);
        }
      g_free (part);
      part = next;
    }
  g_free (part);
  if (scope->len > 0)
    node->scope = g_intern_string (scope->str);
}

void
sonde_onnx_apply_to_node (SondeNode *node, Onnx__StringStringEntryProto **entries, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (is_ours (entries[i]))
      apply_to_node (node, entries[i]->key, entries[i]->value);
    else if (is_text (entries[i]) && strcmp (entries[i]->key, TORCH_SCOPES) == 0)
      apply_torch_scopes (node, entries[i]->value);
}

void
sonde_onnx_apply_to_value (SondeGraph *graph, SondeGraphValue *value,
                           Onnx__StringStringEntryProto **entries, gsize n)
{
  for (gsize i = 0; i < n; i++)
    {
      int role = -1;

      if (!is_ours (entries[i]))
        continue;
      if (strcmp (entries[i]->key, UPDATE_OF) == 0)
        value->update_of = sonde_graph_find_value (graph, entries[i]->value);
      if (strcmp (entries[i]->key, ROLE) == 0)
        role = index_of (role_names, G_N_ELEMENTS (role_names), entries[i]->value);
      if (role >= 0)
        value->role = (SondeValueRole) role;
    }
}
