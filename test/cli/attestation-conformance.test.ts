import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { runAttestation } from '../../src/cli/commands/attestation.ts';
import { isAppregError } from '../../src/core/errors/error.ts';
import { cliContext } from '../support/cli-context.ts';
import { OLDER_ROOT, SIGSTORE_CASES, sigstoreCase } from '../support/sigstore-cases.ts';

/** `appreg attestation` judges the cases of the public test suite for clients of Sigstore. */

interface Outcome {
  /** The exit code, or the code of the error that ended the run. */
  exit: number | string;
  errors: string;
  document: { problem: { cause: string } | null; facts: { failure: { code: string } | null } } | null;
}

async function judged(name: string, more: { trustedRoot?: string; bundle?: string } = {}): Promise<Outcome> {
  const { artifact, options } = sigstoreCase(name);
  const context = cliContext({ cwd: import.meta.dirname, options: { format: 'json' } });
  try {
    const exit = await runAttestation(context, artifact, { ...options, ...more });
    const [document = ''] = context.printed.out;
    return { exit, errors: context.printed.error.join('\n'), document: JSON.parse(document) as Outcome['document'] };
  } catch (error) {
    if (!isAppregError(error)) throw error;
    return { exit: error.code, errors: error.message, document: null };
  }
}

/** What is at fault in each case that has to be refused. */
const REFUSED: Record<string, string> = {
  'bundle-empty-certificate-chain_fail': 'form',
  'bundle-from-wrong-instance_fail': 'certificate',
  'bundle-invalid-base64-signature_fail': 'signature',
  'bundle-malformed-json_fail': 'form',
  'bundle-negative-log-index_fail': 'log',
  'bundle-unknown-version_fail': 'form',
  'bundle-with-root-cert_fail': 'form',
  'checkpoint-bad-keyhint_fail': 'log',
  'checkpoint-wrong-roothash_fail': 'log',
  'dsse-invalid-sig_fail': 'signature',
  'dsse-mismatch-envelope_fail': 'log',
  'dsse-mismatch-sig_fail': 'log',
  'inclusion-proof-corrupted-hash_fail': 'log',
  'incorrect-public-key_fail': 'log',
  'integrated-time-in-future_fail': 'certificate',
  'intoto-expired-certificate_fail': 'certificate',
  'intoto-log-entry-mismatch_fail': 'log',
  'intoto-missing-inclusion-proof_fail': 'form',
  'intoto-set-outside-signing-cert-validity_fail': 'certificate',
  'intoto-tsa-timestamp-outside-cert-validity_fail': 'certificate',
  'invalid-checkpoint-signature_fail': 'log',
  'invalid-ct-key_fail': 'root-outdated',
  'invalid-inclusion-proof_fail': 'form',
  'managed-key-no-key_fail': 'signature',
  'managed-key-wrong-key_fail': 'attestation-key-invalid',
  'message-digest-mismatch_fail': 'log',
  'rekor2-checkpoint-missing-log-signature_fail': 'log',
  'rekor2-checkpoint-missing-origin_fail': 'log',
  'rekor2-checkpoint-missing-root-hash_fail': 'log',
  'rekor2-checkpoint-missing-size_fail': 'log',
  'rekor2-checkpoint-no-matching-signature_fail': 'log',
  'rekor2-dsse-invalid-sig_fail': 'signature',
  'rekor2-dsse-mismatch-envelope_fail': 'log',
  'rekor2-dsse-mismatch-sig_fail': 'log',
  'rekor2-no-inclusion-proof_fail': 'form',
  'rekor2-no-timestamp_fail': 'certificate',
  'rekor2-timestamp-outside-trust-root-tsa-validity_fail': 'certificate',
  'rekor2-timestamp-outside-tsa-cert-validity_fail': 'certificate',
  'rekor2-timestamp-payload-mismatch_fail': 'certificate',
  'rekor2-timestamp-untrusted-tsa-with-embedded-cert_fail': 'root-outdated',
  'rekor2-timestamp-untrusted-tsa-without-embedded-cert_fail': 'root-outdated',
  'rekor2-timestamp-with-incorrect-time_fail': 'certificate',
  'set-invalid-signature_fail': 'log',
  'signature-mismatch_fail': 'signature',
  'trust-root-tlog-missing-validity-start_fail': 'trusted-root-invalid',
  'wrong-hashedrekord-artifact_fail': 'log',
  'wrong-hashedrekord-cert-and-sig_fail': 'log',
  'wrong-hashedrekord-entry_fail': 'log',
  'wrong-material_fail': 'signature',
};

test('there are 70 cases', () => {
  expect(SIGSTORE_CASES).toHaveLength(70);
});

describe('accepted', () => {
  test.each(SIGSTORE_CASES.filter((name) => !name.endsWith('_fail')))('%s', async (name) => {
    expect(await judged(name)).toMatchObject({ exit: 0, errors: '', document: { problem: null } });
  });
});

describe('refused', () => {
  test.each(SIGSTORE_CASES.filter((name) => name.endsWith('_fail')))('%s', async (name) => {
    const { exit, document, errors } = await judged(name);
    expect(document?.problem?.cause ?? exit).toBe(REFUSED[name]);
    // Files that cannot be used are exit 2.
    expect(exit).toBe(document === null ? REFUSED[name] : 1);
    expect(errors).not.toBe('');
  });
});

test('a trusted root that is older than a valid bundle is named as the cause', async () => {
  const { exit, document, errors } = await judged('managed-key-happy-path', { trustedRoot: OLDER_ROOT });
  expect(exit).toBe(1);
  expect(document?.problem?.cause).toBe('root-outdated');
  expect(errors).toContain('The trusted root is too old: it is of 2022-10-20,');
  expect(errors).toContain('Give a current trusted root (--trusted-root).');
});

describe('the name in the signature of a checkpoint', () => {
  const folder = mkdtempSync(join(tmpdir(), 'appreg-bundles-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const judgedWithName = async (name: string): Promise<Outcome> => {
    const original = readFileSync(sigstoreCase('rekor2-happy-path').options.bundle, 'utf8');
    const bundle = join(folder, `${name.length}.json`);
    const forged = original.replace(/(\\n\\n(?:—|\\u2014) )[^ ]+/, (_, start: string) => `${start}${name}`);
    expect(forged).not.toBe(original);
    writeFileSync(bundle, forged);
    return judged('rekor2-happy-path', { bundle });
  };

  test.each(['.*', `${'(.*)*'.repeat(20)}!`, 'another.example', '['])('is compared as text: %s', async (name) => {
    const { exit, document } = await judgedWithName(name);
    expect(document?.problem?.cause).toBe('log');
    expect(exit).toBe(1);
  });
});
