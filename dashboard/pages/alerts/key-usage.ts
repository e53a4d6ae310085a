// What a key of the analysis or of the script library has used of what it may, in words.

import type { KeyUsage } from '../../server/setup-answers.ts';
import { plain } from '../../ui/numbers.ts';

export type AnalysisUsage = NonNullable<KeyUsage['analysis']>[number];
export type ScriptUsage = NonNullable<KeyUsage['scripts']>[number];

export const callsWords = ({ callsUsed, callsLimit }: AnalysisUsage): string =>
  callsLimit === null ? `${plain(callsUsed)}, no cap` : `${plain(callsUsed)} of ${plain(callsLimit)}`;

/** Of one; undefined where nothing limits it. */
export const shareUsed = ({ callsUsed, callsLimit }: AnalysisUsage): number | undefined =>
  callsLimit === null ? undefined : Math.min(1, callsUsed / callsLimit);

export const runsWords = ({ callsUsed, callsPerMinute }: ScriptUsage): string =>
  `${callsUsed === null ? 'not counted' : plain(callsUsed)}, ${callsPerMinute} a minute at most`;
