import { type Service } from '../context.ts';
import { type Route, organizationRoute, type WebContext } from '../http/routes.ts';
import { pathParameter, queryIn, choiceIn, ID_PAGE_QUERY } from '../http/query.ts';
import { type Db } from '../db/database.ts';
import { EVENT_TYPES, type EventType, EVENTS } from '../domain/events.ts';
import { taggedJson } from '../http/conditions.ts';
import { orNotFound } from '../http/problems.ts';
import { listEvents } from '../db/events.ts';
import * as shape from '../domain/shape.ts';
import * as openapi from '../http/operations.ts';

/** The history of registries. */
export function eventRoutes({ db }: Service): Route[] {
  return [
    organizationRoute('GET', '/api/events', 'read', (c, { id }) => getEvents(c, db, id, null)),
    organizationRoute('GET', '/api/registries/{id}/events', 'read', (c, { id }) =>
      getEvents(c, db, id, pathParameter(c, 'id')),
    ),
  ];
}

async function getEvents(
  c: WebContext,
  db: Db,
  organizationId: string,
  subscriptionId: string | null,
): Promise<Response> {
  const page = queryIn(c, { type: choiceIn('type', EVENT_TYPES), ...ID_PAGE_QUERY });
  const query = { subscriptionId, appKey: c.req.query('app') ?? null, ...page };
  return taggedJson(c, orNotFound(await listEvents(db, organizationId, query), 'registry'));
}

/** The schemas of events: one for each type. */

const name = { app: shape.withDescription(shape.text, 'App key.'), version: shape.text };

/** Types of events about a version, and about an app. */
const OF_VERSION = /^version-/;
const OF_APP = /^(?:app|version)-/;

function eventSchema(type: EventType): shape.Schema {
  const { description, data } = EVENTS[type];
  return shape.strictObject(description, {
    id: shape.id,
    time: shape.dateTime,
    type: { const: type },
    registry: shape.strictObject('The subscription.', { id: shape.id, name: shape.text }),
    app: OF_APP.test(type) ? name.app : { type: 'null' },
    version: OF_VERSION.test(type) ? name.version : { type: 'null' },
    message: shape.withDescription(shape.text, 'A sentence for people. Programs use the other fields.'),
    data: shape.strictObject('What changed.', data),
  });
}

export const eventSchemas: Record<string, shape.Schema> = {
  Event: {
    description: 'Something that happened to a registry or its apps. New types and fields of “data” may be added.',
    oneOf: EVENT_TYPES.map(eventSchema),
  },
  Events: shape.strictObject('A page of events, newest first.', {
    events: shape.list(shape.ref('Event')),
    next: shape.next,
  }),
};

const APP = openapi.parameter('app', 'query', 'Only events of the app with this key.', { type: 'string' });
const TYPE = openapi.parameter('type', 'query', 'Only events of this type.', { enum: EVENT_TYPES });

/** The history of registries. */
export const eventsPaths: Record<string, openapi.OpenApiObject> = {
  '/api/events': {
    get: openapi.forOrganization(
      'listEvents',
      'The events of all registries of the organization',
      openapi.pageResponses('Events'),
      {
        parameters: [APP, TYPE, ...openapi.PAGE, openapi.IF_NONE_MATCH],
      },
    ),
  },
  '/api/registries/{id}/events': {
    parameters: [openapi.ID],
    get: openapi.forOrganization(
      'listRegistryEvents',
      'The events of a registry since the subscription',
      { ...openapi.pageResponses('Events'), ...openapi.NOT_FOUND },
      { parameters: [APP, TYPE, ...openapi.PAGE, openapi.IF_NONE_MATCH] },
    ),
  },
};
