import type { Service } from '../context.ts';
import { createOrganization } from './store.ts';
import { rotateToken } from '../tokens/store.ts';
import { subscribeOfficial } from '../registries/official.ts';
import { nameIn, readBody } from '../http/body.ts';
import { json, Refusal } from '../http/problems.ts';
import type { Route, WebContext } from '../http/routes.ts';

/** Creating organizations, and their tokens. */
export function organizationRoutes(service: Service): Route[] {
  const { db, log } = service;
  return [
    {
      method: 'POST',
      path: '/api/organizations',
      access: 'sign-up',
      async handle(c, actor) {
        const key = idempotencyKey(c);
        const name = nameIn(await readBody(c));
        const { organization, token } = await createOrganization(db, name, key, actor);
        if (organization.name !== name)
          throw new Refusal('idempotency-key-reused', 'It was already used with a different name. Send a new key.');
        // Repeated for a retried request: the first attempt may have failed between the two steps.
        await subscribeOfficial(service, organization.id);
        if (token !== null) log('info', 'organization-created', { organization: organization.id });
        return json(c, { organization, token: token?.secret ?? null }, token === null ? 200 : 201);
      },
    },
    {
      method: 'GET',
      path: '/api/organization',
      access: 'organization',
      scope: 'read',
      handle: async (c, { organization }) => json(c, organization),
    },
    {
      method: 'POST',
      path: '/api/organization/token',
      access: 'organization',
      scope: 'admin',
      async handle(c, { id, tokenId, actor }) {
        const token = await rotateToken(db, id, tokenId, actor);
        log('info', 'token-rotated', { organization: id });
        return json(c, { token });
      },
    },
  ];
}

/** The key is long, since guessing one reveals the organization that was created with it. */
function idempotencyKey(c: WebContext): string | null {
  const key = c.req.header('idempotency-key');
  if (key === undefined) return null;
  if (/^[!-~]{16,255}$/.test(key)) return key;
  const detail = 'The Idempotency-Key is not 16 to 255 visible ASCII characters. Send a random UUID.';
  throw new Refusal('invalid-parameter', detail, { errors: [{ field: 'Idempotency-Key', detail }] });
}
