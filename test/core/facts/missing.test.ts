import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { ResourceKind } from '../../../src/core/facts/facts.ts';
import { NOT_JUDGED_CODES, type NotJudgedReason } from '../../../src/core/facts/missing.ts';
import { reasonText } from '../../../src/core/rules/lookup.ts';

const schema = (name: string): string =>
  readFileSync(new URL(`../../../schemas/${name}.schema.json`, import.meta.url), 'utf8');

const RUN_ONLY = [
  'rule-crashed',
  'turned-off',
  'incomplete',
  'list-truncated',
  'no-app-list',
  'other-shard',
  'reused',
  'stale-copy',
  'addresses-unroutable',
  'addresses-left-out',
  'not-compared',
  'settings-relaxed',
];

test('the schema of reports lists every code', () => {
  const { properties } = JSON.parse(schema('report')) as { properties: Record<string, any> };
  expect(properties['notJudged'].items.properties.code.enum).toEqual(NOT_JUDGED_CODES);
});

test('the schema of facts lists every code of a missing fact with its data', () => {
  const { definitions } = JSON.parse(schema('facts')) as { definitions: Record<string, any> };
  const codes = definitions['missingReason'].properties.code.enum as string[];
  expect(codes.toSorted()).toEqual(NOT_JUDGED_CODES.filter((code) => !RUN_ONLY.includes(code)).toSorted());
});

interface Worded {
  reason: NotJudgedReason;
  resource?: ResourceKind;
  text: string;
}

test.each<Worded>([
  { reason: { code: 'blocked-by', rule: 'url-malformed' }, text: 'because of “Malformed URL” (url-malformed)' },
  {
    reason: { code: 'no-app-list', rule: 'url-malformed' },
    text: 'the apps: the manifest does not list them, because of “Malformed URL” (url-malformed)',
  },
  { reason: { code: 'not-requested', flag: null }, text: 'it was not requested' },
  {
    reason: { code: 'not-requested', flag: '--skip-artifacts' },
    text: 'it is not requested with --skip-artifacts',
  },
  {
    reason: { code: 'probe-failed', probe: 'HEAD request', attempts: 2, failure: 'ECONNRESET' },
    text: 'the HEAD request failed twice (ECONNRESET)',
  },
  {
    reason: { code: 'metadata-missing', reason: { code: 'interrupted' } },
    text: 'its metadata file was not observed (the run was interrupted)',
  },
  {
    reason: { code: 'other-shard', shards: 3, apps: 1 },
    text: '1 app of the other shards (this run is one of 3 shards)',
  },
  {
    reason: { code: 'reused', count: 1, since: '2026-01-01T00:00:00Z', views: false },
    resource: 'icon',
    text: '1 icon, observed less than a day before: the facts from 2026-01-01T00:00:00Z were judged again',
  },
  {
    reason: { code: 'stale-copy', count: 1, age: 7200 },
    resource: 'manifest',
    text: 'what was published in the last 2 hours: the manifest is a cached copy of that age',
  },
  {
    reason: { code: 'stale-copy', count: 2, age: 7200 },
    resource: 'metadata',
    text: 'what was published in the last 2 hours: 2 metadata files are cached copies of up to that age',
  },
])('$reason.code: $text', ({ reason, resource, text }) => {
  expect(reasonText(reason, resource)).toBe(text);
});

test('people read the title of a rule, also in the reason of a reason', () => {
  const reason = { code: 'blocked-by', rule: 'url-malformed' } as const;
  expect(reasonText(reason)).toBe('because of “Malformed URL” (url-malformed)');
  expect(reasonText({ code: 'metadata-missing', reason })).toBe(
    'its metadata file was not observed (because of “Malformed URL” (url-malformed))',
  );
  expect(reasonText({ code: 'blocked-by', rule: 'of-another-version' })).toBe('because of of-another-version');
});
