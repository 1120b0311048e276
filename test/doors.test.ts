import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
// @ts-expect-error a script without types
import { DOORS, sectionsOf } from '../scripts/library-page.mjs';
import { VERSION } from '../src/core/values/tool-version.ts';
import {
  codeOf as code,
  importsOf,
  ROOT as root,
  SOURCES as sources,
  TESTS,
  WORKSPACES,
} from './support/source-files.ts';

/**
 * The doors of the three packages: each lists its names, with a sentence each, and nothing enters elsewhere. The table of
 * imports in house.test.ts holds the rest.
 */

/** Places of a pattern in the code of files, with what its group found. */
function found(files: readonly string[], pattern: RegExp): { file: string; text: string }[] {
  return files.flatMap((file) => [...code(file).matchAll(pattern)].map(([all, text]) => ({ file, text: text ?? all })));
}

function manifest(folder: string) {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
}

describe.each(WORKSPACES)('the package in %s', (name) => {
  const own = sources.filter((file) => file.startsWith(`${name}/src/`));
  test('imports on demand only what the text names, so that the table of imports covers it', () => {
    expect(found(own, /\bimport\((?!\s*'[^']+'\s*\))[^)]*\)/g)).toEqual([]);
    expect(found(own, /\brequire\(/g)).toEqual([]);
  });

  test('reads no file by its own URL outside of its folder', () => {
    const urls = found(own, /new URL\(([^,]+), import\.meta\.url\)/g);
    expect(urls.length).toBeGreaterThan(0);
    // Inserted values are below the folder that the text names.
    const outside = urls.filter(({ file, text }) => {
      const path = /^['`](\.[^'`$]*)[^'`]*['`]$/.exec(text)?.[1];
      return path === undefined || !join(dirname(file), path).replaceAll('\\', '/').startsWith(name);
    });
    expect(outside).toEqual([]);
    expect(found(own, /import\.meta\.(?:dirname|filename|resolve)/g)).toEqual([]);
  });

  test('has one door of its own, and uses those of the same version of the tool', () => {
    const { exports, version, peerDependencies } = manifest(name);
    expect(Object.keys(exports)).toEqual(['.', './package.json']);
    expect(Object.keys(manifest('.').exports)).toEqual(['.', './node', './schemas/*', './package.json']);
    expect(version).toBe(VERSION);
    expect(peerDependencies.appreg).toBe(VERSION);
  });

  // Its tests have parts of the tool as fixtures, by their relative paths; what they test enters by the doors.
  test('is tested with sources and with what supports tests, and no other files', () => {
    const tests = TESTS.filter((file) => file.startsWith(`${name}/test/`));
    const targets = tests.flatMap(importsOf).map(({ from, target }) => ({ from, target: target.split('?')[0]! }));
    const wrong = targets.filter(({ target }) =>
      target.startsWith('appreg')
        ? !/^appreg(\/node|-service|-conformance)?$/.test(target)
        : target.includes('/') &&
          /^(\.\.|bin|bench|dist|docs|deploy|scripts|(service|conformance)\/dist)\b/.test(target),
    );
    expect(wrong).toEqual([]);
  });
});

describe.each(DOORS as readonly { name: string; file: string }[])('the door $name', ({ file }) => {
  const names = (sectionsOf(root, file) as { names: { name: string; text: string }[] }[]).flatMap((one) => one.names);

  test('has a sentence for each name', () => {
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter(({ text }) => !/^[A-Z`0-9].*\.$/.test(text))).toEqual([]);
  });

  test('has sentences that do not refer to another one', () => {
    expect(names.filter(({ text }) => /^(The same|This|These|It)\b/.test(text))).toEqual([]);
  });
});
