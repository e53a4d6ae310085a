// The error table of a service, the refusal that points into it, and the step from any thrown thing to an answer.

export interface ErrorRow {
  readonly status: number;
  readonly message: string;
}

/** The kit refuses with these codes itself, so every table must hold them, with these statuses. */
export interface KitRows {
  readonly PAYLOAD_TOO_LARGE: ErrorRow & { readonly status: 413 };
  readonly INVALID_JSON: ErrorRow & { readonly status: 400 };
  readonly NOT_FOUND: ErrorRow & { readonly status: 404 };
  readonly METHOD_NOT_ALLOWED: ErrorRow & { readonly status: 405 };
  readonly UNAUTHORIZED: ErrorRow & { readonly status: 401 };
  readonly RATE_LIMITED: ErrorRow & { readonly status: 429 };
  readonly INTERNAL: ErrorRow & { readonly status: 500 };
}

export type ErrorTable = KitRows & Readonly<Record<string, ErrorRow>>;

export type ErrorShape = (error: {
  code: string;
  message: string;
  requestId: string;
  extra: Readonly<Record<string, unknown>>;
}) => object;

const CODE_FORM = /^[A-Z][A-Z0-9_]*$/;

export function defineErrors<const Table extends ErrorTable>(table: Table): Readonly<Table> {
  const faults: string[] = [];
  for (const [code, row] of Object.entries(table)) {
    if (!CODE_FORM.test(code)) faults.push(`${code}: write the code in upper case, digits and underscores`);
    if (!Number.isInteger(row.status) || row.status < 400 || row.status > 599) {
      faults.push(`${code}: status ${row.status} is no error status, use 400 to 599`);
    }
    if (row.message.trim() === '') faults.push(`${code}: the message is empty, say what to do`);
    Object.freeze(row);
  }
  if (faults.length > 0) throw new Error(`The error table has faults: ${faults.join('; ')}`);
  return Object.freeze(table);
}

export interface RefusalOptions {
  headers?: Readonly<Record<string, string>>;
  extra?: Readonly<Record<string, unknown>>;
  cause?: unknown;
}

export class Refusal<Code extends string = string> extends Error {
  override readonly name = 'Refusal';
  readonly code: Code;
  readonly detail: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly extra: Readonly<Record<string, unknown>>;

  /** A detail takes the place of the table's message; without one the table speaks. */
  constructor(code: Code, detail?: string, options: RefusalOptions = {}) {
    super(detail ?? code, { cause: options.cause });
    this.code = code;
    this.detail = detail;
    this.headers = options.headers ?? {};
    this.extra = options.extra ?? {};
  }
}

/** The client hung up before its request was whole: nobody reads the answer, only log and metrics see it. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
}

export const CLIENT_GONE_STATUS = 499;

export interface Failure {
  readonly status: number;
  readonly body: object;
  readonly headers: Readonly<Record<string, string>>;
  /** True for a fault of our own, which belongs in the log with its stack. */
  readonly unexpected: boolean;
}

export function failureOf(thrown: unknown, table: ErrorTable, shape: ErrorShape, requestId: string): Failure {
  if (thrown instanceof Refusal) {
    const row: ErrorRow | undefined = Object.hasOwn(table, thrown.code) ? table[thrown.code] : undefined;
    if (row !== undefined) {
      const message = thrown.detail ?? row.message;
      const body = shape({ code: thrown.code, message, requestId, extra: thrown.extra });
      return { status: row.status, body, headers: thrown.headers, unexpected: false };
    }
  }
  if (thrown instanceof ClientGone) {
    return { status: CLIENT_GONE_STATUS, body: {}, headers: {}, unexpected: false };
  }
  // The exception's own text may hold a secret or a path, so the client only reads the table.
  const body = shape({ code: 'INTERNAL', message: table.INTERNAL.message, requestId, extra: {} });
  return { status: table.INTERNAL.status, body, headers: {}, unexpected: true };
}
