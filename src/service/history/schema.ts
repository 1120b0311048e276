import { EVENT_TYPES, EVENTS, type EventType } from './event-types.ts';
import * as api from '../http/openapi.ts';

/** The schemas of events: one for each type. */

const name = { app: api.withDescription(api.text, 'App key.'), version: api.text };

/** Types of events about a version, and about an app. */
const OF_VERSION = /^version-/;
const OF_APP = /^(?:app|version)-/;

function eventSchema(type: EventType): api.Schema {
  const { description, data } = EVENTS[type];
  return api.strictObject(description, {
    id: api.id,
    time: api.dateTime,
    type: { const: type },
    registry: api.strictObject('The subscription.', { id: api.id, name: api.text }),
    app: OF_APP.test(type) ? name.app : { type: 'null' },
    version: OF_VERSION.test(type) ? name.version : { type: 'null' },
    message: api.withDescription(api.text, 'A sentence for people. Programs use the other fields.'),
    data: api.strictObject('What changed.', data),
  });
}

export const eventSchemas: Record<string, api.Schema> = {
  Event: {
    description: 'Something that happened to a registry or its apps. New types and fields of “data” may be added.',
    oneOf: EVENT_TYPES.map(eventSchema),
  },
  Events: api.strictObject('A page of events, newest first.', { events: api.list(api.ref('Event')), next: api.next }),
};

const APP = api.parameter('app', 'query', 'Only events of the app with this key.', { type: 'string' });
const TYPE = api.parameter('type', 'query', 'Only events of this type.', { enum: EVENT_TYPES });

/** The history of registries. */
export const eventsPaths: Record<string, api.OpenApiObject> = {
  '/api/events': {
    get: api.forOrganization(
      'listEvents',
      'The events of all registries of the organization',
      api.pageResponses('Events'),
      {
        parameters: [APP, TYPE, ...api.PAGE, api.IF_NONE_MATCH],
      },
    ),
  },
  '/api/registries/{id}/events': {
    parameters: [api.ID],
    get: api.forOrganization(
      'listRegistryEvents',
      'The events of a registry since the subscription',
      { ...api.pageResponses('Events'), ...api.NOT_FOUND },
      { parameters: [APP, TYPE, ...api.PAGE, api.IF_NONE_MATCH] },
    ),
  },
};
