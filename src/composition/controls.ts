// The controls over what is stored, with what the environment says of them.

import { type Config, maskedSettings, settingsTable } from '../config.ts';
import {
  type Controls,
  createControls,
  ENVIRONMENT_SETTINGS,
  type SettingsStore,
  type ShownControl,
  shownControls,
} from '../trading/intake/controls.ts';
import { nowMs as wallClock } from './clocks.ts';

const FAILED_AUTH_PER_MINUTE = 30;

export function openControls(config: Config, store: SettingsStore, nowMs = wallClock): Controls {
  const ruledBy = Object.entries(ENVIRONMENT_SETTINGS).flatMap(([control, setting]) => {
    const source = config.settings.find(({ name }) => name === setting)?.source;
    return source === undefined || source === 'default' ? [] : [[control, source] as const];
  });
  return createControls({
    store,
    nowMs,
    ruledBy: Object.fromEntries(ruledBy),
    initial: {
      killSwitch: { active: false, scope: 'all' },
      queueMode: config.queueMode,
      allowlist: config.ipAllowlist,
      limits: { webhookRatePerMinute: config.webhookRatePerMinute, failedAuthPerMinute: FAILED_AUTH_PER_MINUTE },
    },
  });
}

export const inEntries = (count: number): string => (count === 1 ? '1 entry' : `${count} entries`);

/** For everybody: whose address may signal is nobody else's business, only how many there are. */
export const publicControls = (controls: Controls): readonly ShownControl[] =>
  shownControls(controls).map((shown) =>
    shown.name === 'IP_ALLOWLIST' ? { ...shown, value: inEntries(controls.current().allowlist.length) } : shown,
  );

/** For the owner: every setting, with what is in force where it can be changed while we run. */
export function shownSettings(config: Config, controls: Controls) {
  const [named, inForce] = [maskedSettings(config), shownControls(controls)];
  return settingsTable().flatMap(({ name, about, feature }) => {
    const found = inForce.find((row) => row.name === name) ?? named.find((row) => row.name === name);
    return found === undefined ? [] : [{ name, value: found.value, source: found.source, about, feature }];
  });
}
