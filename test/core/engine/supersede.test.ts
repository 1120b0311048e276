import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Content, ImageFacts, Snapshot, Probe } from '../../../src/core/facts/facts.ts';
import { judge } from '../../../src/core/engine/judge.ts';
import { type Finding, type Report } from '../../../src/core/findings/report.ts';
import { SEVERITIES, type Severity } from '../../../src/core/values/severity.ts';
import { artifactChecksumMismatch } from '../../../src/core/rules/artifacts/artifact-checksum-mismatch.ts';
import { causeInfo } from '../../../src/core/rules/cause.ts';
import { artifactNoApp } from '../../../src/core/rules/artifacts/artifact-no-app.ts';
import { artifactUnsafeEntry } from '../../../src/core/rules/artifacts/artifact-unsafe-entry.ts';
import { schemaViolation } from '../../../src/core/rules/documents/schema-violation.ts';
import { redirectInsecure } from '../../../src/core/rules/http/redirect-insecure.ts';
import { unreachable } from '../../../src/core/rules/http/unreachable.ts';
import { noValidVersions } from '../../../src/core/rules/metadata/no-valid-versions.ts';
import { urlMoved } from '../../../src/core/rules/urls/url-moved.ts';
import { urlPortBlocked } from '../../../src/core/rules/urls/url-port-blocked.ts';
import { artifactChanged } from '../../../src/core/rules/history/artifact-changed.ts';
import { noApps } from '../../../src/core/rules/manifest/no-apps.ts';
import { type AnyRule, explainedBy, type ExplainedBy } from '../../../src/core/rules/rule.ts';
import type { Subject } from '../../../src/core/rules/subjects.ts';
import { iconSuffix } from '../../../src/core/rules/urls/icon-suffix.ts';
import { urlInsecure } from '../../../src/core/rules/urls/url-insecure.ts';
import { rules } from '../../../src/core/rules/index.ts';
import { inJudgingOrder } from '../../../src/core/engine/superseding.ts';
import { Found, isSuperseded, supersederIn } from '../../../src/core/engine/superseding.ts';
import { outranks } from '../../../src/core/values/severity.ts';
import { checksum, digest } from '../../support/core-facts.ts';
import { document, entry, metadataWith, snapshot } from '../../support/snapshots.ts';
import { browser, hop, probe, web } from '../../support/probes.ts';
import { runs } from '../../support/property-runs.ts';

describe('a superseder', () => {
  test('is the most severe finding of the named rules', () => {
    const [a, b, c] = [urlInsecure, iconSuffix, noApps];
    const found = new Found();
    found.note(a.id, 'http', 'note');
    found.note(a.id, 'loopback', 'error');
    found.note(b.id, undefined, 'warning');
    expect(
      supersederIn(found, [
        { rule: a.id, because: '', causes: ['http'] },
        { rule: b.id, because: '' },
      ]),
    ).toEqual({
      rule: b.id,
      severity: 'warning',
    });
    expect(
      supersederIn(found, [
        { rule: a.id, because: '' },
        { rule: b.id, because: '' },
      ]),
    ).toEqual({ rule: a.id, severity: 'error' });
    expect(supersederIn(found, [{ rule: c.id, because: '' }])).toBeNull();
    expect(supersederIn(found, undefined)).toBeNull();
  });

  test('of a resource is not one of what was copied from it before', () => {
    const found = new Found();
    found.note(noApps.id, 'one', 'note');
    const copy = found.copy();
    found.note(noApps.id, 'two', 'error');
    found.note(noApps.id, 'one', 'warning');
    expect(supersederIn(copy, [{ rule: noApps.id, because: '' }])).toEqual({ rule: noApps.id, severity: 'note' });
    expect(supersederIn(found, [{ rule: noApps.id, because: '' }])).toEqual({ rule: noApps.id, severity: 'error' });
  });

  test.each(SEVERITIES.flatMap((one) => SEVERITIES.map((other) => [one, other] as const)))(
    'a finding %s supersedes one of severity %s only if its own severity is the same or higher',
    (one, other) => {
      expect(isSuperseded({ rule: 'a', severity: one }, other)).toBe(!outranks(other, one));
    },
  );
});

/** The order in which the subjects of one resource are judged. */
const ORDER: readonly Subject[] = [
  'app',
  'url',
  'resource',
  'document',
  'manifest',
  'metadata',
  'version',
  'icon',
  'artifact',
  'attestation',
];

/** Rules about a resource that others supersede are judged last. */
function rank(rule: AnyRule): number {
  return rule.on === 'resource' && rule.supersededBy !== undefined ? ORDER.length : ORDER.indexOf(rule.on);
}

describe('the rules that `supersededBy` names', () => {
  const table = rules.flatMap((rule) =>
    (rule.supersededBy ?? []).map((reference) => ({ rule, other: reference.rule, reference })),
  );
  // The order of the list has no meaning.
  const orders = [rules, rules.toReversed()].map((list) => inJudgingOrder(list));

  test.each(table.map((row) => [row.rule.id, row.other, row] as const))(
    '%s: %s is listed and judged before',
    (_, id, { rule, reference }) => {
      const other = rules.find((one) => one.id === id)!;
      expect(other).toBeDefined();
      for (const cause of reference.causes ?? []) expect(causeInfo(other.causes, cause)).toBeDefined();
      for (const cause of reference.only ?? []) expect(causeInfo(rule.causes, cause)).toBeDefined();
      expect(reference.because).toMatch(/^[A-Z].*[^.]$/);
      expect(rank(other)).toBeGreaterThanOrEqual(0);
      expect(rank(other)).toBeLessThanOrEqual(rank(rule));
      for (const order of orders) expect(order.indexOf(other)).toBeLessThan(order.indexOf(rule));
    },
  );

  test('are checked, so a misspelled cause does not compile', () => {
    // @ts-expect-error the rule declares no such cause
    expect(explainedBy<typeof urlInsecure>('url-insecure', '', 'htp').causes).toHaveLength(1);
  });
});

const TEXTS: Record<string, string> = {
  good: JSON.stringify(metadataWith('1.0.0')),
  none: '{"versions":[]}',
  page: '<!DOCTYPE html><html><title>Login</title></html>',
  xml: '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>',
  message: '{"error":"not found"}',
  text: 'Not Found',
  broken: '{"versions":[',
  mark: `\ufeff${JSON.stringify(metadataWith('1.0.0'))}`,
};
const HEADS = [
  Buffer.from('<html>'),
  Buffer.from('<?xml version="1.0"?><Error/>'),
  Buffer.from('{"e":1}'),
  Buffer.from([0x1f, 0x8b]),
];
const TYPES = [
  'application/json',
  'text/html',
  'text/plain',
  'image/png',
  'image/svg+xml',
  'application/gzip',
  'text/csv',
];
const header = (name: string, ...values: (string | null)[]): fc.Arbitrary<[string, string][]> =>
  fc.constantFrom(...values).map((value) => (value === null ? [] : [[name, value]]));
const headers: fc.Arbitrary<[string, string][]> = fc
  .tuple(
    header('content-type', null, ...TYPES),
    header('access-control-allow-origin', null, '*', 'https://svc.test', 'https://other.test', 'x, y'),
    header('vary', null, 'origin'),
    header('cache-control', null, 'max-age=300', 'max-age=99999999', 'immutable'),
    header('x-content-type-options', null, 'nosniff'),
    header('content-encoding', null, 'gzip'),
    header('cross-origin-resource-policy', null, 'same-origin'),
    header('etag', null, '"a"'),
    header('last-modified', null, 'Sun, 01 Mar 2026 10:00:00 GMT'),
  )
  .map((lists) => lists.flat());
const answer = (origin: string | null): fc.Arbitrary<Probe> =>
  fc.tuple(headers, fc.constantFrom(200, 200, 200, 404, 500), fc.boolean()).map(([list, status, isMoved]) => {
    const last = hop(list, { status });
    const hops = isMoved ? [hop([], { url: 'http://apps.example.com/r.json', status: 301 }), last] : [last];
    return probe(hops, { origin });
  });
const answers = fc
  .tuple(answer(null), headers, answer(null), answer('https://svc.test'))
  .map(([service, list, head, preflight]) =>
    web(service, {
      browser: [browser(list)],
      head: { ...head, method: 'HEAD' },
      preflight: { ...preflight, method: 'OPTIONS', requestedHeaders: ['x-requested-with'] },
      conditional: [
        {
          condition: ['if-none-match', '"made-up"'],
          fabricated: true,
          probe: probe(hop([], { status: 304 })),
          sameBytes: null,
        },
      ],
    }),
  );
const image: fc.Arbitrary<ImageFacts> = fc.constantFrom<ImageFacts>(
  { kind: 'png', width: 64, height: 64, fault: null, active: [] },
  { kind: 'png', width: 64, height: 64, fault: { code: 'trailing-data', message: 'bytes behind IEND' }, active: [] },
  { kind: 'svg', width: 64, height: 64, fault: { code: 'not-utf-8', message: 'it is not UTF-8' }, active: [] },
  { kind: 'svg', width: 64, height: 64, fault: null, active: [] },
  { kind: 'html', width: null, height: null, fault: null, active: [] },
  { kind: 'xml', width: null, height: null, fault: null, active: [] },
  { kind: 'jpeg', width: null, height: null, fault: null, active: [] },
);
const content: fc.Arbitrary<Content> = fc
  .tuple(fc.constantFrom(1, 2, 3), fc.constantFrom(...HEADS))
  .map(([seed, head]) => ({
    bytes: 700,
    sha256: digest(seed),
    sha1: '',
    md5: '',
    head: head.toString('base64'),
    cut: false,
    decoded: null,
  }));
const archive = fc.constantFrom('gzip', 'zip', 'html', 'empty').map((kind) => ({
  kind,
  fault: null,
  entries: [{ path: '../app.js', type: 'file' as const, size: 1, mode: 0o644, link: null }],
  entryCount: 1,
  unpackedBytes: 1,
  stopped: null,
  trailing: { layer: 'gzip' as const, bytes: 3 },
  gzipMembers: 1,
  oddities: [],
}));

const URLS = [
  'https://apps.example.com/a',
  'https://apps.example.com/a.png',
  'http://apps.example.com/a.png#x',
  'a.png',
  'ftp://x/a.zip',
];

/** A registry of one app, with faults at random. */
const registries: fc.Arbitrary<Snapshot> = fc
  .record({
    texts: fc.tuple(fc.constantFrom(...Object.keys(TEXTS)), fc.boolean()),
    webs: fc.tuple(answers, answers, answers, answers),
    urls: fc.tuple(fc.constantFrom(...URLS), fc.constantFrom(...URLS), fc.constantFrom(...URLS)),
    image,
    contents: fc.tuple(content, content, fc.option(content, { nil: undefined })),
    archive,
    listedChecksum: fc.constantFrom(
      checksum(1),
      checksum(1).toUpperCase(),
      'sha256:unknown',
      `sha256:${'0'.repeat(64)}`,
    ),
  })
  .map(({ texts: [text, isPage], webs, urls, image: icon, contents, archive: packed, listedChecksum }) => {
    const versions = JSON.stringify([{ version: '1.0.0', artifactUrl: urls[2], artifactChecksum: listedChecksum }]);
    const metadata = TEXTS[text]!.replace(/\[\{.*\}\]/s, versions);
    const facts = snapshot(isPage ? TEXTS['page']! : { apps: { a: entry('a', { appMetadataUrl: urls[0] }) } });
    Object.assign(facts.manifest, { url: 'https://apps.example.com/r.json', web: webs[0] });
    facts.apps = [
      {
        key: 'a',
        metadata: { ...document(metadata, 'a.json', urls[0]), web: webs[1] },
        icon: { url: urls[1], file: null, web: webs[2], content: contents[0], image: icon },
        artifacts: metadata.includes('artifactUrl')
          ? [
              {
                url: urls[2],
                file: null,
                web: webs[3],
                content: contents[1],
                archive: packed,
                ...(contents[2] && { again: contents[2] }),
              },
            ]
          : [],
      },
    ];
    return facts;
  });

const settings = fc.dictionary(
  fc.constantFrom(...rules.map(({ id }) => id)),
  fc.constantFrom<Severity | 'off'>('off', ...SEVERITIES),
  { maxKeys: 40 },
);

function run(facts: Snapshot, severities: Record<string, Severity | 'off'>, only?: readonly AnyRule[]): Report {
  return judge(facts, { command: 'verify', origins: ['https://svc.test'], severities, ...(only && { rules: only }) });
}

function isSame(one: Finding, other: Finding): boolean {
  return (['rule', 'severity', 'cause', 'app', 'version', 'resource', 'url', 'message'] as const).every(
    (field) => one[field] === other[field],
  );
}

/** The rules to which problems refer by themselves, depending on the facts. */
const OF_PROBLEMS = new Map<AnyRule, readonly AnyRule[]>([
  [artifactChecksumMismatch, [artifactChanged]],
  [artifactNoApp, [artifactUnsafeEntry]],
  [noValidVersions, [schemaViolation]],
  [unreachable, [urlPortBlocked]],
  [urlMoved, [urlInsecure, redirectInsecure]],
]);

/** True if the report has the finding, or one that its rule names, of the same or a higher severity. */
function isAccountedFor(finding: Finding, rule: AnyRule, report: Report): boolean {
  const references = [
    ...(rule.supersededBy ?? []),
    ...(OF_PROBLEMS.get(rule) ?? []).map(({ id }) => ({ rule: id, because: 'declared by the problem' })),
  ];
  return report.findings.some(
    (one) =>
      isSame(one, finding) ||
      (!outranks(finding.severity, one.severity) &&
        one.resource === finding.resource &&
        references.some(
          ({ rule: other, causes, only }: ExplainedBy) =>
            other === one.rule &&
            causes?.includes(one.cause ?? '') !== false &&
            only?.includes(finding.cause ?? '') !== false,
        )),
  );
}

describe('a finding of a rule that is judged alone', () => {
  test('is in the full report, or another finding of the same or a higher severity replaces it', () => {
    const explained = rules.filter((rule) => rule.supersededBy !== undefined || OF_PROBLEMS.has(rule));
    let superseded = 0;
    fc.assert(
      fc.property(registries, settings, (facts, severities) => {
        const report = run(facts, severities);
        for (const rule of explained) {
          const alone = run(facts, severities, [rule]);
          for (const finding of alone.findings) {
            expect(isAccountedFor(finding, rule, report), `${finding.severity} ${rule.id} ${finding.cause}`).toBe(true);
            if (!report.findings.some((one) => isSame(one, finding))) superseded++;
          }
        }
      }),
      { numRuns: runs(150) },
    );
    expect(superseded).toBeGreaterThan(runs(100));
  }, 60_000);

  test('a note about the bytes of an icon does not replace an error about its type', () => {
    const icon = { kind: 'png', width: 64, height: 64, active: [] };
    const facts = snapshot(['a']);
    const served = web(probe(hop({ 'content-type': 'image/svg+xml', 'access-control-allow-origin': '*' })));
    Object.assign(facts.apps[0]!.icon, {
      url: 'https://apps.example.com/icon.png',
      web: served,
      content: { bytes: 700, sha256: digest(1), sha1: '', md5: '', head: '', cut: false, decoded: null },
      image: { ...icon, fault: { code: 'trailing-data', message: '3 bytes behind IEND' } },
    });
    const found = run(facts, {}).findings.map(({ severity, rule, cause }) => `${severity} ${rule} ${cause}`);
    expect(found).toEqual(['note icon-not-image png-trailing-data', 'error icon-type-wrong png-as-svg']);
  });
});
