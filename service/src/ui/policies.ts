import {
  counted,
  documentContent,
  grouped,
  type PolicyDocument,
  policyViolations,
  readInputFile,
  safeJsonText,
} from 'appreg';
import { codeText, html, type Html, NO_MARKUP, untrusted } from 'appreg/node';
import { type PageRoute } from './mount.ts';
import { type MemberRequest } from './request.ts';
import { type Service } from '../context.ts';
import { requestedSubscription, registryFrame, type RegistryFrame, registryScreen } from './registry-frame.ts';
import { orNotFound } from '../http/problems.ts';
import { storedPolicy, type PolicyTarget, setPolicy, previewPolicy } from '../db/policies.ts';
import { previewView, readPolicy, type PreviewView, MOST_PREVIEWED } from '../domain/policies.ts';
import { type Screen } from './layout.ts';
import { ifAllowed, relativeTime, table } from './components.ts';
import { allows } from '../domain/scopes.ts';
import { registryPath } from './navigation.ts';

/** Settings of a registry → Policy. */

const PATH = '/settings/registries/:id';

export const policyPageRoutes: readonly PageRoute[] = [
  { method: 'GET', path: `${PATH}/policy`, access: 'member', handle: showPolicy },
  { method: 'POST', path: `${PATH}/policy`, access: 'member', handle: submitPolicy },
];

/** The page with what is stored. */
async function policyView(request: MemberRequest, service: Service): Promise<PolicyPage> {
  const subscription = await requestedSubscription(request, service);
  const stored = orNotFound(await storedPolicy(service.db, request.organization.id, subscription.id), 'registry');
  const text = stored.policy === null ? '' : JSON.stringify(stored.policy, null, 2);
  const isStored = stored.policy !== null;
  const frame = registryFrame(request, subscription);
  return { ...frame, text, faults: [], preview: null, isUnconfirmed: false, isStored };
}

async function showPolicy(request: MemberRequest, service: Service) {
  return request.show(policyPage(await policyView(request, service)));
}

async function submitPolicy(request: MemberRequest, service: Service) {
  const { organization, member, now, show, redirectTo, formField } = request;
  const { db } = service;
  const view = await policyView(request, service);
  const { id } = view.subscription;
  const confirm = formField('confirm') === 'yes';
  const target: PolicyTarget = {
    organizationId: organization.id,
    subscriptionId: id,
    actor: member.actor,
    now,
    confirm,
  };
  if (formField('do') === 'remove') {
    await setPolicy(db, target, null);
    return redirectTo(`${PATH.replace(':id', id)}/settings?done=policy-removed`);
  }
  const text = formField('policy');
  const read = readText(text);
  if ('faults' in read) return show(policyPage({ ...view, text, faults: read.faults }), 400);
  const { document } = read;
  if (formField('do') !== 'save') {
    const preview = orNotFound(await previewPolicy(db, target, document), 'registry');
    return show(policyPage({ ...view, text, preview: previewView(preview) }));
  }
  const { outcome, preview } = orNotFound(await setPolicy(db, target, document), 'registry');
  if (outcome === 'unconfirmed')
    return show(policyPage({ ...view, text, preview: previewView(preview), isUnconfirmed: true }), 409);
  return redirectTo(`${PATH.replace(':id', id)}/settings?done=policy-set`);
}

/** The policy in a submitted form, or what is wrong with its text, with the places. */
function readText(text: string): { document: PolicyDocument } | { faults: readonly PolicyFault[] } {
  if (text.length > LONGEST_TEXT)
    return { faults: [{ message: `The text is longer than ${LONGEST_TEXT} characters.`, position: null }] };
  const { value, faults } = readInputFile(documentContent(Buffer.from(text)), policyViolations);
  if (value === null) return { faults };
  const read = readPolicy(value);
  if ('document' in read) return read;
  return { faults: read.faults.map(({ message }) => ({ message, position: null })) };
}

/** Settings of a registry → Policy: which versions are taken, with a preview. */

export interface PolicyPage extends RegistryFrame {
  /** The policy in the form, as it was typed; '' for none. */
  text: string;
  /** Its faults, each with its place. */
  faults: readonly PolicyFault[];
  /** Its effect; null if that was not requested. */
  preview: PreviewView | null;
  /** True if it was not saved, since it hides everything. */
  isUnconfirmed: boolean;
  /** True if the subscription has a policy. */
  isStored: boolean;
}

interface PolicyFault {
  message: string;
  position: { line: number; column: number } | null;
}

/** Maximum characters of the form’s text: spaces are not stored. */
const LONGEST_TEXT = 40_000;

export function policyPage(view: PolicyPage): Screen {
  const { scope, isStored } = view;
  const content = html`${view.preview === null ? NO_MARKUP : previewSection(view.preview, view.now)}
    <section class="panel" aria-labelledby="policy-title">
      <h2 id="policy-title">Policy</h2>
      <p>
        ${isStored ? 'Your organization is offered only what its policy allows.' : 'There is no policy: every verified version is offered.'}
        Other organizations are not affected. The guide of the service explains the fields.
      </p>
      ${ifAllowed(scope, 'manage', 'Changing the policy', policyForms(view))}
      ${allows(scope, 'manage') || !isStored ? NO_MARKUP : policyText(view)}
    </section>`;
  return registryScreen(view, 'settings', content);
}

/** The policy for those who may not change it. */
function policyText({ text }: PolicyPage): Html {
  return html`<div class="form">
    <div class="field">
      <label for="policy">Policy</label>
      <textarea id="policy" rows="12" readonly dir="ltr">${shownText(text)}</textarea>
    </div>
  </div>`;
}

/** Invisible characters, and those that reorder text, as JSON escapes: the same value in a text of JSON. */
function shownText(text: string): string {
  const lines = text.replaceAll('\r\n', '\n');
  return lines.split('\t').map(safeJsonText).join('\t');
}

const EXAMPLE = '{ "schema": 1, "deny": ["clock@<1.2.0"], "minimumAge": "3d" }';

function policyForms({ subscription, text, faults, preview, isUnconfirmed, isStored }: PolicyPage): Html {
  const path = `${registryPath(subscription.id)}/policy`;
  const needsConfirmation = preview?.hidesEverything === true;
  return html`<form class="form" method="post" action="${path}">
      <div class="field${faults.length === 0 ? '' : ' wrong'}">
        <label for="policy">Policy</label>
        <p class="hint" id="policy-hint">JSON, such as <code dir="ltr">${EXAMPLE}</code>.</p>
        <textarea
          id="policy"
          name="policy"
          rows="12"
          maxlength="${LONGEST_TEXT}"
          spellcheck="false"
          autocapitalize="none"
          autocomplete="off"
          dir="ltr"
          required
          aria-describedby="policy-hint${faults.length === 0 ? '' : ' policy-error'}"
          ${faults.length === 0 ? NO_MARKUP : html`aria-invalid="true"`}
        >
${shownText(text)}</textarea>
        ${faults.length === 0 ? NO_MARKUP : faultList(faults)}
      </div>
      ${needsConfirmation ? confirmation(isUnconfirmed) : NO_MARKUP}
      <p class="actions">
        <button name="do" value="preview">Preview</button>
        <button class="primary" name="do" value="save">Save policy</button>
      </p>
    </form>
    ${
      isStored
        ? html`<form method="post" action="${path}" class="actions">
            <button class="danger-quiet" name="do" value="remove">Remove policy</button>
          </form>`
        : NO_MARKUP
    }`;
}

function confirmation(isUnconfirmed: boolean): Html {
  return html`<div class="field">
    ${
      isUnconfirmed
        ? html`<p class="field-error" role="alert" id="confirm-error">
            The policy was not saved: no version would be offered any more.
          </p>`
        : NO_MARKUP
    }
    <label class="check"
      ><input
        type="checkbox"
        name="confirm"
        value="yes"
        ${isUnconfirmed ? html`aria-describedby="confirm-error"` : NO_MARKUP}
      />
      Offer no version of this registry</label
    >
  </div>`;
}

/** Faults that are shown. */
const MOST_FAULTS = 20;

function faultList(faults: readonly PolicyFault[]): Html {
  const more = faults.length - MOST_FAULTS;
  return html`<div class="field-error" id="policy-error" role="alert">
    <p>The policy was not saved.</p>
    <ul>
      ${faults.slice(0, MOST_FAULTS).map(({ position, message }) => html`<li>${placeText(position)}${untrusted(message, 500)}</li>`)}
      ${more > 0 ? html`<li>… and ${grouped(more)} more</li>` : NO_MARKUP}
    </ul>
  </div>`;
}

function placeText(position: PolicyFault['position']): string {
  return position === null ? '' : `Line ${position.line}, column ${position.column}: `;
}

function previewSection(preview: PreviewView, now: Date): Html {
  const { hidden, appearing, hiddenVersions, appearingVersions, latest } = preview;
  return html`<section class="panel" aria-labelledby="preview-title" id="preview">
    <h2 id="preview-title">Preview</h2>
    <p>
      ${
        hidden + appearing === 0
          ? 'Nothing changes at present.'
          : `${counted(hidden, 'version')} that ${hidden === 1 ? 'is' : 'are'} offered now would be held back, and ${counted(appearing, 'version')} would appear.`
      }
    </p>
    ${previewTable(
      { title: 'Held back', caption: 'Versions that would be held back' },
      ['App', 'Version', 'Line of the policy', 'Offered again'],
      hiddenVersions.map(({ app, version, line, offeredAt }) => [
        untrusted(app, 100),
        codeText(version, 80),
        codeText(line, 300),
        html`${offeredAt === null ? 'only by another policy' : relativeTime(offeredAt, now)}`,
      ]),
    )}
    ${moreLine(hidden - hiddenVersions.length)}
    ${previewTable(
      { title: 'Appearing', caption: 'Versions that would appear' },
      ['App', 'Version'],
      appearingVersions.map(({ app, version }) => [untrusted(app, 100), codeText(version, 80)]),
    )}
    ${moreLine(appearing - appearingVersions.length)}
    ${previewTable(
      { title: 'Another latest version', caption: 'Apps with another latest version' },
      ['App', 'Now', 'With the policy'],
      latest.map(({ app, before, after }) => [untrusted(app, 100), latestVersion(before), latestVersion(after)]),
    )}
    ${latest.length < MOST_PREVIEWED ? NO_MARKUP : html`<p class="muted">At most ${MOST_PREVIEWED} apps are listed.</p>`}
  </section>`;
}

/** @param rows the cells of each row; nothing is shown if there are none */
function previewTable(
  { title, caption }: { title: string; caption: string },
  columns: readonly string[],
  rows: readonly (readonly Html[])[],
): Html {
  if (rows.length === 0) return NO_MARKUP;
  return html`<h3>${title}</h3>
    ${table({
      className: 'preview',
      caption,
      columns,
      rows: rows.map(
        (cells) =>
          html`<tr role="row">
            ${cells.map((cell) => html`<td role="cell">${cell}</td>`)}
          </tr>`,
      ),
    })}`;
}

/** A latest version that is offered, or none: the app cannot be installed. */
function latestVersion(version: string | null): Html {
  return version === null ? html`none` : codeText(version, 80);
}

function moreLine(more: number): Html {
  return more > 0 ? html`<p class="muted">… and ${counted(more, 'more version')}.</p>` : NO_MARKUP;
}
