// Reads the text of a `.env` file: names and values, with quotes and comments understood.

const MAX_DOT_ENV_CHARS = 65_536;

const DOT_ENV_LINE = /^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(?:'([^']*)'|"((?:[^"\\]|\\.)*)"|([^'"].*)?)$/;
const AFTER_QUOTES = /^((?:export\s+)?[A-Za-z_]\w*\s*=\s*(?:'[^']*'|"(?:[^"\\]|\\.)*"))\s+#.*$/;

/** `KEY=value` per line; quotes, comments and a leading `export` are understood, the last of two equal names counts. */
export function parseDotEnv(text: string, faults: string[]): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  if (text.length > MAX_DOT_ENV_CHARS) {
    faults.push(`.env: is longer than ${MAX_DOT_ENV_CHARS} characters; keep only settings in it.`);
    return entries;
  }
  for (const [index, rawLine] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = rawLine.trim().replace(AFTER_QUOTES, '$1');
    if (line === '' || line.startsWith('#')) continue;
    const [, name, single, double, bare = ''] = DOT_ENV_LINE.exec(line) ?? [];
    if (name === undefined)
      faults.push(`.env: line ${index + 1} is not understood; write NAME=value, with matching quotes if any.`);
    else entries.set(name, single ?? (double === undefined ? bare.replace(/(^|\s)#.*$/, '') : unescaped(double)));
  }
  return entries;
}

const unescaped = (text: string) => text.replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char));
