// The part of ccxt that is used: its own types are so many that they would double the time of every type check.

declare module 'ccxt' {
  interface SignedByCcxt {
    readonly url: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
  }
  interface CcxtExchange {
    urls: { api: unknown };
    nonce: () => number;
    sign(path: string, section: string | readonly string[], method: string, params: object): SignedByCcxt;
  }
  const classes: Readonly<Record<string, new (options: object) => CcxtExchange>>;
  export default classes;
}
