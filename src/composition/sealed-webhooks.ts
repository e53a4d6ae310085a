// The secrets that sign the webhooks of deployments: sealed before they are stored, opened for a request and for nothing else.
//
// Their key is asked for when the first secret is there, so that a folder without secrets needs none.

import type { SqlDatabase } from '../adapters/storage/sql/sql.ts';
import { deploymentStore, setTargets } from '../adapters/storage/sql/strangers/deployments/deployments.ts';
import { isSealed, type Sealer } from '../keys/sealed-text.ts';
import type { Deployment, DeploymentStore, WebhookPort } from '../library/deployments/index.ts';

type Target = Deployment['targets'][number];

/** What is sealed for one receiver opens for no other. */
const ownerOf = (url: string): string => `the webhook at ${new URL(url).host}`;

export class SealedWebhooks {
  readonly #sealer: () => Promise<Sealer>;
  /** Lends its salt: a key takes long to make. */
  #sealedBefore: string | undefined;

  constructor(sealer: () => Promise<Sealer>) {
    this.#sealer = sealer;
  }

  /** The same store; new secrets are sealed on their way into it. */
  over(store: DeploymentStore): DeploymentStore {
    return {
      ...store,
      create: async (deployment, ...more) =>
        store.create({ ...deployment, targets: await this.#seal(deployment.targets) }, ...more),
    };
  }

  /** The same webhooks, for secrets as they are stored. */
  opening(webhooks: WebhookPort): WebhookPort {
    return {
      faultOf: (url) => webhooks.faultOf(url),
      post: async (call) => {
        const { url, secret } = call;
        if (secret === undefined || !isSealed(secret)) return webhooks.post(call);
        return webhooks.post({ ...call, secret: await (await this.#sealer()).open(secret, ownerOf(url)) });
      },
    };
  }

  /** Those that an earlier version has stored as they are. */
  async sealStored(db: SqlDatabase): Promise<void> {
    const all = await deploymentStore(db).all();
    this.#sealedBefore ??= all.flatMap(({ targets }) => targets.map(secretOf)).find((each) => each && isSealed(each));
    const changes: Pick<Deployment, 'id' | 'targets'>[] = [];
    for (const { id, targets } of all)
      if (targets.some(isPlain)) changes.push({ id, targets: await this.#seal(targets) });
    if (changes.length > 0) await setTargets(db, changes);
  }

  async #seal(targets: readonly Target[]): Promise<readonly Target[]> {
    const sealed: Target[] = [];
    for (const target of targets) sealed.push(isPlain(target) ? await this.#sealOne(target) : target);
    return sealed;
  }

  async #sealOne(target: Signed): Promise<Signed> {
    const secret = await (await this.#sealer()).seal(target.secret, ownerOf(target.url), this.#sealedBefore);
    this.#sealedBefore ??= secret;
    return { ...target, secret };
  }
}

type Signed = Extract<Target, { readonly type: 'webhook' }> & { readonly secret: string };

const secretOf = (target: Target): string | undefined => (target.type === 'webhook' ? target.secret : undefined);

function isPlain(target: Target): target is Signed {
  const secret = secretOf(target);
  return secret !== undefined && !isSealed(secret);
}
