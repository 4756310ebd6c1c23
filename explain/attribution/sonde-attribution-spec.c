/* SPDX-License-Identifier: Apache-2.0
 * SPEC: parsed, checked against the method's parameters, asked. */
#include "explain/attribution/sonde-attribution-spec.h"

#include <math.h>
#include <string.h>

#include "data/arrays/sonde-npy.h"
#include "data/base/sonde-message-nest.h"
#include "data/base/sonde-random.h"
#include "engine/live/sonde-nearest.h"
#include "explain/counterfactual/sonde-occlusion-settings.h"

struct _SondeAttributionSpec
{
  const SondeAttribution *method;
  char *label;
  char **values; /* one a parameter, NULL where none was given */
};

static guint
count_parameters (const SondeAttribution *method)
{
  guint n = 0;

  while (method->parameters[n].name != NULL)
    n++;
  return n;
}

SondeAttributionSpec *
sonde_attribution_spec_new (const SondeAttribution *method)
{
  SondeAttributionSpec *spec = g_new0 (SondeAttributionSpec, 1);

  spec->method = method;
  spec->label = g_strdup (method->name);
  spec->values = g_new0 (char *, count_parameters (method) + 1);
  return spec;
}

void
sonde_attribution_spec_free (SondeAttributionSpec *spec)
{
  if (spec == NULL)
    return;
  for (guint i = 0; i < count_parameters (spec->method); i++)
    g_free (spec->values[i]);
  g_free (spec->values);
  g_free (spec->label);
  g_free (spec);
}

/* ---- names --------------------------------------------------------------- */

static const char *
method_candidate (guint k, gpointer data)
{
  gsize n;
  const SondeAttribution *const *methods = sonde_attribution_list (&n);

  (void) data;
  return methods[k]->name;
}

static const SondeAttribution *
find_method (const char *name, GError **error)
{
  const SondeAttribution *method = sonde_attribution_find (name);
  g_autoptr (GString) names = g_string_new (NULL);
  const SondeAttribution *const *methods;
  const char *nearest;
  gsize n;

  if (method != NULL)
    return method;
  methods = sonde_attribution_list (&n);
  nearest = sonde_nearest_name (name, method_candidate, (guint) n, NULL);
  for (gsize i = 0; i < n; i++)
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", methods[i]->name);
  if (nearest != NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                     "there is no method “%s”; did you mean “%s”? The methods are: %s.", name,
                     nearest, names->str);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                     "there is no method “%s”. The methods are: %s.", name, names->str);
  return NULL;
}

static const char *
key_candidate (guint k, gpointer data)
{
  return ((const SondeAttribution *) data)->parameters[k].name;
}

/* "saliency, lrp": the methods that have that key. */
static char *
list_methods_with (const char *key)
{
  g_autoptr (GString) names = g_string_new (NULL);
  const SondeAttribution *const *methods;
  gsize n;

  methods = sonde_attribution_list (&n);
  for (gsize i = 0; i < n; i++)
    for (const SondeAttributionParameter *parameter = methods[i]->parameters;
         parameter->name != NULL; parameter++)
      if (g_str_equal (parameter->name, key))
        g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", methods[i]->name);
  return g_strdup (names->str);
}

static int
find_parameter (const SondeAttribution *method, const char *key, GError **error)
{
  guint n = count_parameters (method);
  g_autoptr (GString) names = g_string_new (NULL);
  g_autofree char *others = NULL;
  const char *nearest;

  for (guint i = 0; i < n; i++)
    if (g_str_equal (method->parameters[i].name, key))
      return (int) i;
  if (error == NULL)
    return -1;
  for (guint i = 0; i < n; i++)
    g_string_append_printf (names, "%s%s", i > 0 ? ", " : "", method->parameters[i].name);
  nearest = sonde_nearest_name (key, key_candidate, n, (gpointer) method);
  others = list_methods_with (key);
  if (n == 0)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                     "“%s” has no parameters.", method->name);
  else if (*others != '\0')
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                     "“%s” has no parameter “%s”; its parameters are: %s. Methods that have it: "
                     "%s.",
                     method->name, key, names->str, others);
  else if (nearest != NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                     "“%s” has no parameter “%s”; did you mean “%s”? Its parameters are: %s.",
                     method->name, key, nearest, names->str);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                     "“%s” has no parameter “%s”; its parameters are: %s.", method->name, key,
                     names->str);
  return -1;
}

/* ---- values -------------------------------------------------------------- */

static gboolean
is_word (const SondeAttributionParameter *parameter, const char *text)
{
  g_auto (GStrv) words = parameter->words != NULL ? g_strsplit (parameter->words, "|", -1) : NULL;

  return words != NULL && g_strv_contains ((const char *const *) words, text);
}

static gboolean
parse_number (const char *text, double least, double most, double *number)
{
  char *end;

  *number = g_ascii_strtod (text, &end);
  return end != text && *end == '\0' && isfinite (*number) && *number >= least && *number <= most;
}

static gboolean
parse_count (const char *text, double least, double most, gint64 *count)
{
  return g_ascii_string_to_signed (text, 10, (gint64) least, (gint64) most, count, NULL);
}

static gboolean
parse_size (const SondeAttributionParameter *parameter, const char *text, gint64 *width,
            gint64 *height)
{
  g_auto (GStrv) sides = g_strsplit (text, "x", 3);

  return g_strv_length (sides) == 2
         && parse_count (sides[0], parameter->least, parameter->most, width)
         && parse_count (sides[1], parameter->least, parameter->most, height);
}

static gboolean
are_numbers (const SondeAttributionParameter *parameter, const char *text)
{
  g_auto (GStrv) items = g_strsplit (text, ",", -1);
  double number;

  for (gsize i = 0; items[i] != NULL; i++)
    if (!parse_number (items[i], parameter->least, parameter->most, &number))
      return FALSE;
  return items[0] != NULL;
}

/* [±][factor*]class, at least once. @factors: (nullable) (array length=classes): gets them added.
 * @beyond: (out) (optional): a class that is none of them. */
static gboolean
parse_sum (const char *text, gint64 classes, float *factors, gint64 *beyond)
{
  const char *p = text;

  do
    {
      double sign = *p == '-' ? -1.0 : 1.0, factor = 1.0, number;
      gint64 class_index;
      char *end;

      if (p != text && *p != '+' && *p != '-')
        return FALSE;
      p += *p == '+' || *p == '-';
      if (!g_ascii_isdigit (*p) && *p != '.')
        return FALSE;
      number = g_ascii_strtod (p, &end);
      if (*end == '*')
        {
          factor = number;
          p = end + 1;
          if (!g_ascii_isdigit (*p))
            return FALSE;
        }
      if (!g_ascii_isdigit (*p))
        return FALSE;
      class_index = g_ascii_strtoll (p, &end, 10);
      if (!isfinite (factor))
        return FALSE;
      if (factors != NULL && class_index >= classes)
        {
          *beyond = class_index;
          return FALSE;
        }
      if (factors != NULL)
        factors[class_index] += (float) (sign * factor);
      p = end;
    }
  while (*p != '\0');
  return TRUE;
}

static gboolean
is_allowed (const SondeAttributionParameter *parameter, const char *text)
{
  double number;
  gint64 count, other;

  if (is_word (parameter, text))
    return TRUE;
  switch (parameter->kind)
    {
    case SONDE_PARAMETER_TEXT:
      return *text != '\0';
    case SONDE_PARAMETER_NUMBER:
      return parse_number (text, parameter->least, parameter->most, &number);
    case SONDE_PARAMETER_COUNT:
      return parse_count (text, parameter->least, parameter->most, &count);
    case SONDE_PARAMETER_NUMBERS:
      return are_numbers (parameter, text);
    case SONDE_PARAMETER_SIZE:
      return parse_size (parameter, text, &count, &other);
    case SONDE_PARAMETER_IMAGE:
      return are_numbers (parameter, text) || g_str_has_suffix (text, ".npy")
             || (g_str_has_prefix (text, "blur:") && parse_number (text + 5, 1e-3, 1e3, &number));
    case SONDE_PARAMETER_SUM:
      return parse_sum (text, 0, NULL, NULL);
    case SONDE_PARAMETER_CHOICE:
    default:
      return FALSE;
    }
}

/* "a whole number from 1 to 800, or auto", for a %-s. (transfer full) */
static char *
describe_allowed (const SondeAttributionParameter *parameter)
{
  const double least = parameter->least, most = parameter->most;
  g_auto (GStrv) words = parameter->words != NULL ? g_strsplit (parameter->words, "|", -1) : NULL;
  g_autofree char *list = words != NULL ? g_strjoinv (", ", words) : NULL, *kind = NULL;

  switch (parameter->kind)
    {
    case SONDE_PARAMETER_TEXT:
      kind = sonde_message_nest ("a text");
      break;
    case SONDE_PARAMETER_NUMBER:
      kind = sonde_message_nest ("a number from %.12g to %.12g", least, most);
      break;
    case SONDE_PARAMETER_COUNT:
      kind = sonde_message_nest ("a whole number from %.12g to %.12g", least, most);
      break;
    case SONDE_PARAMETER_NUMBERS:
      kind = sonde_message_nest ("numbers joined by “,”");
      break;
    case SONDE_PARAMETER_SIZE:
      kind = sonde_message_nest ("WxH, each side from %.12g to %.12g", least, most);
      break;
    case SONDE_PARAMETER_IMAGE:
      kind = sonde_message_nest ("numbers joined by “,”, a .npy file, blur:SIGMA");
      break;
    case SONDE_PARAMETER_SUM:
      kind = sonde_message_nest ("classes with factors, as 3-5 or 0.5*3+0.5*7-2");
      break;
    case SONDE_PARAMETER_CHOICE:
    default:
      return sonde_message_nest ("one of %s", list != NULL ? list : "");
    }
  return list != NULL ? sonde_message_nest ("%-s, or %s", kind, list) : g_steal_pointer (&kind);
}

static gboolean
set_value (SondeAttributionSpec *spec, const char *key, const char *value, GError **error)
{
  int k = find_parameter (spec->method, key, error);
  g_autofree char *allowed = NULL;

  if (k < 0)
    return FALSE;
  if (spec->values[k] != NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "“%s” is given twice.", key);
      return FALSE;
    }
  if (is_allowed (&spec->method->parameters[k], value))
    {
      spec->values[k] = g_strdup (value);
      return TRUE;
    }
  allowed = describe_allowed (&spec->method->parameters[k]);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "“%s=%s”: %s of “%s” must be %-s.", key, value, key, spec->method->name,
                   allowed);
  return FALSE;
}

/* ---- the text ------------------------------------------------------------ */

/* Does "word=" begin here? */
static gboolean
is_key (const char *text)
{
  const char *p = text;

  while (g_ascii_isalnum (*p) || *p == '-' || *p == '_')
    p++;
  return p > text && *p == '=';
}

/* Up to the next ":" before a key, or the end. */
static const char *
find_end (const char *text)
{
  const char *colon = text;

  while ((colon = strchr (colon, ':')) != NULL && !is_key (colon + 1))
    colon++;
  return colon != NULL ? colon : text + strlen (text);
}

/* It becomes the name of a file and of a folder. */
static gboolean
check_label (const char *label, GError **error)
{
  if (*label != '\0' && *label != '.' && strlen (label) <= 100 && strpbrk (label, "/\\") == NULL
      && g_utf8_validate (label, -1, NULL))
    {
      const char *p = label;

      while (*p != '\0' && (guchar) *p >= 32)
        p++;
      if (*p == '\0')
        return TRUE;
    }
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "the label “%s” cannot be used as a file name: use letters, digits, “-” and "
                   "“_”, at most 100 bytes.",
                   label);
  return FALSE;
}

/* "name" or "LABEL=name", before the first ":". */
static SondeAttributionSpec *
parse_head (const char *head, GError **error)
{
  const char *equals = strchr (head, '=');
  g_autofree char *label = equals != NULL ? g_strndup (head, (gsize) (equals - head)) : NULL;
  const SondeAttribution *method;
  SondeAttributionSpec *spec;

  if (label != NULL && !check_label (label, error))
    return NULL;
  method = find_method (equals != NULL ? equals + 1 : head, error);
  if (method == NULL)
    return NULL;
  spec = sonde_attribution_spec_new (method);
  if (label != NULL)
    {
      g_free (spec->label);
      spec->label = g_steal_pointer (&label);
    }
  return spec;
}

SondeAttributionSpec *
sonde_attribution_spec_parse (const char *text, GError **error)
{
  g_autofree char *head = g_strndup (text, strcspn (text, ":"));
  g_autoptr (SondeAttributionSpec) spec = parse_head (head, error);
  const char *p = text + strlen (head);

  while (spec != NULL && *p == ':')
    {
      const char *end = find_end (p + 1);
      g_autofree char *item = g_strndup (p + 1, (gsize) (end - p - 1));
      char *equals = strchr (item, '=');

      if (!is_key (item))
        {
          sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                           "“%s” in “%s” is not of the form “key=value”.", item, text);
          return NULL;
        }
      *equals = '\0';
      if (!set_value (spec, item, equals + 1, error))
        return NULL;
      p = end;
    }
  return g_steal_pointer (&spec);
}

/* ---- asking -------------------------------------------------------------- */

const SondeAttribution *
sonde_attribution_spec_get_method (const SondeAttributionSpec *spec)
{
  return spec->method;
}

const char *
sonde_attribution_spec_get_label (const SondeAttributionSpec *spec)
{
  return spec->label;
}

char *
sonde_attribution_spec_dup_parameters (const SondeAttributionSpec *spec)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < count_parameters (spec->method); i++)
    {
      const SondeAttributionParameter *parameter = &spec->method->parameters[i];
      const char *value = spec->values[i] != NULL ? spec->values[i] : parameter->fallback;

      if (value != NULL)
        g_string_append_printf (text, "%s%s=%s", text->len > 0 ? ":" : "", parameter->name, value);
    }
  return g_strdup (text->str);
}

static int
need_parameter (const SondeAttributionSpec *spec, const char *key)
{
  int k = find_parameter (spec->method, key, NULL);

  g_assert (k >= 0); /* the row asks for a key that it does not have */
  return k;
}

const char *
sonde_attribution_spec_get (const SondeAttributionSpec *spec, const char *key)
{
  int k = need_parameter (spec, key);

  return spec->values[k] != NULL ? spec->values[k] : spec->method->parameters[k].fallback;
}

gboolean
sonde_attribution_spec_knows (const SondeAttributionSpec *spec, const char *key)
{
  return find_parameter (spec->method, key, NULL) >= 0;
}

SondeAttributionSpec *
sonde_attribution_spec_copy_with (const SondeAttributionSpec *spec, const char *key,
                                  const char *value)
{
  SondeAttributionSpec *copy = sonde_attribution_spec_new (spec->method);
  int k = need_parameter (spec, key);

  g_free (copy->label);
  copy->label = g_strdup (spec->label);
  for (guint i = 0; i < count_parameters (spec->method); i++)
    copy->values[i] = g_strdup ((int) i == k ? value : spec->values[i]);
  return copy;
}

gboolean
sonde_attribution_spec_has (const SondeAttributionSpec *spec, const char *key)
{
  return spec->values[need_parameter (spec, key)] != NULL;
}

gboolean
sonde_attribution_spec_is (const SondeAttributionSpec *spec, const char *key, const char *word)
{
  return g_strcmp0 (sonde_attribution_spec_get (spec, key), word) == 0;
}

double
sonde_attribution_spec_get_number (const SondeAttributionSpec *spec, const char *key)
{
  return g_ascii_strtod (sonde_attribution_spec_get (spec, key), NULL);
}

gint64
sonde_attribution_spec_get_count (const SondeAttributionSpec *spec, const char *key)
{
  return g_ascii_strtoll (sonde_attribution_spec_get (spec, key), NULL, 10);
}

GStrv
sonde_attribution_spec_dup_list (const SondeAttributionSpec *spec, const char *key)
{
  return g_strsplit (sonde_attribution_spec_get (spec, key), ",", -1);
}

void
sonde_attribution_spec_get_size (const SondeAttributionSpec *spec, const char *key, gint64 *width,
                                 gint64 *height)
{
  int k = need_parameter (spec, key);

  *width = *height = 0;
  (void) parse_size (&spec->method->parameters[k], sonde_attribution_spec_get (spec, key), width,
                     height);
}

SondeScore
sonde_attribution_spec_get_score (const SondeAttributionSpec *spec)
{
  return sonde_attribution_spec_is (spec, "score", "probability") ? SONDE_SCORE_PROBABILITY
                                                                  : SONDE_SCORE_LOGIT;
}

static void
fill (float *to, gsize n, float value)
{
  for (gsize i = 0; i < n; i++)
    to[i] = value;
}

/* Each channel's mean, in double. */
static void
fill_means (const float *x, gint64 n_planes, gsize plane, float *to)
{
  for (gint64 p = 0; p < n_planes; p++, x += plane, to += plane)
    {
      double sum = 0.0;

      for (gsize i = 0; i < plane; i++)
        sum += x[i];
      fill (to, plane, (float) (sum / (double) plane));
    }
}

/* The least or the largest number of each channel, or noise evenly between both: by place, the same
 * for every image. */
static void
fill_range (const float *x, gint64 n_planes, gint64 channels, gsize plane, const char *word,
            float *to)
{
  guint64 stream = sonde_random_stream ("explain-baseline");

  for (gint64 p = 0; p < n_planes; p++, x += plane, to += plane)
    {
      float least = x[0], largest = x[0];

      for (gsize i = 1; i < plane; i++)
        {
          least = fminf (least, x[i]);
          largest = fmaxf (largest, x[i]);
        }
      if (!g_str_equal (word, "noise"))
        {
          fill (to, plane, g_str_equal (word, "least") ? least : largest);
          continue;
        }
      for (gsize i = 0; i < plane; i++)
        to[i] = (float) ((double) least
                         + (double) (largest - least)
                               * sonde_random_uniform (0, stream,
                                                       (guint64) (p % channels) * plane + i));
    }
}

/* Each image blurred: by σ pixels, else by a sixteenth of the short side. */
static void
fill_blurred (SondeTensor *inputs, double sigma, SondeTensor *to)
{
  SondeShape shape = sonde_shape_from_array (3, inputs->shape.dims + 1);
  gsize size = sonde_tensor_n_bytes (inputs) / (gsize) MAX (inputs->shape.dims[0], 1);

  for (gint64 i = 0; i < inputs->shape.dims[0]; i++)
    {
      g_autoptr (SondeTensor) image
          = sonde_tensor_view (inputs, &shape, inputs->strides + 1, i * inputs->strides[0]);
      g_autoptr (SondeTensor) blurred = sonde_occlusion_blur (image, sigma);

      memcpy (to->data + (gsize) i * size, blurred->data, size);
    }
}

/* What each image makes of itself. */
static SondeTensor *
make_own_baseline (const char *text, SondeTensor *inputs)
{
  const SondeShape *shape = &inputs->shape;
  gsize plane = (gsize) (shape->dims[2] * shape->dims[3]);
  SondeTensor *baseline = sonde_tensor_new (SONDE_DTYPE_F32, shape);
  const float *x = (const float *) (const void *) inputs->data;
  float *to = (float *) (void *) baseline->data;

  if (g_str_has_prefix (text, "blur"))
    fill_blurred (inputs,
                  text[4] == ':' ? g_ascii_strtod (text + 5, NULL)
                                 : fmax (1.0, (double) MIN (shape->dims[2], shape->dims[3]) / 16.0),
                  baseline);
  else if (g_str_equal (text, "mean"))
    fill_means (x, shape->dims[0] * shape->dims[1], plane, to);
  else
    fill_range (x, shape->dims[0] * shape->dims[1], shape->dims[1], plane, text, to);
  return baseline;
}

SondeTensor *
sonde_attribution_spec_make_baseline (const SondeAttributionSpec *spec, SondeTensor *inputs,
                                      GError **error)
{
  const char *text = sonde_attribution_spec_get (spec, "baseline");
  g_auto (GStrv) items = sonde_attribution_spec_dup_list (spec, "baseline");
  gint64 channels = inputs->shape.dims[1];
  gsize plane = (gsize) (inputs->shape.dims[2] * inputs->shape.dims[3]);
  guint n_items = g_strv_length (items);
  SondeShape shape = inputs->shape;
  SondeTensor *baseline;

  shape.dims[0] = 1;
  if (g_str_has_suffix (text, ".npy"))
    return sonde_attribution_spec_read (spec, "baseline", &shape, error);
  if (g_ascii_isalpha (text[0]))
    return make_own_baseline (text, inputs);
  if (n_items != 1 && n_items != (guint64) channels)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "baseline has %u numbers, but the samples have %" PRIi64
                       " channels; give one number or one per channel.",
                       n_items, channels);
      return NULL;
    }
  baseline = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  for (gint64 c = 0; c < channels; c++)
    fill ((float *) (void *) baseline->data + (gsize) c * plane, plane,
          (float) g_ascii_strtod (items[n_items > 1 ? c : 0], NULL));
  return baseline;
}

gboolean
sonde_attribution_spec_make_target (const SondeAttributionSpec *spec, gint64 classes,
                                    float **factors, GError **error)
{
  int k = find_parameter (spec->method, "target", NULL);
  g_autofree float *found = NULL;
  gint64 beyond = -1;

  *factors = NULL;
  if (k < 0 || spec->values[k] == NULL)
    return TRUE;
  found = g_new0 (float, MAX (classes, 1));
  if (!parse_sum (spec->values[k], classes, found, &beyond))
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "target=%s: the model has no class %" PRIi64
                       "; its classes are 0 to %" PRIi64 ".",
                       spec->values[k], beyond, classes - 1);
      return FALSE;
    }
  *factors = g_steal_pointer (&found);
  return TRUE;
}

/* Columns and series are images of one row: a file of their own form, [n, F] or [n, C, L], is
 * taken for [n, 1, 1, F] or [n, C, 1, L]. */
static void
add_ones (SondeTensor **tensor, const SondeShape *shape)
{
  SondeShape wide = (*tensor)->shape;
  SondeTensor *made;

  if (shape->rank != 4 || wide.rank < 2 || wide.rank > 3 || shape->dims[2] != 1
      || (wide.rank == 2 && shape->dims[1] != 1))
    return;
  wide = sonde_shape_from_array (4, (gint64[]){ wide.dims[0], wide.rank == 3 ? wide.dims[1] : 1, 1,
                                                wide.dims[wide.rank - 1] });
  made = sonde_tensor_reshape (*tensor, &wide);
  sonde_tensor_unref (*tensor);
  *tensor = made;
}

SondeTensor *
sonde_attribution_spec_read (const SondeAttributionSpec *spec, const char *key,
                             const SondeShape *shape, GError **error)
{
  const char *path = sonde_attribution_spec_get (spec, key);
  g_autoptr (SondeTensor) tensor = sonde_npy_read (NULL, path, error);
  g_autofree char *have = NULL, *want = NULL;
  gboolean fits;

  if (tensor == NULL)
    return NULL;
  add_ones (&tensor, shape);
  fits = (sonde_dtype_is_float (tensor->dtype) || sonde_dtype_is_integer (tensor->dtype)
          || tensor->dtype == SONDE_DTYPE_BOOL)
         && tensor->shape.rank == shape->rank;
  for (int d = 0; fits && d < shape->rank; d++)
    fits = shape->dims[d] < 0 || shape->dims[d] == tensor->shape.dims[d];
  if (fits)
    return tensor->dtype == SONDE_DTYPE_F32
               ? g_steal_pointer (&tensor)
               : sonde_tensor_try_cast (tensor, SONDE_DTYPE_F32, key, error);
  have = sonde_shape_to_string (&tensor->shape);
  want = sonde_shape_to_string (shape);
  sonde_set_error (
      error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE,
      "%s=%s: the file contains %s %s, but the method requires numbers of shape %s (-1: any size).",
      key, path, sonde_dtype_name (tensor->dtype), have, want);
  return NULL;
}

char *
sonde_attribution_spec_dup_title (const char *text)
{
  g_autoptr (SondeAttributionSpec) parsed = sonde_attribution_spec_parse (text, NULL);
  const SondeAttribution *method;
  const char *colon = strchr (text, ':');

  if (parsed == NULL)
    return g_strdup (text);
  method = sonde_attribution_spec_get_method (parsed);
  if (!g_str_equal (sonde_attribution_spec_get_label (parsed), method->name))
    return g_strdup (sonde_attribution_spec_get_label (parsed));
  return colon != NULL ? g_strdup_printf ("%s (%s)", method->title, colon + 1)
                       : g_strdup (method->title);
}
