import { describe, expect, test } from 'vitest';
import { certificates } from '../../support/fault-certificates.ts';
import { answer, CORS, json, openFaultHost } from '../../support/fault-host.ts';
import { checksum, putRegistry } from '../../support/live-registry.ts';
import { liveFixture, verifyPatiently } from '../../support/live-fixture.ts';

/** The documents of a live registry: each rule with a faulty document and a similar valid one. */

const fixture = liveFixture();

type Change = () => void;
interface Entry {
  name: string;
  description: string;
  blockStyle: { iconUrl: string; color: string };
  appMetadataUrl: string;
  [other: string]: unknown;
}

/** The manifest with its entry changed, or with further apps beside it. */
function withApp(change: (app: Entry) => void, others: (app: Entry) => Record<string, Entry> = () => ({})): Change {
  return () => {
    const { apps } = JSON.parse(fixture.manifest()) as { apps: { 'app-a': Entry } };
    const more = others(structuredClone(apps['app-a']));
    change(apps['app-a']);
    fixture.live.serve('registry.json', json({ apps: { ...apps, ...more } }));
  };
}
const unchanged = (): void => {};
const withKeys = (...names: string[]): Change =>
  withApp(unchanged, (app) => Object.fromEntries(names.map((name, i) => [name, withOwnMetadata(app, i)])));
/** An entry with its own metadata file. */
function withOwnMetadata(app: Entry, i: number): Entry {
  const path = `/own-${i}.json`;
  fixture.host.on(path, json({ versions: fixture.live.versions }));
  return { ...app, appMetadataUrl: fixture.host.origin + path };
}

/** The metadata with its first version changed, or with further versions. */
function withVersion(change: Record<string, unknown>, ...more: Record<string, unknown>[]): Change {
  return () => {
    const [first, ...rest] = fixture.live.versions;
    fixture.live.serve(
      'a.json',
      json({ versions: [{ ...first, ...change }, ...rest, ...more.map((fields) => ({ ...first, ...fields }))] }),
    );
  };
}
function withVersionNumbers(...versions: string[]): Change {
  return () => {
    const [first] = fixture.live.versions;
    fixture.live.serve('a.json', json({ versions: versions.map((version) => ({ ...first, version })) }));
  };
}
/** An artifact under another address. */
function artifactAt(path: string): Change {
  return () => {
    fixture.host.on(path, (request, socket) => servedArtifact()(request, socket));
    fixture.live.versions[0]!.artifactUrl = fixture.host.origin + path;
    fixture.live.list();
  };
}
function servedArtifact(): ReturnType<typeof json> {
  return json(fixture.live.artifact.toString('latin1'));
}
const manifestText =
  (body: () => string | Uint8Array): Change =>
  () =>
    fixture.serveManifest({}, body());

const CASES: { rule: string; faulty: Change; clean: Change }[] = [
  { rule: 'app-key-ambiguous', faulty: withKeys('App-A'), clean: withKeys('app-b') },
  { rule: 'app-key-unportable', faulty: withKeys('con'), clean: withKeys('console') },
  { rule: 'app-key-unsafe', faulty: withKeys('app b'), clean: withKeys('__proto', 'constructor') },
  { rule: 'no-apps', faulty: () => fixture.live.serve('registry.json', json({ apps: {} })), clean: unchanged },
  {
    rule: 'block-color-malformed',
    faulty: withApp((app) => (app.blockStyle.color = '#12345')),
    clean: withApp((app) => (app.blockStyle.color = '#AbCdEf')),
  },
  {
    rule: 'icon-suffix',
    faulty: withApp((app) => (app.blockStyle.iconUrl += '?v=1.ico#x'.replace('?v=1', '/../a'))),
    clean: withApp((app) => (app.blockStyle.iconUrl += '?v=1')),
  },
  {
    rule: 'json-byte-order-mark',
    faulty: manifestText(() => `\uFEFF${fixture.manifest()}`),
    clean: manifestText(() => `\n${fixture.manifest()}\n`),
  },
  {
    rule: 'json-duplicate-key',
    faulty: manifestText(() => fixture.manifest().replace('"name"', '"name":"x","name"')),
    clean: manifestText(() =>
      fixture.manifest().replace('"name"', '"description":"","x-name"').replace('"description":"",', ''),
    ),
  },
  { rule: 'metadata-url-shared', faulty: withApp(unchanged, (app) => ({ 'app-b': app })), clean: withKeys('app-b') },
  {
    rule: 'property-unknown',
    faulty: withApp((app) => (app['descripton'] = 'x')),
    clean: withApp((app) => (app['x-team'] = 'x')),
  },
  { rule: 'text-empty', faulty: withApp((app) => (app.name = '  ')), clean: withApp((app) => (app.name = 'x')) },
  {
    rule: 'text-unprintable',
    faulty: withApp((app) => (app.name = 'a\u202Eb')),
    clean: withApp((app) => (app.name = 'Größe 名前 👩‍💻')),
  },
  {
    rule: 'url-insecure',
    faulty: withApp((app) => (app.blockStyle.iconUrl = app.blockStyle.iconUrl.replace('https:', 'http:'))),
    clean: unchanged,
  },
  {
    rule: 'url-unusual',
    faulty: withApp((app) => (app.appMetadataUrl += '#top')),
    clean: withApp((app) => (app.appMetadataUrl += '?v=1')),
  },
  { rule: 'artifact-suffix', faulty: artifactAt('/2.zip'), clean: artifactAt('/download?file=2') },
  {
    rule: 'url-unstable',
    faulty: artifactAt('/latest/2.tar.gz'),
    clean: artifactAt('/releases/v2/latest-news.tar.gz'),
  },
  {
    rule: 'artifact-url-shared',
    faulty: withVersion({}, { version: '3.0.0', artifactChecksum: checksum(Buffer.from('x')) }),
    clean: unchanged,
  },
  {
    rule: 'checksum-shared',
    faulty: withVersion({}, { version: '3.0.0', artifactUrl: 'https://127.0.0.1:2/x.tar.gz' }),
    clean: unchanged,
  },
  {
    rule: 'version-duplicate',
    faulty: withVersionNumbers('1.0.0+a', '1.0.0+b'),
    clean: withVersionNumbers('1.0.0-a', '1.0.0'),
  },
  { rule: 'version-not-plain', faulty: withVersionNumbers('1.0.0', '2.0.0-rc.1'), clean: withVersionNumbers('1.0.0') },
  {
    rule: 'version-not-semver',
    faulty: withVersionNumbers('1.0.0', 'v2.0.0'),
    clean: withVersionNumbers('1.0.0', '10.20.30'),
  },
];

describe.each(CASES)('the rule $rule', ({ rule, faulty, clean }) => {
  const findingsOf = async (change: Change): Promise<string[]> => {
    change();
    const { report } = await verifyPatiently(fixture.live.url, { retries: 0 });
    expect(report.outcome).not.toBe('incomplete');
    return report.findings.map((finding) => finding.rule).filter((id) => id === rule);
  };
  test('reports the faulty document', async () => expect(await findingsOf(faulty)).toEqual([rule]));
  test('does not report a similar valid document', async () => expect(await findingsOf(clean)).toEqual([]));
});

test('tls-expiring reports only a certificate that expires soon', async () => {
  const soon = await openFaultHost({ tls: certificates().get('soon') });
  const { report } = await verifyPatiently(putRegistry(soon).url);
  expect(report.findings.filter(({ rule }) => rule === 'tls-expiring')).toHaveLength(1);
  const fine = await verifyPatiently(fixture.live.url);
  expect(fine.report.findings.filter(({ rule }) => rule === 'tls-expiring')).toEqual([]);
  await soon.close();
});

test.each([
  [{}, 1],
  [{ ETag: '"a"' }, 0],
])('last-modified-only depends on the ETag: %o', async (headers, expected) => {
  fixture.serveManifest({ 'Last-Modified': 'Sat, 01 Nov 2025 10:00:00 GMT', ...headers });
  const { report } = await verifyPatiently(fixture.live.url);
  expect(report.findings.filter(({ rule }) => rule === 'last-modified-only')).toHaveLength(expected);
});

test.each(['{"error":"bad signature %s"}', '<html><title>bad %s</title></html>', '"%s"'])(
  'an error page instead of a signed document does not leak the signature: %s',
  async (body) => {
    const signature = 'c4nary0123456789abcdef';
    const path = `/signed.json?Expires=4102444800&Signature=${signature}`;
    fixture.host.on(
      path,
      answer({ headers: { ...CORS, 'Content-Type': 'application/json' }, body: body.replace('%s', signature) }),
    );
    withApp((app) => (app.appMetadataUrl = fixture.host.origin + path))();
    const { report, apps } = await verifyPatiently(fixture.live.url);
    expect(report.findings.some(({ resource, severity }) => resource === 'metadata' && severity === 'error')).toBe(
      true,
    );
    expect(JSON.stringify([report, apps[0]!.metadata.content])).not.toContain(signature);
  },
);
