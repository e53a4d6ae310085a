// What can go wrong between a caller and an emulated venue, planned by the test: by method and path, a number of times.
//
// Slow and partial fills are no faults of the connection: see `fillDelayMs`, `setLiquidity` and `setMaxTrade` of the market.

/** What a request meets. `before` means that the venue never hears of it, `after` that it has done what was asked. */
export type Fault =
  | { readonly type: 'drop'; readonly when: 'before' | 'after' }
  | { readonly type: 'answer'; readonly when: 'before' | 'after'; readonly reply: FaultReply }
  | { readonly type: 'delay'; readonly when: 'before' | 'after'; readonly delayMs: number }
  /** The connection dies at once, and the venue hears of the request so much later: within its time window, or after it. */
  | { readonly type: 'late'; readonly delayMs: number }
  /** Something between caller and venue hands the request in twice; the caller gets the second answer. */
  | { readonly type: 'twice' }
  /** The venue answers, and this is made of the body of its answer. */
  | { readonly type: 'edit'; readonly edit: AnswerEdit }
  /** The same with the text of its answer. */
  | { readonly type: 'change'; readonly change: (text: string) => string };

/** Gets a copy of the body, and the query of the request as it came. */
// biome-ignore lint/suspicious/noExplicitAny: a test knows the form of the answer that it changes.
export type AnswerEdit = (body: any, rawQuery: string) => unknown;

/** The venue's own words for what every venue has; see `VenueWords`. */
export type FaultReply =
  | { readonly words: 'maintenance' | 'unknown-outcome' }
  | { readonly words: 'too-many-requests'; readonly status: number; readonly retryAfterS: number }
  | { readonly status: number; readonly text: string; readonly headers?: Readonly<Record<string, string>> };

/** The requests that are meant. A path that ends in `*` means all that begin so; what is left out matches everything. */
export interface FaultMatch {
  readonly method?: string;
  readonly path?: string;
  /** Those of one account. */
  readonly apiKey?: string;
}

/** A request as far as faults look at it. */
export type FaultedRequest = Required<FaultMatch>;

interface PlannedFault {
  readonly match: FaultMatch;
  readonly fault: Fault;
  times: number;
}

const GARBAGE = '<html><head><title>Bad gateway</title></head><body>upstream connect error{"code":';

export class Faults {
  /** While it is true every request is answered as the venue does during maintenance, and streams cannot be opened. */
  maintenance = false;
  /** While it is true connections are taken, and nothing is ever answered on them. */
  silent = false;
  /** Streams whose path begins so cannot be opened while it is set. */
  refusedStreams: string | undefined;
  /** Of the next user stream events so many are never sent, although the connection lives. */
  loseEvents = 0;
  /** Of the next user stream events so many are sent twice. */
  repeatEvents = 0;
  /** The user streams that were sent an event; a test may clear it, to see who listens now. */
  readonly toldStreams = new Set<object>();
  readonly #planned: PlannedFault[] = [];
  readonly #cutters = new Set<() => void>();

  /** The connection dies before the venue has read the request. */
  dropBefore(match: FaultMatch, times = 1): void {
    this.plan(match, { type: 'drop', when: 'before' }, times);
  }

  /** The venue does what was asked, then the connection dies without an answer. */
  dropAnswerAfterAccept(match: FaultMatch, times = 1): void {
    this.plan(match, { type: 'drop', when: 'after' }, times);
  }

  /** The venue does what was asked and answers with this status all the same. */
  statusAfterAccept(match: FaultMatch, status: number, times = 1): void {
    this.plan(match, { type: 'answer', when: 'after', reply: { status, text: '' } }, times);
  }

  /** As above, with the venue's own words for "it may have been done, or not". `accepted` says which. */
  unknownOutcome(match: FaultMatch, accepted: boolean, times = 1): void {
    const when = accepted ? 'after' : 'before';
    this.plan(match, { type: 'answer', when, reply: { words: 'unknown-outcome' } }, times);
  }

  /** Nothing is done; the caller has asked too often (429), or is banned (418). */
  tooManyRequests(match: FaultMatch, status: 429 | 418 | 403, retryAfterS: number, times = 1): void {
    this.plan(
      match,
      { type: 'answer', when: 'before', reply: { words: 'too-many-requests', status, retryAfterS } },
      times,
    );
  }

  /** Nothing is done, and this is answered: for a refusal that the venue would not give by itself. */
  answerInstead(match: FaultMatch, status: number, body: object, times = 1): void {
    const reply = { status, text: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    this.plan(match, { type: 'answer', when: 'before', reply }, times);
  }

  /** The answer takes so long; with `before` the venue hears of it as late, so that its time window can pass. */
  delay(match: FaultMatch, delayMs: number, when: 'before' | 'after' = 'after', times = 1): void {
    this.plan(match, { type: 'delay', when, delayMs }, times);
  }

  /** Status 200 and a body that no client can read. */
  garbage(match: FaultMatch, accepted: boolean, times = 1): void {
    const reply = { status: 200, text: GARBAGE, headers: { 'content-type': 'text/html' } };
    this.plan(match, { type: 'answer', when: accepted ? 'after' : 'before', reply }, times);
  }

  /** For what a venue says that its emulation does not: rows of a kind that nobody here knows. */
  editAnswer(match: FaultMatch, edit: AnswerEdit, times = Number.POSITIVE_INFINITY): void {
    this.plan(match, { type: 'edit', edit }, times);
  }

  arriveLate(match: FaultMatch, delayMs: number, times = 1): void {
    this.plan(match, { type: 'late', delayMs }, times);
  }

  duplicateAnswer(match: FaultMatch, times = 1): void {
    this.plan(match, { type: 'twice' }, times);
  }

  changeAnswer(match: FaultMatch, change: (text: string) => string, times = 1): void {
    this.plan(match, { type: 'change', change }, times);
  }

  /** Ends every user stream at once; what happens until it is opened again is never sent. */
  cutStreams(): void {
    for (const cut of this.#cutters) cut();
  }

  /** Says how streams are ended; the server of the venue does this. */
  onCut(cut: () => void): void {
    this.#cutters.add(cut);
  }

  plan(match: FaultMatch, fault: Fault, times = 1): void {
    this.#planned.push({ match, fault, times });
  }

  clear(): void {
    this.#planned.length = 0;
    this.maintenance = false;
    this.silent = false;
    this.refusedStreams = undefined;
    this.loseEvents = 0;
    this.repeatEvents = 0;
  }

  /** The faults that this request meets; each plan is used once for it. */
  take(request: FaultedRequest): Fault[] {
    const met = this.#planned.filter(({ match }) => matches(match, request));
    for (const planned of met) planned.times -= 1;
    for (const planned of met) if (planned.times <= 0) this.#planned.splice(this.#planned.indexOf(planned), 1);
    return met.map(({ fault }) => fault);
  }

  opensStream(path: string): boolean {
    return !this.maintenance && (this.refusedStreams === undefined || !path.startsWith(this.refusedStreams));
  }

  /** How often the next event of a user stream is sent. */
  copiesOfEvent(): number {
    if (this.loseEvents > 0) {
      this.loseEvents -= 1;
      return 0;
    }
    if (this.repeatEvents <= 0) return 1;
    this.repeatEvents -= 1;
    return 2;
  }
}

function matches(match: FaultMatch, { method, path, apiKey }: FaultedRequest): boolean {
  if (match.apiKey !== undefined && match.apiKey !== apiKey) return false;
  if (match.method !== undefined && match.method !== method) return false;
  if (match.path === undefined) return true;
  return match.path.endsWith('*') ? path.startsWith(match.path.slice(0, -1)) : path === match.path;
}
