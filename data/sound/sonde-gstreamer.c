/* SPDX-License-Identifier: Apache-2.0 */
#include "data/sound/sonde-gstreamer-private.h"

#include <dlfcn.h>

#include "data/base/sonde-error.h"

#define LIBRARY "libgstreamer-1.0.so.0"

/* What a pipeline here is made of, beside the sink. */
static const char *const elements[] = { "appsrc", "audioconvert", "audioresample" };

/* In the order of the struct. */
static const char *const names[] = {
  "gst_init_check",
  "gst_parse_launch",
  "gst_element_factory_find",
  "gst_bin_get_by_name",
  "gst_element_set_state",
  "gst_element_seek_simple",
  "gst_element_query_position",
  "gst_element_get_bus",
  "gst_bus_add_watch",
  "gst_bus_remove_watch",
  "gst_message_parse_error",
  "gst_message_parse_warning",
  "gst_resource_error_quark",
  "gst_buffer_new_wrapped",
  "gst_mini_object_unref",
  "gst_object_unref",
};

G_STATIC_ASSERT (sizeof (SondeGstreamer) == G_N_ELEMENTS (names) * sizeof (void *));

static gboolean
load_functions (SondeGstreamer *functions)
{
  void *library = dlopen (LIBRARY, RTLD_NOW | RTLD_LOCAL), **function = (void **) functions;

  for (gsize i = 0; library != NULL && i < G_N_ELEMENTS (names); i++)
    if ((function[i] = dlsym (library, names[i])) == NULL)
      return FALSE;
  return library != NULL && functions->init_check (NULL, NULL, NULL);
}

static gboolean
has_elements (const SondeGstreamer *functions)
{
  for (gsize i = 0; i < G_N_ELEMENTS (elements); i++)
    {
      GstElementFactory *factory = functions->element_factory_find (elements[i]);

      if (factory == NULL)
        return FALSE;
      functions->object_unref (factory);
    }
  return TRUE;
}

const SondeGstreamer *
sonde_gstreamer_load (GError **error)
{
  static SondeGstreamer functions;
  static gboolean is_loaded;

  if (!is_loaded)
    is_loaded = load_functions (&functions) && has_elements (&functions);
  if (is_loaded)
    return &functions;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                   N_ ("Sounds cannot be played: GStreamer is not installed (packages "
                       "gstreamer1.0-plugins-base and gstreamer1.0-alsa). They can be saved."));
  return NULL;
}
