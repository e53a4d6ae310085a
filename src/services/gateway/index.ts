// Puts the gateway's endpoints on an app.

import type { App } from '../../http/app.ts';
import type { Endpoint } from '../../http/endpoint.ts';
import { type InternalGate, internalGates } from '../../http/internal-auth.ts';
import type { Kit } from '../../http/kit.ts';
import { mountEndpoints } from '../../http/mount-endpoints.ts';
import { type AccountDeps, accountReportEndpoints } from './account.ts';
import { type AccountsDeps, accountEndpoints } from './accounts.ts';
import { type AdminDeps, adminEndpoints } from './admin.ts';
import { type KnownAccountDeps, knownAccountEndpoints } from './admin-accounts.ts';
import { type LayoutDeps, layoutEndpoints } from './admin-layouts.ts';
import { type AdminReachDeps, reachEndpoints } from './admin-reach.ts';
import { type AdminSettingsDeps, settingsEndpoints } from './admin-settings.ts';
import { type AgentDeps, agentEndpoints } from './agent.ts';
import type { KnownNames } from './check-names.ts';
import { type CheckDeps, checkEndpoint } from './check-signal.ts';
import { type ClosePositionsDeps, closePositionsEndpoints } from './close-positions.ts';
import { EMAIL_SENDER, emailEndpoints, readEmailAgain } from './email-signal.ts';
import { type EquityDeps, equityEndpoints } from './equity.ts';
import { type EventsDeps, eventEndpoints } from './events.ts';
import { type MarketsDeps, marketEndpoints } from './markets.ts';
import { type NotifierDeps, notifierEndpoints } from './notifiers.ts';
import { type TicketDeps, ticketEndpoint } from './order-ticket.ts';
import { type OrdersDeps, orderEndpoints } from './orders.ts';
import { type PerformanceDeps, performanceEndpoints } from './performance.ts';
import { drawdownEndpoint } from './performance-drawdown.ts';
import { type LatencyDeps, latencyEndpoint } from './performance-latency.ts';
import { type ClosedTradesDeps, closedTradeEndpoint } from './performance-trades.ts';
import { performanceTwinEndpoints, type TwinDeps } from './performance-twin.ts';
import { protectionEndpoints } from './protection.ts';
import { type QueryDeps, queryEndpoints } from './query.ts';
import { type ReconciliationDeps, reconciliationEndpoints } from './reconciliation.ts';
import { type RefusalsDeps, refusalEndpoints } from './refusals.ts';
import { withMemory } from './remember-refusals.ts';
import { type ResendDeps, resendEndpoint } from './resend-refusal.ts';
import { type SignalsDeps, signalEndpoints } from './signals.ts';
import { CHANGE_WORDS, CLOSE_WORDS, FOLDER_WORDS, withStorageWords } from './storage-refusal.ts';
import { type TradeNoteDeps, tradeNoteEndpoint } from './trade-notes.ts';
import { type TradesDeps, tradeEndpoints } from './trades.ts';
import { type TrailingStopDeps, trailingStopEndpoints } from './trailing-stops.ts';
import { type WalletDeps, walletEndpoints } from './wallet.ts';
import { readAgain, type WebhookDeps, webhookEndpoints } from './webhook.ts';

export { GATEWAY_ERRORS, gatewayShape } from './errors.ts';
export { errorSchema } from './schemas.ts';

export interface GatewayDeps {
  readonly webhook: WebhookDeps;
  readonly signals: SignalsDeps;
  readonly refusals: RefusalsDeps;
  /** Absent while nothing is traded. */
  readonly resend?: ResendDeps | undefined;
  /** Dry runs; absent while nothing is traded. */
  readonly check?: CheckDeps | undefined;
  /** Orders of the owner's own; absent while nothing is traded. */
  readonly ticket?: TicketDeps | undefined;
  readonly trades: TradesDeps;
  readonly tradeNotes: TradeNoteDeps;
  readonly events: EventsDeps;
  readonly orders: OrdersDeps;
  readonly closePositions: ClosePositionsDeps;
  readonly accounts: AccountsDeps;
  /** Undefined where nobody lists the markets. */
  readonly markets?: MarketsDeps | undefined;
  readonly account: AccountDeps;
  readonly performance: PerformanceDeps & TwinDeps & ClosedTradesDeps & LatencyDeps;
  readonly equity: EquityDeps;
  readonly reconciliation: ReconciliationDeps;
  readonly query: QueryDeps;
  readonly admin: AdminDeps;
  readonly layouts: LayoutDeps;
  readonly notifiers: NotifierDeps;
  /** Absent while nothing is traded. */
  readonly knownAccounts?: KnownAccountDeps | undefined;
  /** What only the whole process knows of itself. */
  readonly own?: AdminSettingsDeps & AdminReachDeps;
  readonly agent?: AgentDeps;
  readonly wallet?: WalletDeps;
  readonly trailingStops?: TrailingStopDeps | undefined;
  readonly gate: InternalGate;
}

export const gatewayEndpoints = (deps: GatewayDeps, { fail }: Kit): readonly Endpoint[] => [
  ...webhookEndpoints(deps.webhook).map((endpoint) =>
    withMemory(endpoint, deps.webhook.memory, {
      read: (body, symbols = deps.webhook.symbols) => readAgain(endpoint.path, body, symbols),
    }),
  ),
  ...emailEndpoints(deps.webhook).map((endpoint) =>
    withMemory(endpoint, deps.webhook.memory, {
      provedAs: EMAIL_SENDER,
      read: (body, symbols = deps.webhook.symbols) => readEmailAgain(body, symbols),
    }),
  ),
  withStorageWords(checkEndpoint(deps.check), deps.webhook.onFault),
  ...refusalEndpoints(deps.refusals),
  withStorageWords(resendEndpoint(deps.resend), deps.webhook.onFault),
  ...signalEndpoints(deps.signals),
  ...tradeEndpoints(deps.trades, namesOf(deps)).map((endpoint) => withStorageWords(endpoint, deps.webhook.onFault)),
  withStorageWords(tradeNoteEndpoint(deps.tradeNotes), deps.webhook.onFault, CHANGE_WORDS),
  ...eventEndpoints(deps.events).map((endpoint) => withStorageWords(endpoint, deps.webhook.onFault)),
  ...orderEndpoints(deps.orders, namesOf(deps)).map((endpoint) => withStorageWords(endpoint, deps.webhook.onFault)),
  withStorageWords(ticketEndpoint(deps.ticket), deps.webhook.onFault),
  ...closePositionsEndpoints(deps.closePositions).map((endpoint) =>
    withStorageWords(endpoint, deps.webhook.onFault, CLOSE_WORDS),
  ),
  ...accountEndpoints(deps.accounts),
  ...(deps.markets ? marketEndpoints(deps.markets) : []),
  ...[
    ...accountReportEndpoints(deps.account),
    ...performanceEndpoints(deps.performance),
    ...performanceTwinEndpoints(deps.performance),
    closedTradeEndpoint(deps.performance),
    drawdownEndpoint(deps.performance),
    latencyEndpoint(deps.performance),
    ...equityEndpoints(deps.equity),
  ].map((endpoint) => withStorageWords(endpoint, deps.webhook.onFault)),
  ...reconciliationEndpoints(deps.reconciliation),
  ...queryEndpoints(deps.query),
  ...(deps.trailingStops
    ? [...trailingStopEndpoints(deps.trailingStops), ...protectionEndpoints(deps.trailingStops)]
    : []),
  ...[
    ...adminEndpoints(deps.admin),
    ...layoutEndpoints(deps.layouts),
    ...notifierEndpoints(deps.notifiers),
    ...(deps.knownAccounts ? knownAccountEndpoints(deps.knownAccounts, deps.gate) : []),
    ...(deps.own ? [...settingsEndpoints(deps.own), ...reachEndpoints(deps.own)] : []),
  ].map((endpoint) =>
    withStorageWords(endpoint, deps.webhook.onFault, endpoint.method === 'get' ? FOLDER_WORDS : CHANGE_WORDS),
  ),
  ...(deps.agent ? agentEndpoints(deps.agent, fail) : []),
  ...(deps.wallet ? walletEndpoints(deps.wallet) : []),
];

const namesOf = ({ admin }: GatewayDeps): KnownNames => ({
  accounts: admin.accounts,
  keys: () => [...admin.keys.list(), EMAIL_SENDER],
});

export function mountGateway(app: App, deps: GatewayDeps): void {
  mountEndpoints(app, gatewayEndpoints(deps, app.kit), internalGates(deps.gate));
}
