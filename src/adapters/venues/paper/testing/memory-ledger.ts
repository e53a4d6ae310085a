// A paper ledger in memory for tests: keeps the port's promises and fails when it is told to.

import type { Exchange } from '../../../../trading/signal.ts';
import type {
  PaperAccountRow,
  PaperBooks,
  PaperEntry,
  PaperFillRow,
  PaperLedger,
  PaperOrderRow,
  PaperPositionRow,
} from '../ledger.ts';

export interface MemoryLedger extends PaperLedger {
  /** Fails the next commits, as a full disk does. */
  failCommits(count: number): void;
  /** Fails the next loads. */
  failLoads(count: number): void;
  /** Commits wait until the returned function is called. */
  hold(): () => void;
  readonly fills: readonly PaperFillRow[];
  readonly commits: number;
}

export function createMemoryLedger(): MemoryLedger {
  const accounts = new Map<Exchange, PaperAccountRow>();
  const orders = new Map<string, PaperOrderRow>();
  const positions = new Map<string, PaperPositionRow>();
  const leverages = new Map<string, NonNullable<PaperEntry['leverage']>>();
  const fills: PaperFillRow[] = [];
  let failingCommits = 0;
  let failingLoads = 0;
  let commits = 0;
  let gate = Promise.resolve();

  function write({ account, order, fills: newFills = [], position, leverage }: PaperEntry) {
    const { exchange } = account;
    if (failingCommits > 0) {
      failingCommits--;
      throw new Error('disk full');
    }
    const orderKey = `${exchange} ${order?.row.clientOrderId}`;
    if (order?.insert && orders.has(orderKey)) return 'duplicate';
    if (account.version !== (accounts.get(exchange)?.version ?? 0) + 1) return 'stale';
    commits++;
    accounts.set(exchange, account);
    if (order) orders.set(orderKey, order.row);
    fills.push(...newFills);
    if (position) {
      const key = `${exchange} ${position.market} ${position.side}`;
      if (position.quantity === '0') positions.delete(key);
      else positions.set(key, position);
    }
    if (leverage) leverages.set(`${exchange} ${leverage.market}`, leverage);
    return 'committed';
  }

  const of = <T extends { readonly exchange: Exchange }>(rows: Iterable<T>, exchange: Exchange): T[] =>
    [...rows].filter((row) => row.exchange === exchange);

  return {
    failCommits: (count) => {
      failingCommits = count;
    },
    failLoads: (count) => {
      failingLoads = count;
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      return resolve;
    },
    get fills() {
      return fills;
    },
    get commits() {
      return commits;
    },
    async load(exchange): Promise<PaperBooks> {
      if (failingLoads > 0) {
        failingLoads--;
        throw new Error('disk gone');
      }
      return {
        account: accounts.get(exchange),
        positions: of(positions.values(), exchange),
        leverages: of(leverages.values(), exchange),
        openOrders: of(orders.values(), exchange).filter(({ status }) => status === 'submitted'),
      };
    },
    async commit(entry) {
      await gate;
      return write(entry);
    },
    async findOrder(exchange, clientOrderId) {
      const row = orders.get(`${exchange} ${clientOrderId}`);
      const own = of(fills, exchange).filter((fill) => fill.clientOrderId === clientOrderId);
      return row && { row, fills: own };
    },
  };
}
