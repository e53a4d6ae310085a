// The parts of the fuzzer by their names, each loaded when it is asked for: some start the whole program.

import type { FuzzPart } from './fuzz-part.ts';

export const PARTS = {
  http: async (): Promise<FuzzPart> => (await import('./http-part.ts')).openHttpPart(),
  socket: async (): Promise<FuzzPart> => (await import('./socket-part.ts')).openSocketPart(),
  ws: async (): Promise<FuzzPart> => (await import('./ws-part.ts')).openWsPart(),
  standby: async (): Promise<FuzzPart> => (await import('./standby-part.ts')).openStandbyPart(),
  sql: async (): Promise<FuzzPart> => (await import('./sql-part.ts')).openSqlPart(),
  mail: async (): Promise<FuzzPart> => (await import('./mail-part.ts')).openMailPart(),
  pine: async (): Promise<FuzzPart> => (await import('./pine-parts.ts')).openPinePart(),
  broker: async (): Promise<FuzzPart> => (await import('./pine-parts.ts')).openBrokerPart(),
} as const;

export type PartName = keyof typeof PARTS;

export const isPartName = (name: string): name is PartName => Object.hasOwn(PARTS, name);

/** Of a million inputs, how many each part gets: by what it costs and by who can reach it. */
export const SHARES: Readonly<Record<PartName, number>> = {
  http: 0.25,
  socket: 0.1,
  standby: 0.05,
  ws: 0.2,
  sql: 0.15,
  mail: 0.2,
  pine: 0.03,
  broker: 0.02,
};
