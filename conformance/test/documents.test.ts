import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { coreValidator, judgeDocument, compare, documentOf, runDocumentCases } from '../src/documents/run.ts';
import { casesOf } from '../src/sets.ts';
import { rules } from '../../src/core/rules/index.ts';
import type { DocumentCase } from '../src/case/case.ts';

/** The validator of appreg passes all documents of the conformance kit, and answers are compared with the expected ones. */

const cases = casesOf(1, 'documents');

test('appreg passes every case, those that are not judged included', async () => {
  const observations = await runDocumentCases(cases, 1, coreValidator);
  expect(observations.filter(({ verdict }) => verdict !== 'pass')).toEqual([]);
});

test('the expected verdict is that of appreg lint', () => {
  const verdicts = cases.map((one) => {
    const { path, kind } = documentOf(one, 1);
    const { summary } = judgeDocument(readFileSync(path), kind);
    const accepted = summary.warnings > 0 ? 'warnings' : 'valid';
    return [one.id, summary.errors > 0 ? 'invalid' : accepted];
  });
  expect(verdicts).toEqual(cases.map(({ id, expect: expected }) => [id, expected.verdict]));
});

/** The subjects of rules that a document alone shows. */
const SUBJECTS = ['document', 'manifest', 'app', 'url', 'metadata', 'version'];
/** The rules that no case of this role depends on, and why. */
const UNSEEN: Readonly<Record<string, string>> = {
  'no-apps': 'a note, which is neither an error nor a warning',
  'checksum-shared': 'a note, which is neither an error nor a warning',
  'version-withdrawn': 'needs what was published before',
  'artifact-changed': 'needs what was published before',
  'artifact-moved': 'needs what was published before',
  'app-withdrawn': 'needs what was published before',
  'app-not-listed': 'needs the name of an app that is looked for',
  'version-not-listed': 'needs a version that is looked for',
  'base-url-mismatched': 'needs the configuration of a workspace',
  'url-of-other-app': 'is about names, which the specification does not relate to keys',
  'version-of-other-app': 'needs the metadata files of two apps',
  'url-placeholder': 'is about pipelines, which the specification does not mention',
  'url-of-page': 'is about products, which the specification does not mention',
};

test('without the findings of any rule, a case fails', () => {
  const judged = cases.map((one) => {
    const { path, kind } = documentOf(one, 1);
    return { one, findings: judgeDocument(readFileSync(path), kind).findings };
  });
  const unseen = rules.filter(({ id, on }) => {
    if (!SUBJECTS.includes(on)) return false;
    return judged.every(({ one, findings }) => {
      const faults = findings
        .filter(({ rule, severity }) => rule !== id && severity !== 'note')
        .map(({ severity, pointer }) => (severity === 'error' ? error(pointer ?? '') : warning(pointer ?? '')));
      const accepted = !faults.some(({ severity }) => severity === 'error');
      return compare(one, { accepted, faults }).verdict === 'pass';
    });
  });
  expect(unseen.map(({ id }) => id).toSorted()).toEqual(Object.keys(UNSEEN).toSorted());
});

const CASE: DocumentCase = {
  id: 'a',
  role: 'documents',
  spec: '2.1',
  quote: null,
  level: 'recommended',
  title: 'A document is rejected.',
  script: { document: 'manifest' },
  expect: { verdict: 'invalid', faults: ['/apps/clock/name'] },
};
const VALID = { ...CASE, expect: { verdict: 'valid', faults: [] } } as const;
const WARNINGS = { ...CASE, expect: { verdict: 'warnings', faults: ['/apps/clock/name'] } } as const;

test.each([
  ['a rejection without a place', CASE, { accepted: false, faults: null }, 'pass'],
  ['a rejection at the place', CASE, { accepted: false, faults: [error('/apps/clock/name')] }, 'pass'],
  ['a rejection at the object around it', CASE, { accepted: false, faults: [error('/apps/clock')] }, 'pass'],
  ['a rejection of the whole document', CASE, { accepted: false, faults: [error('')] }, 'pass'],
  ['a rejection at another place', CASE, { accepted: false, faults: [error('/apps/clock/na')] }, 'fail'],
  ['a rejection with a warning alone', CASE, { accepted: false, faults: [warning('/apps/clock/name')] }, 'fail'],
  ['acceptance of an invalid document', CASE, { accepted: true, faults: null }, 'fail'],
  ['rejection of a valid document', VALID, { accepted: false, faults: null }, 'fail'],
  ['acceptance with a warning', VALID, { accepted: true, faults: [warning('')] }, 'pass'],
  ['an expected warning', WARNINGS, { accepted: true, faults: [warning('/apps/clock/name')] }, 'pass'],
  ['no expected warning', WARNINGS, { accepted: true, faults: [] }, 'fail'],
  ['acceptance, without faults, where a warning is expected', WARNINGS, { accepted: true, faults: null }, 'pass'],
] as const)('%s', (_, one, answer, verdict) => {
  expect(compare(one, answer).verdict).toBe(verdict);
});

function error(pointer: string) {
  return { pointer, severity: 'error' } as const;
}

function warning(pointer: string) {
  return { pointer, severity: 'warning' } as const;
}
