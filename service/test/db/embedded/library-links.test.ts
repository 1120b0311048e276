import { chmodSync, lstatSync, mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { reachableBinaries } from '../../../src/db/embedded/data-folder.ts';
import { linkLibraries } from '../../../src/db/embedded/library-links.ts';
import { writeFiles } from '../../../../test/bundle/tree.ts';

/** The package of PostgreSQL's programs as npm 12 and pnpm install it: without the links that its script makes. */

const scratch = mkdtempSync(join(tmpdir(), 'appreg-libraries-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function installed(name: string): { native: string; bin: string; link: string } {
  const folder = join(scratch, name);
  writeFiles(folder, {
    'native/bin/postgres': 'a program',
    'native/lib/libpq.so.5.18': 'a library',
    'native/pg-symlinks.json': JSON.stringify([
      { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so' },
      { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' },
    ]),
  });
  const native = join(folder, 'native');
  return { native, bin: join(native, 'bin'), link: join(native, 'lib/libpq.so.5') };
}

describe.skipIf(process.platform === 'win32')('the links between the libraries', () => {
  const here = { cwd: scratch, env: {} };

  test('are made where the package is, once', async () => {
    const { bin, link } = installed('writable');
    for (let start = 0; start < 2; start++) expect(await reachableBinaries(bin, scratch, here)).toBe(bin);
    expect(readlinkSync(link)).toBe('libpq.so.5.18');
    expect(readFileSync(link, 'utf8')).toBe('a library');
  });

  test.skipIf(process.getuid?.() === 0)('are made in a copy if the package cannot be written', async () => {
    const { native, bin, link } = installed('read-only');
    chmodSync(join(native, 'lib'), 0o555);
    const copy = await reachableBinaries(bin, join(scratch, 'data'), here);
    expect(copy).not.toBe(bin);
    expect(readFileSync(join(copy, '../lib/libpq.so.5'), 'utf8')).toBe('a library');
    expect(lstatSync(link, { throwIfNoEntry: false })).toBeUndefined();
  });

  test('are not needed on a system whose package names none', async () => {
    const { native } = installed('none');
    rmSync(join(native, 'pg-symlinks.json'));
    expect(await linkLibraries(native)).toBe(true);
  });
});
