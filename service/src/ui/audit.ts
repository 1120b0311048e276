import { codeText, html, type Html, NO_MARKUP, sanitized, untrusted } from 'appreg/node';
import {
  type AuditEntryView,
  type AuditAction,
  AUDIT_ACTIONS,
  AUDIT_ACTION_NAMES,
  type Actor,
  type AuditDetails,
} from '../domain/audit.ts';
import { type Screen } from './layout.ts';
import { pathWithQuery, cursorLinks } from './navigation.ts';
import { select, emptyState, table, relativeTime, chip } from './components.ts';
import { type PageRoute } from './mount.ts';
import { type MemberRequest, cursorIn } from './request.ts';
import { type Service } from '../context.ts';
import { listAuditEntries } from '../db/audit.ts';
import { PAGE_SIZE } from './events.ts';

/** Settings → Audit log: who changed what. */

interface AuditPage {
  entries: readonly AuditEntryView[];
  /** The cursors of the next page and of this one; null if there is none. */
  next: string | null;
  after: string | null;
  /** Only entries of this action; null for all. */
  action: AuditAction | null;
  now: Date;
}

const PATH = 'settings/audit';

export function auditPage({ entries, next, after, action, now }: AuditPage): Screen {
  const pageAfter = (cursor: string | null): string => pathWithQuery(PATH, { action, after: cursor });
  const choices = AUDIT_ACTIONS.map((value) => ({ value, label: AUDIT_ACTION_NAMES[value] }));
  const body = html`<h1>Audit log</h1>
    <p class="lead">Who changed what in your organization, newest first.</p>
    <form class="tools search" method="get" action="${PATH}" data-search="audit">
      ${select('action', 'Actions', [{ value: '', label: 'All actions' }, ...choices], action ?? '')}
      <button class="search-button">Show</button>
    </form>
    <div id="audit" data-live>
      ${entries.length === 0 ? emptyState('No entries', 'Changes are listed here.') : auditTable(entries, now)}
      ${cursorLinks(after === null ? null : pageAfter(null), next === null ? null : pageAfter(next))}
    </div>`;
  return { title: 'Audit log', section: 'audit', body };
}

function auditTable(entries: readonly AuditEntryView[], now: Date): Html {
  return table({
    className: 'audit',
    caption: 'Entries, newest first',
    columns: ['Time', 'Action', 'Who', 'Details'],
    rows: entries.map((entry) => auditRow(entry, now)),
  });
}

function auditRow({ at, actor, action, target, outcome, details }: AuditEntryView, now: Date): Html {
  return html`<tr role="row">
    <td role="cell" class="muted">${relativeTime(at, now)}</td>
    <td role="cell">
      <b>${AUDIT_ACTION_NAMES[action]}</b> ${outcome === 'refused' ? chip('Refused', 'bad') : NO_MARKUP}
    </td>
    <td role="cell">
      <span class="line">${actorText(actor)}</span>
      ${actor.address === null ? NO_MARKUP : html`<span class="line muted">${codeText(actor.address, 60)}</span>`}
    </td>
    <td role="cell">
      ${target.name === null ? NO_MARKUP : html`<span class="line">${untrusted(target.name, 200)}</span>`}
      ${detailList(details)}
    </td>
  </tr>`;
}

function actorText({ type, token }: Actor): Html {
  switch (type) {
    case 'token':
      return html`Token ${untrusted(token?.name ?? '', 80)}`;
    case 'session':
      return html`Signed in with ${untrusted(token?.name ?? '', 80)}`;
    case 'operator':
      return html`Operator`;
    case 'visitor':
      return html`Visitor`;
    case 'service':
      return html`The service`;
  }
}

function detailList(details: AuditDetails): Html {
  const shown = Object.entries(details).filter(([, value]) => value !== null);
  if (shown.length === 0) return NO_MARKUP;
  return html`<span class="line muted"
    >${shown.map(([name, value]) => `${sanitized(name, 40)}: ${sanitized(String(value), 200)}`).join(', ')}</span
  >`;
}

/** Settings → Audit log. */
export const auditRoutes: readonly PageRoute[] = [
  { method: 'GET', path: '/settings/audit', access: 'member', scope: 'admin', handle: showAudit },
];

async function showAudit(request: MemberRequest, { db }: Service) {
  const { organization, now, query, show } = request;
  const action = AUDIT_ACTIONS.find((name) => name === query('action')) ?? null;
  const after = cursorIn(request);
  const page = await listAuditEntries(db, organization.id, { action, limit: PAGE_SIZE, after });
  return show(auditPage({ ...page, after, action, now }));
}
