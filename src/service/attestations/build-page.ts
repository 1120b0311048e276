import { code, type Html, html, NOTHING, untrusted } from '../../html/html.ts';
import { commitUrl, linked } from '../../html/notes.ts';
import { calendarDay, relativeTime } from '../pages/components.ts';
import type { AttestationView } from './schema.ts';

/** The attestation of a version on the page of its app: who built it, from which commit; or why it is held back. */

export function attestationSection(view: AttestationView | null, now: Date): Html {
  if (view === null) return NOTHING;
  return html`${heldLines(view, now)} ${view.build === null ? NOTHING : buildList(view.build)}`;
}

const WORDS: Record<Exclude<AttestationView['state'], 'verified'>, string> = {
  missing: 'Its host has no attestation of it.',
  pending: 'Its attestation is not known yet.',
  refused: 'Its attestation does not prove what your organization requires.',
};

function heldLines({ state, reason, held, offeredBefore }: AttestationView, now: Date): Html {
  const lines: (Html | string)[] = [];
  if (held !== null)
    lines.push(
      html`It is held back since ${relativeTime(held.since, now)}: your organization requires attestations of this
      registry.`,
    );
  if (state !== 'verified') lines.push(reason === null ? WORDS[state] : untrusted(reason.message, 500));
  if (offeredBefore && state !== 'verified')
    lines.push('It stays offered, since it was offered before your organization required this.');
  if (lines.length === 0) return NOTHING;
  return html`<ul class="reasons">
    ${lines.map((line) => html`<li>${line}</li>`)}
  </ul>`;
}

type BuildView = Exclude<AttestationView['build'], null>;

function buildList({ issuer, identity, key, repository, commit, ref, run, signedAt }: BuildView): Html {
  const rows: [label: string, value: Html | null][] = [
    ['Built by', identity === null ? null : linked(identity, identity)],
    ['Issuer', issuer === null ? null : code(issuer, 300)],
    ['Key', key === null ? null : code(`sha256:${key}`)],
    ['Repository', repository === null ? null : linked(repository, repository)],
    ['Commit', commit === null ? null : linked(commit, commitUrl(repository, commit))],
    ['Ref', ref === null ? null : code(ref, 300)],
    ['Run', run === null ? null : linked(run, run)],
    ['Signed', signedAt === null ? null : calendarDay(signedAt)],
  ];
  return html`<dl class="digests">
    ${rows.map(([label, value]) =>
      value === null
        ? NOTHING
        : html`<div>
            <dt>${label}</dt>
            <dd>${value}</dd>
          </div>`,
    )}
  </dl>`;
}
