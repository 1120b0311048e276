import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rawGet } from '../serve/support.ts';
import { waitUntil } from '../store/scratch.ts';
import { folder, write } from '../support/folders.ts';
import { describeOnWindows, type Started, windowsPath } from '../support/windows.ts';

/** `serve` on Windows: the served registry passes verify, and no name leads to an excluded file. */

const APPREG = fileURLToPath(new URL('../../bin/appreg.js', import.meta.url));
const BASE = 'https://apps.example.com/';
const SECRET = 'a secret';

/** Prints the short names (8.3) of the files in a folder, as JSON: long name to short name. */
const SHORT_NAMES = `const { execSync } = require('node:child_process');
const names = {};
for (const line of execSync('cmd /c dir /x /a', { encoding: 'utf8' }).split(/\\r?\\n/)) {
  const found = /^\\S+\\s+\\S+ [AP]M\\s+[\\d,]+\\s+(\\S+~\\S+)\\s+(\\S.*)$/.exec(line);
  if (found) names[found[2]] = found[1];
}
require('node:fs').writeSync(1, JSON.stringify(names));
`;

function onLinux(cwd: string, ...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [APPREG, ...args], { cwd, encoding: 'utf8' });
}

describeOnWindows('serve', '22', (windows) => {
  let place = '';
  let root = '';
  let serving: Started;
  let port = 0;

  beforeAll(async () => {
    place = folder();
    root = join(place, 'the registry');
    mkdirSync(root);
    write(place, {
      'secret.json': `"${SECRET}"`,
      'main.ts': 'export const a = 1;\n',
      'icon.svg': '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>\n',
    });
    onLinux(root, 'init', '--base-url', BASE);
    const text = ['--name', 'Clock', '--description', 'Time', '--color', '#1864ab', '--icon', '../icon.svg'];
    onLinux(root, 'add-app', 'clock', ...text);
    onLinux(root, 'publish-version', 'clock', '1.0.0', '--entry', '../main.ts', '--no-read-back');
    write(root, { '.env': SECRET, 'a long name of a file.json': '"long"', 'apps/nul.json': '"nul"' });
    writeFileSync(join(root, 'appreg.config.json'), JSON.stringify({ baseUrl: BASE, rules: {} }));
    // Wine makes no links, but shows this one as Windows shows a junction.
    write(place, { 'outside/secret.json': `"${SECRET}"` });
    symlinkSync('../outside', join(root, 'link'));
    serving = windows.start(['serve', '--port', '0'], { cwd: root });
    await waitUntil(() => /^http:\S+\n/.test(serving.output()), 40_000);
    port = Number(/:(\d+)\//.exec(serving.output())![1]);
  }, 120_000);
  afterAll(async () => {
    serving.child.kill('SIGKILL');
    await serving.ended;
  });

  test('passes verify on Linux and on Windows', () => {
    const url = `http://127.0.0.1:${port}/registry.json`;
    const rules = ['--rule', 'url-insecure=off'];
    const linux = onLinux(place, 'verify', url, ...rules);
    expect(linux.status, linux.stdout).toBe(0);
    expect(linux.stdout).toContain('1 artifact');
    const here = windows.run(['verify', url, ...rules], { cwd: place });
    expect(here.code, here.out + here.err).toBe(0);
  });

  test.each(['/registry.json', '/a%20long%20name%20of%20a%20file.json', '/apps/clock/versions/1.0.0.tar.gz'])(
    'serves %s',
    async (target) => expect(await rawGet(port, target)).toMatchObject({ status: 200 }),
  );

  test.each([
    '/..%5csecret.json',
    '/..\\secret.json',
    '/%2e%2e%5csecret.json',
    '/apps%5c..%5c..%5csecret.json',
    '/apps/..%2f..%2fsecret.json',
    '/..%255csecret.json',
    '/%5c',
    '/%5cregistry.json',
    '/apps%5cclock%5cversions.json',
    '/con',
    '/CON.json',
    '/nul',
    '/nul.json',
    '/apps/nul.json',
    '/aux',
    '/com1',
    '/lpt%C2%B9',
    '/conin$',
    '/registry.json.',
    '/registry.json%20',
    '/registry.json...',
    '/registry.json::$DATA',
    '/registry.json%3a%3a$DATA',
    '/registry.json:stream',
    '/apps::$INDEX_ALLOCATION/clock/versions.json',
    '/C:',
    '/C:/windows/win.ini',
    '/c%3a%5cwindows%5cwin.ini',
    '/Z:%5ctmp',
    '//127.0.0.1/c$/windows/win.ini',
    '/%5c%5c127.0.0.1%5cc$%5cwindows%5cwin.ini',
    '/%5c%5c.%5cC:%5cwindows%5cwin.ini',
    '/%5c%5c%3f%5cC:%5cwindows%5cwin.ini',
    '/?/C:/windows/win.ini',
    '/REGISTRY.JSON',
    '/apps/CLOCK/versions.json',
    '/apps/clock/Icon.svg',
    '/link/secret.json',
    '/LINK/SECRET.json',
    '/.env',
    '/.ENV',
    '/.env.',
    '/.env::$DATA',
    '/appreg.config.json',
    '/APPREG.CONFIG.JSON',
    '/appreg.config.json%20',
    '/a%3cb',
    '/a%3eb',
    '/a%22b',
    '/a%7cb',
    '/a*b',
    '/a%3fb',
    '/registry.jso%3f',
    '/registry.jso%3c',
    '/re*.json',
    `/${'a'.repeat(300)}`,
    `/${'a/'.repeat(300)}a`,
    '/%00',
    '/registry.json%00.png',
    '/%ff',
    '/%ed%a0%80',
  ])('does not serve %s', async (target) => {
    const { status, text } = await rawGet(port, target);
    expect([400, 404]).toContain(status);
    expect(text).not.toContain(SECRET);
    expect(text).not.toMatch(/for 16-bit app support|"apps"|"versions"/);
  });

  test('does not serve excluded files by their short names', async () => {
    const script = join(folder(), 'short.cjs');
    writeFileSync(script, SHORT_NAMES);
    const { out } = windows.script(script, [], { cwd: root });
    const short = JSON.parse(out) as Record<string, string>;
    expect(Object.keys(short)).toContain('appreg.config.json');
    expect((await rawGet(port, `/${short['appreg.config.json']}`)).status).toBe(404);
    const served = await rawGet(port, `/${short['a long name of a file.json']}`);
    expect(served.status === 404 || served.text.includes('"long"')).toBe(true);
  });

  test('serves a workspace that is given with its drive', async () => {
    const other = windows.start(['serve', windowsPath(root), '--port', '0'], { cwd: place });
    try {
      await waitUntil(() => /^http:\S+\n/.test(other.output()), 40_000);
      const second = Number(/:(\d+)\//.exec(other.output())![1]);
      expect((await rawGet(second, '/registry.json')).status).toBe(200);
      expect(other.output()).toContain(`Serving ${windowsPath(root)};`);
    } finally {
      other.child.kill('SIGKILL');
      await other.ended;
    }
  });
});
