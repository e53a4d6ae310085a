// What can be wrong with a try to enter, or to change how one enters; the message holds the remedy and never a secret.

export type AccessFaultCode =
  | 'LOGIN_FAILED'
  | 'CODE_NEEDED'
  | 'NO_PASSWORD'
  | 'PASSWORD_TOO_WEAK'
  | 'TOTP_CONFLICT'
  | 'CODES_SEALED'
  | 'SESSION_NOT_FOUND'
  | 'BUSY';

export class AccessFault extends Error {
  override readonly name = 'AccessFault';
  readonly code: AccessFaultCode;

  constructor(code: AccessFaultCode, message: string) {
    super(message);
    this.code = code;
  }
}
