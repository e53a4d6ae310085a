// Answers of JSON-RPC, told apart: a result, a refusal that any endpoint would give, and trouble of this one endpoint.

interface TroubleDetails {
  readonly mayHaveArrived?: boolean;
  readonly restMs?: number | undefined;
  readonly isLacking?: boolean;
}

/** The endpoint could not answer, or not sensibly: another one may. */
export class EndpointTrouble extends Error {
  override readonly name = 'EndpointTrouble';
  /** False: what was asked was certainly not carried out. */
  readonly mayHaveArrived: boolean;
  /** How long the endpoint asked for silence. */
  readonly restMs: number | undefined;
  /** It works, but does not have what was asked for. */
  readonly isLacking: boolean;
  constructor(message: string, { mayHaveArrived = true, restMs, isLacking = false }: TroubleDetails = {}) {
    super(message);
    this.mayHaveArrived = mayHaveArrived;
    this.restMs = restMs;
    this.isLacking = isLacking;
  }
}

/** The network understood the question and said no; any other endpoint would say the same. */
export class NodeRefusal extends Error {
  override readonly name = 'NodeRefusal';
  readonly data: unknown;
  constructor(message: string, data: unknown) {
    super(message);
    this.data = data;
  }
}

export interface RpcError {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly data?: unknown;
}

const MAX_WORDS_CHARS = 200;
/** Unknown and unsupported methods. */
const LACKING_CODES = new Set<unknown>([-32601, -32004]);
/** Limits and logins: the question was turned away at the door. */
const AT_THE_DOOR_CODES = new Set<unknown>([-32005, -32007, 429, 401, 403]);
const AT_THE_DOOR_WORDS = /rate limit|request limit|too many requests|capacity|quota|unauthorized|api key/i;
/** Parse faults, and what is not there yet: they say something about the endpoint alone. */
const TROUBLE_CODES = new Set<unknown>([-32700, -32600, -32001, -32002]);
const TROUBLE_WORDS =
  /header not found|missing trie node|unknown block|not available|indexing is in progress|timed? ?out|temporarily/i;
/** An internal fault, unless a node uses the code for what it says about a transaction. */
const INTERNAL_CODE = -32603;
const ABOUT_TRANSACTIONS = /nonce|funds|price|fee|gas|known|import/i;

/** The result, or the refusal; trouble is thrown. */
export function readAnswer(json: unknown): unknown {
  const error = errorOf(json);
  if (error !== undefined) {
    const words = wordsOf(error.message);
    if (isRevert(error)) return new NodeRefusal(words, error.data);
    const trouble = troubleOf(error, words);
    if (trouble !== undefined) throw trouble;
    return new NodeRefusal(words, error.data);
  }
  if (!isObject(json) || json.result === undefined) throw new EndpointTrouble('gave an answer that makes no sense');
  return json.result;
}

export function errorOf(json: unknown): RpcError | undefined {
  return isObject(json) && isObject(json.error) ? json.error : undefined;
}

/** A number as nodes write them; undefined for anything else. */
export function numberOf(value: unknown): bigint | undefined {
  return typeof value === 'string' && /^0x[0-9a-fA-F]{1,64}$/.test(value) ? BigInt(value) : undefined;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

const isRevert = ({ message, data }: RpcError): boolean =>
  (typeof message === 'string' && /revert/i.test(message)) ||
  (typeof data === 'string' && /^0x[0-9a-f]{2}/i.test(data));

function troubleOf({ code }: RpcError, words: string): EndpointTrouble | undefined {
  if (LACKING_CODES.has(code)) return new EndpointTrouble(words, { isLacking: true, mayHaveArrived: false });
  const told = `answered with trouble of its own: ${words}`;
  if (AT_THE_DOOR_CODES.has(code) || AT_THE_DOOR_WORDS.test(words))
    return new EndpointTrouble(told, { mayHaveArrived: false });
  const isInternal = code === INTERNAL_CODE && !ABOUT_TRANSACTIONS.test(words);
  return isInternal || TROUBLE_CODES.has(code) || TROUBLE_WORDS.test(words) ? new EndpointTrouble(told) : undefined;
}

/** Kept short and on one line; addresses, which may be of endpoints behind it, are taken out. */
function wordsOf(message: unknown): string {
  const text = typeof message === 'string' && message.trim() !== '' ? message : 'no reason given';
  const calm = text.replace(/\bhttps?:\/\/\S+/g, '…').replace(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, ' ');
  return [...calm.trim()].slice(0, MAX_WORDS_CHARS).join('');
}
