// A small scanner that finds what a TypeScript file imports, without being fooled by comments, strings or patterns.

export interface ImportFound {
  readonly specifier: string;
  /** `worker` is a file started through `new URL('./x.ts', import.meta.url)`. */
  readonly kind: 'value' | 'type' | 'worker';
  readonly line: number;
}

export interface Scanned {
  readonly imports: readonly ImportFound[];
  /** Lines with a dynamic import whose target is computed. */
  readonly unreadableLines: readonly number[];
  /** The code with comments, strings and patterns blanked; same length and lines as the source. */
  readonly code: string;
}

const STATIC_IMPORT =
  /(?<![\w$.])(import|export)\s+(type\s+(?!from\s*['"]))?(?:[\w$*{}\s,]+?\sfrom\s*|(?=["']))(['"])(\s*)\3/g;
const BRACED_IMPORT =
  /(?<![\w$.])(import|export)\s*(type\s*)?[\w$,\s]*(?:\{[^{}]*\}|\*\s*(?:as\s+[\w$]+\s*)?)\s*from\s*(['"])(\s*)\3/g;
const DYNAMIC_IMPORT = /(?<![\w$.])import\s*\(\s*(?:(['"])(\s*)\1)?/g;
const WORKER_URL = /new\s+URL\s*\(\s*(['"])(\s*)\1\s*,\s*import\.meta\.url/g;

export function scanImports(source: string): Scanned {
  const code = blank(source);
  const imports = new Map<number, ImportFound>();
  const unreadableLines: number[] = [];
  const lineAt = (offset: number) => source.slice(0, offset).split('\n').length;
  // Blanking keeps offsets, so the text between two quotes of the blanked code is read from the source.
  const note = (match: RegExpExecArray, textLength: number, closing: number, kind: ImportFound['kind']) => {
    const end = match.index + closing;
    imports.set(end, { specifier: source.slice(end - textLength, end), kind, line: lineAt(match.index) });
  };
  for (const pattern of [BRACED_IMPORT, STATIC_IMPORT])
    for (const match of code.matchAll(pattern))
      note(match, match[4]?.length ?? 0, match[0].length - 1, match[2] === undefined ? 'value' : 'type');
  for (const match of code.matchAll(DYNAMIC_IMPORT)) {
    if (match[2] === undefined) unreadableLines.push(lineAt(match.index));
    else note(match, match[2].length, match[0].length - 1, 'value');
  }
  for (const match of code.matchAll(WORKER_URL)) {
    const closing = match[0].lastIndexOf(match[1] ?? '');
    // A folder or a data file beside the source is no code.
    if (source.slice(0, match.index + closing).endsWith('.ts')) note(match, match[2]?.length ?? 0, closing, 'worker');
  }
  return { imports: [...imports.values()].sort((a, b) => a.line - b.line), unreadableLines, code };
}

/** What may stand before a slash that divides; before any other slash a pattern begins. */
const BEFORE_DIVISION = /[\w$)\]}'"`]$/;
const WORD_BEFORE_PATTERN = /(?<![\w$.])(?:return|typeof|case|in|of|do|else|void|delete|throw|new|await|yield)$/;

/** Replaces comments and the insides of strings, templates and patterns with blanks; line ends stay. */
function blank(source: string): string {
  let out = '';
  /** For every open `${` of a template: how many braces are open inside it. */
  const templates: number[] = [];
  const hide = (end: number, from: number) => source.slice(from, end).replace(/[^\n]/g, ' ');
  let at = 0;
  while (at < source.length) {
    const char = source[at] ?? '';
    const pair = source.slice(at, at + 2);
    const depth = templates.at(-1);
    let end = at + 1;
    if (pair === '//' || pair === '/*') {
      const close = pair === '//' ? source.indexOf('\n', at) : source.indexOf('*/', at + 2) + 2;
      end = close <= (pair === '//' ? -1 : 1) ? source.length : close;
      out += hide(end, at);
    } else if (char === "'" || char === '"') {
      end = closingQuote(source, at + 1, char);
      out += char + hide(end - 1, at + 1) + char;
    } else if (char === '`' || (char === '}' && depth === 0)) {
      if (char === '}') templates.pop();
      end = templatePart(source, at + 1);
      if (source[end - 1] === '{') templates.push(0);
      out += char + hide(end - 1, at + 1) + (source[end - 1] ?? '');
    } else if (char === '/' && startsPattern(out)) {
      end = patternEnd(source, at + 1);
      out += `/${hide(end - 1, at + 1)}/`;
    } else {
      if (depth !== undefined && char === '{') templates[templates.length - 1] = depth + 1;
      if (depth !== undefined && char === '}') templates[templates.length - 1] = depth - 1;
      out += char;
    }
    at = end;
  }
  return out;
}

function startsPattern(before: string): boolean {
  const near = before.slice(-200).trimEnd();
  return !BEFORE_DIVISION.test(near) || WORD_BEFORE_PATTERN.test(near);
}

function closingQuote(source: string, from: number, quote: string): number {
  for (let at = from; at < source.length; at += 1) {
    if (source[at] === '\\') at += 1;
    else if (source[at] === quote) return at + 1;
  }
  return source.length;
}

/** The end of a template's text: just behind its closing backtick, or behind the `${` that opens code. */
function templatePart(source: string, from: number): number {
  for (let at = from; at < source.length; at += 1) {
    if (source[at] === '\\') at += 1;
    else if (source[at] === '`') return at + 1;
    else if (source[at] === '$' && source[at + 1] === '{') return at + 2;
  }
  return source.length;
}

function patternEnd(source: string, from: number): number {
  let inClass = false;
  for (let at = from; at < source.length; at += 1) {
    const char = source[at];
    if (char === '\\') at += 1;
    else if (char === '[') inClass = true;
    else if (char === ']') inClass = false;
    else if (char === '/' && !inClass) return at + 1;
  }
  return source.length;
}
