// Adds to the desk events what happens outside the trading database: the owner's changes, alarms, deployments, and the start itself.

import type { SettingsStorage } from '../adapters/storage/sql/owner/settings.ts';
import type { TradingStores } from '../adapters/storage/sql/trading/trading-stores.ts';
import { SerialQueue } from '../timing/serial-queue.ts';
import type { NewDeskEvent } from '../trading/books/desk-events.ts';
import type { AlarmListener, RaisedAlarms } from '../trading/notifications/raised-alarms.ts';
import { nowMs } from './clocks.ts';
import { VERSION } from './version.ts';

const AUDIT = 'audit';
/** Of the audit, in one step. */
const PAGE = 200;

export interface DeskEventParts {
  readonly events: TradingStores['events'];
  readonly auditRows: SettingsStorage['auditRows'];
  readonly alarms: Pick<RaisedAlarms, 'current' | 'watch'>;
  readonly onTrouble: (what: string, error: unknown) => void;
}

export interface OpenedDeskEvents {
  /** Never rejects: what is told happened all the same. */
  add(event: Omit<NewDeskEvent, 'atMs'>): void;
  /** Resolves when everything that was told is on disk. */
  close(): Promise<void>;
}

export async function openDeskEvents({
  events,
  auditRows,
  alarms,
  onTrouble,
}: DeskEventParts): Promise<OpenedDeskEvents> {
  const queue = new SerialQueue();
  let isClosed = false;
  const run = (work: () => Promise<void>): void => {
    if (!isClosed)
      void queue.run(work).catch((error) => onTrouble('an event is not in the list of what happened', error));
  };
  const add = (event: Omit<NewDeskEvent, 'atMs'>): void => {
    const atMs = nowMs();
    run(() => events.add([{ atMs, ...event }]));
  };
  /** The audit is in another database. What of it was copied is written with the copies, so none is there twice. */
  const copyAudit = async (): Promise<void> => {
    for (;;) {
      const rows = await auditRows.after((await events.positionOf(AUDIT)) ?? 0, PAGE);
      const last = rows.at(-1);
      if (last === undefined) return;
      const copies = rows.map(({ seq: _, atMs, ...facts }): NewDeskEvent => ({ atMs, kind: 'change', facts }));
      await events.add(copies, { name: AUDIT, position: last.seq });
    }
  };
  await events.begin();
  const newest = await auditRows.newest();
  // Changes from before there were events are in the audit alone. It is shorter than it was where a backup was put back.
  if (((await events.positionOf(AUDIT)) ?? Number.POSITIVE_INFINITY) > newest)
    await events.add([], { name: AUDIT, position: newest });
  // Before anything else of this run.
  await events.add([{ atMs: nowMs(), kind: 'start', facts: { version: VERSION } }]);
  run(copyAudit);
  auditRows.watch(() => run(copyAudit));
  const tell: AlarmListener = ({ kind: alarm, text }, state) => add({ kind: 'alarm', facts: { alarm, text, state } });
  // A start ends all alarms of the last run, and some are raised before anybody watches.
  for (const alarm of alarms.current()) tell(alarm, 'raised');
  alarms.watch(tell);
  return {
    add,
    async close() {
      await queue.idle();
      isClosed = true;
    },
  };
}
