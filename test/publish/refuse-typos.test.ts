import { expect, test } from 'vitest';
import { decideState } from '../../src/core/release/state.ts';
import { refuseTypos } from '../../src/publish/refuse-typos.ts';

const VERSIONS = ['1.4.0', '1.4.1', '1.5.0-beta.1', '1.5.0', '2.0.0-beta.1', '2.0.0-beta.2', '2.0.0', '10.0.0'];

/** All lists of two of these versions, and of one. */
const LISTS = VERSIONS.flatMap((one, index) => [[one], ...VERSIONS.slice(index + 1).map((other) => [one, other])]);

function entryOf(version: string, code = version): { version: string; artifactUrl: string; artifactChecksum: string } {
  return { version, artifactUrl: `https://a.example/${version}`, artifactChecksum: `sha256:${code}` };
}

function isAccepted(version: string, listed: readonly string[]): boolean {
  try {
    const versions = listed.map((one) => entryOf(one));
    refuseTypos('clock', entryOf(version), versions, { prerelease: true });
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'version-lower' });
    return false;
  }
}

test.each(LISTS.map((listed) => ({ listed })))(
  'publish-version accepts what is new to release, with $listed listed',
  ({ listed }) => {
    for (const declared of VERSIONS.filter((version) => !listed.includes(version))) {
      const { state } = decideState({
        declared,
        checksum: `sha256:${declared}`,
        provenance: () => ({ sources: '', toolchain: { appreg: '', esbuild: '' } }),
        listed: listed.map((version) => entryOf(version)),
        isDescribed: false,
        recorded: null,
        isMaintained: false,
      });
      expect({ declared, isAccepted: isAccepted(declared, listed) }).toEqual({ declared, isAccepted: state === 'new' });
    }
  },
);

test('a pre-release above makes no plain version lower', () => {
  expect(isAccepted('1.4.1', ['2.0.0-beta.1'])).toBe(true);
  expect(isAccepted('1.4.1', ['1.4.0', '2.0.0-beta.1'])).toBe(true);
  expect(isAccepted('1.4.1', ['1.5.0', '2.0.0-beta.1'])).toBe(false);
  expect(isAccepted('2.0.0-beta.1', ['1.4.0', '2.0.0-beta.2'])).toBe(false);
});
