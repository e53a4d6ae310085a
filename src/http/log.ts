// The log: one JSON line per event, written in the background, with every secret masked before it leaves the process.
import { pino } from 'pino';
import { maskSecrets } from './mask-secrets.ts';
import { redactFields } from './redact.ts';
import { createStandardOutput, type LogDestination } from './standard-output.ts';

export { maskSecrets } from './mask-secrets.ts';
export type { LogDestination } from './standard-output.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** Prepares the access line of a path: written at level info for every request, so it is put together by hand. */
  access(service: string, method: string, path: string): AccessLine;
  /** Every later line carries these fields too. */
  child(fields: object): Log;
  /** Writes what is buffered. Lines after it are dropped. */
  close(): Promise<void>;
}

export type AccessLine = (status: number, ms: number, requestId: string, clientAddress: string) => void;

export interface LogOptions {
  level: LogLevel;
  name: string;
  /** Standard output when left out. */
  destination?: LogDestination;
}

/** A path may be as long as a request line; nobody needs more of it in a log. */
const MAX_PATH_CHARS = 256;

const NOWHERE: LogDestination = { write: () => {}, close: async () => {} };

export function createLog({
  level,
  name,
  destination = level === 'silent' ? NOWHERE : createStandardOutput(),
}: LogOptions): Log {
  let closed = false;
  const write = (line: string): void => {
    if (!closed) destination.write(line);
  };
  const logger = pino(
    {
      level,
      base: { name },
      serializers: { err: (value: unknown) => value },
      formatters: { level: (label) => ({ level: label }), bindings: redactFields, log: redactFields },
    },
    { write: (line: string) => write(maskSecrets(line)) },
  );
  const close = async (): Promise<void> => {
    if (closed) return;
    closed = true;
    await destination.close?.();
  };
  const access = logger.isLevelEnabled('info') ? prepareAccess(name, write) : () => () => {};
  return wrap(logger, access, close);
}

function prepareAccess(name: string, write: (line: string) => void): Log['access'] {
  const nameField = JSON.stringify(name);
  return (service, method, path) => {
    // The caller chooses method and path: they are bounded, masked and encoded here, once.
    const chosen = `"method":${JSON.stringify(method)},"path":${JSON.stringify(maskSecrets(path.slice(0, MAX_PATH_CHARS)))}`;
    const head = `,"name":${nameField},"service":${JSON.stringify(service)},${chosen},"status":`;
    // The rest are our own id, numbers, and an address in canonical form: nothing in them needs encoding.
    return (status, ms, requestId, clientAddress) =>
      write(
        `{"level":"info","time":${Date.now()}${head}${status},"ms":${ms},"requestId":"${requestId}","clientAddress":"${clientAddress}","msg":"request"}\n`,
      );
  };
}

function wrap(logger: pino.Logger, access: Log['access'], close: () => Promise<void>): Log {
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    access,
    child: (fields) => wrap(logger.child(redactFields(fields)), access, close),
    close,
  };
}
