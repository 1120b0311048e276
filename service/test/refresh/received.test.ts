import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type FaultHost, openFaultHost, tagged } from '../../../test/support/fault-host.ts';
import { openIconCollector } from '../../src/refresh/icons.ts';
import { iconFacts } from '../../../test/support/icons.ts';
import { archive, SVG } from '../../../test/support/live-registry.ts';
import { chunk, END, header, pixels, png, PNG } from '../../../test/support/png-builder.ts';
import { serveEqualVersions } from '../../../test/support/equal-versions.ts';
import { openRefreshHarness, type RefreshHarness } from './refresh-harness.ts';

/** Icons whose bytes an earlier refresh had received, and that apps need later. */

let host: FaultHost;
let harness: RefreshHarness;
beforeAll(async () => {
  harness = await openRefreshHarness();
  host = await openFaultHost();
});
afterAll(async () => {
  await harness.stop();
  await host.close();
});

/** Lists the apps with these icons. */
function list(icons: Record<string, string>): void {
  const apps = Object.entries(icons).map(([key, icon]) => [
    key,
    {
      name: `App ${key}`,
      description: 'Does a thing.',
      blockStyle: { iconUrl: `${host.origin}/${icon}.svg`, color: '#336699' },
      appMetadataUrl: `${host.origin}/a.json`,
    },
  ]);
  host.on('/registry.json', tagged(JSON.stringify({ apps: Object.fromEntries(apps) })));
}

async function icons(id: number): Promise<Record<string, string | null>> {
  const rows = await harness.db.selectFrom('apps').where('registryId', '=', id).selectAll().orderBy('key').execute();
  return Object.fromEntries(rows.map(({ key, icon }) => [key, icon?.toString('hex') ?? null]));
}

test('an app gets the icon that other apps have already', async () => {
  const bytes = archive('one');
  const url = serveEqualVersions(host, bytes, tagged(bytes, { 'Content-Type': 'application/gzip' }), 1);
  host.on('/a.svg', tagged(SVG, { 'Content-Type': 'image/svg+xml' }));
  host.on('/b.svg', tagged(SVG.replace('<rect', '<circle r="1"/><rect'), { 'Content-Type': 'image/svg+xml' }));
  list({ a: 'a', b: 'b' });
  const id = await harness.add(url);
  await harness.refresh(id);
  const { a, b } = await icons(id);
  expect([a, b, a === b]).toEqual([expect.any(String), expect.any(String), false]);
  list({ a: 'a', b: 'a', c: 'a' });
  await harness.refresh(id, 1.1);
  expect(await icons(id)).toEqual({ a, b: a, c: a });
  // A day later, the host confirms it by its entity tag.
  list({ a: 'a', b: 'a', c: 'a', d: 'a' });
  await harness.refresh(id, 30);
  expect(await icons(id)).toEqual({ a, b: a, c: a, d: a });
});

test('an icon that a refresh had no room for is stored by the next one', async () => {
  const bytes = archive('one');
  const url = serveEqualVersions(host, bytes, tagged(bytes, { 'Content-Type': 'application/gzip' }), 1);
  host.on('/a.svg', tagged(SVG, { 'Content-Type': 'image/svg+xml' }));
  host.on('/b.svg', tagged('not an image', { 'Content-Type': 'image/svg+xml' }));
  list({ a: 'a', b: 'b' });
  const id = await harness.add(url);
  await harness.refresh(id);
  const stored = await icons(id);
  expect(stored).toEqual({ a: expect.any(String), b: null });
  await harness.db.updateTable('apps').set({ icon: null }).where('registryId', '=', id).execute();
  host.requests.length = 0;
  await harness.refresh(id, 1.1);
  expect(await icons(id)).toEqual(stored);
  expect(host.requests.filter(({ path }) => path === '/b.svg')).toEqual([]);
});

describe('the pages show', () => {
  const url = 'https://apps.example.com/icon';
  const shown = (bytes: string | Uint8Array): string | null | undefined => {
    const collector = openIconCollector({ secrets: null, redact: null });
    const facts = { ...iconFacts(bytes), url };
    return collector.iconOf(facts, { bytes: Buffer.from(bytes as Uint8Array) })?.type;
  };
  const doctype = '<!DOCTYPE svg [ <!ENTITY ns_svg "http://www.w3.org/2000/svg"> ]>';
  const ofIllustrator = doctype + SVG.replace('"http://www.w3.org/2000/svg"', '"&ns_svg;"');
  const palette = chunk('PLTE', Buffer.alloc(3));

  test.each<[string, string | Uint8Array, string]>([
    ['a PNG', PNG, 'image/png'],
    ['a PNG with bytes after its end', png(header(), pixels(), END, Buffer.from('bytes')), 'image/png'],
    ['a PNG with a palette that decoders ignore', png(header(), pixels(), palette, END), 'image/png'],
    ['an SVG', SVG, 'image/svg+xml'],
    ['an SVG with the DOCTYPE of Adobe Illustrator', ofIllustrator, 'image/svg+xml'],
  ])('%s, as browsers do', (_, bytes, type) => {
    expect(shown(bytes)).toBe(type);
  });

  test.each<[string, string | Uint8Array]>([
    ['a PNG without pixels', png(header(), END)],
    ['a PNG with too many pixels', png(header({ width: 5000, height: 5000 }), pixels(), END)],
    ['an animated PNG, whose frames are not read', png(header(), chunk('acTL', Buffer.alloc(8)), pixels(), END)],
    ['an SVG with other entities', '<!DOCTYPE svg [ <!ENTITY x "<script/>"> ]>' + SVG],
    [
      'an SVG with the DOCTYPE of Adobe Illustrator, and a script',
      ofIllustrator.replace('<rect', '<script>x()</script><rect'),
    ],
  ])('no icon for %s', (_, bytes) => {
    expect(shown(bytes)).toBeUndefined();
  });

  test('no icon that is not shown any more, although its host says that it did not change', () => {
    const facts = { ...iconFacts('<!DOCTYPE svg [ <!ENTITY x "<script/>"> ]>' + SVG), url };
    expect(openIconCollector({ secrets: null, redact: null }).iconOf(facts, null)).toBeNull();
  });

  test('the last icon while the present one is not known', () => {
    const NOT_KNOWN = { missing: { code: 'not-cached' } } as const;
    const facts = { ...iconFacts(SVG), url, content: NOT_KNOWN, image: NOT_KNOWN };
    expect(openIconCollector({ secrets: null, redact: null }).iconOf(facts, null)).toBeUndefined();
  });
});
