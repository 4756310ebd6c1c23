/* SPDX-License-Identifier: Apache-2.0
 * What the helper says of a file: a GVariant, in the byte order of the machine both share. */
#pragma once

#include <glib.h>

/**
 * Of each object: path; texts by name of their attribute; and of a dataset, with "" for a group: name
 * of the element type ("" also of one that is none of ours), sizes, where its elements lie in the file
 * (-1: they follow here), elements.
 */
#define SONDE_HDF5_OBJECT "(sba{sas}saxxay)"
#define SONDE_HDF5_OBJECTS "a" SONDE_HDF5_OBJECT

#define SONDE_HDF5_MAX_BYTES ((guint64) 768 << 20) /* of a file */
