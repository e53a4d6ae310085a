// Makes a copy of log fields that holds no secret: values under telling names are masked, depth and size are bounded.

const SECRET_NAMES = new Set([
  'apikey',
  'api_key',
  'api-key',
  'x-api-key',
  'key',
  'token',
  'authorization',
  'secret',
  'password',
  'x-internal-auth-key',
  'x-admin-token',
  'privatekey',
  'private_key',
  'apisecret',
  'api_secret',
  'cookie',
  'set-cookie',
]);

const MASK = '***';

/** Anything deeper or longer is left out: what nobody looked at must not reach the log. */
const MAX_DEPTH = 4;
const MAX_ITEMS = 100;
const MAX_TEXT_CHARS = 16_384;

type Fields = Record<string, unknown>;

/** Names repeat with every line, so each is lowered once; the bound keeps made-up names from filling the memory. */
const knownNames = new Map<string, boolean>();
const KNOWN_NAMES_LIMIT = 2048;

function isSecretName(name: string): boolean {
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  const secret = SECRET_NAMES.has(name.toLowerCase());
  if (knownNames.size >= KNOWN_NAMES_LIMIT) knownNames.clear();
  knownNames.set(name, secret);
  return secret;
}

export function redactFields(fields: object): Fields {
  return redactEntries(fields as Fields, 1);
}

function redactEntries(fields: Fields, depth: number): Fields {
  const clean: Fields = {};
  let items = 0;
  for (const name in fields) {
    if (!Object.hasOwn(fields, name)) continue;
    items += 1;
    if (items > MAX_ITEMS) break;
    const value = fields[name];
    if (isSecretName(name)) clean[name] = value === undefined || value === null ? value : MASK;
    else clean[name] = redactValue(value, depth);
  }
  return clean;
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'string') return shortened(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '[deeper than the log goes]';
  if (value instanceof Error) return redactError(value, depth + 1);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (Array.isArray(value)) return value.slice(0, MAX_ITEMS).map((item) => redactValue(item, depth + 1));
  if (value instanceof URL) return `${value.origin}${value.pathname}`;
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  return redactEntries(value as Fields, depth + 1);
}

/** Message, stack and cause are not enumerable, so they are read by name; the rest are the error's own fields. */
function redactError(error: Error, depth: number): Fields {
  const clean = redactEntries(error as unknown as Fields, depth);
  clean.type = error.name;
  clean.message = shortened(error.message);
  clean.stack = shortened(error.stack ?? '');
  if (error.cause !== undefined) clean.cause = redactValue(error.cause, depth);
  return clean;
}

function shortened(text: string): string {
  return text.length > MAX_TEXT_CHARS ? `${text.slice(0, MAX_TEXT_CHARS)}…` : text;
}
