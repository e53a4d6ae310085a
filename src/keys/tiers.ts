// The five tiers of an API key and how many calls each may make; both key-authenticated services read them here.

export const TIERS = ['free', 'hobby', 'pro', 'team', 'enterprise'] as const;

export type Tier = (typeof TIERS)[number];

/** What a key gets when nobody names a tier. */
export const DEFAULT_TIER: Tier = 'hobby';

/** Calls per calendar month as they are published: 0 is the specification's way to say that free has no cap. */
const PUBLISHED_LIMITS: Readonly<Record<Tier, number | 'unlimited'>> = {
  free: 0,
  hobby: 5000,
  pro: 50_000,
  team: 200_000,
  enterprise: 'unlimited',
};

export const isTier = (value: unknown): value is Tier => (TIERS as readonly unknown[]).includes(value);

/** How many calls the tier may make, or undefined where nothing limits it. For reckoning; answers show publishedLimit. */
export function callLimitOf(tier: Tier): number | undefined {
  const limit = PUBLISHED_LIMITS[tier];
  return limit === 'unlimited' || limit === 0 ? undefined : limit;
}

/** `calls_limit` in answers and files. */
export const publishedLimit = (tier: Tier): number | 'unlimited' => PUBLISHED_LIMITS[tier];

/** `calls_remaining` in answers. */
export function callsRemaining(tier: Tier, callsUsed: number): number | 'unlimited' {
  const limit = callLimitOf(tier);
  return limit === undefined ? 'unlimited' : Math.max(0, limit - callsUsed);
}

/** A key is rate-limited once its calls reach a finite limit. */
export function isRateLimited(tier: Tier, callsUsed: number): boolean {
  const limit = callLimitOf(tier);
  return limit !== undefined && callsUsed >= limit;
}
