import { describe, expect, test } from 'vitest';
import { annotations } from '../../src/report/github.ts';
import { render } from '../../src/report/index.ts';
import { finding, HOSTILE, notJudged, report } from '../support/reports.ts';

/** How each format shows findings that are excepted, or in the baseline. */

const excepted = { reason: 'It is rebuilt.', until: '2027-03-01', issue: 'https://tracker.example.com/7' };
const WHY = 'excepted until 2027-03-01: It is rebuilt. (https://tracker.example.com/7)';
const mixed = report({
  findings: [
    finding({ message: 'A new problem.' }),
    finding({ version: '1.1.0', message: 'An excepted problem.', excepted }),
    finding({ rule: 'url-unstable', severity: 'warning', message: 'A known problem.', baseline: true }),
    finding({ rule: 'text-empty', severity: 'warning', message: 'Both.', excepted, baseline: true }),
  ],
});
const allKnown = report({ findings: [finding({ baseline: true }), finding({ excepted })] });

function suppression(justification: string, properties: object): object {
  return { kind: 'external', status: 'accepted', justification, properties };
}

describe('pretty', () => {
  test('counts them in the last line', () => {
    const text = render(mixed, 'pretty');
    expect(text).toContain('✗ 1 error, 0 warnings, 2 excepted, 1 in the baseline (');
    expect(text).toContain('A new problem.');
    expect(text).not.toMatch(/An excepted problem|A known problem|Both/);
    expect(render(allKnown, 'pretty')).toMatch(/^✓ No problems, 1 excepted, 1 in the baseline \(/);
  });

  test('lists them with --verbose, with the reason', () => {
    const text = render(mixed, 'pretty', { verbose: true });
    expect(text).toContain(
      `Not counted:\n  error  An excepted problem.  checksum-malformed (hello 1.1.0)\n    apps/hello/versions.json:6:27\n    ${WHY}\n`,
    );
    expect(text).toContain('    in the baseline\n');
  });
});

test('github annotates only what counts', () => {
  const lines = annotations(mixed, { folder: '' });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('A new problem.');
  expect(render(allKnown, 'github')).toBe(
    'appreg lint: ✓ No problems, 1 excepted, 1 in the baseline (1 app, 1 version, 100 bytes, 0.4 s)',
  );
});

test('gitlab leaves them out, and the fingerprints of the others stay', () => {
  const [only, ...others] = JSON.parse(render(mixed, 'gitlab'));
  expect(others).toEqual([]);
  expect(only.description).toContain('A new problem.');
  const unmarked = mixed.findings.map((one) => ({ ...one, excepted: null, baseline: false }));
  const [first] = JSON.parse(render(report({ findings: unmarked }), 'gitlab'));
  expect(only.fingerprint).toBe(first.fingerprint);
});

describe('sarif', () => {
  test('suppresses them, with the reason; all results or none have suppressions', () => {
    const { results } = JSON.parse(render(mixed, 'sarif')).runs[0];
    expect(results.map(({ suppressions }: { suppressions: object[] }) => suppressions)).toEqual([
      [],
      [suppression(WHY, { excepted, baseline: false, unfixable: false })],
      [suppression('in the baseline', { excepted: null, baseline: true, unfixable: false })],
      [suppression(WHY, { excepted, baseline: true, unfixable: false })],
    ]);
    const { results: plain } = JSON.parse(render(report({ findings: [finding()] }), 'sarif')).runs[0];
    expect(plain[0]).not.toHaveProperty('suppressions');
  });
});

describe('junit', () => {
  test('skips a test without a finding that counts, with the reason', () => {
    const text = render(mixed, 'junit');
    expect(text).toMatch(
      /name="text-empty" classname="apps.hello" time="0">\s*<skipped message="excepted until 2027-03-01: /,
    );
    expect(text).toMatch(/name="url-unstable" [^>]*>\s*<skipped message="in the baseline — A known problem."/);
    expect(text).toMatch(/<testsuites [^>]*failures="1"/);
  });

  test('fails a test with one, and says what the others are', () => {
    const text = render(mixed, 'junit');
    expect(text).toMatch(/<failure message="A new problem." type="uppercase">/);
    expect(text).toContain(WHY);
  });

  test('does not count them for --max-warnings', () => {
    const known = report({ findings: [finding({ severity: 'warning', baseline: true })] });
    expect(render(known, 'junit', { maxWarnings: 0 })).not.toContain('<failure');
  });
});

describe('markdown', () => {
  test('collapses them, with the reason', () => {
    const text = render(mixed, 'markdown');
    expect(text).toContain('<details><summary>3 findings do not count: 2 excepted, 1 in the baseline</summary>');
    expect(text).toContain('### 1 error\n');
    expect(text).not.toContain('<summary>1 warning');
    expect(text).toMatch(/excepted until 2027-03-01: It is rebuilt\./);
  });

  test('fits into a comment, however many there are', () => {
    const many = report({
      findings: Array.from({ length: 5000 }, (_, i) => finding({ message: `${i} `.repeat(40), baseline: i % 2 === 0 })),
    });
    expect(render(many, 'markdown').length).toBeLessThan(65_536);
  });
});

test('a diagnosis names why a cause does not count', () => {
  const diagnosis = {
    seenAt: '2026-03-01T12:00:00Z',
    origins: [],
    requested: null,
    copies: [],
    proxy: null,
    saved: false,
  };
  const symptoms = mixed.symptoms.map((one) =>
    one.id === 'checksum-mismatch' ? { ...one, status: 'confirmed' as const, rules: ['checksum-malformed'] } : one,
  );
  const text = render({ ...mixed, command: 'diagnose', symptoms }, 'pretty', { diagnosis });
  expect(text).toContain(`not counted  ${WHY}`);
  expect(text).toContain('1 error, 0 warnings, 2 excepted, 1 in the baseline');
});

test.each(['pretty', 'markdown', 'github', 'junit'] as const)('%s escapes the reason of an exception', (format) => {
  for (const reason of HOSTILE) {
    const text = render(
      report({ findings: [finding({ excepted: { reason, until: null, issue: reason } })], notJudged: [notJudged()] }),
      format,
      { verbose: true },
    );
    // eslint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(text).not.toMatch(/^::(stop-commands|set-output)/m);
  }
});
