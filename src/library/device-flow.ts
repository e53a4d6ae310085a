// The port to a code host's sign-in for programs (RFC 8628): a user types a short code there, and the program asks until it has a token.

export const CODE_HOSTS = ['github', 'gitlab'] as const;

export type CodeHost = (typeof CODE_HOSTS)[number];

export interface StartRequest {
  readonly host: CodeHost;
  /** Public: it names the application at the code host and proves nothing. */
  readonly clientId: string;
  /** What the token may do; each host has a default that reads and writes a user's repositories. */
  readonly scope?: string | undefined;
}

export interface PollRequest {
  readonly host: CodeHost;
  readonly clientId: string;
  readonly deviceCode: string;
}

/** What the user is shown, and how often to ask. */
export interface StartedFlow {
  readonly kind: 'started';
  readonly deviceCode: string;
  readonly userCode: string;
  readonly verificationUri: string;
  /** The same page with the code filled in, where the host has one. */
  readonly verificationUriComplete?: string;
  readonly expiresInS: number;
  readonly intervalS: number;
}

/** The host did not do its part. The reason is fit for strangers: our words, and at most one word of the host's. */
export interface HostFault {
  readonly kind: 'failed';
  readonly reason: string;
}

export interface GrantedToken {
  readonly kind: 'granted';
  readonly accessToken: string;
  readonly tokenType?: string;
  readonly scope?: string;
  readonly expiresInS?: number;
  readonly refreshToken?: string;
}

export type PollOutcome =
  | GrantedToken
  /** The user has not decided yet. slow_down asks for longer pauses. */
  | {
      readonly kind: 'waiting';
      readonly state: 'authorization_pending' | 'slow_down';
      readonly intervalS?: number;
    }
  /** No token will come of this device code any more. */
  | { readonly kind: 'ended'; readonly state: 'expired_token' | 'access_denied' }
  /** The host has never given this device code out to this client. */
  | { readonly kind: 'unknown-code' }
  | HostFault;

export interface DeviceFlow {
  start(request: StartRequest): Promise<StartedFlow | HostFault>;
  poll(request: PollRequest): Promise<PollOutcome>;
}
