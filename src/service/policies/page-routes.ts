import { documentContent } from '../../core/json/json.ts';
import { readInputFile } from '../../core/json/input-file.ts';
import type { PolicyDocument } from '../../core/policy/policy-document.ts';
import { policyViolations } from '../../core/policy/policy.ts';
import type { Service } from '../context.ts';
import { orNotFound } from '../http/problems.ts';
import type { PageRoute } from '../pages/mount.ts';
import type { MemberRequest } from '../pages/request.ts';
import { registryFrame, requestedSubscription } from '../registries/page-routes.ts';
import { type PolicyFault, LONGEST_TEXT, policyPage, type PolicyPage } from './page.ts';
import { readPolicy, previewView } from './policy.ts';
import { type PolicyTarget, previewPolicy, setPolicy, storedPolicy } from './policy-store.ts';

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
