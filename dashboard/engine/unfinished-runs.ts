// Which scripts this browser has begun to run and never heard of again: one that uses up the memory ends the whole page, not only its
// worker, and a chart that ran it again by itself could never be opened any more.
//
// begun ──answered──► forgotten
//   ├──given up, or the page was left──► as if it had not begun
//   └──the page ended──► it stays here; after two of them in turn the script is held, until it is asked for otherwise than then

import type { StartMessage } from './messages.ts';

type Store = Pick<Storage, 'getItem' | 'setItem'>;

const KEPT_AS = 'signalbox.unfinished';
/** One may be the machine's, or of another tab that runs the same at this very moment. */
const HELD_FROM = 2;
/** More scripts than end a page; those that began last stay. */
const MOST_KEPT = 50;

export const HELD =
  'Twice in turn this page ended while the script ran: most likely it used up the memory of the browser. Look for arrays, maps ' +
  'or matrices that grow with every bar. It runs again once its text, the market or the timeframe changes.';

/** What somebody chooses of a run; bars come by themselves. */
type Asked = Pick<StartMessage, 'source' | 'inputs' | 'symbol' | 'timeframe'>;

const chosenOf = ({ inputs, symbol, timeframe }: Asked): string => JSON.stringify([inputs, symbol.ticker, timeframe]);

/** How many runs of each have begun and not ended, by their names; what began last stands last. */
type Counts = readonly (readonly [name: string, count: number])[];

export class UnfinishedRuns {
  readonly #store: Store;
  /** Of this page: what goes when it is left. */
  readonly #underWay = new Map<object, string>();
  /** What a held script was asked for; whoever asks for something else wants it to run. */
  readonly #heldFor = new Map<string, string>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** The page asks for the same again by itself, with more bars. */
  isHeld(start: Asked): boolean {
    const [name, asked] = [nameOf(start.source), chosenOf(start)];
    const heldFor = this.#heldFor.get(name);
    if (heldFor !== undefined) return heldFor === asked;
    const own = [...this.#underWay.values()].filter((each) => each === name).length;
    const isHeld = countOf(this.#counts(), name) - own >= HELD_FROM;
    if (isHeld) this.#heldFor.set(name, asked);
    return isHeld;
  }

  begin(run: object, source: string): void {
    this.leave(run);
    const name = nameOf(source);
    this.#underWay.set(run, name);
    this.#put(name, countOf(this.#counts(), name) + 1);
  }

  /** It has said something: it ends no page. */
  answer(run: object): void {
    const name = this.#underWay.get(run);
    if (name === undefined) return;
    this.#underWay.delete(run);
    this.#heldFor.delete(name);
    this.#put(name, 0);
  }

  /** Nobody waits for it any more. */
  leave(run: object): void {
    const name = this.#underWay.get(run);
    if (name === undefined) return;
    this.#underWay.delete(run);
    this.#put(name, countOf(this.#counts(), name) - 1);
  }

  leaveAll(): void {
    for (const run of this.#underWay.keys()) this.leave(run);
  }

  #put(name: string, count: number): void {
    const others = this.#counts().filter(([other]) => other !== name);
    const counts: Counts = count > 0 ? [...others, [name, count]] : others;
    try {
      this.#store.setItem(KEPT_AS, JSON.stringify(counts.slice(-MOST_KEPT)));
    } catch {
      // Where the browser keeps nothing, a script runs as often as it is asked for.
    }
  }

  #counts(): Counts {
    try {
      const counts = JSON.parse(this.#store.getItem(KEPT_AS) ?? '[]') as Counts;
      return Array.isArray(counts) ? counts : [];
    } catch {
      return [];
    }
  }
}

const countOf = (counts: Counts, name: string): number => counts.find(([other]) => other === name)?.[1] ?? 0;

/** FNV-1a in 32 bits, with the length: a name of the text, which itself is kept where it belongs. */
function nameOf(source: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < source.length; i++) hash = Math.imul(hash ^ source.charCodeAt(i), 0x01000193);
  return `${(hash >>> 0).toString(36)}.${source.length}`;
}

let ofThisBrowser: UnfinishedRuns | undefined;

/** A page that is left, or loaded again, has not been ended by what it ran. */
export function unfinishedRuns(): UnfinishedRuns {
  if (ofThisBrowser === undefined) {
    const runs = new UnfinishedRuns(localStorage);
    addEventListener('pagehide', () => runs.leaveAll());
    ofThisBrowser = runs;
  }
  return ofThisBrowser;
}
