// The kill switch is thrown through any of the processes while signals come, and lifted through any of them; in half of the cases
// something else goes wrong while it is on.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../random.ts';
import type { Deployment, Fault } from './form.ts';
import type { SwitchHistory } from './switch-history.ts';

const PATH = '/admin/kill-switch';
const LONGEST_MS = 500;
const BETWEEN_TRIES_MS = 100;

export function killSwitchFault(form: Deployment, history: SwitchHistory): Fault {
  /** Whoever gets no answer asks again: it may be on by then, or not. */
  const set = async (value: object, random: Random): Promise<void> => {
    while (!(await form.set(PATH, value, random))) await sleep(BETWEEN_TRIES_MS);
  };
  return {
    name: 'kill switch',
    // Most senders wait for the end of it; those who do not are refused.
    isOutage: true,
    weight: 2,
    async strike(random) {
      const scope = random.of(['all', 'entries'] as const);
      history.asked(scope);
      await set({ active: true, scope }, random);
      history.on();
      await sleep(random.between(50, LONGEST_MS));
      const other = random.chance(50) ? await random.of(form.faults as [Fault]).strike(random) : 'nothing else';
      await sleep(random.between(50, LONGEST_MS));
      history.lifted();
      await set({ active: false }, random);
      history.off();
      return `kill switch (${scope}) thrown and lifted, and meanwhile ${other}`;
    },
  };
}
