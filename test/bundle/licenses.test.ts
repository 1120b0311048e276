import { describe, expect, test } from 'vitest';
import type { LicenseSettings } from '../../src/bundle/options.ts';
import { checkLicenses } from '../../src/bundle/packages/check-licenses.ts';
import { built } from './tree.ts';
import { expectWithin } from '../support/timing.ts';

/** The error for packages with these licenses; null if they are allowed. */
function refusal(licenses: (string | null)[], settings: LicenseSettings): { code: string; text: string } | null {
  const packages = licenses.map((license, index) => ({ name: `p${index}`, version: '1.0.0', license }));
  try {
    checkLicenses(packages, settings);
    return null;
  } catch (error) {
    const { code, message, hint } = error as { code: string; message: string; hint: string };
    return { code, text: `${message} ${hint}` };
  }
}

describe('a license is allowed', () => {
  test.each<[license: string, allow: string[], isAllowed: boolean]>([
    ['MIT', ['MIT'], true],
    ['MIT', ['ISC'], false],
    ['MIT', [], false],
    ['(MIT OR GPL-3.0-only)', ['MIT'], true],
    ['MIT OR GPL-3.0-only', ['ISC'], false],
    ['MIT AND CC-BY-3.0', ['MIT'], false],
    ['MIT AND CC-BY-3.0', ['MIT', 'CC-BY-3.0'], true],
    ['MIT AND (ISC OR GPL-3.0-only)', ['MIT', 'ISC'], true],
    ['Apache-2.0 WITH LLVM-exception', ['Apache-2.0'], false],
    ['Apache-2.0 WITH LLVM-exception', ['Apache-2.0 WITH LLVM-exception'], true],
    ['Apache-2.0', ['Apache-2.0 WITH LLVM-exception'], false],
    ['GPL-2.0+', ['GPL-2.0'], true],
    ['GPL-2.0', ['GPL-2.0+'], false],
    ['LicenseRef-acme', ['LicenseRef-acme'], true],
    ['ISC', ['MIT OR ISC'], true],
    ['mit', ['MIT'], false],
    ['Apache 2.0', ['Apache-2.0'], false],
    ['UNLICENSED', ['MIT'], false],
    ['SEE LICENSE IN LICENSE.md', ['MIT'], false],
  ])('%s with %j: %s', (license, allow, isAllowed) => {
    expect(refusal([license], { allow }) === null).toBe(isAllowed);
  });

  test('if it was clarified', () => {
    const settings = { allow: ['MIT'], clarified: { 'p0@1.0.0': 'MIT', 'p1@2.0.0': 'MIT' } };
    expect(refusal([null], settings)).toBeNull();
    expect(refusal([null, null], settings)?.text).toContain('p1@1.0.0 (no license)');
  });
});

describe('a license that is not allowed', () => {
  test('is an error that names each package, its license and what to do', () => {
    expect(refusal(['MIT', 'GPL-3.0-only', 'AGPL-3.0-only'], { allow: ['MIT'] })).toEqual({
      code: 'license-not-allowed',
      text: 'The configuration does not allow the licenses of 2 packages: p1@1.0.0 (GPL-3.0-only), p2@1.0.0 (AGPL-3.0-only). Nothing was changed. Replace these packages, or accept the license in bundle.licenses.allow of the configuration (GPL-3.0-only, AGPL-3.0-only).',
    });
    expect(refusal(['UNLICENSED'], { allow: ['MIT'] })?.text).toBe(
      'The configuration does not allow the license of a package: p0@1.0.0 (UNLICENSED). Nothing was changed. Replace p0@1.0.0, or enter the SPDX expression of a license that you have read yourself in bundle.licenses.clarified: { "p0@1.0.0": "MIT" }.',
    );
    const many = refusal(
      Array.from({ length: 30 }, () => 'ISC'),
      { allow: ['MIT'] },
    );
    expect(many?.text).toContain('and 10 more');
  });

  test('refuses the build', async () => {
    const files = {
      'main.ts': `import { a } from 'a'; export { a };`,
      'node_modules/a/package.json': '{"name":"a","version":"1.0.0","license":"ISC"}',
      'node_modules/a/index.js': 'export const a = Date.now();',
    };
    await expect(built(files, { licenses: { allow: ['MIT'] }, notices: false })).rejects.toMatchObject({
      code: 'license-not-allowed',
      exit: 1,
    });
    expect((await built(files, { licenses: { allow: ['ISC'] } })).materials?.packages).toEqual([
      { name: 'a', version: '1.0.0', license: 'ISC' },
    ]);
  });
});

test.each<[setting: LicenseSettings, text: string]>([
  [{ allow: ['mit'] }, 'bundle.licenses.allow: “mit” is not an SPDX license expression.'],
  [{ allow: ['MIT AND ISC'] }, 'bundle.licenses.allow: “MIT AND ISC” combines licenses with AND.'],
  [{ allow: ['MIT'], clarified: { a: 'x y' } }, 'bundle.licenses.clarified: “x y” is not an SPDX license expression.'],
])('the setting %j is an error, with and without packages', (setting, text) => {
  expect(refusal([], setting)).toMatchObject({ code: 'license-setting-invalid', text: expect.stringContaining(text) });
});

test('an expression of hostile depth is not allowed, and takes no time', () => {
  expectWithin(1000, () => {
    expect(refusal([`${'('.repeat(150)}MIT${')'.repeat(150)}`], { allow: ['ISC'] })?.code).toBe('license-not-allowed');
  });
});
