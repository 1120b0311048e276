import type { Finding } from '../findings/report.ts';
import { hostOf } from '../http/probe.ts';
import { message } from '../text/message.ts';

/** As many artifacts are no coincidence. */
const FEWEST = 3;

/**
 * Gives one explanation to the mismatches of a host of which no artifact has its listed digest: something changes all of
 * them, such as a proxy that compresses again, and none of the served digests is to be listed. At the end of a run.
 * @param judged the number of artifacts that each host sent
 */
export function nameChangingHosts(findings: readonly Finding[], judged: ReadonlyMap<string, number>): void {
  for (const [host, count] of judged) {
    if (count < FEWEST) continue;
    const changed = findings.filter(
      ({ rule, cause, url }) =>
        rule === 'artifact-checksum-mismatch' && cause === 'other-bytes' && url !== null && hostOf(url) === host,
    );
    if (changed.length < count) continue;
    for (const finding of changed)
      Object.assign(finding, {
        message: message`The SHA-256 of the artifact differs from the listed one, as that of all ${count} artifacts from ${host}.`,
        advice: message`Look for one cause: a proxy, a CDN or a plug-in that compresses files again, or a build that replaced all of them. Exclude .gz files from compression and optimization, or restore the published files. Do not change the listed checksums.`,
      });
  }
}
