import { versionNotPlain } from '../../../../src/core/rules/metadata/version-not-plain.ts';
import { semanticVersion } from '../../../../src/core/registry/semantic-version.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const versionFacts = (version: string) => ({ version, semver: semanticVersion(version) });

ruleTable(versionNotPlain, {
  clean: [
    ['plain', versionFacts('1.2.3')],
    ['zeros', versionFacts('0.0.0')],
    ['huge', versionFacts('99999999999999999999.0.0')],
    ['no version at all, which another rule reports', versionFacts('v1.2.3')],
    ['nearly a pre-release', versionFacts('1.2.3-')],
  ],
  faulty: [
    [
      'a pre-release',
      versionFacts('1.2.3-rc.1'),
      { at: '/version', cause: 'pre-release', advice: '--allow-prerelease' },
    ],
    ['a pre-release of 0', versionFacts('1.2.3-0'), { cause: 'pre-release' }],
    ['a build', versionFacts('1.2.3+build.5'), { cause: 'build' }],
    ['a build with a hyphen', versionFacts('1.2.3+a-b'), { cause: 'build' }],
    ['both', versionFacts('1.2.3-rc.1+build.5'), { cause: 'pre-release' }],
    ['hyphens', versionFacts('1.2.3----'), { cause: 'pre-release' }],
  ],
});
