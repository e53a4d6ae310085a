// Puts the gateway's endpoints on an app and names the doors that may take the fast road.

import type { App } from '../../http/app.ts';
import { type MountedDoor, mountDoor } from '../../http/door.ts';
import { type InternalGate, requireInternal } from '../../http/internal-auth.ts';
import { type AdminDeps, mountAdmin } from './admin.ts';
import { readSignal } from './read-signal.ts';
import { readTradingview } from './read-tradingview.ts';
import { mountTrades, type TradesDeps } from './trades.ts';
import { createWebhookDoor, WEBHOOK_BODY_LIMIT, type WebhookDeps } from './webhook.ts';

export { GATEWAY_ERRORS, gatewayShape } from './errors.ts';
export { GATEWAY_ROUTES } from './routes.ts';
export { errorSchema } from './schemas.ts';

export interface GatewayDeps {
  readonly webhook: WebhookDeps;
  readonly trades: TradesDeps;
  readonly admin: AdminDeps;
  readonly gate: InternalGate;
}

export function mountGateway(app: App, deps: GatewayDeps): readonly MountedDoor[] {
  const inside = requireInternal(deps.gate);
  for (const path of ['/trades', '/trades/*', '/positions', '/admin/*']) app.use(path, inside);
  mountTrades(app, deps.trades);
  mountAdmin(app, deps.admin);
  const limit = { limitBytes: WEBHOOK_BODY_LIMIT };
  return [
    mountDoor(app, '/webhook', createWebhookDoor(deps.webhook, 'webhook', readSignal), limit),
    mountDoor(app, '/webhook/tradingview', createWebhookDoor(deps.webhook, 'tradingview', readTradingview), limit),
  ];
}
