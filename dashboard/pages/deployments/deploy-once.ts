// A deployment is made once, however often it is pressed or its dialog is opened: two that trade the same would trade twice.

import { useRef } from 'preact/hooks';
import { SLOW_WITHIN_MS } from '../../server/ask.ts';
import { DEPLOYMENTS, type Deployment, type NewDeployment } from '../../server/deployments.ts';
import { DoneBefore, SendOnce } from '../../server/send-once.ts';

const MADE_OTHERWISE =
  'It was deployed already, with what stood here before. Leave this, and look at it under Deployments.';

/** Resolves with the id of what was made, by this try or by one whose answer was lost. */
export function useDeployOnce(key: string): (plan: NewDeployment) => Promise<string> {
  const once = useRef(new SendOnce());
  return async (plan) => {
    try {
      const withinMs = SLOW_WITHIN_MS;
      const sent = once.current.post<{ deployment: Deployment }>(DEPLOYMENTS, plan, { key, withinMs });
      return (await sent).deployment.id;
    } catch (error) {
      if (!(error instanceof DoneBefore)) throw error;
      if (error.isOther) throw new Error(MADE_OTHERWISE);
      return (error.answer as { deploymentId: string }).deploymentId;
    }
  };
}
