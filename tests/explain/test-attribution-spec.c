/* SPDX-License-Identifier: Apache-2.0
 * SPEC: labels, keys, values with colons, defaults, and what messages name. */
#include <string.h>

#include "explain/attribution/sonde-attribution-spec.h"

static void
test_parts (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeAttributionSpec) plain = sonde_attribution_spec_parse ("saliency", &error);
  g_autoptr (SondeAttributionSpec) spec = NULL;
  g_autofree char *parameters = NULL, *defaults = NULL;

  g_assert_no_error (error);
  g_assert_cmpstr (sonde_attribution_spec_get_label (plain), ==, "saliency");
  g_assert_cmpstr (sonde_attribution_spec_get (plain, "score"), ==, "logit");
  g_assert_null (sonde_attribution_spec_get (plain, "layer"));
  g_assert_false (sonde_attribution_spec_has (plain, "score"));
  defaults = sonde_attribution_spec_dup_parameters (plain);
  g_assert_cmpstr (defaults, ==, "score=logit");
  g_assert_null (sonde_attribution_spec_parse ("saliency:layer=/a:b/c:0=x",
                                               &error)); /* "0=" looks like a key */
  g_assert_nonnull (strstr (error->message, "“0”"));
  g_clear_error (&error);
  spec = sonde_attribution_spec_parse ("mine=saliency:layer=/a:b/c:0:score=probability", &error);
  g_assert_no_error (error);
  g_assert_cmpstr (sonde_attribution_spec_get_label (spec), ==, "mine");
  g_assert_cmpstr (sonde_attribution_spec_get (spec, "layer"), ==, "/a:b/c:0");
  g_assert_cmpint (sonde_attribution_spec_get_score (spec), ==, SONDE_SCORE_PROBABILITY);
  parameters = sonde_attribution_spec_dup_parameters (spec);
  g_assert_cmpstr (parameters, ==, "score=probability:layer=/a:b/c:0");
}

/* "=" behind the first ":" makes no label. */
static void
test_label_before_colon_only (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeAttributionSpec) spec
      = sonde_attribution_spec_parse ("saliency:layer=a=b", &error);

  g_assert_no_error (error);
  g_assert_cmpstr (sonde_attribution_spec_get_label (spec), ==, "saliency");
  g_assert_cmpstr (sonde_attribution_spec_get (spec, "layer"), ==, "a=b");
}

static void
test_wrong (void)
{
  static const struct
  {
    const char *text, *part;
  } cases[] = {
    { "salienzy", "did you mean “saliency”" },
    { "", "no method “”" },
    { "a=b=saliency", "b=saliency" },
    { "saliency:scor=logit", "did you mean “score”" },
    { "saliency:score=odds", "one of logit, probability, margin" },
    { "saliency:score=", "one of logit, probability, margin" },
    { "saliency:score", "“key=value”" },
    { "saliency:", "“key=value”" },
    { "saliency:score=logit:score=logit", "twice" },
    { "saliency:layer=", "a text" },
    { "saliency:target=3--5", "classes with factors" },
    { "saliency:target=cat", "classes with factors" },
    { "saliency:target=2*", "classes with factors" },
    { "deeplift:baseline=blur:x", "blur:SIGMA" },
    { "deeplift:baseline=black", "numbers joined by" },
    { "../x=saliency", "label “../x”" },
    { "=saliency", "label “”" },
    { "a\nb=saliency", "label" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeAttributionSpec) spec = sonde_attribution_spec_parse (cases[i].text, &error);

      g_assert_null (spec);
      g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID);
      if (strstr (error->message, cases[i].part) == NULL)
        g_error ("“%s”: %s", cases[i].text, error->message);
    }
}

/* Every row can be asked for with its defaults, and they are allowed values. */
static void
test_rows (void)
{
  gsize n;
  const SondeAttribution *const *methods = sonde_attribution_list (&n);

  for (gsize i = 0; i < n; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeAttributionSpec) spec = sonde_attribution_spec_new (methods[i]), again = NULL;
      g_autofree char *parameters = sonde_attribution_spec_dup_parameters (spec);
      g_autofree char *text
          = g_strconcat (methods[i]->name, *parameters != '\0' ? ":" : "", parameters, NULL);
      g_autofree char *same = NULL;

      g_assert_true (sonde_attribution_find (methods[i]->name) == methods[i]);
      g_assert_nonnull (methods[i]->title);
      g_assert_nonnull (methods[i]->summary);
      g_assert_nonnull (methods[i]->compute);
      again = sonde_attribution_spec_parse (text, &error);
      g_assert_no_error (error);
      same = sonde_attribution_spec_dup_parameters (again);
      g_assert_cmpstr (same, ==, parameters);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/explain/attribution/spec/parts", test_parts);
  g_test_add_func ("/explain/attribution/spec/label", test_label_before_colon_only);
  g_test_add_func ("/explain/attribution/spec/wrong", test_wrong);
  g_test_add_func ("/explain/attribution/spec/rows", test_rows);
  return g_test_run ();
}
