import { describe, expect, test } from 'vitest';
import { certificates } from '../support/fault-certificates.ts';
import { answer, CORS, json, openFaultHost } from '../support/fault-host.ts';
import { checksum, putRegistry } from '../support/live-registry.ts';
import { openStage, patiently, type Stage } from '../support/live-stage.ts';

/** What the documents of a live registry say: each rule with a case that it finds, and a near one that it must not. */

const stage = openStage();

type Change = (stage: Stage) => void;
interface Entry {
  name: string;
  description: string;
  blockStyle: { iconUrl: string; color: string };
  appMetadataUrl: string;
  [other: string]: unknown;
}

/** The manifest with its entry changed, or with further apps beside it. */
function entry(change: (one: Entry) => void, others: (one: Entry) => Record<string, Entry> = () => ({})): Change {
  return (s) => {
    const { apps } = JSON.parse(s.manifest()) as { apps: { 'app-a': Entry } };
    const more = others(structuredClone(apps['app-a']));
    change(apps['app-a']);
    s.live.serve('registry.json', json({ apps: { ...apps, ...more } }));
  };
}
const same = (): void => {};
const key = (...names: string[]): Change =>
  entry(same, (one) => Object.fromEntries(names.map((name, i) => [name, own(one, i)])));
/** An entry whose metadata is its own. */
function own(one: Entry, i: number): Entry {
  const path = `/own-${i}.json`;
  stage.host.on(path, json({ versions: stage.live.versions }));
  return { ...one, appMetadataUrl: stage.host.origin + path };
}

/** The metadata with its first version changed, or with further versions. */
function version(change: Record<string, unknown>, ...more: Record<string, unknown>[]): Change {
  return (s) => {
    const [first, ...rest] = s.live.versions;
    s.live.serve(
      'a.json',
      json({ versions: [{ ...first, ...change }, ...rest, ...more.map((one) => ({ ...first, ...one }))] }),
    );
  };
}
function numbered(...versions: string[]): Change {
  return (s) => {
    const [first] = s.live.versions;
    s.live.serve('a.json', json({ versions: versions.map((one) => ({ ...first, version: one })) }));
  };
}
/** An artifact under another address. */
function artifactAt(path: string): Change {
  return (s) => {
    s.host.on(path, (request, socket) => servedArtifact(s)(request, socket));
    s.live.versions[0]!.artifactUrl = s.host.origin + path;
    s.live.list();
  };
}
function servedArtifact(s: Stage): ReturnType<typeof json> {
  return json(s.live.artifact.toString('latin1'));
}
const text =
  (body: (s: Stage) => string | Uint8Array): Change =>
  (s) =>
    s.serveManifest({}, body(s));

const CASES: [rule: string, faulty: Change, clean: Change][] = [
  ['app-key-ambiguous', key('App-A'), key('app-b')],
  ['app-key-unportable', key('con'), key('console')],
  ['app-key-unsafe', key('app b'), key('__proto', 'constructor')],
  ['no-apps', (s) => s.live.serve('registry.json', json({ apps: {} })), same],
  [
    'block-color-malformed',
    entry((one) => (one.blockStyle.color = '#12345')),
    entry((one) => (one.blockStyle.color = '#AbCdEf')),
  ],
  [
    'icon-suffix',
    entry((one) => (one.blockStyle.iconUrl += '?v=1.ico#x'.replace('?v=1', '/../a'))),
    entry((one) => (one.blockStyle.iconUrl += '?v=1')),
  ],
  ['json-byte-order-mark', text((s) => `\uFEFF${s.manifest()}`), text((s) => `\n${s.manifest()}\n`)],
  [
    'json-duplicate-key',
    text((s) => s.manifest().replace('"name"', '"name":"x","name"')),
    text((s) => s.manifest().replace('"name"', '"description":"","x-name"').replace('"description":"",', '')),
  ],
  ['metadata-url-shared', entry(same, (one) => ({ 'app-b': one })), key('app-b')],
  ['property-unknown', entry((one) => (one['descripton'] = 'x')), entry((one) => (one['x-team'] = 'x'))],
  ['text-empty', entry((one) => (one.name = '  ')), entry((one) => (one.name = 'x'))],
  ['text-unprintable', entry((one) => (one.name = 'a\u202Eb')), entry((one) => (one.name = 'Größe 名前 👩‍💻'))],
  ['url-insecure', entry((one) => (one.blockStyle.iconUrl = one.blockStyle.iconUrl.replace('https:', 'http:'))), same],
  ['url-unusual', entry((one) => (one.appMetadataUrl += '#top')), entry((one) => (one.appMetadataUrl += '?v=1'))],
  ['artifact-suffix', artifactAt('/2.zip'), artifactAt('/download?file=2')],
  ['url-unstable', artifactAt('/latest/2.tar.gz'), artifactAt('/releases/v2/latest-news.tar.gz')],
  ['artifact-url-shared', version({}, { version: '3.0.0', artifactChecksum: checksum(Buffer.from('x')) }), same],
  ['checksum-shared', version({}, { version: '3.0.0', artifactUrl: 'https://127.0.0.1:2/x.tar.gz' }), same],
  ['version-duplicate', numbered('1.0.0+a', '1.0.0+b'), numbered('1.0.0-a', '1.0.0')],
  ['version-not-plain', numbered('1.0.0', '2.0.0-rc.1'), numbered('1.0.0')],
  ['version-not-semver', numbered('1.0.0', 'v2.0.0'), numbered('1.0.0', '10.20.30')],
];

describe.each(CASES)('%s', (rule, faulty, clean) => {
  const found = async (change: Change): Promise<string[]> => {
    change(stage);
    const { report } = await patiently(stage.live.url, { retries: 0 });
    expect(report.outcome).not.toBe('incomplete');
    return report.findings.map((finding) => finding.rule).filter((id) => id === rule);
  };
  test('is found', async () => expect(await found(faulty)).toEqual([rule]));
  test('is not found in what is near it', async () => expect(await found(clean)).toEqual([]));
});

test('tls-expiring', async () => {
  const soon = await openFaultHost({ tls: certificates().get('soon') });
  const { report } = await patiently(putRegistry(soon).url);
  expect(report.findings.filter(({ rule }) => rule === 'tls-expiring')).toHaveLength(1);
  const fine = await patiently(stage.live.url);
  expect(fine.report.findings.filter(({ rule }) => rule === 'tls-expiring')).toEqual([]);
  await soon.close();
});

test.each([
  [{}, 1],
  [{ ETag: '"a"' }, 0],
])('last-modified-only: %o', async (headers, expected) => {
  stage.serveManifest({ 'Last-Modified': 'Sat, 01 Nov 2025 10:00:00 GMT', ...headers });
  const { report } = await patiently(stage.live.url);
  expect(report.findings.filter(({ rule }) => rule === 'last-modified-only')).toHaveLength(expected);
});

test.each(['{"error":"bad signature %s"}', '<html><title>bad %s</title></html>', '"%s"'])(
  'what stands in the place of a signed document tells its signature to nobody: %s',
  async (body) => {
    const signature = 'c4nary0123456789abcdef';
    const path = `/signed.json?Expires=4102444800&Signature=${signature}`;
    stage.host.on(
      path,
      answer({ headers: { ...CORS, 'Content-Type': 'application/json' }, body: body.replace('%s', signature) }),
    );
    entry((one) => (one.appMetadataUrl = stage.host.origin + path))(stage);
    const { report, apps } = await patiently(stage.live.url);
    expect(report.findings.some(({ resource, severity }) => resource === 'metadata' && severity === 'error')).toBe(
      true,
    );
    expect(JSON.stringify([report, apps[0]!.metadata.content])).not.toContain(signature);
  },
);
