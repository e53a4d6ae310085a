// Faults that are aimed at the moments in which an order can be doubled or lost: chance alone meets them too seldom.
//
// | what                                                        | breaks where                                                  |
// |-------------------------------------------------------------|---------------------------------------------------------------|
// | an order is handed in twice, and only the second is answered | "there is such an order already" is taken for a refusal       |
// | it is taken, and what became of it cannot be read           | "too many requests" of that read is taken for "it was not sent" |
// | the process dies while the order is on its way              | the order has left before it was on disk                      |
// | a stop is taken back for an exit, then the venue is silent   | a share is without its stop, and nobody is told                |

import type { Fault, FaultMatch } from '../emulated-venues/faults.ts';
import type { ChaosAccount } from './chaos-accounts.ts';

export const AIMS = ['twice', 'unreadable', 'killed', 'silenced'] as const;
export type Aim = (typeof AIMS)[number];

const TOO_MANY: Fault = {
  type: 'answer',
  when: 'before',
  reply: { words: 'too-many-requests', status: 429, retryAfterS: 1 },
};
/** In real time: longer than it takes to kill a process. */
const ANSWER_DELAY_MS = 400;
const EVENTS_OF_AN_ORDER = 6;

/** To be followed by an order of this account; what the other one asks is not meant. */
export function planAim(aim: Aim, { faults, row, credentials }: ChaosAccount): void {
  const own = (match: FaultMatch): FaultMatch => ({ ...match, apiKey: credentials.apiKey });
  switch (aim) {
    case 'twice':
      faults.plan(own(row.orders), { type: 'twice' });
      return;
    case 'unreadable':
      // Where the stream tells the fills nobody reads them.
      faults.loseEvents += EVENTS_OF_AN_ORDER;
      faults.plan(own(row.fills), TOO_MANY);
      faults.plan(own(row.order), TOO_MANY);
      return;
    case 'killed':
      faults.plan(own(row.orders), { type: 'delay', when: 'after', delayMs: ANSWER_DELAY_MS });
      return;
    case 'silenced':
      faults.changeAnswer(own(row.cancels), (text) => {
        faults.dropBefore({}, Number.POSITIVE_INFINITY);
        return text;
      });
  }
}

/** How many orders of the account have reached its venue. */
export const arrivedOrders = ({ requests, row, credentials }: ChaosAccount): number =>
  requests.filter(
    ({ method, path, headers }) =>
      method === row.orders.method && path === row.orders.path && Object.values(headers).includes(credentials.apiKey),
  ).length;
