import { versionNotPlain } from '../../../../src/core/rules/metadata/version-not-plain.ts';
import { ruleTable } from '../../../support/rule-table.ts';

ruleTable(versionNotPlain, {
  clean: [
    ['plain', { version: '1.2.3' }],
    ['zeros', { version: '0.0.0' }],
    ['huge', { version: '99999999999999999999.0.0' }],
    ['no version at all, which another rule reports', { version: 'v1.2.3' }],
    ['nearly a pre-release', { version: '1.2.3-' }],
  ],
  faulty: [
    [
      'a pre-release',
      { version: '1.2.3-rc.1' },
      { at: '/version', cause: 'pre-release', advice: '--allow-prerelease' },
    ],
    ['a pre-release of 0', { version: '1.2.3-0' }, { cause: 'pre-release' }],
    ['a build', { version: '1.2.3+build.5' }, { cause: 'build' }],
    ['a build with a hyphen', { version: '1.2.3+a-b' }, { cause: 'build' }],
    ['both', { version: '1.2.3-rc.1+build.5' }, { cause: 'pre-release' }],
    ['hyphens', { version: '1.2.3----' }, { cause: 'pre-release' }],
  ],
});
