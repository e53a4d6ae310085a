// Every refusal of the gateway: one stable code, its status, and the words used when nothing more exact is known.

import { defineErrors, type ErrorShape } from '../../http/errors.ts';
import { maskSecrets } from '../../http/mask-secrets.ts';

export const GATEWAY_ERRORS = defineErrors({
  INVALID_JSON: { status: 400, message: 'the body is not valid JSON; send one JSON object' },
  INVALID_PAYLOAD: { status: 400, message: 'the body does not have the expected fields' },
  INVALID_QUERY: { status: 400, message: 'a query parameter is not valid' },
  INVALID_KEY_REQUEST: { status: 400, message: 'the webhook key cannot be made this way' },
  INVALID_SQL: { status: 400, message: 'the SQL statement has a fault' },
  UNAUTHORIZED: { status: 401, message: 'this endpoint needs the internal token' },
  AUTHENTICATION_FAILED: { status: 403, message: 'apiKey is not known or was revoked' },
  KEY_OUT_OF_SCOPE: { status: 403, message: 'this key may not trade that market' },
  ADDRESS_BLOCKED: { status: 403, message: 'signals from this address are blocked' },
  STATEMENT_REFUSED: { status: 403, message: 'this SQL statement is not allowed' },
  WALLET_POLICY: { status: 403, message: 'the rules of the wallet do not allow this' },
  NOT_FOUND: { status: 404, message: 'there is nothing here; /docs lists every endpoint' },
  TRADE_NOT_FOUND: { status: 404, message: 'no trade has this request id' },
  KEY_NOT_FOUND: { status: 404, message: 'no webhook key has this id' },
  DEPLOYMENT_NOT_FOUND: { status: 404, message: 'no deployment has this id; GET /admin/deployments lists them' },
  STOP_NOT_FOUND: { status: 404, message: 'there is no such stop; GET /agent/trailing-stops lists them' },
  TRANSACTION_NOT_FOUND: { status: 404, message: 'this wallet sent no such transaction' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'this method is not allowed here' },
  QUERY_TIMEOUT: { status: 408, message: 'the query took too long and was stopped' },
  DUPLICATE_SIGNAL: { status: 409, message: 'this signal was already accepted' },
  DUPLICATE_TRANSACTION: { status: 409, message: 'this transaction was already asked for' },
  KEY_CONFLICT: { status: 409, message: 'the webhook key is not in a state for this' },
  SETTING_FROM_ENVIRONMENT: { status: 409, message: 'the environment sets this, so it is changed there' },
  STOP_CONFLICT: { status: 409, message: 'the position is not in a state for this' },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'the body is too large' },
  QUERY_TOO_LARGE: { status: 413, message: 'the query has too many results; add LIMIT' },
  OPPOSITE_POSITION: { status: 422, message: 'a limit order against the position that is held; close that one first' },
  STOP_WRONG_SIDE: { status: 422, message: 'a stop on the wrong side of the market would close the position at once' },
  UNKNOWN_ACCOUNT: { status: 422, message: 'the exchange has no account with this name; GET /accounts lists them' },
  UNKNOWN_SYMBOL: { status: 422, message: 'there is no such market; GET /markets lists them' },
  ORDER_REJECTED: { status: 422, message: 'the venue refused the order' },
  TRANSACTION_WOULD_REVERT: { status: 422, message: 'the transaction would fail; nothing was signed' },
  TRANSACTION_REFUSED: { status: 422, message: 'the network refused the transaction' },
  SWAP_REFUSED: { status: 422, message: 'no pool makes this swap within its bounds' },
  RATE_LIMITED: { status: 429, message: 'too many signals; slow down' },
  TOO_MANY_FAILED_AUTHENTICATIONS: { status: 429, message: 'too many wrong keys from this address' },
  AGENT_BUSY: { status: 429, message: 'too many questions are being answered; ask again in a few seconds' },
  QUERY_BUSY: { status: 429, message: 'too many queries at once; try again soon' },
  WALLET_BUSY: { status: 429, message: 'too many transactions are waiting; try again soon' },
  INTERNAL: { status: 500, message: 'internal error; the log has the details under this request id' },
  STORAGE_FAILED: { status: 500, message: 'the journal cannot be written; nothing was accepted' },
  STORAGE_UNKNOWN: { status: 500, message: 'the disk failed; whether the signal was accepted is not known' },
  VENUE_UNREACHABLE: { status: 500, message: 'the venue cannot be reached; nothing was sent' },
  AGENT_FAILED: { status: 502, message: 'no AI provider answered' },
  MARKET_DATA_UNREACHABLE: { status: 502, message: 'the source of prices does not answer; try again in a moment' },
  CHAIN_UNREACHABLE: { status: 502, message: 'no endpoint of the chain answers' },
  AGENT_NOT_CONFIGURED: { status: 503, message: 'no AI provider is configured' },
  WALLET_NOT_CONFIGURED: { status: 503, message: 'no signing key is configured' },
  CHAIN_NOT_CONFIGURED: { status: 503, message: 'this chain has no RPC endpoint' },
  APPROVAL_PENDING: { status: 503, message: 'the approval for the swap is not in a block yet' },
  KILL_SWITCH_ACTIVE: { status: 503, message: 'trading is disabled by the kill switch' },
});

export type GatewayErrorCode = keyof typeof GATEWAY_ERRORS;

/** Words may repeat what a sender wrote, such as an unknown field's name; a key among them is masked. */
export const gatewayShape: ErrorShape = ({ code, message, requestId, extra }) => ({
  success: false,
  requestId,
  error: maskSecrets(message),
  code,
  ...extra,
});
