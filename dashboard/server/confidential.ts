// Whether a secret may be sent from this page: nobody can read it on its way.

/** Names of this very machine. */
export const isLoopback = (hostname: string): boolean => /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);

/** Over https, or to this very machine; the server refuses it otherwise, and then it has travelled already. */
export const isConfidential = ({ protocol, hostname }: Pick<Location, 'protocol' | 'hostname'>): boolean =>
  protocol === 'https:' || isLoopback(hostname);
