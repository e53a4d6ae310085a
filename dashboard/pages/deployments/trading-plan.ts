// A dry run as a deployment that trades: all of its settings and targets, with the key that is needed to trade, in its place.

import type { Deployment, NewDeployment } from '../../server/deployments.ts';

type Target = Deployment['targets'][number];
type WantedTarget = NewDeployment['targets'][number];

export interface TradingPlan {
  readonly plan: NewDeployment;
  /** Targets that cannot be taken along, in words: nobody can show their secrets. */
  readonly leftOut: readonly string[];
}

export function tradingPlan(deployment: Deployment, apiKey: string): TradingPlan {
  const { scriptId, revision, name, symbol, interval, inputs, orderMessage, initialCapital } = deployment;
  const targets = deployment.targets.map((target) => wanted(target, apiKey));
  return {
    plan: {
      ...{ scriptId, revision, name, symbol, interval, inputs, mode: 'trade', replaces: deployment.id },
      targets: targets.filter((target) => typeof target !== 'string'),
      ...(orderMessage !== null && { orderMessage }),
      ...(initialCapital !== null && { initialCapital }),
    },
    leftOut: targets.filter((target) => typeof target === 'string'),
  };
}

/** Whether orders go out to an account: of what trades, or sends what TradingView has missed. */
export const isSending = ({ type, sendMissing }: Target): boolean =>
  type === 'trade' || (type === 'second-opinion' && sendMissing === true);

/** The target that needs the key. */
export const sendingTarget = ({ targets }: Pick<Deployment, 'targets'>): Target | undefined => targets.find(isSending);

/** As it is asked for, or words where that cannot be. */
function wanted(target: Target, apiKey: string): WantedTarget | string {
  const { type, url, body, chatId, signalType, exchange, strategy } = target;
  const given = (fields: Readonly<Record<string, unknown>>): object =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null));
  if (type === 'trade') return { type, apiKey, ...given({ exchange, strategy }) } as WantedTarget;
  if (type === 'second-opinion') {
    const { keyId: _, keyLabel: __, ...settings } = target;
    return { ...settings, apiKey } as WantedTarget;
  }
  if (type === 'telegram') return { type, ...given({ chatId }) } as WantedTarget;
  if (type === 'signals') return { type, ...given({ signalType }) } as WantedTarget;
  if (type !== 'webhook') return `its ${type}`;
  return target.signed === true
    ? `its signed web address ${String(url)}`
    : ({ type, url, ...given({ body }) } as WantedTarget);
}
