// A deployment is made once, however often it is pressed: two that trade the same would trade twice.

import { useRef } from 'preact/hooks';
import { ask } from '../../server/ask.ts';
import { DEPLOYMENTS, type Deployment, deploy, type NewDeployment } from '../../server/deployments.ts';

/** One whose answer was lost is looked for before another is made. */
export function useDeployOnce(scriptKey: string): (plan: NewDeployment) => Promise<Deployment> {
  const before = useRef<ReadonlySet<string>>(undefined);
  const tried = useRef<string>(undefined);
  const list = async () =>
    (await ask<{ deployments: readonly Deployment[] }>(DEPLOYMENTS, { key: scriptKey })).deployments;
  return async (plan) => {
    const now = await list();
    before.current ??= new Set(now.map(({ id }) => id));
    const known = before.current;
    const made = now.find((each) => !known.has(each.id) && isOf(plan, each));
    const wanted = JSON.stringify(plan);
    if (made !== undefined && tried.current !== wanted)
      throw new Error(
        'It was deployed already, with what stood here before. Leave this, and look at it under Deployments.',
      );
    tried.current = wanted;
    return made ?? (await deploy(scriptKey, plan)).deployment;
  };
}

const isOf = (plan: NewDeployment, { scriptId, symbol, interval, mode }: Deployment): boolean =>
  scriptId === plan.scriptId &&
  symbol.toUpperCase() === plan.symbol.toUpperCase() &&
  interval === plan.interval &&
  mode === plan.mode;
