import { DEFAULT_PAGE_LIMIT, PAGE_LIMIT } from '../../database/page.ts';
import { parameter } from './parts.ts';
import { id } from './schemas.ts';

/** Parameters that several operations have. */

export const ID = parameter('id', 'path', 'Id of the subscription.', id);
export const PAGE = [
  parameter('limit', 'query', 'Maximum number of entries.', {
    type: 'integer',
    minimum: 1,
    maximum: PAGE_LIMIT,
    default: DEFAULT_PAGE_LIMIT,
  }),
  parameter('after', 'query', '“next” of the previous page.', { type: 'string' }),
];
export const IF_NONE_MATCH = parameter('If-None-Match', 'header', 'ETag of the response that the client has stored.', {
  type: 'string',
});
