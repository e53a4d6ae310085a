// The port that keeps the secret of the authenticator app from whoever copies the database.

export interface TotpSeal {
  /** Gives it back as it is where there is nothing to seal it with. */
  seal(secret: string): Promise<string>;
  /** Rejects where it was sealed with something that is not here. */
  open(stored: string): Promise<string>;
}

/** Where there is no master key. */
export const NO_SEAL: TotpSeal = { seal: async (secret) => secret, open: async (stored) => stored };
