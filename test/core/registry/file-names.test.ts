import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inOtherCase, listedPath, nameDifference, type Names, namesOf } from '../../../src/core/registry/file-names.ts';

/** The names in each folder of a tree, which is given as the paths of its files. */
function tree(...paths: string[]): (folder: string) => Names | null {
  const folders = new Map<string, Set<string>>();
  for (const path of paths) {
    const names = path.split('/');
    for (const [at, name] of names.entries()) {
      const folder = names
        .slice(0, at)
        .map((one) => `${one}/`)
        .join('');
      folders.set(folder, (folders.get(folder) ?? new Set()).add(name));
    }
  }
  return (folder) => (folders.has(folder) ? namesOf([...(folders.get(folder) ?? [])]) : null);
}

describe('the listed path', () => {
  test.each([
    ['the same name', 'a/icon.svg', ['a/icon.svg'], 'a/icon.svg'],
    ['another case', 'a/icon.svg', ['a/Icon.SVG'], 'a/Icon.SVG'],
    ['another case of a folder', 'apps/a/v.json', ['Apps/a/v.json'], 'Apps/a/v.json'],
    ['a decomposed letter', 'caf\u00e9.png', ['cafe\u0301.png'], 'cafe\u0301.png'],
    ['a composed letter', 'cafe\u0301.png', ['caf\u00e9.png'], 'caf\u00e9.png'],
    ['a decomposed letter in another case', 'caf\u00e9.png', ['CAFE\u0301.PNG'], 'CAFE\u0301.PNG'],
    ['a Hangul syllable', '\ud55c.png', ['\u1112\u1161\u11ab.png'], '\u1112\u1161\u11ab.png'],
    ['a sigma at the end', '\u03c3.png', ['\u03c2.png'], '\u03c2.png'],
    ['both there: the exact one', 'a/icon.svg', ['a/Icon.svg', 'a/icon.svg'], 'a/icon.svg'],
    ['both folders there, the file in the other one', 'a/x.svg', ['a/y.svg', 'A/x.svg'], 'A/x.svg'],
    ['nothing of the kind', 'a/icon.svg', ['a/icon.png'], null],
    ['no such folder', 'b/icon.svg', ['a/icon.svg'], null],
    ['a file in the place of the folder', 'a/b', ['a'], null],
    ['an accent more is another name', 'cafe.png', ['caf\u00e9.png'], null],
    ['names of prototypes', '__proto__/constructor', ['a/b'], null],
  ])('is found for %s', (_, path, files, expected) => expect(listedPath(path, tree(...files))).toBe(expected));

  test('is the given path if all its names are listed', () => {
    const name = fc.stringMatching(/^(?:[a-cA-C\u00e9\u00c9]|\u0301){1,3}$/);
    const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
    fc.assert(
      fc.property(fc.array(path, { minLength: 1, maxLength: 8 }), (paths) => {
        for (const one of paths) expect(listedPath(one, tree(...paths))).toBe(one);
      }),
    );
  });
});

test.each([
  ['icon.svg', 'Icon.svg', 'case'],
  ['\u00e9', 'e\u0301', 'normalization'],
  ['\u00e9', 'E\u0301', 'case-and-normalization'],
  ['\u00e9', '\u00c9', 'case'],
])('%j and %j differ in %s', (a, b, expected) => expect(nameDifference(a, b)).toBe(expected));

test.each([
  ['icon.svg', 'ICON.SVG'],
  ['Icon.SVG', 'iCON.svg'],
  ['1.0.0.tar.gz', '1.0.0.TAR.GZ'],
  ['1.0.0', null],
  ['caf\u00e9', null],
  ['PROGRA~1', null],
  ['[a]{b}', '[A]{B}'],
])('%s in the other case is %j', (name, expected) => expect(inOtherCase(name)).toBe(expected));
