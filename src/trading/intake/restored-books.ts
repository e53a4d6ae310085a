// Books that were restored from a backup know nothing of what was traded since. So whatever was unfinished in them is never sent
// again, and no signal trades until the owner has compared them with the venues and turns the kill switch off.

import type { Controls, SettingsStore } from './controls.ts';
import type { Restrictions } from './restrictions.ts';

/** The name of the setting in the store. */
export const RESTORED = 'restored';
const ACTOR = 'restore';

export interface RestoredBooks {
  /** When the backup was made, and when it was restored. */
  readonly backupAtMs: number;
  readonly restoredAtMs: number;
  /** The newest trade that the backup has. */
  readonly throughSeq: number;
}

/** Undefined for books that were never restored. */
export function restoredBooks(store: Pick<SettingsStore, 'get'>): RestoredBooks | undefined {
  const text = store.get(RESTORED);
  return text === undefined ? undefined : (JSON.parse(text) as RestoredBooks);
}

export interface RestoredParts {
  readonly controls: Pick<Controls, 'set'>;
  readonly restrictions: Pick<Restrictions, 'list' | 'turnKillSwitch' | 'pause'>;
  remember(name: string, value: string, atMs: number): Promise<void>;
}

export async function markRestored(
  restored: RestoredBooks,
  { controls, restrictions, remember }: RestoredParts,
): Promise<void> {
  await remember(RESTORED, JSON.stringify(restored), restored.restoredAtMs);
  const reason = `restored from a backup of ${momentInWords(restored.backupAtMs)}`;
  // It stops signals, and touches nothing at the venues: what is there now may be what the owner wants.
  await controls.set('killSwitch', { active: true, scope: 'all', reason }, ACTOR);
  // Nor do the other switches and pauses of that time: they may have been off for long.
  for (const { kind, name, killSwitch, pause } of restrictions.list()) {
    if (killSwitch?.flatten || killSwitch?.cancelEntries) {
      const { flatten: _, cancelEntries: __, ...kept } = killSwitch;
      await restrictions.turnKillSwitch({ kind, name }, kept, ACTOR);
    }
    if (pause?.cancelEntries) await restrictions.pause({ kind, name }, { reason: pause.reason }, ACTOR);
  }
}

/** While the switch is on that the restore has thrown. */
export const restoredInWords = ({ backupAtMs, restoredAtMs }: RestoredBooks): string =>
  `This data folder was restored on ${momentInWords(restoredAtMs)} from a backup of ${momentInWords(backupAtMs)}, and knows nothing of ` +
  'what was traded in between. The kill switch is on. Compare the accounts ("signalbox reconcile", "signalbox positions"), look ' +
  'at the stops and at keys that were revoked since, then say "signalbox kill-switch off"';

const momentInWords = (atMs: number): string => `${new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
