import { join } from 'node:path';
import type { Content, MaterialsFacts, Missing } from '../../core/facts/facts.ts';
import { companionPath, LARGEST_COMPANION } from '../../core/attestation/companion.ts';
import { readRegularFile } from '../../platform/regular-file.ts';
import type { AdvisoryFolder } from '../advisories/advisory-folder.ts';
import { BILL_MISSING, factsOfBill, unusableBill } from '../advisories/bill-facts.ts';
import { leadsOut, type WorkspaceContext } from './workspace-context.ts';

/** Reads the bills of materials of a workspace; loaded if advisories were given. */

/** The packages that the bill of materials beside an artifact lists. @param path of the artifact, below the root */
export async function materialsBeside(
  context: WorkspaceContext,
  path: string,
  content: Content,
  advisories: AdvisoryFolder,
): Promise<MaterialsFacts | Missing> {
  const bill = companionPath(path, 'sbom');
  if (leadsOut(context, bill)) return BILL_MISSING;
  const read = readRegularFile(join(context.root, bill), LARGEST_COMPANION.sbom);
  if ('bytes' in read) return factsOfBill(read.bytes, content, advisories);
  return read.code === 'ENOENT' ? BILL_MISSING : unusableBill('unreadable');
}
