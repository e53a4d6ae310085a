// The keys of the command line, with every change written into the audit of the data folder.

import type { OpenedAnalysisKeys, OpenedScriptKeys } from '../cli/host.ts';
import type { Config } from '../config.ts';
import { errorText } from '../errors/error-text.ts';
import type { AnalysisKeys } from '../keys/analysis-keys.ts';
import {
  type KeyChange,
  madeAnalysisKey,
  madeScriptKey,
  renewedScriptKey,
  revokedAnalysisKey,
  revokedScriptKey,
} from '../keys/key-changes.ts';
import type { ScriptKeys } from '../keys/script-keys.ts';
import { auditEntryOf } from '../trading/intake/controls.ts';
import { nowMs } from './clocks.ts';
import { closeOwner, isOwnerThere, openOwner } from './storage.ts';

const ACTOR = 'cli';

export function auditedAnalysisKeys(keys: AnalysisKeys, config: Config): OpenedAnalysisKeys['keys'] {
  return {
    list: (limit) => keys.list(limit),
    async mint(tier) {
      const made = await keys.mint(tier);
      await audit(config, madeAnalysisKey(made.key));
      return made;
    },
    async revoke(keyOrId) {
      const revoked = await keys.revoke(keyOrId);
      if (revoked !== undefined) await audit(config, revokedAnalysisKey(revoked));
      return revoked;
    },
  };
}

export function auditedScriptKeys(keys: ScriptKeys, config: Config): OpenedScriptKeys['keys'] {
  return {
    lookup: (key) => keys.lookup(key),
    async create(tier) {
      const made = await keys.create(tier);
      await audit(config, madeScriptKey(made));
      return made;
    },
    async revoke(key) {
      const before = await keys.lookup(key);
      await keys.revoke(key);
      if (before !== undefined) await audit(config, revokedScriptKey(before));
    },
    async renew(of) {
      const renewed = await keys.renew(of);
      if (typeof renewed !== 'string') await audit(config, renewedScriptKey(renewed));
      return renewed;
    },
  };
}

/** Who may use a service is the operator's doing, so it is written down like every other change of his. */
async function audit(config: Config, change: KeyChange): Promise<void> {
  // A folder without settings has no audit, and a command makes no file.
  if (!isOwnerThere(config)) return;
  try {
    const owner = await openOwner(config);
    await owner.settings.settings.appendAudit(auditEntryOf({ actor: ACTOR, ...change }, nowMs()));
    await closeOwner(owner);
  } catch (error) {
    // The change is made, and a new key must be shown, whatever happens here.
    process.stderr.write(`The change is not in the audit: ${errorText(error)}\n`);
  }
}
