// What was sent and may have been done although no certain answer came. This tab remembers it with its key until the outcome is
// certain, also after the question was closed or the page loaded again, so that sending it once more is never doing it twice.

export interface InDoubt {
  readonly key: string;
  readonly sentAtMs: number;
  /** Everything that went out under the key, by its names; the server does one of them at most. */
  readonly names: readonly string[];
}

const KEPT_AS = 'signalbox.in-doubt';
/** After the last try. The server knows the keys of its owner for longer (own-keys.ts). */
const KEPT_FOR_MS = 86_400_000;
/** More than anybody sends into a silence; the newest stay. */
const MOST_KEPT = 100;
/** What says how, and not what: a new quote of the same swap is the same swap. A secret has no place in the browser's storage. */
const NOT_NAMING: ReadonlySet<string> = new Set(['apiKey', 'secret', 'minAmountOut', 'slippageBps']);

/** The same thing has the same name. */
export const nameOf = (path: string, body: object): string =>
  `${path} ${JSON.stringify(body, (field, value: unknown) => (NOT_NAMING.has(field) ? undefined : value))}`;

let kept: readonly InDoubt[] = storedDoubts();

export const inDoubt = (name: string): InDoubt | undefined => lasting().find(({ names }) => names.includes(name));

export function keepInDoubt(doubt: InDoubt): void {
  store([...lasting().filter(({ key }) => key !== doubt.key), doubt].slice(-MOST_KEPT));
}

/** It is certain what became of everything under this key. */
export function settle(settled: string): void {
  store(lasting().filter(({ key }) => key !== settled));
}

const lasting = (): readonly InDoubt[] => kept.filter(({ sentAtMs }) => Date.now() - sentAtMs < KEPT_FOR_MS);

function store(doubts: readonly InDoubt[]): void {
  kept = doubts;
  try {
    sessionStorage.setItem(KEPT_AS, JSON.stringify(doubts));
  } catch {
    // Where the browser keeps nothing, it is remembered until the page is loaded again.
  }
}

function storedDoubts(): readonly InDoubt[] {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT_AS) ?? '[]') as readonly InDoubt[];
  } catch {
    return [];
  }
}
