import * as fc from 'fast-check';
import semver from 'semver';
import { expect, test } from 'vitest';
import { latestVersion, sortedByVersion } from '../../../src/core/registry/precedence.ts';
import { type SemanticVersion, semanticVersion } from '../../../src/core/registry/semantic-version.ts';
import { isComparable, isPlainVersion, isSemver } from '../../../src/core/registry/version.ts';
import { versionEntry } from '../../../src/core/registry/version-entry.ts';

const text = fc.oneof(
  fc.tuple(fc.nat(99), fc.nat(99), fc.nat(99)).map((numbers) => numbers.join('.')),
  fc.stringMatching(/^v?\d{1,18}\.\d{1,2}(\.\d{1,18})?([-+][0-9a-z.-]{0,6})?$/),
  fc.string({ maxLength: 12 }),
);

function read(version: string): SemanticVersion {
  const found = semanticVersion(version);
  if (found === null) throw new Error(`${version} is not a semantic version`);
  return found;
}

test('what was read of a version is what its text says', () => {
  fc.assert(
    fc.property(text, (version) => {
      const found = semanticVersion(version);
      expect(found !== null).toBe(isSemver(version));
      if (found === null) return;
      expect(found.text).toBe(version);
      expect(found.isPlain).toBe(isPlainVersion(version));
      expect(found.isCompared).toBe(isComparable(version));
      expect(found.isRelease).toBe(isComparable(version) && semver.prerelease(version) === null);
    }),
  );
});

test('versions are compared by precedence', () => {
  expect(read('1.2.3-rc.1').compareTo(read('1.2.3'))).toBeLessThan(0);
  expect(read('1.10.0').compareTo(read('1.9.0'))).toBeGreaterThan(0);
  expect(read('1.0.0+a').compareTo(read('1.0.0+b'))).toBe(0);
});

test('an entry has the version that was read, if its text is valid', () => {
  const texts = ['1.0.0', 'v1.0.0', null].map(
    (version) => versionEntry(0, { version, artifactUrl: null, artifactChecksum: null }).semver?.text,
  );
  expect(texts).toEqual(['1.0.0', undefined, undefined]);
});

test('the latest version is a plain one, and the order is that of precedence', () => {
  const versions = ['1.0.0', '2.0.0-rc.1', '1.10.0', '9007199254740992.0.0', '1.9.0'].map(read);
  expect(latestVersion(versions)?.text).toBe('1.10.0');
  expect(latestVersion([])).toBeNull();
  const sorted = sortedByVersion(versions, (version) => version).map((version) => version.text);
  expect(sorted).toEqual(['9007199254740992.0.0', '1.0.0', '1.9.0', '1.10.0', '2.0.0-rc.1']);
});
