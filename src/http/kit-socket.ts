// What a service sees of a WebSocket: the socket it may write to, the handler it gives, and the limits on both.

/** What a handler may do with its socket. After the close every call is silently without effect. */
export interface KitSocket {
  /** A buffer holds UTF-8 and is not copied, so that one frame can go to thousands: it must not be changed afterwards. */
  sendText(text: string | Buffer): void;
  /** Bytes that the other side has not taken yet, as far as this process knows: what stands before the kernel. */
  readonly bufferedBytes: number;
  close(code: number, reason: string): void;
}

/** Who answers with a promise is not handed more than a few texts at once: meanwhile the other side has to wait. */
type Taken = void | Promise<void>;

export type SocketHandler = {
  /** Called once, whoever closed. */
  onClose(): void;
} & (
  | { onText(text: string): Taken }
  // For whoever parses bytes anyway: spares making a string out of megabytes. The bytes are valid UTF-8.
  | { onUtf8(bytes: Buffer): Taken }
);

export interface SocketLimits {
  /** A burst of texts and pings, and how fast that room comes back. */
  readonly messageBurst: number;
  readonly messagesPerSecond: number;
  /** What may wait for a client that does not read; a handler with smaller frames sets its own, lower limit. */
  readonly maxBufferedBytes: number;
  /** Texts whose promises are open; then the socket is not read until one is done. */
  readonly maxUnderWay: number;
  /** From the first byte of a text to its last. */
  readonly messageTimeoutMs: number;
}
