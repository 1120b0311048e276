import { codeText, commitUrl, html, type Html, externalLink, NO_MARKUP, untrusted } from 'appreg/node';
import { type AttestationView } from '../domain/attestation-view.ts';
import { relativeTime, calendarDay, field } from './components.ts';
import {
  type PolicyInput,
  type PolicyFault,
  type SubscriptionPolicy,
  type AttestationMode,
  type PolicyField,
  LONGEST_IDENTITY,
  LONGEST_KEY,
} from '../domain/signers.ts';
import { LONGEST_URL } from '../domain/fields.ts';

/** The attestation of a version on the page of its app: who built it, from which commit; or why it is held back. */

export function attestationSection(view: AttestationView | null, now: Date): Html {
  if (view === null) return NO_MARKUP;
  return html`${heldLines(view, now)} ${view.build === null ? NO_MARKUP : buildList(view.build)}`;
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
  if (lines.length === 0) return NO_MARKUP;
  return html`<ul class="reasons">
    ${lines.map((line) => html`<li>${line}</li>`)}
  </ul>`;
}

type BuildView = Exclude<AttestationView['build'], null>;

function buildList({ issuer, identity, key, repository, commit, ref, run, signedAt }: BuildView): Html {
  const rows: [label: string, value: Html | null][] = [
    ['Built by', identity === null ? null : externalLink(identity, identity)],
    ['Issuer', issuer === null ? null : codeText(issuer, 300)],
    ['Key', key === null ? null : codeText(`sha256:${key}`)],
    ['Repository', repository === null ? null : externalLink(repository, repository)],
    ['Commit', commit === null ? null : externalLink(commit, commitUrl(repository, commit))],
    ['Ref', ref === null ? null : codeText(ref, 300)],
    ['Run', run === null ? null : externalLink(run, run)],
    ['Signed', signedAt === null ? null : calendarDay(signedAt)],
  ];
  return html`<dl class="digests">
    ${rows.map(([label, value]) =>
      value === null
        ? NO_MARKUP
        : html`<div>
            <dt>${label}</dt>
            <dd>${value}</dd>
          </div>`,
    )}
  </dl>`;
}

/** Form with the requirements of an organization on attestations. */

export interface PolicyForm {
  values: PolicyInput;
  faults: readonly PolicyFault[];
}

export function policyForm(policy: SubscriptionPolicy): PolicyForm {
  const none = { issuer: '', identity: '', repository: '', publicKey: '' };
  if (policy.mode === 'off') return { values: { mode: 'off', ...none }, faults: [] };
  const { mode, signer } = policy;
  if ('publicKey' in signer) return { values: { mode, ...none, publicKey: signer.publicKey }, faults: [] };
  const { issuer, identity, repository } = signer;
  const values = { mode, ...none, issuer, identity: identity ?? '', repository: repository ?? '' };
  return { values, faults: [] };
}

export function submittedPolicy(formField: (name: string) => string): PolicyInput {
  return {
    mode: formField('attestations'),
    issuer: formField('issuer'),
    identity: formField('identity'),
    repository: formField('repository'),
    publicKey: formField('public-key'),
  };
}

const MODES: Record<AttestationMode, string> = {
  off: 'Off: attestations are not fetched',
  report: 'Report: the page of an app shows who built each version',
  require: 'Require: only versions with a valid attestation are offered, and those that are offered now',
};

/** @param action what the form is sent to */
export function policyFields({ values, faults }: PolicyForm, action: string): Html {
  const mode = values.mode in MODES ? values.mode : 'off';
  const errorOf = (name: PolicyField, label: string): string | null => {
    const own = faults.find((one) => one.field === name);
    return own === undefined ? null : `The ${label} ${own.fault}`;
  };
  const keyError = errorOf('publicKey', 'public key');
  return html`<form class="form" method="post" action="${action}">
    <fieldset>
      <legend>Attestations</legend>
      ${Object.entries(MODES).map(
        ([value, label]) =>
          html`<label class="check"
            ><input type="radio" name="attestations" value="${value}" ${value === mode ? html`checked` : NO_MARKUP} />
            ${label}</label
          >`,
      )}
      ${faults.some((one) => one.field === 'mode') ? html`<p class="field-error">Choose one of them.</p>` : NO_MARKUP}
    </fieldset>
    ${field({
      name: 'issuer',
      label: 'Issuer',
      hint: 'The OIDC issuer of the signer, such as https://token.actions.githubusercontent.com.',
      value: values.issuer,
      type: 'url',
      isOptional: true,
      maxlength: LONGEST_URL,
      error: errorOf('issuer', 'issuer'),
    })}
    ${field({
      name: 'repository',
      label: 'Source repository',
      hint: 'Such as https://github.com/acme/apps.',
      value: values.repository,
      type: 'url',
      isOptional: true,
      maxlength: LONGEST_URL,
      error: errorOf('repository', 'source repository'),
    })}
    ${field({
      name: 'identity',
      label: 'Identity',
      hint: 'The URL of the workflow and its ref. * matches within a segment of a path, ** across segments.',
      value: values.identity,
      isOptional: true,
      maxlength: LONGEST_IDENTITY,
      error: errorOf('identity', 'identity'),
    })}
    <div class="field${keyError === null ? '' : ' wrong'}">
      <label for="public-key">Public key</label>
      <p class="hint" id="public-key-hint">In place of an identity: PEM, ECDSA on the curve P-256.</p>
      <textarea
        id="public-key"
        name="public-key"
        rows="4"
        maxlength="${LONGEST_KEY}"
        spellcheck="false"
        autocapitalize="none"
        dir="ltr"
        aria-describedby="public-key-hint${keyError === null ? '' : ' public-key-error'}"
        ${keyError === null ? NO_MARKUP : html`aria-invalid="true"`}
      >
${shownKey(values.publicKey)}</textarea>
      ${keyError === null ? NO_MARKUP : html`<p class="field-error" id="public-key-error">${keyError}</p>`}
    </div>
    <p class="actions"><button>Save attestations</button></p>
  </form>`;
}

/** Keys that contain other characters than PEM are not repeated. */
function shownKey(publicKey: string): string {
  return /^[\x20-\x7e\r\n]*$/.test(publicKey) ? publicKey : '';
}
