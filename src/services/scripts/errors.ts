// Every refusal of the script worker: one stable code, its status, and the words used when nothing more exact is known.

import { defineErrors } from '../../http/errors.ts';

export const SCRIPTS_ERRORS = defineErrors({
  // The kit's own name for a body that is no JSON; the routes of this service say INVALID_BODY.
  INVALID_JSON: { status: 400, message: 'the body is not valid JSON; send one JSON object' },
  INVALID_BODY: { status: 400, message: 'the body is not a JSON object; send one' },
  MISSING_FIELD: { status: 400, message: 'a field is missing; add it' },
  INVALID_FIELD: { status: 400, message: 'a field has a value it cannot have; correct it' },
  UNKNOWN_FIELDS: { status: 400, message: 'the body has fields that are not known here; remove them' },
  SCRIPT_ERROR: { status: 400, message: 'the script has errors; the diagnostics tell where' },
  INVALID_TIER: { status: 400, message: 'there is no such tier; use free, hobby, pro, team or enterprise' },
  INVALID_SYMBOL: { status: 400, message: 'there is no such market; use a symbol such as BTCUSDT' },
  INVALID_INTERVAL: { status: 400, message: 'there is no such interval; use one such as 1m, 4h or 1d' },
  INVALID_ACTION: { status: 400, message: 'there is no such action; use action=create or action=validate' },
  NO_CLIENT_ID: { status: 400, message: 'no OAuth client id is set; send clientId, or let the operator set one' },
  NO_KEY: { status: 401, message: 'a key is needed; send it as Authorization: Bearer <key>' },
  INVALID_KEY: { status: 401, message: 'this key is not known' },
  UNAUTHORIZED: { status: 401, message: 'a key is needed; send it as Authorization: Bearer <key>' },
  FORBIDDEN: { status: 403, message: 'keys are made with the admin token only; set ADMIN_TOKEN and send it' },
  NOT_FOUND: { status: 404, message: 'there is nothing here; /docs lists every endpoint' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'this method is not allowed here' },
  TIMEOUT: { status: 408, message: 'the script took too long and was stopped; shorten its loops or send fewer bars' },
  CONFLICT: { status: 409, message: 'the script was changed meanwhile; read it again' },
  DUPLICATE_DEPLOYMENT: { status: 409, message: 'this was deployed before, under the same idempotencyKey' },
  DEPLOYMENTS_FULL: { status: 409, message: 'there are too many deployments already; remove one first' },
  RUNS_FULL: { status: 409, message: 'all runs that are kept have a note; remove one first' },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'the body is too large; send a smaller one' },
  TOO_MANY_BARS: { status: 413, message: 'these are too many bars; send fewer' },
  SCRIPT_TOO_LARGE: { status: 413, message: 'the script is too long; shorten it' },
  LIBRARY_FULL: { status: 413, message: 'the library is full; delete scripts that are no longer needed' },
  BARS_NOT_ARCHIVED: { status: 422, message: 'the archive has too few bars of this market; send them as data' },
  UNKNOWN_SYMBOL: { status: 422, message: 'there is no such market; use a symbol such as BTCUSDT' },
  RUNTIME_ERROR: { status: 422, message: 'the script ended with an error of its own' },
  MEMORY_LIMIT: { status: 422, message: 'the script needs too much memory; keep fewer values or send fewer bars' },
  RATE_LIMITED: { status: 429, message: 'too many calls; slow down' },
  RATE_LIMIT: { status: 429, message: 'too many runs; wait until the minute is over' },
  TOO_MANY_SUBSCRIPTIONS: { status: 429, message: 'this connection follows enough markets; let go of one first' },
  BUSY: { status: 429, message: 'too many scripts wait already; try again in a moment' },
  INTERNAL: { status: 500, message: 'internal error; the log has the details under the id in X-Request-Id' },
  OAUTH_UPSTREAM: { status: 502, message: 'the code host did not answer as it should; try again in a moment' },
  MARKET_DATA_UNREACHABLE: { status: 502, message: 'the source of prices does not answer; try again in a moment' },
  API_KEYS_REQUIRED: { status: 503, message: 'no key store is bound; the operator has to set API_KEYS' },
  UNAVAILABLE: { status: 503, message: 'this cannot be served just now; try again in a moment' },
  STOPPING: { status: 503, message: 'Signalbox is about to stop; try again after its start' },
});

export type ScriptsErrorCode = keyof typeof SCRIPTS_ERRORS;
