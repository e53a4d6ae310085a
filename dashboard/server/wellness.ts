// Whether all is well, in one word for every page: told by the connection, the kill switch, the parts, and what has to be looked at.

import type { Tone } from '../ui/chip.tsx';
import type { KillSwitches, Readiness } from './answers.ts';
import type { Connection } from './connection.ts';
import type { Condition } from './how-it-runs.ts';
import { stopWords } from './kill-switch.ts';

export interface WellnessFacts {
  readonly nowMs: number;
  readonly connection: Connection;
  /** Undefined until it is known. */
  readonly ready: Readiness | undefined;
  readonly isNotReady: boolean;
  /** Undefined until they are known. */
  readonly switches: KillSwitches | undefined;
  /** Undefined until they are known. */
  readonly conditions: readonly Condition[] | undefined;
}

export interface Wellness {
  readonly tone: Tone;
  readonly words: string;
  /** What has to be looked at, each in its own words. */
  readonly troubles: readonly string[];
}

/** Undefined until everything is known that could say otherwise. */
export function wellnessOf(facts: WellnessFacts): Wellness | undefined {
  const { connection, ready, isNotReady, switches, conditions, nowMs } = facts;
  const troubles = [
    ...(conditions ?? []).filter(({ isUnwell }) => isUnwell).map(({ title, words }) => `${title}: ${words}`),
    ...(ready?.warnings ?? []),
  ];
  if (connection === 'lost') return { tone: 'down', words: 'Connection lost, trying again…', troubles };
  const stopped = switches && stopWords(switches, nowMs);
  if (isNotReady) return { tone: 'down', words: ['Not ready', stopped].filter(Boolean).join(' · '), troubles };
  if (stopped !== undefined) return { tone: 'warn', words: stopped, troubles };
  if (ready === undefined || switches === undefined || conditions === undefined) return undefined;
  return troubles.length === 0
    ? { tone: 'up', words: 'All systems well', troubles }
    : { tone: 'warn', words: `${troubles.length} to look at`, troubles };
}
