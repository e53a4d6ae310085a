// A WebSocket that a test opens, speaks through and cuts as it likes.

export class FakeSocket {
  static readonly OPEN = 1;
  static made: FakeSocket[] = [];
  readonly address: string;
  readonly sent: string[] = [];
  readyState = 0;
  closed = 0;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;

  constructor(address: string | URL) {
    this.address = String(address);
    FakeSocket.made.push(this);
  }

  static get last(): FakeSocket {
    return FakeSocket.made.at(-1)!;
  }

  open(): void {
    this.readyState = FakeSocket.OPEN;
    this.onopen?.();
  }

  tell(frame: object): void {
    this.onmessage?.({ data: JSON.stringify(frame) });
  }

  cut(code = 1006): void {
    this.readyState = 3;
    this.onclose?.({ code });
  }

  send(text: string): void {
    this.sent.push(text);
  }

  close(): void {
    this.closed += 1;
  }
}
