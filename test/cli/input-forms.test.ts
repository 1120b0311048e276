import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildInto } from '../support/built.ts';
import { openSharedProcess, type SharedProcess } from '../support/shared-process.ts';
import { writeRegistry } from './broken-files-fixture.ts';

/** Each kind of input file with each kind of fault: one readable sentence, with its place. */

/** The text of a file with a fault, and the line that reports it. */
type Case = readonly [text: string, line: string];

interface Kind {
  words: string;
  file: string;
  cases: Readonly<Record<string, Case>>;
}

const DIGEST = 'a'.repeat(64);
const lock = (entry: string): string => `{ "lock": 1, "apps": { "clock": {\n  ${entry} } } }`;
const ENTRY = `"artifactUrl": "https://a.example/a.tar.gz", "artifactChecksum": "sha256:${DIGEST}"`;
const app = (more: string): string => `{ "name": "Clock", "description": "A.", "color": "#3b5bdb",\n  ${more} }`;
const report = (finding: string): string =>
  `{ "schema": 1, "tool": { "name": "appreg" }, "registries": [], "findings": [\n  { ${finding} } ] }`;
const TEXTS = '"app": null, "version": null, "registry": "x", "fingerprint": "0"';
const missing = '{ "missing": { "code": "offline" } }';
const facts = (more: string): string =>
  `{ "snapshot": 1, "target": "x", "origins": [], "apps": [], "manifest": { "url": null, "file": null, "web": ${missing}, "content": ${missing} },\n  ${more} }`;

const CONFIG = 'appreg.config.json';
const NOT_JSON: Case = ['{\n  "a": 1,\n}', ':2:9: Trailing comma'];

const configCases: Kind['cases'] = {
  'unknown name': ['{\n  "baseURL": "https://a.example/" }', ':2:3: Unknown setting “baseURL”. Did you mean baseUrl?'],
  'wrong type': ['{\n  "manifest": 3 }', ':2:15: “manifest” must be text, not 3.'],
  'missing field': ['{\n  "store": {} }', ':2:12: “type” is missing in “store”.'],
  'missing field of a choice': ['{\n  "store": { "type": "s3" } }', ':2:12: “bucket” is missing in “store”.'],
  'bad pattern': [
    '{\n  "baseUrl": "a.example" }',
    ':2:14: “baseUrl” must be a URL with https: (http: is only for localhost) and without user name, query and fragment, such as "https://apps.example.com/", not “a.example”.',
  ],
  'number out of range': [
    '{\n  "verify": { "concurrency": 300 } }',
    ':2:30: “verify.concurrency” must be at most 256, not 300.',
  ],
  'number below its range': [
    '{\n  "verify": { "timeout": 0 } }',
    ':2:26: “verify.timeout” must be more than 0, not 0.',
  ],
  'unknown choice': [
    '{\n  "rules": { "no-apps": "warn" } }',
    ':2:25: “rules.no-apps” must be off, note, warning or error, not “warn”. Did you mean warning?',
  ],
  'unknown rule': [
    '{\n  "rules": { "no-app": "off" } }',
    ':2:14: Unknown rule “no-app” in “rules”. Did you mean no-apps?',
  ],
  'invalid exception': [
    '{\n  "exceptions": [{ "rule": "no-apps", "reson": "x", "until": "soon" }] }',
    ':2:39: Unknown setting “reson” in “exceptions[0]”. Did you mean reason?',
  ],
  'exception without a reason': [
    '{\n  "exceptions": [{ "rule": "no-apps" }] }',
    ':2:18: “reason” is missing in “exceptions[0]”.',
  ],
  'duplicate key': [
    '{ "manifest": "a.json",\n  "manifest": "b.json" }',
    ':2:3: The name “manifest” occurs twice in one object.',
  ],
  'not JSON': NOT_JSON,
};

const buildCases: Kind['cases'] = {
  'unknown name': [app('"entri": "main.js"'), ':2:3: Unknown field “entri”. Did you mean entry?'],
  'wrong type': [app('"entry": 3'), ':2:12: “entry” must be text, not 3.'],
  'bad pattern': [
    app('"entry": "../main.js"'),
    ':2:12: “entry” must be a relative path inside the folder, such as "main.ts", not “../main.js”.',
  ],
  'duplicate key': [app('"entry": "a.js", "entry": "main.js"'), ':2:20: The name “entry” occurs twice in one object.'],
  'not JSON': NOT_JSON,
};

const factsCases: Kind['cases'] = {
  'wrong type': [facts('"seenAt": 3'), ':2:13: “seenAt” must be text, not 3.'],
  'missing field': [facts('"more": 1'), ':1:1: “seenAt” is missing.'],
  'bad pattern': [
    facts('"seenAt": "now"'),
    ':2:13: “seenAt” must be a time in UTC, such as "2026-01-31T12:00:00Z", not “now”.',
  ],
  'number out of range': [
    facts('"seenAt": "2026-01-01T00:00:00Z", "shard": { "index": 0, "of": 2 }'),
    ':2:57: “shard.index” must be at least 1, not 0.',
  ],
  'duplicate key': [
    facts('"seenAt": "2026-01-01T00:00:00Z", "apps": 1'),
    ':2:37: The name “apps” occurs twice in one object.',
  ],
  'another format': [
    '{\n  "snapshot": 2 }',
    ':2:15: “snapshot” must be 1, the format that this version of appreg reads, not 2.',
  ],
  'not JSON': ['{ "snapshot": 1,\n  "a": 1,\n}', ':2:9: Trailing comma'],
};

const KINDS: readonly Kind[] = [
  { words: 'lint', file: CONFIG, cases: configCases },
  {
    words: 'assemble',
    file: 'apps/clock/app.json',
    cases: {
      ...buildCases,
      'unknown name': [app('"iconURL": "x"'), ':2:3: Unknown field “iconURL”. Did you mean iconUrl?'],
      'missing field': ['{ "name": "Clock",\n  "color": "#3b5bdb" }', ':1:1: “description” is missing.'],
      'blank text': [app('"iconUrl": " "'), ':2:14: “iconUrl” must be text that is not blank, not “ ”.'],
    },
  },
  { words: 'release --check', file: 'apps/clock/app.json', cases: buildCases },
  {
    words: 'lint',
    file: 'appreg.lock.json',
    cases: {
      'unknown name': [
        lock(`"1.0.0": { ${ENTRY}, "byte": 1 }`),
        'Unknown field “byte” in “apps.clock["1.0.0"]”. Did you mean bytes?',
      ],
      'wrong type': [lock('"1.0.0": 3'), ':2:12: “apps.clock["1.0.0"]” must be an object, not 3.'],
      'missing field': [
        lock('"1.0.0": { "artifactUrl": "x" }'),
        ':2:12: “artifactChecksum” is missing in “apps.clock["1.0.0"]”.',
      ],
      'bad pattern': [
        lock(`"v1": { ${ENTRY} }`),
        ':2:3: The name “v1” in “apps.clock” must be a semantic version, such as 1.2.0.',
      ],
      'number out of range': [
        lock(`"1.0.0": { "bytes": -1, ${ENTRY} }`),
        ':2:23: “apps.clock["1.0.0"].bytes” must be at least 0, not -1.',
      ],
      'duplicate key': [
        lock(`"1.0.0": { "bytes": 1, "bytes": 2, ${ENTRY} }`),
        ':2:26: The name “bytes” occurs twice in one object.',
      ],
      'not JSON': NOT_JSON,
    },
  },
  {
    words: 'lint --baseline report.json',
    file: 'report.json',
    cases: {
      'wrong type': [report(`"rule": 3, ${TEXTS}`), ':2:13: “findings[0].rule” must be text, not 3.'],
      'missing field': [report(TEXTS), ':2:3: “rule” is missing in “findings[0]”. It must be text.'],
      'unknown choice': [
        '{ "schema": 1, "tool": { "name": "eslint" }, "findings": [] }',
        ':1:34: “tool.name” must be appreg: ',
      ],
      'number out of range': [
        '{ "schema": 2, "tool": { "name": "appreg" }, "findings": [] }',
        ':1:13: “schema” must be 1, ',
      ],
      'duplicate key': [
        report(`"rule": "x", "rule": "y", ${TEXTS}`),
        ':2:18: The name “rule” occurs twice in one object.',
      ],
      'another kind of file': ['{ "snapshot": 1 }', ':1:1: The file is not a report of appreg, but saved facts.'],
      'not JSON': NOT_JSON,
    },
  },
  { words: 'judge facts.json', file: 'facts.json', cases: factsCases },
  {
    words: 'lint --against facts.json',
    file: 'facts.json',
    cases: {
      'wrong type': ['{ "snapshot": 1, "manifest": 3,\n  "apps": [] }', ':1:30: “manifest” must be an object, not 3.'],
      'missing field': [
        `{ "snapshot": 1, "manifest": { "content": ${missing} } }`,
        ':1:1: “apps” is missing. It must be a list.',
      ],
      'another format': factsCases['another format']!,
      'not JSON': NOT_JSON,
    },
  },
  {
    words: 'release --check',
    file: 'apps/clock/package.json',
    cases: {
      'not JSON': NOT_JSON,
    },
  },
];

const root = mkdtempSync(join(realpathSync(tmpdir()), 'appreg-forms-'));
let appreg: SharedProcess;
beforeAll(async () => {
  await buildInto(root);
  appreg = openSharedProcess(join(root, 'dist/node/main.cjs'), { launcher: [], limit: 60_000 });
  await writeRegistry(join(root, 'work'), appreg);
}, 120_000);
afterAll(() => {
  appreg.close();
  rmSync(root, { recursive: true, force: true });
});

describe.each(KINDS)('$words: $file', ({ words, file, cases }) => {
  test.each(Object.entries(cases))('%s', { timeout: 60_000 }, async (_, [text, line]) => {
    const cwd = join(root, 'work');
    const path = join(cwd, file);
    const before = readFileSync(path);
    writeFileSync(path, text);
    const env = { PATH: process.env['PATH'], HOME: root };
    const { code, stdout, stderr } = await appreg
      .run(words.split(' '), { cwd, env })
      .finally(() => writeFileSync(path, before));
    const output = stdout + stderr;
    expect(output).toContain(line);
    // A line begins with its file.
    expect(output.split('\n').find((one) => one.includes(line))).toContain(file);
    expect(code).toBe(line !== '' && /assemble|release/.test(words) ? 1 : 2);
    expect(output).not.toMatch(/must match|must NOT|schema"|node_modules|\$defs|\^[\\(]|^ {4}at /m);
  });
});

test('all errors of a file are reported at once, in their order', async () => {
  const cwd = join(root, 'work');
  const path = join(cwd, CONFIG);
  const before = readFileSync(path);
  writeFileSync(path, '{\n  "aps": 1,\n  "manifest": 2,\n  "rules": { "x": "off" }\n}');
  const env = { PATH: process.env['PATH'], HOME: root };
  const { code, stderr } = await appreg.run(['lint'], { cwd, env }).finally(() => writeFileSync(path, before));
  expect(code).toBe(2);
  expect([...stderr.matchAll(/json:(\d:\d+): /g)].map(([, place]) => place)).toEqual(['2:3', '3:15', '4:14']);
});
