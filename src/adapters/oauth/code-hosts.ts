// What GitHub and GitLab do differently in the device flow: their addresses, and what a token may do unless asked otherwise.

import type { CodeHost } from '../../library/device-flow.ts';

export interface HostDialect {
  readonly base: string;
  readonly startPath: string;
  readonly tokenPath: string;
  /** A user's repositories, read and write: what keeping scripts in one takes. */
  readonly defaultScope: string;
}

export type HostDialects = Readonly<Record<CodeHost, HostDialect>>;

const DIALECTS: HostDialects = {
  github: {
    base: 'https://github.com',
    startPath: '/login/device/code',
    tokenPath: '/login/oauth/access_token',
    defaultScope: 'repo read:user',
  },
  gitlab: {
    base: 'https://gitlab.com',
    startPath: '/oauth/authorize_device',
    tokenPath: '/oauth/token',
    defaultScope: 'api',
  },
};

/** Other bases are for hosts of one's own, and for tests. */
export function hostDialects(bases: Partial<Record<CodeHost, string>> = {}): HostDialects {
  const { github, gitlab } = DIALECTS;
  return {
    github: { ...github, base: bases.github ?? github.base },
    gitlab: { ...gitlab, base: bases.gitlab ?? gitlab.base },
  };
}
