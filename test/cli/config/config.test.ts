import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Config, rawConfig } from '../../../src/cli/config/config.ts';
import { configAt } from '../../support/config-at.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'appreg-config-')));
});
afterEach(() => rmSync(root, { recursive: true }));

function writeFile(path: string, text: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
}

describe('the configuration file', () => {
  const base = 'https://apps.example.com/';
  test.each([
    ['appreg.config.json', JSON.stringify({ baseUrl: base })],
    ['appreg.config.yaml', `baseUrl: ${base}`],
    ['.appregrc', JSON.stringify({ baseUrl: base })],
    ['package.json', JSON.stringify({ name: 'x', appreg: { baseUrl: base } })],
  ])('is found as %s', async (file, text) => {
    writeFile(file, text);
    expect(await configAt(root, null, {})).toMatchObject({
      config: { baseUrl: base },
      file: join(root, file),
      root,
      unused: [],
    });
  });

  test('is found in a parent folder, past a package.json without a configuration', async () => {
    writeFile('appreg.config.json', JSON.stringify({ baseUrl: base }));
    writeFile('apps/a/package.json', '{ "name": "a" }');
    expect((await configAt(join(root, 'apps/a'), null, {})).root).toBe(root);
  });

  test('is the nearest one, or the one that is named', async () => {
    writeFile('appreg.config.json', JSON.stringify({ baseUrl: base }));
    writeFile('inner/appreg.config.json', JSON.stringify({ baseUrl: `${base}inner/` }));
    expect((await configAt(join(root, 'inner'), null, {})).config.baseUrl).toBe(`${base}inner/`);
    expect((await configAt(join(root, 'inner'), join(root, 'appreg.config.json'), {})).config.baseUrl).toBe(base);
  });

  test('is null if none exists', async () => {
    expect(await configAt(root, null, {})).toMatchObject({ config: {}, file: null, root });
  });
});

describe('a configuration is refused', () => {
  test.each([
    { name: 'if it is broken JSON', text: '{ "baseUrl": ', code: 'config-unreadable' },
    { name: 'with an unknown field', text: '{ "baseURL": "https://x.example/" }', code: 'config-invalid' },
    { name: 'with a wrong type', text: '{ "serviceOrigins": "https://x.example" }', code: 'config-invalid' },
    {
      name: 'with an origin that has a path',
      text: '{ "serviceOrigins": ["https://x.example/"] }',
      code: 'config-invalid',
    },
    { name: 'with an unknown level', text: '{ "rules": { "no-apps": "loud" } }', code: 'config-invalid' },
  ])('$name', async ({ text, code }) => {
    writeFile('appreg.config.json', text);
    await expect(configAt(root, null, {})).rejects.toMatchObject({ known: true, code, exit: 2 });
  });
});

describe('an unset variable', () => {
  const unsetError = {
    known: true,
    code: 'environment-variable-unset',
    exit: 2,
    message: expect.stringContaining('APPS_HOST') as string,
  };

  test.each<{ name: string; text: string; read: (config: Config) => unknown }>([
    {
      name: 'in a field',
      text: '{ "baseUrl": "https://${APPS_HOST}/", "manifest": "a.json" }',
      read: (config) => config.baseUrl,
    },
    {
      name: 'in the store',
      text: '{ "store": { "type": "git", "remote": "${APPS_HOST}" }, "manifest": "a.json" }',
      read: (config) => ({ ...config.store }),
    },
    {
      name: 'in a field that is not a string',
      text: '{ "verify": { "timeout": "${APPS_HOST}" }, "manifest": "a.json" }',
      read: (config) => config.verify?.timeout,
    },
    {
      name: 'in an array',
      text: '{ "serviceOrigins": ["${SET}", "${APPS_HOST}"], "manifest": "a.json" }',
      read: (config) => [...(config.serviceOrigins ?? [])],
    },
  ])('$name is reported only when the field is read', async ({ text, read }) => {
    writeFile('appreg.config.json', text);
    const { config } = await configAt(root, null, { SET: 'https://a.example' });
    expect(config.manifest).toBe('a.json');
    expect(() => read(config)).toThrow(expect.objectContaining(unsetError) as Error);
  });

  test('does not hide other faults of the configuration', async () => {
    writeFile(
      'appreg.config.json',
      '{ "baseUrl": "${APPS_HOST}", "manifest": "a/b.json", "store": { "type": "s3", "region": "${APPS_HOST}" } }',
    );
    await expect(configAt(root, null, {})).rejects.toMatchObject({
      code: 'config-invalid',
      message: expect.stringMatching(
        /“manifest” must be the name of a .json file.*\n.*“bucket” is missing in “store”/,
      ) as string,
    });
  });
});

test('variables are replaced by their values', async () => {
  writeFile('appreg.config.json', '{ "baseUrl": "https://${APPS_HOST}/" }');
  expect((await configAt(root, null, { APPS_HOST: 'a.example' })).config.baseUrl).toBe('https://a.example/');
});

describe('a file without settings is refused', () => {
  test.each([
    ['appreg.config.json', ''],
    ['appreg.config.json', ' \n'],
    ['appreg.config.json', 'null'],
    ['appreg.config.json', '[]'],
    ['appreg.config.json', 'false'],
    ['appreg.config.json', '"text"'],
    ['appreg.config.json', '7'],
    ['appreg.config.yaml', ''],
    ['appreg.config.yml', '# only\n---\n# comments'],
    ['appreg.config.yaml', 'null'],
    ['appreg.config.yaml', '- a'],
    ['appreg.config.yaml', 'a: &x [*x]'],
    ['.appregrc', ''],
    ['.appregrc.json', 'null'],
    ['package.json', '{ "appreg": null }'],
    ['package.json', '{ "appreg": [] }'],
    ['package.json', '{ "appreg": '],
    ['package.json', ''],
    ['appreg.config.toml', 'a = 1'],
    ['appreg.config.json5', '{}'],
    ['appreg.config.jsonc', '{}'],
    ['.appregrc.toml', ''],
    ['.config/appregrc.json', '{}'],
    ['.config/appreg.config.json', '{}'],
  ])('%s: %s', async (name, text) => {
    writeFile(name, text);
    for (const file of [null, join(root, name)]) {
      if (name.startsWith('.config') && file !== null) continue;
      await expect(configAt(root, file)).rejects.toMatchObject({
        known: true,
        exit: 2,
        message: expect.stringContaining(basename(name)) as string,
      });
    }
  });

  test.each(['appreg.config.json', 'appreg.config.yaml', '.appregrc', 'package.json'])(
    '%s that is a folder, or a link that leads nowhere',
    async (name) => {
      const path = join(root, name);
      const message = (): Promise<string> => configAt(root).then(String, (error: Error) => error.message);
      mkdirSync(path);
      expect(await message()).toContain(`${path} is a folder`);
      rmSync(path, { recursive: true });
      symlinkSync('missing', path);
      expect(await message()).toContain(`${path} is a link to a file that does not exist`);
      rmSync(path);
      symlinkSync(name, path);
      expect(await message()).toContain(`${path} is a symbolic link that forms a loop`);
    },
  );
});

test.each([
  ['manifest: 7', '1:11: “manifest” must be text, not 7.'],
  ['rules:\n  # a comment\n  no-apps: loud', '3:12: “rules.no-apps” must be off, note, warning or error, not “loud”.'],
  ['store: { type: s3 }', '1:8: “bucket” is missing in “store”.'],
  ['a: &a 1\nmanifest: *a', '2:11: “manifest” must be text, not 1.'],
  ['$import: other.yaml', '1:1: Unknown setting “$import”.'],
  ['a: 1\na: 2', '2:1: The name occurs twice in one object.'],
  ['a: 1\n---\nb: 2', '2:1: A second document begins here.'],
  ['a: !!js/function "x"', '1:4: Unknown tag.'],
  ['a: [1, *x]', '1:8: No value before this is named “&x”.'],
  ['a: "', '1:5: Missing closing "quote'],
  [`a: &a [${'x,'.repeat(99)}]\nb: &b [${'*a,'.repeat(99)}]\nc: [${'*b,'.repeat(99)}]`, ': Its aliases expand'],
])('an error in YAML has its place: %s', async (text, message) => {
  writeFile('appreg.config.yaml', text);
  await expect(configAt(root)).rejects.toMatchObject({ message: expect.stringContaining(message) as string });
});

const deep = 100_000;

test.each([
  ['appreg.config.json', '['.repeat(deep) + ']'.repeat(deep), / is nested more than 64 levels deep/],
  [
    'appreg.config.json',
    `{"rules":${'{"a":'.repeat(deep)}0${'}'.repeat(deep)}}`,
    / is nested more than 64 levels deep/,
  ],
  ['package.json', `{"appreg":{"rules":${'['.repeat(65)}${']'.repeat(65)}}}`, / is nested more than 64 levels deep/],
  ['.appregrc', '['.repeat(deep) + ']'.repeat(deep), /:\d+:\d+: The value is nested more than 64 levels deep\./],
  ['appreg.config.yaml', '- '.repeat(deep), /:\d+:\d+: The value is nested more than 64 levels deep\./],
  ['appreg.config.yaml', '{a: '.repeat(deep), /:\d+:\d+: The value is nested more than 64 levels deep\./],
  ['appreg.config.yaml', '? '.repeat(deep), /:\d+:\d+: The value is nested more than 64 levels deep\./],
  [
    'appreg.config.yaml',
    Array.from({ length: 500 }, (_, level) => `${' '.repeat(level)}a:\n`).join(''),
    /:\d+:\d+: The value is nested more than 64 levels deep\./,
  ],
])('%s that is nested deep is refused before it is walked', async (file, text, problem) => {
  writeFile(file, text);
  await expect(configAt(root, null, {})).rejects.toMatchObject({
    code: 'config-unreadable',
    message: expect.stringMatching(new RegExp(file + problem.source)),
  });
});

test.each(['appreg.config.json', 'appreg.config.yaml'])('%s may be nested 64 levels deep', async (file) => {
  // Its content is refused by the schema, not for its depth.
  writeFile(file, `{"more":${'['.repeat(63)}${']'.repeat(63)}}`);
  await expect(configAt(root, null, {})).rejects.toMatchObject({ code: 'config-invalid' });
});

test('a date in YAML without quotes is text', async () => {
  writeFile('appreg.config.yaml', 'exceptions:\n  - { rule: no-apps, reason: none, until: 2027-03-01 }');
  expect((await configAt(root)).config.exceptions?.[0]?.until).toBe('2027-03-01');
});

test('a byte order mark is ignored', async () => {
  writeFile('appreg.config.json', '\ufeff{ "manifest": "a.json" }');
  expect((await configAt(root)).config.manifest).toBe('a.json');
});

test('the first of several files is used, and the others are named', async () => {
  for (const name of ['appreg.config.mjs', 'appreg.config.json', 'appreg.config.toml']) writeFile(name, '{}');
  writeFile('package.json', '{ "appreg": {} }');
  expect(await configAt(root)).toMatchObject({
    file: join(root, 'appreg.config.json'),
    unused: ['package.json', 'appreg.config.mjs', 'appreg.config.toml'],
  });
});

describe('the search ends', () => {
  beforeEach(() => writeFile('appreg.config.json', '{}'));

  test('before the folder of the user with configurations of other tools', async () => {
    mkdirSync(join(root, '.config/appreg'), { recursive: true });
    writeFile('.config/appreg/config.yaml', 'manifest: 7');
    mkdirSync(join(root, 'a/.git'), { recursive: true });
    vi.stubEnv('XDG_CONFIG_HOME', join(root, '.config'));
    writeFile('a/package.json', '{ "name": "a" }');
    expect((await configAt(join(root, 'a'))).file).toBeNull();
    vi.unstubAllEnvs();
  });

  test('at the root of a repository', async () => {
    mkdirSync(join(root, 'a/.git'), { recursive: true });
    mkdirSync(join(root, 'a/b'));
    expect((await configAt(join(root, 'a/b'))).file).toBeNull();
  });

  test.skipIf(process.getuid?.() !== 0)('with an error at a file of another user in a parent folder', async () => {
    mkdirSync(join(root, 'a'));
    chownSync(join(root, 'appreg.config.json'), 65534, 65534);
    await expect(configAt(join(root, 'a'))).rejects.toMatchObject({ code: 'config-owner', exit: 2 });
    expect((await configAt(root)).file).toBe(join(root, 'appreg.config.json'));
  });
});

/** Code that leaves a trace. */
function code(): string {
  return `require('node:fs').writeFileSync(${JSON.stringify(join(root, 'executed'))}, '');`;
}

function isExecuted(): boolean {
  return existsSync(join(root, 'executed'));
}

describe('code', () => {
  const ENDINGS = ['js', 'mjs', 'cjs', 'ts', 'mts', 'cts'];
  const NAMES = ENDINGS.flatMap((ending) =>
    ['appreg.config', '.appregrc', '.config/appreg.config', '.config/appregrc'].map((stem) => `${stem}.${ending}`),
  );

  test.each(NAMES)('in %s is an error that names the file and says what to write', async (name) => {
    writeFile(name, code());
    const refused = {
      code: 'config-unsupported',
      exit: 2,
      message: `${join(root, name)} is code, which appreg does not execute: a configuration is data.`,
      hint: 'Write its settings in appreg.config.json or appreg.config.yaml, and remove it.',
    };
    await expect(configAt(root)).rejects.toMatchObject(refused);
    await expect(configAt(root, join(root, name))).rejects.toMatchObject(refused);
    expect(await rawConfig(root, null)).toBeNull();
    expect(await rawConfig(root, join(root, name))).toBeNull();
    expect(isExecuted()).toBe(false);
  });

  test('in a folder hides no configuration of its parent folder', async () => {
    writeFile('appreg.config.json', '{}');
    writeFile('apps/appreg.config.ts', '');
    await expect(configAt(join(root, 'apps'))).rejects.toMatchObject({ code: 'config-unsupported' });
  });

  test.each(['appreg.config.json', 'appreg.config.yaml', '.appregrc', 'package.json'])(
    'that %s imports is not executed',
    async (name) => {
      writeFile('x.cjs', code());
      writeFile('settings.json', '{ "manifest": "a.json" }');
      for (const path of ['./x.cjs', './settings.json']) {
        const settings = { $import: path };
        writeFile(name, JSON.stringify(name === 'package.json' ? { appreg: settings } : settings));
        await expect(configAt(root)).rejects.toMatchObject({
          code: 'config-invalid',
          message: expect.stringContaining('Unknown setting “$import”.') as string,
        });
      }
      expect(isExecuted()).toBe(false);
    },
  );

  // cosmiconfig searches the current folder for settings of its own, at each use.
  test.each(['.config/config.cjs', '.config/config.js'])(
    'and settings for the library in %s are not executed',
    async (settings) => {
      writeFile(settings, code());
      writeFile('package.json', '{ "appreg": {} }');
      vi.spyOn(process, 'cwd').mockReturnValue(root);
      try {
        for (const name of ['package.json', '.appregrc', 'appreg.config.yaml', 'appreg.config.json']) {
          if (name !== 'package.json') writeFile(name, '{}');
          expect((await configAt(root)).file).toBe(join(root, name));
        }
      } finally {
        vi.restoreAllMocks();
      }
      expect(isExecuted()).toBe(false);
    },
  );
});

describe('invalid rules and exceptions', () => {
  const text =
    '{\n  "manifest": "a.json",\n  "rules": { "no-app": "off" },\n  "exceptions": [{ "rule": "x", "reason": "y" }]\n}';

  test('are reported where they are used, all at once, and only there', async () => {
    writeFile('appreg.config.json', text);
    const { config, rules } = await configAt(root);
    expect(config.manifest).toBe('a.json');
    const refused = {
      code: 'rule-unknown',
      exit: 2,
      message: expect.stringMatching(/:3:14: .*no-app.*\n.*:4:28: .*“x”/) as string,
    };
    await expect(rules()).rejects.toMatchObject(refused);
    await expect(rules()).rejects.toMatchObject(refused);
    expect(await rawConfig(root, null)).toMatchObject({ config: { manifest: 'a.json' } });
  });

  test('have the places of the field of a package.json', async () => {
    writeFile('package.json', '{\n  "appreg": {\n    "rules": { "no-app": "off" } } }');
    await expect((await configAt(root)).rules()).rejects.toMatchObject({
      message: expect.stringContaining('package.json:3:16: ') as string,
    });
  });

  test('are checked once', async () => {
    writeFile('appreg.config.json', '{ "rules": { "no-apps": "off" } }');
    const { rules } = await configAt(root);
    expect(await rules()).toBe(await rules());
    expect(await rules()).toEqual({ levels: { 'no-apps': 'off' }, exceptions: null });
  });
});
