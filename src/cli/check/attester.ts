import { resolve } from 'node:path';
import type { AttestationSigner } from '../../attestation/sign.ts';
import type { Trust } from '../../attestation/trust.ts';
import { type CiRun, ciRunOf } from '../../core/attestation/build-types.ts';
import { LARGEST_COMPANION } from '../../core/registry/companion.ts';
import { type AttestationProblem, judgeAttestation } from '../../core/attestation/judge.ts';
import type { SignerPolicy } from '../../core/facts/attestation.ts';
import { provenanceStatement } from '../../core/attestation/statement.ts';
import { AppregError } from '../../core/errors/error.ts';
import { ownValue } from '../../core/values/record.ts';
import { message, safe, type SafeText } from '../../core/text/message.ts';
import { VERSION } from '../../core/values/tool-version.ts';
import { readRegularFile } from '../../platform/regular-file.ts';
import { requireNode } from '../../platform/runtime.ts';
import type { Attested, Attester, Companion } from '../../publish/artifact.ts';
import type { OptionValues } from '../define/command.ts';
import type { attestOptions, signerOptions } from '../define/option-groups.ts';
import type { Config, LoadedConfig } from '../config/config.ts';
import type { Context } from '../config/context.ts';
import { readInputFile } from '../io/input-file.ts';

/** Who signs attestations: who has to have signed one, and what attests the versions that are published. */

/** The options that say who has to have signed an attestation, and what that is verified with. */
export type SignerOptions = { readonly [Name in keyof typeof signerOptions]?: string | undefined };

/** True if the options say who has to have signed. */
export function namesSigner({ issuer, identity, repository, key }: SignerOptions): boolean {
  return [issuer, identity, repository, key].some((value) => value !== undefined);
}

/**
 * Reads the keys and roots that attestations are verified with.
 * @param folder that the paths of files are relative to
 * @throws AppregError for files that cannot be used
 */
export async function trustOf(folder: string, { key, trustedRoot }: SignerOptions): Promise<Trust> {
  const { readPublicKey, readTrustedRoot, shippedTrust } = await import('../../attestation/trust.ts');
  const text = (file: string): string => readInputFile(folder, file).toString('utf8');
  const vendorKey = key === undefined ? null : readPublicKey(text(key), key);
  return trustedRoot === undefined
    ? shippedTrust(vendorKey)
    : readTrustedRoot(text(trustedRoot), trustedRoot, vendorKey);
}

/**
 * The signer that the options name. A certificate proves nothing about a signer that is not named: every user of
 * Sigstore gets one.
 * @throws AppregError if they name none, or two
 */
export function signerPolicy({ issuer, identity, repository }: SignerOptions, { key }: Trust): SignerPolicy {
  const isIdentity = issuer !== undefined || identity !== undefined || repository !== undefined;
  if (key !== null && !isIdentity) return { key: key.sha256 };
  if (key !== null)
    throw new AppregError(
      'option-conflict',
      message`--key is used with --issuer, --identity or --repository.`,
      message`Give either a key, or the identity of the signer.`,
    );
  if (issuer === undefined || (identity === undefined && repository === undefined))
    throw new AppregError(
      'option-missing',
      message`The signer is not given.`,
      message`Add --key, or --issuer with --identity or --repository: every user of Sigstore can sign with an own identity.`,
    );
  return { issuer, identity: identity ?? null, repository: repository ?? null };
}

/** The options of the commands that publish versions. */
export type AttestOptions = OptionValues<typeof attestOptions>;

type WantedAttestation = { kind: 'keyless' } | { kind: 'key'; variable: string } | { kind: 'given'; file: string };

/**
 * Makes the attester of the versions that a command publishes; undefined if they are not attested.
 * @throws AppregError (exit 2) as `attesterFor` does
 */
export async function attesterOf(
  context: Context,
  loaded: LoadedConfig,
  options: AttestOptions & { dryRun?: boolean },
): Promise<Attester | undefined> {
  const wanted = wantedAttestation(options, loaded.config.evidence ?? {});
  if (wanted === null) return undefined;
  return attesterFor(context, loaded, { wanted, options, dryRun: options.dryRun === true });
}

export function requestsAttestation({ attest, attestKeyEnv, attestation }: AttestOptions): boolean {
  return attest === true || attestKeyEnv !== undefined || attestation !== undefined;
}

/**
 * An option replaces the setting.
 * @returns null if nothing is attested
 * @throws AppregError (exit 2) for options, or settings, that exclude each other
 */
function wantedAttestation(
  options: AttestOptions,
  { attest = false, attestKeyEnv }: NonNullable<Config['evidence']>,
): WantedAttestation | null {
  checkAttestOptions(options);
  if (options.attestation !== undefined) return { kind: 'given', file: options.attestation };
  if (options.attestKeyEnv !== undefined) return { kind: 'key', variable: options.attestKeyEnv };
  if (options.attest === true) return { kind: 'keyless' };
  if (attest && attestKeyEnv !== undefined)
    throw new AppregError(
      'config-invalid',
      message`The settings evidence.attest and evidence.attestKeyEnv exclude each other: an attestation has one signature.`,
      message`Remove evidence.attest to sign with the key, or evidence.attestKeyEnv to sign with the token of the CI system.`,
    );
  if (attestKeyEnv !== undefined) return { kind: 'key', variable: attestKeyEnv };
  return attest ? { kind: 'keyless' } : null;
}

/** @throws AppregError (exit 2) for options that exclude each other */
function checkAttestOptions(options: AttestOptions): void {
  const { attest, attestKeyEnv, attestation } = options;
  const count = [attest === true, attestKeyEnv !== undefined, attestation !== undefined].filter(Boolean).length;
  if (count > 1)
    throw new AppregError(
      'option-conflict',
      message`Only one of --attest, --attest-key-env and --attestation can be given.`,
      message`Use --attest in a CI system that offers an OIDC token, --attest-key-env with a key of your own, and --attestation for a file that another tool signed.`,
    );
  if (attestation === undefined && (namesSigner(options) || options.trustedRoot !== undefined))
    throw new AppregError(
      'option-conflict',
      message`--issuer, --identity, --repository, --key and --trusted-root are only valid with --attestation: they say who has to have signed that file.`,
      message`Omit them, or add --attestation <file>.`,
    );
}

/** The first thing that a bundle does not prove about a version; null if it proves all. */
type Check = (bundle: Uint8Array, attested: Attested) => AttestationProblem | null;

interface Request {
  wanted: WantedAttestation;
  options: AttestOptions;
  /** True if nothing will be signed, so that neither a key nor a token is needed. */
  dryRun: boolean;
}

/**
 * Makes the attester of the versions that a command publishes. Nothing is signed before the plan of a version is
 * applied.
 * @throws AppregError (exit 2) for a key, a token or a file that is missing or invalid
 */
export async function attesterFor(
  { cwd, env }: Pick<Context, 'cwd' | 'env'>,
  { config: { evidence = {} }, root }: Pick<LoadedConfig, 'config' | 'root'>,
  { wanted, options, dryRun }: Request,
): Promise<Attester> {
  const expected = evidence.attestations ?? {};
  const run = ciRunOf(env);
  if (wanted.kind === 'given') {
    const isGiven = namesSigner(options) || options.trustedRoot !== undefined;
    const [folder, signer] = isGiven ? [cwd, options] : [root, expected];
    const trust = await trustOf(folder, signer);
    return givenAttester(givenBundle(cwd, wanted.file), wanted.file, await checkBy(trust, policyOf(signer, trust)));
  }
  if (wanted.kind === 'key') {
    const { keySigner, signingKeyIn } = await import('../../attestation/sign.ts');
    const { shippedTrust } = await import('../../attestation/trust.ts');
    if (dryRun && !ownValue(env, wanted.variable)) return signingAttester(null, () => null, run);
    const key = signingKeyIn(env, wanted.variable);
    if (namesSigner(expected) && key.sha256 !== (await trustOf(root, { key: expected.key })).key?.sha256)
      throw otherSigner(message`The key in ${wanted.variable}`, expected);
    return signingAttester(keySigner(env, wanted.variable), await checkBy(shippedTrust(key), { key: key.sha256 }), run);
  }
  const { issuer, identity, repository = run?.workflow.repository, trustedRoot, key } = expected;
  if (key !== undefined) throw otherSigner(message`The identity of the CI system`, expected);
  const trust = await trustOf(root, { trustedRoot });
  const check = await checkBy(trust, {
    issuer: issuer ?? null,
    identity: identity ?? null,
    repository: repository ?? null,
  });
  if (dryRun) return signingAttester(null, check, run);
  requireNode(message`Signing by a service`, message`sign with --attest-key-env`);
  const { keylessSigner } = await import('../../attestation/keyless.ts');
  const services = evidence.sigstore && { fulcioUrl: evidence.sigstore.fulcio, rekorUrl: evidence.sigstore.rekor };
  return signingAttester(keylessSigner(env, services), check, run);
}

/** A stored attestation is never replaced, so one that subscribers will refuse is not made. */
function otherSigner(signer: SafeText, { key }: SignerOptions): AppregError {
  return new AppregError(
    'attestation-refused',
    message`${safe(signer)} is not the signer that evidence.attestations of the configuration requires: ${key === undefined ? 'it names an identity' : `it names the key ${key}`}.`,
    message`Sign with that one, or correct evidence.attestations: an attestation is never replaced.`,
    { effect: 'none' },
  );
}

/** Any signer, if none is named. */
function policyOf(signer: SignerOptions, trust: Trust): SignerPolicy | null {
  return namesSigner(signer) ? signerPolicy(signer, trust) : null;
}

async function checkBy(trust: Trust, signer: SignerPolicy | null): Promise<Check> {
  const { verifyAttestation } = await import('../../attestation/verify.ts');
  return (bundle, { app, sha256, sbomSha256 }) =>
    judgeAttestation(verifyAttestation(bundle, trust), { app, sha256, sbomSha256, signer });
}

const WHAT = 'the attestation';

/** @param signer null if nothing will be signed */
function signingAttester(signer: AttestationSigner | null, check: Check, run: CiRun | null): Attester {
  const signed = new Map<string, Promise<Uint8Array>>();
  return (attested): Companion => ({
    kind: 'attestation',
    bytes: null,
    what: WHAT,
    difference: (stored) => check(stored, attested)?.message ?? null,
    async sign() {
      if (signer === null) throw new Error('a dry run signs nothing');
      const statement = provenanceStatement({ ...attested, run, toolVersion: VERSION });
      const known = signed.get(statement) ?? attestationOf(statement, signer);
      signed.set(statement, known);
      const problem = check(await known, attested);
      if (problem?.rule === 'attestation-identity') throw refused('The signed bundle', attested, problem);
      return known;
    },
  });
}

async function attestationOf(statement: string, signer: AttestationSigner): Promise<Uint8Array> {
  const { createAttestation } = await import('../../attestation/sign.ts');
  return createAttestation(statement, signer);
}

/** @param shownAs the name of the file, for messages */
function givenAttester(bytes: Uint8Array, shownAs: string, check: Check): Attester {
  return (attested): Companion => {
    const problem = check(bytes, attested);
    if (problem !== null) throw refused(shownAs, attested, problem);
    return {
      kind: 'attestation',
      bytes,
      what: WHAT,
      difference: (stored) => check(stored, attested)?.message ?? null,
    };
  };
}

function refused(shownAs: string, { app }: Attested, problem: AttestationProblem): AppregError {
  return new AppregError(
    'attestation-refused',
    message`${shownAs} does not attest ${app.key} ${app.version}: ${safe(problem.message)}`,
    problem.advice,
    { effect: 'none' },
  );
}

function givenBundle(cwd: string, file: string): Uint8Array {
  const read = readRegularFile(resolve(cwd, file), LARGEST_COMPANION.attestation);
  if ('bytes' in read) return read.bytes;
  throw new AppregError(
    'file-unreadable',
    message`${file} ${read.failure}.`,
    message`Give the path of a Sigstore bundle.`,
  );
}
