import { type Kysely, type Migration, sql } from 'kysely';

/** The start of the service seals the URLs of webhooks that exist. What was recorded about them is masked here. */
const STATEMENTS = [
  sql`ALTER TABLE webhooks ADD COLUMN url_key_id text, ADD COLUMN sealed_url bytea`,
  sql`UPDATE audit_entries SET target_name = regexp_replace(target_name, '^(https?://[^/?]+/).+$', '\\1…')
      WHERE action LIKE 'webhook-%' AND target_name IS NOT NULL`,
  sql`UPDATE audit_entries
      SET details = jsonb_set(details, '{url}', to_jsonb(regexp_replace(details->>'url', '^(https?://[^/?]+/).+$', '\\1…')))
      WHERE action LIKE 'webhook-%' AND jsonb_typeof(details->'url') = 'string'`,
  sql`UPDATE webhook_deliveries
      SET body = regexp_replace(body, '(https?://[^/?"\\\\ ]+/)[^" ]+?(?="| was disabled)', '\\1…', 'g')
      WHERE type IN ('test', 'webhook-disabled')`,
];

export const sealedWebhookUrls: Migration = {
  async up(db: Kysely<unknown>) {
    for (const statement of STATEMENTS) await statement.execute(db);
  },
};
