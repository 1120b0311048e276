import { deploymentStale } from '../../../../src/core/rules/history/deployment-stale.ts';
import { NOW } from '../../../support/core-facts.ts';
import { ruleTable } from '../../../support/rule-table.ts';

const before = (seconds: number): string => new Date(Date.parse(NOW) - seconds * 1000).toISOString();
const version = (at: string, by: 'commit' | 'file' = 'commit') => ({ version: '1.1.0', since: { at, by } });
const deployment = {
  source: 'HEAD',
  isRequested: true,
  unserved: [version(before(601))],
  isAppServed: true,
  latest: '1.0.0',
  deadline: 600,
  now: NOW,
};

ruleTable(deploymentStale, {
  clean: [['everything is served', { ...deployment, unserved: [] }]],
  faulty: [
    ['a commit that is older than a cache may hold the file', deployment, { cause: 'version', severity: 'error' }],
    [
      'a commit that is as old as a cache may hold the file',
      { ...deployment, unserved: [version(before(600))] },
      { cause: 'version', severity: 'note' },
    ],
    [
      'a comparison that was not requested',
      { ...deployment, isRequested: false },
      { cause: 'version', severity: 'note' },
    ],
    [
      'a file that is not committed',
      { ...deployment, unserved: [version(before(9999), 'file')] },
      { message: 'not committed', severity: 'note' },
    ],
    [
      'a version that is stored since an unknown time',
      { ...deployment, unserved: [{ version: '1.1.0', since: null }], latest: null },
      { message: 'Version 1.1.0 is stored in HEAD, and is not served.', severity: 'note' },
    ],
    [
      'an app',
      { ...deployment, unserved: [{ version: null, since: { at: before(601), by: 'commit' } }], latest: null },
      { cause: 'app', message: 'The app is stored in HEAD since', severity: 'error' },
    ],
  ],
});
