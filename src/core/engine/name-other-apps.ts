import type { Finding } from '../findings/report.ts';
import type { ListedVersions } from '../registry/listed-versions.ts';
import { otherAppsArtifact } from '../rules/other-app.ts';

/**
 * Names the other app in a mismatch whose bytes are its artifact, if that app was judged later: its digest must not be
 * advised. At the end of a run, since apps are judged one by one.
 */
export function nameOtherApps(findings: readonly Finding[], listed: ListedVersions): void {
  for (const finding of findings) {
    if (finding.rule !== 'artifact-checksum-mismatch' || finding.cause !== 'other-bytes') continue;
    const found = String(finding.evidence['found'] ?? '').replace('sha256:', '');
    const other = listed.withDigest(found, finding.app);
    if (other === null) continue;
    const { evidence, ...texts } = otherAppsArtifact(other);
    Object.assign(finding, texts, { evidence: { ...finding.evidence, ...evidence } });
  }
}
