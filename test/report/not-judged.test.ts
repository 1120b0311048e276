import { expect, test } from 'vitest';
import { judge } from '../../src/core/engine/judge.ts';
import type { NotJudged } from '../../src/core/findings/report.ts';
import { notChecked, notCheckedOnPage } from '../../src/report/diagnosis-not-judged.ts';
import { markdown } from '../../src/report/markdown.ts';
import { pretty } from '../../src/report/pretty.ts';
import { render } from '../../src/report/index.ts';
import { PLAIN } from '../../src/report/style.ts';
import { notJudged, report } from '../support/reports.ts';
import { metadataWith, snapshot } from '../support/snapshots.ts';

/** Rules with more subjects than a report lists one by one. */

const BLOCKED: Partial<NotJudged> = {
  rule: 'artifact-checksum-mismatch',
  resource: 'artifact',
  code: 'blocked-by',
  reason: 'because of “URL that is not https” (url-insecure)',
  blockedBy: 'url-insecure',
};
const many = report({
  notJudged: [notJudged(BLOCKED), notJudged(BLOCKED), notJudged({ ...BLOCKED, count: 57 }), notJudged()],
});

test('the further subjects count as checks, under the finding that prevents them', () => {
  expect(notCheckedOnPage(many)).toEqual([
    { reason: expect.stringMatching(/^because of another finding: /), rule: 'url-insecure', checks: 59 },
    { reason: 'needs the network', rule: null, checks: 1 },
  ]);
  expect(notChecked(many, true)).toEqual([
    'because of “URL that is not https” (url-insecure) (59 checks)',
    'needs the network',
  ]);
});

test('each format for people names their number', () => {
  expect(pretty(many, { style: PLAIN, verbose: true })).toContain(
    'artifact-checksum-mismatch: 57 more: because of “URL that is not https” (url-insecure)',
  );
  expect(markdown(many, { folder: '' }).match(/because of “URL that is not https”/g)).toHaveLength(1);
  const options = { style: PLAIN, verbose: false };
  expect(render(many, 'junit', options)).toContain('not judged: because of');
  expect(render(many, 'sarif', options)).toContain('artifact-checksum-mismatch was not judged in 59 places');
});

test('an entry names the rule whose finding prevents the check', () => {
  const metadata = metadataWith(...Array.from({ length: 300 }, (_, i) => `1.0.${i}`));
  for (const version of metadata.versions) version['artifactUrl'] = 'ftp://apps.example.com/a.tar.gz';
  const entries = judge(snapshot(['a'], { a: metadata }), { command: 'lint' }).notJudged;
  const ofArtifacts = entries.filter(({ rule }) => rule === 'artifact-checksum-mismatch');
  expect(new Set(ofArtifacts.map(({ blockedBy }) => blockedBy))).toEqual(new Set(['url-malformed']));
  expect(new Set(ofArtifacts.map(({ reason }) => reason))).toEqual(
    new Set(['because of “Malformed URL” (url-malformed)']),
  );
  expect(ofArtifacts.at(-1)?.count).toBe(100);
});
