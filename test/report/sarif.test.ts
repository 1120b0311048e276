import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { rules } from '../../src/core/rules/index.ts';
import type { Report } from '../../src/core/findings/report.ts';
import type { Severity } from '../../src/core/values/severity.ts';
import { parseUrl } from '../../src/core/url/url.ts';
import { sarif } from '../../src/report/sarif.ts';
import { finding, HOSTILE, hostile, NOTHING, notJudged, report } from '../support/reports.ts';

const schema = JSON.parse(
  readFileSync(new URL('../fixtures/sarif-2.1.0-rtm.5.json', import.meta.url), 'utf8'),
) as Record<string, unknown>;
// The schema names draft 4, but has the same meaning in draft 7.
delete schema['$schema'];
delete schema['id'];
const ajv = new Ajv({
  strict: false,
  unicodeRegExp: false,
  formats: {
    uri: (text: string) => parseUrl(text) !== null && /^[!-~]+$/.test(text),
    'uri-reference': (text: string) => parseUrl(text, 'https://base.example/a/') !== null && /^[!-~]*$/.test(text),
    'date-time': (text: string) => !Number.isNaN(Date.parse(text)),
  },
});
const validate = ajv.compile(schema);

interface Result {
  ruleId: string;
  ruleIndex: number;
  level: string;
  message: { text: string };
  locations: [
    {
      physicalLocation: {
        artifactLocation: { uri: string; uriBaseId?: string };
        region: { startLine: number; startColumn?: number };
      };
      logicalLocations?: { fullyQualifiedName: string }[];
    },
  ];
  partialFingerprints: Record<string, string>;
}
interface Run {
  tool: { driver: { name: string; informationUri: string; rules: { id: string; [name: string]: unknown }[] } };
  invocations: [
    {
      executionSuccessful: boolean;
      ruleConfigurationOverrides: unknown[];
      toolExecutionNotifications: { level: string; message: { text: string } }[];
    },
  ];
  originalUriBaseIds: Record<string, { uri?: string }>;
  results: Result[];
}

function runOf(of: Report, folder = '', severities: Record<string, Severity | 'off'> = {}): Run {
  const log = JSON.parse(sarif(of, { folder, severities })) as { runs: [Run] };
  expect(validate(log), JSON.stringify(validate.errors?.slice(0, 3))).toBe(true);
  return log.runs[0];
}

const placeOf = (result: Result | undefined): unknown => result!.locations[0].physicalLocation;

test('a clean report describes every rule and has no results', () => {
  const run = runOf(report());
  expect(run.results).toEqual([]);
  expect(run.invocations[0]).toMatchObject({ executionSuccessful: true, toolExecutionNotifications: [] });
  expect(run.tool.driver.rules.map(({ id }) => id)).toEqual(rules.map(({ id }) => id));
});

test('the tool and each rule link to their documentation', () => {
  const { driver } = runOf(report()).tool;
  const home = (JSON.parse(readFileSync('package.json', 'utf8')) as { homepage: string }).homepage;
  expect(driver.informationUri).toBe(home.replace(/#.*/, ''));
  const headings = readFileSync('docs/rules.md', 'utf8')
    .match(/^### .+$/gm)!
    .map((line) => line.slice(4));
  const pages = driver.rules.map(({ helpUri }) => String(helpUri).split('#'));
  expect(new Set(pages.map(([page]) => page))).toEqual(new Set([`${driver.informationUri}/blob/main/docs/rules.md`]));
  expect(pages.map(([, anchor]) => anchor).toSorted()).toEqual(headings.toSorted());
});

test.each(rules.map((rule) => [rule.id, rule] as const))(
  'the descriptions of %s have lengths that code scanning accepts',
  (id) => {
    const { shortDescription, fullDescription, help } = runOf(report()).tool.driver.rules.find(
      (rule) => rule.id === id,
    ) as {
      [name: string]: { text: string } | string;
    } as Record<string, { text: string }>;
    for (const { text } of [shortDescription!, fullDescription!]) {
      expect(text.length).toBeLessThanOrEqual(1024);
      expect(text).not.toContain('`');
    }
    expect(help!.text).toMatch(/^Fails when .+\.\n\n./s);
  },
);

test('a finding in a file has rule, level, message, location and subject', () => {
  const [result] = runOf(report({ findings: [finding()] })).results;
  expect(result).toMatchObject({
    ruleId: 'checksum-malformed',
    ruleIndex: rules.findIndex(({ id }) => id === 'checksum-malformed'),
    level: 'error',
    message: { text: 'The digest is written in upper case. Write it in lower case.' },
    properties: { advice: 'Write it in lower case.', cause: 'uppercase', symptom: 'checksum-mismatch', spec: '2.2' },
  });
  expect(placeOf(result)).toEqual({
    artifactLocation: { uri: 'apps/hello/versions.json', uriBaseId: '%SRCROOT%' },
    region: { startLine: 6, startColumn: 27 },
  });
  expect(result!.locations[0].logicalLocations!.map((one) => one.fullyQualifiedName)).toEqual(['hello', 'hello@1.0.0']);
  // The uploader names it by the line in the repository, and warns of other names.
  expect(Object.keys(result!.partialFingerprints)).toEqual(['appreg/v2']);
});

test.each([
  ['', 'apps/x.json', 'apps/x.json'],
  ['registries/acme', 'apps/x.json', 'registries/acme/apps/x.json'],
  ['a/b', '../x.json', 'a/x.json'],
  ['', './x.json', 'x.json'],
  ['', 'a b/é%#?.json', 'a%20b/%C3%A9%25%23%3F.json'],
  ['', 'x:y.json', 'x%3Ay.json'],
  ['', '/elsewhere/x y.json', 'file:///elsewhere/x%20y.json'],
  ['', 'D:\\apps\\x.json', 'file:///D%3A/apps/x.json'],
])('in folder “%s”, the file %s has the URI %s', (folder, file, uri) => {
  const [result] = runOf(report({ findings: [finding({ file })] }), folder).results;
  expect(result!.locations[0].physicalLocation.artifactLocation.uri).toBe(uri);
});

const live = (more: Parameters<typeof finding>[0]) => finding({ file: null, line: null, column: null, ...more });

describe('a finding about a response', () => {
  const target = 'https://apps.example.com/registry.json';

  test.each([
    ['https://apps.example.com/a/x.json', 'a/x.json', 'https://apps.example.com/'],
    ['https://apps.example.com:8443/a/x.json?v=1', 'a/x.json?v=1', 'https://apps.example.com:8443/'],
    ['https://apps.example.com/', './', 'https://apps.example.com/'],
    ['https://apps.example.com/a:b/x.json', './a:b/x.json', 'https://apps.example.com/'],
    ['https://apps.example.com//x.json', './/x.json', 'https://apps.example.com/'],
    ['https://u:p@apps.example.com/x.json', 'x.json', 'https://apps.example.com/'],
  ])('at %s has a location relative to its origin', (url, uri, base) => {
    const run = runOf(report({ command: 'verify', target, findings: [live({ url })] }));
    const { artifactLocation } = run.results[0]!.locations[0].physicalLocation;
    expect(artifactLocation.uri).toBe(uri);
    expect(run.originalUriBaseIds[artifactLocation.uriBaseId!]!.uri).toBe(base);
    expect(new URL(uri, base).href).toBe(url.replace('u:p@', ''));
    expect(run.results[0]!.message.text).toContain(url);
  });

  test('has one base per origin', () => {
    const urls = ['https://a.example/x', 'https://b.example/x', 'https://a.example/y'];
    const run = runOf(report({ target, findings: urls.map((url) => live({ url })) }));
    const bases = run.results.map((one) => one.locations[0].physicalLocation.artifactLocation.uriBaseId!);
    expect(bases).toEqual(['ORIGIN', 'ORIGIN2', 'ORIGIN']);
    expect(Object.keys(run.originalUriBaseIds)).toEqual(['ORIGIN', 'ORIGIN2']);
  });

  test('has a line only if the line is in the document at its URL', () => {
    const at = { line: 7, column: 3 };
    const run = runOf(
      report({
        target,
        findings: [
          live({ ...at, url: 'https://b.example/v.json' }),
          live({ ...at, url: 'https://b.example/a.tar.gz', resource: 'artifact', pointer: '/versions/0/artifactUrl' }),
          live({ ...at, url: 'not a url', resource: 'metadata', pointer: '/apps/hello/appMetadataUrl' }),
          live({ ...at, url: 'https://b.example/i.svg', resource: 'icon', pointer: '/apps/hello/blockStyle/iconUrl' }),
        ],
      }),
    );
    const places = run.results.map((one) => {
      const { artifactLocation, region } = one.locations[0].physicalLocation;
      return [new URL(artifactLocation.uri, run.originalUriBaseIds[artifactLocation.uriBaseId!]!.uri).href, region];
    });
    expect(places).toEqual([
      ['https://b.example/v.json', { startLine: 7, startColumn: 3 }],
      ['https://b.example/a.tar.gz', { startLine: 1 }],
      [target, { startLine: 7, startColumn: 3 }],
      [target, { startLine: 7, startColumn: 3 }],
    ]);
  });

  test('has a fingerprint for uploaders that cannot read the file', () => {
    const [result] = runOf(report({ target, findings: [live({ url: 'https://a.example/x' })] })).results;
    expect(result!.partialFingerprints['primaryLocationLineHash']).toBe(
      `${result!.partialFingerprints['appreg/v2']}:1`,
    );
  });
});

describe('the invocation', () => {
  test('is not successful if the run is incomplete, and states the reason', () => {
    const [invocation] = runOf(NOTHING).invocations;
    expect(invocation.executionSuccessful).toBe(false);
    expect(invocation.toolExecutionNotifications).toEqual([
      { level: 'error', message: { text: 'The run is incomplete: usage: unknown option --fixx' } },
    ]);
  });

  test('lists what was not judged once for each rule and reason', () => {
    const entries = ['1.0.0', '1.1.0'].map((version) =>
      notJudged({
        rule: 'artifact-bomb',
        app: 'hello',
        version,
        resource: 'artifact',
        code: 'not-in-workspace',
        reason: 'it is not there',
      }),
    );
    const [invocation] = runOf(report({ notJudged: [notJudged(), ...entries] })).invocations;
    expect(invocation.toolExecutionNotifications.map(({ level, message }) => [level, message.text])).toEqual([
      ['note', 'unreachable was not judged: needs the network'],
      ['note', 'artifact-bomb was not judged in 2 places: it is not there'],
    ]);
  });

  test('lists what other shards check', () => {
    const aside = notJudged({
      rule: '*',
      resource: 'metadata',
      code: 'other-shard',
      reason: '3 apps of the other shards (this run is one of 2 shards)',
    });
    const [invocation] = runOf(report({ notJudged: [aside] })).invocations;
    expect(invocation.executionSuccessful).toBe(true);
    expect(invocation.toolExecutionNotifications).toEqual([
      { level: 'note', message: { text: 'Not checked: 3 apps of the other shards (this run is one of 2 shards)' } },
    ]);
  });

  test('lists rules with changed severities', () => {
    const [invocation] = runOf(report(), '', { 'url-insecure': 'off', 'text-empty': 'error' }).invocations;
    expect(invocation.ruleConfigurationOverrides).toMatchObject([
      { descriptor: { id: 'url-insecure' }, configuration: { enabled: false } },
      { descriptor: { id: 'text-empty' }, configuration: { level: 'error' } },
    ]);
  });

  test.each([
    [5000, 5000, 'warning', null],
    [5001, 5001, 'error', /^There are 5,001 findings, listed by severity\. Code scanning keeps only 5,000/],
    [25_001, 25_000, 'error', /The least severe 1 finding is omitted\. Code/],
  ])('contains %i findings as %i results, without the least severe ones', (all, listed, first, notification) => {
    const findings = Array.from({ length: all }, (_, i) => finding({ severity: i === all - 1 ? 'error' : 'warning' }));
    const log = JSON.parse(sarif(report({ findings }), { folder: '', severities: {} })) as { runs: [Run] };
    const [run] = log.runs;
    expect(run.results).toHaveLength(listed);
    expect(run.results[0]!.level).toBe(first);
    const texts = run.invocations[0].toolExecutionNotifications.map(({ message }) => message.text);
    if (notification === null) expect(texts).toEqual([]);
    else expect(texts[0]).toMatch(notification);
  });
});

test('brackets in a message are escaped so that they are not links', () => {
  const message = 'See [here](https://evil.example) and a[0].';
  const [result] = runOf(report({ findings: [finding({ message, advice: 'x' })] })).results;
  expect(result!.message.text).toBe('See \\[here\\](https://evil.example) and a\\[0\\]. x');
  const [plain] = runOf(report({ findings: [finding({ message: 'a[0] is no string.', advice: 'x' })] })).results;
  expect(plain!.message.text).toBe('a[0] is no string. x');
});

test.each(HOSTILE)('the log is valid with hostile text: %j', (text) => {
  expect(runOf(hostile(text)).results).toHaveLength(4);
});
