// The door of the deployments: everything that others use of them.

export { type BarOrigin, BarSources, type BarSourcesParts, barsInWords, ownBarsName } from './bar-sources.ts';
export {
  type Deployment,
  type DeploymentEvent,
  type DeploymentMode,
  type DeploymentState,
  KEPT_EVENTS,
  KEPT_LOGS,
  KEPT_QUIET_RUNS,
  type LogEntry,
  MAX_IN_ALL,
  MAX_PER_USER,
  MAX_TARGETS,
  type Target,
} from './deployment.ts';
export type {
  BarOutcome,
  Created,
  CurrentDeployment,
  Delivery,
  DeploymentStore,
  TickOutcome,
} from './deployment-store.ts';
export { createDeployments, type Deployments, type DeploymentsOptions, type StillHolds } from './deployments.ts';
export { tradeNameOf } from './event-id.ts';
export type { Held } from './held-position.ts';
export { logLineSchema, logView } from './log-contract.ts';
export { createDeploymentOperator, type DeploymentOperator, type HeldDeployment } from './operator.ts';
export { KEPT_OPINIONS, type Opinion, type OpinionCounts } from './opinions/opinion.ts';
export { opinionSettings, opinionsFields, opinionsView, opinionTargetFields } from './opinions/opinion-contract.ts';
export type { OpinionStore, Said, Sight } from './opinions/opinion-store.ts';
export type {
  AlertArrival,
  AlertArrivals,
  AlertSender,
  BarSource,
  DeploymentRunner,
  MarketBar,
  MarketBars,
  MarketInfo,
  MarketListener,
  OrderRules,
  ScriptSource,
  StrategyBooks,
  Timers,
} from './ports.ts';
export { createAlertSender, SIGNAL_TYPE, type TradePort, type WebhookPort } from './targets.ts';
export type { KeyAccounts, TradedAccount } from './traded-accounts.ts';
export type { Declined } from './trial-run.ts';
