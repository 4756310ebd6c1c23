/* SPDX-License-Identifier: Apache-2.0
 * Calls of sessions without a socket: what is refused, in words that name it. */
#include <glib/gstdio.h>
#include <string.h>

#include "app/worker/sonde-explain-service.h"
#include "data/base/sonde-error.h"
#include "data/models/sonde-model-file.h"
#include "engine/nn/sonde-zoo.h"
#include "engine/ops/sonde-engine-error.h"
#include "explain/session/sonde-explain-codec.h"

static gboolean
is_cancelled (SondeSessionCall *call)
{
  return FALSE;
}

static void
hear_progress (SondeSessionCall *call, const char *what, double fraction, double seconds_left)
{
  g_assert_nonnull (what);
}

static void
hear_part (SondeSessionCall *call, GVariant *part, GPtrArray *tensors)
{
  g_variant_unref (g_variant_ref_sink (part));
}

/* @tensor: (nullable): goes along */
static GVariant *
ask (SondeExplainService *service, const char *name, const char *text, SondeTensor *tensor,
     GError **error)
{
  g_autoptr (GPtrArray) tensors = g_ptr_array_new (), out = NULL;
  g_autoptr (GVariant) arguments = g_variant_parse (G_VARIANT_TYPE_VARDICT, text, NULL, NULL, NULL);
  SondeSessionCall call = { name, arguments, tensors, is_cancelled, hear_progress, hear_part };
  GVariant *result = NULL;

  g_assert_nonnull (arguments);
  if (tensor != NULL)
    g_ptr_array_add (tensors, tensor);
  if (!sonde_explain_service_call (service, &call, &result, &out, error))
    g_assert_null (result);
  return result != NULL ? g_variant_ref_sink (result) : NULL;
}

static void
refuse (SondeExplainService *service, const char *name, const char *text, SondeTensor *tensor,
        const char *said)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (ask (service, name, text, tensor, &error));
  g_assert_nonnull (error);
  if (strstr (error->message, said) == NULL)
    g_error ("%s: “%s” does not say “%s”", name, error->message, said);
}

static void
test_refusals (void)
{
  g_autoptr (SondeExplainService) service = sonde_explain_service_new ("sonde");

  refuse (service, "nothing", "@a{sv} {}", NULL, "study.predict");
  refuse (service, "study.predict", "@a{sv} {}", NULL, "study.open");
  refuse (service, "study.open", "@a{sv} {}", NULL, "settings");
  refuse (service, "study.open", "{'settings': <1>, 'keep': <false>}", NULL, "settings");
  refuse (service, "study.open", "{'settings': <{'colour': <b'red'>}>, 'keep': <false>}", NULL,
          "colour");
  refuse (service, "study.open", "{'settings': <{'threads': <b'red'>}>, 'keep': <false>}", NULL,
          "threads");
  refuse (service, "study.open", "{'settings': <@a{sv} {}>, 'keep': <false>}", NULL,
          "No model given");
  refuse (service, "study.open", "{'settings': <@a{sv} {}>, 'keep': <true>, 'cache': <b'here'>}",
          NULL, "absolute");
  refuse (service, "study.open", "{'settings': <{'model': <b'/no\\xff.onnx'>}>, 'keep': <false>}",
          NULL, "/no");
  {
    g_autoptr (GError) error = NULL;
    g_autoptr (GVariant) tested = ask (service, "study.self-test", "@a{sv} {}", NULL, &error),
                         closed = NULL;

    g_assert_no_error (error);
    g_assert_nonnull (tested);
    closed = ask (service, "study.close", "@a{sv} {}", NULL, &error);
    g_assert_no_error (error);
  }
}

/* Open on a small net: samples, classes, methods and images that are none. */
static void
test_open (void)
{
  g_autoptr (SondeExplainService) service = sonde_explain_service_new ("sonde");
  SondeShape flat = sonde_shape_make (1, 4), other = sonde_shape_make (3, 4, 4, 3);
  g_autoptr (SondeTensor) odd = sonde_tensor_new (SONDE_DTYPE_U8, &flat),
                          small = sonde_tensor_new (SONDE_DTYPE_U8, &other);
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("sonde-service-XXXXXX", &error),
                  *path = g_build_filename (folder, "m.onnx", NULL);
  g_autofree char *text = g_strdup_printf (
      "{'settings': <{'model': <b'%s'>, 'data': <b'glyphs:count=8'>}>, 'keep': <false>}", path);
  g_autoptr (SondeGraph) model = sonde_zoo_build ("mlp", 1, 28, 28, 10, 3, &error);
  g_autoptr (GVariant) opened = NULL, answer = NULL;

  g_assert_true (sonde_model_save (NULL, path, model, &error));
  opened = ask (service, "study.open", text, NULL, &error);
  g_assert_no_error (error);
  g_assert_nonnull (opened);
  refuse (service, "study.map", "{'sample': <uint32 0>}", NULL, "spec");
  refuse (service, "study.map", "{'sample': <0>, 'spec': <'saliency'>, 'target': <int64 0>}", NULL,
          "sample");
  refuse (service, "study.map", "{'sample': <uint32 8>, 'spec': <'saliency'>, 'target': <int64 0>}",
          NULL, "sample 8");
  refuse (service, "study.map",
          "{'sample': <uint32 0>, 'spec': <'saliency'>, 'target': <int64 -1>}", NULL, "class -1");
  refuse (service, "study.map", "{'sample': <uint32 0>, 'spec': <'saliency'>, 'target': <int64 0>}",
          odd, "picture");
  refuse (service, "study.infer", "{'sample': <uint32 0>}", small, "4×4");
  refuse (service, "study.maps",
          "{'samples': <@au [1, 2]>, 'targets': <@ax [1]>, 'spec': <'saliency'>}", NULL, "targets");
  refuse (service, "study.boxes",
          "{'sample': <uint32 0>, 'spec': <'by=magic'>, 'target': <int64 0>}", NULL, "by");
  refuse (service, "study.compare", "{'model': <b'relative.onnx'>}", NULL, "absolute");
  refuse (service, "study.scores",
          "{'specs': <['saliency']>, 'metrics': <'beauty'>, 'max-samples': <uint32 2>}", NULL,
          "beauty");
  refuse (service, "study.report", "{'path': <b'r.html'>, 'specs': <@as []>}", NULL, "absolute");
  answer = ask (service, "study.infer", "{'sample': <uint32 0>}", NULL, &error);
  g_assert_no_error (error);
  g_unlink (path);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/worker/study-service/refusals", test_refusals);
  g_test_add_func ("/worker/study-service/open", test_open);
  return g_test_run ();
}
