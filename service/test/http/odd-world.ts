import { addAccess } from '../api/access-fixture.ts';
import { addApp, addRegistry, addSubscription } from '../database-fixture.ts';
import type { WebFixture } from '../web-fixture.ts';

/** An organization that has one of each thing that a path can name. */

export interface OddWorld {
  token: string;
  /** What replaces the parameters of a path, by the segment before. */
  ids: Record<string, string>;
}

let registries = 0;

export async function openOddWorld(web: WebFixture): Promise<OddWorld> {
  const { id, token } = await web.join();
  const registry = await addRegistry(web.db, `https://odd.example.com/${(registries += 1)}.json`);
  await addApp(web.db, registry, 'clock');
  const subscription = await addSubscription(web.db, id, registry);
  const access = await addAccess(web.db, id, 'https://hooks.example.com/odd');
  const { webhook, tokenId, delivery } = access;
  return {
    token,
    ids: {
      organizations: id,
      registries: subscription,
      webhooks: webhook,
      tokens: tokenId,
      deliveries: delivery,
      apps: 'clock',
      versions: '1.0.0',
      icons: '0'.repeat(64),
      assets: 'style.css',
    },
  };
}

/** The path of a route, with its parameters as in the OpenAPI document or the router. @throws if one is not known */
export function pathIn({ ids }: OddWorld, path: string): string {
  const segments = path.split('/');
  return segments
    .map((segment, index) => {
      if (!/^(:|\{)/.test(segment)) return segment;
      const before = segments[index - 1]!;
      // The pages of apps are below the subscription.
      if (path.startsWith('/apps/')) return index === 2 ? ids['registries']! : ids['apps']!;
      const id = ids[before];
      if (id === undefined) throw new Error(`The tests have no value for “${before}/${segment}”.`);
      return id;
    })
    .join('/');
}
