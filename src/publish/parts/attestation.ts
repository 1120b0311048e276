import { companionPath } from '../../core/registry/companion.ts';
import { attestationMissing } from '../../core/rules/attestations/attestation-missing.ts';
import { message } from '../../core/text/message.ts';
import { sha256Of } from '../../store/bytes.ts';
import type { Store } from '../../store/store.ts';
import type { ChosenVersion, Companion, StoredVersion } from '../artifact.ts';
import type { JudgeSettings } from '../check-change.ts';
import { ruleViolation } from '../check-content.ts';
import type { RegistryLocation } from '../registry-location.ts';
import { billOf } from './bill.ts';
import { companionPart } from './companion.ts';
import type { Part } from './part.ts';

/** The attestation, which is signed after planning. @throws AppregError as `companionPart` and the attester do */
export function attestationPart(place: RegistryLocation, version: ChosenVersion): Promise<Part> {
  return companionPart(place, version, attestationOf);
}

/** It names the bill of materials that is stored already, if there is one. */
export async function attestationOf(store: Store, version: StoredVersion): Promise<readonly Companion[]> {
  const { key, path, artifact, entry } = version;
  if (artifact.attester === undefined) return [];
  const bill = (await billOf(store, version)).find(({ kind }) => kind === 'sbom');
  const stored = bill === undefined ? null : await store.digest(companionPath(path, 'sbom'));
  const sbomSha256 = stored?.sha256 ?? (bill?.bytes ? sha256Of(bill.bytes) : null);
  return [artifact.attester({ app: { key, version: entry.version }, sha256: artifact.content.sha256, sbomSha256 })];
}

/**
 * Refuses a version without an attestation, as `lint` and `verify` would once it is listed. Nothing is known about an
 * artifact that is hosted elsewhere.
 * @throws AppregError `rule-violation` (exit 1)
 */
export async function requireAttestation(
  { store }: RegistryLocation,
  { path, artifact }: ChosenVersion,
  severities: JudgeSettings['severities'],
): Promise<void> {
  const severity = severities[attestationMissing.id] ?? attestationMissing.severity;
  if (path === null || artifact.attester !== undefined || severity !== 'error') return;
  if ((await store.digest(companionPath(path, 'attestation'))) !== null) return;
  const missing = {
    rule: attestationMissing.id,
    text: 'attestation-missing: The artifact has no attestation, which evidence.attestations of the configuration requires.',
    advice: message`Add --attest, --attest-key-env or --attestation, or set evidence.attest or evidence.attestKeyEnv.`,
    evidence: {},
  };
  throw ruleViolation([missing], 'publish');
}
