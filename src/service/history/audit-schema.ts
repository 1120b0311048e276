import { ACTOR_TYPES, type Actor, AUDIT_ACTIONS, AUDIT_OUTCOMES, type AuditDetails } from './audit-actions.ts';
import {
  type OpenApiObject,
  pageResponses,
  forOrganization,
  requiresScope,
  parameter,
  type Schema,
  type ValueOf,
  text,
  dateTime,
  id,
  choice,
  orNull,
  schemaOf,
  nullable,
  list,
  ref,
  strictObject,
  withDescription,
  next,
  PAGE,
  IF_NONE_MATCH,
} from '../http/openapi.ts';

/** The schemas of the audit log. */

/** An action in the audit log. */
const auditEntry = strictObject('An action that was done or refused.', {
  id,
  at: dateTime,
  actor: strictObject('Who did it.', {
    type: withDescription(
      choice(ACTOR_TYPES),
      'session: a person who signed in to the pages. visitor: a client without a token. service: the service itself.',
    ),
    token: schemaOf<Actor['token']>({
      description: 'The token of the request, or the token that was used to sign in.',
      ...nullable(strictObject('A token.', { id, name: text })),
    }),
    address: withDescription(orNull(text), 'The address of the client.'),
  }),
  action: choice(AUDIT_ACTIONS),
  target: strictObject('The affected resource, with its name at that time.', {
    id: orNull(text),
    name: orNull(text),
  }),
  outcome: withDescription(choice(AUDIT_OUTCOMES), 'refused: the scope of the token does not include the action.'),
  details: schemaOf<AuditDetails>({
    description: 'Depends on the action.',
    type: 'object',
    additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
  }),
});
export type AuditEntryView = ValueOf<typeof auditEntry>;

export const auditSchemas: Record<string, Schema> = {
  AuditEntry: auditEntry,
  AuditEntries: strictObject('A page of the audit log, newest entry first.', {
    entries: list(ref('AuditEntry')),
    next,
  }),
};

export const ACTION = parameter('action', 'query', 'Only entries of this action.', { enum: AUDIT_ACTIONS });

/** The audit log. */
export const auditPaths: Record<string, OpenApiObject> = {
  '/api/audit': {
    get: forOrganization('listAudit', 'The audit log of the organization', pageResponses('AuditEntries'), {
      ...requiresScope('admin'),
      parameters: [ACTION, ...PAGE, IF_NONE_MATCH],
    }),
  },
};
