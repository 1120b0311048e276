import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Snapshot } from '../../../src/core/facts/facts.ts';
import { judge } from '../../../src/core/engine/judge.ts';
import type { Report } from '../../../src/core/findings/report.ts';
import type { AnyRule, ExplainedBy } from '../../../src/core/rules/rule.ts';
import { rules } from '../../../src/core/rules/index.ts';
import { artifactFactsOf } from '../../support/archives.ts';
import { document, entry as appEntry, metadataWith, snapshot } from '../../support/snapshots.ts';
import { browser, hop, ORIGIN, probe, tls, web } from '../../support/probes.ts';
import { inspectImage } from '../../../src/observe/icon/inspect-image.ts';
import { createDigester } from '../../../src/observe/digest/digest.ts';
import { endMark, entry, header } from '../../support/tar-builder.ts';

/** Two faults in one file: both are reported, unless the rules declare that one explains the other. */

interface Plan {
  parts: Uint8Array[];
  app: Uint8Array | null;
  endMark: boolean;
  isSplit: boolean;
  afterTar: Uint8Array;
  afterGzip: Uint8Array;
  /** The listed checksum, if it is not that of the bytes. */
  checksum: string | null;
  artifactUrl: string;
  /** Of the file that has the faults. */
  headers: Record<string, string>;
  head: number;
  notAfter: string;
  key: string;
  icon: string;
  metadata: (value: Record<string, unknown>) => unknown;
  prefix: string;
}

/** Its name is the rule and the cause that report it. */
type Fault = readonly [name: string, (plan: Plan) => void];

const text = (value: string): Buffer => Buffer.from(value);
const part =
  (...bytes: Uint8Array[]) =>
  (plan: Plan): void =>
    void plan.parts.push(...bytes);
const headers =
  (more: Record<string, string>) =>
  (plan: Plan): void =>
    void Object.assign(plan.headers, more);

const ARCHIVE: Fault[] = [
  ['artifact-no-app absent', (plan) => (plan.app = null)],
  ['artifact-no-app dangling-link', (plan) => (plan.app = header({ path: 'app.js', type: '2', link: 'gone.js' }))],
  ['artifact-unsafe-entry link-inside', part(header({ path: 'link', type: '2', link: 'lib/a.js' }))],
  ['artifact-unsafe-entry link-escapes', part(header({ path: 'out', type: '2', link: '../a' }))],
  ['artifact-unsafe-entry special-mode', part(entry('su', '1', { mode: 0o4755 }))],
  ['artifact-unsafe-entry absolute-path', part(entry('/abs', '1'))],
  ['artifact-unsafe-entry path-escapes', part(entry('../up', '1'))],
  ['artifact-unsafe-entry device', part(header({ path: 'null', type: '3' }))],
  ['artifact-unsafe-entry duplicate-path', part(entry('twice', '1'), entry('twice', '1'))],
  ['artifact-unsafe-entry case-collision', part(entry('Case', '1'), entry('case', '1'))],
  ['artifact-unsafe-entry backslash', part(entry('back\\slash', '1'))],
  ['artifact-unsafe-entry control-characters', part(entry('a\u0007', '1'))],
  ['artifact-unsafe-entry invisible-characters', part(entry('b\u202e', '1'))],
  ['artifact-not-tar-gz several-members', (plan) => (plan.isSplit = true)],
  ['artifact-not-tar-gz no-end-marker', (plan) => (plan.endMark = false)],
  ['artifact-trailing-data bytes-after-end', (plan) => (plan.afterTar = text('more'))],
  ['artifact-trailing-data bytes-after-gzip', (plan) => (plan.afterGzip = text('more'))],
  ['artifact-trailing-data zeros-after-gzip', (plan) => (plan.afterGzip = Buffer.alloc(7))],
  ['artifact-leftover null', part(entry('.git/HEAD', 'ref: x'))],
  ['artifact-secret null', part(entry('key.pem', PEM()))],
  [
    'artifact-checksum-mismatch other-bytes',
    (plan) => (plan.checksum = `sha256:${'0123456789abcdef'.repeat(3)}fedcba9876543210`),
  ],
  [
    'checksum-malformed uppercase',
    (plan) => (plan.checksum = `sha256:${'ABCDEF0123456789'.repeat(3)}FEDCBA9876543210`),
  ],
  ['content-type-wrong text', headers({ 'content-type': 'text/plain' })],
  ['content-encoded encoded', headers({ 'content-encoding': 'gzip' })],
  ['head-refused status-405', (plan) => (plan.head = 405)],
  ['tls-expiring null', (plan) => (plan.notAfter = '2026-03-05T00:00:00.000Z')],
  ['artifact-suffix null', (plan) => (plan.artifactUrl = plan.artifactUrl.replace(/a\.tar\.gz/, 'a.zip'))],
  ['url-port-blocked null', (plan) => (plan.artifactUrl = plan.artifactUrl.replace('x.test', 'x.test:6000'))],
  ['url-malformed userinfo', (plan) => (plan.artifactUrl = plan.artifactUrl.replace('//', '//u:p@'))],
  ['url-unusual fragment', (plan) => (plan.artifactUrl += '#f')],
];

const HTTP: Fault[] = [
  ['cors-missing absent', (plan) => delete plan.headers['access-control-allow-origin']],
  ['cors-invalid list', headers({ 'access-control-allow-origin': `${ORIGIN}, https://b.test` })],
  ['tls-expiring null', (plan) => (plan.notAfter = '2026-03-05T00:00:00.000Z')],
  ['tls-browser-unsupported key', (plan) => (plan.key = 'ed25519')],
  ['head-refused status-405', (plan) => (plan.head = 405)],
  ['content-encoded unknown-coding', headers({ 'content-encoding': 'foo' })],
];

const DOCUMENT: Fault[] = [
  ...HTTP,
  ['content-type-wrong not-json', headers({ 'content-type': 'text/plain' })],
  ['cache-lifetime-long long', headers({ 'cache-control': 'max-age=99999' })],
  ['cache-lifetime-missing malformed', headers({ 'cache-control': 'max-age=five' })],
  ['json-byte-order-mark null', (plan) => (plan.prefix = '\ufeff')],
  ['document-unreadable trailing-comma', (plan) => (plan.metadata = () => '{ "versions": [], }')],
  ['schema-violation missing', (plan) => change(plan, (value) => (list(value)[0]!['artifactUrl'] = undefined))],
  ['property-unknown null', (plan) => change(plan, (value) => (value['more'] = 1))],
  ['version-not-semver null', (plan) => change(plan, (value) => (list(value)[0]!['version'] = '1.0'))],
  [
    'version-not-plain pre-release',
    (plan) =>
      change(plan, (value) =>
        list(value).push({ ...list(value)[1], version: '1.0.0-a', artifactUrl: 'https://x.test/3' }),
      ),
  ],
  [
    'checksum-placeholder zeros',
    (plan) => change(plan, (value) => (list(value)[1]!['artifactChecksum'] = `sha256:${'0'.repeat(64)}`)),
  ],
];

const ICON: Fault[] = [
  ...HTTP,
  ['icon-type-wrong svg-type', headers({ 'content-type': 'text/plain' })],
  ['icon-embedding-refused same-origin', headers({ 'cross-origin-resource-policy': 'same-origin' })],
  ['icon-not-image svg-syntax', (plan) => (plan.icon = plan.icon.replace('</svg>', ''))],
  ['icon-not-image svg-size', (plan) => (plan.icon = plan.icon.replace('viewBox', 'width="0" viewBox'))],
  ['icon-svg-active script', (plan) => (plan.icon = plan.icon.replace('<rect', '<script/><rect'))],
  ['icon-svg-active event-handler', (plan) => (plan.icon = plan.icon.replace('<rect', '<rect onclick="a()"'))],
  [
    'icon-svg-active foreign-reference',
    (plan) => (plan.icon = plan.icon.replace('<rect', '<image href="https://a.test/b"/><rect')),
  ],
];

/** Pairs that exclude each other, or whose finding has another cause than each by itself, with the reason. */
const REASONS: readonly { pair: readonly [RegExp, RegExp]; because: string }[] = [
  { pair: [/^artifact-no-app/, /^artifact-no-app/], because: 'an archive has one entry file' },
  { pair: [/zeros-after-gzip/, /bytes-after-gzip/], because: 'the bytes are zeros or not' },
  { pair: [/no-end-marker/, /bytes-after-end/], because: 'nothing is after an end that is not marked' },
  { pair: [/^checksum-malformed/, /^artifact-checksum-mismatch/], because: 'one checksum is listed' },
  {
    pair: [/-after-gzip/, /^(artifact-checksum-mismatch|checksum-malformed)/],
    because: 'the mismatch has the cause bytes-added, which explains these bytes',
  },
  { pair: [/^cors-missing/, /^cors-invalid/], because: 'the header is there or not' },
  { pair: [/^cache-lifetime-long/, /^cache-lifetime-missing/], because: 'the header has one value' },
  {
    pair: [/^document-unreadable/, /^(json|schema|property|version|checksum)-/],
    because: 'the content of a file that is not JSON is not known: those rules are not judged',
  },
  {
    pair: [/^icon-not-image svg-syntax/, /^icon-not-image svg-size/],
    because: 'the reader stops at the fault, as browsers do',
  },
];

describe.each<{ name: string; faults: Fault[]; run(plan: Plan): Promise<Report> | Report }>([
  { name: 'an artifact', faults: ARCHIVE, run: runArtifact },
  { name: 'a metadata file', faults: DOCUMENT, run: runMetadata },
  { name: 'an icon', faults: ICON, run: runIcon },
])('two faults of $name', ({ faults, run }) => {
  test('do not occur without a fault', async () => {
    expect(found(await run(newPlan()))).toEqual([]);
  });

  test.each(faults)('each by itself: %s', async (name, make) => {
    const plan = newPlan();
    make(plan);
    expect(found(await run(plan))).toContain(name);
  });

  const pairs = faults.flatMap((one, i) => faults.slice(i + 1).map((other) => [one, other] as const));
  test.each(pairs.map(([one, other]) => [`${one[0]} and ${other[0]}`, one, other] as const))(
    '%s',
    async (_, one, other) => {
      const plan = newPlan();
      one[1](plan);
      other[1](plan);
      const report = await run(plan);
      const missing = [one[0], other[0]].filter((name) => !found(report).includes(name));
      if (missing.length === 0) return;
      const reason = REASONS.find(({ pair: [a, b] }) =>
        [
          [one[0], other[0]],
          [other[0], one[0]],
        ].some(([x = '', y = '']) => a.test(x) && b.test(y)),
      );
      const isDeclared = missing.every((name) => explains(name === one[0] ? other[0] : one[0], name));
      expect(reason !== undefined || isDeclared, `not reported: ${missing.join(', ')}`).toBe(true);
    },
  );
});

test('a declaration names a reason that is a sentence of its own', () => {
  const declared = rules.flatMap(({ supersededBy = [] }: AnyRule): readonly ExplainedBy[] => supersededBy);
  expect(declared.length).toBeGreaterThan(20);
  for (const { because } of declared) expect(because).toMatch(/^[A-Z].{25,}[^.]$/);
});

/** True if the rule of a fault declares that the other fault explains it. */
function explains(by: string, name: string): boolean {
  const [rule, cause = ''] = by.split(' ');
  const [own, ownCause = ''] = name.split(' ');
  const { supersededBy = [] } = rules.find(({ id }) => id === own) ?? {};
  return supersededBy.some(
    (one) => one.rule === rule && one.causes?.includes(cause) !== false && one.only?.includes(ownCause) !== false,
  );
}

function found(report: Report): string[] {
  return report.findings.filter(({ severity }) => severity !== 'note').map(({ rule, cause }) => `${rule} ${cause}`);
}

function newPlan(): Plan {
  return {
    parts: [entry('lib/a.js', 'export {};')],
    app: entry('app.js', 'export {};'),
    endMark: true,
    isSplit: false,
    afterTar: text(''),
    afterGzip: text(''),
    checksum: null,
    artifactUrl: 'https://x.test/a.tar.gz',
    headers: { 'access-control-allow-origin': '*', 'cache-control': 'max-age=300' },
    head: 200,
    notAfter: '2027-11-25T00:00:00.000Z',
    key: 'ec prime256v1',
    icon: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8"/></svg>',
    metadata: (value) => value,
    prefix: '',
  };
}

function change(plan: Plan, edit: (value: Record<string, unknown>) => void): void {
  const { metadata } = plan;
  plan.metadata = (value) => {
    const edited = metadata(value);
    if (typeof edited === 'object' && edited !== null) edit(edited as Record<string, unknown>);
    return edited;
  };
}

function list(value: Record<string, unknown>): Record<string, unknown>[] {
  return value['versions'] as Record<string, unknown>[];
}

function answers(plan: Plan, type: string): ReturnType<typeof web> {
  const all = { 'content-type': type, ...plan.headers };
  const certificates = [{ subject: 'CN=x.test', key: plan.key, signature: null, keyUsage: null }];
  const answered = hop(all, { tls: tls({ notAfter: plan.notAfter, certificates }) });
  const head = { ...probe(hop(all, { status: plan.head })), method: 'HEAD' as const };
  return web(probe(answered), { browser: [browser(all)], head });
}

function run(facts: Snapshot): Report {
  return judge(facts, { command: 'verify', origins: [ORIGIN] });
}

async function runArtifact(plan: Plan): Promise<Report> {
  const tar = Buffer.concat([...plan.parts, plan.app ?? text(''), plan.endMark ? endMark() : text(''), plan.afterTar]);
  const packed = plan.isSplit ? [gzipSync(tar.subarray(0, 700)), gzipSync(tar.subarray(700))] : [gzipSync(tar)];
  const inspected = await artifactFactsOf(Buffer.concat([...packed, plan.afterGzip]), { scan: { folders: [] } });
  const artifactChecksum = plan.checksum ?? `sha256:${inspected.content.sha256}`;
  const version = { version: '1.0.0', artifactUrl: plan.artifactUrl, artifactChecksum };
  const facts = snapshot(['a'], { a: { versions: [version] } });
  const web = answers(plan, 'application/gzip');
  facts.apps[0]!.artifacts = [{ url: plan.artifactUrl, file: null, web, ...inspected }];
  return run(facts);
}

function runMetadata(plan: Plan): Report {
  const value = plan.metadata(metadataWith('1.0.0', '2.0.0'));
  const facts = snapshot({ apps: { a: appEntry('a') } });
  const url = 'https://x.test/a.json';
  const content = typeof value === 'string' ? value : JSON.stringify(value);
  facts.apps[0]!.metadata = {
    ...document(`${plan.prefix}${content}`, 'a.json', url),
    web: answers(plan, 'application/json'),
  };
  return run(facts);
}

function runIcon(plan: Plan): Report {
  const bytes = text(plan.icon);
  const digester = createDigester(Infinity);
  digester.write(bytes);
  const facts = snapshot(['a']);
  facts.apps[0]!.icon = {
    url: 'https://x.test/a.svg',
    file: null,
    web: answers(plan, 'image/svg+xml'),
    content: digester.end(),
    image: inspectImage(bytes),
  };
  return run(facts);
}

/** A private key, as far as a scanner looks at it. */
function PEM(): string {
  const body = Array.from({ length: 12 }, (_, i) =>
    `${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw'.slice(i)}${'Zm9v'.repeat(7)}`.slice(0, 64),
  );
  return `-----BEGIN PRIVATE KEY-----\n${body.join('\n')}\n-----END PRIVATE KEY-----\n`;
}
