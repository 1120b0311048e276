import type { Service } from '../context.ts';
import { subscriptionOf } from './subscriptions-store.ts';
import type { SubscriptionView } from '../views.ts';
import { orNotFound } from '../pages/page-error.ts';
import type { MemberRequest } from '../pages/request.ts';

/** The subscription in the path. @throws PageError if the organization does not have it */
export async function requestedSubscription(
  { organization, parameter }: MemberRequest,
  { db, settings }: Service,
): Promise<SubscriptionView> {
  return orNotFound(await subscriptionOf(db, organization.id, parameter('id'), settings.interval), 'registry');
}
