// Whether the journal holds exactly the trades that answers told of: none from a request that was refused, none left out.

import { DatabaseSync } from 'node:sqlite';
import { type Operation, TRADING_PATHS } from './http-requests.ts';

interface SignalAnswer {
  readonly success?: boolean;
  readonly requestId?: string;
  readonly tradeResult?: unknown;
  readonly status?: string;
  readonly result?: unknown;
}

/** What signals and the owner's own orders are called in the journal; stops and strategies trade by themselves. */
const ASKED_FOR: readonly string[] = ['webhook', 'tradingview', 'email', 'ticket', 'owner'];
/** A switch that was thrown with `flatten` closes positions; its answer does not wait for that. */
const KILL_SWITCH = 'kill switch';

interface JournalRow {
  readonly seq: number;
  readonly request_id: string;
  readonly source: string;
  readonly key_label: string;
  readonly quantity: string;
}

export class TradeCount {
  readonly #db: DatabaseSync;
  readonly #told = new Set<string>();
  #seq = 0;
  /** All that were found as they should be. */
  total = 0;

  constructor(path: string) {
    this.#db = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  }

  hear({ method, path }: Pick<Operation, 'method' | 'path'>, body: unknown): void {
    if (method !== 'POST' || !TRADING_PATHS.includes(path) || typeof body !== 'object' || body === null) return;
    for (const id of idsIn(body as SignalAnswer, path)) this.#told.add(baseOf(id));
  }

  /** The journal since the last look, in faults. */
  faults(): readonly string[] {
    const rows = this.#db
      .prepare(
        'SELECT seq, request_id, source, key_label, action, symbol, quantity FROM trades WHERE seq > ? ORDER BY seq',
      )
      .all(this.#seq) as unknown as readonly JournalRow[];
    this.#seq = rows.at(-1)?.seq ?? this.#seq;
    const asked = rows.filter(({ source, key_label }) => ASKED_FOR.includes(source) && key_label !== KILL_SWITCH);
    const stored = new Set(asked.map(({ request_id }) => baseOf(request_id)));
    const faults = [
      ...asked
        .filter(({ request_id }) => !this.#told.has(baseOf(request_id)))
        .map((row) => `no answer told of this trade of the journal: ${JSON.stringify(row)}`),
      ...[...this.#told]
        .filter((id) => !stored.has(id))
        .map((id) => `the journal has no trade ${id}, which an answer has`),
      ...rows
        .filter(({ quantity }) => !(Number(quantity) > 0 && Number(quantity) < Number.POSITIVE_INFINITY))
        .map((row) => `the quantity of this trade is none: ${JSON.stringify(row)}`),
    ];
    this.#told.clear();
    this.total += stored.size;
    return faults;
  }

  close(): void {
    this.#db.close();
  }
}

/** A refusal before the journal has neither a result nor success; a look at an order is no order. */
function idsIn({ success, requestId, tradeResult, status, result }: SignalAnswer, path: string): readonly string[] {
  if (path === '/positions/close')
    return Array.isArray(result) ? result.flatMap(({ requestId: id }) => (typeof id === 'string' ? [id] : [])) : [];
  const isTrade = (tradeResult !== undefined && tradeResult !== null) || (success === true && status === 'Enqueued');
  return isTrade && requestId !== undefined ? [requestId] : [];
}

/** A signal for several accounts is a trade on each: `id.2` is the second. */
const baseOf = (id: string): string => id.replace(/\.\d+$/, '');
