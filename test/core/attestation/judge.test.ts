import { describe, expect, test } from 'vitest';
import type { AttestationFacts, SignerFacts } from '../../../src/core/facts/attestation.ts';
import { judgeAttestation, namesBill } from '../../../src/core/attestation/judge.ts';
import type { AttestationPolicy } from '../../../src/core/attestation/policy.ts';
import { parseStatement, provenanceStatement } from '../../../src/core/attestation/statement.ts';
import { ciRunOf } from '../../../src/core/attestation/build-types.ts';

const sha256 = 'a'.repeat(64);
const sbomSha256 = 'b'.repeat(64);
const app = { key: 'clock', version: '1.2.0' };
const run = ciRunOf({
  GITLAB_CI: 'true',
  CI_PROJECT_URL: 'https://gitlab.com/acme/apps',
  CI_COMMIT_SHA: 'c'.repeat(40),
  CI_COMMIT_REF_NAME: 'main',
  CI_JOB_URL: 'https://gitlab.com/acme/apps/-/jobs/1',
});
const text = provenanceStatement({ app, sha256, sbomSha256, run, toolVersion: '0.1.0' });
const signer: SignerFacts = {
  kind: 'certificate',
  issuer: 'https://gitlab.com',
  identity: 'https://gitlab.com/acme/apps//.gitlab-ci.yml@refs/heads/main',
  repository: 'https://gitlab.com/acme/apps',
  commit: 'c'.repeat(40),
  ref: 'refs/heads/main',
  run: null,
};
const policy: AttestationPolicy = { sha256, app, sbomSha256: null, signer: null };

function facts(statement = text, by: SignerFacts = signer): AttestationFacts {
  const parsed = parseStatement(statement);
  if (parsed === null) throw new Error('not a statement');
  return {
    bytes: 1,
    sha256: '0'.repeat(64),
    root: { date: '2026-11-05T00:00:00Z', shipped: true },
    failure: null,
    signer: by,
    signedAt: '2026-11-06T00:00:00Z',
    log: [],
    content: { kind: 'statement', statement: parsed },
  };
}

/** The statement with another value at a path. */
function changed(path: string, value: unknown): string {
  const statement = JSON.parse(text) as Record<string, unknown>;
  const names = path.split('.');
  const last = names.pop() ?? '';
  let parent = statement;
  for (const name of names) parent = parent[name] as Record<string, unknown>;
  parent[last] = value;
  return JSON.stringify(statement);
}

const PARAMETERS = 'predicate.buildDefinition.externalParameters';

test('a statement of this version by this pipeline proves it', () => {
  const expected = { issuer: signer.issuer, identity: signer.identity, repository: signer.repository };
  expect(judgeAttestation(facts(), { ...policy, sbomSha256, signer: expected })).toBeNull();
  expect(namesBill(facts())).toBe(true);
  expect(namesBill(facts(provenanceStatement({ app, sha256, sbomSha256: null, run, toolVersion: '0.1.0' })))).toBe(
    false,
  );
});

test('the same input gives the same statement', () => {
  expect(provenanceStatement({ app, sha256, sbomSha256, run, toolVersion: '0.1.0' })).toBe(text);
});

describe.each<[string, string, Partial<AttestationPolicy>, string, string | null]>([
  ['other bytes', text, { sha256: 'd'.repeat(64) }, 'attestation-invalid', 'digest'],
  ['another version', text, { app: { ...app, version: '1.3.0' } }, 'attestation-other-version', null],
  ['another app', text, { app: { ...app, key: 'lamp' } }, 'attestation-other-version', null],
  ['another bill of materials', text, { sbomSha256: 'e'.repeat(64) }, 'attestation-invalid', 'digest'],
  [
    'the bill of materials in place of the artifact',
    text,
    { sha256: sbomSha256, app: { key: 'clock', version: '1.2.0' } },
    'attestation-other-version',
    null,
  ],
  ['another predicate', changed('predicateType', 'https://spdx.dev/Document'), {}, 'attestation-invalid', 'build'],
  ['another build type', changed('predicate.buildDefinition.buildType', 'x'), {}, 'attestation-invalid', 'build'],
  [
    'a build type like a method',
    changed('predicate.buildDefinition.buildType', 'toString'),
    {},
    'attestation-invalid',
    'build',
  ],
  ['an unknown parameter', changed(`${PARAMETERS}.script`, 'curl'), {}, 'attestation-invalid', 'build'],
  ['a parameter like a method', changed(`${PARAMETERS}.constructor`, 'x'), {}, 'attestation-invalid', 'build'],
  [
    'an unknown input of the workflow',
    changed(`${PARAMETERS}.workflow.inputs`, {}),
    {},
    'attestation-invalid',
    'build',
  ],
  ['a parameter that is not a text', changed(`${PARAMETERS}.version`, 1), {}, 'attestation-invalid', 'build'],
  ['the build of another version', changed(`${PARAMETERS}.version`, '1.1.0'), {}, 'attestation-invalid', 'build'],
  [
    'another repository',
    changed(`${PARAMETERS}.workflow.repository`, 'https://gitlab.com/evil/apps'),
    {},
    'attestation-invalid',
    'build',
  ],
])('%s', (_, statement, expected, rule, cause) => {
  test('is refused', () => {
    const problem = judgeAttestation(facts(statement), { ...policy, ...expected });
    expect(problem).toMatchObject({ rule, cause });
    expect(problem?.message).toMatch(/\.$/);
  });
});

describe('the signer', () => {
  const any = { issuer: null, identity: null, repository: null };
  test.each<[string, AttestationPolicy['signer'], string | null]>([
    ['any', any, null],
    ['another issuer', { ...any, issuer: 'https://gitlab.com/' }, 'issuer'],
    ['the issuer as a part', { ...any, issuer: 'https://gitlab' }, 'issuer'],
    [
      'a wildcard of a segment',
      { ...any, identity: 'https://gitlab.com/acme/apps//.gitlab-ci.yml@refs/heads/*' },
      null,
    ],
    ['a wildcard that ends too early', { ...any, identity: 'https://gitlab.com/acme/*' }, 'identity'],
    ['a wildcard across segments', { ...any, identity: 'https://gitlab.com/acme/**' }, null],
    ['a regular expression', { ...any, identity: 'https://gitlab.com/acme/.+' }, 'identity'],
    ['another spelling of the repository', { ...any, repository: 'git+https://GitLab.com/acme/apps.git/' }, null],
    ['a repository that begins so', { ...any, repository: 'https://gitlab.com/acme/app' }, 'repository'],
    ['a key', { key: 'f'.repeat(64) }, 'key'],
  ])('%s', (_, expected, cause) => {
    const problem = judgeAttestation(facts(), { ...policy, signer: expected });
    expect(problem?.cause ?? null).toBe(cause);
    if (problem !== null) expect(problem.rule).toBe('attestation-identity');
  });

  test('an identity is not that of a key', () => {
    const byKey = facts(text, { kind: 'key', sha256: 'f'.repeat(64) });
    expect(judgeAttestation(byKey, { ...policy, signer: { key: 'f'.repeat(64) } })).toBeNull();
    expect(judgeAttestation(byKey, { ...policy, signer: { ...any, issuer: 'https://gitlab.com' } })?.cause).toBe(
      'issuer',
    );
  });
});

test('a signature of the bytes proves only them', () => {
  const bytes: AttestationFacts = { ...facts(), content: { kind: 'artifact', sha256 } };
  expect(judgeAttestation(bytes, { ...policy, app: null })).toBeNull();
  expect(judgeAttestation(bytes, policy)).toMatchObject({ rule: 'attestation-invalid', cause: 'build' });
  expect(judgeAttestation(bytes, { ...policy, sha256: 'd'.repeat(64) })).toMatchObject({ cause: 'digest' });
});

test('a failed verification is judged first', () => {
  const failed: AttestationFacts = { ...facts(), failure: { cause: 'root-outdated', code: 'unknown-ct-log' } };
  expect(judgeAttestation(failed, { ...policy, sha256: 'd'.repeat(64) })).toMatchObject({
    rule: 'attestation-invalid',
    cause: 'root-outdated',
    message: expect.stringContaining('The trusted root is too old: it is of 2026-11-05') as string,
    advice: 'Update appreg, or give a current trusted root (--trusted-root).',
  });
});

test.each([
  'text',
  '[]',
  '{}',
  changed('_type', 'https://in-toto.io/Statement/v0.1'),
  changed('subject', []),
  changed('subject', [{ digest: { sha256 } }]),
  changed('predicateType', null),
])('%s is not a statement', (statement) => {
  expect(parseStatement(statement)).toBeNull();
});

test('a digest of another form is none', () => {
  const upper = changed('subject', [{ name: 'clock@1.2.0', digest: { sha256: 'A'.repeat(64) } }]);
  expect(judgeAttestation(facts(upper), policy)).toMatchObject({ cause: 'digest' });
});

describe('the run of a CI system', () => {
  test('of GitLab', () => {
    expect(run).toEqual({
      workflow: { repository: 'https://gitlab.com/acme/apps', ref: 'refs/heads/main', path: '.gitlab-ci.yml' },
      commit: 'c'.repeat(40),
      builder: 'https://gitlab.com/acme/apps//.gitlab-ci.yml@refs/heads/main',
      url: 'https://gitlab.com/acme/apps/-/jobs/1',
    });
  });

  test('is not known elsewhere, nor with a variable missing', () => {
    expect(ciRunOf({})).toBeNull();
    expect(ciRunOf({ GITHUB_ACTIONS: 'true', GITHUB_REPOSITORY: 'acme/apps' })).toBeNull();
    expect(ciRunOf({ GITLAB_CI: 'true', CI_PROJECT_URL: 'https://gitlab.com/acme/apps' })).toBeNull();
  });
});
