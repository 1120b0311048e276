// Scenario: every file that a command reads is broken in each way.
import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/commands/index.ts';
import { writeRegistry } from './broken-files-fixture.ts';
import { type Fault, FAULTS, launcherWithoutPrivileges, restore, withFaults } from '../support/broken-files.ts';
import { buildInto } from '../support/built.ts';
import { openSharedProcess, type SharedProcess } from '../support/shared-process.ts';

/** Each file that each command reads, broken in each way: an error with the path, never a stack, and never a wait. */

const URL = 'http://127.0.0.1:1/registry.json';

/** The exit codes of faults; 2 for one that is not listed. */
type Codes = Partial<Record<Fault, number>>;

const ERROR: Codes = {};
/** Content that is not usable is a finding, or refused by a rule. */
const CONTENT: Codes = { empty: 1, truncated: 1, deep: 1, deepMember: 1 };
/** A nested array is a program, an object with names in quotes is not. */
const SOURCE: Codes = { empty: 0, truncated: 1, deep: 0, deepMember: 1 };
/** Only its content can be wrong: without the file, the command has other input. */
const OPTIONAL: Codes = { absent: 0 };
const FINDING = withFaults(1);
/** The only artifact or icon may be stored elsewhere. */
const SINGLE: Codes = { ...FINDING, absent: 0, unreadable: 2 };
const CONFIG = 'appreg.config.json';
const VERSIONS = 'apps/clock/versions.json';

interface Row {
  words: string;
  files: Readonly<Record<string, Codes>>;
}

/** By command; empty for one that reads no file. */
const TABLE: Readonly<Record<string, readonly Row[]>> = {
  init: [{ words: 'init --yes', files: { [CONFIG]: ERROR } }],
  'add-app': [
    {
      words: 'add-app b --name B --description B. --icon icon.svg --color #3b5bdb --yes',
      files: { [CONFIG]: ERROR, 'icon.svg': CONTENT, 'registry.json': CONTENT },
    },
  ],
  'edit-app': [
    {
      words: 'edit-app clock --icon icon.svg',
      files: { [CONFIG]: ERROR, 'icon.svg': CONTENT, 'registry.json': CONTENT },
    },
  ],
  deprecate: [
    {
      words: 'deprecate clock 1.0.0 --reason broken --message Broken.',
      files: { [CONFIG]: ERROR, 'registry.json': CONTENT, [VERSIONS]: CONTENT },
    },
  ],
  'remove-app': [
    {
      words: 'remove-app clock --yes',
      files: {
        [CONFIG]: ERROR,
        'registry.json': CONTENT,
        [VERSIONS]: withFaults(0, ['absent', 'empty', 'truncated', 'deep', 'deepMember']),
      },
    },
  ],
  assemble: [
    {
      words: 'assemble',
      files: {
        [CONFIG]: ERROR,
        'registry.json': CONTENT,
        'apps/clock/app.json': { ...FINDING, unreadable: 2 },
        'apps/clock/icon.svg': { ...FINDING, unreadable: 2 },
      },
    },
    { words: 'assemble --check', files: { [CONFIG]: OPTIONAL, 'apps/clock/icon.svg': { ...FINDING, unreadable: 2 } } },
  ],
  bundle: [
    {
      words: 'bundle src/main.js out.tar.gz',
      files: { [CONFIG]: OPTIONAL, 'src/main.js': SOURCE },
    },
  ],
  attestation: [
    {
      words: 'attestation clock.tar.gz --bundle proof.json --key acme.pub',
      files: { 'clock.tar.gz': CONTENT, 'proof.json': CONTENT, 'acme.pub': ERROR },
    },
    {
      words: 'attestation clock.tar.gz --bundle proof.json --key acme.pub --trusted-root root.json',
      files: { 'root.json': ERROR },
    },
  ],
  checksum: [
    {
      words: 'checksum clock.tar.gz',
      files: { 'clock.tar.gz': withFaults(0, ['empty', 'truncated', 'deep', 'deepMember']) },
    },
  ],
  'publish-version': [
    {
      words: 'publish-version clock 1.1.0 --artifact clock.tar.gz --dry-run',
      files: {
        [CONFIG]: ERROR,
        'clock.tar.gz': CONTENT,
        'registry.json': CONTENT,
        [VERSIONS]: CONTENT,
        'appreg.lock.json': { absent: 1 },
      },
    },
    {
      words: 'publish-version clock 1.1.0 --entry src/main.js --dry-run',
      files: { 'src/main.js': SOURCE },
    },
  ],
  release: [
    {
      words: 'release --check',
      files: {
        [CONFIG]: ERROR,
        'apps/clock/app.json': { ...FINDING, absent: 2, unreadable: 2 },
        'apps/clock/package.json': FINDING,
        'apps/clock/main.js': FINDING,
        'registry.json': ERROR,
        [VERSIONS]: FINDING,
        'appreg.lock.json': OPTIONAL,
      },
    },
  ],
  lint: [
    {
      words: 'lint --baseline report.json',
      files: {
        [CONFIG]: OPTIONAL,
        'report.json': ERROR,
        'registry.json': { ...FINDING, unreadable: 2 },
        [VERSIONS]: { ...FINDING, unreadable: 2 },
        'apps/clock/icon.svg': SINGLE,
        'apps/clock/versions/1.0.0.tar.gz': SINGLE,
        'appreg.lock.json': OPTIONAL,
      },
    },
    { words: 'lint --against facts.json', files: { 'facts.json': ERROR } },
  ],
  verify: [
    {
      words: `verify ${URL} --ca ca.pem --baseline report.json`,
      files: { [CONFIG]: { absent: 1 }, 'ca.pem': ERROR, 'report.json': ERROR },
    },
    { words: `verify ${URL} --against facts.json`, files: { 'facts.json': ERROR } },
  ],
  diagnose: [{ words: 'diagnose facts.json', files: { [CONFIG]: { absent: 1 }, 'facts.json': ERROR } }],
  lock: [
    {
      words: 'lock',
      files: {
        [CONFIG]: OPTIONAL,
        'registry.json': ERROR,
        'appreg.lock.json': OPTIONAL,
        [VERSIONS]: { ...FINDING, unreadable: 2 },
      },
    },
  ],
  mirror: [{ words: `mirror ${URL} copy --base-url https://a.example/ --ca ca.pem`, files: { 'ca.pem': ERROR } }],
  site: [
    {
      words: 'site pages --dry-run',
      files: {
        [CONFIG]: OPTIONAL,
        'registry.json': ERROR,
        // The app is left out, as subscribers do not see it.
        [VERSIONS]: { ...withFaults(0), unreadable: 2 },
      },
    },
  ],
  policy: [{ words: 'policy policy.json', files: { 'policy.json': ERROR } }],
  'policy test': [
    {
      words: 'policy test policy.json registry.json --first-seen appreg.lock.json',
      files: {
        [CONFIG]: OPTIONAL,
        'policy.json': ERROR,
        'registry.json': ERROR,
        'appreg.lock.json': ERROR,
      },
    },
  ],
  diff: [{ words: 'diff registry.json facts.json', files: { [CONFIG]: OPTIONAL, 'registry.json': ERROR } }],
  judge: [
    {
      words: 'judge facts.json --baseline report.json',
      files: { [CONFIG]: { absent: 1 }, 'facts.json': ERROR, 'report.json': ERROR, 'appreg.lock.json': { absent: 1 } },
    },
  ],
  explain: [],
  rules: [{ words: 'rules', files: { [CONFIG]: OPTIONAL } }],
  subscribe: [
    { words: `subscribe ${URL} --service http://127.0.0.1:1/ --name a --ca ca.pem`, files: { 'ca.pem': ERROR } },
  ],
  // With a manifest that cannot be used, and without a configuration, it serves what there is.
  serve: [{ words: 'serve --port 0 --config other.json', files: { 'other.json': ERROR } }],
  service: [{ words: 'service --ca ca.pem', files: { 'ca.pem': ERROR } }],
  'service backup': [],
  conformance: [],
  'conformance documents': [
    { words: 'conformance documents --expected expected.json', files: { 'expected.json': ERROR } },
  ],
  'conformance host': [
    { words: `conformance host ${URL} --expected expected.json`, files: { 'expected.json': ERROR } },
  ],
  'conformance fixtures': [],
  'conformance subscriber': [
    { words: 'conformance subscriber --command true --expected expected.json', files: { 'expected.json': ERROR } },
  ],
  'service restore': [{ words: 'service restore backup.gz --data data', files: { 'backup.gz': ERROR } }],
  completion: [],
};

const root = mkdtempSync(join(realpathSync(tmpdir()), 'appreg-broken-'));
const launcher = launcherWithoutPrivileges();
let appreg: SharedProcess;
beforeAll(async () => {
  await buildInto(root);
  cpSync(join(import.meta.dirname, '../../conformance'), join(root, 'conformance'), { recursive: true });
  // A command that waits for a file is killed.
  appreg = openSharedProcess(join(root, 'dist/node/main.cjs'), { launcher: launcher ?? [], limit: 60_000 });
  await writeRegistry(join(root, 'intact'), appreg);
}, 120_000);
afterAll(() => {
  appreg.close();
  rmSync(root, { recursive: true, force: true });
});

test('the table has a row for every command', () => {
  expect(Object.keys(TABLE).toSorted()).toEqual(COMMANDS.map(({ definition }) => definition.name).toSorted());
});

const cases = Object.values(TABLE)
  .flat()
  .flatMap(({ words, files }) => Object.entries(files).map(([file, codes]) => ({ words, file, codes })));

describe.skipIf(process.platform === 'win32')('a broken file', () => {
  test.each(cases)('$words: $file', { timeout: 120_000 }, async ({ words, file, codes }) => {
    const faults = (Object.keys(FAULTS) as Fault[]).filter((fault) => fault !== 'unreadable' || launcher !== null);
    const seen: Record<string, unknown> = {};
    const cwd = join(root, 'broken');
    for (const fault of faults) {
      restore(cwd, join(root, 'intact'));
      FAULTS[fault](join(cwd, file));
      const env = { PATH: process.env['PATH'], HOME: root };
      const { code, stderr } = await appreg.run(words.split(' '), { cwd, env });
      expect(stderr, fault).not.toMatch(/^ {4}at |internal error|\bE[A-Z]{4,}: /m);
      // A finding names its document and its app, and an error the file.
      const isNamed = fault !== 'absent' || file !== CONFIG;
      if (code === 2 && isNamed) expect(stderr, fault).toContain(basename(file));
      seen[fault] = code;
    }
    expect(seen).toEqual(Object.fromEntries(faults.map((fault) => [fault, codes[fault] ?? 2])));
  });
});
