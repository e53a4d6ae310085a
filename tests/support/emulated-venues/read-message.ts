// What a caller has said on a WebSocket; what is no JSON object says nothing.

export function messageOf<Message extends object>(text: string): Partial<Message> {
  try {
    const message: unknown = JSON.parse(text);
    return typeof message === 'object' && message !== null ? (message as Message) : {};
  } catch {
    return {};
  }
}
