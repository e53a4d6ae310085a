// Pine in colours: a tokenizer line by line, which is all that an editor needs to paint; what the words mean the worker knows.

import { HighlightStyle, StreamLanguage, type StringStream, syntaxHighlighting } from '@codemirror/language';
import { tags } from '@lezer/highlight';
import { KEYWORDS } from '../../src/pine/light.ts';

/** Words with a meaning in their place alone; painted wherever they stand on their own. */
const SOFT_WORDS = new Set(['import', 'export', 'method', 'type', 'enum', 'to', 'by', 'in', 'as']);
const CONSTANTS = new Set(['true', 'false', 'na']);
const TYPES = new Set(
  'const input simple series int float bool string color line label box table linefill polyline array matrix map'.split(
    ' ',
  ),
);

const WORD = /^[A-Za-z_]\w*/;

function token(stream: StringStream): string | null {
  if (stream.eatSpace()) return null;
  if (stream.match(/^\/\/\s*@\w*.*/)) return 'meta';
  if (stream.match(/^\/\/.*/)) return 'comment';
  if (stream.match(/^"(?:[^"\\]|\\.)*"?/) || stream.match(/^'(?:[^'\\]|\\.)*'?/)) return 'string';
  if (stream.match(/^#[0-9A-Fa-f]{6}(?:[0-9A-Fa-f]{2})?\b/)) return 'color';
  if (stream.match(/^(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/)) return 'number';
  if (stream.match(WORD)) return wordKind(stream);
  if (stream.match(/^(?:[:+\-*/%=!<>]=|=>|[+\-*/%=<>?:])/)) return 'operator';
  stream.next();
  return null;
}

function wordKind(stream: StringStream): string | null {
  const word = stream.current();
  const isMember = stream.string[stream.start - 1] === '.';
  if (stream.match(/^\s*\(/, false)) return KEYWORDS.has(word) && !isMember ? 'keyword' : 'callee';
  if (isMember) return 'property';
  if (CONSTANTS.has(word)) return 'atom';
  if (KEYWORDS.has(word) || SOFT_WORDS.has(word)) return 'keyword';
  // A parameter may have the name of a type: color = color.red.
  if (TYPES.has(word) && stream.match(/^\s*=[^=]/, false)) return null;
  if (TYPES.has(word)) return stream.match(/^\s*\./, false) ? 'namespace' : 'type';
  return stream.match(/^\./, false) ? 'namespace' : null;
}

const pine = StreamLanguage.define({
  name: 'pine',
  token,
  languageData: { commentTokens: { line: '//' }, closeBrackets: { brackets: ['(', '[', '"', "'"] } },
  tokenTable: {
    callee: tags.function(tags.variableName),
    property: tags.propertyName,
    namespace: tags.namespace,
    type: tags.typeName,
    color: tags.color,
  },
});

/** The tokens of the page and nothing else: calm, and right in light and dark. */
const style = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--accent)', fontWeight: '600' },
  { tag: [tags.atom, tags.typeName], color: 'var(--accent)' },
  { tag: [tags.comment, tags.meta], color: 'var(--ink-3)' },
  { tag: [tags.string, tags.color], color: 'var(--up)' },
  { tag: tags.number, color: 'var(--warn)' },
  { tag: tags.namespace, color: 'var(--ink-2)' },
]);

export const pineHighlighting = [pine, syntaxHighlighting(style)];
