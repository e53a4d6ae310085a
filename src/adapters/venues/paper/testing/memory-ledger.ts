// A paper ledger in memory for tests: keeps the port's promises and fails when it is told to.

import { UnknownOutcomeError } from '../../../../errors/storage-error.ts';
import { decimal, plus, toText, ZERO } from '../../../../trading/decimal.ts';
import type {
  PaperAccountName,
  PaperAccountRow,
  PaperBooks,
  PaperEntry,
  PaperFillRow,
  PaperFundingRow,
  PaperLedger,
  PaperOrderRow,
  PaperPositionRow,
} from '../ledger.ts';

/** What becomes of a commit whose answer is lost: `late` is written only when the books have been read again. */
export type UnclearFate = 'written' | 'gone' | 'late';

export interface MemoryLedger extends PaperLedger {
  /** Nobody is told what becomes of the next commit. */
  leaveUnclear(fate: UnclearFate): void;
  /** Fails the next commits, as a full disk does. */
  failCommits(count: number): void;
  /** Fails the next loads. */
  failLoads(count: number): void;
  /** Commits wait until the returned function is called. */
  hold(): () => void;
  readonly fills: readonly PaperFillRow[];
  readonly commits: number;
}

const keyOf = ({ exchange, account }: PaperAccountName): string => `${exchange}:${account}`;

export function createMemoryLedger(): MemoryLedger {
  const accounts = new Map<string, PaperAccountRow>();
  const orders = new Map<string, PaperOrderRow>();
  const positions = new Map<string, PaperPositionRow>();
  const leverages = new Map<string, NonNullable<PaperEntry['leverage']>>();
  const fills: PaperFillRow[] = [];
  const funding: PaperFundingRow[] = [];
  let failingCommits = 0;
  let failingLoads = 0;
  let commits = 0;
  let gate = Promise.resolve();
  let unclear: UnclearFate | undefined;
  let late: PaperEntry | undefined;

  function write({ account, order, fills: newFills = [], position, leverage, funding: paid = [] }: PaperEntry) {
    const key = keyOf(account);
    if (failingCommits > 0) {
      failingCommits--;
      throw new Error('disk full');
    }
    const orderKey = `${key} ${order?.row.clientOrderId}`;
    if (order?.insert && orders.has(orderKey)) return 'duplicate';
    if (account.version !== (accounts.get(key)?.version ?? 0) + 1) return 'stale';
    commits++;
    accounts.set(key, account);
    if (order) orders.set(orderKey, order.row);
    fills.push(...newFills);
    funding.push(...paid);
    if (position) {
      const slot = `${key} ${position.market} ${position.side}`;
      if (position.quantity === '0') positions.delete(slot);
      else positions.set(slot, position);
    }
    if (leverage) leverages.set(`${key} ${leverage.market}`, leverage);
    return 'committed';
  }

  function writeUnclear(entry: PaperEntry, fate: UnclearFate): never {
    unclear = undefined;
    if (fate === 'written') write(entry);
    if (fate === 'late') late = entry;
    throw new UnknownOutcomeError('the answer is lost');
  }

  function writeLate(): void {
    if (late !== undefined) write(late);
    late = undefined;
  }

  const of = <T extends PaperAccountName>(rows: Iterable<T>, name: PaperAccountName): T[] =>
    [...rows].filter((row) => keyOf(row) === keyOf(name));

  return {
    leaveUnclear: (fate) => {
      unclear = fate;
    },
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
    accounts: async () => [...accounts.values()].map(({ exchange, account }) => ({ exchange, account })),
    async load(name): Promise<PaperBooks> {
      if (failingLoads > 0) {
        failingLoads--;
        throw new Error('disk gone');
      }
      const books = {
        account: accounts.get(keyOf(name)),
        positions: of(positions.values(), name),
        leverages: of(leverages.values(), name),
        openOrders: of(orders.values(), name).filter(({ status }) => status === 'submitted'),
      };
      writeLate();
      return books;
    },
    async commit(entry) {
      await gate;
      return unclear === undefined ? write(entry) : writeUnclear(entry, unclear);
    },
    ordersNamed: async (name, prefix) =>
      of(orders.values(), name)
        .filter(({ clientOrderId }) => clientOrderId.startsWith(prefix))
        .map((row) => ({ row, fills: of(fills, name).filter((fill) => fill.clientOrderId === row.clientOrderId) })),
    fundingTotal: async (name) =>
      toText(
        of(funding, name)
          .map(({ amount }) => decimal(amount))
          .reduce(plus, ZERO),
      ),
    funding: async (name, fromMs, toMs) => of(funding, name).filter(({ atMs }) => atMs >= fromMs && atMs < toMs),
    async findOrder(name, clientOrderId) {
      const row = orders.get(`${keyOf(name)} ${clientOrderId}`);
      const own = of(fills, name).filter((fill) => fill.clientOrderId === clientOrderId);
      return row && { row, fills: own };
    },
  };
}
