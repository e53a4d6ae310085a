// Every refusal about the owner's way in, provoked at the front door, for the test of the error table.

import { MAX_LAYOUTS } from '../../src/library/layouts.ts';
import type { GatewayErrorCode } from '../../src/services/gateway/errors.ts';
import type { Sent, TestGateway } from '../support/gateway.ts';

export const PASSWORD = 'tall green river stones';
const LAYOUT = { symbol: 'BTCUSDT', timeframe: '1h', scripts: [] };

export async function setPassword(gateway: TestGateway, password = PASSWORD): Promise<void> {
  const { body } = await gateway.request('PUT', '/session/password', { password });
  if (!body.success) throw new Error(body.error);
}

export const ACCESS_PROVOCATIONS = {
  LOGIN_FAILED: (gateway) => gateway.request('POST', '/session', { password: PASSWORD }),
  CODE_NEEDED: async (gateway) => {
    await setPassword(gateway);
    const password = await gateway.settings.access.password();
    const totp = { secret: 'MZXW6YTB', lastStep: 0, recoveryDigests: [] };
    await gateway.settings.access.change((rows) => rows.putPassword({ hash: password?.hash ?? '', totp }));
    return gateway.request('POST', '/session', { password: PASSWORD });
  },
  CODES_SEALED: async (gateway) => {
    await setPassword(gateway);
    const { hash = '' } = (await gateway.settings.access.password()) ?? {};
    const totp = { secret: 'sealed1.15.8.1.x.x.x', lastStep: 0, recoveryDigests: [] };
    await gateway.settings.access.change((rows) => rows.putPassword({ hash, totp }));
    return gateway.request('POST', '/session', { password: PASSWORD, code: '123456' });
  },
  LAYOUT_NOT_FOUND: (gateway) => gateway.request('GET', '/admin/layouts/layout/nothing'),
  LAYOUT_CONFLICT: (gateway) => gateway.request('PUT', '/admin/layouts/layout/x', { content: LAYOUT, revision: 3 }),
  TOO_MANY_LAYOUTS: async (gateway) => {
    let sent: Sent | undefined;
    for (let number = 0; number <= MAX_LAYOUTS; number++)
      sent = await gateway.request('PUT', `/admin/layouts/layout/${number}`, { content: LAYOUT });
    return sent as Sent;
  },
  FOREIGN_PAGE: (gateway) =>
    gateway.request('POST', '/session', { password: PASSWORD }, { headers: { origin: 'https://evil.example' } }),
  SESSION_NOT_FOUND: (gateway) => gateway.request('DELETE', '/sessions/nobody'),
  NO_PASSWORD: (gateway) => gateway.request('POST', '/session/totp', { password: PASSWORD }),
  TOTP_CONFLICT: (gateway) => gateway.request('PUT', '/session/totp', { code: '123456' }),
  PASSWORD_TOO_WEAK: (gateway) => gateway.request('PUT', '/session/password', { password: 'short' }),
  TOO_MANY_LOGINS: async (gateway) => {
    const asked = Array.from({ length: 20 }, () => gateway.request('POST', '/session', { password: 'wrong' }));
    return (await Promise.all(asked)).find(({ status }) => status === 429) as Sent;
  },
} satisfies Partial<Record<GatewayErrorCode, (gateway: TestGateway) => Promise<Sent>>>;
