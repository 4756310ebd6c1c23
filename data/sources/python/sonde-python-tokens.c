/* SPDX-License-Identifier: Apache-2.0
 * The tokeniser: one pass, no recursion; what is open lies on a stack. */
#include "data/sources/python/sonde-python-tokens.h"

#include <string.h>

#include "data/base/sonde-text.h"
#include "data/sources/python/sonde-python-tokens-private.h"

SondePythonToken *
sonde_python_lexer_add (SondePythonLexer *lexer, SondePythonTokenKind kind, int op,
                        const char *begin)
{
  SondePythonToken token = {
    .offset = (guint32) (begin - lexer->text),
    .length = (guint32) (lexer->at - begin),
    .line = lexer->line,
    .column = (guint32) (begin - lexer->line_begin) + 1,
    .kind = (guint8) kind,
    .op = (guint8) op,
    .indent = (guint16) MIN (lexer->indent, G_MAXUINT16),
  };

  g_array_append_val (lexer->tokens, token);
  return &g_array_index (lexer->tokens, SondePythonToken, lexer->tokens->len - 1);
}

void
sonde_python_lexer_break_line (SondePythonLexer *lexer)
{
  if (*lexer->at == '\r' && lexer->at + 1 < lexer->end && lexer->at[1] == '\n')
    lexer->at++;
  lexer->at++;
  lexer->line++;
  lexer->line_begin = lexer->at;
}

static guint32
last_token (const SondePythonLexer *lexer)
{
  return lexer->tokens->len - 1;
}

/* The bracket on top ends with the token @close, which need not be one that closes it. */
static void
pop (SondePythonLexer *lexer, guint32 close)
{
  SondePythonBracket *top = sonde_python_lexer_top (lexer);

  g_array_index (lexer->tokens, SondePythonToken, top->token).partner = close;
  g_array_set_size (lexer->brackets, lexer->brackets->len - 1);
}

/* What is still open ends at the last token, the end of a line. */
static void
abandon_brackets (SondePythonLexer *lexer)
{
  while (lexer->brackets->len > 0)
    {
      const SondePythonBracket *top = sonde_python_lexer_top (lexer);
      guint32 line = g_array_index (lexer->tokens, SondePythonToken, top->token).line;

      sonde_python_damage_set (lexer->damage, line, "“%c” is never closed",
                               top->op == 'f' ? '{' : top->op);
      pop (lexer, last_token (lexer));
    }
  lexer->too_deep = 0;
}

void
sonde_python_lexer_open (SondePythonLexer *lexer, const SondePythonBracket *bracket)
{
  const char *begin = lexer->at++;
  SondePythonBracket added = *bracket;

  if (lexer->brackets->len >= SONDE_PYTHON_MAX_NESTING)
    {
      sonde_python_damage_set (lexer->damage, lexer->line, "brackets are nested more than %d deep",
                               SONDE_PYTHON_MAX_NESTING);
      lexer->too_deep++;
      return;
    }
  sonde_python_lexer_add (lexer, SONDE_PYTHON_OPEN, added.op, begin);
  added.token = last_token (lexer);
  g_array_append_val (lexer->brackets, added);
}

static char
closing (char op)
{
  return op == '(' ? ')' : op == '[' ? ']' : '}';
}

/* How many brackets a closing one ends: up to the nearest that fits, not beyond an f-string. 0: none */
static guint
count_ended (const SondePythonLexer *lexer, char op)
{
  for (guint i = lexer->brackets->len; i > 0; i--)
    {
      const SondePythonBracket *open = &g_array_index (lexer->brackets, SondePythonBracket, i - 1);

      if (closing (open->op) == op)
        return lexer->brackets->len - i + 1;
      if (open->op == 'f')
        return 0;
    }
  return 0;
}

void
sonde_python_lexer_close (SondePythonLexer *lexer, char op)
{
  const char *begin = lexer->at++;
  guint n = lexer->too_deep > 0 ? 0 : count_ended (lexer, op);
  SondePythonBracket ended;

  if (lexer->too_deep > 0)
    {
      lexer->too_deep--;
      return;
    }
  if (n != 1)
    sonde_python_damage_set (lexer->damage, lexer->line, "“%c” does not belong here", op);
  if (n == 0)
    return;
  sonde_python_lexer_add (lexer, SONDE_PYTHON_CLOSE, 0, begin);
  for (; n > 1; n--)
    pop (lexer, last_token (lexer));
  ended = *sonde_python_lexer_top (lexer);
  pop (lexer, last_token (lexer));
  g_array_index (lexer->tokens, SondePythonToken, last_token (lexer)).partner = ended.token;
  g_array_index (lexer->tokens, SondePythonToken, last_token (lexer)).op = (guint8) ended.op;
  if (ended.op != 'f')
    return;
  if (ended.in_specifier && sonde_python_lexer_top (lexer) != NULL)
    sonde_python_lexer_specifier (lexer);
  else
    sonde_python_lexer_string_text (lexer, &ended.quotes);
}

static gboolean
is_name_byte (char byte)
{
  return g_ascii_isalnum (byte) || byte == '_' || (guint8) byte >= 0x80;
}

static void
read_name (SondePythonLexer *lexer)
{
  const char *begin = lexer->at;
  guint32 name;

  while (lexer->at < lexer->end && is_name_byte (*lexer->at))
    lexer->at++;
  name = sonde_name_table_add (lexer->names, begin, (gsize) (lexer->at - begin));
  sonde_python_lexer_add (lexer, SONDE_PYTHON_NAME, 0, begin)->name = name;
}

static void
read_digits (SondePythonLexer *lexer, gboolean hexadecimal)
{
  while (lexer->at < lexer->end
         && (*lexer->at == '_'
             || (hexadecimal ? g_ascii_isxdigit (*lexer->at) : g_ascii_isdigit (*lexer->at))))
    lexer->at++;
}

static gboolean
next_is (const SondePythonLexer *lexer, const char *set)
{
  return lexer->at < lexer->end && *lexer->at != '\0' && strchr (set, *lexer->at) != NULL;
}

/* "1if x else 2": a letter ends a number, too. */
static void
read_number (SondePythonLexer *lexer)
{
  const char *begin = lexer->at;

  if (*begin == '0' && lexer->end - begin > 1 && strchr ("xXoObB", begin[1]) != NULL
      && begin[1] != '\0')
    {
      lexer->at += 2;
      read_digits (lexer, (begin[1] | 0x20) == 'x');
    }
  else
    {
      read_digits (lexer, FALSE);
      if (next_is (lexer, "."))
        lexer->at++;
      read_digits (lexer, FALSE);
      if (next_is (lexer, "eE") && lexer->end - lexer->at > 1
          && (g_ascii_isdigit (lexer->at[1])
              || (lexer->end - lexer->at > 2 && (lexer->at[1] == '+' || lexer->at[1] == '-')
                  && g_ascii_isdigit (lexer->at[2]))))
        {
          lexer->at += 2;
          read_digits (lexer, FALSE);
        }
    }
  if (next_is (lexer, "jJlL"))
    lexer->at++;
  sonde_python_lexer_add (lexer, SONDE_PYTHON_NUMBER, 0, begin);
}

static const struct
{
  const char *text;
  int op;
} long_operators[] = {
  { "...", SONDE_PYTHON_ELLIPSIS },  { "**=", SONDE_PYTHON_AUGMENTED },
  { "//=", SONDE_PYTHON_AUGMENTED }, { ">>=", SONDE_PYTHON_AUGMENTED },
  { "<<=", SONDE_PYTHON_AUGMENTED }, { "->", SONDE_PYTHON_ARROW },
  { ":=", SONDE_PYTHON_WALRUS },     { "+=", SONDE_PYTHON_AUGMENTED },
  { "-=", SONDE_PYTHON_AUGMENTED },  { "*=", SONDE_PYTHON_AUGMENTED },
  { "/=", SONDE_PYTHON_AUGMENTED },  { "%=", SONDE_PYTHON_AUGMENTED },
  { "&=", SONDE_PYTHON_AUGMENTED },  { "|=", SONDE_PYTHON_AUGMENTED },
  { "^=", SONDE_PYTHON_AUGMENTED },  { "@=", SONDE_PYTHON_AUGMENTED },
  { "==", SONDE_PYTHON_COMPARISON }, { "!=", SONDE_PYTHON_COMPARISON },
  { "<=", SONDE_PYTHON_COMPARISON }, { ">=", SONDE_PYTHON_COMPARISON },
  { "<>", SONDE_PYTHON_COMPARISON }, { "**", SONDE_PYTHON_POWER },
  { "//", SONDE_PYTHON_SHIFT },      { "<<", SONDE_PYTHON_SHIFT },
  { ">>", SONDE_PYTHON_SHIFT },
};

static void
read_operator (SondePythonLexer *lexer)
{
  const char *begin = lexer->at;

  if (memchr ("=,.:()[]{}", *begin, 10) == NULL
      || (lexer->end - begin > 1 && strchr ("=.", begin[1]) != NULL))
    for (gsize i = 0; i < G_N_ELEMENTS (long_operators); i++)
      {
        gsize length = strlen (long_operators[i].text);

        if ((gsize) (lexer->end - begin) >= length
            && memcmp (begin, long_operators[i].text, length) == 0)
          {
            lexer->at += length;
            if (begin[0] == '<' && begin[1] == '>')
              sonde_python_damage_set (lexer->damage, lexer->line, "“<>” is Python 2");
            sonde_python_lexer_add (lexer, SONDE_PYTHON_OPERATOR, long_operators[i].op, begin);
            return;
          }
      }
  lexer->at++;
  if (strchr ("=,.:;+-*/%@&|^~<>", *begin) == NULL || *begin == '\0')
    sonde_python_damage_set (lexer->damage, lexer->line,
                             "the character 0x%02x does not belong here", (guint8) *begin);
  else
    sonde_python_lexer_add (lexer, SONDE_PYTHON_OPERATOR, *begin, begin);
}

/* In an open bracket, at the first column: does a statement begin here that cannot stand in one? */
static gboolean
begins_statement (const SondePythonLexer *lexer)
{
  static const char *const words[] = { "def ", "class ", "import ", "from ", "async def " };

  if (*lexer->at == '@')
    return lexer->end - lexer->at > 1 && g_ascii_isalpha (lexer->at[1]);
  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    {
      gsize length = strlen (words[i]);

      if ((gsize) (lexer->end - lexer->at) > length && memcmp (lexer->at, words[i], length) == 0)
        return is_name_byte (lexer->at[length]) || lexer->at[length] == '.';
    }
  return FALSE;
}

static void
end_statement (SondePythonLexer *lexer)
{
  const SondePythonToken *tokens = (const SondePythonToken *) lexer->tokens->data;

  if (lexer->tokens->len > 0 && tokens[last_token (lexer)].kind != SONDE_PYTHON_NEWLINE)
    sonde_python_lexer_add (lexer, SONDE_PYTHON_NEWLINE, 0, lexer->at);
  abandon_brackets (lexer);
  lexer->at_line_begin = TRUE;
}

static void
read_line_break (SondePythonLexer *lexer)
{
  if (lexer->brackets->len == 0)
    end_statement (lexer);
  sonde_python_lexer_break_line (lexer);
  if (lexer->brackets->len > 0 && lexer->at < lexer->end && begins_statement (lexer))
    end_statement (lexer);
}

static void
read_backslash (SondePythonLexer *lexer)
{
  lexer->at++;
  if (lexer->at < lexer->end && (*lexer->at == '\n' || *lexer->at == '\r'))
    sonde_python_lexer_break_line (lexer);
  else
    sonde_python_damage_set (lexer->damage, lexer->line, "“\\” does not end its line");
}

static void
read_indent (SondePythonLexer *lexer)
{
  guint column = 0;

  for (; lexer->at < lexer->end; lexer->at++)
    if (*lexer->at == ' ')
      column++;
    else if (*lexer->at == '\t')
      column = (column / 8 + 1) * 8;
    else if (*lexer->at == '\f')
      column = 0;
    else
      break;
  lexer->indent = column;
}

static void
read_bracket (SondePythonLexer *lexer)
{
  SondePythonBracket bracket = { .op = *lexer->at };

  if (strchr ("([{", *lexer->at) != NULL)
    sonde_python_lexer_open (lexer, &bracket);
  else
    sonde_python_lexer_close (lexer, *lexer->at);
}

static void
read_token (SondePythonLexer *lexer)
{
  const SondePythonBracket *top = sonde_python_lexer_top (lexer);
  char byte = *lexer->at;

  if (top != NULL && top->op == 'f' && sonde_python_lexer_field_end (lexer))
    return;
  lexer->at_line_begin = FALSE;
  if (byte == '\'' || byte == '"' || is_name_byte (byte))
    {
      if (g_ascii_isdigit (byte))
        read_number (lexer);
      else if (!sonde_python_lexer_string (lexer))
        read_name (lexer);
    }
  else if (byte == '.' && lexer->end - lexer->at > 1 && g_ascii_isdigit (lexer->at[1]))
    read_number (lexer);
  else if (byte != '\0' && strchr ("()[]{}", byte) != NULL)
    read_bracket (lexer);
  else
    read_operator (lexer);
}

static void
read_next (SondePythonLexer *lexer)
{
  switch (*lexer->at)
    {
    case ' ':
    case '\t':
    case '\f':
      if (lexer->at_line_begin)
        read_indent (lexer);
      else
        lexer->at++;
      break;
    case '#':
      while (lexer->at < lexer->end && *lexer->at != '\n' && *lexer->at != '\r')
        lexer->at++;
      break;
    case '\n':
    case '\r':
      read_line_break (lexer);
      lexer->indent = lexer->at_line_begin ? 0 : lexer->indent;
      break;
    case '\\':
      read_backslash (lexer);
      break;
    default:
      read_token (lexer);
    }
}

void
sonde_python_tokenise (const char *text, gsize length, SondeNameTable *names, GArray *tokens,
                       SondePythonDamage *damage)
{
  SondePythonLexer lexer = { .text = text,
                             .at = text,
                             .end = text + MIN (length, SONDE_PYTHON_MAX_BYTES),
                             .line_begin = text,
                             .line = 1,
                             .at_line_begin = TRUE,
                             .names = names,
                             .tokens = tokens,
                             .damage = damage };

  g_array_set_size (tokens, 0);
  lexer.brackets = g_array_new (FALSE, FALSE, sizeof (SondePythonBracket));
  while (lexer.at < lexer.end && tokens->len < SONDE_PYTHON_MAX_TOKENS)
    read_next (&lexer);
  if (lexer.at < text + length)
    sonde_python_damage_set (damage, lexer.line, "the file is too large: it is read up to here");
  end_statement (&lexer);
  sonde_python_lexer_add (&lexer, SONDE_PYTHON_END, 0, lexer.at);
  g_array_unref (lexer.brackets);
}
