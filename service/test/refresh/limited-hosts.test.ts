import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  answer,
  type Behaviour,
  byMethod,
  CORS,
  type FaultHost,
  json,
  openFaultHost,
} from '../../../test/support/fault-host.ts';
import { archive, checksum, gzipped, SVG } from '../../../test/support/live-registry.ts';
import { type RefreshHarness, openRefreshHarness } from './refresh-harness.ts';

/** A host that limits requests never loses apps of a registry: what it does not answer keeps its state. */

const KEYS = ['a', 'b', 'c', 'd', 'e', 'f'];

let host: FaultHost;
let harness: RefreshHarness;
beforeAll(async () => {
  harness = await openRefreshHarness();
});
afterAll(() => harness.stop());
beforeEach(async () => {
  host = await openFaultHost();
});
afterEach(() => host.close());

/** A registry whose files are all behind a limit. @returns its URL */
function serve(limit: (behaviour: Behaviour) => Behaviour): string {
  const on = (path: string, behaviour: Behaviour): string => host.on(path, limit(behaviour));
  const icon = answer({ headers: { 'Content-Type': 'image/svg+xml', ...CORS }, body: SVG });
  const apps = KEYS.map((key) => {
    const bytes = archive(key);
    const artifactUrl = on(`/${key}.tar.gz`, gzipped(bytes));
    const versions = [{ version: '1.0.0', artifactUrl, artifactChecksum: checksum(bytes) }];
    const app = {
      name: `App ${key}`,
      description: 'Does a thing.',
      blockStyle: { iconUrl: on(`/${key}.svg`, byMethod({ GET: icon })), color: '#336699' },
      appMetadataUrl: on(`/${key}.json`, json({ versions })),
    };
    return [key, app] as const;
  });
  return on('/registry.json', json({ apps: Object.fromEntries(apps) }));
}

/** The apps that can be installed. */
async function installable(id: number): Promise<string[]> {
  const rows = await harness.db
    .selectFrom('apps')
    .where('registryId', '=', id)
    .where('latest', '=', '1.0.0')
    .where((row) =>
      row.or([row('visible', 'is', null), row('visible', '=', true), row('failingSince', 'is not', null)]),
    )
    .select('key')
    .orderBy('key')
    .execute();
  return rows.map(({ key }) => key);
}

describe('the apps of a registry that was checked before', () => {
  test.each<[string, Behaviour]>([
    ['429', answer({ status: 429 })],
    ['429 for a day', answer({ status: 429, headers: { 'Retry-After': '86400' } })],
    ['503', answer({ status: 503 })],
  ])('remain while its host responds with %s to everything after the manifest', async (_, refusal) => {
    let left = Infinity;
    const id = await harness.add(
      serve((behaviour) => (request, socket) => (--left < 0 ? refusal : behaviour)(request, socket)),
    );
    expect(await harness.refresh(id)).toBe('good');
    expect(await installable(id)).toEqual(KEYS);
    left = 1;
    await harness.refresh(id, 1.1);
    expect(left).toBeLessThan(0);
    expect(await installable(id)).toEqual(KEYS);
    const { apps, outcome } = await harness.report(id);
    expect(outcome).not.toBe('clean');
    // At most the file that was refused alone is a fault; the others are not judged.
    expect(apps.filter(({ visible }) => visible === false).length).toBeLessThanOrEqual(1);
    left = Infinity;
    expect(await harness.refresh(id, 2.3)).toBe('good');
  });
});
