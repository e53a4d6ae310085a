// How the owner enters from a browser: his password, a second factor if he wants one, and the sessions that a login opens.

import { errorText } from '../errors/error-text.ts';
import { AccessFault } from './access-fault.ts';
import type { AccessStore, AccessWrites, OwnerPassword, OwnerTotp } from './access-store.ts';
import { type Lane, type Passwords, passwordFault } from './password.ts';
import { newRecoveryCodes, recoveryDigest } from './recovery-codes.ts';
import type { SessionOrigin } from './session.ts';
import { type AccessParts, type SessionCookie, Sessions, type SessionUse } from './sessions.ts';
import { newTotpSecret, otpauthAddress, stepOfCode } from './totp.ts';
import { NO_SEAL, type TotpSeal } from './totp-seal.ts';

export interface Login {
  readonly password: string;
  /** A one-time code, or a recovery code. */
  readonly code?: string | undefined;
  readonly origin: SessionOrigin;
  readonly actor: string;
  /** Whether it comes from where the owner has been before; a stranger waits behind other strangers. */
  readonly isKnownPlace?: boolean | undefined;
}

/** The password and, where codes are asked for, a code: what a login shows, without the session. */
export interface Proof {
  readonly password: string;
  readonly code?: string | undefined;
  readonly actor: string;
}

export interface PasswordChange {
  readonly password: string;
  /** The one before; not asked for where there is none. */
  readonly current?: string | undefined;
  /** The session that stays. */
  readonly sessionId?: string | undefined;
  readonly actor: string;
}

export interface TotpStart {
  /** In base32, to be typed into an authenticator app. */
  readonly secret: string;
  /** The same for a QR code. */
  readonly address: string;
}

/** Who has not confirmed by then begins again. */
const TOTP_START_MS = 10 * 60_000;
const WRONG = 'the password is wrong';
/** Which of them, and whether the other one was right, is nobody's business. */
const WRONG_ONE = 'the password or the code is wrong; a code is good for 30 seconds and counts once';
const SEALED =
  'codes cannot be checked: their secret is sealed with a master key that is not here. Bring back SIGNALBOX_MASTER_KEY or the ' +
  'file master.key, or log in with a recovery code, or run "signalbox password --totp-off" on the machine itself';
const NOT_SET = 'no password is set; set one first, with "signalbox password" on the machine itself';

export class Access {
  readonly sessions: Sessions;
  readonly #store: AccessStore;
  readonly #passwords: Passwords;
  readonly #seal: TotpSeal;
  readonly #parts: AccessParts;
  #started: { readonly secret: string; readonly atMs: number } | undefined;

  constructor(parts: AccessParts & { readonly passwords: Passwords; readonly seal?: TotpSeal | undefined }) {
    this.#parts = parts;
    this.#store = parts.store;
    this.#passwords = parts.passwords;
    this.#seal = parts.seal ?? NO_SEAL;
    this.sessions = new Sessions(parts);
  }

  async isPasswordSet(): Promise<boolean> {
    return (await this.#store.password()) !== undefined;
  }

  async isCodeNeeded(): Promise<boolean> {
    return (await this.#store.password())?.totp !== undefined;
  }

  login(login: Login): Promise<SessionUse & { readonly cookie: SessionCookie }> {
    const lane = login.isKnownPlace === true ? 'owner' : 'stranger';
    return this.#whenProved(login, lane, (rows) => this.sessions.open(rows, login.origin, login.actor));
  }

  /** Looks at the password and the code, and does the work in the step that uses the code up. */
  async #whenProved<T>(proof: Proof, lane: Lane, work: (rows: AccessWrites, password: OwnerPassword) => T): Promise<T> {
    const known = await this.#store.password();
    if (known?.totp !== undefined && (proof.code ?? '') === '')
      throw new AccessFault('CODE_NEEDED', 'a code of your authenticator app is needed too, or a recovery code');
    // Before the password is looked at: what the master key is like must not tell whether the password was right.
    const secret = known?.totp && (await this.#secretFor(known.totp, proof.code ?? ''));
    const isRight = await this.#passwords.isRight(proof.password, known?.hash, lane);
    const words = known?.totp === undefined ? WRONG : WRONG_ONE;
    if (!isRight) throw new AccessFault('LOGIN_FAILED', words);
    return this.#store.change((rows) => {
      const password = rows.password();
      // Changed while the hash was made.
      const isSame = password?.hash === known?.hash && password?.totp?.secret === known?.totp?.secret;
      if (password === undefined || !isSame) throw new AccessFault('LOGIN_FAILED', words);
      if (password.totp !== undefined) this.#takeCode(rows, password, proof, secret);
      return work(rows, password);
    });
  }

  /** Undefined for a recovery code, which needs none: it lets in also when the master key is lost. */
  async #secretFor({ secret }: OwnerTotp, code: string): Promise<string | undefined> {
    if (recoveryDigest(code) !== undefined) return undefined;
    try {
      return await this.#seal.open(secret);
    } catch {
      throw new AccessFault('CODES_SEALED', SEALED);
    }
  }

  /** Each code lets in once: that it was used is part of the same step. */
  #takeCode(rows: AccessWrites, password: OwnerPassword, proof: Proof, secret: string | undefined): void {
    const { code = '', actor } = proof;
    const totp = password.totp as OwnerTotp;
    const step = secret === undefined ? undefined : stepOfCode(secret, code, this.#parts.nowMs(), totp.lastStep);
    if (step !== undefined) {
      rows.putPassword({ ...password, totp: { ...totp, lastStep: step } });
      return;
    }
    const digest = recoveryDigest(code);
    if (digest === undefined || !totp.recoveryDigests.includes(digest))
      throw new AccessFault('LOGIN_FAILED', WRONG_ONE);
    const recoveryDigests = totp.recoveryDigests.filter((each) => each !== digest);
    rows.putPassword({ ...password, totp: { ...totp, recoveryDigests } });
    const left = (count: number) => ({ recoveryCodesLeft: count });
    this.#audit(rows, actor, 'totp', left(totp.recoveryDigests.length), left(recoveryDigests.length));
  }

  /** Ends all other sessions: whoever changes it may do so because somebody else knows the old one. */
  async changePassword({ password, current, sessionId, actor }: PasswordChange): Promise<void> {
    const known = await this.#store.password();
    if (known !== undefined && !(await this.#passwords.isRight(current ?? '', known.hash)))
      throw new AccessFault(
        'LOGIN_FAILED',
        'the present password is wrong; whoever has forgotten it runs "signalbox password" on the machine itself',
      );
    await this.#storePassword(password, actor, { sessionId, expected: known?.hash });
  }

  /** For whoever has the data folder in his hands: asks for no other password, and ends every session. */
  async setPassword(password: string, actor: string): Promise<void> {
    await this.#storePassword(password, actor);
  }

  async #storePassword(
    password: string,
    actor: string,
    asked?: { readonly sessionId: string | undefined; readonly expected: string | undefined },
  ): Promise<void> {
    const fault = passwordFault(password);
    if (fault !== undefined) throw new AccessFault('PASSWORD_TOO_WEAK', fault);
    const hash = await this.#passwords.hash(password);
    await this.#store.change((rows) => {
      const before = rows.password();
      if (asked !== undefined && before?.hash !== asked.expected)
        throw new AccessFault('LOGIN_FAILED', 'the password was changed by somebody else just now; nothing was done');
      rows.putPassword({ hash, totp: before?.totp });
      const after = { isSet: true, ...(before !== undefined && { isNew: true }) };
      this.#audit(rows, actor, 'password', before === undefined ? null : { isSet: true }, after);
      this.sessions.endAll(rows, actor, ({ id }) => id !== asked?.sessionId);
    });
  }

  /** Ends every session and the second factor too. False where there was none. */
  removePassword(actor: string): Promise<boolean> {
    return this.#store.change((rows) => {
      if (rows.password() === undefined) return false;
      rows.putPassword(undefined);
      this.#audit(rows, actor, 'password', { isSet: true }, null);
      this.sessions.endAll(rows, actor, () => true);
      return true;
    });
  }

  /** Nothing is asked for until the first code has proved that the app has the secret. */
  async beginTotp(password: string, account: string): Promise<TotpStart> {
    const known = await this.#proved(password);
    if (known.totp !== undefined)
      throw new AccessFault('TOTP_CONFLICT', 'codes are asked for already; end that first (DELETE /session/totp)');
    const secret = newTotpSecret(this.#parts.randomBytes);
    this.#started = { secret, atMs: this.#parts.nowMs() };
    return { secret, address: otpauthAddress(secret, account) };
  }

  /** Gives the recovery codes, this once. */
  async confirmTotp(code: string, actor: string): Promise<readonly string[]> {
    const { nowMs, randomBytes } = this.#parts;
    const started = this.#started;
    if (started === undefined || nowMs() - started.atMs > TOTP_START_MS)
      throw new AccessFault('TOTP_CONFLICT', 'nothing waits for a code; begin again (POST /session/totp)');
    const lastStep = stepOfCode(started.secret, code, nowMs());
    if (lastStep === undefined)
      throw new AccessFault('LOGIN_FAILED', 'the code is wrong; look whether the clocks of app and server are right');
    const codes = newRecoveryCodes(randomBytes);
    const recoveryDigests = codes.flatMap((each) => recoveryDigest(each) ?? []);
    const secret = await this.#sealed(started.secret);
    await this.#store.change((rows) => {
      const password = rows.password();
      if (password === undefined) throw new AccessFault('NO_PASSWORD', NOT_SET);
      if (password.totp !== undefined) throw new AccessFault('TOTP_CONFLICT', 'codes are asked for already');
      rows.putPassword({ ...password, totp: { secret, lastStep, recoveryDigests } });
      this.#audit(rows, actor, 'totp', null, { isOn: true });
    });
    this.#started = undefined;
    return codes;
  }

  /** Asks for a code too: the password alone must not do away with the second factor. */
  async endTotp(proof: Proof): Promise<void> {
    if (!(await this.isPasswordSet())) throw new AccessFault('NO_PASSWORD', NOT_SET);
    await this.#whenProved(proof, 'owner', (rows, password) => {
      if (password.totp === undefined)
        throw new AccessFault('TOTP_CONFLICT', 'no codes are asked for; there is nothing to end');
      this.#dropTotp(rows, password, proof.actor);
    });
  }

  /** For whoever has the data folder in his hands. False where there was none. */
  removeTotp(actor: string): Promise<boolean> {
    return this.#store.change((rows) => {
      const password = rows.password();
      if (password?.totp === undefined) return false;
      this.#dropTotp(rows, password, actor);
      return true;
    });
  }

  #dropTotp(rows: AccessWrites, { hash }: OwnerPassword, actor: string): void {
    rows.putPassword({ hash });
    this.#audit(rows, actor, 'totp', { isOn: true }, null);
  }

  /**
   * For the start: a secret that an older version has left in clear is sealed, and one that cannot be opened is told in words.
   * Undefined where all is well.
   */
  async checkTotp(): Promise<string | undefined> {
    const stored = (await this.#store.password())?.totp?.secret;
    if (stored === undefined) return undefined;
    const secret = await this.#seal.open(stored).catch(() => undefined);
    if (secret === undefined) return SEALED;
    // What is sealed already is not its own secret.
    const sealed = secret === stored ? await this.#sealed(secret) : stored;
    if (sealed === stored) return undefined;
    await this.#store.change((rows) => {
      const password = rows.password();
      if (password?.totp?.secret === stored)
        rows.putPassword({ ...password, totp: { ...password.totp, secret: sealed } });
    });
    return undefined;
  }

  async #sealed(secret: string): Promise<string> {
    try {
      return await this.#seal.seal(secret);
    } catch (error) {
      throw new AccessFault('CODES_SEALED', `the secret of the app cannot be sealed: ${errorText(error)}`);
    }
  }

  async #proved(password: string): Promise<OwnerPassword> {
    const known = await this.#store.password();
    const isRight = await this.#passwords.isRight(password, known?.hash);
    if (known === undefined) throw new AccessFault('NO_PASSWORD', NOT_SET);
    if (!isRight) throw new AccessFault('LOGIN_FAILED', WRONG);
    return known;
  }

  #audit(rows: AccessWrites, actor: string, setting: string, before: object | null, after: object | null): void {
    const text = (value: object | null): string | null => value && JSON.stringify(value);
    rows.audit({ atMs: this.#parts.nowMs(), actor, setting, before: text(before), after: text(after) });
  }
}
