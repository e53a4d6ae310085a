// The pages there are, as the rail, the palette and the phone's bar list them.

import type { ComponentType } from 'preact';
import { Overview } from '../pages/overview/overview.tsx';
import { lazy } from '../ui/lazy.tsx';
import type { Place } from '../ui/places.ts';
import { OpenOrdersCount, PositionsCount } from './rail-counts.tsx';

export type View = ComponentType<{ readonly place: Place }>;

export interface Page {
  /** Its word behind the hash. */
  readonly word: string;
  readonly title: string;
  readonly section?: string;
  /** Whether the phone's bar has it; the others are behind "More". */
  readonly isOnPhone?: boolean;
  /** Beside its name in the rail. */
  readonly count?: ComponentType;
  readonly view: View;
}

const TRADING = 'Trading';
const SCRIPTS = 'Scripts';
const SET_UP = 'Set up';

const chart = async (): Promise<View> => (await import('../pages/chart/chart-page.tsx')).ChartPage;
const signals = async (): Promise<View> => (await import('../pages/signals/signals.tsx')).Signals;
const trades = async (): Promise<View> => (await import('../pages/trades/trades.tsx')).Trades;
const positions = async (): Promise<View> => (await import('../pages/positions/positions.tsx')).Positions;
const performance = async (): Promise<View> => (await import('../pages/performance/performance.tsx')).PerformancePage;
const library = async (): Promise<View> => (await import('../pages/library/library.tsx')).Library;
const deployments = async (): Promise<View> => (await import('../pages/deployments/deployments.tsx')).Deployments;
const alerts = async (): Promise<View> => (await import('../pages/alerts/alerts.tsx')).Alerts;
const accounts = async (): Promise<View> => (await import('../pages/accounts/accounts.tsx')).Accounts;
const limits = async (): Promise<View> => (await import('../pages/limits/limits.tsx')).Limits;
const wallet = async (): Promise<View> => (await import('../pages/wallet/wallet.tsx')).WalletPage;
const agent = async (): Promise<View> => (await import('../pages/agent/agent.tsx')).AgentPage;
const data = async (): Promise<View> => (await import('../pages/data/data.tsx')).Data;
const settings = async (): Promise<View> => (await import('../pages/settings/settings.tsx')).Settings;
const guides = async (): Promise<View> => (await import('../pages/guides/guides.tsx')).Guides;
const access = async (): Promise<View> => (await import('../pages/access/access.tsx')).Access;

export const PAGES: readonly Page[] = [
  { word: 'overview', title: 'Overview', isOnPhone: true, view: Overview },
  { word: 'chart', title: 'Chart', isOnPhone: true, view: lazy(chart) },
  { word: 'signals', title: 'Signals', section: TRADING, isOnPhone: true, view: lazy(signals) },
  { word: 'trades', title: 'Trades & orders', section: TRADING, count: OpenOrdersCount, view: lazy(trades) },
  {
    ...{ word: 'positions', title: 'Positions', section: TRADING, isOnPhone: true, count: PositionsCount },
    view: lazy(positions),
  },
  { word: 'performance', title: 'Performance', section: TRADING, view: lazy(performance) },
  { word: 'library', title: 'Library', section: SCRIPTS, view: lazy(library) },
  { word: 'deployments', title: 'Deployments', section: SCRIPTS, view: lazy(deployments) },
  { word: 'alerts', title: 'Alerts & keys', section: SET_UP, view: lazy(alerts) },
  { word: 'accounts', title: 'Accounts', section: SET_UP, view: lazy(accounts) },
  { word: 'limits', title: 'Limits', section: SET_UP, view: lazy(limits) },
  { word: 'wallet', title: 'Wallet', section: SET_UP, view: lazy(wallet) },
  { word: 'agent', title: 'Agent', section: SET_UP, view: lazy(agent) },
  { word: 'data', title: 'Data', section: SET_UP, view: lazy(data) },
  { word: 'settings', title: 'Settings', section: SET_UP, view: lazy(settings) },
  { word: 'access', title: 'Access', section: SET_UP, view: lazy(access) },
  { word: 'guides', title: 'Guides', section: SET_UP, view: lazy(guides) },
];
