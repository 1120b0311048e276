import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { folder, write } from '../support/folders.ts';
import { describeOnWindows, type Ran, windowsPath } from '../support/windows.ts';

/** The main commands on Windows, in folders with spaces and non-Latin letters in their names: the same bytes as on Linux. */

const APPREG = fileURLToPath(new URL('../../bin/appreg.js', import.meta.url));

const SOURCES = {
  'src/main.ts': `/*! licence
 * of two lines */
import data from './data.json';
import { helper } from '../shared/helper.ts';
export const run = (): string => [data.name, helper, __dirname, \`a
b\`].join();
`,
  'src/data.json': '{ "name": "wörld" }\n',
  'src/ui.tsx': `import './ui.css';\nexport const label = 'é';\n`,
  'src/ui.css': 'p {\n  color: red;\n}\n',
  'src/locales/de.json': '{ "a": "ä" }\n',
  'shared/helper.ts': '// A helper.\nexport const helper = 1;\n',
  'icon.svg': '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>\n',
};

/** Runs a program with pipes, and prints its output. */
const PIPE = `const { execFileSync } = require('node:child_process');
const run = () => {
  try {
    return execFileSync(process.execPath, process.argv.slice(2));
  } catch (error) {
    return error.stdout;
  }
};
require('node:fs').writeSync(1, run());
`;

function onLinux(args: readonly string[], cwd: string): Ran {
  const { status, stdout, stderr } = spawnSync(process.execPath, [APPREG, ...args], { cwd, encoding: 'utf8' });
  return { code: status, out: stdout, err: stderr };
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/** All files below a folder, with `/`. */
function filesIn(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();
}

function add(key: string, icon: string): string[] {
  return ['add-app', key, '--name', 'Clock', '--description', 'Time', '--color', '#1864ab', '--icon', icon];
}

/** The files that the findings of a report in JSON name. */
function filesOf({ out }: Ran): string[] {
  const { findings } = JSON.parse(out) as { findings: { file: string }[] };
  return findings.map(({ file }) => file);
}

describeOnWindows('a workspace', '22', (windows) => {
  let place = '';
  let registry = '';
  const appreg = (...args: string[]): Ran => windows.run(args, { cwd: registry });

  beforeAll(() => {
    place = join(folder(), 'my apps', '日本 ü');
    mkdirSync(place, { recursive: true });
    write(place, SOURCES);
    registry = join(place, 'the registry');
    const made = windows.run(['init', 'the registry', '--base-url', 'https://apps.example.com/r/', '--ci', 'github'], {
      cwd: place,
    });
    expect(made).toMatchObject({
      code: 0,
      out: 'created the registry/appreg.config.json\ncreated the registry/registry.json\ncreated the registry/.github/workflows/registry.yml\n',
    });
  }, 60_000);

  test('accepts paths with backslashes, with a drive letter and in another case', () => {
    expect(appreg(...add('clock', '..\\icon.svg'))).toMatchObject({ code: 0 });
    expect(appreg(...add('mail', windowsPath(join(place, 'ICON.svg'))))).toMatchObject({ code: 0 });
    expect(readFileSync(join(registry, 'apps/mail/icon.svg'), 'utf8')).toBe(SOURCES['icon.svg']);
  });

  test('is bundled to the same bytes as on Linux, also with CRLF sources and a path in another case', () => {
    const options = ['--ui', '../src/ui.tsx', '--include', 'locales/*'];
    const linux = onLinux(['bundle', '../src/main.ts', '../linux.tar.gz', ...options], registry);
    expect(linux).toMatchObject({ code: 0 });
    const plain = appreg('bundle', '..\\src\\main.ts', '..\\build\\windows.tar.gz', ...options);
    expect(plain).toMatchObject({ code: 0, out: linux.out.replace('../linux', '..\\build\\windows') });
    expect(sha256(join(place, 'build/windows.tar.gz'))).toBe(sha256(join(place, 'linux.tar.gz')));

    const crlf = join(folder(), 'crlf');
    const { 'src/locales/de.json': unchanged, ...code } = SOURCES;
    const converted = Object.entries(code).map(([path, text]) => [path, text.replaceAll('\n', '\r\n')]);
    write(crlf, { ...Object.fromEntries(converted), 'src/locales/de.json': unchanged });
    const other = windows.run(
      ['bundle', windowsPath(join(crlf, 'SRC/MAIN.TS')), 'out.tar.gz', '--ui', 'src\\ui.tsx', '--include', 'locales/*'],
      { cwd: crlf },
    );
    expect(other).toMatchObject({ code: 0 });
    expect(sha256(join(crlf, 'out.tar.gz'))).toBe(sha256(join(place, 'linux.tar.gz')));
  });

  test('with an error in its code is reported with the path of the file', () => {
    writeFileSync(join(place, 'src/broken.ts'), 'export const a = (;\r\n');
    const ran = appreg('bundle', '..\\src\\broken.ts', 'broken.tar.gz');
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain(`${windowsPath(join(place, 'src/broken.ts'))}:1:19: Unexpected ";"`);
    expect(existsSync(join(registry, 'broken.tar.gz'))).toBe(false);
  });

  test('has the same files as on Linux after publish-version, and reports contain forward slashes', () => {
    const artifact = join(place, 'linux.tar.gz');
    const publish = ['publish-version', 'clock', '1.0.0', '--no-read-back', '--artifact'];
    expect(appreg(...publish, '..\\linux.tar.gz')).toMatchObject({ code: 0 });
    expect(appreg(...publish, windowsPath(artifact)).out).toMatch(/^already published as clock 1\.0\.0\n/);
    expect(sha256(join(registry, 'apps/clock/versions/1.0.0.tar.gz'))).toBe(sha256(artifact));
    expect(filesIn(registry)).toEqual([
      '.github/workflows/registry.yml',
      'appreg.config.json',
      'apps/clock/icon.svg',
      'apps/clock/versions.json',
      'apps/clock/versions/1.0.0.tar.gz',
      'apps/mail/icon.svg',
      'apps/mail/versions.json',
      'registry.json',
    ]);
    writeFileSync(join(registry, 'apps/mail/versions.json'), '{ "versions": [], "versiones": 1 }\r\n');
    const here = appreg('lint', '--format', 'json');
    const there = windows.run(['lint', windowsPath(registry), '--format', 'json'], { cwd: place });
    expect(new Set(filesOf(here))).toEqual(new Set(['apps/mail/versions.json']));
    expect(new Set(filesOf(there))).toEqual(new Set(['the registry/apps/mail/versions.json']));
    const one = appreg('lint', 'apps\\clock\\versions.json');
    expect(one).toMatchObject({ code: 0, out: expect.stringContaining('1 artifact hashed') });
  });

  test('in a CRLF checkout keeps its line endings, and init changes nothing', () => {
    for (const file of filesIn(registry).filter((name) => /\.(json|yml|svg)$/.test(name))) {
      const text = readFileSync(join(registry, file), 'utf8');
      writeFileSync(join(registry, file), text.replaceAll(/\r?\n/g, '\r\n'));
    }
    const publish = ['publish-version', 'clock', '1.1.0', '--no-read-back', '--allow-same', '--artifact'];
    const ran = appreg(...publish, '../linux.tar.gz');
    expect(ran).toMatchObject({ code: 0 });
    const metadata = readFileSync(join(registry, 'apps/clock/versions.json'), 'utf8');
    expect(metadata).toContain('"1.1.0"');
    expect(metadata.replaceAll('\r\n', '')).not.toContain('\n');

    const other = join(folder(), 'again');
    mkdirSync(other);
    const init = ['init', '--base-url', 'https://apps.example.com/r/', '--ci', 'github'];
    windows.run(init, { cwd: other });
    for (const file of filesIn(other)) {
      const text = readFileSync(join(other, file), 'utf8');
      writeFileSync(join(other, file), text.replaceAll('\n', '\r\n'));
    }
    expect(windows.run(init, { cwd: other })).toMatchObject({ code: 0, out: expect.not.stringContaining('created') });
  });

  test('with a link to a target outside is neither read nor written through the link', () => {
    const outside = join(place, 'outside');
    renameSync(join(registry, 'apps/mail'), outside);
    symlinkSync('../../outside', join(registry, 'apps/mail'));
    try {
      const ran = appreg('publish-version', 'mail', '1.0.0', '--no-read-back', '--artifact', '../linux.tar.gz');
      expect(ran).toMatchObject({ code: 2, err: expect.stringContaining('points outside the folder') });
      expect(readdirSync(outside).sort()).toEqual(['icon.svg', 'versions.json']);
      expect(appreg('lint').out).toMatch(/error {2}.*is a link to a target outside the workspace/);
    } finally {
      unlinkSync(join(registry, 'apps/mail'));
      renameSync(outside, join(registry, 'apps/mail'));
    }
  });

  test('with a file whose name differs from its URL in case is reported, although Windows finds the file', () => {
    const folderOf = join(registry, 'apps/mail');
    renameSync(join(folderOf, 'icon.svg'), join(folderOf, 'Icon.SVG'));
    try {
      const { code, out } = appreg('lint', '--format', 'json');
      expect(code).toBe(1);
      const { findings } = JSON.parse(out) as { findings: { rule: string; app: string }[] };
      expect(findings).toContainEqual(expect.objectContaining({ rule: 'file-name-differs', app: 'mail' }));
    } finally {
      renameSync(join(folderOf, 'Icon.SVG'), join(folderOf, 'icon.svg'));
    }
  });

  test('has a report that passes through a pipe of Linux, of which Node for Windows makes no stream', () => {
    const [wine, ...words] = [...windows.words(), 'lint', '--format', 'json'];
    const { stdout } = spawnSync(wine, words, { cwd: registry, env: windows.environment(), encoding: 'utf8' });
    expect(JSON.parse(stdout)).toMatchObject({ command: 'lint', summary: { apps: 2 } });
  });

  test('has a report that passes through a pipe of Windows', () => {
    const script = join(folder(), 'pipe.cjs');
    writeFileSync(script, PIPE);
    const { out } = windows.script(script, [windows.words().at(-1)!, 'lint', '--format', 'json'], { cwd: registry });
    expect(JSON.parse(out)).toMatchObject({ command: 'lint', summary: { apps: 2 } });
  });

  test('is found by --config and --cwd with drive letters, and refused as a file: URL', () => {
    const config = windowsPath(join(registry, 'appreg.config.json'));
    const clean = { code: 0, out: expect.stringMatching(/\d apps?, /) };
    expect(windows.run(['lint', '--config', config], { cwd: registry })).toMatchObject(clean);
    writeFileSync(join(registry, 'other.config.json'), '{ "manifest": "registry.json", "rules": {} }\n');
    const other = windows.run(['lint', '--cwd', windowsPath(registry), '--config', 'other.config.json'], { cwd: '/' });
    expect(other).toMatchObject({ ...clean, err: '' });
    const url = `file:///${windowsPath(registry).replaceAll('\\', '/')}/registry.json`;
    expect(appreg('verify', url)).toMatchObject({ code: 2, err: expect.stringContaining('appreg lint') });
  });
});
