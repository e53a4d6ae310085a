// Bodies for the benchmarks: trade signals of a realistic size, over a given number of symbols.

export interface SignalBodies {
  apiKey: string;
  symbols: number;
}

export function createBodies(settings: unknown): () => string {
  const { apiKey, symbols } = settings as SignalBodies;
  let next = 0;
  return () => {
    next += 1;
    const symbol = `COIN${next % symbols}USDT`;
    return `{"apiKey":"${apiKey}","exchange":"binance","action":"LONG","symbol":"${symbol}","quantity":0.0${1 + (next % 9)},"leverage":5,"notify":{"chatId":"1000","message":"entry ${next}","parseMode":"Plain"}}`;
  };
}
