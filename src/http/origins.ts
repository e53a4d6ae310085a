// Which web pages may call: those of this machine, and those of the origins the owner lists.

export interface Origins {
  /** Judges the value of an Origin header, exactly as a browser writes it. */
  allows(origin: string): boolean;
}

/** A developer's page runs on this very machine, on whatever port its tool chose. */
const LOCAL = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;

const ANYBODY = '*';

/** More is a mistake in the setting, and every preflight would look through it. */
const MAX_ORIGINS = 1000;

export function createOrigins(entries: readonly string[]): Origins {
  if (entries.length > MAX_ORIGINS) throw new Error(`At most ${MAX_ORIGINS} origins can be allowed.`);
  const listed = new Set<string>();
  const bad: string[] = [];
  for (const entry of entries) {
    const origin = readOrigin(entry.trim());
    if (origin === undefined) bad.push(JSON.stringify(entry));
    else listed.add(origin);
  }
  if (bad.length > 0) {
    throw new Error(
      `Not an origin: ${bad.join(', ')}. Write each one out with its scheme and without a path, such as ` +
        'https://charts.example.com or http://192.168.1.5:3000, or write * for all.',
    );
  }
  const isOpen = listed.has(ANYBODY);
  return { allows: (origin) => isOpen || listed.has(origin) || LOCAL.test(origin) };
}

/**
 * The spelling a browser sends: lower case, punycode, no default port, no closing slash. "null" is no origin: every
 * sandboxed frame and every local file has that one.
 */
function readOrigin(entry: string): string | undefined {
  if (entry === ANYBODY) return ANYBODY;
  const url = URL.canParse(entry) ? new URL(entry) : undefined;
  if (url === undefined || entry.includes('*')) return undefined;
  const isBare = /^https?:$/.test(url.protocol) && url.pathname === '/' && !/[?#@]/.test(entry);
  return isBare ? url.origin : undefined;
}
