import type { AttestedVersions } from '../core/attestation/attested-versions.ts';
import { counted, printableExcerpt } from '../core/text/text.ts';

/** Builders that are listed. */
const LISTED = 5;

/** What attestations prove, as worded by the reporters for people: a line for each builder. */
export function attestedLines(attested: readonly AttestedVersions[]): string[] {
  const more = attested.slice(LISTED).reduce((sum, { versions }) => sum + versions, 0);
  const lines = attested
    .slice(0, LISTED)
    .map(({ versions, builder }) => `${counted(versions, 'version')} verified, ${builderText(builder)}`);
  return more === 0 ? lines : [...lines, `${counted(more, 'version')} verified, built by others`];
}

function builderText(builder: AttestedVersions['builder']): string {
  if (builder.kind === 'key') return `signed with the key sha256:${builder.sha256}`;
  if (builder.kind === 'workflow') return `built by ${brief(builder.workflow)} of ${brief(builder.repository)}`;
  const { identity, issuer } = builder;
  return `signed by ${brief(identity ?? 'an unnamed identity')} (${brief(issuer ?? 'unknown issuer')})`;
}

function brief(text: string): string {
  return printableExcerpt(text, 200);
}
