/* SPDX-License-Identifier: Apache-2.0
 * libhdf5, loaded by the helper alone: linked, it and the network libraries behind it would cost every
 * start. */
#pragma once

#include <hdf5.h>
#include <glib.h>

G_BEGIN_DECLS

/* What is called of it; its header has the types. */
#define SONDE_HDF5_FUNCTIONS(F)                                                                    \
  F (H5open)                                                                                       \
  F (H5Aclose)                                                                                     \
  F (H5Aget_space)                                                                                 \
  F (H5Aget_type)                                                                                  \
  F (H5Aiterate2)                                                                                  \
  F (H5Aopen)                                                                                      \
  F (H5Aread)                                                                                      \
  F (H5Dclose)                                                                                     \
  F (H5Dget_create_plist)                                                                          \
  F (H5Dget_offset)                                                                                \
  F (H5Dget_space)                                                                                 \
  F (H5Dget_type)                                                                                  \
  F (H5Dread)                                                                                      \
  F (H5Dvlen_reclaim)                                                                              \
  F (H5Eset_auto2)                                                                                 \
  F (H5Fclose)                                                                                     \
  F (H5Fopen)                                                                                      \
  F (H5Iget_type)                                                                                  \
  F (H5Literate)                                                                                   \
  F (H5Oclose)                                                                                     \
  F (H5Oget_info2)                                                                                 \
  F (H5Oopen)                                                                                      \
  F (H5Pclose)                                                                                     \
  F (H5Pcreate)                                                                                    \
  F (H5Pget_external_count)                                                                        \
  F (H5Pget_filter2)                                                                               \
  F (H5Pget_layout)                                                                                \
  F (H5Pget_nfilters)                                                                              \
  F (H5Pset_fapl_core)                                                                             \
  F (H5Pset_file_image)                                                                            \
  F (H5Pset_file_image_callbacks)                                                                  \
  F (H5Sclose)                                                                                     \
  F (H5Sget_simple_extent_dims)                                                                    \
  F (H5Sget_simple_extent_ndims)                                                                   \
  F (H5Sget_simple_extent_npoints)                                                                 \
  F (H5Sget_simple_extent_type)                                                                    \
  F (H5Tclose)                                                                                     \
  F (H5Tcopy)                                                                                      \
  F (H5Tget_class)                                                                                 \
  F (H5Tget_ebias)                                                                                 \
  F (H5Tget_fields)                                                                                \
  F (H5Tget_order)                                                                                 \
  F (H5Tget_precision)                                                                             \
  F (H5Tget_sign)                                                                                  \
  F (H5Tget_size)                                                                                  \
  F (H5Tis_variable_str)                                                                           \
  F (H5Tset_order)

/* @file_access: class of property lists */
typedef struct
{
#define SONDE_HDF5_MEMBER(name) __typeof__ (name) *name;
  SONDE_HDF5_FUNCTIONS (SONDE_HDF5_MEMBER)
#undef SONDE_HDF5_MEMBER
  hid_t *file_access;
} SondeHdf5Library;

/* NULL before sonde_hdf5_load_library(), and where the library is not installed or lacks something. */
const SondeHdf5Library *sonde_hdf5_get_library (void);
void sonde_hdf5_load_library (void);

G_END_DECLS
