import { EVENT_TYPES } from './events.ts';
import { ID, IF_NONE_MATCH, PAGE } from '../http/openapi/parameters.ts';
import { forOrganization, type OpenApiObject, NOT_FOUND, pageResponses, parameter } from '../http/openapi/parts.ts';

const APP = parameter('app', 'query', 'Only events of the app with this key.', { type: 'string' });
const TYPE = parameter('type', 'query', 'Only events of this type.', { enum: EVENT_TYPES });

/** The history of registries. */
export const eventsPaths: Record<string, OpenApiObject> = {
  '/api/events': {
    get: forOrganization('listEvents', 'The events of all registries of the organization', pageResponses('Events'), {
      parameters: [APP, TYPE, ...PAGE, IF_NONE_MATCH],
    }),
  },
  '/api/registries/{id}/events': {
    parameters: [ID],
    get: forOrganization(
      'listRegistryEvents',
      'The events of a registry since the subscription',
      { ...pageResponses('Events'), ...NOT_FOUND },
      { parameters: [APP, TYPE, ...PAGE, IF_NONE_MATCH] },
    ),
  },
};
