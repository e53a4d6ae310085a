// Puts the gateway's endpoints on an app and names the doors that may take the fast road.

import type { App } from '../../http/app.ts';
import { type MountedDoor, mountDoor } from '../../http/door.ts';
import { type InternalGate, requireInternal } from '../../http/internal-auth.ts';
import { type AdminDeps, mountAdmin } from './admin.ts';
import { type AgentDeps, mountAgent } from './agent.ts';
import { createEmailDoor } from './email-signal.ts';
import { mountQuery, type QueryDeps } from './query.ts';
import { readSignal } from './read-signal.ts';
import { readTradingview } from './read-tradingview.ts';
import { mountSignals, type SignalsDeps } from './signals.ts';
import { mountTrades, type TradesDeps } from './trades.ts';
import { mountTrailingStops, type TrailingStopDeps } from './trailing-stops.ts';
import { mountWallet, type WalletDeps } from './wallet.ts';
import { createWebhookDoor, WEBHOOK_BODY_LIMIT, type WebhookDeps } from './webhook.ts';

export { AGENT_ROUTES } from './agent-routes.ts';
export { GATEWAY_ERRORS, gatewayShape } from './errors.ts';
export { GATEWAY_ROUTES } from './routes.ts';
export { errorSchema } from './schemas.ts';
export { WALLET_ROUTES } from './wallet-routes.ts';

/**
 * For the owner alone, with everything below them. What is not built yet stands here too: a stranger must not learn
 * from a 404 what this release has. Hono also takes `/trades/*` for `/trades` itself.
 */
export const INTERNAL_PATHS = [
  ...['/wallet', '/agent', '/email-signal', '/query', '/signals'],
  ...['/trades', '/positions', '/admin'],
];

export interface GatewayDeps {
  readonly webhook: WebhookDeps;
  readonly signals: SignalsDeps;
  readonly trades: TradesDeps;
  readonly query: QueryDeps;
  readonly admin: AdminDeps;
  readonly agent?: AgentDeps;
  readonly wallet?: WalletDeps;
  readonly trailingStops?: TrailingStopDeps | undefined;
  readonly gate: InternalGate;
}

export function mountGateway(app: App, deps: GatewayDeps): readonly MountedDoor[] {
  const inside = requireInternal(deps.gate);
  for (const path of INTERNAL_PATHS) app.use(`${path}/*`, inside);
  mountSignals(app, deps.signals);
  mountTrades(app, deps.trades);
  mountQuery(app, deps.query);
  mountAdmin(app, deps.admin);
  if (deps.agent) mountAgent(app, deps.agent);
  if (deps.wallet) mountWallet(app, deps.wallet);
  if (deps.trailingStops) mountTrailingStops(app, deps.trailingStops);
  const limit = { limitBytes: WEBHOOK_BODY_LIMIT };
  // Not among the doors of the fast road: those do not ask for the token.
  mountDoor(app, '/email-signal', createEmailDoor(deps.webhook), limit);
  return [
    mountDoor(app, '/webhook', createWebhookDoor(deps.webhook, 'webhook', readSignal), limit),
    mountDoor(app, '/webhook/tradingview', createWebhookDoor(deps.webhook, 'tradingview', readTradingview), limit),
  ];
}
