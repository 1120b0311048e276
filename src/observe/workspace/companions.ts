import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { companionPath, type CompanionKind, LARGEST_COMPANION } from '../../core/registry/companion.ts';
import { namesBill } from '../../core/attestation/judge.ts';
import type { ObservedAttestation } from '../../core/facts/attestation.ts';
import { readChunks } from '../../platform/read-chunks.ts';
import { factsOfBundle } from '../content/attestation.ts';
import { stateOfError } from './local-state.ts';
import { type LocalAttestations, stateIn, type WorkspaceContext } from './workspace-context.ts';

/** Verifies the attestations of a workspace; loaded if there is one. */

/** The attestation beside an artifact. @param path of the artifact, below the root @throws AppregError `file-unreadable` */
export async function attestationBeside(
  context: WorkspaceContext,
  path: string,
  { open }: LocalAttestations,
): Promise<ObservedAttestation> {
  const bundle = await readCompanion(context, path, 'attestation');
  if (bundle === null) return { state: 'absent' };
  const facts = factsOfBundle(bundle, await open());
  if (!namesBill(facts)) return { state: 'present', facts };
  const bill = await readCompanion(context, path, 'sbom');
  const sha256 = bill && createHash('sha256').update(bill.bytes).digest('hex');
  return { state: 'present', facts, bill: { sha256 } };
}

/** A companion file as far as it is read; null if there is none. */
async function readCompanion(
  context: WorkspaceContext,
  path: string,
  kind: CompanionKind,
): Promise<{ bytes: Buffer; isCut: boolean } | null> {
  const file = companionPath(path, kind);
  if (stateIn(context, file) !== null) return null;
  const limit = LARGEST_COMPANION[kind];
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of readChunks(join(context.root, file))) {
      chunks.push(Buffer.from(chunk));
      length += chunk.length;
      if (length > limit) break;
    }
  } catch (error) {
    stateOfError(join(context.root, file), error);
    return null;
  }
  return { bytes: Buffer.concat(chunks), isCut: length > limit };
}
