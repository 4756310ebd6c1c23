/* SPDX-License-Identifier: Apache-2.0
 * What the names of one Python file stand for, as far as the file alone tells: its scopes, what binds
 * which name in them, and where names of elsewhere are used. No name is looked up in other files here,
 * and no package is known. */
#pragma once

#include "data/sources/python/sonde-python-tokens.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_PYTHON_SCOPE_MODULE,
  SONDE_PYTHON_SCOPE_CLASS,
  SONDE_PYTHON_SCOPE_FUNCTION, /* also type parameters */
  SONDE_PYTHON_SCOPE_LAMBDA,
  SONDE_PYTHON_SCOPE_COMPREHENSION,
} SondePythonScopeKind;

#define SONDE_PYTHON_NO_SCOPE G_MAXUINT32

/**
 * SondePythonScope:
 * @parent: index; SONDE_PYTHON_NO_SCOPE of the module, which is scope 0
 * @name: of a class or function; else SONDE_NO_NAME
 */
typedef struct
{
  SondePythonScopeKind kind;
  guint32 parent;
  guint32 name;
  guint32 line;
} SondePythonScope;

typedef enum
{
  SONDE_PYTHON_BINDS_VALUE,      /* anything that is not one of these */
  SONDE_PYTHON_BINDS_DEFINITION, /* def or class */
  SONDE_PYTHON_BINDS_MODULE,     /* import target, import target as name */
  SONDE_PYTHON_BINDS_IMPORT,     /* from target import chain as name */
  SONDE_PYTHON_BINDS_STAR,       /* from target import *: name is SONDE_NO_NAME */
  SONDE_PYTHON_BINDS_ALIAS,      /* name = first.chain */
  SONDE_PYTHON_BINDS_DEFAULT,    /* a parameter whose default is first.chain */
} SondePythonBindingKind;

/**
 * SondePythonBinding:
 * @scope: where the name is bound
 * @name: which
 * @target: of an import: the dotted module; "" for "from . import", a for "import a.b"
 * @level: of an import: leading dots
 * @chain: of IMPORT: the name that is imported; of ALIAS and DEFAULT: what follows the first name,
 *   dotted, "" for nothing; of a DEFINITION that is a class: SONDE_NO_NAME
 * @first, @value_scope: of ALIAS and DEFAULT: the first name and where it is looked up; of DEFINITION:
 *   @value_scope is the scope that it opens
 */
typedef struct
{
  guint32 scope, name;
  guint32 target, chain, first, value_scope;
  guint32 line;
  guint8 kind, level;
} SondePythonBinding;

typedef enum
{
  SONDE_PYTHON_USE,
  SONDE_PYTHON_CALL,
  SONDE_PYTHON_BASE,
  SONDE_PYTHON_DECORATOR,
  SONDE_PYTHON_ANNOTATION,
  SONDE_PYTHON_STORE,
  SONDE_PYTHON_IMPORT,
} SondePythonHow;

/**
 * SondePythonReference: the longest chain first(.name)* at a place, or a name that an import makes
 * @scope: where it stands
 * @first: of IMPORT: SONDE_NO_NAME
 * @chain: what follows, dotted, "" for nothing. Of IMPORT: the module, dotted
 * @arguments: of CALL: index + 1 into arguments; 0: none kept. Of IMPORT: the name that is imported from
 *   the module, "*" for all, SONDE_NO_NAME for the module itself
 * @level: of IMPORT: leading dots
 */
typedef struct
{
  guint32 scope;
  guint32 first, chain;
  guint32 line, column;
  guint32 arguments;
  guint8 how; /* SondePythonHow */
  guint8 level;
} SondePythonReference;

/* What a call gives. @keywords: index into keywords, @n_keywords of them */
typedef struct
{
  guint32 n_positional, n_keywords, keywords;
  gboolean spreads; /* *args or **names among them */
} SondePythonArguments;

typedef enum
{
  SONDE_PYTHON_RECEIVER_OTHER,  /* any expression */
  SONDE_PYTHON_RECEIVER_NAME,   /* first.chain, which is no reference if it is bound here */
  SONDE_PYTHON_RECEIVER_CALL,   /* a call of first.chain */
  SONDE_PYTHON_RECEIVER_METHOD, /* a call of a watched method */
} SondePythonReceiver;

/**
 * SondePythonMethod: a call of one of the watched methods on a value
 * @method: its name
 */
typedef struct
{
  guint32 scope, method;
  guint32 first, chain;
  guint32 line, column;
  guint8 receiver; /* SondePythonReceiver */
} SondePythonMethod;

/* A base of a class: scope of the class's body, and the chain. @scope: where it is looked up */
typedef struct
{
  guint32 class_scope;
  guint32 scope, first, chain;
} SondePythonBase;

/* A parameter with an annotation that holds the chain, or without (@first is SONDE_NO_NAME). */
typedef struct
{
  guint32 scope, name;
  guint32 first, chain;
} SondePythonParameter;

/**
 * SondePythonModule: all is read only once it is made
 * @bindings: sorted by scope and name; stars by their order
 * @references, @methods: in the order of the text
 * @exports: what __all__ lists, numbers of names; NULL without
 */
typedef struct
{
  GArray *scopes;     /* of SondePythonScope */
  GArray *bindings;   /* of SondePythonBinding */
  GArray *references; /* of SondePythonReference */
  GArray *arguments;  /* of SondePythonArguments */
  GArray *keywords;   /* of guint32, names */
  GArray *methods;    /* of SondePythonMethod */
  GArray *bases;      /* of SondePythonBase */
  GArray *parameters; /* of SondePythonParameter */
  GArray *exports;    /* of guint32 (nullable) */
  guint n_lines;
  SondePythonDamage damage;
} SondePythonModule;

typedef struct _SondePythonReader SondePythonReader;

/**
 * sonde_python_reader_new:
 * @methods: (array zero-terminated=1): the names of methods to be kept in SondePythonModule.methods
 */
SondePythonReader *sonde_python_reader_new (const char *const *methods);
void sonde_python_reader_free (SondePythonReader *reader); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondePythonReader, sonde_python_reader_free)

/* Where the numbers of names in its modules come from; as long as the reader lives. */
SondeNameTable *sonde_python_reader_get_names (const SondePythonReader *reader);

/**
 * sonde_python_reader_read:
 * @bytes: a source as it lies in its file
 *
 * References whose first name is bound here to nothing but values are left out.
 * Returns: (transfer full): always; what is wrong with the source is in its damage
 */
SondePythonModule *sonde_python_reader_read (SondePythonReader *reader, GBytes *bytes);

void sonde_python_module_free (SondePythonModule *module); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondePythonModule, sonde_python_module_free)

/**
 * sonde_python_module_find:
 * @n: (out): how many
 *
 * What binds @name in @scope alone. Returns: (transfer none) (nullable): the first of them
 */
const SondePythonBinding *sonde_python_module_find (const SondePythonModule *module, guint32 scope,
                                                    guint32 name, guint *n);

/**
 * sonde_python_module_look_up:
 *
 * What binds @name as seen from @scope: the nearest scope that binds it; bodies of classes are seen
 * from themselves alone.
 */
const SondePythonBinding *sonde_python_module_look_up (const SondePythonModule *module,
                                                       guint32 scope, guint32 name, guint *n);

G_END_DECLS
