/* SPDX-License-Identifier: Apache-2.0
 * GStreamer, loaded by the first sound that is played, so that nothing else pays for it. */
#pragma once

#include <gst/gst.h>

G_BEGIN_DECLS

/* Functions of the library; their types are those of its header. */
typedef struct
{
  __typeof__ (gst_init_check) *init_check;
  __typeof__ (gst_parse_launch) *parse_launch;
  __typeof__ (gst_element_factory_find) *element_factory_find;
  __typeof__ (gst_bin_get_by_name) *bin_get_by_name;
  __typeof__ (gst_element_set_state) *element_set_state;
  __typeof__ (gst_element_seek_simple) *element_seek_simple;
  __typeof__ (gst_element_query_position) *element_query_position;
  __typeof__ (gst_element_get_bus) *element_get_bus;
  __typeof__ (gst_bus_add_watch) *bus_add_watch;
  __typeof__ (gst_bus_remove_watch) *bus_remove_watch;
  __typeof__ (gst_message_parse_error) *message_parse_error;
  __typeof__ (gst_message_parse_warning) *message_parse_warning;
  __typeof__ (gst_resource_error_quark) *resource_error_quark;
  __typeof__ (gst_buffer_new_wrapped) *buffer_new_wrapped;
  __typeof__ (gst_mini_object_unref) *mini_object_unref;
  __typeof__ (gst_object_unref) *object_unref;
} SondeGstreamer;

/* The library, initialised; the same every time. Main thread. (nullable) Errors: NOT_FOUND with the Debian packages to
 * install. */
const SondeGstreamer *sonde_gstreamer_load (GError **error);

G_END_DECLS
