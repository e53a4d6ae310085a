// A deployment in the place of a dry run, through the front door: one step, one log, and nothing lost where it is refused.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { MINUTE_MS } from '../../library/deployments/testing/hand-market.ts';
import { openTestSetup, type TestSetup } from '../../library/deployments/testing/open-test-setup.ts';
import { BOBS_KEY, openDeployments, type Send, type Sent, WANTED, WEBHOOK_KEY } from './testing/open-deployments.ts';

let setup: TestSetup;
let send: Send;
beforeEach(() => {
  setup = openTestSetup(1100);
  ({ send } = openDeployments(setup));
});
afterEach(() => setup.close());

const deploy = (more: object = {}) => send('POST', '/api/deployments', { ...WANTED, ...more });
const trade = { targets: [{ type: 'trade', apiKey: WEBHOOK_KEY, exchange: 'binance' }] };
const idOf = ({ body }: Sent): string => body.deployment.id;
const listed = async (): Promise<readonly string[]> =>
  (await send('GET', '/api/deployments')).body.deployments.map(({ id }) => id);
const logOf = async (id: string) => (await send('GET', `/api/deployments/${id}/logs`)).body.logs;

test('goes on with its log, and is the only one of the two', async () => {
  const dry = idOf(await deploy({ ...trade, mode: 'dry-run' }));
  await send('POST', `/api/deployments/${dry}/pause`);
  const live = await deploy({ ...trade, mode: 'trade', replaces: dry });
  expect(live.status).toBe(201);
  expect(await listed()).toEqual([idOf(live)]);
  const log = await logOf(idOf(live));
  expect(log.map(({ kind }) => kind)).toEqual(['created', 'paused', 'created']);
  expect(log[0]).toMatchObject({ message: expect.stringContaining('takes the place of a dry run') });
  expect((await send('GET', `/api/deployments/${dry}`)).status).toBe(404);
  expect((await deploy({ ...trade, mode: 'trade', replaces: dry })).status, 'once only').toBe(404);
  expect(await listed()).toEqual([idOf(live)]);
});

test('finds room where there is none for another', async () => {
  const dry = idOf(await deploy({ ...trade, mode: 'dry-run' }));
  for (let more = 1; more < 20; more++) {
    await setup.clock.advance(MINUTE_MS);
    expect((await deploy()).status).toBe(201);
  }
  await setup.clock.advance(MINUTE_MS);
  expect((await deploy()).body.code).toBe('DEPLOYMENTS_FULL');
  expect((await deploy({ ...trade, mode: 'trade', replaces: dry })).status).toBe(201);
  expect(await listed()).toHaveLength(20);
});

test('is refused, and nothing is lost, where that trades, is another’s, or the script does not work', async () => {
  const live = idOf(await deploy({ ...trade, mode: 'trade' }));
  const refused = await deploy({ ...trade, mode: 'trade', replaces: live });
  expect([refused.status, refused.body.code]).toEqual([409, 'CONFLICT']);
  expect(refused.body.message).toContain('it trades already');
  const dry = idOf(await deploy({ ...trade, mode: 'dry-run' }));
  const theirs = await send('POST', '/api/deployments', { ...WANTED, replaces: dry }, BOBS_KEY);
  expect([theirs.status, theirs.body.code]).toEqual([404, 'NOT_FOUND']);
  expect(theirs.body.message).toContain('no such deployment');
  expect((await deploy({ ...trade, scriptId: 'none', replaces: dry })).status).toBe(404);
  expect(await listed()).toEqual([dry, live]);
  expect(await logOf(dry)).toHaveLength(1);
});

test('awaits TradingView’s alerts under the name that they have', async () => {
  const opinion = { type: 'second-opinion', apiKey: WEBHOOK_KEY, exchange: 'binance', sendMissing: true };
  const dry = idOf(await deploy({ targets: [opinion], mode: 'dry-run' }));
  const live = await deploy({ targets: [opinion], mode: 'trade', replaces: dry });
  expect(live.body.deployment.targets).toMatchObject([{ type: 'second-opinion', alertName: dry.slice(-12) }]);
});
