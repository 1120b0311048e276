import { ListedVersions } from '../../../../src/core/registry/listed-versions.ts';
import { versionOfOtherApp } from '../../../../src/core/rules/metadata/version-of-other-app.ts';
import { checksum, entries } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

type Listed = [version: string, path: string, seed: number];

const versionsAt = (...list: Listed[]) =>
  entries(
    ...list.map(([version, path, seed]) => ({
      version,
      artifactUrl: `https://apps.example.com/${path}`,
      artifactChecksum: checksum(seed),
    })),
  );

/** The versions of “clock”, after “echo” with two versions, and “old” with a file that names neither. */
function clockWith(...list: Listed[]) {
  const otherApps = new ListedVersions();
  otherApps.add('echo', versionsAt(['1.0.0', 'echo/1.0.0.tar.gz', 1], ['1.1.0', 'echo/1.1.0.tar.gz', 2]));
  otherApps.add('old', versionsAt(['1.0.0', 'shared.tar.gz', 3], ['2.0.0', 'echo-2.0.0.tar.gz', 4]));
  return { app: 'clock', otherApps, versions: versionsAt(...list), listed: list.length };
}

ruleTable(versionOfOtherApp, {
  clean: [
    ['its own artifacts', clockWith(['1.0.0', 'clock/1.0.0.tar.gz', 5])],
    ['the same bytes at an own URL', clockWith(['1.0.0', 'clock/1.0.0.tar.gz', 1])],
    ['a file without a known app', { ...clockWith(['1.0.0', 'echo/1.0.0.tar.gz', 1]), app: null }],
    [
      'one metadata file, which another rule reports',
      { ...clockWith(['1.0.0', 'echo/1.0.0.tar.gz', 1]), otherApps: null },
    ],
    ['itself again', { ...clockWith(['1.0.0', 'echo/1.0.0.tar.gz', 1]), app: 'echo' }],
  ],
  faulty: [
    [
      'a copy of the other metadata file',
      clockWith(['1.0.0', 'echo/1.0.0.tar.gz', 1], ['1.1.0', 'echo/1.1.0.tar.gz', 2]),
      { at: '/versions', cause: 'copy', message: 'as that of the app “echo”', evidence: { otherApp: 'echo' } },
    ],
    [
      'a version that was copied over',
      clockWith(['1.0.0', 'clock/1.0.0.tar.gz', 5], ['1.1.0', 'echo/1.1.0.tar.gz', 2]),
      { at: '/versions/1/artifactUrl', version: '1.1.0', cause: 'version', message: '“echo” 1.1.0' },
    ],
    [
      'the URL of another app with its own checksum',
      clockWith(['1.0.0', 'echo/1.0.0.tar.gz', 5]),
      { at: '/versions/0/artifactUrl', cause: 'url', advice: 'Do not change the checksum' },
    ],
    [
      'one file for two apps whose URL names neither',
      clockWith(['1.0.0', 'shared.tar.gz', 3]),
      { cause: 'copy', severity: 'note' },
    ],
    [
      'one of several, whose URL names neither',
      clockWith(['1.0.0', 'clock/1.0.0.tar.gz', 5], ['2.0.0', 'shared.tar.gz', 3]),
      { cause: 'version', severity: 'note' },
    ],
  ],
});
