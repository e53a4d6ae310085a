// The settings that the script process gets: those of its own services, and none of the secrets that trade, spend or ask models.

import { type Config, settingsTable } from '../config.ts';
import { EXCHANGES } from '../exchanges/exchange.ts';
import type { RealVenue } from './market.ts';

const NEEDED = [
  ...(['services', 'environment', 'baseUrl', 'dataDir', 'logLevel', 'drainTimeoutMs', 'trustedProxies'] as const),
  ...(['internalToken', 'adminToken', 'allowedOrigins', 'redisUrl', 'analysis', 'scripts'] as const),
  ...(['marketData', 'marketSeed', 'simulatedSymbols', 'marketDataUrls', 'liveBars'] as const),
] as const satisfies readonly (keyof Config)[];

export type ScriptConfig = Pick<Config, (typeof NEEDED)[number]> & {
  /** The chats of the bot, which the trading process has; undefined where there is none. */
  readonly chats: Pick<Config['telegram'], 'defaultChat' | 'allowedChats'> | undefined;
  /** The exchanges that are not on paper, each in the most that its accounts may do. */
  readonly realVenues: readonly RealVenue[];
  /** Whether its rows are in PostgreSQL. It asks for the address, which is its own, when it opens that. */
  readonly isOnPostgres: boolean;
};

export function scriptConfigOf(config: Config): ScriptConfig {
  const needed = Object.fromEntries(NEEDED.map((name) => [name, config[name]])) as Pick<
    Config,
    (typeof NEEDED)[number]
  >;
  const { token, defaultChat, allowedChats } = config.telegram;
  const realVenues = EXCHANGES.flatMap((exchange): RealVenue[] => {
    const { mode, baseUrl } = config.venues[exchange];
    return mode === 'paper' ? [] : [{ exchange, mode, baseUrl }];
  });
  return {
    ...needed,
    realVenues,
    chats: token === undefined ? undefined : { defaultChat, allowedChats },
    isOnPostgres: config.databaseUrl !== undefined,
  };
}

/** An environment without the secrets among the settings. */
export function withoutSecrets(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const secret = new Set(settingsTable().flatMap((setting) => (setting.secret ? [setting.name] : [])));
  return Object.fromEntries(Object.entries(env).filter(([name]) => !secret.has(name)));
}
