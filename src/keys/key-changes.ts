// How changes of analysis and script keys stand in the audit: by which id, and never the key itself.

import type { AnalysisKey } from './analysis-key-store.ts';
import type { ScriptKeyRecord } from './script-keys.ts';

export interface KeyChange {
  readonly setting: 'analysisKey' | 'scriptKey';
  /** Null where a key was made. */
  readonly before: object | null;
  /** Null where a key was revoked. */
  readonly after: object | null;
}

const idOf = ({ keyId, tier }: AnalysisKey): object => ({ keyId, tier });
const libraryOf = ({ userId, tier }: Pick<ScriptKeyRecord, 'userId' | 'tier'>): object => ({ userId, tier });

export const madeAnalysisKey = (key: AnalysisKey): KeyChange => ({
  setting: 'analysisKey',
  before: null,
  after: idOf(key),
});
export const revokedAnalysisKey = (key: AnalysisKey): KeyChange => ({
  setting: 'analysisKey',
  before: idOf(key),
  after: null,
});
export const madeScriptKey = (key: ScriptKeyRecord): KeyChange => ({
  setting: 'scriptKey',
  before: null,
  after: libraryOf(key),
});
export const revokedScriptKey = (key: ScriptKeyRecord): KeyChange => ({
  setting: 'scriptKey',
  before: libraryOf(key),
  after: null,
});
/** The library was there before, under another key that may be lost: only its id is known. */
export const renewedScriptKey = (key: ScriptKeyRecord): KeyChange => ({
  setting: 'scriptKey',
  before: { userId: key.userId },
  after: libraryOf(key),
});
