import type { Content, MaterialsFacts, Missing } from '../../core/facts/facts.ts';
import { documentContent, parseDocument } from '../../core/json/json.ts';
import { billOfMaterialsIn } from '../../core/registry/bill-of-materials.ts';
import type { AdvisoryFolder } from './advisory-folder.ts';

/** Facts about the packages in an artifact, from the bill of materials beside it. */

export const BILL_MISSING: Missing = { missing: { code: 'bill-missing' } };

/** @param artifact its bytes, which the bill has to describe if it names any */
export async function factsOfBill(
  bytes: Uint8Array,
  artifact: Content,
  advisories: AdvisoryFolder,
): Promise<MaterialsFacts | Missing> {
  const bill = billOfMaterialsIn(parseDocument(documentContent(bytes)).value);
  if (bill === null) return unusableBill('not-cyclonedx');
  if (bill.subject !== null && bill.subject !== artifact.sha256) return unusableBill('other-artifact');
  return advisories.factsAbout(bill.packages);
}

export function unusableBill(cause: 'unreadable' | 'too-large' | 'not-cyclonedx' | 'other-artifact'): Missing {
  return { missing: { code: 'bill-unusable', cause } };
}
