import type { SafeText } from '../text/message.ts';
import type { Content, HttpViews, Missing, Probe } from '../facts/facts.ts';
import type { Finding } from '../findings/report.ts';
import { isAnswered, lastHop } from '../http/probe.ts';
import { withSteps } from './finding.ts';
import { ownerOf } from '../rules/lookup.ts';
import { serverEvidence } from '../http/server-identity.ts';
import { ruleOfFailure } from '../http/failed-request.ts';
import { contentSignature } from '../rules/content-signature.ts';
import { artifactChecksumMismatch } from '../rules/artifacts/artifact-checksum-mismatch.ts';
import { redirectExcessive } from '../rules/http/redirect-excessive.ts';
import { redirectInsecure } from '../rules/http/redirect-insecure.ts';
import { tlsUntrusted } from '../rules/http/tls-untrusted.ts';
import { unreachable } from '../rules/http/unreachable.ts';
import type { AnyRule } from '../rules/rule.ts';
import { bytesOfHead, kindOf } from '../text/file-type.ts';
import type { Owner } from '../rules/owners.ts';

/** Explains the response of a URL to commands that make no report: in the words of the rules that `verify` judges. */

export interface DownloadFault {
  rule: string;
  cause: string | null;
  owner: Owner;
  /** A sentence. */
  message: SafeText;
  advice: SafeText;
}

const NOT_REQUESTED: Missing = { missing: { code: 'not-requested', flag: null } };

/** By the rule that reports the failure. */
const RULES: Partial<Record<string, AnyRule>> = {
  'tls-untrusted': tlsUntrusted,
  'redirect-excessive': redirectExcessive,
  'redirect-insecure': redirectInsecure,
};

/** Kinds of content that a host sends in place of an artifact; others are artifacts, or other bytes than the listed. */
const IN_PLACE_OF_ARTIFACT = /^(empty|html|xml|json|text|git-lfs-pointer)$/;

/**
 * The reason why the response is not an artifact; null if it may be one.
 * @param content what was received
 * @param now ISO 8601
 */
export function explainDownload(probe: Probe, content: Content, now: string): DownloadFault | null {
  const web = { server: probe, browser: [], preflight: NOT_REQUESTED, head: NOT_REQUESTED };
  if (isAnswered(probe)) {
    if (!IN_PLACE_OF_ARTIFACT.test(kindOf(bytesOfHead(content.head)))) return null;
    const facts = { url: lastHop(probe)?.url ?? null, file: null, web, content, archive: NOT_REQUESTED };
    return faultOf(artifactChecksumMismatch.id, contentSignature(content, null, facts), web);
  }
  const rule = RULES[ruleOfFailure(probe) ?? ''] ?? unreachable;
  const found = [rule.check({ resource: 'artifact', web, now })].flat()[0];
  return faultOf(rule.id, found ?? null, web);
}

function faultOf(
  rule: string,
  found: { cause?: string; message: SafeText; advice: SafeText; evidence?: Finding['evidence'] } | null | undefined,
  web: HttpViews,
): DownloadFault | null {
  if (!found) return null;
  const { cause = null, message, advice, evidence = {} } = found;
  const finding = { rule, cause, evidence: { ...serverEvidence(lastHop(web.server)), ...evidence }, advice };
  return { rule, cause, owner: ownerOf(finding), message, advice: withSteps(finding, web) };
}
