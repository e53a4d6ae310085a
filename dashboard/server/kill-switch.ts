// The kill switch over everything: whether it is on, and what that means in words.

import { dayAndTime } from '../ui/times.ts';
import type { KillSwitches } from './answers.ts';
import type { Refused } from './ask.ts';
import { useAnswer } from './use-answer.ts';

export const KILL_SWITCH = '/admin/kill-switch';

export interface ShownKillSwitch {
  readonly isActive: boolean;
  /** Undefined until it is known. */
  readonly switches: KillSwitches | undefined;
  readonly refused: Refused | undefined;
}

export function useKillSwitch(): ShownKillSwitch {
  const { answer, refused } = useAnswer<KillSwitches>(KILL_SWITCH);
  return { isActive: answer?.result.active === true, switches: answer, refused };
}

/** `Trading is stopped since 14:02:11: the news`; undefined while it is not. */
export function stopWords({ result, since }: KillSwitches, nowMs: number): string | undefined {
  if (!result.active) return undefined;
  const what = result.scope === 'entries' ? 'Entries are stopped' : 'All trading is stopped';
  const sinceWords = since === null ? '' : ` since ${dayAndTime(since, nowMs)}`;
  return `${what}${sinceWords}${result.reason ? `: ${result.reason}` : ''}`;
}
